#ifndef REEVE_MODEL_DIFF_H
#define REEVE_MODEL_DIFF_H

#include "base/mem.h"
#include "codec/doc.h"
#include "model/schema.h"

/* The differences between two effective documents of one owner, by the meaning of the values: 20GiB
 * equals 20480MiB, 90m equals 1h30m. Key order and comments do not count. */

/* One difference. Lists are compared as a whole, maps key by key. */
struct diff_change {
    struct text path;            /* path of the value: resourceProperties.instanceType */
    const struct doc *old_value; /* NULL: the value did not exist before */
    const struct doc *new_value; /* NULL: the value no longer exists */
};

struct diff {
    struct diff_change *changes; /* changes, in order of path */
    size_t count;
};

/* Compare two maps; NULL stands for an empty map. The result borrows from arena and documents. */
struct diff diff_find(struct arena *arena, enum schema_owner owner, const struct doc *old_doc,
                      const struct doc *new_doc);

#endif
