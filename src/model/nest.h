#ifndef REEVE_MODEL_NEST_H
#define REEVE_MODEL_NEST_H

#include "base/mem.h"
#include "codec/doc.h"

/* Converts groups between a list of paths (outer/inner) and the tree below a key `groups`. The
 * store uses the list, files and merging use the tree. */

/* A group with its path. The position is that of its key. */
struct nest_item {
    struct text path;
    struct doc value; /* a map; it has `groups` only if it is not a leaf */
    struct place place;
};

/* Compare paths in byte order, except that all paths below a group follow it directly. */
int nest_compare(struct text a, struct text b);

/* Build the mapping `groups` of these items. They must be sorted by nest_compare(), and paths must
 * be unique. Inner groups get the position and origin of `like` (may be NULL). The mapping lives in
 * the arena and borrows from the items. */
struct doc nest_build(struct arena *arena, const struct nest_item *items, size_t count,
                      const struct doc *like);

/* Return the group at a path below a mapping of groups; NULL if there is none. */
const struct doc *nest_find(const struct doc *groups, struct text path);

/* Return the mapping without the groups at these paths, which are sorted by nest_compare(), and
 * without inner groups that become empty. Absent if no group is left. */
struct doc nest_without(struct arena *arena, const struct doc *groups, const struct text *paths,
                        size_t count);

/* The map `doc` with `value` under a key, or without the key if `value` is absent. */
struct doc nest_put(struct arena *arena, const struct doc *doc, const char *key, struct doc value);

#endif
