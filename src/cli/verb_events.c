/* reeve events and reeve history: what happened, in its order; who, when, why. */
#include "base/time.h"
#include "cli/moment.h"
#include "cli/nodes.h"
#include "cli/output.h"
#include "cli/plan_writer.h"
#include "cli/target.h"
#include "cli/watch.h"
#include "cli/when.h"
#include "sys/interrupt.h"

#include <string.h>

static const struct output_column event_columns[] = {
    { "TIME", ".when", OUTPUT_KEEP, false },
    { "NUMBER", ".number", OUTPUT_KEEP, true }, /* of its cluster: reeve why event/CLUSTER/NUMBER */
    { "TYPE", ".type", OUTPUT_KEEP, false },
    { "OBJECT", ".about", OUTPUT_KEEP, false },
    { "ACTOR", ".actor", OUTPUT_DROP, false },
    { "WHY", ".because", OUTPUT_DROP, false },
    { "REVISION", ".revision", OUTPUT_DROP, true },
    { "SUMS", ".sums", OUTPUT_WIDE, false },
};
static const struct output_view event_view = { "{eventRef}", event_columns,
                                               ARRAY_COUNT(event_columns) };

static const struct output_column history_columns[] = {
    { "REVISION", ".revision", OUTPUT_KEEP, true },
    { "TIME", ".when", OUTPUT_KEEP, false },
    { "BY", ".by", OUTPUT_KEEP, false },
    { "WHAT", ".what", OUTPUT_KEEP, false },
    { "WHY", ".why", OUTPUT_DROP, false },
};
static const struct output_view history_view = { "{revision}", history_columns,
                                                 ARRAY_COUNT(history_columns) };

/* What a person on a terminal gets who has not said how much. */
enum { EVENTS_ON_TERMINAL = 50, EVENTS_BEFORE_FOLLOWING = 10 };

#define NODE_USE "reeve events node/shop/web-0"

/* One run of events. */
struct log {
    struct command *command;
    struct session session;
    struct target target; /* name empty: everything of the tenant */
    struct text node;     /* of the cluster that is the target; empty: all that happened there */
    size_t found;         /* so many were about it, whatever their types and times */
    struct output output;
    const char *type; /* NULL: any */
    int64_t after;    /* number, or revision without a cluster */
    int64_t since_ms; /* wall time; INT64_MIN: any */
    int64_t since_revision;
    size_t last; /* so many of the newest, of what was there before; SIZE_MAX: all */
    size_t left_out;
    bool is_following;
    int64_t listed_revision; /* all that happened up to here was listed */
    struct text row;         /* of what is followed, as events name it; empty: everything */
    int64_t told_revision;   /* of the newest event that came */
    size_t told_count;       /* so many came of that revision, */
    size_t told_again;       /* of which so many come a second time, for the stream broke */
};

/* ---- rows ---- */

static struct text event_ref(struct arena *arena, const struct doc *event)
{
    const struct schema_kind *kind = schema_kind_find(plan_child_text(event, "kind"));

    return arena_printf(arena, "%s/%.*s", kind == NULL ? "object" : kind->singular,
                        TEXT_ARG(plan_child_text(event, "name")));
}

/* As reeve why takes it: event/shop/12. Of what belongs to no cluster nobody asks, and it is known by its object. */
static struct text event_name(struct arena *arena, const struct doc *event)
{
    struct text name = plan_child_text(event, "name");
    struct text cluster = text_slice(name, 0, text_find_byte(name, '/'));
    struct text kind = plan_child_text(event, "kind");

    if (!text_is(kind, "Cluster") && !text_is(kind, "NodeGroup")) {
        return event_ref(arena, event);
    }
    return arena_printf(arena, "event/%.*s/%lld", TEXT_ARG(cluster),
                        (long long)plan_child_number(event, "number"));
}

/* The machine or the group that it happened to, where it was one of them; else the object. */
static struct text event_about(struct arena *arena, const struct doc *event)
{
    struct text node = plan_child_text(event, "node");
    struct text group = plan_child_text(event, "group");
    struct text name = plan_child_text(event, "name");

    if (node.length > 0) {
        return arena_printf(arena, "node/%.*s/%.*s", TEXT_ARG(name), TEXT_ARG(node));
    }
    if (group.length > 0 && text_is(plan_child_text(event, "kind"), "Cluster")) {
        return arena_printf(arena, "nodegroup/%.*s/%.*s", TEXT_ARG(name), TEXT_ARG(group));
    }
    return event_ref(arena, event);
}

/* What a person said; of what reeve decided, the rule and the fact. */
static struct text event_because(struct arena *arena, const struct doc *event)
{
    struct text why = plan_child_text(event, "why");
    struct text rule = plan_child_text(event, "rule");
    struct text fact = plan_child_text(event, "fact");

    if (why.length > 0) {
        return why;
    }
    return arena_printf(arena, "%.*s%s%.*s", TEXT_ARG(rule),
                        rule.length > 0 && fact.length > 0 ? ": " : "", TEXT_ARG(fact));
}

static struct doc event_row(struct command *command, const struct doc *event)
{
    struct doc_builder row;

    doc_builder_init(&row, command->arena);
    for (size_t i = 0; i < event->entry_count; i++) {
        doc_builder_add(&row, &event->entries[i]);
    }
    doc_builder_put(&row, "eventRef", doc_text(event_name(command->arena, event), NULL));
    doc_builder_put(&row, "ref", doc_text(event_ref(command->arena, event), NULL));
    doc_builder_put(&row, "about", doc_text(event_about(command->arena, event), NULL));
    if (event_because(command->arena, event).length > 0) {
        doc_builder_put(&row, "because", doc_text(event_because(command->arena, event), NULL));
    }
    doc_builder_put(&row, "when",
                    doc_text(when_format(command, plan_child_text(event, "time")), NULL));
    return doc_builder_map(&row, NULL);
}

/* Did it happen to that group, to one inside it, or to a machine of theirs? */
static bool is_of_group(const struct doc *event, struct text target)
{
    struct text group = plan_child_text(event, "group");
    struct text cluster = text_slice(target, 0, text_find_byte(target, '/'));
    struct text path = text_slice(target, cluster.length + 1, target.length);

    return text_is_equal(plan_child_text(event, "name"), cluster) && text_has_prefix(group, path) &&
           (group.length == path.length || group.data[path.length] == '/');
}

/* Those of a cluster tell of it, of its groups and of its machines. */
static bool is_about_target(const struct log *log, const struct doc *event)
{
    struct text target = log->target.name;

    if (log->node.length > 0) {
        return text_is_equal(plan_child_text(event, "node"), log->node);
    }
    if (target.length == 0 || log->target.kind->owner == OWNER_CLUSTER) {
        return true;
    }
    return text_is_equal(plan_child_text(event, "name"), target) ||
           (log->target.kind->owner == OWNER_NODEGROUP && is_of_group(event, target));
}

static bool is_wanted(struct log *log, const struct doc *event)
{
    int64_t time_ms;

    if (!is_about_target(log, event)) {
        return false;
    }
    log->found++;
    if (log->type != NULL && !text_is(plan_child_text(event, "type"), log->type)) {
        return false;
    }
    return plan_child_number(event, "revision") > log->since_revision &&
           (log->since_ms == INT64_MIN || !time_parse(plan_child_text(event, "time"), &time_ms) ||
            time_ms >= log->since_ms);
}

static void events_write(struct log *log, const struct doc *items)
{
    struct arena *arena = log->command->arena;
    struct doc *objects = arena_array(arena, struct doc, items->item_count);
    struct doc *rows = arena_array(arena, struct doc, items->item_count);
    struct output_data data = { objects, 0, rows, 0 };

    for (size_t i = 0; i < items->item_count; i++) {
        if (is_wanted(log, &items->items[i])) {
            objects[data.object_count++] = items->items[i];
            rows[data.row_count++] = event_row(log->command, &items->items[i]);
        }
    }
    if (data.row_count > log->last) {
        log->left_out = data.row_count - log->last;
        data = (struct output_data){ objects + log->left_out, log->last, rows + log->left_out,
                                     log->last };
    }
    if (data.row_count > 0 || !log->is_following) {
        output_write(arena, &log->output, &log->command->out_style, &data, &log->command->out);
        log->output.is_continued = true;
    }
}

/* ---- asking ---- */

/* Events as they are gathered: of one cluster, or of the whole tenant. */
struct gathered {
    struct doc *items;
    size_t count;
    size_t room;
};

static void gathered_add(struct log *log, struct gathered *all, const struct doc *items)
{
    size_t wanted = all->count + items->item_count;

    if (wanted > all->room) {
        size_t room = wanted + all->room;

        all->items = arena_grow(log->command->arena, all->items, all->room * sizeof(*all->items),
                                room * sizeof(*all->items));
        all->room = room;
    }
    for (size_t i = 0; i < items->item_count; i++) {
        all->items[all->count++] = items->items[i];
    }
}

/* One log, page by page: of a cluster, or (empty) of the whole tenant. */
static bool log_get(struct log *log, struct text cluster, int64_t *after, struct gathered *out)
{
    struct command *command = log->command;
    bool has_more = true;

    while (has_more) {
        const struct doc *items;
        struct doc page;
        struct buf path;

        buf_init(&path, command->arena);
        buf_printf(&path, "/v1/events?after=%lld&limit=%d", (long long)*after, LIMIT_EVENTS_PAGE);
        if (cluster.length > 0) {
            buf_add_string(&path, "&cluster=");
            client_path_add(&path, cluster);
        }
        if (!session_get(command, &log->session, buf_text(&path), &page)) {
            return false;
        }
        log->listed_revision = plan_child_number(&page, "revision");
        items = doc_child(&page, "items");
        has_more = text_is(plan_child_text(&page, "more"), "true") && doc_is_list(items) &&
                   items->item_count > 0;
        if (doc_is_list(items) && items->item_count > 0) {
            gathered_add(log, out, items);
            *after = plan_child_number(&items->items[items->item_count - 1],
                                       cluster.length > 0 ? "number" : "revision");
        }
    }
    return true;
}

/* Everything of the tenant, in order of revision. */
static bool tenant_get(struct log *log, struct gathered *out)
{
    int64_t after = log->since_revision > 0 ? log->since_revision : 0;

    return log_get(log, TEXT(""), &after, out);
}

/* The row of events that a cluster has: its own say it; one without any is asked for its id. */
static bool row_find(struct log *log, const struct gathered *all)
{
    struct command *command = log->command;
    const struct schema_kind *kind = schema_kind_find(TEXT("Cluster"));
    struct doc cluster;

    if (all->count > 0) {
        log->row = plan_child_text(&all->items[0], "cluster");
        return true;
    }
    if (!session_get(command, &log->session,
                     session_path(command, kind, target_cluster(&log->target)), &cluster)) {
        return false;
    }
    log->row = arena_printf(command->arena, "%.*s/%.*s",
                            TEXT_ARG(plan_child_text(doc_child(&cluster, "metadata"), "tenant")),
                            TEXT_ARG(plan_child_text(doc_child(&cluster, "metadata"), "id")));
    return true;
}

/* Is it there, of which nothing is known? A machine without any event was never asked for. */
static bool target_check(struct log *log)
{
    struct command *command = log->command;
    struct text name = log->target.name;
    struct doc ignored;

    if (log->node.length > 0) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                                     "nothing has happened to a machine '%.*s' in %.*s",
                                     TEXT_ARG(log->node), TEXT_ARG(name)),
                        "reeve get nodes -c %.*s lists what there is", TEXT_ARG(name));
    }
    return session_get(command, &log->session, session_path(command, log->target.kind, name),
                       &ignored);
}

/* What has happened until now. */
static bool events_list(struct log *log)
{
    bool is_of_cluster = log->target.name.length > 0 && target_has_cluster(&log->target);
    struct gathered all = { 0 };
    struct doc list;

    if (is_of_cluster ? !log_get(log, target_cluster(&log->target), &log->after, &all)
                      : !tenant_get(log, &all)) {
        return false;
    }
    if (is_of_cluster && log->is_following && !row_find(log, &all)) {
        return false;
    }
    list = doc_list(all.items, all.count, NULL);
    if (!log->is_following || all.count > 0) {
        events_write(log, &list);
    }
    return log->found > 0 || log->is_following || log->target.name.length == 0 || target_check(log);
}

/* ---- following ---- */

/* Events of one revision come together, and again from the first of them where the stream broke in between. */
static bool is_told_again(struct log *log, const struct doc *event)
{
    int64_t revision = plan_child_number(event, "revision");

    if (revision != log->told_revision) {
        log->told_revision = revision;
        log->told_count = 0;
        log->told_again = 0;
    }
    if (log->told_again > 0) {
        log->told_again--;
        return true;
    }
    log->told_count++;
    return false;
}

static bool event_take(void *arg, struct text type, const struct doc *event)
{
    struct log *log = arg;
    struct command *command = log->command;
    struct arena_mark mark = arena_mark(command->arena);
    struct doc item = *event;
    struct doc list = doc_list(&item, 1, NULL);

    if (text_is(type, "hello")) {
        log->told_again = log->told_count;
        return true;
    }
    if (!text_is(type, "event") || is_told_again(log, event) ||
        (log->row.length > 0 && !text_is_equal(plan_child_text(event, "cluster"), log->row))) {
        return true;
    }
    events_write(log, &list);
    command_flush(command);
    arena_rewind(command->arena, mark); /* it may go on for days */
    buf_init(&command->out, command->arena);
    buf_init(&command->notes, command->arena);
    return true;
}

static enum exit_code follow(struct log *log)
{
    struct watch watch = { .kinds = "event",
                           .from = (uint64_t)log->listed_revision,
                           .deadline_ms = session_deadline(log->command, &log->session),
                           .change = event_take,
                           .arg = log };
    struct err_list before = log->command->errors;
    bool is_over;
    bool is_good;

    interrupt_expect(INTERRUPT_READING);
    command_flush(log->command);
    buf_init(&log->command->out, log->command->arena);
    buf_init(&log->command->notes, log->command->arena);
    is_good = watch_run(log->command, &log->session, &watch, &is_over);
    /* A right to the cluster that is followed is enough; but only as long as that is there, so it is not tried first. */
    if (!is_good && log->row.length > 0 && watch_is_refused(log->command, &before)) {
        log->command->errors = before;
        watch.cluster = target_cluster(&log->target);
        is_good = watch_run(log->command, &log->session, &watch, &is_over);
    }
    return is_good ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}

/* 10m, a time, or a revision */
static bool since_read(struct log *log, const char *word)
{
    log->since_ms = INT64_MIN;
    log->since_revision = -1;
    if (word == NULL) {
        return true;
    }
    if (!moment_read(log->command, "--since", word, &log->since_revision, &log->since_ms)) {
        return false;
    }
    if (log->since_revision >= 0) {
        log->since_ms = INT64_MIN;
    }
    return true;
}

/* How many of the newest: as it is said; on a terminal, unless it is said, about a screen. */
static bool last_read(struct log *log)
{
    const struct args *args = &log->command->args;
    const char *word = args_value(args, FLAG_EVENTS_LAST);
    int64_t last = 0;

    log->last = SIZE_MAX;
    if (word != NULL) {
        if (!text_parse_int64(text_from(word), &last) || last < 0) {
            err_hint(err_list_set(&log->command->errors, (struct place){ 0 }, CODE_R0005,
                                  "'%s' is no number of events", word),
                     "write how many of the newest: reeve events -n 20");
            return false;
        }
        log->last = (size_t)last;
    } else if (log->command->out_style.is_terminal && !args_has(args, FLAG_EVENTS_SINCE) &&
               log->output.format == OUTPUT_TABLE) {
        log->last = log->is_following ? EVENTS_BEFORE_FOLLOWING : EVENTS_ON_TERMINAL;
    }
    return true;
}

/* Those that nobody asked to leave out are at least counted. */
static void left_out_tell(const struct log *log)
{
    if (log->left_out > 0 && !args_has(&log->command->args, FLAG_EVENTS_LAST)) {
        buf_printf(&log->command->notes, "%zu earlier event%s: reeve events -n N, or --since 1d\n",
                   log->left_out, plan_plural((int64_t)log->left_out));
    }
}

/* node/CLUSTER/NODE, as the table has it, or node CLUSTER/NODE. */
static bool node_read(struct log *log)
{
    const struct args *args = &log->command->args;
    const char *slash = strchr(args->words[0], '/');
    const char *word = args->words[args->word_count - 1];

    if (args->word_count != (slash == NULL ? 2 : 1)) {
        return err_hint(err_list_set(&log->command->errors, (struct place){ 0 }, CODE_R0005,
                                     "events needs the name of one machine"),
                        "write its cluster and its name: " NODE_USE);
    }
    if (slash != NULL) {
        word = slash + 1;
    }
    log->target.kind = schema_kind_find(TEXT("Cluster"));
    return nodes_word_read(log->command, word, NODE_USE, &log->target.name, &log->node) &&
           (log->target.name.length > 0 ||
            err_hint(err_list_set(&log->command->errors, (struct place){ 0 }, CODE_R0005,
                                  "'%s' does not say whose machine it is", word),
                     "write its cluster and its name: " NODE_USE));
}

static bool target_words_read(struct log *log)
{
    const struct args *args = &log->command->args;
    const struct schema_kind *kind;
    struct text first;

    if (args->word_count == 0) {
        return true;
    }
    first = text_from(args->words[0]);
    kind = schema_kind_of_word(text_slice(first, 0, text_find_byte(first, '/')));
    if (kind != NULL && strcmp(kind->name, "Node") == 0) {
        return node_read(log);
    }
    return target_read(log->command, args->words, args->word_count, &log->target);
}

enum exit_code verb_events(struct command *command)
{
    const struct args *args = &command->args;
    struct log log = { .command = command,
                       .type = args_value(args, FLAG_EVENTS_TYPE),
                       .is_following = args_has(args, FLAG_EVENTS_FOLLOW) };
    struct err err;

    if (!since_read(&log, args_value(args, FLAG_EVENTS_SINCE)) || !target_words_read(&log)) {
        return EXIT_CODE_USAGE;
    }
    if (!output_parse(command->arena, args_value(args, FLAG_EVENTS_OUTPUT),
                      args_value(args, FLAG_EVENTS_COLS), OUTPUT_TABLE, &event_view,
                      &command->sources, &log.output, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_USAGE;
    }
    if (!last_read(&log)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &log.session) || !events_list(&log)) {
        return EXIT_CODE_FAILED;
    }
    log.last = SIZE_MAX; /* what comes now is new */
    left_out_tell(&log);
    return log.is_following ? follow(&log) : EXIT_CODE_DONE;
}

/* ---- history ---- */

static struct doc history_row(struct command *command, const struct doc *revision, bool is_first)
{
    struct doc_builder row;
    struct text what = text_is(plan_child_text(revision, "deleted"), "true") ? TEXT("deleted")
                       : is_first                                            ? TEXT("created")
                                                                             : TEXT("changed");

    doc_builder_init(&row, command->arena);
    for (size_t i = 0; i < revision->entry_count; i++) {
        doc_builder_add(&row, &revision->entries[i]);
    }
    doc_builder_put(&row, "what", doc_text(what, NULL));
    doc_builder_put(&row, "when",
                    doc_text(when_format(command, plan_child_text(revision, "updated")), NULL));
    return doc_builder_map(&row, NULL);
}

enum exit_code verb_history(struct command *command)
{
    const struct args *args = &command->args;
    const struct doc *items;
    struct output_data data;
    struct output output;
    struct session session;
    struct target target;
    struct doc history;
    struct doc *rows;
    struct err err;

    if (!target_read(command, args->words, args->word_count, &target)) {
        return EXIT_CODE_USAGE;
    }
    if (!output_parse(command->arena, args_value(args, FLAG_HISTORY_OUTPUT),
                      args_value(args, FLAG_HISTORY_COLS), OUTPUT_TABLE, &history_view,
                      &command->sources, &output, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session) ||
        !session_get(command, &session,
                     arena_printf(command->arena, "%.*s?view=history",
                                  TEXT_ARG(session_path(command, target.kind, target.name))),
                     &history)) {
        return EXIT_CODE_FAILED;
    }
    items = doc_child(&history, "items");
    if (!doc_is_list(items)) {
        return EXIT_CODE_DONE;
    }
    rows = arena_array(command->arena, struct doc, items->item_count);
    for (size_t i = 0; i < items->item_count; i++) {
        rows[i] = history_row(command, &items->items[i],
                              plan_child_number(&items->items[i], "generation") == 1);
    }
    data = (struct output_data){ items->items, items->item_count, rows, items->item_count };
    output_write(command->arena, &output, &command->out_style, &data, &command->out);
    return EXIT_CODE_DONE;
}
