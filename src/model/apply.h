#ifndef REEVE_MODEL_APPLY_H
#define REEVE_MODEL_APPLY_H

#include "base/mem.h"
#include "codec/doc.h"
#include "model/merge.h"

/* Three-way merge: applies a file to an object that others have changed since the file was last
 * applied (FILE.md 6.8). All documents have the normal form; any of them may be absent. */

/* A value of the file that is the same as when the file was last applied, but that another request
 * has changed since. The newer value overrides it. */
struct apply_kept {
    struct text path;       /* path of the value: groups.web.size */
    const struct doc *file; /* the value in the file */
    /* the live value, which is kept; NULL: another request removed the value */
    const struct doc *live;
};

struct apply {
    struct arena *arena;
    const struct text *takes; /* paths at which, and below which, the file takes precedence */
    size_t take_count;
    struct apply_kept *kept; /* kept values, in order of path */
    size_t kept_count;
    size_t kept_room;
    bool *is_used; /* for each of `takes`: true if a kept value was below its path */
};

/* Initializes the operation. The paths `takes` are borrowed, so the caller keeps them in memory. */
void apply_init(struct apply *apply, struct arena *arena, const struct text *takes, size_t count);

/* Return the new own document of an object: `file` applied to `live`, where `applied` is the file
 * as it was last applied. Values that only other requests added are kept. Values that were removed
 * from the file are removed. A group that was removed from the file is removed as a whole. */
struct doc apply_file(struct apply *apply, enum merge_rule rule, const struct doc *applied,
                      const struct doc *live, const struct doc *file);

/* Return the new own document for a request that changes an object. The user saw `shown` (`layer`
 * and `own` together) and requests `wanted`. Only values that the user changed are changed. A
 * removed value that `layer` also has becomes null, so that it does not return. */
struct doc apply_request(struct arena *arena, enum merge_rule rule, const struct doc *shown,
                         const struct doc *own, const struct doc *layer, const struct doc *wanted);

#endif
