#ifndef REEVE_MODEL_RESOLVE_H
#define REEVE_MODEL_RESOLVE_H

#include "model/set.h"

/* names: siblings_ point_ resolve_ fixed_ complete_ leaves_ node_groups_ */

/* Inside of set.h: the steps of model_set_resolve. */

/* Find what an object is made from, resolve that first, and lay the layers over each other. */
void resolve_object(struct model_set *set, struct model_object *object);

/* Put NodeGroup documents into their clusters' own groups (node_groups.c). */
void node_groups_attach(struct model_set *set);

/* Tell that there is no object of this kind and name, which the reference (or its start) names. */
void resolve_report_unknown(struct model_set *set, const char *kind, struct text name,
                            const struct doc *reference);

/* What a `from:` names. All empty where it could not be found. */
struct resolve_source {
    struct doc layer;                  /* stamped */
    struct doc fixed;                  /* paths, of a template; may be absent */
    const struct model_object *object; /* a cluster template */
};

/* The layer that a leaf of an object brings to the group whose `from` names it by `reference`. */
struct resolve_source resolve_leaf(struct model_set *set, const struct model_object *object,
                                   const struct model_leaf *leaf, const struct doc *from,
                                   const struct doc *reference);

/* The leaf of an object with this path; the fault is told where there is none. */
const struct model_leaf *resolve_leaf_find(struct model_set *set, const struct model_object *object,
                                           struct text path, const struct doc *reference);

/* Is the `from` of a group one that names a group of the same object? NULL is none. */
bool siblings_is_one(const struct model_object *object, const struct doc *from);

/* Lay what groups made from groups of the same object bring over `base`, the layers below the object's
 * own document. Circles among them are told (siblings.c). */
struct doc siblings_lay(struct model_set *set, const struct model_object *object,
                        const struct doc *base);

/* Is the group at this path of an object that exists already one that it has? Then its `from` was
 * followed long ago. */
bool resolve_is_made(const struct model_object *object, struct text path);

/* Remember a `from:` that brings nothing, so that what is missing because of it is not told. */
void resolve_note_unfound(struct model_set *set, const struct doc *from);

/* Did this `from:` bring nothing, because what it names was not found? */
bool resolve_is_unfound(const struct model_set *set, const struct doc *from);

/* Is there room in the arena for one more layer? When three quarters are used that is told, once, at
 * this place. */
MUST_CHECK bool resolve_has_room(struct model_set *set, struct place place);

/* What a template fixes, and what was made from it. */
struct fixed_case {
    const struct doc *paths;             /* list; the fixed paths */
    const struct doc *from;              /* the template's layer, stamped */
    const struct doc *own;               /* what the document says itself */
    const struct doc *merged;            /* what came out; nulls are still there */
    const struct model_object *object;   /* with leaves; NULL for a group */
    const struct model_object *template; /* with leaves; NULL for a group */
    struct place place;                  /* of the `from:` */
};

/* Faults where something made from a template has other values at its fixed paths (fixed.c). */
void fixed_check(struct model_set *set, const struct fixed_case *fixed_case);

/* The paths of a cluster template's list `fixed` that hold for one of its groups, as paths of the
 * group: those below the group, and those below defaults. */
struct doc fixed_of_group(struct model_set *set, const struct doc *fixed, struct text group);

/* Faults in the paths of a template's own list `fixed`. */
void fixed_paths_check(struct model_set *set, const struct doc *fixed, enum schema_owner owner);

/* Flatten the groups of a merged cluster or cluster template into leaves with effective values. */
void leaves_make(struct model_set *set, struct model_object *object);

/* What only the whole can tell: required fields, bounds, names, limits. */
void complete_check(struct model_set *set, struct model_object *object);

/* Give every fault that knows its place the pointer into the document that stands there. */
void point_errors(struct model_set *set);

#endif
