#include "api/streams/streams.h"
#include "base/limits.h"
#include "state/objects.h"

#include <assert.h>

/* public names start with: poll_ */

struct poll {
    struct poll *next;
    struct call *call;
    struct cache_watch *watch; /* NULL: the watch has reported the awaited change */
    struct cache_scope scope;
    struct selector selector;
    struct text id; /* id of the object; empty: any object of the watched list */
    uint64_t deadline_ms;
};

/* Handles a change of the watched list or object. The watched prefix also matches ids that begin
 * with the id of the object, so the id is compared. */
static void poll_change_seen(void *arg, enum cache_watch_state state,
                             const struct cache_change *change)
{
    struct poll *poll = arg;

    if (state == CACHE_WATCH_RESET) { /* the object may have changed: answer now */
        poll->watch = NULL;
    } else if (change->part != CACHE_BASE &&
               (poll->id.length == 0 || text_is_equal(poll->id, change->id))) {
        cache_watch_close(poll->watch);
        poll->watch = NULL;
    }
}

/* Finds the list or object that the call watches. Returns false if the object does not exist; the
 * route itself reports that. */
MUST_CHECK static bool scope_find(struct poll *poll)
{
    struct call *call = poll->call;
    struct text cluster = call_parameter(call, "cluster");
    const struct cache *cache = call->api->options.cache;
    const struct cache_object *object;

    poll->scope.kind = text_from(call->kind->name);
    if (call->name.length > 0) {
        object = objects_find(cache, call->actor.tenant, call->kind, call->name);
        if (object == NULL) {
            return false;
        }
        poll->scope.prefix = arena_text(call->arena, blob_text(object->key));
        poll->id = arena_text(call->arena, cache_id(object));
        return true;
    }
    if (cluster.length == 0) {
        poll->scope.prefix =
            arena_printf(call->arena, "/%.*s/%s/", TEXT_ARG(call->actor.tenant), call->kind->name);
        return true;
    }
    object = objects_find(cache, call->actor.tenant, objects_kind("Cluster"), cluster);
    if (object != NULL) {
        poll->scope.prefix = objects_group_prefix(call->arena, call->actor.tenant,
                                                  arena_text(call->arena, cache_id(object)));
    }
    return object != NULL;
}

MUST_CHECK static bool poll_read(struct poll *poll, uint64_t *out_revision, struct err *err)
{
    struct call *call = poll->call;
    struct text selector = call_parameter(call, "selector");

    if (!call_number(call, "wait", out_revision, err)) {
        return false;
    }
    if (call_parameter(call, "next").length > 0 || call_parameter(call, "at").length > 0) {
        return err_set(err, CODE_R0426, "wait= cannot be combined with next= or at=");
    }
    if (call->api->poll_count == LIMIT_POLLS) {
        return err_set(err, CODE_R0422, "%d requests are waiting for a change already",
                       LIMIT_POLLS);
    }
    if (selector.length > 0) {
        poll->scope.selector = &poll->selector;
        return selector_parse(call->arena, selector, &poll->selector, err);
    }
    return true;
}

bool poll_begin(struct call *call)
{
    struct api *api = call->api;
    struct poll *poll;
    uint64_t revision;
    struct err err;

    if (call_parameter(call, "wait").length == 0 || call->state != NULL) {
        return false; /* the call does not wait, or has already waited */
    }
    poll = arena_one(call->arena, struct poll);
    *poll = (struct poll){ .call = call };
    call->state = poll;
    if (!poll_read(poll, &revision, &err)) {
        call_refuse(call, &err);
        return true;
    }
    if (!scope_find(poll)) {
        return false;
    }
    poll->deadline_ms = clock_monotonic_ms(api->options.clock) + LIMIT_POLL_MS;
    poll->watch =
        cache_watch(api->options.cache, &poll->scope, revision + 1, poll_change_seen, poll);
    poll->next = api->polls;
    api->polls = poll;
    api->poll_count++;
    /* run an iteration soon, because the change may exist already */
    api->options.loop_turn_want(api->options.arg);
    return true;
}

/* Answers 304 (no change). Its headers have the revision with which the client can wait again. */
static void poll_report_none(struct poll *poll)
{
    cache_watch_close(poll->watch);
    call_answer_fields(poll->call, &(struct http_answer){ .status = 304 });
}

void poll_run(struct api *api)
{
    uint64_t now_ms = api->polls == NULL ? 0 : clock_monotonic_ms(api->options.clock);
    struct poll *poll = api->polls;
    struct poll *next;

    api->polls = NULL;
    for (; poll != NULL; poll = next) {
        next = poll->next;
        if (poll->watch != NULL && now_ms < poll->deadline_ms && !api->is_draining) {
            poll->next = api->polls;
            api->polls = poll;
            continue;
        }
        assert(api->poll_count > 0);
        api->poll_count--;
        if (poll->watch == NULL) {
            poll->call->run(poll->call);
        } else {
            poll_report_none(poll);
        }
    }
}
