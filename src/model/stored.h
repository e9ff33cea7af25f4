#ifndef REEVE_MODEL_STORED_H
#define REEVE_MODEL_STORED_H

#include "base/buf.h"
#include "base/err.h"
#include "model/set.h"

/* How objects of files stand in the store (docs/decisions/0014).
 *
 * A cluster is one record, and one more for each leaf group; every other object is one. A record is
 * two values. Below .../spec stands what is shown, as the API sends it, but for the revision, which
 * the store knows, and the status:
 *
 *     {"kind":"NodeGroup","metadata":{...},"spec":{...}}
 *
 * Below .../base stands what only the next change needs; it is not there where `own` and `applied` are
 * like `spec` and nothing lies below:
 *
 *     applied   the file as it was last applied
 *     fixed     paths that hold for what is made from this template, where they are not spec.fixed
 *     layers    [{kind, name, revision, values}]: what it was made from
 *     live      path -> {by, at}: where `own` differs from `applied`, and whose doing that is
 *     own       what people wrote, where that is not `spec`
 */

/* What a record says of itself. Texts that are empty are left out. */
struct stored_meta {
    struct text id;
    struct text name;    /* of a NodeGroup its path */
    struct text cluster; /* name of the cluster a NodeGroup belongs to */
    struct text tenant;
    struct text created; /* RFC 3339 */
    struct text updated;
    struct text by;  /* who made the newest change */
    struct text why; /* and what for, in his words */
    uint64_t generation;
    uint64_t
        wanted_since; /* revision since which what is wanted is the same; 0: since the record's own */
    uint64_t groups; /* of a cluster */
    uint64_t nodes;  /* of all its groups */
    bool has_totals;
};

/* One record, taken apart. */
struct stored_part {
    struct stored_meta meta;
    struct doc spec;    /* layers and own laid over each other, nulls gone */
    struct doc own;     /* what people wrote; absent for a group that only a template brings */
    struct doc layers;  /* what lies below it; absent = nothing */
    struct doc applied; /* the file as last applied; absent where it did not name the group */
    struct doc fixed;   /* absent = none */
    struct doc live;    /* a map; absent = none */
};

/* The record of a group, by its path. */
struct stored_group {
    struct text path;
    struct stored_part part;
};

/* An object with its groups, in order of nest_compare. */
struct stored_object {
    const struct schema_kind *kind;
    struct stored_part part;
    struct stored_group *groups;
    size_t group_count;
};

/* One part of the object, with those of the groups in their places. */
enum stored_side { STORED_OWN, STORED_LAYERS, STORED_APPLIED, STORED_SPEC };
struct doc stored_join(struct arena *arena, const struct stored_object *object,
                       enum stored_side side);

/* What a stored object was made from, as a set wants to know it. */
struct model_made *stored_made(struct arena *arena, const struct stored_object *object);

/* Take an object that a set has resolved apart. `applied`: the file that was applied, in normal form;
 * NULL: own. Records get no metadata and no `live` yet. */
struct stored_object stored_split(struct arena *arena, const struct model_object *object,
                                  const struct doc *applied);

/* The group with this path, NULL where there is none. */
struct stored_group *stored_group_find(const struct stored_object *object, struct text path);

/* Say where `own` differs from `applied`: as `old` (may be NULL) knew it where the value is the same,
 * else as the doing of `by` at this time. */
void stored_live_mark(struct arena *arena, struct stored_part *part, const struct stored_part *old,
                      struct text by, struct text at);

/* Write the value below .../spec. */
void stored_spec_format(struct buf *buf, const struct schema_kind *kind,
                        const struct stored_part *part);

/* Since which revision what a record wants is the same, from its value below .../spec and the revision at which that was written: a change
 * that only says what of it a file has said writes it anew, and wants nothing else. */
uint64_t stored_wanted_since(struct arena *arena, struct text text, uint64_t revision);

/* The document below .../base; absent where none is needed. */
struct doc stored_base_make(struct arena *arena, const struct stored_part *part);

/* Read a record back. `base` may be empty. Values get the origin given, but those of layers, which know
 * their own. False: the current state there is no record of ours, R0541. */
MUST_CHECK bool stored_part_parse(struct arena *arena, struct text spec, struct text base,
                                  const struct origin *origin, struct stored_part *out,
                                  struct err *err);

#endif
