#include "budget/budget.h"
#include "members/members.h"
#include "members/rollouts.h"

/* public names start with: members_ member_ budgets_ */

/* Budgets of the tenant (N10, decision 0158) for jobs that take members out of service: rollouts,
 * corrections, drains and `bootstrap run`. A job begins on a member when the tickets of the member
 * are in the store. A member that is already out of service needs no tickets. */

/* Time after which a member that waits for a budget is checked again. */
enum { BUDGETS_AGAIN_MS = 2 * 1000 };

void members_budgets_reset(struct members *members)
{
    arena_free(members->asks_memory);
    members->asks_memory = arena_new_small(SIZE_MAX);
    budget_asks_init(&members->asks, members->asks_memory);
    members->budget_again_ms = 0;
}

static bool budgets_ask(const struct member_batches *batches, const struct member *member,
                        struct budget_asks *asks, struct text *out_wait)
{
    const struct reconciler *reconciler = batches->members->reconciler;
    const struct control_ports *ports = &reconciler->control->ports;
    const struct fleet_group *group = member_group(member);
    struct budget_question question = {
        .cache = reconciler->control->cache,
        .tenant = reconciler->cluster->tenant,
        .cluster_id = reconciler->cluster->id,
        .cluster = reconciler->cluster->name,
        .group = member->group,
        .name = member->name,
        .plugin = group == NULL ? TEXT("") : group->choices[0].plugin,
        .zone = member->way.zone,
        .token = member->token,
        .labels = group == NULL ? TEXT("") : group->labels,
        .wall_ms = ports->wall_ms(ports->arg),
        .guards_off = GUARDS_OFF(&reconciler->control->options.limits),
        .bug = BUG_ON(&reconciler->control->options.limits),
    };

    *out_wait = TEXT("");
    return batches->request.verb == BATCHES_VERB_VERIFY ||
           batches->request.verb == BATCHES_VERB_DECOMMISSION ||
           batches->request.verb == BATCHES_VERB_UNDRAIN || member->is_starting ||
           rollout_is_out(member) || budget_may(&question, asks, out_wait);
}

bool member_budget_may(const struct member_batches *batches, const struct member *member)
{
    struct members *members = batches->members;
    struct text wait;

    if (budgets_ask(batches, member, &members->asks, &wait)) {
        return true;
    }
    members->budget_again_ms = members_now(members) + BUDGETS_AGAIN_MS;
    return false;
}

struct text members_budgets_waits(struct arena *arena, const struct member_batches *batches)
{
    struct budget_asks asks;
    struct text wait = TEXT("");

    budget_asks_init(&asks, arena);
    for (size_t i = batches->step.first; i < batches->step.end && wait.length == 0; i++) {
        const struct member *member =
            batches->marks[i] == BOOTSTRAP_MARK_WAITING
                ? map_find(&batches->members->by_token, batches->request.tokens[i])
                : NULL;

        if (member != NULL && !budgets_ask(batches, member, &asks, &wait) && wait.length > 0) {
            wait = arena_printf(arena, "%.*s: %.*s", TEXT_ARG(member->name), TEXT_ARG(wait));
        }
    }
    return wait;
}

void members_budgets_write(struct members *members)
{
    struct reconciler *reconciler = members->reconciler;
    struct arena *arena = reconciler->settle_arena;

    for (size_t i = 0; i < members->asks.count; i++) {
        unit_add(arena, &reconciler->units, arena_text(arena, members->asks.keys[i]), 0,
                 arena_text(arena, members->asks.values[i]));
    }
    members->asks.count = 0;
}

bool members_is_begun(const struct reconciler *reconciler, struct text token)
{
    const struct member *member =
        reconciler->members == NULL ? NULL : map_find(&reconciler->members->by_token, token);

    return member != NULL &&
           (member_is_staging(member) || member->drain.run != NULL ||
            member->slot_mark == BOOTSTRAP_MARK_BEGUN || member->drain_batches != NULL ||
            (member->batches != NULL && !member_is_done_of(member, member->batches)) ||
            /* its record gets the failure with a later commit */
            text_is(member->state.step, NODE_STATE_FAILED));
}
