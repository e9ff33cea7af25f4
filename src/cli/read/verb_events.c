/* reeve events: lists events in chronological order, with author, time and reason. */
#include "base/time.h"
#include "cli/args/paged.h"
#include "cli/args/target.h"
#include "cli/args/when.h"
#include "cli/manager/moment.h"
#include "cli/manager/nodes.h"
#include "cli/manager/watch.h"
#include "codec/doc_child.h"
#include "sys/interrupt.h"

#include <string.h>

static const struct output_column event_columns[] = {
    { "TIME", ".when", OUTPUT_KEEP, false },
    /* the number of the event in its cluster, for reeve why event/CLUSTER/NUMBER */
    { "NUMBER", ".number", OUTPUT_KEEP, true },
    { "TYPE", ".type", OUTPUT_KEEP, false },
    { "OBJECT", ".about", OUTPUT_KEEP, false },
    { "ACTOR", ".actor", OUTPUT_DROP, false },
    { "WHY", ".because", OUTPUT_DROP, false },
    { "REVISION", ".revision", OUTPUT_DROP, true },
    { "SUMS", ".sums", OUTPUT_WIDE, false },
};
static const struct output_view event_view = { "{eventRef}", event_columns,
                                               ARRAY_COUNT(event_columns) };

/* The default number of events on a terminal, without and with -w. */
enum { EVENTS_ON_TERMINAL = 50, EVENTS_BEFORE_FOLLOWING = 10 };

#define NODE_USE "reeve events node/shop/web-0"

/* One run of events. */
struct log {
    struct command *command;
    struct session session;
    struct target target; /* name empty: all events of the tenant */
    struct text node;     /* a node of the target cluster; empty: all events of the cluster */
    /* The id of a machine of the inventory: its events in the inventory and as a member of every
     * cluster (C35); empty: none is given. */
    struct text machine;
    size_t found; /* number of events about the target, of any type */
    struct output output;
    const char *type; /* type of the events; NULL: any */
    int64_t since_ms; /* wall time; INT64_MIN: any */
    int64_t since_revision;
    size_t last; /* number of newest past events to show; SIZE_MAX: all */
    bool is_following;
    /* There are earlier events that -n left out. */
    bool has_earlier;
    int64_t listed_revision;   /* all events up to this revision were listed; 0: none were listed */
    struct text row;           /* id of the followed object, as in events; empty: everything */
    int64_t reported_revision; /* revision of the newest event that arrived */
    size_t reported_count;     /* number of events of that revision that arrived */
    /* number of events that the stream repeats after it broke */
    size_t reported_again;
};

/* ---- rows ---- */

static struct text event_ref(struct arena *arena, const struct doc *event)
{
    const struct schema_kind *kind = schema_kind_find(doc_child_text(event, "kind"));

    return arena_printf(arena, "%s/%.*s", kind == NULL ? "object" : kind->singular,
                        TEXT_ARG(doc_child_text(event, "name")));
}

/* Return the name that reeve why accepts: event/shop/12. reeve why does not accept events without a
 * cluster; their name is the name of their object. */
static struct text events_name(struct arena *arena, const struct doc *event)
{
    struct text name = doc_child_text(event, "name");
    struct text cluster = text_slice(name, 0, text_find_byte(name, '/'));
    struct text kind = doc_child_text(event, "kind");

    if (!text_is(kind, "Cluster") && !text_is(kind, "NodeGroup")) {
        return event_ref(arena, event);
    }
    return arena_printf(arena, "event/%.*s/%lld", TEXT_ARG(cluster),
                        (long long)doc_child_number(event, "number"));
}

/* Return the machine or group of the event, if it has one, or else the object. */
static struct text event_about(struct arena *arena, const struct doc *event)
{
    struct text node = doc_child_text(event, "node");
    struct text group = doc_child_text(event, "group");
    struct text name = doc_child_text(event, "name");

    if (node.length > 0) {
        return arena_printf(arena, "node/%.*s/%.*s", TEXT_ARG(name), TEXT_ARG(node));
    }
    if (group.length > 0 && text_is(doc_child_text(event, "kind"), "Cluster")) {
        return arena_printf(arena, "nodegroup/%.*s/%.*s", TEXT_ARG(name), TEXT_ARG(group));
    }
    return event_ref(arena, event);
}

/* Return the reason of the event: the user's message, or for a decision of reeve the rule and the
 * fact. */
static struct text event_because(struct arena *arena, const struct doc *event)
{
    struct text why = doc_child_text(event, "why");
    struct text rule = doc_child_text(event, "rule");
    struct text fact = doc_child_text(event, "fact");

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
    doc_builder_put(&row, "eventRef", doc_text(events_name(command->arena, event), NULL));
    doc_builder_put(&row, "ref", doc_text(event_ref(command->arena, event), NULL));
    doc_builder_put(&row, "about", doc_text(event_about(command->arena, event), NULL));
    if (event_because(command->arena, event).length > 0) {
        doc_builder_put(&row, "because", doc_text(event_because(command->arena, event), NULL));
    }
    doc_builder_put(&row, "when",
                    doc_text(when_format(command, doc_child_text(event, "time")), NULL));
    return doc_builder_map(&row, NULL);
}

/* True if the event is about this group, a group inside it, or a machine of these. */
static bool is_events_of_group(const struct doc *event, struct text target)
{
    struct text group = doc_child_text(event, "group");
    struct text cluster = text_slice(target, 0, text_find_byte(target, '/'));
    struct text path = text_slice(target, cluster.length + 1, target.length);

    return text_is_equal(doc_child_text(event, "name"), cluster) && text_has_prefix(group, path) &&
           (group.length == path.length || group.data[path.length] == '/');
}

/* True if the event is about the target. For a cluster, this includes events of its groups and
 * machines. */
static bool is_about_target(const struct log *log, const struct doc *event)
{
    struct text target = log->target.name;

    if (log->machine.length > 0) {
        return text_is_equal(doc_child_text(event, "id"), log->machine);
    }
    if (log->node.length > 0) {
        return text_is_equal(doc_child_text(event, "node"), log->node);
    }
    if (target.length == 0 || log->target.kind->owner == OWNER_CLUSTER) {
        return true;
    }
    return text_is_equal(doc_child_text(event, "name"), target) ||
           (log->target.kind->owner == OWNER_NODEGROUP && is_events_of_group(event, target));
}

/* True if the event passes the filters. The manager applies --since; followed events are always
 * new. */
static bool is_events_wanted(struct log *log, const struct doc *event)
{
    if (!is_about_target(log, event)) {
        return false;
    }
    log->found++;
    return log->type == NULL || text_is(doc_child_text(event, "type"), log->type);
}

/* Return the events of a list that pass the filters, except the first `skip` of them. */
static struct output_data events_pick(struct log *log, const struct doc *items, size_t *skip)
{
    struct arena *arena = log->command->arena;
    size_t count = doc_is_list(items) ? items->item_count : 0;
    struct doc *objects = arena_array(arena, struct doc, count);
    struct doc *rows = arena_array(arena, struct doc, count);
    struct output_data data = { objects, 0, rows, 0 };

    for (size_t i = 0; i < count; i++) {
        if (!is_events_wanted(log, &items->items[i])) {
            continue;
        }
        if (*skip > 0) {
            (*skip)--;
            continue;
        }
        objects[data.object_count++] = items->items[i];
        rows[data.row_count++] = event_row(log->command, &items->items[i]);
    }
    return data;
}

/* ---- asking ---- */

/* The position of a page of events: the oldest events after a place, or the newest before one. A
 * place is the number of an event in its cluster, or a revision of the tenant. */
struct page {
    int64_t after;
    /* Read the newest events before `before` (0: the newest of all), not the oldest after
     * `after`. */
    bool is_newest;
    int64_t before;
    size_t count;
    /* Apply --since, if it was given. */
    bool is_since;
    /* Out: the items of the page, and whether it has more. */
    struct doc items;
    bool has_more;
};

static bool is_events_of_cluster(const struct log *log)
{
    return log->target.name.length > 0 && target_has_cluster(&log->target);
}

static int64_t event_place(const struct log *log, const struct doc *event)
{
    return doc_child_number(event, is_events_of_cluster(log) ? "number" : "revision");
}

static void since_add(const struct log *log, struct buf *path)
{
    char time[TIME_TEXT_BYTES];

    if (log->since_revision > 0) {
        buf_printf(path, "&since=%lld", (long long)log->since_revision);
    } else if (log->since_ms > 0) {
        time_format(log->since_ms, time);
        buf_printf(path, "&since=%s", time);
    }
}

static bool events_page_get(struct log *log, struct page *page)
{
    struct command *command = log->command;
    const struct doc *items;
    struct doc answer;
    struct buf path;

    buf_init(&path, command->arena);
    if (page->is_newest) {
        buf_printf(&path, "/v1/events?last=%zu&before=%lld", page->count, (long long)page->before);
    } else {
        buf_printf(&path, "/v1/events?limit=%zu&after=%lld", page->count, (long long)page->after);
    }
    if (page->is_since) {
        since_add(log, &path);
    }
    if (is_events_of_cluster(log)) {
        buf_add_string(&path, "&cluster=");
        client_path_add(&path, target_cluster(&log->target));
    }
    if (!session_get(command, &log->session, buf_text(&path), &answer)) {
        return false;
    }
    items = doc_child(&answer, "items");
    page->items = doc_is_list(items) ? *items : doc_list(NULL, 0, NULL);
    page->has_more = text_is(doc_child_text(&answer, "more"), "true") && page->items.item_count > 0;
    if (!page->is_newest || log->listed_revision == 0) {
        log->listed_revision = doc_child_number(&answer, "revision");
    }
    return true;
}

/* ---- past events ---- */

/* Write all events after position `after` that pass the filters, except the first `skip` of them,
 * up to a position (0: up to the newest). */
static bool events_forward(struct log *log, struct paged *paged, int64_t after, size_t skip,
                           int64_t until)
{
    struct page page = { .after = after, .count = LIMIT_EVENTS_PAGE, .is_since = after == 0 };
    bool is_last = false;

    while (!is_last) {
        struct output_data data;

        if (!events_page_get(log, &page)) {
            return false;
        }
        if (page.items.item_count > 0) {
            page.after = event_place(log, &page.items.items[page.items.item_count - 1]);
        }
        is_last = !page.has_more || (until > 0 && page.after >= until);
        data = events_pick(log, &page.items, &skip);
        if (!log->is_following || data.row_count > 0 || paged->row_count > 0) {
            paged_write(paged, &data, is_last);
        }
        page.is_since = false;
        paged_next(paged);
    }
    return true;
}

static size_t events_wanted_count(struct log *log, const struct doc *items)
{
    size_t count = 0;

    for (size_t i = 0; i < items->item_count; i++) {
        count += is_events_wanted(log, &items->items[i]);
    }
    return count;
}

/* Write the newest log->last events. Read pages backwards until enough events are found; if that
 * takes several pages, read forwards again from there. */
static bool events_newest(struct log *log, struct paged *paged)
{
    struct page page = { .is_newest = true, .is_since = true, .count = LIMIT_EVENTS_PAGE };
    size_t count = 0;
    size_t skip;
    int64_t until = 0;
    int64_t first = 0;

    if (log->type == NULL && log->node.length + log->machine.length == 0 &&
        log->last < LIMIT_EVENTS_PAGE) {
        page.count = log->last == 0 ? 1 : log->last;
    }
    for (bool is_first = true;; is_first = false) {
        if (!events_page_get(log, &page)) {
            return false;
        }
        count += events_wanted_count(log, &page.items);
        skip = count > log->last ? count - log->last : 0;
        log->has_earlier = page.has_more || skip > 0;
        if (page.items.item_count > 0) {
            first = event_place(log, &page.items.items[0]);
            until =
                is_first ? event_place(log, &page.items.items[page.items.item_count - 1]) : until;
        }
        if (is_first && (!page.has_more || count >= log->last)) {
            struct output_data data = events_pick(log, &page.items, &skip);

            if (!log->is_following || data.row_count > 0) {
                paged_write(paged, &data, true);
            }
            return true;
        }
        page.before = first;
        paged_next(paged);
        if (!page.has_more || count >= log->last) {
            return events_forward(log, paged, first - 1, skip, until);
        }
    }
}

/* Find out whether the machine has any event at all, after no event since the given time was
 * found. */
static bool was_ever_found(struct log *log, struct paged *paged, bool *out)
{
    struct page page = { .is_newest = true, .count = LIMIT_EVENTS_PAGE };

    do {
        paged_next(paged);
        if (!events_page_get(log, &page)) {
            return false;
        }
        (void)events_wanted_count(log, &page.items);
        if (page.items.item_count > 0) {
            page.before = event_place(log, &page.items.items[0]);
        }
    } while (page.has_more && log->found == 0);
    *out = log->found > 0;
    return true;
}

/* Find the id under which a cluster's events are stored. */
static bool events_row_find(struct log *log)
{
    struct command *command = log->command;
    const struct schema_kind *kind = schema_kind_find(TEXT("Cluster"));
    struct page page = { .is_newest = true, .count = 1 };
    struct doc cluster;

    /* every event has the id of its cluster, and even a user with a right to only one group can
     * read events */
    if (!events_page_get(log, &page)) {
        return false;
    }
    if (page.items.item_count > 0) {
        log->row = doc_child_text(&page.items.items[0], "cluster");
        return true;
    }
    if (!session_get(command, &log->session,
                     session_path(command, kind, target_cluster(&log->target)), &cluster)) {
        return false;
    }
    log->row = arena_printf(command->arena, "%.*s/%.*s",
                            TEXT_ARG(doc_child_text(doc_child(&cluster, "metadata"), "tenant")),
                            TEXT_ARG(doc_child_text(doc_child(&cluster, "metadata"), "id")));
    return true;
}

/* Check that the target exists, if no event about it is known. A machine without any event was
 * never requested. */
static bool events_target_check(struct log *log)
{
    struct command *command = log->command;
    struct text name = log->target.name;
    struct doc ignored;

    if (log->machine.length > 0) {
        return session_get(command, &log->session,
                           arena_printf(command->arena, "/v1/nodes/%.*s", TEXT_ARG(log->machine)),
                           &ignored);
    }
    if (log->node.length > 0) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                                     "there are no events of a machine '%.*s' in %.*s",
                                     TEXT_ARG(log->node), TEXT_ARG(name)),
                        "reeve get nodes -c %.*s lists its machines", TEXT_ARG(name));
    }
    return session_get(command, &log->session, session_path(command, log->target.kind, name),
                       &ignored);
}

static bool events_list(struct log *log)
{
    bool has_since = log->since_revision > 0 || log->since_ms > 0;
    bool is_known = log->target.name.length + log->machine.length == 0;
    struct paged paged;
    bool is_good;

    paged_begin(&paged, log->command, &log->output);
    is_good =
        log->last == SIZE_MAX ? events_forward(log, &paged, 0, 0, 0) : events_newest(log, &paged);
    is_known = is_known || log->found > 0;
    if (is_good && !is_known && !log->is_following && has_since &&
        log->node.length + log->machine.length > 0) {
        is_good = was_ever_found(log, &paged, &is_known);
    }
    paged_end(&paged);
    return is_good && (is_known || log->is_following || events_target_check(log)) &&
           (!log->is_following || !is_events_of_cluster(log) || events_row_find(log));
}

/* ---- following ---- */

/* True if the event was already written. Events of one revision arrive together; if the stream
 * breaks between them, all events of that revision are sent again. */
static bool is_reported_again(struct log *log, const struct doc *event)
{
    int64_t revision = doc_child_number(event, "revision");

    if (revision != log->reported_revision) {
        log->reported_revision = revision;
        log->reported_count = 0;
        log->reported_again = 0;
    }
    if (log->reported_again > 0) {
        log->reported_again--;
        return true;
    }
    log->reported_count++;
    return false;
}

static bool events_event_take(void *arg, struct text type, const struct doc *event)
{
    struct log *log = arg;
    struct command *command = log->command;
    struct arena_mark mark = arena_mark(command->arena);
    struct doc item = *event;
    struct doc list = doc_list(&item, 1, NULL);
    struct output_data data;
    size_t skip = 0;

    if (text_is(type, "hello")) {
        log->reported_again = log->reported_count;
        return true;
    }
    if (!text_is(type, "event") || is_reported_again(log, event) ||
        (log->row.length > 0 && !text_is_equal(doc_child_text(event, "cluster"), log->row))) {
        return true;
    }
    data = events_pick(log, &list, &skip);
    if (data.row_count > 0) {
        output_write(command->arena, &log->output, &command->out_style, &data, &command->out);
        log->output.is_continued = true;
    }
    command_flush(command);
    arena_rewind(command->arena, mark); /* free the memory, because following may take days */
    buf_init(&command->out, command->arena);
    buf_init(&command->notes, command->arena);
    return true;
}

static enum exit_code events_follow(struct log *log)
{
    struct watch watch = { .kinds = "event",
                           .from = (uint64_t)log->listed_revision,
                           .deadline_ms = session_deadline(log->command, &log->session),
                           .change = events_event_take,
                           .arg = log };
    struct err_list before = log->command->errors;
    bool is_over;
    bool is_good;

    interrupt_expect(INTERRUPT_READING);
    command_flush(log->command);
    buf_init(&log->command->out, log->command->arena);
    buf_init(&log->command->notes, log->command->arena);
    is_good = watch_run(log->command, &log->session, &watch, &is_over);
    /* a right to the followed cluster is enough, but only while the cluster exists; so the whole
     * tenant is tried first */
    if (!is_good && log->row.length > 0 && watch_is_refused(log->command, &before)) {
        log->command->errors = before;
        watch.cluster = target_cluster(&log->target);
        is_good = watch_run(log->command, &log->session, &watch, &is_over);
    }
    return is_good ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}

/* Read the value of --since: a duration such as 10m, a time, or a revision. */
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

/* Read the number of newest events to show. On a terminal the default is about one screen. */
static bool last_read(struct log *log)
{
    const struct args *args = &log->command->args;
    const char *word = args_value(args, FLAG_EVENTS_LAST);
    int64_t last = 0;

    log->last = SIZE_MAX;
    if (word != NULL) {
        if (!text_parse_int64(text_from(word), &last) || last < 0) {
            err_hint(err_list_set(&log->command->errors, (struct place){ 0 }, CODE_R0005,
                                  "'%s' is not a number of events", word),
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

/* Report earlier events that were left out by default. */
static void left_out_report(const struct log *log)
{
    if (log->has_earlier && !args_has(&log->command->args, FLAG_EVENTS_LAST)) {
        buf_add_string(&log->command->notes,
                       "there are earlier events: reeve events -n N, or --since 1d\n");
    }
}

/* True if this is the id of a machine of the inventory: m- and 6 hex digits. */
static bool is_events_machine(struct text word)
{
    enum { MACHINE_ID_BYTES = 8 };

    if (word.length != MACHINE_ID_BYTES || !text_has_prefix(word, TEXT("m-"))) {
        return false;
    }
    for (size_t i = 2; i < word.length; i++) {
        if (strchr("0123456789abcdef", word.data[i]) == NULL) {
            return false;
        }
    }
    return true;
}

/* Read node/CLUSTER/NODE, as in the table, or node CLUSTER/NODE. */
static bool events_node_read(struct log *log)
{
    const struct args *args = &log->command->args;
    const char *slash = strchr(args->words[0], '/');
    const char *word = args->words[args->argument_count - 1];

    if (args->argument_count != (slash == NULL ? 2 : 1)) {
        return err_hint(err_list_set(&log->command->errors, (struct place){ 0 }, CODE_R0005,
                                     "events needs the name of one machine"),
                        "write its cluster and its name: " NODE_USE);
    }
    if (slash != NULL) {
        word = slash + 1;
    }
    if (is_events_machine(text_from(word))) {
        log->machine = text_from(word);
        return true;
    }
    log->target.kind = schema_kind_find(TEXT("Cluster"));
    return nodes_word_read(log->command, word, NODE_USE, &log->target.name, &log->node) &&
           (log->target.name.length > 0 ||
            err_hint(err_list_set(&log->command->errors, (struct place){ 0 }, CODE_R0005,
                                  "'%s' does not name the cluster of the machine", word),
                     "write its cluster and its name: " NODE_USE));
}

static bool target_words_read(struct log *log)
{
    const struct args *args = &log->command->args;
    const struct schema_kind *kind;
    struct text first;

    if (args->argument_count == 0) {
        return true;
    }
    first = text_from(args->words[0]);
    if (args->argument_count == 1 && is_events_machine(first)) {
        log->machine = first;
        return true;
    }
    kind = schema_kind_of_word(text_slice(first, 0, text_find_byte(first, '/')));
    if (kind != NULL && strcmp(kind->name, "Node") == 0) {
        return events_node_read(log);
    }
    return target_read(log->command, args->words, args->argument_count, &log->target);
}

/* Decide whether CLUSTER/NAME without a kind is a group or a machine: it is a group if one has this
 * name, else a machine, which may no longer exist. */
static bool bare_settle(struct log *log)
{
    struct command *command = log->command;
    struct err_list before = command->errors;
    struct text word = text_from(command->args.argument_count > 0 ? command->args.words[0] : "");
    struct text cluster;
    struct doc ignored;

    if (log->node.length > 0 || log->target.name.length == 0 ||
        log->target.kind->owner != OWNER_NODEGROUP ||
        schema_kind_of_word(text_slice(word, 0, text_find_byte(word, '/'))) != NULL) {
        return true;
    }
    if (session_get(command, &log->session,
                    session_path(command, log->target.kind, log->target.name), &ignored)) {
        return true;
    }
    if (command->errors.items[command->errors.count - 1].code != CODE_R0403) {
        return false;
    }
    command->errors = before;
    cluster = target_cluster(&log->target);
    log->node = text_slice(log->target.name, cluster.length + 1, log->target.name.length);
    log->target = (struct target){ schema_kind_find(TEXT("Cluster")), cluster };
    return true;
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
    if (!session_open(command, &log.session) || !bare_settle(&log) || !events_list(&log)) {
        return EXIT_CODE_FAILED;
    }
    log.last = SIZE_MAX; /* all further events are new */
    left_out_report(&log);
    return log.is_following ? events_follow(&log) : EXIT_CODE_DONE;
}
