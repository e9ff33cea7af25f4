/* reeve describe: shows one object, its groups or values, and its events. */
#include "cli/args/when.h"
#include "cli/change/plan_text.h"
#include "cli/manager/listing.h"
#include "cli/manager/managers.h"
#include "cli/manager/nodes.h"
#include "cli/read/describe_parts.h"
#include "cli/term/flow.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/nest.h"

/* The number of events and revisions that are shown. */
#define DESCRIBE_LAST 10

struct describing {
    struct command *command;
    struct session session;
    struct target target;
    struct doc object;
    struct doc effective;
    struct doc history;
    struct doc managers; /* the manager of the cluster, in the format of managers_get */
};

static bool view_get(struct describing *describing, const char *view, struct doc *out)
{
    struct command *command = describing->command;
    struct text path = session_path(command, describing->target.kind, describing->target.name);

    return session_get(
        command, &describing->session,
        view == NULL ? path : arena_printf(command->arena, "%.*s?view=%s", TEXT_ARG(path), view),
        out);
}

/* Get the effective values of the object. The values of a group are requested through its
 * cluster. */
static bool effective_get(struct describing *describing)
{
    struct arena *arena = describing->command->arena;
    struct target group = describing->target;
    struct text cluster = target_cluster(&group);
    const struct doc *groups;
    bool is_got;

    if (group.kind->owner != OWNER_NODEGROUP) {
        return view_get(describing, "effective", &describing->effective);
    }
    describing->target = (struct target){ schema_kind_find(TEXT("Cluster")), cluster };
    is_got = view_get(describing, "effective", &describing->effective);
    describing->target = group;
    groups = is_got ? doc_child(&describing->effective, "groups") : NULL;
    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        if (text_is_equal(doc_child_text(&groups->items[i], "path"),
                          text_slice(group.name, cluster.length + 1, group.name.length))) {
            struct doc only = doc_list(&groups->items[i], 1, NULL);

            describing->effective = nest_put(arena, &describing->effective, "groups", only);
            describing->effective =
                nest_put(arena, &describing->effective, "values", (struct doc){ 0 });
            describing->effective = nest_put(arena, &describing->effective, "nodes",
                                             *doc_child(&groups->items[i], "size"));
            break;
        }
    }
    return is_got;
}

static void describe_line_write(struct command *command, const char *title, struct text value)
{
    if (value.length > 0) {
        buf_printf(&command->out, "%-10s ", title);
        glyph_write_text(&command->out, value);
        buf_add_string(&command->out, "\n");
    }
}

static void describe_heading_write(struct command *command, const char *title)
{
    buf_add_string(&command->out, "\n");
    style_add(&command->out_style, &command->out, STYLE_STRONG, title);
    buf_add_string(&command->out, "\n");
}

/* Write which manager reconciles the cluster, since when, and the time of the last pass. */
static void describe_manager_write(struct describing *describing)
{
    struct command *command = describing->command;
    const struct doc *clusters = doc_child(&describing->managers, "clusters");
    const struct doc *one =
        doc_is_list(clusters) && clusters->item_count > 0 ? &clusters->items[0] : NULL;
    struct text manager = doc_child_text(one, "manager");
    struct text since = when_format(command, doc_child_text(one, "since"));
    struct text reason = doc_child_text(one, "reason");

    if (one == NULL) {
        return;
    }
    if (!text_is(doc_child_text(one, "assigned"), "true")) {
        describe_line_write(command, "manager",
                            arena_printf(command->arena, "none since %.*s: %.*s", TEXT_ARG(since),
                                         TEXT_ARG(reason)));
    } else if (manager.length == 0) {
        describe_line_write(command, "manager", doc_child_text(&describing->managers, "name"));
    } else {
        describe_line_write(command, "manager",
                            arena_printf(command->arena, "%.*s since %.*s: %.*s", TEXT_ARG(manager),
                                         TEXT_ARG(since), TEXT_ARG(reason)));
    }
    describe_line_write(command, "last pass",
                        when_format(command, doc_child_text(one, "lastPass")));
}

static void describe_head_write(struct describing *describing)
{
    struct command *command = describing->command;
    const struct doc *meta = doc_child(&describing->object, "metadata");
    const struct doc *spec = doc_child(&describing->object, "spec");

    describe_line_write(command, "object", target_format(command->arena, &describing->target));
    describe_line_write(command, "id", doc_child_text(meta, "id"));
    describe_line_write(command, "version", doc_child_text(spec, "version"));
    describe_line_write(command, "revision", doc_child_text(meta, "revision"));
    describe_line_write(command, "created", when_format(command, doc_child_text(meta, "created")));
    describe_line_write(
        command, "changed",
        arena_printf(command->arena, "%.*s by %.*s",
                     TEXT_ARG(when_format(command, doc_child_text(meta, "updated"))),
                     TEXT_ARG(doc_child_text(meta, "by"))));
    describe_line_write(command, "why", doc_child_text(meta, "why"));
    describe_line_write(command, "labels", flow_format(command->arena, doc_child(spec, "labels")));
    describe_line_write(command, "protected", doc_child_text(spec, "protected"));
    describe_manager_write(describing);
}

static void values_write(struct describing *describing)
{
    struct file_plan_summary summary = { 0 };
    struct plan_text text = {
        .plan = NULL,
        .summary = &summary,
        .detail =
            args_has(&describing->command->args, FLAG_DESCRIBE_ORIGIN) ? PLAN_FULL : PLAN_NORMAL,
        .full_flag = "--origin",
    };
    struct doc plan = doc_list(&describing->effective, 1, NULL);

    text.plan = &plan;
    describe_heading_write(describing->command, text.detail == PLAN_FULL
                                                    ? "effective values and their sources"
                                                    : "desired state");
    plan_text_write(describing->command, &text);
}

static void revisions_write(struct describing *describing)
{
    struct command *command = describing->command;
    const struct doc *items = doc_child(&describing->history, "items");

    describe_heading_write(command, "last changes");
    for (size_t i = 0; doc_is_list(items) && i < items->item_count && i < DESCRIBE_LAST; i++) {
        const struct doc *item = &items->items[i];
        struct text why = doc_child_text(item, "why");

        buf_printf(&command->out, "  revision %.*s  %.*s  by %.*s%s",
                   TEXT_ARG(doc_child_text(item, "revision")),
                   TEXT_ARG(when_format(command, doc_child_text(item, "updated"))),
                   TEXT_ARG(doc_child_text(item, "by")), why.length > 0 ? "  " : "");
        glyph_write_text(&command->out, why);
        buf_add_string(&command->out, "\n");
    }
}

static void describe_next_write(struct describing *describing)
{
    struct command *command = describing->command;
    struct text ref = target_format(command->arena, &describing->target);

    describe_heading_write(command, "next");
    buf_printf(&command->out,
               "  %s describe %.*s --origin\n  %s describe %.*s --history\n  %s edit %.*s\n",
               command->program, TEXT_ARG(ref), command->program, TEXT_ARG(ref), command->program,
               TEXT_ARG(ref));
}

static void describe_json_write(struct describing *describing)
{
    struct command *command = describing->command;
    struct doc_builder builder;
    struct doc all;

    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "object", describing->object);
    doc_builder_put(&builder, "effective", describing->effective);
    if (doc_child(&describing->history, "items") != NULL) {
        doc_builder_put(&builder, "history", *doc_child(&describing->history, "items"));
    }
    if (doc_child_count(&describing->managers, "clusters") > 0) {
        doc_builder_put(&builder, "assignment",
                        doc_child(&describing->managers, "clusters")->items[0]);
    }
    all = doc_builder_map(&builder, NULL);
    json_format_pretty(&command->out, &all);
}

/* Read resource shop/web-0, resource/shop/web-0 or node/shop/web-0. *cluster is empty if the
 * machine is given by its name alone. False: the arguments are not a machine. */
static bool describe_node_read(struct command *command, struct text *cluster, struct text *name)
{
    const struct args *args = &command->args;
    struct text word = args->argument_count == 1
                           ? text_from(args->words[0])
                           : arena_printf(command->arena, "%s/%s", args->words[0], args->words[1]);
    struct text first = text_slice(word, 0, text_find_byte(word, '/'));
    const struct schema_kind *kind = schema_kind_of_word(first);

    if (kind == NULL ||
        (!text_is(text_from(kind->name), "Resource") && !text_is(text_from(kind->name), "Node"))) {
        return false;
    }
    word = nodes_word_bare(text_slice(word, first.length + 1, word.length));
    first = text_slice(word, 0, text_find_byte(word, '/'));
    *cluster = first.length == word.length ? TEXT("") : first;
    *name = first.length == word.length ? word : text_slice(word, first.length + 1, word.length);
    return name->length > 0;
}

/* True if CLUSTER/NAME without a kind is a machine. False if a group has this name. */
static bool is_describe_machine(struct describing *describing)
{
    struct command *command = describing->command;
    struct err_list before = command->errors;
    bool has_kind = schema_kind_of_word(
                        text_slice(text_from(command->args.words[0]), 0,
                                   text_find_byte(text_from(command->args.words[0]), '/'))) != NULL;

    if (has_kind || describing->target.kind->owner != OWNER_NODEGROUP ||
        view_get(describing, NULL, &describing->object) ||
        command->errors.items[command->errors.count - 1].code != CODE_R0403) {
        return false;
    }
    command->errors = before;
    return true;
}

/* Check that the format of -o is one that this use of describe supports, because --facts and
 * --history have separate formats. */
static bool describe_flags_check(struct command *command)
{
    const struct args *args = &command->args;
    static const enum flag_id ways[] = { FLAG_DESCRIBE_ORIGIN, FLAG_DESCRIBE_FACTS,
                                         FLAG_DESCRIBE_HISTORY };
    const char *format = args_output(args);
    bool is_list = args_has(args, FLAG_DESCRIBE_HISTORY);
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
        count += args_has(args, ways[i]);
    }
    if (count > 1) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "--origin, --facts and --history exclude each other"),
                        "leave all but one of them out");
    }
    if (is_list || (format == NULL && !args_has(args, FLAG_DESCRIBE_COLS))) {
        return true;
    }
    if (args_has(args, FLAG_DESCRIBE_FACTS) && format != NULL &&
        (strcmp(format, "json") == 0 || strcmp(format, "yaml") == 0)) {
        return true;
    }
    if (!args_has(args, FLAG_DESCRIBE_FACTS) && format != NULL &&
        (strcmp(format, "json") == 0 || strcmp(format, "text") == 0)) {
        return true;
    }
    return err_hint(
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                     format == NULL ? "--cols needs --history" : "-o %s needs --history", format),
        args_has(args, FLAG_DESCRIBE_FACTS) ? "with --facts, the format is json or yaml"
                                            : "without --history, the format is text or json");
}

static enum exit_code machine_describe(struct describing *describing, struct text cluster,
                                       struct text name)
{
    struct command *command = describing->command;
    struct err_list before;
    struct err_list errors;
    struct doc row;

    if (args_has(&command->args, FLAG_DESCRIBE_HISTORY)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "a machine has no revisions"),
                 "its events: reeve events node/%.*s%s%.*s", TEXT_ARG(cluster),
                 cluster.length > 0 ? "/" : "", TEXT_ARG(name));
        return EXIT_CODE_USAGE;
    }
    before = command->errors;
    if (nodes_memory_ask(command, &describing->session, name, &cluster)) {
        return describe_node(command, &describing->session, cluster, name);
    }
    /* no member has this name, but a machine that waits in the inventory may have it */
    errors = command->errors;
    command->errors = before;
    if (cluster.length == 0 && describe_discovered_get(command, &describing->session, name, &row)) {
        return describe_discovered(command, &row);
    }
    command->errors = errors;
    return EXIT_CODE_USAGE;
}

/* True if the words are the id of a discovered machine, m- and six hex digits. *out is then its
 * row. */
static bool describe_id_read(struct describing *describing, struct doc *out)
{
    const struct args *args = &describing->command->args;
    struct text word = text_from(args->words[0]);
    bool is_id = args->argument_count == 1 && word.length == 8 && text_has_prefix(word, TEXT("m-"));

    for (size_t i = 2; is_id && i < word.length; i++) {
        is_id = strchr("0123456789abcdef", word.data[i]) != NULL;
    }
    return is_id && !args_has(args, FLAG_DESCRIBE_HISTORY) &&
           !args_has(args, FLAG_DESCRIBE_ORIGIN) &&
           describe_discovered_get(describing->command, &describing->session, word, out);
}

static enum exit_code object_describe(struct describing *describing)
{
    struct command *command = describing->command;

    if (!view_get(describing, NULL, &describing->object) || !effective_get(describing) ||
        !view_get(describing, "history", &describing->history)) {
        return EXIT_CODE_NOT_FOUND;
    }
    if (describing->target.kind->owner == OWNER_CLUSTER &&
        !managers_get(command, &describing->session, describing->target.name,
                      &describing->managers)) {
        return EXIT_CODE_FAILED;
    }
    if (command_output_is(command, "json")) {
        describe_json_write(describing);
        return EXIT_CODE_DONE;
    }
    describe_head_write(describing);
    values_write(describing);
    if (!args_has(&command->args, FLAG_DESCRIBE_ORIGIN)) {
        revisions_write(describing);
        describe_next_write(describing);
    }
    command_fold(command, 0);
    return EXIT_CODE_DONE;
}

enum exit_code verb_describe(struct command *command)
{
    const struct args *args = &command->args;
    struct describing describing = { .command = command };
    struct text cluster;
    struct text name;
    struct doc row;

    if (!describe_flags_check(command)) {
        return EXIT_CODE_USAGE;
    }
    if (args_has(args, FLAG_DESCRIBE_FACTS)) {
        return session_open(command, &describing.session)
                   ? describe_facts(command, &describing.session)
                   : EXIT_CODE_USAGE;
    }
    if (describe_node_read(command, &cluster, &name)) {
        return session_open(command, &describing.session)
                   ? machine_describe(&describing, cluster, name)
                   : EXIT_CODE_USAGE;
    }
    if (!target_read(command, args->words, args->argument_count, &describing.target) ||
        !session_open(command, &describing.session)) {
        return EXIT_CODE_USAGE;
    }
    if (describe_id_read(&describing, &row)) {
        return describe_discovered(command, &row);
    }
    if (is_describe_machine(&describing)) {
        cluster = target_cluster(&describing.target);
        name =
            text_slice(describing.target.name, cluster.length + 1, describing.target.name.length);
        return machine_describe(&describing, cluster, name);
    }
    return args_has(args, FLAG_DESCRIBE_HISTORY)
               ? describe_history(command, &describing.session, &describing.target)
               : object_describe(&describing);
}
