#include "budget/budget.h"
#include "reconcile/control_parts.h"

/* public names start with: pass_ budgets_ */

/* Budgets of the tenant (N10, decision 0158). A requested action that takes a serving machine out
 * of service needs tickets. This pass writes the tickets that are available, and a later pass acts.
 * The decision of the planner does not depend on tickets. Healing needs no tickets. */

/* Returns the time, in ms, for which a ticket is kept until its operation is observed. */
static int64_t budgets_begin_ms(const struct pass *pass)
{
    return (int64_t)(2 * pass->reconciler->control->options.limits.lookup_ms);
}

static int64_t budgets_wall_ms(const struct pass *pass)
{
    const struct control_ports *ports = &pass->reconciler->control->ports;

    return ports->wall_ms(ports->arg);
}

static bool budgets_is_serving(const struct plan_record *record)
{
    return record->state == PLAN_RECORD_ACTIVE && !record->is_starting &&
           record->failing_since_ms == 0 && record->failed_since_ms == 0 &&
           record->unreachable_since_ms == 0 && record->maintenance_since_ms == 0 &&
           !plan_is_rebooting(record);
}

/* Returns the machine that the action takes out of service; PLAN_NONE: there is none. */
static size_t budgets_machine_of(const struct pass *pass, const struct plan_action *action)
{
    bool is_roll = action->rule == PLAN_RULE_roll || action->rule == PLAN_RULE_replace;
    size_t found = PLAN_NONE;

    if ((action->act == PLAN_ACT_DESTROY && is_roll) ||
        (action->act == PLAN_ACT_REBOOT && action->rule == PLAN_RULE_reboot_asked)) {
        found = action->record;
    }
    for (size_t i = 0; action->act == PLAN_ACT_CREATE && is_roll && i < pass->world.record_count;
         i++) {
        const struct plan_record *record = &pass->world.records[i];

        if (record->slot == action->slot && record->state == PLAN_RECORD_ACTIVE &&
            text_is_equal(record->group, action->group)) {
            found = i;
        }
    }
    return found != PLAN_NONE && budgets_is_serving(&pass->world.records[found]) ? found
                                                                                 : PLAN_NONE;
}

static void budgets_wait_note(struct pass *pass, struct text group, struct text wait)
{
    for (size_t i = 0; i < pass->wait_count; i++) {
        if (text_is_equal(pass->waits[i].group, group)) {
            return;
        }
    }
    if (pass->wait_count < ARRAY_COUNT(pass->waits)) {
        pass->waits[pass->wait_count++] =
            (struct plan_hold){ .rule = PLAN_RULE_ticket, .group = group, .fact = wait };
    }
}

bool pass_budget_may(struct pass *pass, const struct plan_action *action)
{
    const struct fleet_cluster *cluster = pass->reconciler->cluster;
    size_t index = budgets_machine_of(pass, action);
    const struct plan_record *plan = index == PLAN_NONE ? NULL : &pass->world.records[index];
    const struct fleet_group *group = plan == NULL ? NULL : fleet_group_find(cluster, plan->group);
    const struct fleet_machine *machine =
        group == NULL ? NULL : fleet_machine_find(cluster, plan->token);
    struct budget_question question;
    struct record record;
    struct text wait;
    struct err err;

    if (machine == NULL ||
        !record_parse(pass->arena, plan->token, blob_text(machine->bytes), &record, &err)) {
        return true;
    }
    question = (struct budget_question){
        .cache = pass->reconciler->control->cache,
        .tenant = cluster->tenant,
        .cluster_id = cluster->id,
        .cluster = cluster->name,
        .group = plan->group,
        .name = record.name,
        .plugin = record.plugin,
        .zone = plan->zone,
        .token = plan->token,
        .labels = group->labels,
        .wall_ms = budgets_wall_ms(pass),
        .guards_off = GUARDS_OFF(&pass->reconciler->control->options.limits),
        .bug = BUG_ON(&pass->reconciler->control->options.limits),
    };
    if (pass->asks.arena == NULL) {
        budget_asks_init(&pass->asks, pass->arena);
    }
    if (budget_may(&question, &pass->asks, &wait)) {
        return true;
    }
    if (wait.length > 0) {
        budgets_wait_note(pass, plan->group, wait);
    }
    return false;
}

/* ---- tickets that are no longer needed ---- */

/* True if another machine is about to take the slot. */
static bool budgets_has_partner(const struct pass *pass, size_t index)
{
    const struct plan_record *record = &pass->world.records[index];
    size_t count = 0;

    for (size_t i = 0; i < pass->world.record_count; i++) {
        count += pass->world.records[i].slot == record->slot &&
                 text_is_equal(pass->world.records[i].group, record->group);
    }
    return count > 1;
}

/* True if the operation of a ticket of this age may have begun without being observed yet. A ticket
 * from the future was written before a clock was set back, so its age says nothing. */
static bool budgets_is_new(const struct pass *pass, int64_t age_ms)
{
    return age_ms > -budgets_begin_ms(pass) && age_ms < budgets_begin_ms(pass);
}

/* True if this pass takes the machine out of service. Its record does not show that yet. */
static bool budgets_is_acted_on(const struct pass *pass, size_t index)
{
    for (size_t i = 0; i < pass->plan.action_count; i++) {
        if (budgets_machine_of(pass, &pass->plan.actions[i]) == index) {
            return true;
        }
    }
    return false;
}

static void budgets_ticket_found(void *arg, struct text id, uint64_t revision, struct text token,
                                 int64_t age_ms)
{
    struct pass *pass = arg;
    size_t index = 0;

    pass->has_tickets = true;
    while (index < pass->world.record_count &&
           !text_is_equal(pass->world.records[index].token, token)) {
        index++;
    }
    if (index < pass->world.record_count &&
        !BUG(&pass->reconciler->control->options.limits, BUG_TICKET_FREED) &&
        (budgets_is_new(pass, age_ms) || !budgets_is_serving(&pass->world.records[index]) ||
         budgets_has_partner(pass, index) || budgets_is_acted_on(pass, index) ||
         members_is_unknown(pass->reconciler) || members_is_begun(pass->reconciler, token))) {
        return;
    }
    unit_add(pass->arena, &pass->units,
             objects_key(pass->arena, pass->reconciler->cluster->tenant, TEXT(TICKET_KIND),
                         arena_text(pass->arena, id), CACHE_BASE),
             revision, TEXT(""));
}

void pass_budgets_end(struct pass *pass)
{
    const struct fleet_cluster *cluster = pass->reconciler->cluster;

    budget_tickets(pass->reconciler->control->cache, cluster->tenant, cluster->id,
                   budgets_wall_ms(pass), budgets_ticket_found, pass);
    for (size_t i = 0; i < pass->asks.count; i++) {
        unit_add(pass->arena, &pass->units, pass->asks.keys[i], 0, pass->asks.values[i]);
        pass->acts = true; /* the next pass acts soon */
    }
}
