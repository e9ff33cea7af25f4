#ifndef REEVE_MODEL_RESOLVE_H
#define REEVE_MODEL_RESOLVE_H

#include "model/set.h"

/* private to src/model */
/* public names start with: siblings_ point_ resolve_ fixed_ complete_ leaves_ node_groups_ */

/* Internal parts of set.h: the steps of model_set_resolve(). */

/* Resolve an object: find and resolve its source, then merge the layers. */
void resolve_object(struct model_set *set, struct model_object *object);

/* Move NodeGroup documents into the own groups of their clusters (node_groups.c). */
void node_groups_attach(struct model_set *set);

/* Report that no object has this kind and the name at the start of the reference. */
void resolve_report_unknown(struct model_set *set, const char *kind, struct text name,
                            const struct doc *reference);

/* The source that a `from:` refers to. All fields are empty if it was not found. */
struct resolve_source {
    struct doc layer;                  /* the layer of the source, with the origin of its values */
    struct doc fixed;                  /* fixed paths of a template; may be absent */
    const struct model_object *object; /* a cluster template */
};

/* Return the layer that a leaf contributes to a group whose `from` refers to the leaf. */
struct resolve_source resolve_leaf(struct model_set *set, const struct model_object *object,
                                   const struct model_leaf *leaf, const struct doc *from,
                                   const struct doc *reference);

/* Find the leaf with this path; reports a fault and returns NULL if there is none. */
const struct model_leaf *resolve_leaf_find(struct model_set *set, const struct model_object *object,
                                           struct text path, const struct doc *reference);

/* True if the `from` of a group refers to a group of the same object. NULL: there is no `from`. */
bool siblings_is_one(const struct model_object *object, const struct doc *from);

/* Merge the layers of groups that are made from groups of the same object over `base`, the layers
 * below the object's own document. Cycles among them are reported (siblings.c). */
struct doc siblings_lay(struct model_set *set, const struct model_object *object,
                        const struct doc *base);

/* True if an existing object already has the group at this path. Its `from` was followed when it
 * was created, and is not followed again. */
bool resolve_is_made(const struct model_object *object, struct text path);

/* Record a `from:` without a source, so that fields missing because of it are not reported. */
void resolve_note_unfound(struct model_set *set, const struct doc *from);

/* True if the source of this `from:` was not found. */
bool resolve_is_unfound(const struct model_set *set, const struct doc *from);

/* True if the arena has space for one more layer. When three quarters are used, this is reported
 * once, at this position. */
MUST_CHECK bool resolve_has_room(struct model_set *set, struct place place);

/* The input of fixed_check(): a template's fixed paths, and an object made from the template. */
struct fixed_case {
    const struct doc *paths;             /* a list: the fixed paths */
    const struct doc *from;              /* the template's layer, with its origin */
    const struct doc *own;               /* the document's own values */
    const struct doc *merged;            /* the merged document; nulls are still in it */
    const struct model_object *object;   /* the object with its leaves; NULL for a group */
    const struct model_object *template; /* the template with its leaves; NULL for a group */
    struct place place;                  /* position of the `from:` */
};

/* Report values at fixed paths that differ from the template's (fixed.c). */
void fixed_check(struct model_set *set, const struct fixed_case *fixed_case);

/* Return the paths in a cluster template's list `fixed` that apply to one of its groups, relative
 * to the group: those below the group, and those below `defaults`. */
struct doc fixed_of_group(struct model_set *set, const struct doc *fixed, struct text group);

/* Report faults in the paths of a template's own list `fixed`. */
void fixed_paths_check(struct model_set *set, const struct doc *fixed, enum schema_owner owner);

/* Flatten the groups of a merged cluster or cluster template into leaves with effective values. */
void leaves_make(struct model_set *set, struct model_object *object);

/* Checks that need the whole object: required fields, bounds, names, limits. */
void complete_check(struct model_set *set, struct model_object *object);

/* Set the JSON Pointer of every fault that has a position. */
void point_errors(struct model_set *set);

#endif
