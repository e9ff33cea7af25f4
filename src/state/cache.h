#ifndef REEVE_STATE_CACHE_H
#define REEVE_STATE_CACHE_H

#include "base/mem.h"
#include "state/store.h"
#include "model/selector.h"

/* The watch cache: all objects of a store in memory, in one ordered structure, tenant first, that owns
 * their canonical bytes. It serves reads and watches, so that clients never touch the store.
 *
 * It lists the store once, as it was LIMIT_CACHE_BEHIND revisions ago, then follows it by one watch, and is ready when
 * it has caught up: watches may resume behind any revision since then. It always stands at one revision, the newest
 * of which it was told all, so what is read in one turn of the loop is a consistent snapshot; bytes
 * are shared blobs and may be kept beyond it. All calls are on the loop thread.
 *
 * Keys are /TENANT/KIND/ID/{spec,status,base}; other keys are none of its objects. */

enum cache_part { CACHE_SPEC, CACHE_STATUS, CACHE_BASE, CACHE_PART_COUNT };

/* One part of an object; bytes NULL: it is not there. */
struct cache_bytes {
    struct blob *bytes;
    uint64_t revision;   /* of its newest change; of the spec it is the ETag */
    struct blob *traits; /* what selectors see of the bytes, once one has asked; else NULL */
};

/* One object. Readers only read it, and not beyond the turn of the loop. */
struct cache_object {
    struct blob *key; /* /TENANT/KIND/ID */
    uint16_t
        kind_at; /* where they begin in it: there are a million objects, so their names stand once */
    uint16_t id_at;
    struct cache_bytes parts[CACHE_PART_COUNT];
};

/* The three names in its key. Borrowed. */
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

/* How the cache stands. */
enum cache_state {
    CACHE_LOADING, /* not everything is there yet */
    CACHE_READY,
    CACHE_LOST, /* the store could not tell; cache_run begins anew */
};

/* Follow a store, which must outlive the cache. At most `changes_max` (a power of two) changes are kept for watches that are
 * behind, and no more than weigh as much as all that there is (LIMIT_CACHE_PAST_BYTES may be kept of the smallest store): few
 * large objects that change often do not fill the memory with what they were. */
struct cache *cache_new(struct store *store, size_t changes_max);

/* The same for who will not ask for changes from before its start: it begins with what is there now, and reads nothing of
 * how that came. */
struct cache *cache_new_latest(struct store *store, size_t changes_max);
/* The same in two steps: first a cache that is told, through its reading, what a store holds while that is opened; then it
 * follows the store, and need not list what it was told. */
struct cache *cache_new_ahead(size_t changes_max);
struct store_reading cache_reading(struct cache *cache);
void cache_follow(struct cache *cache, struct store *store);

/* End it and all its watches, before the store is closed and not while it is LOADING (run the store
 * until it is not). NULL is allowed. */
void cache_free(struct cache *cache);

/* Carry on: tell watches of what they have not seen. To be called after store_run. Returns how many
 * changes were told. */
size_t cache_run(struct cache *cache);

/* Where it stands. */
enum cache_state cache_state(const struct cache *cache);
uint64_t cache_revision(const struct cache *cache);
size_t cache_count(const struct cache *cache);

/* An object, NULL where there is none. */
const struct cache_object *cache_find(const struct cache *cache, struct text tenant,
                                      struct text kind, struct text id);

/* Walk in order of tenant, kind, id: the first object whose key begins with the prefix, and the next
 * one with it. NULL at the end. */
const struct cache_object *cache_first(const struct cache *cache, struct text prefix);
const struct cache_object *cache_next(const struct cache *cache, struct text prefix,
                                      const struct cache_object *object);

/* What of all there is. */
struct cache_scope {
    struct text prefix; /* of /TENANT/KIND/ID; every key begins with / */
    struct text kind;   /* only these; empty = every kind */
    const struct selector
        *selector; /* only those that match; NULL = all. Sees the labels of the spec,
                                        then the facts and the words state and status of the status */
};

/* Does an object of these parts match? Their traits are read where they are missing, and belong to who has the parts. */
bool cache_parts_match(const struct selector *selector,
                       struct cache_bytes parts[static CACHE_PART_COUNT]);

/* ---- lists ---- */

/* One row of a list. The object is borrowed until this returns. */
typedef void cache_row(void *arg, const struct cache_object *object);

/* Where a list stands. In: the token of the page before, empty = begin. Out: the next one, empty = this
 * was the last page. */
struct cache_page {
    uint64_t revision; /* out: the one that all rows of all pages are of */
    struct text token;
};

/* List a scope in order of tenant, kind, id: at most `limit` (> 0) rows, those behind the token; an empty
 * token begins. All pages of a list show the state of the revision at which it began, whatever has
 * changed since, as long as the row of changes reaches back so far; then R0503: begin anew. A token that
 * this scope never gave is R0537. The new token lives in the arena, which is also used for the work.
 *
 * No index by kind: keys are in order of tenant, then kind, so a kind of one tenant lies together, and a
 * kind of all tenants, which only an admin lists, is found by one step down the tree for each tenant. */
MUST_CHECK bool cache_list(struct cache *cache, struct arena *arena,
                           const struct cache_scope *scope, struct cache_page *page, size_t limit,
                           cache_row *row, void *arg, struct err *err);

/* ---- watches ---- */

/* What a change does to an object's place in a scope. */
enum cache_move {
    CACHE_STAYS,  /* it was in the scope and still is */
    CACHE_ENTERS, /* it was not and is now: look at all its parts */
    CACHE_LEAVES, /* it is not any more: deleted, or it does not match any more */
};

/* One change as a watch is told it. */
struct cache_change {
    uint64_t revision;
    struct blob *key; /* /TENANT/KIND/ID, borrowed; of which these are: */
    struct text tenant;
    struct text kind;
    struct text id;
    enum cache_part part;
    enum cache_move move;
    struct blob *bytes;              /* of the part, borrowed; NULL: it was deleted */
    const struct cache_bytes *parts; /* all CACHE_PART_COUNT as they were after this change */
    bool is_last; /* of its revision: what was told so far is a consistent state */
};

enum cache_watch_state {
    CACHE_WATCH_CHANGE,
    CACHE_WATCH_RESET, /* what it missed is gone: list again; the watch has ended */
};

typedef void cache_seen(void *arg, enum cache_watch_state state, const struct cache_change *change);

struct cache_watch;

/* Be told, in order and each once, of every change in a scope whose revision is at or above
 * from_revision. A watch costs a place in the shared row of changes, however slow it is; one that falls
 * out of the row is told RESET, never left in silence. The first call of `seen` comes in cache_run. The
 * selector must outlive the watch. */
struct cache_watch *cache_watch(struct cache *cache, const struct cache_scope *scope,
                                uint64_t from_revision, cache_seen *seen, void *arg);

/* Tell a watch nothing more until it is let go on; what it is told then begins where it was held. As long as the
 * row reaches back so far: then RESET, as for any that is too slow. May be called from `seen`. */
void cache_watch_hold(struct cache_watch *watch, bool is_held);

/* End a watch; `seen` is not called any more. May be called from `seen`. */
void cache_watch_close(struct cache_watch *watch);

#endif
