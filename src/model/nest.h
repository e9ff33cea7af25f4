#ifndef REEVE_MODEL_NEST_H
#define REEVE_MODEL_NEST_H

#include "base/mem.h"
#include "codec/doc.h"

/* Groups as a list of paths (outer/inner), and groups as the tree below a key `groups`: the store
 * keeps the one, files and merging use the other. */

/* A group by its path. The place is the one of its key. */
struct nest_item {
    struct text path;
    struct doc value; /* a map, without `groups` unless it is no leaf */
    struct place place;
};

/* Byte order of paths, but that the current state below a group follows it at once. */
int nest_compare(struct text a, struct text b);

/* The mapping `groups` that these items mean; they are sorted by nest_compare and no path stands
 * twice. Place and origin of inner groups are those of `like` (may be NULL). */
struct doc nest_build(struct arena *arena, const struct nest_item *items, size_t count,
                      const struct doc *like);

/* The group at a path below a mapping of groups; NULL where there is none. */
const struct doc *nest_find(const struct doc *groups, struct text path);

/* The mapping without the groups at these paths (sorted by nest_compare), and without inner groups that
 * are empty then. Absent where nothing is left. */
struct doc nest_without(struct arena *arena, const struct doc *groups, const struct text *paths,
                        size_t count);

/* `doc`, a map, with `value` under a key in place of what stood there; absent takes the key out. */
struct doc nest_put(struct arena *arena, const struct doc *doc, const char *key, struct doc value);

#endif
