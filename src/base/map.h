#ifndef REEVE_BASE_MAP_H
#define REEVE_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

/* An ordered map from text to a pointer: found in log n, walked in byte order of the keys.
 * A balanced tree (AA tree), so that neither the order of insertion nor hostile keys make it slow.
 *
 * Lifetime: nodes live in the arena given to map_init; keys and values are borrowed, the caller
 *           keeps them alive as long as the map. Removed nodes are reused by later puts. */
struct map {
    struct arena *arena;
    struct map_node *root;
    struct map_node *unused;
    size_t count;
};

/* One entry. Only key and value are for readers. */
struct map_node {
    struct text key;
    void *value;
    struct map_node *left;
    struct map_node *right;
    unsigned level;
};

/* Make an empty map in memory of the caller. */
void map_init(struct map *map, struct arena *arena);

/* The value of a key, or NULL where there is none. */
void *map_find(const struct map *map, struct text key);

/* Set a value (not NULL). Returns what stood there before, or NULL. */
void *map_put(struct map *map, struct text key, void *value);

/* Take a key out. Returns its value, or NULL where there was none. */
void *map_remove(struct map *map, struct text key);

/* First entry whose key is not below `key`; map_after: whose key is above. NULL at the end.
 * Walk all: for (n = map_first(m, TEXT("")); n != NULL; n = map_after(m, n->key)). */
const struct map_node *map_first(const struct map *map, struct text key);
const struct map_node *map_after(const struct map *map, struct text key);

/* A place in a walk that costs the same for every step, for walks over very much. Valid until the map
 * is changed. */
struct map_cursor {
    const struct map_node *path[128]; /* those still to come, the next one last */
    size_t depth;
};

/* Begin at the first entry whose key is not below `key`; NULL at the end. Then the one after it. */
const struct map_node *map_cursor_seek(struct map_cursor *cursor, const struct map *map,
                                       struct text key);
const struct map_node *map_cursor_next(struct map_cursor *cursor);

#endif
