#ifndef REEVE_STORE_CACHE_INNER_H
#define REEVE_STORE_CACHE_INNER_H

#include "base/map.h"
#include "state/cache.h"

/* private to src/state */
/* public names start with: cache_ */

/* Internals of cache.h, shared by cache.c (follows the store), cache_watch.c and cache_list.c. */

/* One change of one part, with the object before and after it. The steps of the ring share all
 * blobs, so the ring keeps deleted values as long as a watch may need them. */
struct cache_step {
    uint64_t revision;
    struct blob *key; /* key of the object */
    enum cache_part part;
    bool is_last;
    struct cache_bytes before;                  /* state of the changed part before the change */
    struct cache_bytes after[CACHE_PART_COUNT]; /* all parts of the object after the change */
};

struct cache {
    struct arena *memory;
    struct store *store;
    enum cache_state state;
    bool is_listing; /* a list call is in progress; the store passes its answer to page_done */
    bool skips_past; /* only the newest revision is loaded */
    /* the cache was freed by its owner, and is deallocated when the list call ends */
    bool is_freed;
    bool is_latest; /* changes from before the start of the cache are not needed */
    uint64_t revision;
    struct map objects; /* maps a key to struct cache_object */
    struct pool *object_pool;
    struct pool *watch_pool;
    struct store_watch *store_watch;
    struct cache_watch *watches;
    size_t selecting;           /* number of watches with a selector */
    struct cache_step **chunks; /* the ring; a chunk is allocated at its first use */
    struct cache_step **spare;  /* unused chunks */
    size_t spare_count;
    size_t steps_max;
    size_t past_bytes;    /* memory in bytes that only the ring owns */
    size_t present_bytes; /* memory in bytes of all current values */
    uint64_t begin;       /* positions [begin, end) are in the ring */
    uint64_t end;
    uint64_t known_from; /* the ring has every change from this revision on */
    /* The store's revision when loading began. The cache is ready when it reaches this revision. */
    uint64_t load_until;
    /* Changes above this revision, received while the store opens, are appended to the ring. */
    uint64_t reported_from;
    bool is_reported; /* all changes up to load_until were received */
};

/* Drop all objects and changes. */
void cache_clear(struct cache *cache);

/* Return the revision to load first from a store whose latest revision is `revision` and that was
 * compacted at `compacted` (see cache.c). */
uint64_t cache_load_revision(uint64_t compacted, uint64_t revision);

/* Apply a change as part of the initial state. */
void cache_item_take(struct cache *cache, const struct store_change *change);

/* Apply a change and append it to the ring. Returns false if its key is not that of an object. */
bool cache_change_take(struct cache *cache, const struct store_change *change);

/* Mark the newest change in the ring, if any, as the last of its revision. */
void cache_revision_end(struct cache *cache);

/* Return the step at a position of the ring. */
struct cache_step *cache_step_at(const struct cache *cache, uint64_t position);

/* Return the position of the first step at or above this revision. */
uint64_t cache_step_find(const struct cache *cache, uint64_t revision);

/* Split /TENANT/KIND/ID into its three names; the id may contain any bytes. */
void cache_names_read(struct text key, struct text *tenant, struct text *kind, struct text *id);

/* Set the key of an object and the offsets of its names. Keys are shorter than
 * LIMIT_STORE_KEY_BYTES. */
void cache_key_set(struct cache_object *object, struct blob *key);

/* True if any of the parts of an object exists. */
bool cache_parts_exist(const struct cache_bytes parts[static CACHE_PART_COUNT]);

/* True if the object with this key, kind and parts is in the scope. Reads missing traits if
 * needed. */
bool cache_scope_has(const struct cache_scope *scope, struct text key, struct text kind,
                     struct cache_bytes parts[static CACHE_PART_COUNT]);

/* Read the traits of a part that has bytes, unless it has them already. */
void cache_traits_take(struct cache_bytes *bytes, enum cache_part part);

/* Initialise the watches of a cache, report pending changes to them, and close all of them. */
void cache_watches_init(struct cache *cache);
size_t cache_watches_run(struct cache *cache);
void cache_watches_fini(struct cache *cache);

#endif
