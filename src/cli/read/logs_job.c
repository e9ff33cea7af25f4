/* reeve logs job/N: prints the output of all machines and stages of a job (C29).
 *
 * The manager stores output by machine, stage and attempt. The events of the job show which
 * attempts belong to it: attempts that began after the change (its revision is the number of the
 * job) and before the end of the job, on machines of its groups. The number of an attempt is
 * unknown when its event is written, so the number is found by the time of the first line.
 *
 * Failures: if the output of an attempt was deleted, or is on a manager that does not answer, the
 * other output is shown and the gap is reported. */
#include "cli/read/logs_job.h"

#include "base/time.h"
#include "cli/manager/follow.h"
#include "cli/manager/job_text.h"
#include "cli/manager/watch.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "sys/clock.h"
#include "sys/interrupt.h"

#include <poll.h>
#include <stdio.h>

/* public names start with: logs_ */

enum {
    LOGS_JOB_LOOK_MS = 500,
    LOGS_JOB_ATTEMPTS = 50000,
    LOGS_JOB_PLACE_BYTES = 64,
    LOGS_JOB_TRIES = 50
};

/* One attempt of a stage on a machine. */
struct job_attempt {
    struct text cluster;
    struct text node; /* name of the machine */
    /* token of the machine's record, because another machine may get the same name later */
    struct text token;
    struct text label; /* "stage-1 docker", or "stage-1 docker, attempt 2" */
    struct text stage;
    int64_t begun_ms; /* when the event reports its start */
    int64_t number;   /* number of the attempt; 0: not known yet; -1: it has no output */
    char next[LOGS_JOB_PLACE_BYTES]; /* position where the next page starts */
};

/* A job in one cluster. */
struct job_part {
    struct text cluster;
    const struct doc *groups; /* groups of the change; NULL: any group of the cluster */
    int64_t ended_ms;         /* INT64_MAX: it has not ended */
    int64_t after;            /* number of the newest event that was read */
};

struct job_logs {
    struct command *command;
    struct session session;
    uint64_t number;
    struct arena *memory; /* memory of data that outlives one round */
    struct job_part *parts;
    size_t part_count;
    struct job_attempt *items;
    size_t count;
    size_t room;
    bool has_lines;
    bool is_over; /* the job has ended in all clusters */
};

/* ---- the job ---- */

static bool job_logs_get(struct job_logs *logs)
{
    struct command *command = logs->command;
    struct doc jobs;

    if (!follow_get(command, &logs->session, logs->number, &jobs)) {
        return false;
    }
    if (logs->parts == NULL) {
        logs->parts = arena_array(logs->memory, struct job_part, jobs.item_count + 1);
        logs->part_count = jobs.item_count;
        for (size_t i = 0; i < jobs.item_count; i++) {
            const struct doc *groups = doc_child(doc_child(&jobs.items[i], "status"), "groups");

            logs->parts[i].cluster =
                arena_text(logs->memory, listing_text(&jobs.items[i], "metadata", "cluster"));
            if (doc_is_list(groups) && groups->item_count > 0) {
                logs->parts[i].groups = groups; /* the data from the first round is kept */
            }
        }
    }
    logs->is_over = true;
    for (size_t i = 0; i < logs->part_count && i < jobs.item_count; i++) {
        struct text ended = listing_text(&jobs.items[i], "status", "ended");

        logs->parts[i].ended_ms = INT64_MAX;
        if (ended.length == 0 || !time_parse(ended, &logs->parts[i].ended_ms)) {
            logs->is_over = logs->is_over && job_text_is_ended(&jobs.items[i]);
        }
    }
    return true;
}

/* ---- attempts ---- */

/* True if the job has changed the group, or a group around it. */
static bool job_part_has(const struct job_part *part, struct text group)
{
    for (size_t i = 0; part->groups != NULL && i < part->groups->item_count; i++) {
        struct text path = doc_child_text(&part->groups->items[i], "group");

        if (text_has_prefix(group, path) &&
            (group.length == path.length || group.data[path.length] == '/')) {
            return true;
        }
    }
    return part->groups == NULL;
}

/* Read "stage-1 docker" or "stage-1 docker, attempt 2", the fact of the event node.stage. */
static bool job_fact_read(struct job_logs *logs, struct text fact, struct job_attempt *out)
{
    static const char mark[] = ", attempt ";
    struct text rest;
    int64_t number;

    if (!text_has_prefix(fact, TEXT("stage-"))) {
        return false;
    }
    out->label = arena_text(logs->memory, fact);
    for (size_t i = 0; i + sizeof(mark) - 1 < fact.length; i++) {
        struct text tail = text_slice(fact, i, SIZE_MAX);

        if (text_has_prefix(tail, text_from(mark)) &&
            text_parse_int64(text_slice(tail, sizeof(mark) - 1, SIZE_MAX), &number)) {
            out->label = arena_text(logs->memory, text_slice(fact, 0, i));
        }
    }
    rest = text_slice(fact, sizeof("stage-") - 1, SIZE_MAX);
    out->stage = arena_text(logs->memory, text_slice(rest, 0, text_find_byte(rest, ' ')));
    return text_parse_int64(out->stage, &number);
}

static void job_event_take(struct job_logs *logs, const struct job_part *part,
                           const struct doc *event)
{
    struct job_attempt one = { .cluster = part->cluster };

    if (!text_is(doc_child_text(event, "type"), "node.stage") ||
        !job_part_has(part, doc_child_text(event, "group")) || logs->count == LOGS_JOB_ATTEMPTS ||
        !time_parse(doc_child_text(event, "time"), &one.begun_ms) ||
        one.begun_ms > part->ended_ms ||
        !job_fact_read(logs, doc_child_text(event, "fact"), &one)) {
        return;
    }
    one.node = arena_text(logs->memory, doc_child_text(event, "node"));
    one.token = arena_text(logs->memory, doc_child_text(event, "token"));
    if (logs->count == logs->room) {
        size_t room = 2 * logs->room + 64;

        logs->items = arena_grow(logs->memory, logs->items, logs->room * sizeof(*logs->items),
                                 room * sizeof(*logs->items));
        logs->room = room;
    }
    logs->items[logs->count++] = one;
}

/* Read the new events of one cluster. */
static bool job_events_read(struct job_logs *logs, struct job_part *part)
{
    struct command *command = logs->command;
    bool has_more = true;

    while (has_more) {
        struct arena_mark mark = arena_mark(command->arena);
        const struct doc *items;
        struct doc answer;
        struct buf path;

        buf_init(&path, command->arena);
        buf_printf(&path, "/v1/events?limit=%d&after=%lld", LIMIT_EVENTS_PAGE,
                   (long long)part->after);
        if (part->after == 0) {
            buf_printf(&path, "&since=%llu", (unsigned long long)logs->number);
        }
        buf_add_string(&path, "&cluster=");
        client_path_add(&path, part->cluster);
        if (!session_get(command, &logs->session, buf_text(&path), &answer)) {
            return false;
        }
        items = doc_child(&answer, "items");
        for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
            job_event_take(logs, part, &items->items[i]);
            part->after = doc_child_number(&items->items[i], "number");
        }
        has_more = text_is(doc_child_text(&answer, "more"), "true") && doc_is_list(items) &&
                   items->item_count > 0;
        arena_rewind(command->arena, mark);
    }
    return true;
}

/* ---- output ---- */

static void job_line_write(struct job_logs *logs, const struct job_attempt *one,
                           const struct doc *line)
{
    struct buf *out = &logs->command->out;

    logs->has_lines = true;
    if (command_output_is(logs->command, "jsonl")) {
        struct doc_builder builder;
        struct doc all;

        doc_builder_init(&builder, logs->command->arena);
        for (size_t i = 0; i < line->entry_count; i++) {
            doc_builder_add(&builder, &line->entries[i]);
        }
        doc_builder_put(&builder, "cluster", doc_text(one->cluster, NULL));
        doc_builder_put(&builder, "node", doc_text(one->node, NULL));
        all = doc_builder_map(&builder, NULL);
        json_format(out, &all);
    } else {
        buf_printf(out, "%.*s%s%.*s  %.*s  ",
                   TEXT_ARG(logs->part_count > 1 ? one->cluster : TEXT("")),
                   logs->part_count > 1 ? "/" : "", TEXT_ARG(one->node), TEXT_ARG(one->label));
        glyph_write_plain(out, doc_child_text(line, "text"));
    }
    buf_add_string(out, "\n");
}

static void job_missing_report(struct job_logs *logs, const struct job_attempt *one,
                               const struct doc *missing)
{
    struct buf *notes = &logs->command->notes;

    for (size_t i = 0; doc_is_list(missing) && i < missing->item_count; i++) {
        buf_printf(notes,
                   "the output of %.*s of %.*s/%.*s is on manager %.*s: ", TEXT_ARG(one->label),
                   TEXT_ARG(one->cluster), TEXT_ARG(one->node),
                   TEXT_ARG(doc_child_text(&missing->items[i], "manager")));
        glyph_write_plain(notes, doc_child_text(&missing->items[i], "reason"));
        buf_add_string(notes, "\n");
    }
}

/* Get a page of the output of an attempt. Attempt number 0 means the newest attempt. */
static bool job_page_get(struct job_logs *logs, const struct job_attempt *one, int64_t number,
                         struct doc *out)
{
    struct buf path;

    buf_init(&path, logs->command->arena);
    buf_add_string(&path, "/v1/clusters/");
    client_path_add(&path, one->cluster);
    buf_add_string(&path, "/logs?node=");
    client_path_add(&path, one->token.length > 0 ? one->token : one->node);
    buf_printf(&path, "&stage=%.*s", TEXT_ARG(one->stage));
    if (number > 0) {
        buf_printf(&path, "&attempt=%lld", (long long)number);
    }
    if (one->next[0] != '\0') {
        buf_printf(&path, "&offset=%s", one->next);
    }
    return session_get(logs->command, &logs->session, buf_text(&path), out);
}

/* Return the time before which the first line of an attempt was written: the next start of the same
 * stage on the machine, or the end of the job. */
static int64_t job_attempt_end(const struct job_logs *logs, const struct job_attempt *one)
{
    int64_t end_ms = INT64_MAX;

    for (size_t i = 0; i < logs->count; i++) {
        const struct job_attempt *other = &logs->items[i];

        if (text_is_equal(other->token, one->token) && text_is_equal(other->stage, one->stage) &&
            other->begun_ms > one->begun_ms && other->begun_ms < end_ms) {
            end_ms = other->begun_ms;
        }
    }
    for (size_t i = 0; i < logs->part_count; i++) {
        if (text_is_equal(logs->parts[i].cluster, one->cluster) &&
            logs->parts[i].ended_ms < end_ms) {
            end_ms = logs->parts[i].ended_ms;
        }
    }
    return end_ms;
}

/* Find the number of the attempt: search back from the newest attempt for one whose first line was
 * written during this attempt. */
static bool job_number_find(struct job_logs *logs, struct job_attempt *one)
{
    int64_t end_ms = job_attempt_end(logs, one);
    int64_t asked = 0;

    for (int tries = 0; tries < LOGS_JOB_TRIES; tries++) {
        const struct doc *lines;
        struct doc page;
        int64_t first_ms = 0;
        int64_t number;

        if (!job_page_get(logs, one, asked, &page)) {
            return false;
        }
        job_missing_report(logs, one, doc_child(&page, "missing"));
        lines = doc_child(&page, "lines");
        if (!doc_is_list(lines) || lines->item_count == 0 ||
            !time_parse(doc_child_text(&lines->items[0], "time"), &first_ms)) {
            /* a running attempt may still write its first line */
            one->number = logs->is_over || asked > 0 ? -1 : 0;
            return true;
        }
        number = doc_child_number(&lines->items[0], "attempt");
        if (first_ms < one->begun_ms) {
            one->number = logs->is_over || end_ms < INT64_MAX ? -1 : 0;
            return true;
        }
        if (first_ms <= end_ms) {
            one->number = number;
            if (number > 1) {
                one->label = arena_printf(logs->memory, "%.*s, attempt %lld", TEXT_ARG(one->label),
                                          (long long)number);
            }
            return true;
        }
        if (number <= 1) {
            break;
        }
        asked = number - 1;
    }
    one->number = -1;
    return true;
}

/* Show the lines of one attempt that are available now. */
static bool job_attempt_show(struct job_logs *logs, struct job_attempt *one)
{
    struct command *command = logs->command;
    bool has_more = true;

    if (one->number == 0 && !job_number_find(logs, one)) {
        return false;
    }
    while (has_more && one->number > 0) {
        struct arena_mark mark = arena_mark(command->arena);
        const struct doc *lines;
        struct doc page;

        if (!job_page_get(logs, one, one->number, &page)) {
            return false;
        }
        lines = doc_child(&page, "lines");
        for (size_t i = 0; doc_is_list(lines) && i < lines->item_count; i++) {
            job_line_write(logs, one, &lines->items[i]);
        }
        snprintf(one->next, sizeof(one->next), "%.*s", TEXT_ARG(doc_child_text(&page, "next")));
        has_more = text_is(doc_child_text(&page, "more"), "true") && doc_is_list(lines) &&
                   lines->item_count > 0 && one->next[0] != '\0';
        command_flush(command);
        arena_rewind(command->arena, mark);
        buf_init(&command->out, command->arena);
        buf_init(&command->notes, command->arena);
    }
    return true;
}

/* Show an attempt. If its machine no longer exists and its output was deleted, report that. */
static bool job_attempt_try(struct job_logs *logs, struct job_attempt *one)
{
    struct command *command = logs->command;
    struct err_list before = command->errors;

    if (job_attempt_show(logs, one)) {
        return true;
    }
    if (command->errors.items[before.count].code != CODE_R0403) {
        return false;
    }
    command->errors = before;
    if (one->number == 0) {
        buf_printf(&command->notes, "no output of %.*s of %.*s/%.*s is kept\n",
                   TEXT_ARG(one->label), TEXT_ARG(one->cluster), TEXT_ARG(one->node));
    }
    one->number = -1;
    return true;
}

/* Read new events, and show all output that is available now. */
static bool job_logs_round(struct job_logs *logs)
{
    bool is_over;

    if (!job_logs_get(logs)) {
        return false;
    }
    is_over = logs->is_over;
    for (size_t i = 0; i < logs->part_count; i++) {
        if (!job_events_read(logs, &logs->parts[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < logs->count; i++) {
        if (!job_attempt_try(logs, &logs->items[i])) {
            return false;
        }
    }
    logs->is_over = is_over;
    return true;
}

static bool job_logs_follow(struct job_logs *logs)
{
    struct command *command = logs->command;
    uint64_t deadline_ms = session_deadline(command, &logs->session);
    uint64_t away_since_ms = 0;

    interrupt_expect(INTERRUPT_READING);
    while (!logs->is_over && clock_monotonic_ms(clock_system()) < deadline_ms) {
        struct err_list before = command->errors;
        struct arena_mark mark = arena_mark(command->arena);
        struct err err;

        (void)poll(NULL, 0, LOGS_JOB_LOOK_MS);
        if (job_logs_round(logs)) {
            away_since_ms = 0;
            command_flush(command);
            arena_rewind(command->arena, mark);
            buf_init(&command->out, command->arena);
            buf_init(&command->notes, command->arena);
            continue;
        }
        err = command->errors.items[before.count];
        if (err_kind(&err) != ERR_KIND_UNAVAILABLE) {
            return false;
        }
        command->errors = before;
        if (!watch_wait_away(command, deadline_ms, &away_since_ms, &err)) {
            return false;
        }
    }
    return true;
}

enum exit_code logs_job(struct command *command, uint64_t number)
{
    struct job_logs logs = { .command = command, .number = number };
    bool is_following = args_has(&command->args, FLAG_LOGS_FOLLOW);
    bool is_done;

    if (!session_open(command, &logs.session)) {
        return EXIT_CODE_FAILED;
    }
    logs.memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    is_done = job_logs_round(&logs) && (!is_following || job_logs_follow(&logs));
    if (is_done && !logs.has_lines && logs.count == 0) {
        buf_printf(&command->notes, "no stage has begun in job/%llu%s\n",
                   (unsigned long long)number, logs.is_over ? "" : " yet");
    } else if (is_done && !logs.is_over) {
        buf_printf(&command->notes, "job/%llu has not ended: reeve logs job/%llu -F shows more\n",
                   (unsigned long long)number, (unsigned long long)number);
    }
    arena_free(logs.memory);
    return is_done ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}
