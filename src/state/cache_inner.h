#ifndef REEVE_STORE_CACHE_INNER_H
#define REEVE_STORE_CACHE_INNER_H

#include "base/map.h"
#include "state/cache.h"

/* names: cache_ */

/* Inside of cache.h: what cache.c (following the store), cache_watch.c and cache_list.c share. */

/* One change of one part, with what is needed to know the object before and after it. All blobs are
 * shared by the row, so it holds what was deleted as long as somebody may ask for it. */
struct cache_step {
    uint64_t revision;
    struct blob *key; /* of the object */
    enum cache_part part;
    bool is_last;
    struct cache_bytes before;                  /* of the part */
    struct cache_bytes after[CACHE_PART_COUNT]; /* of all */
};

struct cache {
    struct arena *memory;
    struct store *store;
    enum cache_state state;
    bool is_listing; /* its answer will come to page_done */
    bool is_latest;  /* nothing from before its start is wanted */
    uint64_t revision;
    struct map objects; /* key to struct cache_object */
    struct pool *object_pool;
    struct pool *watch_pool;
    struct store_watch *store_watch;
    struct cache_watch *watches;
    size_t selecting;           /* watches that have a selector */
    struct cache_step **chunks; /* the ring, of which memory is taken when it is first reached */
    struct cache_step **spare;  /* pieces of it that hold nothing now */
    size_t spare_count;
    size_t steps_max;
    size_t past_bytes;    /* what the row alone keeps in memory */
    size_t present_bytes; /* of all values that there are */
    uint64_t begin;       /* positions [begin, end) are in the ring */
    uint64_t end;
    uint64_t known_from; /* the ring holds every change at or above this revision */
    uint64_t load_until; /* where the store stood when loading began: ready is who has seen that */
    uint64_t
        reported_from; /* changes above this one go into the ring when they are read at the opening */
    bool is_reported; /* all up to load_until was */
};

/* Forget all objects and changes. */
void cache_clear(struct cache *cache);

/* The revision to begin with, of a store that has this one and was compacted there: see cache.c. */
uint64_t cache_load_revision(uint64_t compacted, uint64_t revision);

/* Take a change over as what was there from the beginning. */
void cache_item_take(struct cache *cache, const struct store_change *change);

/* Take it over and put it down in the row of changes. False: it is none of an object. */
bool cache_change_take(struct cache *cache, const struct store_change *change);

/* The newest change in the row, if there is one, is the last of its revision. */
void cache_revision_end(struct cache *cache);

/* The step at a position that is in the ring. */
struct cache_step *cache_step_at(const struct cache *cache, uint64_t position);

/* Position of the first step whose revision is not below this one. */
uint64_t cache_step_find(const struct cache *cache, uint64_t revision);

/* The three names in /TENANT/KIND/ID; the id may hold anything. */
void cache_names_read(struct text key, struct text *tenant, struct text *kind, struct text *id);

/* Give an object its key, of which it is told where the names begin. Keys are shorter than LIMIT_STORE_KEY_BYTES. */
void cache_key_set(struct cache_object *object, struct blob *key);

/* Has an object of these parts anything? */
bool cache_parts_exist(const struct cache_bytes parts[static CACHE_PART_COUNT]);

/* Is the object of this key and kind, with these parts, in the scope? Traits are read where they are
 * wanted and missing. */
bool cache_scope_has(const struct cache_scope *scope, struct text key, struct text kind,
                     struct cache_bytes parts[static CACHE_PART_COUNT]);

/* Read the traits of a part that has bytes, unless it has them. */
void cache_traits_take(struct cache_bytes *bytes, enum cache_part part);

/* The watches: make room for them; tell them what they have not seen; end them all. */
void cache_watches_init(struct cache *cache);
size_t cache_watches_run(struct cache *cache);
void cache_watches_fini(struct cache *cache);

#endif
