/* reeve get: lists objects of one kind as rows, either all objects or some by name. */
#include "base/sort.h"
#include "base/time.h"
#include "cli/args/when.h"
#include "cli/change/people.h"
#include "cli/manager/job_batches.h"
#include "cli/manager/job_text.h"
#include "cli/manager/listing.h"
#include "cli/manager/live.h"
#include "cli/manager/moment.h"
#include "cli/read/get_parts.h"
#include "cli/term/get_views.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "codec/yaml.h"

#include <string.h>
#include <strings.h>

/* One run of get. */
struct get {
    struct command *command;
    struct session session;
    struct targets targets;
    struct get_kept kept;           /* records that the arguments select */
    const struct schema_kind *kind; /* kind of the objects whose columns are shown */
    struct output output;
    const char *sort;
    const struct path *sort_path; /* column to sort by; NULL: the order of the manager's answer */
    bool is_turned;
    const char *at; /* --at; NULL: the present state */
    /* the objects are machines, which are selected by the same flags as in all verbs about
     * machines */
    bool is_nodes;
    struct doc *effective; /* the effective values of each group; NULL: not shown */
    /* For each group the counts of its nodes, for each hold the nodes that need attention; NULL:
     * not shown. */
    struct doc *counts;
    struct listing grants;   /* the grants of all users, if users are listed */
    struct listing accounts; /* the accounts that may use the listed secrets */
};

/* ---- the request ---- */

static struct text get_query_make(struct command *command)
{
    const char *selector = args_value(&command->args, FLAG_GET_SELECTOR);
    const char *cluster = args_value(&command->args, FLAG_GET_CLUSTER);
    struct buf query;

    buf_init(&query, command->arena);
    if (selector != NULL) {
        buf_add_string(&query, "selector=");
        client_path_add(&query, text_from(selector));
    }
    if (cluster != NULL) {
        buf_add_string(&query, query.length > 0 ? "&cluster=" : "cluster=");
        client_path_add(&query, text_from(cluster));
    }
    return buf_text(&query);
}

static bool get_objects_get(struct get *get, struct listing *out)
{
    struct command *command = get->command;

    if (get->kind != NULL && get->kind->owner == OWNER_SECRET &&
        !listing_get(command, &get->session, schema_kind_find(TEXT("Account")), TEXT(""),
                     &get->accounts)) {
        return false;
    }
    if (strcmp(get->kind->name, "User") == 0 &&
        !listing_get(command, &get->session, schema_kind_find(TEXT("Grant")), TEXT(""),
                     &get->grants)) {
        return false;
    }
    if (get->is_nodes) {
        return get_nodes_list(command, &get->session, out);
    }
    if (strcmp(get->kind->name, "Plan") == 0) {
        return get_plans_list(command, &get->session, &get->targets, out);
    }
    if (get->targets.count == 0) {
        return listing_get(command, &get->session, get->kind, get_query_make(command), out) &&
               get_kept_choose(command, &get->session, &get->kept, out);
    }
    *out = (struct listing){ .items = arena_array(command->arena, struct doc, get->targets.count) };
    for (size_t i = 0; i < get->targets.count; i++) {
        const struct target *target = &get->targets.items[i];

        struct text path = session_path(command, target->kind, target->name);

        if (get->at != NULL && !moment_put(command, &get->session, target, get->at, &path)) {
            return false;
        }
        if (!session_get(command, &get->session, path, &out->items[out->count])) {
            return false;
        }
        out->count++;
    }
    return true;
}

/* ---- rows ---- */

static void sums_put(struct get *get, const struct doc *object, struct doc_builder *row)
{
    struct arena *arena = get->command->arena;
    const struct doc *meta = doc_child(object, "metadata");

    doc_builder_put(row, "groups", doc_int(arena, doc_child_number(meta, "groups"), NULL));
    doc_builder_put(row, "nodes", doc_int(arena, doc_child_number(meta, "nodes"), NULL));
}

/* Return the accounts that use this secret. */
static struct doc users_doc(struct get *get, struct text secret)
{
    struct buf buf;

    buf_init(&buf, get->command->arena);
    for (size_t i = 0; i < get->accounts.count; i++) {
        const struct doc *account = &get->accounts.items[i];

        if (text_is_equal(listing_text(account, "spec", "secret"), secret)) {
            buf_printf(&buf, "%s%.*s", buf.length > 0 ? ", " : "",
                       TEXT_ARG(listing_text(account, "metadata", "name")));
        }
    }
    return doc_text(buf_text(&buf), NULL);
}

static struct doc get_row_make(struct get *get, const struct doc *object,
                               const struct doc *effective, const struct doc *counts)
{
    struct command *command = get->command;
    struct doc_builder row;

    doc_builder_init(&row, command->arena);
    for (size_t i = 0; i < object->entry_count; i++) {
        doc_builder_add(&row, &object->entries[i]);
    }
    doc_builder_put(&row, "ref", doc_text(listing_ref(command->arena, object), NULL));
    doc_builder_put(&row, "name", doc_text(listing_name(command->arena, object), NULL));
    doc_builder_put(
        &row, "changed",
        doc_text(when_format(command, listing_text(object, "metadata", "updated")), NULL));
    if (text_is(doc_child_text(object, "kind"), "Secret")) {
        doc_builder_put(&row, "usedBy", users_doc(get, listing_text(object, "metadata", "name")));
    }
    if (text_is(doc_child_text(object, "kind"), "Hold")) {
        struct text answer = job_text_answer(command, object);

        doc_builder_put(&row, "answer", doc_text(answer.length > 0 ? answer : TEXT("open"), NULL));
        doc_builder_put(&row, "fact", doc_text(job_text_fact(command, object), NULL));
        doc_builder_put(
            &row, "since",
            doc_text(when_format(command, listing_text(object, "status", "since")), NULL));
    }
    if (text_is(doc_child_text(object, "kind"), "Job")) {
        doc_builder_put(
            &row, "begun",
            doc_text(when_format(command, listing_text(object, "status", "begun")), NULL));
        if (job_batches_is(object)) {
            doc_builder_put(&row, "verb",
                            doc_text(job_batches_short(command->arena, object), NULL));
        }
    }
    if (text_is(doc_child_text(object, "kind"), "Volume")) {
        get_volume_row(command, object, &row);
    }
    if (text_is(doc_child_text(object, "kind"), "Cluster")) {
        sums_put(get, object, &row);
    }
    if (text_is(doc_child_text(object, "kind"), "Plan")) {
        get_plans_row(command, object, &row);
    }
    if (people_is_kind(schema_kind_find(doc_child_text(object, "kind")))) {
        people_row(command, object, &get->grants, &row);
    }
    if (effective != NULL) {
        doc_builder_put(&row, "effective", *effective);
    }
    if (counts != NULL) {
        doc_builder_put(&row, get->kind->owner == OWNER_NODEGROUP ? "counts" : "problems", *counts);
    }
    return doc_builder_map(&row, NULL);
}

static bool is_tabular(enum output_format format)
{
    return format == OUTPUT_TABLE || format == OUTPUT_WIDE_TABLE || format == OUTPUT_CSV ||
           format == OUTPUT_TSV || format == OUTPUT_MD;
}

static int cell_compare(struct text a, struct text b)
{
    int64_t left;
    int64_t right;

    if (text_parse_int64(a, &left) && text_parse_int64(b, &right)) {
        return left < right ? -1 : left > right;
    }
    return text_compare(a, b);
}

static int get_row_compare(const void *a, const void *b, void *arg)
{
    struct get *get = arg;
    struct arena *arena = get->command->arena;
    struct path_nodes left = path_find(arena, get->sort_path, a);
    struct path_nodes right = path_find(arena, get->sort_path, b);
    int order = cell_compare(output_cell(arena, left.count > 0 ? left.items[0] : NULL),
                             output_cell(arena, right.count > 0 ? right.items[0] : NULL));

    return get->is_turned ? -order : order;
}

/* Make the rows of the objects and sort them; the objects are sorted in the same order. */
static struct doc *get_rows_make(struct get *get, const struct listing *objects)
{
    struct arena *arena = get->command->arena;
    struct doc *rows = arena_array(arena, struct doc, objects->count + 1);

    for (size_t i = 0; i < objects->count; i++) {
        rows[i] = get_row_make(get, &objects->items[i],
                               get->effective == NULL ? NULL : &get->effective[i],
                               get->counts == NULL ? NULL : &get->counts[i]);
    }
    if (get->sort_path != NULL) {
        sort_stable(arena, rows, objects->count, sizeof(*rows), get_row_compare, get);
    }
    return rows;
}

/* Write a single requested object as the object itself, so that it can be applied; a list is always
 * written as a list. */
static bool single_write(struct get *get, const struct listing *objects)
{
    bool is_record = get->kept.count == 1 && objects->count == 1 &&
                     !text_is(doc_child_text(&objects->items[0], "kind"), "Hold");

    if (get->targets.count != 1 && !is_record) {
        return false;
    }
    if (get->output.format == OUTPUT_JSON) {
        json_format_pretty(&get->command->out, &objects->items[0]);
    } else if (get->output.format == OUTPUT_YAML) {
        yaml_format(&get->command->out, &objects->items[0]);
    }
    return get->output.format == OUTPUT_JSON || get->output.format == OUTPUT_YAML;
}

struct nodes_writing {
    struct get *get;
    struct paged paged;
};

static void nodes_page_write(void *arg, const struct doc *items)
{
    struct nodes_writing *writing = arg;
    struct listing page = { 0 };
    struct output_data data;

    listing_add(writing->get->command, &page, items);
    data.objects = page.items;
    data.object_count = page.count;
    data.rows = get_rows_make(writing->get, &page);
    data.row_count = page.count;
    paged_write(&writing->paged, &data, false);
}

/* Write machines page by page as they arrive, with the memory of one page, because there may be
 * very many. */
static bool get_nodes_write(struct get *get)
{
    static const struct output_data nothing = { 0 };
    struct command *command = get->command;
    struct nodes_writing writing = { .get = get };
    bool is_read;

    paged_begin(&writing.paged, command, &get->output);
    is_read = get_nodes_pages(&writing.paged, &get->session, nodes_page_write, &writing);
    if (is_read && writing.paged.row_count == 0 && is_tabular(get->output.format) &&
        command->out_style.is_terminal) {
        buf_printf(&command->notes, "no %s\n", get->kind->plural);
    } else if (is_read) {
        paged_write(&writing.paged, &nothing, true);
    }
    paged_end(&writing.paged);
    return is_read;
}

/* Get the counts of nodes for tables only: objects are shown unchanged. */
static bool counts_get(struct get *get, const struct listing *objects)
{
    bool is_hold = strcmp(get->kind->name, "Hold") == 0;

    get->counts = NULL;
    if (!is_tabular(get->output.format) || get->at != NULL) {
        return true;
    }
    if (is_hold) {
        return get_hold_nodes(get->command, &get->session, objects, &get->counts);
    }
    return get->kind->owner != OWNER_NODEGROUP ||
           get_counts(get->command, &get->session, objects, &get->counts);
}

static bool picture(void *arg, uint64_t *out_revision)
{
    struct get *get = arg;
    struct command *command = get->command;
    struct listing objects;
    struct output_data data;

    if (get->is_nodes && get->sort_path == NULL && !args_has(&command->args, FLAG_GET_WATCH)) {
        *out_revision = 0;
        return get_nodes_write(get);
    }
    if (!get_objects_get(get, &objects)) {
        return false;
    }
    *out_revision = objects.revision;
    if (single_write(get, &objects)) {
        return true;
    }
    if (get->kind->owner == OWNER_NODEGROUP && get->at == NULL &&
        !get_groups_effective(command, &get->session, &objects, &get->effective)) {
        return false;
    }
    if (get->kind->owner == OWNER_NODEGROUP && get->at != NULL) {
        get->effective = get_groups_own(command, &objects);
    }
    if (!counts_get(get, &objects)) {
        return false;
    }
    data.objects = objects.items;
    data.object_count = objects.count;
    data.rows = get_rows_make(get, &objects);
    data.row_count = objects.count;
    if (objects.count == 0 && is_tabular(get->output.format) && command->out_style.is_terminal) {
        buf_printf(&command->notes, "no %s\n", get->kind->plural);
        return true;
    }
    output_write(command->arena, &get->output, &command->out_style, &data, &command->out);
    return true;
}

/* ---- the verb ---- */

static bool sort_read(struct get *get)
{
    const char *word = args_value(&get->command->args, FLAG_GET_SORT);
    const struct output_view *view = get->output.view;
    struct err err;

    if (word == NULL && strcmp(get->kind->name, "Job") == 0) {
        word = "-JOB"; /* the newest job first */
    }
    if (word == NULL) {
        return true;
    }
    get->is_turned = word[0] == '-';
    word += get->is_turned ? 1 : 0;
    for (size_t i = 0; i < view->column_count; i++) {
        if (strcasecmp(view->columns[i].title, word) == 0) {
            word = view->columns[i].expression;
        }
    }
    if (strchr(word, '.') == NULL) {
        err_hint(err_list_set(&get->command->errors, (struct place){ 0 }, CODE_R0004,
                              "--sort has no column '%s'", word),
                 "name a column of the table, or a path: --sort .spec.size");
        return false;
    }
    if (!path_parse(
            get->command->arena, text_from(word),
            (struct place){ 1, 1, 1,
                            source_set_add(&get->command->sources, "<--sort>", text_from(word)) },
            (struct path **)&get->sort_path, &err)) {
        err_list_add(&get->command->errors, &err);
        return false;
    }
    return true;
}

/* True if the kind is a record that the controller writes. */
static bool is_get_kept(const struct schema_kind *kind)
{
    return strcmp(kind->name, "Resource") == 0 || strcmp(kind->name, "Hold") == 0 ||
           strcmp(kind->name, "Job") == 0 || strcmp(kind->name, "Node") == 0 ||
           strcmp(kind->name, "Plan") == 0 || strcmp(kind->name, "Volume") == 0;
}

/* Reject flags about labels, past states and changes for users, grants and similar kinds, because
 * the manager has no such data about them. */
static bool people_check(struct get *get)
{
    static const char *const names[] = { "selector", "watch", "at" };
    const struct args *args = &get->command->args;

    for (size_t i = 0; i < ARRAY_COUNT(names) && people_is_kind(get->kind); i++) {
        if (args_named(args, names[i]) != NULL) {
            return err_hint(err_list_set(&get->command->errors, (struct place){ 0 }, CODE_R0005,
                                         "--%s does not apply to %s", names[i], get->kind->plural),
                            "reeve get %s -o json lists all of them", get->kind->plural);
        }
    }
    return true;
}

/* Refuse flags that select machines for other kinds. */
static bool selection_check(struct get *get)
{
    static const char *const names[] = { "group", "state", "failed-of", "revision" };
    const struct args *args = &get->command->args;

    for (size_t i = 0; i < ARRAY_COUNT(names) && !get->is_nodes; i++) {
        if (args_named(args, names[i]) != NULL) {
            return err_hint(err_list_set(&get->command->errors, (struct place){ 0 }, CODE_R0005,
                                         "--%s applies only to nodes, not to %s", names[i],
                                         get->kind->plural),
                            "reeve get nodes --%s %s", names[i], args_named(args, names[i]));
        }
    }
    return true;
}

/* Check the flag -w. Plans cannot be watched, because the manager sends no changes of plans; for
 * machines, the changes of their records are watched. */
static bool watch_check(struct get *get)
{
    bool is_plan = strcmp(get->kind->name, "Plan") == 0;

    if (!args_has(&get->command->args, FLAG_GET_WATCH) ||
        !(is_plan || (get->is_nodes && !get->command->out_style.is_drawn))) {
        return true;
    }
    return err_hint(
        err_list_set(&get->command->errors, (struct place){ 0 }, CODE_R0005,
                     is_plan ? "-w does not apply to plans" : "-w for nodes needs a terminal"),
        is_plan ? "run reeve get plans again"
                : "to print changes as lines: reeve get resources -w");
}

static bool get_flags_check(struct get *get)
{
    const struct args *args = &get->command->args;

    if (!people_check(get) || !selection_check(get) || !watch_check(get)) {
        return false;
    }
    if (args_has(args, FLAG_GET_CLUSTER) && get->kind->owner != OWNER_NODEGROUP &&
        (!is_get_kept(get->kind) || strcmp(get->kind->name, "Plan") == 0)) {
        err_hint(
            err_list_set(
                &get->command->errors, (struct place){ 0 }, CODE_R0005,
                "-c applies to nodegroups, nodes, resources, volumes, holds and jobs, not to %s",
                get->kind->plural),
            "reeve get nodegroups -c %s", args_value(args, FLAG_GET_CLUSTER));
        return false;
    }
    if (get->at != NULL && (get->targets.count == 0 || args_has(args, FLAG_GET_WATCH))) {
        err_hint(
            err_list_set(&get->command->errors, (struct place){ 0 }, CODE_R0005,
                         "--at needs the names of objects; a list shows only the current state"),
            "reeve get cluster shop --at 12; reeve describe shop --history lists revisions");
        return false;
    }
    if (get->targets.count > 0 &&
        (args_has(args, FLAG_GET_SELECTOR) || args_has(args, FLAG_GET_WATCH))) {
        err_hint(err_list_set(&get->command->errors, (struct place){ 0 }, CODE_R0005,
                              "names and %s exclude each other",
                              args_has(args, FLAG_GET_SELECTOR) ? "-l" : "-w"),
                 "leave one of them out");
        return false;
    }
    return true;
}

/* Read records that the controller writes. All records are listed and then selected by name,
 * because records have no documents. Machines are selected by flags. */
static bool get_kept_read(struct get *get)
{
    const struct args *args = &get->command->args;
    struct text word = text_from(args->words[0]);
    const struct schema_kind *kind =
        schema_kind_of_word(text_slice(word, 0, text_find_byte(word, '/')));

    if (kind != NULL && strcmp(kind->name, "Node") == 0) {
        get->is_nodes = true;
    } else if (kind != NULL && strcmp(kind->name, "Plan") == 0) {
        return get_plans_named(get->command, kind, &get->targets);
    } else if (kind != NULL && get_kept_is(kind)) {
        bool is_first = text_find_byte(word, '/') != SIZE_MAX;

        get->kept =
            (struct get_kept){ kind, args->words + !is_first, args->argument_count - !is_first };
    } else {
        return false;
    }
    get->targets = (struct targets){ .kind = kind };
    return true;
}

/* Add a line for users after a table without rows. Other formats of -o have no such line. */
static void empty_report(struct command *command)
{
    const struct args *args = &command->args;
    const char *format = args_value(args, FLAG_GET_OUTPUT);
    struct text word = text_from(args->words[0]);
    const struct schema_kind *kind;

    if (command->out.length > 0 || command->has_written || args_has(args, FLAG_GET_WATCH) ||
        !(format == NULL || strcmp(format, "table") == 0 || strcmp(format, "wide") == 0)) {
        return;
    }
    word = text_slice(word, 0, text_find_byte(word, '/'));
    kind = schema_kind_of_word(word);
    buf_printf(&command->notes, "no %.*s found\n",
               TEXT_ARG(kind == NULL ? word : text_from(kind->plural)));
}

static enum exit_code get_run(struct command *command)
{
    const struct args *args = &command->args;
    struct get get = { .command = command };
    struct live live = { .selector = args_value(args, FLAG_GET_SELECTOR),
                         .draw = picture,
                         .arg = &get };

    if (get_forms_is(command)) {
        return get_forms(command);
    }
    if (get_is_bundles(command)) {
        return get_bundles(command);
    }
    if (get_is_configs(command)) {
        return get_configs(command);
    }
    if (get_is_images(command)) {
        return get_images(command);
    }
    if (get_is_managers(command)) {
        return get_managers(command);
    }
    if (get_is_plugins(command) && !args_has(args, FLAG_GET_BARE)) {
        return get_plugins(command);
    }
    if (!get_kept_read(&get) &&
        !targets_read(command, args->words, args->argument_count, &get.targets)) {
        return EXIT_CODE_USAGE;
    }
    if (args_has(args, FLAG_GET_BARE)) {
        return get_bare_check(command, &get.targets) && session_open(command, &get.session)
                   ? get_bare(command, &get.session, &get.targets)
                   : EXIT_CODE_USAGE;
    }
    get.at = args_value(args, FLAG_GET_AT);
    get.kind = get.targets.count > 0 ? get.targets.items[0].kind : get.targets.kind;
    if (!get_flags_check(&get)) {
        return EXIT_CODE_USAGE;
    }
    if (!get_output_parse(command, get_view_of(get.kind), &get.output)) {
        return EXIT_CODE_USAGE;
    }
    if (!sort_read(&get) || !session_open(command, &get.session)) {
        return EXIT_CODE_USAGE;
    }
    live.kinds = get.is_nodes ? "resource" : get.kind->singular;
    /* without a selector, a change of any machine causes a new request of the list */
    live.selector = get.is_nodes ? NULL : live.selector;
    live.is_jsonl = get.output.format == OUTPUT_JSONL;
    return live_run(command, &get.session, &live, args_has(args, FLAG_GET_WATCH));
}

enum exit_code verb_get(struct command *command)
{
    enum exit_code code = get_run(command);

    if (code == EXIT_CODE_DONE) {
        empty_report(command);
    }
    return code;
}
