#ifndef REEVE_MODEL_MERGE_H
#define REEVE_MODEL_MERGE_H

#include "base/mem.h"
#include "codec/doc.h"

/* Laying one normal form over another (FILE.md 6): maps merge key by key, groups by name, lists and
 * scalars replace, `null` drops. A null stays in the result, because it also drops what a still
 * lower layer gives; merge_prune takes the nulls out at the end.
 *
 * Nothing is copied that does not change: results share branches with both layers, and every value
 * keeps its place and origin. Both layers may be absent. */

/* Which rules hold for the map at hand. */
enum merge_rule {
    MERGE_PLAIN,   /* any map */
    MERGE_CLUSTER, /* has `defaults` (a leaf) and `groups` */
    MERGE_LEAF,    /* labels replace unless mergeLabels; another plugin discards properties */
    MERGE_GROUPS,  /* names to leaves or inner groups */
    MERGE_MEMBERS, /* slots to partial leaves */
};

/* The rule for the current state under a key of a map that itself follows `rule`. */
enum merge_rule merge_rule_below(enum merge_rule rule, struct text key);

/* `over` laid over `base`. */
struct doc merge_layers(struct arena *arena, enum merge_rule rule, const struct doc *base,
                        const struct doc *over);

/* The tree, to which `rule` applies, without map entries that are null. Items of lists and the current state
 * below a slot of `members` are left alone: the nulls there drop something later, when an alternative
 * or a member is laid over the group, or are the plugin's own. */
struct doc merge_prune(struct arena *arena, enum merge_rule rule, const struct doc *doc);

#endif
