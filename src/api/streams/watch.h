#ifndef REEVE_API_STREAMS_WATCH_H
#define REEVE_API_STREAMS_WATCH_H

#include "api/request/call.h"
#include "base/map.h"
#include "state/event_tail.h"

/* names: watch_ watcher_ */

/* GET /v1/watch: a client receives changes as server-sent events.
 *
 * A watcher has a queue of changes in order of their revisions, each with the object as it was
 * then. Who keeps up receives every change. A client that is LIMIT_WATCH_ORDERED changes behind
 * receives fewer: what is queued of an object gives way to its newer change. At LIMIT_WATCH_QUEUE
 * the watch is held in the row of changes that all share, so that one change of very many objects
 * ends no stream; a client that falls out of that queue has to start again.
 *
 * Of one cluster (cluster=) only that and what belongs to it is sent, so that a user with rights to
 * that cluster alone may watch it.
 *
 * A client that requests events (kinds=event) receives those too, each once, as far back as they
 * are kept: they go on by themselves, so an id is OBJECTS.EVENTS then, the revision that either has
 * reached. */

/* A change that the client has not read of. The object is shared with the row of changes. */
struct watch_entry {
    struct watch_entry *next;
    struct watch_entry *before;
    struct blob *key; /* /TENANT/KIND/ID */
    const struct schema_kind *kind;
    uint64_t revision;
    struct blob *spec; /* NULL: out of what is watched: deleted, or it does not match any more */
    uint64_t spec_revision;
    struct blob *status; /* NULL: it has none */
};

enum { WATCH_ENTRY_BYTES = sizeof(struct watch_entry) };

struct watcher {
    struct watcher *next;
    struct watcher *before;
    struct call *call;
    struct cache_watch *watch;
    struct cache_scope scope;
    struct selector selector;
    struct text cluster;  /* id of the one that it is about; empty: all */
    uint64_t kinds;       /* bits by index in schema_kinds */
    struct arena *memory; /* of the map */
    struct map entries;   /* key to the newest entry of the object */
    struct watch_entry *first;
    struct watch_entry *last;
    size_t entry_count;
    struct arena_mark mark; /* of the request's arena: after it lies the text being sent */
    struct text text;       /* what is left of it */
    uint64_t start;         /* revision it resumes behind */
    uint64_t events_start;  /* the same of its events */
    uint64_t reported;      /* revision of the newest id that was sent, of objects, and of events */
    uint64_t events_reported;
    struct event_reader *events; /* NULL: none are wanted */
    bool has_events;
    bool is_events_turn; /* objects and events take turns */
    uint64_t quiet_ms;   /* when something was last sent */
    bool is_resuming;
    bool is_held;              /* until the client has read some of the queue */
    uint64_t partial_revision; /* the queue ends within it; 0: with a whole one */
    bool has_hello;
    bool is_comment_due;
    bool is_reset;
    bool is_ending;
};

/* Send comments to those that were quiet for long, and end those who may not watch any more. */
void watch_run(struct api *api);

/* Let all streams end. */
void watch_drain(struct api *api);

/* Take the first entry off the queue. */
void watch_entry_drop(struct watcher *watcher);

/* What is to be sent next; empty: nothing now (watch_event.c). */
struct text watch_event_next(struct watcher *watcher);

#endif
