#ifndef REEVE_PLAN_FILE_PLAN_H
#define REEVE_PLAN_FILE_PLAN_H

#include "base/mem.h"
#include "codec/doc.h"
#include "model/set.h"

/* What files mean, and how they differ from other files: `reeve plan --offline`. Known are the files
 * alone, so nothing is said of machines.
 *
 * The plan is a document, a list with one entry for each object, sorted by kind and name:
 *   kind, name
 *   change        "create", "destroy", "change" or "none", only when compared with other files;
 *                 "rename" where a cluster's id is known under another name (then also `was`)
 * and for a Cluster or ClusterTemplate:
 *   version       (Cluster)
 *   nodes         members of all groups (Cluster; behind a template stands no machine)
 *   sums          nodes that come, go and change: create, destroy, change, replace; only when compared
 *   groups[]      path, size, members ("web-[0-5]", absent for size 0 and in a template), plugin, and
 *     change      as above; "rename" where renamedFrom says so (then also `was`: the old path)
 *     oldSize     when compared and the size differs
 *     create      members that come, as a range; destroy: members that go (highest slots first). A manager puts those in their
 *                 place that are recorded, named: those of them that go because they were named, and pick: the rule by
 *                 which the others go; victims: those that go, by their state (healthy, unreachable, unhealthy, failed,
 *                 creating); spares: those that stay although they are worse than a healthy one that goes
 *     unfilled    places that go and hold no machine, as a range: not counted in `destroy`. A manager says so
 *     replace     how many of those that stay are replaced, for what makes them is another; absent for none. A manager counts
 *                 the machines that there are and that are not made so already
 *     replaced    which of them, as a range, where an operator named them: a manager says so
 *     supersedes  machines that a rollout under way has not replaced so far, where this takes its place: a manager says so
 *     values[]    path, value, origin, source, line, column (source 0: no place); with_values only
 *     changes[]   path, old, new, origin: effective values that differ, `size` not among them
 *     labels      added, skipped (lists of keys), overridden (key -> the parent's value)
 *   others        groups that are not listed, because nothing of them changes; absent for 0
 *   changes[]     the same for fields of the cluster itself
 * Sums stand beside it, in struct file_plan_summary. */

/* How much is told. */
struct file_plan_options {
    bool with_values;   /* list every effective value with its origin */
    bool with_defaults; /* and among them the built-in defaults */
};

/* Sums over a plan. */
struct file_plan_summary {
    uint64_t objects;
    uint64_t groups;
    uint64_t nodes;
    uint64_t creates;  /* nodes */
    uint64_t destroys; /* nodes */
    uint64_t changes;  /* nodes whose effective values differ, and that stay */
    uint64_t replaces; /* nodes that another one takes the place of */
    uint64_t
        unneeded; /* nodes that files count as destroyed or replaced, and no machine stands for: a manager says so */
    bool has_differences; /* of any sort */
    bool are_values_cut;  /* not all `values` were listed, for want of room */
};

/* Plan a resolved set without faults, compared with `against` (resolved, may be NULL: no
 * comparison). Both must live in arenas that outlive the plan. */
struct doc file_plan_make(struct arena *arena, const struct model_set *set,
                          const struct model_set *against, struct file_plan_options options,
                          struct file_plan_summary *out_summary);

#endif
