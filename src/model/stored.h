#ifndef REEVE_MODEL_STORED_H
#define REEVE_MODEL_STORED_H

#include "base/buf.h"
#include "base/err.h"
#include "model/set.h"

/* The form of objects in the store (docs/decisions/0014).
 *
 * A cluster is one record, with one more for each leaf group; every other object is one record. A
 * record is two values. The value below .../spec is what the API shows, without the revision, which
 * the store knows, and without the status:
 *
 *     {"kind":"NodeGroup","metadata":{...},"spec":{...}}
 *
 * The value below .../base has the data that only the next change needs. It is absent if `own` and
 * `applied` equal `spec` and there are no layers:
 *
 *     applied   the file as it was last applied
 *     fixed     paths fixed for objects made from this template, if they are not spec.fixed
 *     layers    [{kind, name, revision, values}]: the sources of the object
 *     live      path -> {by, at}: the values of `own` that differ from `applied`, with the user and
 *               the time of the change
 *     own       the document of the user, if it differs from `spec` */

/* The metadata of a record. Empty texts are omitted. */
struct stored_meta {
    struct text id;
    struct text name;    /* name; for a NodeGroup its path */
    struct text cluster; /* name of the cluster of a NodeGroup */
    struct text tenant;
    struct text created; /* time of creation, in RFC 3339 */
    struct text updated;
    struct text by;  /* user of the newest change */
    struct text why; /* the reason given for that change */
    uint64_t generation;
    /* Revision since which the desired state is the same; 0: since the record's own revision. */
    uint64_t wanted_since;
    uint64_t groups; /* number of groups of a cluster */
    uint64_t nodes;  /* number of nodes of all its groups */
    bool has_totals;
};

/* The parts of one record. */
struct stored_part {
    struct stored_meta meta;
    struct doc spec;    /* own merged over layers, without nulls */
    struct doc own;     /* the user's document; absent for a group that only a template provides */
    struct doc layers;  /* the layers below `own`; absent: none */
    struct doc applied; /* the file as last applied; absent if it did not name the group */
    struct doc fixed;   /* `fixed` of the record (see above); absent: none */
    struct doc live;    /* `live` of the record (see above), a map; absent: none */
};

/* The record of a group, by its path. */
struct stored_group {
    struct text path;
    struct stored_part part;
};

/* An object with its groups, in order of nest_compare(). */
struct stored_object {
    const struct schema_kind *kind;
    struct stored_part part;
    struct stored_group *groups;
    size_t group_count;
};

/* Return one side of the object as a document, in which each group is inserted at its path. The
 * document lives in the arena. */
enum stored_side { STORED_OWN, STORED_LAYERS, STORED_APPLIED, STORED_SPEC };
struct doc stored_join(struct arena *arena, const struct stored_object *object,
                       enum stored_side side);

/* Return the sources of a stored object, in the form that model_set_add_stored() takes. */
struct model_made *stored_made(struct arena *arena, const struct stored_object *object);

/* Split an object that a set has resolved. `applied`: the applied file in normal form; NULL: own.
 * The records get no metadata and no `live` yet. The result lives in the arena. */
struct stored_object stored_split(struct arena *arena, const struct model_object *object,
                                  const struct doc *applied);

/* Return the group with this path; NULL if there is none. */
struct stored_group *stored_group_find(const struct stored_object *object, struct text path);

/* Record where `own` differs from `applied`. A value that is the same as in `old` (may be NULL)
 * keeps its entry; any other value gets user `by` and time `at`. */
void stored_live_mark(struct arena *arena, struct stored_part *part, const struct stored_part *old,
                      struct text by, struct text at);

/* Write the value below .../spec. */
void stored_spec_format(struct buf *buf, const struct schema_kind *kind,
                        const struct stored_part *part);

/* Return the revision since which the desired state of a record is the same, from its value below
 * .../spec and that value's revision. A change that only records which values a file sets rewrites
 * the record without changing the desired state. */
uint64_t stored_wanted_since(struct arena *arena, struct text text, uint64_t revision);

/* Return the document below .../base; absent if none is needed. */
struct doc stored_base_make(struct arena *arena, const struct stored_part *part);

/* Read a record. `base` may be empty. Values get the given origin, except those of layers, which
 * have stored origins. Fails with R0541 if the value is not a valid record. */
MUST_CHECK bool stored_part_parse(struct arena *arena, struct text spec, struct text base,
                                  const struct origin *origin, struct stored_part *out,
                                  struct err *err);

#endif
