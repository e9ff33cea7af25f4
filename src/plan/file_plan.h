#ifndef REEVE_PLAN_FILE_PLAN_H
#define REEVE_PLAN_FILE_PLAN_H

#include "base/mem.h"
#include "codec/doc.h"
#include "model/set.h"

/* Describes the meaning of specification files and their differences from other files, for `reeve
 * plan --offline`. Only the files are known, so the plan has no data about machines.
 *
 * The plan is a list with one document for each object, sorted by kind and name. Its fields are:
 *   kind, name
 *   change        "create", "destroy", "change" or "none", only when compared with other files;
 *                 "rename" if a cluster's id is known under another name (then also `was`)
 * In addition, for a Cluster or ClusterTemplate:
 *   version       (Cluster)
 *   nodes         members of all groups (Cluster; a template has no machines)
 *   sums          nodes that are created, destroyed, changed and replaced: create, destroy,
 *                 change, replace; only when compared
 *   groups[]      path, size, members ("web-[0-5]", absent for size 0 and in a template), plugin,
 *                 and:
 *     change      as above; "rename" if renamedFrom has the old path (then also `was`: that path)
 *     oldSize     when compared and the size differs
 *     create      members that are created, as a range
 *     destroy     members that are destroyed (highest slots first)
 *     unfilled    slots that are removed and have no machine, as a range; not counted in `destroy`
 *     replace     number of remaining members that are replaced, because a field that defines
 *                 their machines differs; absent for none
 *     replaced    which of them, as a range, if an operator selected them
 *     supersedes  number of machines that a running rollout has not replaced so far, if this
 *                 plan supersedes that rollout
 *     values[]    path, value, origin, source, line, column (source 0: no position); with_values
 *                 only
 *     changes[]   path, old, new, origin: effective values that differ, without `size`
 *     labels      added, skipped (lists of keys), overridden (key -> the parent's value)
 *   others        number of groups that are not listed, because they do not change; absent for 0
 *   changes[]     the same for fields of the cluster itself
 *
 * A manager replaces and adds some fields, because it knows the machines:
 *   destroy       the recorded members that are destroyed
 *   named         the destroyed members that an operator selected
 *   pick          the rule by which the other destroyed members were chosen
 *   victims       the destroyed members by state: healthy, starting, unreachable, unhealthy,
 *                 failed, creating
 *   spares        by state: members that are kept although a healthy member is destroyed, and that
 *                 are in a worse state
 *   replace       number of existing machines that do not match the specification
 * Only a manager sets `unfilled`, `replaced` and `supersedes`.
 *
 * The sums over the whole plan are in struct file_plan_summary. */

/* The level of detail. */
struct file_plan_options {
    bool with_values;   /* list every effective value with its origin */
    bool with_defaults; /* with list_values: include the built-in defaults */
};

/* Sums over a plan. */
struct file_plan_summary {
    uint64_t objects;
    uint64_t groups;
    uint64_t nodes;
    uint64_t creates;  /* number of nodes that are created */
    uint64_t destroys; /* number of nodes that are destroyed */
    uint64_t changes;  /* nodes that are kept and whose effective values differ */
    uint64_t replaces; /* nodes that are replaced by another machine */
    /* Nodes that the files count as destroyed or replaced although they have no machine. Only the
     * manager sets it. */
    uint64_t unneeded;
    bool has_differences; /* there are differences of any kind */
    bool are_values_cut;  /* some `values` were omitted for lack of space */
};

/* Plans a resolved set without errors, compared with the resolved set `against` (NULL: no
 * comparison). Both must live in arenas that outlive the plan. The plan lives in `arena`. */
struct doc file_plan_make(struct arena *arena, const struct model_set *set,
                          const struct model_set *against, struct file_plan_options options,
                          struct file_plan_summary *out_summary);

#endif
