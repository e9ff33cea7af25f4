#include "service/select.h"

/* public names start with: select_ */

/* Determines what a node at the barrier before its stages waits for. The manager that reconciles
 * the cluster knows this directly (members.c); every other manager derives it from the store. */

struct text select_facts_wait(const struct cache *cache, struct arena *arena, struct text tenant,
                              struct text cluster, struct text token)
{
    struct service_actor actor = { .tenant = tenant };
    struct select_request request = { .cluster = cluster };
    struct select_nodes nodes = { 0 };
    const struct select_node *first = NULL;
    struct text more = TEXT("");
    size_t others = 0;
    struct err err;

    if (!select_nodes(cache, arena, &actor, &request, &nodes, &err)) {
        return more;
    }
    for (size_t i = 0; i < nodes.count; i++) {
        const struct select_node *node = &nodes.items[i];

        if (text_is_equal(node->token, token) || node->facts.length > 0 ||
            node->record_state == PLAN_RECORD_DELETE) {
            continue;
        }
        first = first == NULL ? node : first;
        others++;
    }
    if (first == NULL) {
        return more;
    }
    if (others > 1) {
        more = arena_printf(arena, " (and %zu more)", others - 1);
    }
    return arena_printf(arena, "%.*s: %s%.*s", TEXT_ARG(first->name),
                        first->address.length == 0 ? "its machine does not exist yet"
                                                   : "it has not reported its facts",
                        TEXT_ARG(more));
}
