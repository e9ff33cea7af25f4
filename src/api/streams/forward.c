#include "api/request/handlers.h"
#include "api/streams/streams.h"
#include "base/limits.h"
#include "base/time.h"
#include "codec/json.h"
#include "state/objects.h"

#include <assert.h>
#include <string.h>

/* public names start with: forward_ forwards_ */

/* The steps of a request that another manager must answer:
 *
 *     checked here -> another manager holds the lease -> sent to it with the user
 *                  -> checked there -> answered there -> the answer is passed on as it arrives
 *
 * Failure modes: the other manager is unreachable: the answer is 503 with its name. Its answer ends
 * early: the connection of the client is closed, or a stream of JSON lines ends with a line that
 * says so. The lease has moved in the meantime: the other manager rejects the request, and nothing
 * is forwarded twice. The client disconnects: the connection to the other manager is closed, which
 * ends the work there. */

/* A forwarded request. Lives in the arena of its call. */
struct forward {
    struct forward *next;
    struct forward **link;
    struct call *call;
    struct peers_call *sent; /* NULL: the call has ended */
    struct text manager;     /* name of the manager */
    struct text row;         /* an unsent last line */
    bool is_answered;
    bool is_line_open; /* true: the bytes sent so far end within a line */
    bool is_over;
};

/* The routes that only the lease holder answers. */
static const struct {
    route_fn *run;
    uint64_t head_ms; /* time limit in ms for the head of the lease holder's answer */
    bool is_stream;   /* the answer is a stream, which lasts as long as the client wants */
    bool is_local;    /* true: without a link to the lease holder, this manager answers */
} forward_rows[] = {
    { api_console, LIMIT_PEER_HEAD_MS, false, false },
    { api_enter, LIMIT_PEER_HEAD_MS, false, true },
    { api_exec, LIMIT_PEER_HEAD_MS, true, false },
    { api_logs, LIMIT_PEER_HEAD_MS, false, false },
    { api_pass, LIMIT_PEER_PASS_MS, false, false },
};

static size_t forward_row_find(const struct route *route)
{
    size_t at = 0;

    while (at < ARRAY_COUNT(forward_rows) && forward_rows[at].run != route->run) {
        at++;
    }
    return at;
}

bool forward_is_possible(const struct route *route)
{
    return forward_row_find(route) < ARRAY_COUNT(forward_rows);
}

/* ---- the lease holder ---- */

/* Returns the name of the cluster in the request; empty: none. */
static struct text forward_cluster(const struct call *call)
{
    bool is_group = call->kind != NULL && call->kind->owner == OWNER_NODEGROUP;

    return is_group ? text_slice(call->name, 0, text_find_byte(call->name, '/')) : call->name;
}

/* Returns the manager that holds the lease of the cluster. NULL: none, or unknown. */
static const struct managers_row *forward_holder(const struct call *call)
{
    const struct api_options *options = &call->api->options;
    const struct managers *managers =
        options->managers == NULL ? NULL : options->managers(options->arg);
    const struct cache_object *cluster =
        managers == NULL ? NULL
                         : objects_find(options->cache, call->actor.tenant,
                                        schema_kind_find(TEXT("Cluster")), forward_cluster(call));

    return cluster == NULL ? NULL
                           : managers_holder(managers, call->actor.tenant, cache_id(cluster));
}

/* ---- the request ---- */

const char *forward_user(const struct call *call, bool is_local)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, call->arena);
    if (is_local) {
        doc_builder_put(&builder, "local", doc_bool(true, NULL));
    }
    doc_builder_put(&builder, "revision",
                    doc_int(call->arena, (int64_t)cache_revision(call->api->options.cache), NULL));
    if (call->token_hash.length > 0) {
        doc_builder_put(&builder, "token", doc_text(call->token_hash, NULL));
    }
    doc_builder_put(&builder, "user", doc_text(call->actor.user, NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, call->arena);
    json_format(&buf, &doc);
    return arena_string(call->arena, buf_text(&buf));
}

/* Returns a member of the header Reeve-Forwarded; empty if there is none. */
static struct text forward_member(const struct http_request *request, const char *name)
{
    struct text forwarded = request->headers[HTTP_REEVE_FORWARDED];
    const struct doc *member;
    struct doc header;
    struct err err;

    if (request->peer->tag != API_TAG_PEER || forwarded.data == NULL ||
        !json_parse(request->arena, forwarded, NULL, &header, &err) || !doc_is_map(&header)) {
        return TEXT("");
    }
    member = doc_child(&header, name);
    return doc_is_scalar(member) ? member->text : TEXT("");
}

uint64_t forward_revision(const struct http_request *request)
{
    int64_t number = 0;

    return text_parse_int64(forward_member(request, "revision"), &number) && number > 0
               ? (uint64_t)number
               : 0;
}

bool forward_is_local(const struct http_request *request)
{
    return text_is(forward_member(request, "local"), "true");
}

static size_t forward_fields(const struct call *call, struct http_field out[static 4])
{
    static const struct {
        enum http_header header;
        const char *name;
    } passed[] = { { HTTP_IDEMPOTENCY_KEY, "Idempotency-Key" },
                   { HTTP_TRACEPARENT, "traceparent" } };
    size_t count = 0;

    out[count++] = (struct http_field){ "Reeve-Forwarded", forward_user(call, false) };
    out[count++] =
        (struct http_field){ "Reeve-Tenant", arena_string(call->arena, call->actor.tenant) };
    for (size_t i = 0; i < ARRAY_COUNT(passed); i++) {
        struct text value = call_header(call, passed[i].header);

        if (value.length > 0) {
            out[count++] = (struct http_field){ passed[i].name, arena_string(call->arena, value) };
        }
    }
    return count;
}

/* ---- the answer ---- */

static void forward_unlink(struct forward *forward)
{
    peers_call_end(forward->sent);
    forward->sent = NULL;
    if (forward->link != NULL) {
        *forward->link = forward->next;
        if (forward->next != NULL) {
            forward->next->link = forward->link;
        }
        forward->link = NULL;
    }
}

static size_t forward_read(void *arg, char *out, size_t room, bool *is_end)
{
    struct forward *forward = arg;
    size_t bytes;

    *is_end = false;
    if (forward->sent != NULL) {
        bytes = peers_call_read(forward->sent, out, room, is_end);
        forward->is_line_open = bytes > 0 ? out[bytes - 1] != '\n' : forward->is_line_open;
        return bytes;
    }
    bytes = forward->row.length < room ? forward->row.length : room;
    memcpy(out, forward->row.data == NULL ? "" : forward->row.data, bytes);
    forward->row = text_slice(forward->row, bytes, SIZE_MAX);
    *is_end = forward->is_over && forward->row.length == 0;
    return bytes;
}

static void forward_closed(void *arg)
{
    forward_unlink(arg);
}

static void on_forward_head(void *arg, const struct answer_head *head)
{
    struct forward *forward = arg;
    struct call *call = forward->call;
    size_t row = forward_row_find(call->route);
    struct http_stream stream = { .read = forward_read,
                                  .closed = forward_closed,
                                  .arg = forward,
                                  .is_ended_by_close = true,
                                  .has_end = !forward_rows[row].is_stream };
    struct http_field fields[3];
    struct http_answer answer = { .status = (unsigned)head->status,
                                  .content_type = head->content_type[0] == '\0'
                                                      ? NULL
                                                      : arena_string(call->arena,
                                                                     text_from(head->content_type)),
                                  .stream = &stream,
                                  .fields = fields };

    if (head->stale[0] != '\0') {
        fields[answer.field_count++] =
            (struct http_field){ "Reeve-Stale", arena_string(call->arena, text_from(head->stale)) };
        fields[answer.field_count++] =
            (struct http_field){ "Reeve-Stale-Reason",
                                 arena_string(call->arena, text_from(head->stale_reason)) };
    }
    fields[answer.field_count++] =
        (struct http_field){ "Reeve-Manager", arena_string(call->arena, forward->manager) };
    forward->is_answered = true;
    call_answer_fields(call, &answer);
}

static void on_forward_bytes(void *arg)
{
    struct forward *forward = arg;

    http_stream_wake(forward->call->exchange);
}

/* Ends a stream that is incomplete. */
static void forward_break(struct forward *forward, const char *reason)
{
    struct call *call = forward->call;
    struct doc_builder builder;
    struct doc row;
    struct buf buf;
    char bytes[LIMIT_PEER_QUEUE_BYTES / 64];
    bool is_end = false;
    size_t count = 1;

    buf_init(&buf, call->arena);
    while (count > 0) { /* pass on the bytes that have arrived */
        count = peers_call_read(forward->sent, bytes, sizeof(bytes), &is_end);
        forward->is_line_open = count > 0 ? bytes[count - 1] != '\n' : forward->is_line_open;
        buf_add(&buf, (struct text){ bytes, count });
    }
    peers_call_end(forward->sent);
    forward->sent = NULL;
    forward->is_over = true;
    if (!forward_rows[forward_row_find(call->route)].is_stream) {
        http_stream_break(call->exchange);
        return;
    }
    doc_builder_init(&builder, call->arena);
    doc_builder_put(
        &builder, "broken",
        doc_text(arena_printf(call->arena, "manager %.*s: %s", TEXT_ARG(forward->manager), reason),
                 NULL));
    row = doc_builder_map(&builder, NULL);
    if (forward->is_line_open) {
        buf_add_string(&buf, "\n");
    }
    json_format(&buf, &row);
    buf_add_string(&buf, "\n");
    forward->row = buf_text(&buf);
    http_stream_wake(call->exchange);
}

/* ---- running ---- */

/* Describes why the lease holder cannot answer. */
static void forward_problem(const struct call *call, const struct managers_row *holder,
                            const char *reason, struct err *err)
{
    const struct api_options *options = &call->api->options;
    const char *problem = options->peers == NULL ? "" : peers_problem(options->peers);
    struct peers_state state;
    char since[TIME_TEXT_BYTES];

    if (options->peers == NULL || holder->peer.length == 0) {
        err_set(err, CODE_R0585,
                "manager %.*s holds cluster '%.*s', and %s manager has no link to other managers",
                TEXT_ARG(holder->name), TEXT_ARG(forward_cluster(call)),
                options->peers == NULL ? "this" : "that");
        err_hint(err,
                 "set peer: {address: HOST:PORT} in the configuration of each manager, or "
                 "send the request to manager %.*s",
                 TEXT_ARG(holder->name));
        return;
    }
    if (problem[0] != '\0') {
        err_set(
            err, CODE_R0585,
            "manager %.*s holds cluster '%.*s', but this manager has no links to other managers: %s",
            TEXT_ARG(holder->name), TEXT_ARG(forward_cluster(call)), problem);
        err_hint(err, "reeve manager status shows the links");
        return;
    }
    if (peers_state_find(options->peers, holder->id, &state) && !state.is_reachable &&
        state.since_wall_ms > 0) {
        time_format(state.since_wall_ms, since);
        err_set(err, CODE_R0585,
                "manager %.*s, which holds cluster '%.*s', has been unreachable since %s: %s",
                TEXT_ARG(holder->name), TEXT_ARG(forward_cluster(call)), since, state.reason);
    } else {
        err_set(err, CODE_R0585, "manager %.*s, which holds cluster '%.*s', did not answer: %s",
                TEXT_ARG(holder->name), TEXT_ARG(forward_cluster(call)), reason);
    }
    err_hint(err,
             "if that manager has ended, another manager takes the cluster over within seconds");
}

static void on_forward_failure(void *arg, const char *reason)
{
    struct forward *forward = arg;
    struct call *call = forward->call;
    const struct managers_row *holder;
    struct err err;

    if (forward->is_answered) {
        forward_break(forward, reason);
        return;
    }
    forward_unlink(forward);
    holder = forward_holder(call);
    if (holder == NULL) {
        err_set(&err, CODE_R0585, "manager %.*s did not answer: %s", TEXT_ARG(forward->manager),
                reason);
    } else {
        forward_problem(call, holder, reason, &err);
    }
    call_refuse(call, &err);
}

/* Sends the call to the lease holder. */
MUST_CHECK static bool forward_send(struct call *call, const struct managers_row *holder,
                                    struct err *err)
{
    struct forward *forward = arena_one(call->arena, struct forward);
    struct peers_events events = { on_forward_head, on_forward_bytes, on_forward_failure, forward };
    struct api *api = call->api;
    struct text type = call_header(call, HTTP_CONTENT_TYPE);
    struct http_field fields[4];
    struct peers_request request = {
        .method = call->request->method,
        .target = call->request->raw_target,
        .fields = fields,
        .field_count = forward_fields(call, fields),
        .content_type = type.length == 0 ? NULL : arena_string(call->arena, type),
        .body = call->request->body,
        .head_ms = forward_rows[forward_row_find(call->route)].head_ms,
        .bytes_max = UINT64_MAX / 2,
    };

    *forward = (struct forward){ .call = call,
                                 .manager = arena_text(call->arena, holder->name),
                                 .next = api->forwards };
    if (!peers_call_start(api->options.peers, holder->id, &request, &events, &forward->sent, err)) {
        return false;
    }
    forward->link = &api->forwards;
    if (forward->next != NULL) {
        forward->next->link = &forward->next;
    }
    api->forwards = forward;
    return true;
}

/* Returns whether requests can be sent to a manager. */
static bool forward_is_linked(const struct api_options *options, const struct managers_row *holder)
{
    struct peers_state state;

    return options->peers != NULL && peers_state_find(options->peers, holder->id, &state) &&
           (state.is_reachable || state.since_wall_ms == 0);
}

void forward_run(struct call *call)
{
    const struct api_options *options = &call->api->options;
    const struct managers_row *holder = forward_holder(call);
    bool is_part = call->route->run == api_logs && forward_is_local(call->request);
    struct err err;

    call->run = call->route->run;
    if (holder == NULL || holder->is_here || is_part) {
        call->run(call);
        return;
    }
    if (call->request->peer->tag == API_TAG_PEER) {
        err_set(&err, CODE_R0587, "manager %.*s holds cluster '%.*s' now", TEXT_ARG(holder->name),
                TEXT_ARG(forward_cluster(call)));
        err_hint(&err, "send the request again");
        call_refuse(call, &err);
        return;
    }
    if (forward_is_linked(options, holder)) {
        if (!forward_send(call, holder, &err)) {
            call_refuse(call, &err);
        }
        return;
    }
    if (forward_rows[forward_row_find(call->route)].is_local) {
        call->run(call);
        return;
    }
    forward_problem(call, holder, "the link has not been probed yet", &err);
    call_refuse(call, &err);
}

void forwards_drain(struct api *api)
{
    struct err err;

    while (api->forwards != NULL) {
        struct forward *forward = api->forwards;

        if (forward->is_answered) {
            *forward->link = forward->next;
            if (forward->next != NULL) {
                forward->next->link = forward->link;
            }
            forward->link = NULL;
            if (!forward->is_over) {
                forward_break(forward, "the manager that forwards the request is stopping");
            }
            continue;
        }
        forward_unlink(forward);
        err_set(&err, CODE_R0428, "this manager is stopping");
        call_refuse(forward->call, &err);
    }
}
