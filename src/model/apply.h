#ifndef REEVE_MODEL_APPLY_H
#define REEVE_MODEL_APPLY_H

#include "base/mem.h"
#include "codec/doc.h"
#include "model/merge.h"

/* Three-way: what a file wants, when others have changed the object since the file was last applied
 * (FILE.md 6.8). All documents have the normal form; any of them may be absent. */

/* A value that the file says, unchanged since it was last applied, and that a newer change made by
 * others overrides. */
struct apply_kept {
    struct text path;       /* groups.web.size */
    const struct doc *file; /* what the file says */
    const struct doc *live; /* what stays; NULL: the value was taken out */
};

struct apply {
    struct arena *arena;
    const struct text *takes; /* paths where the file wins, and all below them */
    size_t take_count;
    const struct text *untaken; /* set by apply_file: the first take that no kept value was below */
    struct apply_kept *kept;    /* in order of path */
    size_t kept_count;
    size_t kept_room;
    bool *is_used; /* of the takes */
};

/* Start, in memory of the caller. */
void apply_init(struct apply *apply, struct arena *arena, const struct text *takes,
                size_t take_count);

/* The new own document of an object: `file` over `live`, where `applied` is the file as it was last
 * applied. What only others have added stays; what left the file goes; a group that left the file goes
 * as a whole. */
struct doc apply_file(struct apply *apply, enum merge_rule rule, const struct doc *applied,
                      const struct doc *live, const struct doc *file);

/* The new own document that makes an object, shown to its user as `shown` (`layer` and `own`
 * together), what the user wants it to be. Only what the user changed changes; what he took out and the
 * layer below would bring back becomes null. */
struct doc apply_request(struct arena *arena, enum merge_rule rule, const struct doc *shown,
                         const struct doc *own, const struct doc *layer, const struct doc *wanted);

#endif
