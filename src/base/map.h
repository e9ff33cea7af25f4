#ifndef REEVE_BASE_MAP_H
#define REEVE_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

/* An ordered map from text to a pointer: lookup in log n, iteration in byte order of the keys. It
 * is a balanced tree (AA tree), so that neither the order of insertion nor hostile keys make it
 * slow.
 *
 * Lifetime: nodes live in the arena given to map_init(). Keys and values are borrowed; the caller
 * keeps them valid as long as the map exists. Removed nodes are reused by later puts. */
struct map {
    struct arena *arena;
    struct map_node *root;
    struct map_node *unused;
    size_t count;
};

/* One entry. Callers read only key and value. */
struct map_node {
    struct text key;
    void *value;
    struct map_node *left;
    struct map_node *right;
    unsigned level;
};

/* Initialize an empty map in memory of the caller. */
void map_init(struct map *map, struct arena *arena);

/* Return the value of a key; NULL if there is none. */
void *map_find(const struct map *map, struct text key);

/* Set a value (not NULL). Returns the previous value, or NULL. */
void *map_put(struct map *map, struct text key, void *value);

/* Remove a key. Returns its value, NULL if there was none. */
void *map_remove(struct map *map, struct text key);

/* map_first() returns the first entry whose key is not below `key`, map_after() the first whose key
 * is above it. NULL at the end. To iterate over all entries: for (n = map_first(m, TEXT("")); n !=
 * NULL; n = map_after(m, n->key)). */
const struct map_node *map_first(const struct map *map, struct text key);
const struct map_node *map_after(const struct map *map, struct text key);

/* A position of an iteration at constant cost per step, for large maps. Valid until the map is
 * changed. */
struct map_cursor {
    const struct map_node *path[128]; /* the nodes that follow, with the next one at the end */
    size_t depth;
};

/* map_cursor_seek() starts at the first entry whose key is not below `key`. map_cursor_next()
 * returns the following entry. Both return NULL at the end. */
const struct map_node *map_cursor_seek(struct map_cursor *cursor, const struct map *map,
                                       struct text key);
const struct map_node *map_cursor_next(struct map_cursor *cursor);

#endif
