#include "api/streams/watch.h"

#include "api/request/handlers.h"
#include "api/users/access.h"
#include "base/limits.h"
#include "service/service_read.h"
#include "state/objects.h"

#include <assert.h>
#include <string.h>

/* ---- the queue ---- */

static void watch_entry_unlink(struct watcher *watcher, struct watch_entry *entry)
{
    *(entry->before == NULL ? &watcher->first : &entry->before->next) = entry->next;
    *(entry->next == NULL ? &watcher->last : &entry->next->before) = entry->before;
}

static void entry_append(struct watcher *watcher, struct watch_entry *entry)
{
    entry->next = NULL;
    entry->before = watcher->last;
    *(watcher->last == NULL ? &watcher->first : &watcher->last->next) = entry;
    watcher->last = entry;
}

/* Releases the object. */
static void watch_entry_clear(struct watch_entry *entry)
{
    blob_free(entry->spec);
    blob_free(entry->status);
    entry->spec = NULL;
    entry->status = NULL;
}

void watch_entry_drop(struct watcher *watcher)
{
    struct watch_entry *entry = watcher->first;
    struct api *api = watcher->call->api;

    assert(entry != NULL && watcher->entry_count > 0);
    watch_entry_unlink(watcher, entry);
    if (map_find(&watcher->entries, blob_text(entry->key)) == entry) {
        map_remove(&watcher->entries, blob_text(entry->key));
    }
    watch_entry_clear(entry);
    blob_free(entry->key);
    pool_give(api->watch_entries, entry);
    watcher->entry_count--;
    if (watcher->is_held && watcher->watch != NULL &&
        watcher->entry_count < LIMIT_WATCH_ORDERED / 2) {
        watcher->is_held = false;
        cache_watch_hold(watcher->watch, false);
        api->options.loop_turn_want(api->options.arg);
    }
}

static void queue_clear(struct watcher *watcher)
{
    watcher->is_held = false;
    while (watcher->first != NULL) {
        watch_entry_drop(watcher);
    }
}

/* Ends a watch that has missed changes: they can no longer be sent. */
static void watcher_reset(struct watcher *watcher)
{
    queue_clear(watcher);
    watcher->is_reset = true;
    watcher->call->api->watch_resets++;
    if (watcher->watch != NULL) {
        cache_watch_close(watcher->watch);
        watcher->watch = NULL;
    }
}

/* Returns the queue entry for a change: a new one, or the entry of an older change of the object,
 * which is then not sent. The entry is moved to the end. One revision may change two parts of an
 * object; that is one event. NULL: the queue is full. */
static struct watch_entry *watch_entry_take(struct watcher *watcher,
                                            const struct cache_change *change)
{
    struct watch_entry *entry = map_find(&watcher->entries, blob_text(change->key));

    assert(watcher->entry_count < LIMIT_WATCH_QUEUE && "held when it is full");
    if (entry != NULL &&
        (entry->revision == change->revision || watcher->entry_count >= LIMIT_WATCH_ORDERED)) {
        watch_entry_unlink(watcher, entry);
        entry_append(watcher, entry);
        watch_entry_clear(entry);
        return entry;
    }
    if (entry != NULL) { /* removed first, because the map borrows its key from the old entry */
        map_remove(&watcher->entries, blob_text(entry->key));
    }
    entry = pool_take(watcher->call->api->watch_entries);
    if (entry != NULL) {
        entry->key = blob_share(change->key);
        map_put(&watcher->entries, blob_text(entry->key), entry);
        entry_append(watcher, entry);
        watcher->entry_count++;
    }
    return entry;
}

static void watch_entry_fill(struct watch_entry *entry, const struct cache_change *change)
{
    const struct cache_bytes *spec = &change->parts[CACHE_SPEC];
    const struct cache_bytes *status = &change->parts[CACHE_STATUS];

    assert(entry->spec == NULL && entry->status == NULL);
    entry->revision = change->revision;
    if (service_is_kept(entry->kind)) {
        if (change->move != CACHE_LEAVES && status->bytes != NULL) {
            entry->spec = spec->bytes == NULL ? NULL : blob_share(spec->bytes);
            entry->status = blob_share(status->bytes);
            entry->spec_revision = status->revision;
        }
        return;
    }
    if (change->move != CACHE_LEAVES && spec->bytes != NULL) {
        entry->spec = blob_share(spec->bytes);
        entry->spec_revision = spec->revision;
        entry->status = status->bytes == NULL ? NULL : blob_share(status->bytes);
    }
}

static bool is_watched(const struct watcher *watcher, const struct schema_kind *kind)
{
    size_t count;

    return kind != NULL && (watcher->kinds >> (kind - schema_kinds(&count)) & 1) != 0;
}

/* Returns whether the id belongs to the watched cluster: the cluster itself, or one of its groups,
 * machines, holds and jobs, whose ids begin with the cluster's. */
static bool is_watch_within(const struct watcher *watcher, struct text id)
{
    return watcher->cluster.length == 0 ||
           text_is_equal(text_slice(id, 0, text_find_byte(id, '/')), watcher->cluster);
}

/* Converts a change of a node's record into a change of its machine, because clients see both
 * records as one object. If the machine's record has changed later, the later change reports both.
 * Returns false if there is nothing to send. */
MUST_CHECK static bool is_watch_of_machine(const struct watcher *watcher,
                                           const struct cache_change *change,
                                           struct cache_change *out)
{
    const struct cache_object *machine;

    if (!text_is(change->kind, "Node") || watcher->scope.selector != NULL) {
        return false;
    }
    machine =
        cache_find(watcher->call->api->options.cache, change->tenant, TEXT("Resource"), change->id);
    if (machine == NULL || machine->parts[CACHE_STATUS].bytes == NULL ||
        machine->parts[CACHE_STATUS].revision > change->revision) {
        return false;
    }
    *out = *change;
    out->key = machine->key;
    out->kind = TEXT("Resource");
    out->move = CACHE_STAYS;
    out->parts = machine->parts;
    return true;
}

static void watch_change_seen(void *arg, enum cache_watch_state state,
                              const struct cache_change *change)
{
    struct watcher *watcher = arg;
    const struct schema_kind *kind;
    struct cache_change of_machine;
    struct watch_entry *entry;

    if (state == CACHE_WATCH_RESET) {
        watcher->watch = NULL; /* the watch has ended */
        watcher_reset(watcher);
        http_stream_wake(watcher->call->exchange);
        return;
    }
    if (is_watch_of_machine(watcher, change, &of_machine)) {
        change = &of_machine;
    }
    kind = schema_kind_find(change->kind);
    if (!is_watched(watcher, kind) || change->part == CACHE_BASE ||
        !is_watch_within(watcher, change->id)) {
        return;
    }
    entry = watch_entry_take(watcher, change);
    if (entry == NULL) {
        watcher_reset(watcher);
    } else {
        entry->kind = kind;
        watch_entry_fill(entry, change);
        watcher->is_held = watcher->entry_count == LIMIT_WATCH_QUEUE;
        watcher->partial_revision = watcher->is_held && !change->is_last ? change->revision : 0;
        cache_watch_hold(watcher->watch, watcher->is_held);
    }
    http_stream_wake(watcher->call->exchange);
}

static void events_ready(void *arg)
{
    struct watcher *watcher = arg;

    http_stream_wake(watcher->call->exchange);
}

/* ---- the stream ---- */

static size_t watcher_read(void *arg, char *out, size_t room, bool *is_end)
{
    struct watcher *watcher = arg;
    size_t bytes = 0;

    while (bytes < room) {
        size_t step;

        if (watcher->text.length == 0) {
            arena_rewind(watcher->call->arena, watcher->mark);
            watcher->text = watch_event_next(watcher);
        }
        step = watcher->text.length < room - bytes ? watcher->text.length : room - bytes;
        if (step == 0) {
            break;
        }
        memcpy(out + bytes, watcher->text.data, step);
        watcher->text = text_slice(watcher->text, step, watcher->text.length);
        bytes += step;
    }
    *is_end = bytes == 0 && watcher->is_ending;
    watcher->quiet_ms = clock_monotonic_ms(watcher->call->api->options.clock);
    return bytes;
}

static void watcher_closed(void *arg)
{
    struct watcher *watcher = arg;
    struct api *api = watcher->call->api;

    queue_clear(watcher);
    if (watcher->watch != NULL) {
        cache_watch_close(watcher->watch);
    }
    if (watcher->events != NULL) {
        event_reader_close(watcher->events);
    }
    *(watcher->before == NULL ? &api->watchers : &watcher->before->next) = watcher->next;
    if (watcher->next != NULL) {
        watcher->next->before = watcher->before;
    }
    assert(api->watcher_count > 0);
    api->watcher_count--;
    arena_free(watcher->memory);
}

/* ---- start ---- */

/* Reads kinds=cluster,nodegroup; an empty text means all kinds. Events are requested with the kind
 * `event`, although they are not objects. */
MUST_CHECK static bool kinds_read(struct text text, uint64_t *out, bool *out_events,
                                  struct err *err)
{
    size_t count;
    const struct schema_kind *kinds = schema_kinds(&count);

    *out = 0;
    assert(count <= 64);
    for (size_t i = 0; text.length == 0 && i < count; i++) {
        /* other kinds are watched only if the request lists them */
        *out |= kinds[i].is_in_files ? UINT64_C(1) << i : 0;
    }
    while (text.length > 0) {
        struct text word = text_slice(text, 0, text_find_byte(text, ','));
        const struct schema_kind *kind = schema_kind_of_word(word);

        if (text_is(word, "event") || text_is(word, "events")) {
            *out_events = true;
        } else if (kind == NULL || !(kind->is_in_files || service_is_kept(kind))) {
            err_set(err, CODE_R0426, "kinds has '%.*s', which cannot be watched", TEXT_ARG(word));
            return err_hint(err, "write kinds=cluster,nodegroup,resource,hold,job,event");
        } else {
            *out |= UINT64_C(1) << (kind - kinds);
        }
        text = text_slice(text, word.length + 1, text.length);
    }
    return true;
}

/* Reads the position at which to resume, from Last-Event-ID or from the parameter `from`: REVISION
 * or OBJECTS.EVENTS. */
MUST_CHECK static bool start_read(struct watcher *watcher, struct err *err)
{
    struct call *call = watcher->call;
    struct text last = call_header(call, HTTP_LAST_EVENT_ID);
    struct text events;
    int64_t revision = 0;
    int64_t events_revision = 0;

    watcher->start = cache_revision(call->api->options.cache);
    watcher->events_start = watcher->start;
    if (last.length == 0) {
        last = call_parameter(call, "from");
    }
    if (last.length == 0) {
        return true;
    }
    events = text_slice(last, text_find_byte(last, '.'), last.length);
    if (!text_parse_int64(text_slice(last, 0, last.length - events.length), &revision) ||
        revision < 0 ||
        (events.length > 0 &&
         (!text_parse_int64(text_slice(events, 1, events.length), &events_revision) ||
          events_revision < 0))) {
        return err_set(err, CODE_R0426, "'%.*s' is not a revision from which a watch can resume",
                       TEXT_ARG(last));
    }
    watcher->start = (uint64_t)revision;
    watcher->events_start = (uint64_t)(events.length > 0 ? events_revision : revision);
    watcher->is_resuming = true;
    return true;
}

/* Reads cluster=NAME or cluster=ID. */
MUST_CHECK static bool watch_cluster_read(struct watcher *watcher, struct err *err)
{
    struct call *call = watcher->call;
    struct text name = call_parameter(call, "cluster");
    const struct schema_kind *clusters = objects_kind("Cluster");
    const struct cache_object *object;

    if (name.length == 0) {
        return true;
    }
    object = objects_find(call->api->options.cache, call->actor.tenant, clusters, name);
    if (object == NULL) {
        err_set(err, CODE_R0403, "there is no cluster '%.*s'", TEXT_ARG(name));
        return err_hint(err, "reeve get clusters lists them");
    }
    watcher->cluster = arena_text(call->arena, cache_id(object));
    return true;
}

/* Returns the scope of the requested events: the cluster, or the whole tenant. */
static struct text events_of(const struct watcher *watcher)
{
    const struct call *call = watcher->call;

    return watcher->cluster.length == 0
               ? call->actor.tenant
               : arena_printf(call->arena, "%.*s/%.*s", TEXT_ARG(call->actor.tenant),
                              TEXT_ARG(watcher->cluster));
}

MUST_CHECK static bool watcher_make(struct call *call, struct watcher *watcher, struct err *err)
{
    struct text selector = call_parameter(call, "selector");

    *watcher = (struct watcher){ .call = call };
    if (call->api->watcher_count >= LIMIT_WATCHERS) {
        return err_set(err, CODE_R0422, "%d clients are watching already", LIMIT_WATCHERS);
    }
    if (!kinds_read(call_parameter(call, "kinds"), &watcher->kinds, &watcher->has_events, err) ||
        !start_read(watcher, err) || !watch_cluster_read(watcher, err)) {
        return false;
    }
    watcher->scope.prefix = arena_printf(call->arena, "/%.*s/", TEXT_ARG(call->actor.tenant));
    if (selector.length > 0) {
        if (!selector_parse(call->arena, selector, &watcher->selector, err)) {
            return false;
        }
        watcher->scope.selector = &watcher->selector;
    }
    return true;
}

void api_watch(struct call *call)
{
    struct watcher *watcher = arena_one(call->arena, struct watcher);
    struct http_stream stream = { watcher_read, watcher_closed, watcher };
    struct api *api = call->api;
    struct err err;

    if (!watcher_make(call, watcher, &err)) {
        call_refuse(call, &err);
        return;
    }
    watcher->memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    map_init(&watcher->entries, watcher->memory);
    watcher->quiet_ms = clock_monotonic_ms(api->options.clock);
    watcher->next = api->watchers;
    if (api->watchers != NULL) {
        api->watchers->before = watcher;
    }
    api->watchers = watcher;
    api->watcher_count++;
    watcher->watch = cache_watch(api->options.cache, &watcher->scope, watcher->start + 1,
                                 watch_change_seen, watcher);
    call_answer_fields(call, &(struct http_answer){ .status = 200,
                                                    .content_type = "text/event-stream",
                                                    .stream = &stream });
    watcher->mark = arena_mark(call->arena);
    if (watcher->has_events) {
        watcher->events =
            event_reader_open(service_event_tail(api->options.service), events_of(watcher),
                              watcher->events_start, events_ready, watcher);
    }
    if (watcher->is_resuming ||
        watcher->has_events) { /* request an iteration, in which missed changes are sent */
        api->options.loop_turn_want(api->options.arg);
    }
}

/* ---- periodic work ---- */

/* Returns whether watchers must be informed now that the manager has lost or regained the
 * connection to its store. */
static bool watch_freshness_changed(struct api *api)
{
    struct api_stale stale;
    bool was_stale = api->is_stale;

    api->is_stale = api->options.is_stale(api->options.arg, &stale);
    return api->is_stale != was_stale;
}

void watch_run(struct api *api)
{
    uint64_t now_ms = api->watchers == NULL ? 0 : clock_monotonic_ms(api->options.clock);
    bool has_news;

    if (now_ms - api->watch_swept_ms < LIMIT_WATCH_COMMENT_MS / 30) {
        return;
    }
    api->watch_swept_ms = now_ms;
    has_news = watch_freshness_changed(api);
    for (struct watcher *watcher = api->watchers; watcher != NULL; watcher = watcher->next) {
        struct call probe = *watcher->call; /* a copy, because access_check changes it */
        struct err err;

        if (watcher->is_comment_due ||
            (!has_news && now_ms - watcher->quiet_ms < LIMIT_WATCH_COMMENT_MS)) {
            continue;
        }
        watcher->is_comment_due = true;
        watcher->is_ending = watcher->is_ending || !access_check(&probe, &err);
        http_stream_wake(watcher->call->exchange);
    }
}

void watch_drain(struct api *api)
{
    for (struct watcher *watcher = api->watchers; watcher != NULL; watcher = watcher->next) {
        watcher->is_ending = true;
        http_stream_wake(watcher->call->exchange);
    }
}
