#include "base/macros.h"
#include "query/query_parts.h"

/* names: service_ */

/* Checks that a drain obeys the policy of each group: no more members may be out of service than
 * `rollout.unavailable` allows. The reconciler checks this again before each member. */

/* Counters of the members of one group. */
struct drain_count {
    const struct fleet_group *group;
    size_t serving;   /* number of members in service */
    size_t requested; /* number of those that the request names */
};

static void drain_count_add(struct drain_count *count, const struct select_nodes *nodes,
                            size_t *out_serving)
{
    for (size_t i = 0; i < nodes->count; i++) {
        *out_serving += text_is_equal(nodes->items[i].group->path, count->group->plan.path) &&
                        displayed_is_serving(nodes->items[i].displayed);
    }
}

MUST_CHECK static bool drain_count_check(const struct drain_count *count, struct err *err)
{
    const struct plan_group *plan = &count->group->plan;
    size_t out_max = plan->unavailable > 1 ? plan->unavailable : 1;
    size_t out = plan->size > count->serving ? plan->size - count->serving : 0;

    if (count->requested == 0 || out + count->requested <= out_max) {
        return true;
    }
    err_set(err, CODE_R0836,
            "%zu node%s of %.*s would leave service, and %zu of %u are out of service already: at "
            "most %zu may be",
            count->requested, count->requested == 1 ? "" : "s", TEXT_ARG(plan->path), out,
            (unsigned)plan->size, out_max);
    return err_hint(err, "drain fewer nodes, or raise rollout.unavailable of %.*s",
                    TEXT_ARG(plan->path));
}

bool service_drain_check(struct service *service, struct arena *arena,
                         const struct service_actor *actor, const struct fleet_cluster *wanted,
                         const struct select_nodes *nodes, struct err *err)
{
    struct select_request request = { .cluster = wanted->id };
    struct select_nodes all;

    if (!select_nodes(service->cache, arena, actor, &request, &all, err)) {
        return false;
    }
    for (size_t i = 0; i < wanted->group_count; i++) {
        struct drain_count count = { .group = &wanted->groups[i] };

        drain_count_add(&count, &all, &count.serving);
        drain_count_add(&count, nodes, &count.requested);
        if (!drain_count_check(&count, err)) {
            return false;
        }
    }
    return true;
}
