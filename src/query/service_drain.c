#include "base/macros.h"
#include "query/query_parts.h"
#include "roles/roles_change.h"

/* public names start with: service_ drain_ */

/* Checks that a drain obeys the policy of each group: no more members may be out of service than
 * `rollout.unavailable` permits. If other nodes need a role, its last node in service may leave
 * service only together with these nodes (decision 0135). The reconciler checks both again before
 * it drains each member. */

/* Numbers of members of one group. */
struct drain_count {
    const struct fleet_group *group;
    size_t serving;   /* number of members in service */
    size_t requested; /* number of serving members that the request drains */
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

static bool drain_is_requested(const struct select_nodes *nodes, struct text token)
{
    size_t i = 0;

    while (i < nodes->count && !text_is_equal(nodes->items[i].token, token)) {
        i++;
    }
    return i < nodes->count;
}

/* Check the rules of roles, as if the nodes left their groups. */
MUST_CHECK static bool drain_roles_check(struct arena *arena, const struct fleet_cluster *wanted,
                                         const struct select_nodes *all,
                                         const struct select_nodes *nodes, struct err *err)
{
    struct roles_node *items = arena_array(arena, struct roles_node, all->count + 1);
    struct roles_change change = { .rules = &wanted->rules, .nodes = items };
    struct err_list errors;

    for (size_t i = 0; i < all->count; i++) {
        const struct select_node *node = &all->items[i];
        bool is_leaving = drain_is_requested(nodes, node->token) ||
                          node->drain != NODE_DRAIN_NONE ||
                          node->record_state != PLAN_RECORD_ACTIVE;

        items[change.count++] = (struct roles_node){
            .name = node->name,
            .group = node->group->path,
            .before = node->roles,
            .after = is_leaving ? (struct roles_list){ 0 } : node->roles,
            .is_live = displayed_is_serving(node->displayed),
            .is_leaving = is_leaving,
        };
    }
    err_list_init(&errors, arena);
    roles_change_check(arena, &change, &errors);
    if (errors.errors == 0) {
        return true;
    }
    *err = errors.items[0];
    return err_hint(err, "drain the nodes that need the role in the same request, or give another "
                         "node the role first");
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
    return drain_roles_check(arena, wanted, &all, nodes, err);
}
