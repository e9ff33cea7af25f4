#ifndef REEVE_API_WATCH_H
#define REEVE_API_WATCH_H

#include "api/call.h"
#include "base/map.h"

/* names: watch_ watcher_ */

/* GET /v1/watch: a client is told of changes as server-sent events.
 *
 * A watcher has a queue of objects that changed, each once, in order of the revision of its newest change; what is
 * sent is the object as it stands when it is sent. So a client that reads slowly gets fewer events and nothing
 * that is stale, and one that does not read at all costs a bounded queue, then one reset. */

/* An object that the client has not read of. */
struct watch_entry {
    struct watch_entry *next;
    struct watch_entry *before;
    struct blob *key; /* KIND/ID */
    const struct schema_kind *kind;
    uint64_t revision;
    bool is_gone; /* out of what is watched: deleted, or it does not match any more */
};

enum { WATCH_ENTRY_BYTES = sizeof(struct watch_entry) };

struct watcher {
    struct watcher *next;
    struct watcher *before;
    struct call *call;
    struct cache_watch *watch;
    struct cache_scope scope;
    struct selector selector;
    uint64_t kinds;     /* bits by index in schema_kinds */
    struct arena *home; /* of the map */
    struct map entries; /* key to entry */
    struct watch_entry *first;
    struct watch_entry *last;
    struct arena_mark mark; /* of the request's arena: behind it lies the text being sent */
    struct text text;       /* what is left of it */
    uint64_t start;         /* revision it resumes behind */
    uint64_t quiet_ms;      /* when something was last sent */
    bool is_resuming;
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
