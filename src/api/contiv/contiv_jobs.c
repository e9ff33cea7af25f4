#include "api/contiv/contiv.h"
#include "api/request/handlers.h"
#include "base/limits.h"
#include "base/queue.h"
#include "base/time.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "service/service_read.h"

#include <string.h>

/* public names start with: contiv_ */

/* Jobs of the cluster. Contiv's cluster manager had one job at a time. Here `active` is the latest
 * job that has not ended, and `last` the latest job that has ended.
 *
 * The log of a job contains the events of the cluster from the request of the job to its end. The
 * log of a running job is a stream until the job ends. Failure modes: if the client disconnects or
 * the manager stops, only the stream ends. */

enum { CONTIV_POLL_MS = 300, CONTIV_LOG_LINES = LIMIT_EVENTS_PAGE };

/* A job, as read from its row in the list of jobs. */
struct contiv_job {
    struct text number; /* empty: none */
    struct text verb;
    struct text by;
    struct text state;
    struct text why;
    int64_t begun_ms;
    int64_t ended_ms;  /* 0: it has not ended */
    uint64_t revision; /* revision of the write that requested the job */
    struct doc row;
};

static bool contiv_job_has_ended(const struct doc *row)
{
    struct text state = doc_child_text(doc_child(row, "status"), "state");

    return text_is(state, "done") || text_is(state, "failed") || text_is(state, "stopped") ||
           text_is(state, "superseded") || text_is(state, "damaged");
}

static void contiv_job_take(const struct doc *row, struct contiv_job *out)
{
    const struct doc *status = doc_child(row, "status");
    struct text number = doc_child_text(doc_child(row, "metadata"), "name");
    int64_t revision = 0;

    if (!text_parse_int64(number, &revision) || (uint64_t)revision <= out->revision) {
        return;
    }
    *out = (struct contiv_job){
        .number = number,
        .verb = doc_child_text(status, "verb"),
        .by = doc_child_text(status, "by"),
        .state = doc_child_text(status, "state"),
        .why = doc_child_text(status, "why"),
        .begun_ms = doc_child_moment(status, "begun"),
        .ended_ms = doc_child_moment(status, "ended"),
        .revision = (uint64_t)revision,
        .row = *row,
    };
}

/* Find the newest job that has ended, or the newest that has not. If `number` is not empty, find
 * only the job with this number. */
static struct contiv_job contiv_job_find(struct call *call, struct arena *arena, bool has_ended,
                                         struct text number)
{
    struct contiv_reader reader = { .arena = arena };
    struct service_kept kept = { .kind = schema_kind_find(TEXT("Job")),
                                 .cluster = call->api->options.contiv->cluster };
    struct contiv_job job = { 0 };
    const struct doc *items;

    service_kept(call->api->options.service, arena, &call->actor, &kept, contiv_read_done, &reader);
    items = reader.is_there ? doc_child(&reader.doc, "items") : NULL;
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        const struct doc *row = &items->items[i];

        if (contiv_job_has_ended(row) == has_ended &&
            (number.length == 0 ||
             text_is_equal(doc_child_text(doc_child(row, "metadata"), "name"), number))) {
            contiv_job_take(row, &job);
        }
    }
    return job;
}

/* Find the job in the path. Returns false if the call was rejected. */
MUST_CHECK static bool contiv_job_get(struct call *call, struct contiv_job *out)
{
    bool is_last = text_is(call->name, "last");

    if (!is_last && !text_is(call->name, "active")) {
        contiv_refuse(call, 400,
                      arena_printf(call->arena, "Invalid or empty job label specified: '%.*s'",
                                   TEXT_ARG(call->name)));
        return false;
    }
    *out = contiv_job_find(call, call->arena, is_last, TEXT(""));
    if (out->number.length == 0) {
        contiv_refuse(
            call, 404,
            arena_printf(call->arena, "info for '%.*s' job doesn't exist", TEXT_ARG(call->name)));
        return false;
    }
    return true;
}

/* ---- lines ---- */

/* Append one event as a line of a log. */
static void contiv_event_add(struct buf *out, const struct doc *event)
{
    struct text node = doc_child_text(event, "node");
    struct text fact = doc_child_text(event, "fact");
    struct text rule = doc_child_text(event, "rule");
    struct text why = doc_child_text(event, "why");
    char time[TIME_TEXT_BYTES];

    time_format(doc_child_moment(event, "time"), time);
    buf_printf(out, "%s %.*s", time, TEXT_ARG(doc_child_text(event, "type")));
    if (node.length > 0) {
        buf_printf(out, " %.*s", TEXT_ARG(node));
    }
    buf_printf(out, "%s%.*s", fact.length > 0 ? ": " : "", TEXT_ARG(fact));
    if (fact.length == 0 && why.length + rule.length > 0) {
        buf_printf(out, ": %.*s", TEXT_ARG(why.length > 0 ? why : rule));
    }
}

/* True if the event is later than the end of a job. */
static bool contiv_event_is_later(const struct doc *event, int64_t ended_ms)
{
    return ended_ms > 0 && doc_child_moment(event, "time") > ended_ms;
}

/* ---- one job ---- */

static const char *contiv_job_status(const struct contiv_job *job)
{
    return text_is(job->state, "done")                                       ? "Complete"
           : job->ended_ms > 0                                               ? "Errored"
           : contiv_job_has_ended(&job->row)                                 ? "Errored"
           : text_is(job->state, "waiting") || text_is(job->state, "paused") ? "Queued"
                                                                             : "Running";
}

/* Return the summary of a job: "apply of groups service-master, service-worker by ana". */
static struct text contiv_job_about(struct arena *arena, const struct contiv_job *job)
{
    const struct doc *groups = doc_child(doc_child(&job->row, "status"), "groups");
    struct buf buf;

    buf_init(&buf, arena);
    buf_printf(&buf, "job %.*s: %.*s", TEXT_ARG(job->number),
               TEXT_ARG(job->verb.length > 0 ? job->verb : TEXT("apply")));
    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        buf_printf(&buf, "%s%.*s", i == 0 ? " of " : ", ",
                   TEXT_ARG(doc_child_text(&groups->items[i], "group")));
    }
    if (job->by.length > 0) {
        buf_printf(&buf, " by %.*s", TEXT_ARG(job->by));
    }
    return buf_text(&buf);
}

/* Return the problems of the job in one text; without problems, the reason why it stopped. */
static struct text contiv_job_error(struct arena *arena, const struct contiv_job *job)
{
    const struct doc *problems = doc_child(doc_child(&job->row, "status"), "problems");
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; doc_is_list(problems) && i < problems->item_count; i++) {
        const struct doc *one = &problems->items[i];

        buf_printf(&buf, "%s%.*s: %.*s", buf.length > 0 ? "; " : "",
                   TEXT_ARG(doc_child_text(one, "name")), TEXT_ARG(doc_child_text(one, "text")));
    }
    if (buf.length == 0 && strcmp(contiv_job_status(job), "Errored") == 0) {
        buf_printf(&buf, "%.*s", TEXT_ARG(job->why.length > 0 ? job->why : job->state));
    }
    return buf_text(&buf);
}

/* A request for a job, while its events are read. */
struct contiv_job_request {
    struct call *call;
    struct contiv_job job;
    bool is_text; /* true: the client requests the log of the job; false: its state */
};

static struct doc contiv_job_show(struct call *call, const struct contiv_job *job,
                                  const struct doc *logs)
{
    struct doc_builder builder;

    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "desc", doc_text(contiv_job_about(call->arena, job), NULL));
    doc_builder_put(&builder, "task",
                    doc_text(job->verb.length > 0 ? job->verb : TEXT("apply"), NULL));
    doc_builder_put(&builder, "status", doc_text(text_from(contiv_job_status(job)), NULL));
    doc_builder_put(&builder, "error", doc_text(contiv_job_error(call->arena, job), NULL));
    doc_builder_put(&builder, "logs", *logs);
    return doc_builder_map(&builder, NULL);
}

static void contiv_job_events_read(void *arg, const struct service_answer *answer)
{
    struct contiv_job_request *request = arg;
    struct call *call = request->call;
    struct contiv_reader reader = { .arena = call->arena };
    const struct doc *items;
    struct doc *lines;
    size_t count = 0;
    struct doc logs;
    struct doc body;

    contiv_read_done(&reader, answer);
    items = reader.is_there ? doc_child(&reader.doc, "items") : NULL;
    lines = arena_array(call->arena, struct doc, doc_is_list(items) ? items->item_count : 1);
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        struct buf line;

        if (contiv_event_is_later(&items->items[i], request->job.ended_ms)) {
            break;
        }
        buf_init(&line, call->arena);
        contiv_event_add(&line, &items->items[i]);
        lines[count++] = doc_text(buf_text(&line), NULL);
    }
    if (request->is_text) {
        struct buf text;

        buf_init(&text, call->arena);
        for (size_t i = 0; i < count; i++) {
            buf_printf(&text, "%.*s\n", TEXT_ARG(lines[i].text));
        }
        call_answer(call, 200, "text/plain; charset=utf-8", buf_text(&text));
        return;
    }
    logs = doc_list(lines, count, NULL);
    body = contiv_job_show(call, &request->job, &logs);
    call_report(call, 200, &body);
}

static void contiv_job_events(struct call *call, const struct contiv_job *job, bool is_text)
{
    struct contiv_job_request *request = arena_one(call->arena, struct contiv_job_request);
    struct service_events events = { .cluster = call->api->options.contiv->cluster,
                                     .since_revision = job->revision - 1,
                                     .limit = CONTIV_LOG_LINES };

    *request = (struct contiv_job_request){ call, *job, is_text };
    service_events(call->api->options.service, call->arena, &call->actor, &events,
                   contiv_job_events_read, request);
}

void api_contiv_job(struct call *call)
{
    struct contiv_job job;

    if (contiv_job_get(call, &job)) {
        contiv_job_events(call, &job, false);
    }
}

/* ---- the stream of a log ---- */

/* The log of a running job. It has its own arena, because the events may be answered after
 * the client has disconnected. */
struct contiv_log {
    struct contiv_log *next;
    struct contiv_log **link;
    struct arena *memory;
    struct arena *turn; /* arena of the pending request for events; NULL: no request is pending */
    struct call *call;
    struct text number;
    struct service_actor actor;
    struct text cluster;
    struct queue queue;
    uint64_t after; /* number of the newest event that was sent */
    uint64_t since_revision;
    uint64_t due_ms;
    bool is_asked;
    bool is_closed;
    bool is_last; /* true: the job has ended, so the events that are being read are the last ones */
    bool is_over;
};

static void contiv_log_free(struct contiv_log *log)
{
    if (log->turn != NULL) {
        arena_free(log->turn);
    }
    queue_clear(&log->queue);
    arena_free(log->memory);
}

static size_t contiv_log_read(void *arg, char *out, size_t room, bool *is_end)
{
    struct contiv_log *log = arg;
    struct text text = queue_text(&log->queue);
    size_t bytes = text.length < room ? text.length : room;

    memcpy(out, text.data, bytes);
    log->queue.gone += bytes;
    queue_trim(&log->queue);
    *is_end = log->is_over && bytes == text.length;
    return bytes;
}

static void contiv_log_closed(void *arg)
{
    struct contiv_log *log = arg;

    *log->link = log->next;
    if (log->next != NULL) {
        log->next->link = log->link;
    }
    log->is_closed = true;
    if (!log->is_asked) {
        contiv_log_free(log);
    }
}

static void contiv_log_events_read(void *arg, const struct service_answer *answer)
{
    struct contiv_log *log = arg;
    struct contiv_reader reader = { .arena = log->turn };
    const struct doc *items;
    struct buf text;

    log->is_asked = false;
    if (log->is_closed) {
        contiv_log_free(log);
        return;
    }
    contiv_read_done(&reader, answer);
    items = reader.is_there ? doc_child(&reader.doc, "items") : NULL;
    buf_init(&text, log->turn);
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        contiv_event_add(&text, &items->items[i]);
        buf_add_string(&text, "\n");
        log->after = (uint64_t)doc_child_number(&items->items[i], "number");
    }
    memcpy(queue_room(&log->queue, text.length + 1), text.data == NULL ? "" : text.data,
           text.length);
    log->queue.length += text.length;
    log->is_over = log->is_last && (!doc_is_list(items) || items->item_count == 0);
    http_stream_wake(log->call->exchange);
}

/* Read the next events. */
static void contiv_log_go_on(struct contiv_log *log, uint64_t now_ms)
{
    struct service_events events = { .cluster = log->cluster,
                                     .after = log->after,
                                     .since_revision = log->after > 0 ? 0 : log->since_revision,
                                     .limit = CONTIV_LOG_LINES };
    struct contiv_job active;

    if (log->turn != NULL) {
        arena_free(log->turn);
    }
    log->turn = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    log->due_ms = now_ms + CONTIV_POLL_MS;
    active = contiv_job_find(log->call, log->turn, false, log->number);
    log->is_last = active.number.length == 0;
    log->is_asked = true;
    service_events(log->call->api->options.service, log->turn, &log->actor, &events,
                   contiv_log_events_read, log);
}

void contiv_logs_run(struct api *api)
{
    uint64_t now_ms = api->contiv_logs == NULL ? 0 : clock_monotonic_ms(api->options.clock);
    struct contiv_log *next;

    for (struct contiv_log *log = api->contiv_logs; log != NULL; log = next) {
        next = log->next;
        if (!log->is_asked && !log->is_over && log->due_ms <= now_ms) {
            contiv_log_go_on(log, now_ms);
        }
    }
}

void contiv_logs_drain(struct api *api)
{
    for (struct contiv_log *log = api->contiv_logs; log != NULL; log = log->next) {
        log->is_over = true;
        http_stream_wake(log->call->exchange);
    }
}

static void contiv_log_begin(struct call *call, const struct contiv_job *job)
{
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct contiv_log *log = arena_one(memory, struct contiv_log);
    struct http_stream stream = {
        .read = contiv_log_read, .closed = contiv_log_closed, .arg = log, .is_ended_by_close = true
    };

    *log = (struct contiv_log){
        .next = call->api->contiv_logs,
        .link = &call->api->contiv_logs,
        .memory = memory,
        .call = call,
        .number = arena_text(memory, job->number),
        .actor = { .tenant = arena_text(memory, call->actor.tenant),
                   .user = arena_text(memory, call->actor.user) },
        .cluster = arena_text(memory, call->api->options.contiv->cluster),
        .since_revision = job->revision - 1,
    };
    if (log->next != NULL) {
        log->next->link = &log->next;
    }
    call->api->contiv_logs = log;
    call_answer_fields(call, &(struct http_answer){ .status = 200,
                                                    .content_type = "text/plain; charset=utf-8",
                                                    .stream = &stream });
}

void api_contiv_logs(struct call *call)
{
    struct contiv_job job;

    if (!contiv_job_get(call, &job)) {
        return;
    }
    if (text_is(call->name, "active")) {
        contiv_log_begin(call, &job);
    } else {
        contiv_job_events(call, &job, true);
    }
}
