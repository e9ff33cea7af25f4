#include "api/request/body.h"
#include "api/request/handlers.h"
#include "api/request/take.h"
#include "api/streams/streams.h"
#include "api/users/access.h"
#include "base/limits.h"
#include "base/queue.h"
#include "codec/json.h"
#include "service/exec.h"
#include "ssh/bytes.h"

#include <string.h>

/* public names start with: executions_ */

/* One running command. Lives in the arena of its call. */
struct execution {
    struct execution *next;
    struct execution **link;
    struct call *call;
    struct select_request request;
    struct service_exec order;
    const struct select_nodes *nodes;
    const struct exec_port *port; /* NULL: a dry run */
    struct exec_run *run;
    char id[RANDOM_ID_BYTES]; /* id of the run; the client can send it to end the run */
    struct queue queue;       /* rows that the client has not read yet */
    size_t well;
    size_t failed;
    uint64_t quiet_ms; /* time of the client's last read, in ms */
    bool is_held;
    bool is_over; /* no further rows follow */
};

/* ---- rows ---- */

static void row_put(struct execution *execution, struct arena *arena, const struct doc *row)
{
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, row);
    buf_add_string(&buf, "\n");
    memcpy(queue_room(&execution->queue, buf.length), buf.data, buf.length);
    execution->queue.length += buf.length;
    http_stream_wake(execution->call->exchange);
}

static struct doc one(struct arena *arena, const char *name, struct doc value)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, name, value);
    return doc_builder_map(&builder, NULL);
}

static struct doc exec_number(struct arena *arena, uint64_t value)
{
    return doc_int(arena, (int64_t)value, NULL);
}

static struct doc exec_name_of(const struct execution *execution, struct arena *arena, size_t place)
{
    const struct select_node *node = &execution->nodes->items[place];

    return doc_text(arena_printf(arena, "%.*s/%.*s", TEXT_ARG(node->cluster), TEXT_ARG(node->name)),
                    NULL);
}

/* Returns a row of output. The output of a node is a JSON string if it is valid UTF-8, otherwise
 * base64. */
static struct doc output_row(const struct execution *execution, struct arena *arena,
                             const struct exec_event *reported)
{
    struct doc_builder builder;
    struct buf buf;

    doc_builder_init(&builder, arena);
    if (text_find_bad_utf8(reported->piece) == SIZE_MAX) {
        doc_builder_put(&builder, reported->is_error ? "err" : "out",
                        doc_text(reported->piece, NULL));
    } else {
        buf_init(&buf, arena);
        ssh_add_base64(&buf, reported->piece);
        doc_builder_put(&builder, reported->is_error ? "errBase64" : "outBase64",
                        doc_text(buf_text(&buf), NULL));
    }
    doc_builder_put(&builder, "node", exec_name_of(execution, arena, reported->node));
    return doc_builder_map(&builder, NULL);
}

static struct doc plain(struct arena *arena, struct text words)
{
    return doc_text(text_find_bad_utf8(words) == SIZE_MAX ? words : record_sentence(arena, words),
                    NULL);
}

static struct doc end_row(const struct execution *execution, struct arena *arena,
                          const struct exec_event *reported)
{
    struct doc_builder end;
    struct doc_builder row;

    doc_builder_init(&end, arena);
    if (reported->outcome == OUTCOME_OK && reported->signal.length == 0) {
        doc_builder_put(&end, "code", exec_number(arena, (uint64_t)reported->code));
    }
    if (reported->dropped[0] + reported->dropped[1] > 0) {
        doc_builder_put(&end, "dropped",
                        exec_number(arena, reported->dropped[0] + reported->dropped[1]));
    }
    doc_builder_put(&end, "err", exec_number(arena, reported->bytes[1]));
    if (reported->outcome != OUTCOME_OK) {
        doc_builder_put(&end, "fault", plain(arena, reported->fault));
        doc_builder_put(&end, "mayHaveRun", doc_bool(reported->outcome == OUTCOME_UNKNOWN, NULL));
    }
    doc_builder_put(&end, "ms", exec_number(arena, reported->took_ms));
    doc_builder_put(&end, "out", exec_number(arena, reported->bytes[0]));
    if (reported->signal.length > 0) {
        doc_builder_put(&end, "signal", plain(arena, reported->signal));
    }
    if (reported->outcome != OUTCOME_OK) {
        doc_builder_put(&end, "why", plain(arena, reported->why));
    }
    doc_builder_init(&row, arena);
    doc_builder_put(&row, "end", doc_builder_map(&end, NULL));
    doc_builder_put(&row, "node", exec_name_of(execution, arena, reported->node));
    return doc_builder_map(&row, NULL);
}

/* Returns the last row. `cut` is the reason why no more commands are started, or why running
 * commands are stopped. */
static struct doc done_row(const struct execution *execution, struct arena *arena,
                           const struct exec_event *reported)
{
    static const char *const cuts[] = {
        [EXEC_CUT_FAILED] = "failed",
        [EXEC_CUT_CANARY] = "canary",
        [EXEC_CUT_DEADLINE] = "deadline",
        [EXEC_CUT_ASKED] = "asked",
    };
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    if (reported->cut != EXEC_CUT_NONE) {
        doc_builder_put(&builder, "cut", doc_text(text_from(cuts[reported->cut]), NULL));
    }
    doc_builder_put(&builder, "failed", exec_number(arena, execution->failed));
    doc_builder_put(&builder, "nodes", exec_number(arena, execution->nodes->count));
    doc_builder_put(&builder, "well", exec_number(arena, execution->well));
    return one(arena, "done", doc_builder_map(&builder, NULL));
}

static struct doc begin_row(const struct execution *execution, struct arena *arena,
                            const struct service_exec_begun *begun)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "batches", exec_number(arena, begun->order->batches.count));
    doc_builder_put(&builder, "nodes", exec_number(arena, begun->nodes->count));
    doc_builder_put(&builder, "revision", exec_number(arena, begun->revision));
    if (begun->run != NULL) {
        doc_builder_put(&builder, "run", doc_text(text_from(execution->id), NULL));
    }
    if (begun->seed > 0) {
        doc_builder_put(&builder, "seed", exec_number(arena, begun->seed));
    }
    return one(arena, "begin", doc_builder_map(&builder, NULL));
}

/* Returns a progress row. It also keeps an idle connection alive. */
static struct doc going_row(const struct execution *execution, struct arena *arena)
{
    struct exec_counts counts = execution->port->count(execution->run);
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "running", exec_number(arena, counts.running));
    doc_builder_put(&builder, "waiting", exec_number(arena, counts.waiting));
    return one(arena, "going", doc_builder_map(&builder, NULL));
}

/* ---- dry run ---- */

/* Returns a row with the machines of one batch, in order. If a machine cannot run the command, the
 * row has the reason. */
static struct doc batch_row(const struct execution *execution, struct arena *arena, size_t start,
                            const struct exec_batch *batch)
{
    struct doc *names = arena_array(arena, struct doc, batch->end - start);
    struct doc *unfit = arena_array(arena, struct doc, batch->end - start);
    size_t name_count = 0;
    size_t unfit_count = 0;
    struct doc_builder builder;

    for (size_t i = start; i < batch->end; i++) {
        struct text why = TEXT("");

        if (exec_unfit(arena, &execution->nodes->items[i], &why) == NULL) {
            names[name_count++] = exec_name_of(execution, arena, i);
            continue;
        }
        doc_builder_init(&builder, arena);
        doc_builder_put(&builder, "node", exec_name_of(execution, arena, i));
        doc_builder_put(&builder, "why", plain(arena, why));
        unfit[unfit_count++] = doc_builder_map(&builder, NULL);
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "canary", doc_bool(batch->is_canary, NULL));
    doc_builder_put(&builder, "nodes", doc_list(names, name_count, NULL));
    if (unfit_count > 0) {
        doc_builder_put(&builder, "unfit", doc_list(unfit, unfit_count, NULL));
    }
    return one(arena, "batch", doc_builder_map(&builder, NULL));
}

static void dry_rows(struct execution *execution, const struct service_exec_begun *begun)
{
    struct arena *arena = execution->call->arena;
    struct doc row;
    size_t start = 0;

    for (size_t i = 0; i < begun->order->batches.count; i++) {
        const struct exec_batch *batch = &begun->order->batches.items[i];

        row = batch_row(execution, arena, start, batch);
        row_put(execution, arena, &row);
        start = batch->end;
    }
    row = done_row(execution, arena, &(struct exec_event){ .kind = EXEC_EVENT_DONE });
    row_put(execution, arena, &row);
    execution->is_over = true;
}

/* ---- output, and the client that reads it ---- */

static void hold_set(struct execution *execution)
{
    size_t bytes = queue_text(&execution->queue).length;
    bool is_held =
        execution->is_held ? bytes > LIMIT_EXEC_QUEUE_BYTES / 2 : bytes > LIMIT_EXEC_QUEUE_BYTES;

    if (is_held != execution->is_held && execution->run != NULL) {
        execution->is_held = is_held;
        execution->port->hold(execution->run, is_held);
    }
}

static void reported(void *arg, const struct exec_event *word)
{
    struct execution *execution = arg;
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct doc row;

    if (word->kind == EXEC_EVENT_END) {
        bool is_well = word->outcome == OUTCOME_OK && word->code == 0 && word->signal.length == 0;

        execution->well += is_well;
        execution->failed += !is_well;
    }
    row = word->kind == EXEC_EVENT_OUTPUT ? output_row(execution, arena, word)
          : word->kind == EXEC_EVENT_END  ? end_row(execution, arena, word)
                                          : done_row(execution, arena, word);
    execution->is_over = word->kind == EXEC_EVENT_DONE;
    row_put(execution, arena, &row);
    hold_set(execution);
}

static size_t exec_rows_read(void *arg, char *out, size_t room, bool *is_end)
{
    struct execution *execution = arg;
    struct text text = text_slice(queue_text(&execution->queue), 0, room);

    memcpy(out, text.data, text.length);
    execution->queue.gone += text.length;
    queue_trim(&execution->queue);
    execution->quiet_ms = clock_monotonic_ms(execution->call->api->options.clock);
    hold_set(execution);
    *is_end = text.length == 0 && execution->is_over;
    return text.length;
}

static void exec_rows_closed(void *arg)
{
    struct execution *execution = arg;

    if (execution->run != NULL) {
        execution->port->drop(execution->run);
    }
    *execution->link = execution->next;
    if (execution->next != NULL) {
        execution->next->link = execution->link;
    }
    queue_clear(&execution->queue);
}

static void begun(void *arg, const struct service_exec_begun *word, const struct err *err)
{
    struct execution *execution = arg;
    struct call *call = execution->call;
    struct api *api = call->api;
    struct http_stream stream = { .read = exec_rows_read,
                                  .closed = exec_rows_closed,
                                  .arg = execution,
                                  .is_ended_by_close = true };
    struct doc row;

    if (word == NULL) {
        call_refuse(call, err);
        return;
    }
    execution->nodes = word->nodes;
    execution->port = word->port;
    execution->run = word->run;
    execution->quiet_ms = clock_monotonic_ms(api->options.clock);
    random_id(api->options.random, execution->id);
    execution->next = api->executions;
    execution->link = &api->executions;
    if (execution->next != NULL) {
        execution->next->link = &execution->next;
    }
    api->executions = execution;
    call_answer_fields(call, &(struct http_answer){ .status = 200,
                                                    .content_type = "application/jsonl",
                                                    .stream = &stream });
    row = begin_row(execution, call->arena, word);
    row_put(execution, call->arena, &row);
    if (word->run == NULL) {
        dry_rows(execution, word);
    }
}

/* ---- the request ---- */

MUST_CHECK static bool order_take(struct execution *execution, const struct doc *body,
                                  struct err *err)
{
    struct service_exec *order = &execution->order;
    struct select_request *request = &execution->request;

    order->request = request;
    if (!doc_is_map(body) || !take_text(body, "command", &order->command, err) ||
        order->command.length == 0) {
        return err_set(err, CODE_R0426,
                       "the body must be {command, ...}, and the command must be a string");
    }
    if (order->command.length > LIMIT_SESSION_COMMAND_BYTES ||
        memchr(order->command.data, '\0', order->command.length) != NULL) {
        return err_set(err, CODE_R0426, "the command has more than %d bytes, or a NUL",
                       LIMIT_SESSION_COMMAND_BYTES);
    }
    return take_request(body, request, err) && take_batching(body, &order->batching, err) &&
           take_number(body, "timeoutMs", LIMIT_EXEC_MAX_MS, &order->timeout_ms, err) &&
           take_number(body, "outputMax", LIMIT_EXEC_OUTPUT_MAX_BYTES, &order->output_max, err) &&
           take_flag(body, "dryRun", &order->is_dry, err);
}

/* Handles {"end": RUN}, by which the client of a run ends it. The answer to the original request
 * reports the result. Returns false if the body is another request. */
static bool exec_end_ask(struct call *call, const struct doc *body)
{
    const struct doc *end = doc_is_map(body) ? doc_child(body, "end") : NULL;
    struct execution *execution = call->api->executions;
    struct doc answer;
    struct err err;

    if (end == NULL) {
        return false;
    }
    while (execution != NULL &&
           !(doc_is_scalar(end) && text_is(end->text, execution->id) &&
             text_is_equal(execution->call->actor.tenant, call->actor.tenant) &&
             text_is_equal(execution->call->actor.user, call->actor.user))) {
        execution = execution->next;
    }
    if (execution == NULL) {
        err_set(&err, CODE_R0403, "you have no such running command at this manager");
        call_refuse(call, &err);
        return true;
    }
    if (execution->run != NULL && !execution->is_over) {
        execution->port->stop(execution->run);
    }
    answer = one(call->arena, "ending", doc_bool(true, NULL));
    call_report(call, 200, &answer);
    return true;
}

void api_exec(struct call *call)
{
    struct execution *execution = arena_one(call->arena, struct execution);
    struct doc body;
    struct err err;

    *execution = (struct execution){ .call = call };
    if (!body_take(call, &body)) {
        return;
    }
    if (exec_end_ask(call, &body)) {
        return;
    }
    if (!take_place(call, "commands are run on", &execution->request, &err) ||
        !order_take(execution, &body, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_exec(call->api->options.service, call->arena, &call->actor, &execution->order, reported,
                 begun, execution);
}

/* ---- periodic work ---- */

/* Stops the running commands. The last row marks the end. */
static void execution_end(struct execution *execution, const char *why)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct doc row;

    if (execution->run == NULL || execution->is_over) {
        return;
    }
    execution->port->drop(execution->run);
    execution->run = NULL;
    execution->is_over = true;
    row = one(arena, "broken", doc_text(text_from(why), NULL));
    row_put(execution, arena, &row);
}

void executions_run(struct api *api)
{
    uint64_t now_ms = api->executions == NULL ? 0 : clock_monotonic_ms(api->options.clock);

    for (struct execution *execution = api->executions; execution != NULL;
         execution = execution->next) {
        struct call probe = *execution->call; /* a copy, because access_check changes it */
        AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        struct doc row;
        struct err err;

        if (execution->is_over || now_ms - execution->quiet_ms < LIMIT_WATCH_COMMENT_MS) {
            continue;
        }
        execution->quiet_ms = now_ms;
        if (!access_check(&probe, &err)) {
            execution_end(execution, "the user has lost the permission to do this");
        } else if (!execution->is_held) {
            row = going_row(execution, arena);
            row_put(execution, arena, &row);
        }
    }
}

void executions_drain(struct api *api)
{
    for (struct execution *execution = api->executions; execution != NULL;
         execution = execution->next) {
        execution_end(execution, "the manager is stopping");
    }
}
