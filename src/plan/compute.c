#include "plan/compute.h"

#include "base/sort.h"
#include "plan/compute_parts.h"

#include <assert.h>

const char *plan_rule_name(enum plan_rule rule)
{
    static const char *const names[PLAN_RULE_COUNT] = {
#define RULE(name, text) [PLAN_RULE_##name] = #name,
#include "plan/rules.def"
#undef RULE
    };

    assert(rule < PLAN_RULE_COUNT);
    return names[rule];
}

const char *plan_rule_text(enum plan_rule rule)
{
    static const char *const texts[PLAN_RULE_COUNT] = {
#define RULE(name, text) [PLAN_RULE_##name] = text,
#include "plan/rules.def"
#undef RULE
    };

    assert(rule < PLAN_RULE_COUNT);
    return texts[rule];
}

const char *plan_rule_advice(enum plan_rule rule)
{
    static const char *const texts[PLAN_RULE_COUNT] = {
#define ADVICE(name, answers, passes, text) [PLAN_RULE_##name] = text,
#include "plan/advice.def"
#undef ADVICE
    };

    assert(rule < PLAN_RULE_COUNT);
    return texts[rule] == NULL ? "" : texts[rule];
}

bool plan_rule_is_answered(enum plan_rule rule)
{
    static const bool answers[PLAN_RULE_COUNT] = {
#define ADVICE(name, answers, passes, text) [PLAN_RULE_##name] = answers,
#include "plan/advice.def"
#undef ADVICE
    };

    assert(rule < PLAN_RULE_COUNT);
    return answers[rule];
}

bool plan_rule_is_passing(enum plan_rule rule)
{
    static const bool passing[PLAN_RULE_COUNT] = {
#define ADVICE(name, answers, passes, text) [PLAN_RULE_##name] = passes,
#include "plan/advice.def"
#undef ADVICE
    };

    assert(rule < PLAN_RULE_COUNT);
    return passing[rule];
}

enum plan_rule plan_rule_find(struct text name)
{
    int rule = 0;

    while (rule < PLAN_RULE_COUNT && !text_is(name, plan_rule_name((enum plan_rule)rule))) {
        rule++;
    }
    return (enum plan_rule)rule;
}

const char *plan_act_name(enum plan_act act)
{
    static const char *const names[] = {
        [PLAN_ACT_MOVE] = "move",           [PLAN_ACT_LABEL] = "label",
        [PLAN_ACT_REBOOT] = "reboot",       [PLAN_ACT_NOTE] = "note",
        [PLAN_ACT_SET_ID] = "set-id",       [PLAN_ACT_ACTIVATE] = "activate",
        [PLAN_ACT_ADOPT] = "adopt",         [PLAN_ACT_FORGET] = "forget",
        [PLAN_ACT_CONFIRM] = "confirm",     [PLAN_ACT_DESTROY] = "destroy",
        [PLAN_ACT_TERMINATE] = "terminate", [PLAN_ACT_ASK] = "ask",
        [PLAN_ACT_CREATE] = "create",
    };

    assert(act <= PLAN_ACT_CREATE);
    return names[act];
}

struct plan_limits plan_limits_default(void)
{
    return (struct plan_limits){
        .absences = 3,
        .absence_ms = 3 * 60 * 1000,
        .sightings = 3,
        .sighting_ms = 3 * 60 * 1000,
        .lookups = 2,
        .lookup_ms = 5 * 1000,
        .brake_permille = 500,
        .budget_permille = 50,
        .budget_ms = 10 * 60 * 1000,
        .contact_ms = 60 * 1000,
        .contact_least = 3,
        .unknown_permille = 200,
        .tries = 3,
        .retry_ms = 60 * 60 * 1000,
        .retry_max_ms = 24 * 60 * 60 * 1000,
        .unheard_ms = 10 * 60 * 1000,
        .going_ms = 20 * 60 * 1000,
        .reboot_ms = 10 * 60 * 1000,
        .proven_ms = 24 * 60 * 60 * 1000,
        .undo_ms = 10 * 60 * 1000,
        .late_ms = 15 * 60 * 1000,
        .cause_ms = 60 * 60 * 1000,
        .new_incarnation_ms = 25 * 60 * 1000,
    };
}

void plan_limits_hasten(struct plan_limits *limits, uint32_t times)
{
    uint64_t *const windows[] = {
        &limits->absence_ms, &limits->sighting_ms, &limits->lookup_ms,          &limits->budget_ms,
        &limits->undo_ms,    &limits->late_ms,     &limits->new_incarnation_ms, &limits->contact_ms,
        &limits->reboot_ms,  &limits->cause_ms,
    };

    assert(times > 0);
    for (size_t i = 0; i < ARRAY_COUNT(windows); i++) {
        *windows[i] /= times;
    }
}

/* ---- output ---- */

void plan_act(struct plan_work *work, struct plan_action action)
{
    struct plan *plan = work->plan;

    if (plan->action_count == work->action_room) {
        size_t room = work->action_room * 2 + 16;

        plan->actions = arena_grow(work->arena, plan->actions, work->action_room * sizeof(action),
                                   room * sizeof(action));
        work->action_room = room;
    }
    plan->actions[plan->action_count++] = action;
}

void plan_hold(struct plan_work *work, struct plan_hold hold)
{
    struct plan *plan = work->plan;

    assert(plan_rule_advice(hold.rule)[0] != '\0' && "every hold has advice");
    if (plan->hold_count == work->hold_room) {
        size_t room = work->hold_room * 2 + 4;

        plan->holds = arena_grow(work->arena, plan->holds, work->hold_room * sizeof(hold),
                                 room * sizeof(hold));
        work->hold_room = room;
    }
    plan->holds[plan->hold_count++] = hold;
}

bool plan_has_hold(const struct plan_work *work, enum plan_rule rule, struct text group)
{
    for (size_t i = 0; i < work->plan->hold_count; i++) {
        if (work->plan->holds[i].rule == rule && text_is_equal(work->plan->holds[i].group, group)) {
            return true;
        }
    }
    return false;
}

void plan_act_case(struct plan_work *work, const struct plan_group_state *current,
                   const struct plan_case *one, enum plan_act act, enum plan_rule rule,
                   struct text fact)
{
    plan_act(work, (struct plan_action){
                       .act = act,
                       .rule = rule,
                       .group = current->path,
                       .slot = one->record->slot,
                       .record = one->record_index,
                       .row = one->row_index,
                       .fact = fact,
                   });
}

struct text plan_count(struct plan_work *work, uint64_t count, const char *what)
{
    return arena_printf(work->arena, "%llu %s%s", (unsigned long long)count, what,
                        count == 1 ? "" : "s");
}

const struct plan_source *plan_source_of(const struct plan_work *work,
                                         const struct plan_record *record)
{
    assert(record->source < work->world->source_count);
    return &work->world->sources[record->source];
}

bool plan_is_unexplained(const struct plan_work *work)
{
    return work->world->is_gone && !work->world->is_deleting && GUARD(work->limits, G8);
}

bool plan_may_call(const struct plan_work *work, const struct plan_group_state *current)
{
    return !work->is_store_held && !work->world->is_paused &&
           (current->group == NULL || !current->group->is_paused);
}

/* True shortly after a restore, when calls of the previous incarnation of the store may still take
 * effect. */
bool plan_is_new_incarnation(const struct plan_work *work)
{
    const struct plan_world *world = work->world;

    return GUARD(work->limits, G12) && world->life_since_ms > 0 &&
           world->now_ms - world->life_since_ms < work->limits->new_incarnation_ms;
}

bool plan_is_old_incarnation(const struct plan_work *work, const struct plan_record *record)
{
    return record->is_foreign_life && GUARD(work->limits, G12);
}

bool plan_is_suspect(const struct plan_work *work)
{
    return work->world->contact_of > 0 && GUARD(work->limits, G17);
}

bool plan_is_caused(const struct plan_work *work, const struct plan_record *record)
{
    return record->has_cause && work->world->cause_name.length > 0 && GUARD(work->limits, G27);
}

bool plan_is_excused(const struct plan_work *work, const struct plan_record *record)
{
    return plan_is_caused(work, record) && work->world->is_cause_held;
}

bool plan_is_protected(const struct plan_group_state *current, const struct plan_case *one)
{
    return one->record->is_protected || (current->group != NULL && current->group->is_protected);
}

/* Creates one hold for each group with protected machines that a rule would otherwise destroy. */
static void plan_withheld(struct plan_work *work)
{
    for (size_t i = 0; i < work->current_count; i++) {
        const struct plan_group_state *current = &work->standings[i];

        if (current->withheld > 0) {
            plan_hold(work, (struct plan_hold){
                                .rule = PLAN_RULE_protected,
                                .group = current->path,
                                .fact = arena_printf(
                                    work->arena, "%.*s would go",
                                    TEXT_ARG(plan_count(work, current->withheld, "machine"))),
                                .would_destroy = (uint32_t)current->withheld });
        }
    }
}

size_t plan_members(const struct plan_group_state *current)
{
    return current->alive > current->doubled ? current->alive - current->doubled : 0;
}

uint64_t plan_hold_source(size_t source)
{
    return (uint64_t)1 << (source < 63 ? source : 63);
}

uint32_t plan_size_of(const struct plan_group_state *current)
{
    const struct plan_group *group = current->group;

    if (group == NULL) {
        return 0;
    }
    if (group->size < group->min_size) {
        return group->min_size;
    }
    return group->max_size > 0 && group->size > group->max_size ? group->max_size : group->size;
}

static void plan_suspicion(struct plan_work *work)
{
    const struct plan_world *world = work->world;

    if (plan_is_suspect(work)) {
        plan_hold(work, (struct plan_hold){
                            .rule = PLAN_RULE_self_suspicion,
                            .fact = arena_printf(
                                work->arena,
                                "%u of %u machines that this manager reached no longer answer",
                                world->contact_lost, world->contact_of),
                            .observation = world->contact_name });
    }
}

/* Runs after healing, because healing counts the machines that the hold protects from
 * replacement. */
static void plan_cause(struct plan_work *work)
{
    const struct plan_world *world = work->world;

    if (world->cause_name.length > 0 && !world->is_cause_approved && GUARD(work->limits, G27)) {
        plan_hold(work, (struct plan_hold){ .rule = PLAN_RULE_common_cause,
                                            .fact = world->cause_fact,
                                            .observation = world->cause_name,
                                            .would_destroy = (uint32_t)work->caused,
                                            .would_create = (uint32_t)work->caused });
    }
}

static struct text act_key(const struct plan_world *world, const struct plan_action *action)
{
    if (action->record != PLAN_NONE) {
        return world->records[action->record].token;
    }
    return action->row != PLAN_NONE ? world->rows[action->row].id : TEXT("");
}

static int action_compare(const void *a, const void *b, void *arg)
{
    const struct plan_action *first = a;
    const struct plan_action *second = b;
    int order = (int)first->act - (int)second->act;

    if (order == 0) {
        order = text_compare(first->group, second->group);
    }
    if (order == 0) {
        order = (first->slot > second->slot) - (first->slot < second->slot);
    }
    return order != 0 ? order : text_compare(act_key(arg, first), act_key(arg, second));
}

static int hold_compare(const void *a, const void *b, void *arg)
{
    const struct plan_hold *first = a;
    const struct plan_hold *second = b;
    int order = text_compare(first->group, second->group);

    (void)arg;
    return order != 0 ? order : (int)first->rule - (int)second->rule;
}

static void plan_order(struct plan_work *work)
{
    struct plan *plan = work->plan;

    sort_stable(work->arena, plan->actions, plan->action_count, sizeof(*plan->actions),
                action_compare, (void *)(uintptr_t)work->world);
    sort_stable(work->arena, plan->holds, plan->hold_count, sizeof(*plan->holds), hold_compare,
                NULL);
}

/* Computes how many machines may still be destroyed without a request in this window. The limit is
 * a share of the cluster's machines. */
static void plan_budget(struct plan_work *work)
{
    uint64_t machines = 0;
    uint64_t all;

    for (size_t i = 0; i < work->current_count; i++) {
        machines += work->standings[i].active;
    }
    all = machines * work->limits->budget_permille / 1000;
    all = all < 1 ? 1 : all;
    work->budget = all > work->world->destroyed ? all - work->world->destroyed : 0;
    if (!GUARD(work->limits, G8)) {
        work->budget = UINT64_MAX;
    }
}

void plan_compute(struct arena *arena, const struct plan_world *world,
                  const struct plan_limits *limits, struct plan *out)
{
    static void (*const phases[])(struct plan_work * work) = {
        plan_match,     plan_classify, plan_returned, plan_unpinned, plan_unlisted, plan_away,
        plan_suspicion, plan_brake,    plan_observe,  plan_make,     plan_budget,   plan_heal,
        plan_label,     plan_adopt,    plan_size,     plan_roll,     plan_reboot,   plan_ask,
        plan_unknown,   plan_unhealed, plan_withheld, plan_cause,    plan_order,
    };
    struct plan_work work = { .arena = arena, .world = world, .limits = limits, .plan = out };

    *out = (struct plan){ 0 };
    for (size_t i = 0; i < ARRAY_COUNT(phases); i++) {
        phases[i](&work);
    }
}
