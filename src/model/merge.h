#ifndef REEVE_MODEL_MERGE_H
#define REEVE_MODEL_MERGE_H

#include "base/mem.h"
#include "codec/doc.h"

/* public names start with: merge_ layers_ */

/* Merges one normal form over another (FILE.md 6): maps merge key by key, groups by name, lists and
 * scalars replace, `null` drops a value. A null stays in the result, because it may also drop a
 * value of an even lower layer; merge_prune() removes the nulls at the end.
 *
 * Unchanged values are not copied. Results share branches with both layers, and every value keeps
 * its position and origin. Both layers may be absent. */

/* The merge rules of a map. */
enum merge_rule {
    MERGE_PLAIN,   /* any map */
    MERGE_CLUSTER, /* has `defaults` (a leaf) and `groups` */
    MERGE_LEAF,    /* labels replace unless mergeLabels; another plugin discards properties */
    MERGE_GROUPS,  /* a map of names to leaves or inner groups */
    MERGE_MEMBERS, /* a map of slots to partial leaves */
};

/* Return the rule for the value under a key of a map that follows `rule`. */
enum merge_rule merge_rule_below(enum merge_rule rule, struct text key);

/* Merge `over` over `base`. The result lives in the arena and borrows from both. */
struct doc merge_layers(struct arena *arena, enum merge_rule rule, const struct doc *base,
                        const struct doc *over);

/* Return the tree without map entries that are null; `rule` applies to the tree. Items of lists and
 * values below a slot of `members` keep their nulls. A null in a member drops a value when the
 * member is merged over the group. A null in a list item drops a value when an alternative is
 * merged, or belongs to the plugin. */
struct doc merge_prune(struct arena *arena, enum merge_rule rule, const struct doc *doc);

/* The stored form of a layer that an object was made from: one list item per origin, {kind:
 * "template", name, revision, values}. So the origin of every value is kept. */

/* Convert a layer to the list. The document lives in the arena. */
struct doc layers_format(struct arena *arena, const struct doc *layer);

/* Convert the list back to a layer. Returns an absent document for anything else. */
struct doc layers_parse(struct arena *arena, const struct doc *list);

#endif
