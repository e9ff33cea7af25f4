#ifndef REEVE_STATE_CACHE_H
#define REEVE_STATE_CACHE_H

#include "base/mem.h"
#include "state/store.h"
#include "selector/selector.h"

/* The object cache: all objects of a store in memory, in one ordered structure, sorted by tenant
 * first. It owns their canonical bytes. It serves reads and watches, so that clients never access
 * the store.
 *
 * The cache lists the store once, at the revision LIMIT_CACHE_BEHIND before the latest one, and
 * then follows it with one watch. It is ready when it has reached the latest revision, so watches
 * may resume from any revision since the listed one. Its content is always that of one revision:
 * the newest one that it has received completely. Reads within one callback of the event loop
 * therefore see a consistent snapshot. Bytes are shared blobs, so a caller may keep them longer.
 * All calls are made on the loop thread.
 *
 * Keys are /TENANT/KIND/ID/{spec,status,base}; other keys are ignored. */

enum cache_part { CACHE_SPEC, CACHE_STATUS, CACHE_BASE, CACHE_PART_COUNT };

/* One part of an object; bytes is NULL if it does not exist. */
struct cache_bytes {
    struct blob *bytes;
    uint64_t revision;   /* revision of the newest change of the part; for the spec, the ETag */
    struct blob *traits; /* the data that selectors read, cached after the first use; else NULL */
};

/* One object. Read-only, and valid until the current callback of the event loop returns. */
struct cache_object {
    struct blob *key; /* /TENANT/KIND/ID */
    /* Offsets of the kind and the id in `key`. They are not copied, because copies would take
     * memory for a million objects. */
    uint16_t kind_at;
    uint16_t id_at;
    struct cache_bytes parts[CACHE_PART_COUNT];
};

/* Return one of the three names in the key of an object. Borrowed. */
static inline struct text cache_tenant(const struct cache_object *object)
{
    return text_slice(blob_text(object->key), 1, object->kind_at - 2u);
}

static inline struct text cache_kind(const struct cache_object *object)
{
    return text_slice(blob_text(object->key), object->kind_at,
                      object->id_at - 1u - object->kind_at);
}

static inline struct text cache_id(const struct cache_object *object)
{
    return text_slice(blob_text(object->key), object->id_at, SIZE_MAX);
}

struct cache;

/* The state of the cache. */
enum cache_state {
    CACHE_LOADING, /* not complete yet */
    CACHE_READY,
    CACHE_LOST, /* The store failed; cache_run loads everything again. */
};

/* Creates a cache that follows a store, which must outlive it. Keeps at most `changes_max` (a power
 * of two) changes for slow watches. Their memory is limited to the memory of all current values,
 * but at least LIMIT_CACHE_PAST_BYTES, so that a few large objects with frequent changes do not
 * exhaust the memory. */
struct cache *cache_new(struct store *store, size_t changes_max);

/* Creates a cache like cache_new, but loads only the current state, without the changes from before
 * the start. */
struct cache *cache_new_latest(struct store *store, size_t changes_max);
/* Create a cache in two steps. cache_new_ahead creates a cache that receives the content of a store
 * through cache_reading while the store is being opened. cache_follow then follows the store, and
 * need not list the received content. */
struct cache *cache_new_ahead(size_t changes_max);
struct store_reading cache_reading(struct cache *cache);
void cache_follow(struct cache *cache, struct store *store);

/* Frees the cache and all its watches, before the store is closed. A running list call ends with
 * the store, which must be closed or run afterwards. NULL is allowed. */
void cache_free(struct cache *cache);

/* Report pending changes to watches. Call it after store_run. Returns the number of reported
 * changes. */
size_t cache_run(struct cache *cache);

/* cache_state returns the state of the cache, cache_revision its revision, and cache_count its
 * number of objects. */
enum cache_state cache_state(const struct cache *cache);
uint64_t cache_revision(const struct cache *cache);
size_t cache_count(const struct cache *cache);

/* Find an object; NULL if it does not exist. */
const struct cache_object *cache_find(const struct cache *cache, struct text tenant,
                                      struct text kind, struct text id);

/* Iterate in order of tenant, kind and id: cache_first returns the first object whose key has the
 * prefix, cache_next the one after `object`. NULL: the end. */
const struct cache_object *cache_first(const struct cache *cache, struct text prefix);
const struct cache_object *cache_next(const struct cache *cache, struct text prefix,
                                      const struct cache_object *object);

/* A subset of all objects. */
struct cache_scope {
    struct text prefix; /* prefix of /TENANT/KIND/ID; every key begins with / */
    struct text kind;   /* only this kind; empty: every kind */
    /* Only objects that match the selector; NULL: all objects. The selector reads the labels of the
     * spec, and of the status the facts and the fields state and status. */
    const struct selector *selector;
};

/* True if an object with these parts matches the selector. Reads missing traits into the parts,
 * whose owner frees them. */
bool cache_parts_match(const struct selector *selector,
                       struct cache_bytes parts[static CACHE_PART_COUNT]);

/* ---- lists ---- */

/* One row of a list. The object is valid until this returns. */
typedef void cache_row(void *arg, const struct cache_object *object);

/* The position in a list. Input: the token of the previous page; empty: start of the list. Output:
 * the next token; empty: this was the last page. */
struct cache_page {
    uint64_t revision; /* output: the revision that the rows of all pages show */
    struct text token;
};

/* Lists a scope in order of tenant, kind, id: at most `limit` (> 0) rows after the token. An empty
 * token begins a list. All pages of a list show the state of the revision at which it began, if the
 * kept changes reach back that far. If not, fails with R0503, and the caller must begin again.
 * Fails with R0537 for a token that this scope never returned. The new token and temporary data
 * live in the arena.
 *
 * There is no index by kind. Keys are in order of tenant, then kind, so the objects of one kind and
 * tenant are contiguous. Only an admin may list one kind in all tenants; this requires one lookup
 * in the tree for each tenant. */
MUST_CHECK bool cache_list(struct cache *cache, struct arena *arena,
                           const struct cache_scope *scope, struct cache_page *page, size_t limit,
                           cache_row *row, void *arg, struct err *err);

/* ---- watches ---- */

/* The effect of a change on an object's membership in a scope. */
enum cache_move {
    CACHE_STAYS,  /* the object was in the scope and still is in it */
    CACHE_ENTERS, /* the object was not in the scope and now is in it: read all its parts */
    /* The object was in the scope and no longer is: it was deleted, or it no longer matches. */
    CACHE_LEAVES,
};

/* One change as a watch receives it. */
struct cache_change {
    uint64_t revision;
    struct blob *key; /* /TENANT/KIND/ID, borrowed; the names below are parts of it */
    struct text tenant;
    struct text kind;
    struct text id;
    enum cache_part part;
    enum cache_move move;
    struct blob *bytes;              /* bytes of the part, borrowed; NULL: deleted */
    const struct cache_bytes *parts; /* all parts after this change, CACHE_PART_COUNT of them */
    /* The last change of its revision: the state received so far is consistent. */
    bool is_last;
};

enum cache_watch_state {
    CACHE_WATCH_CHANGE,
    /* The changes that the watch has not received yet were dropped: list again. The watch has
     * ended. */
    CACHE_WATCH_RESET,
};

typedef void cache_seen(void *arg, enum cache_watch_state state, const struct cache_change *change);

struct cache_watch;

/* Receives every change in a scope from from_revision on, in order and exactly once. A watch is a
 * position in the shared ring of changes, so a slow watch costs no memory. If the ring drops that
 * position, the watch receives RESET. The first call of `seen` is made in cache_run. The selector
 * must outlive the watch. */
struct cache_watch *cache_watch(struct cache *cache, const struct cache_scope *scope,
                                uint64_t from_revision, cache_seen *seen, void *arg);

/* Pauses a watch, or lets it continue from where it was paused. If the ring has dropped that
 * position, the watch receives RESET like any slow watch. May be called from `seen`. */
void cache_watch_hold(struct cache_watch *watch, bool is_held);

/* Close a watch; `seen` is no longer called. May be called from `seen`. */
void cache_watch_close(struct cache_watch *watch);

#endif
