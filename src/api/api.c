#include "api/api.h"

#include "api/contiv/contiv.h"
#include "api/images/images_run.h"
#include "api/request/call.h"
#include "api/streams/streams.h"
#include "api/streams/watch.h"
#include "api/users/access.h"
#include "api/users/attempts.h"
#include "api/users/session.h"
#include "base/limits.h"
#include "service/service_read.h"

#include <assert.h>

/* Checks a request in this order: syntax, route, authentication and permission, readiness of the
 * manager, required revision. Then the function of the route runs. The first failed check is the
 * answer, so that it reveals nothing about later checks. */

/* ---- before the route's function ---- */

MUST_CHECK static bool parameters_check(const struct call *call, struct err *err)
{
    const struct target *target = &call->request->target;

    for (size_t i = 0; i < target->parameter_count; i++) {
        if (!route_has_parameter(call->route, target->parameters[i].name)) {
            err_set(err, CODE_R0426, "this request has no parameter '%.*s'",
                    TEXT_ARG(target->parameters[i].name));
            return err_hint(err, "the request takes: %s tenant min-revision",
                            call->route->parameters);
        }
    }
    return true;
}

/* Rejects a request if its sender received the permission while the body was still arriving: the
 * server discarded that body. */
MUST_CHECK static bool body_check(const struct call *call, struct err *err)
{
    return !call->request->is_body_dropped || call->route->consumes[0] == '\0' ||
           err_set(err, CODE_R0422,
                   "your rights changed while the request was being sent: send it again");
}

/* Checks the media type of a body, ignoring parameters after a semicolon. */
MUST_CHECK static bool api_type_check(const struct call *call, struct err *err)
{
    struct text type = call_header(call, HTTP_CONTENT_TYPE);
    struct text rest = text_from(call->route->consumes);

    type = text_trim(text_slice(type, 0, text_find_byte(type, ';')));
    if (call->request->body.length == 0) {
        return true;
    }
    if (rest.length == 0) {
        return err_set(err, CODE_R0425, "this request takes no body");
    }
    while (rest.length > 0) {
        struct text one = text_slice(rest, 0, text_find_byte(rest, ' '));

        if (text_is_equal(one, type)) {
            return true;
        }
        rest = text_slice(rest, one.length + 1, rest.length);
    }
    return err_set(err, CODE_R0425, "the body is '%.*s'; this request takes %s", TEXT_ARG(type),
                   call->route->consumes);
}

/* Checks that the manager is ready. Requests that read or write objects need the store; the
 * liveness check does not need it. */
MUST_CHECK static bool api_ready_check(const struct call *call, struct err *err)
{
    if (call->route->who == ROUTE_ANYONE || service_is_ready(call->api->options.service)) {
        return true;
    }
    return err_set(err, CODE_R0428, "this manager is still reading its store");
}

/* Rejects requests of the compatibility API if it is not configured. The permission is checked
 * first, so that only permitted users learn whether it is configured. */
MUST_CHECK static bool api_contiv_check(const struct call *call, struct err *err)
{
    if (!call_is_contiv(call->request) || call->api->options.contiv != NULL) {
        return true;
    }
    err_set(err, CODE_R0423, "the compatibility API for Contiv is not enabled on this manager");
    return err_hint(err,
                    "set contiv in the configuration of the manager (docs/reference/reeved.md)");
}

MUST_CHECK static bool call_check(struct call *call, struct err *err)
{
    struct text path = call->request->target.path;
    struct route_match match = route_find(call->request->method, path);

    if (match.allowed_count == 0 || (call->request->peer->tag == API_TAG_NETBOOT &&
                                     !text_has_prefix(path, TEXT("/netboot/")))) {
        return err_set(err, CODE_R0423, "the API has no path %.*s", TEXT_ARG(path));
    }
    if (match.route == NULL) {
        return err_set(err, CODE_R0424, "%.*s does not accept the method %.*s", TEXT_ARG(path),
                       TEXT_ARG(call->request->method));
    }
    call->route = match.route;
    call->run = forward_is_possible(match.route) ? forward_run : match.route->run;
    call->kind = match.kind;
    call->name = match.name;
    return access_check(call, err) && api_contiv_check(call, err) && parameters_check(call, err) &&
           body_check(call, err) && api_type_check(call, err) && api_ready_check(call, err) &&
           call_number(call, "min-revision", &call->wanted, err);
}

/* ---- waiting for a revision ---- */

/* Lets a call wait, either before it has any effect, or after a write until the cache contains the
 * write. When the manager stops, calls of the first kind end immediately; calls of the second kind
 * still get their answer. */

void call_wait(struct call *call)
{
    struct api *api = call->api;
    struct err err;

    if (api->waiting_count == LIMIT_REQUESTS_WAITING) {
        err_set(&err, CODE_R0422, "%d requests are waiting for a revision", LIMIT_REQUESTS_WAITING);
        call_refuse(call, &err);
        return;
    }
    call->deadline_ms = clock_monotonic_ms(api->options.clock) + LIMIT_REVISION_WAIT_MS;
    call->next = api->waiting;
    api->waiting = call;
    api->waiting_count++;
}

static void api_wait_end(struct call *call)
{
    struct err err;

    err_set(&err, CODE_R0427, "this manager has reached revision %llu, not %llu",
            (unsigned long long)cache_revision(call->api->options.cache),
            (unsigned long long)call->wanted);
    call_refuse(call, &err);
}

void api_run(struct api *api)
{
    uint64_t revision = cache_revision(api->options.cache);
    uint64_t now_ms = api->waiting == NULL ? 0 : clock_monotonic_ms(api->options.clock);
    struct call *call = api->waiting;
    struct call *next;

    event_tail_run(service_event_tail(api->options.service));
    watch_run(api);
    executions_run(api);
    contiv_logs_run(api);
    fleets_run(api);
    poll_run(api);
    images_run(api);
    api->waiting = NULL;
    api->waiting_count = 0;
    for (; call != NULL; call = next) {
        next = call->next;
        if (call->wanted <= revision && service_is_ready(api->options.service)) {
            call->run(call);
        } else if ((api->is_draining &&
                    (call->run == call->route->run || call->run == forward_run)) ||
                   now_ms >= call->deadline_ms) {
            api_wait_end(call);
        } else {
            call->next = api->waiting;
            api->waiting = call;
            api->waiting_count++;
        }
    }
}

/* ---- callbacks of the server ---- */

/* Returns the request as all listeners except that of the compatibility API receive it. If the
 * listener serves only the compatibility API, its prefix is added to the path. */
static const struct http_request *api_request(const struct http_request *request)
{
    struct http_request *copy;

    if (request->peer->tag != API_TAG_CONTIV) {
        return request;
    }
    copy = arena_one(request->arena, struct http_request);
    *copy = *request;
    copy->target.path =
        arena_printf(request->arena, CONTIV_PREFIX "%.*s", TEXT_ARG(request->target.path));
    return copy;
}

/* Returns the maximum number of bytes of a body that a route accepts. */
static size_t api_body_room(const struct http_request *request, const struct route *route)
{
    return route == NULL || route->consumes[0] == '\0' ? 0
           : route->who == ROUTE_ANYONE                ? LIMIT_PAGE_LOGIN_BYTES
           : call_is_bytes(request)                    ? LIMIT_PLUGIN_BYTES
                                                       : LIMIT_DOCUMENT_BYTES;
}

static size_t body_max(void *arg, const struct http_request *received)
{
    struct api *api = arg;
    const struct http_request *request = api_request(received);
    struct route_match match = route_find(request->method, request->target.path);
    struct call call = { .api = api, .request = request, .arena = request->arena };
    struct err err;

    call.route = match.route;
    call.kind = match.kind;
    call.name = match.name;
    if (request->peer->tag == API_TAG_PEER) {
        /* the body is checked when the cache has reached the revision */
        return text_is(request->target.path, INSTANCES_PATH) ? LIMIT_WIRE_FRAME_BYTES
                                                             : api_body_room(request, match.route);
    }
    return match.route == NULL || match.route->consumes[0] == '\0' || !access_check(&call, &err)
               ? 0
               : api_body_room(request, match.route);
}

/* Checks a request and runs it. */
static void api_call_begin(struct call *call)
{
    struct err err;

    if (!call_check(call, &err)) {
        call_refuse(call, &err);
    } else if (call->wanted > cache_revision(call->api->options.cache)) {
        call_wait(call);
    } else {
        call->run(call);
    }
}

/* Serves a request of another manager. A forwarded request waits until the cache of this manager is
 * at least as new as the cache of the forwarding manager. Otherwise a token that was just created
 * could be unknown here. */
static void api_peer_serve(struct call *call)
{
    const struct http_request *request = call->request;
    struct route_match match = route_find(request->method, request->target.path);

    call->wanted = forward_revision(request);
    if (text_has_prefix(request->target.path, TEXT("/peer/"))) {
        forward_peer_serve(call);
    } else if (match.route != NULL && call->wanted > cache_revision(call->api->options.cache)) {
        call->route = match.route;
        call->run = api_call_begin;
        call_wait(call);
    } else {
        api_call_begin(call);
    }
}

static void serve(void *arg, struct http_exchange *exchange, const struct http_request *received)
{
    struct api *api = arg;
    const struct http_request *request = api_request(received);
    struct call *call = arena_one(request->arena, struct call);
    struct err err;

    call->api = api;
    call->exchange = exchange;
    call->request = request;
    call->arena = request->arena;
    call->start_ns = clock_monotonic_ns(api->options.clock);
    call->trace = trace_begin(call_header(call, HTTP_TRACEPARENT), api->options.random);
    if (request->fault != NULL) {
        call_refuse(call, request->fault);
    } else if (api->is_draining) {
        err_set(&err, CODE_R0428, "this manager is stopping");
        call_refuse(call, &err);
    } else if (request->peer->tag == API_TAG_PEER) {
        api_peer_serve(call);
    } else {
        api_call_begin(call);
    }
}

struct http_handler api_handler(struct api *api)
{
    return (struct http_handler){ .body_max = body_max, .serve = serve, .arg = api };
}

struct api *api_new(const struct api_options *options)
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct api *api = arena_one(memory, struct api);

    assert(options->service != NULL && options->cache != NULL && options->user_name != NULL);
    *api = (struct api){ .memory = memory, .options = *options };
    api->attempts = arena_one(memory, struct attempts);
    api->watch_entries = pool_new(WATCH_ENTRY_BYTES, LIMIT_WATCH_ENTRIES);
    return api;
}

void api_free(struct api *api)
{
    if (api != NULL) {
        assert(api->waiting == NULL && api->watchers == NULL && api->polls == NULL &&
               api->fleets == NULL && api->forwards == NULL && api->outputs == NULL);
        pool_free(api->watch_entries);
        arena_free(api->memory);
    }
}

void api_drain(struct api *api)
{
    api->is_draining = true;
    watch_drain(api);
    executions_drain(api);
    forwards_drain(api);
    outputs_drain(api);
    contiv_logs_drain(api);
    fleets_drain(api);
    images_end(api);
    api_run(api);
}
