#ifndef REEVE_API_STREAMS_WATCH_H
#define REEVE_API_STREAMS_WATCH_H

#include "api/request/call.h"
#include "base/map.h"
#include "state/event_tail.h"

/* public names start with: watch_ watcher_ */

/* GET /v1/watch: a client receives changes as server-sent events.
 *
 * A watcher has a queue of changes in order of their revisions, each with the object as it was
 * then. A client that keeps up receives every change. If a client is LIMIT_WATCH_ORDERED changes
 * behind, a newer change of an object replaces its queued one. At LIMIT_WATCH_QUEUE entries the
 * watch pauses at its position in the cache's shared ring of changes, so that one change of very
 * many objects ends no stream. If the ring drops changes that a client has not received, the client
 * must start again.
 *
 * With cluster= only that cluster and its objects are sent, so that a user with rights to only that
 * cluster may watch it.
 *
 * A client that requests events (kinds=event) receives those too, each once, as far back as they
 * are kept. Objects and events advance independently. Therefore an id is then OBJECTS.EVENTS, the
 * revisions that both have reached. */

/* A change that was not sent yet. The watcher and the ring of changes share the object. */
struct watch_entry {
    struct watch_entry *next;
    struct watch_entry *before;
    struct blob *key; /* key of the object: /TENANT/KIND/ID */
    const struct schema_kind *kind;
    uint64_t revision;
    /* NULL: the object is no longer watched, because it was deleted or no longer matches. */
    struct blob *spec;
    uint64_t spec_revision;
    struct blob *status; /* NULL: the object has no status */
};

enum { WATCH_ENTRY_BYTES = sizeof(struct watch_entry) };

struct watcher {
    struct watcher *next;
    struct watcher *before;
    struct call *call;
    struct cache_watch *watch;
    struct cache_scope scope;
    struct selector selector;
    struct text cluster;  /* id of the watched cluster; empty: all */
    uint64_t kinds;       /* bits by index in schema_kinds */
    struct arena *memory; /* memory of the map */
    struct map entries;   /* key to the newest entry of the object */
    struct watch_entry *first;
    struct watch_entry *last;
    size_t entry_count;
    struct arena_mark mark; /* position in the request's arena; `text` lies after it */
    struct text text;       /* unsent rest of the text */
    uint64_t start;         /* revision after which the watch resumes */
    uint64_t events_start;  /* position in the events after which the watch resumes */
    /* Revision of the newest id that was sent, for objects and for events. */
    uint64_t reported;
    uint64_t events_reported;
    struct event_reader *events; /* NULL: events are not requested */
    bool has_events;
    bool is_events_turn; /* true: the next text is taken from the events, because objects and events
                          * alternate */
    uint64_t quiet_ms;   /* time of the last output */
    bool is_resuming;
    bool is_held; /* paused until the client has read some of the queue */
    /* The last revision in the queue is incomplete; 0: the queue ends with a complete revision. */
    uint64_t partial_revision;
    bool has_hello;
    bool is_stale; /* the client was informed that the manager is disconnected from its store */
    bool is_comment_due;
    bool is_reset;
    bool is_ending;
};

/* Sends comments on idle streams, and ends the streams of users who have lost the permission. */
void watch_run(struct api *api);

/* Ends all streams. */
void watch_drain(struct api *api);

/* Removes the first entry of the queue. */
void watch_entry_drop(struct watcher *watcher);

/* Formats and returns the next text to send (watch_event.c); empty: nothing now. */
struct text watch_event_next(struct watcher *watcher);

#endif
