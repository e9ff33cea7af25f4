#ifndef REEVE_MODEL_RESOLVE_H
#define REEVE_MODEL_RESOLVE_H

#include "model/set.h"

/* names: resolve_ fixed_ complete_ leaves_ */

/* Inside of set.h: the steps of model_set_resolve. */

/* Find what an object is made from, resolve that first, and lay the layers over each other. */
void resolve_object(struct model_set *set, struct model_object *object);

/* Put NodeGroup documents into their clusters' own groups. */
void resolve_node_groups(struct model_set *set);

/* Faults where `own` overrides what the list `fixed` of the template layer `from` fixes. */
void fixed_check(struct model_set *set, const struct doc *fixed, const struct doc *from,
                 const struct doc *own, enum schema_owner owner);

/* Faults in the paths of a template's own list `fixed`. */
void fixed_paths_check(struct model_set *set, const struct doc *fixed, enum schema_owner owner);

/* Flatten the groups of a merged cluster or cluster template into leaves with effective values. */
void leaves_make(struct model_set *set, struct model_object *object);

/* What only the whole can tell: required fields, bounds, names, limits. */
void complete_check(struct model_set *set, struct model_object *object);

#endif
