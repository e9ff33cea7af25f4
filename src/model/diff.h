#ifndef REEVE_MODEL_DIFF_H
#define REEVE_MODEL_DIFF_H

#include "base/mem.h"
#include "codec/doc.h"
#include "model/schema.h"

/* What differs between two effective documents of one owner, by what the values mean: 20GiB is
 * 20480MiB, 90m is 1h30m, key order and comments do not count. */

/* One difference. Lists differ as wholes, maps key by key. */
struct diff_change {
    struct text path;            /* resourceProperties.instanceType */
    const struct doc *old_value; /* NULL = was not there */
    const struct doc *new_value; /* NULL = is no longer there */
};

struct diff {
    struct diff_change *changes; /* in order of path */
    size_t count;
};

/* Compare two maps (either may be NULL: an empty one). Changes live in the arena and borrow from
 * the documents. */
struct diff diff_find(struct arena *arena, enum schema_owner owner, const struct doc *old_doc,
                      const struct doc *new_doc);

#endif
