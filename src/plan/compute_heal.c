#include "plan/compute_parts.h"

#include <assert.h>

/* Heals groups. A machine that is known not to serve is destroyed first. Its slot is filled after
 * the provider has confirmed the destruction (G6). Machines that are gone or stopped use no budget,
 * because they do not run. */

static bool heals(const struct plan_group_state *current)
{
    return current->group == NULL || current->group->heal != PLAN_HEAL_OFF;
}

/* True if the machine is repaired in place, because it cannot be replaced by a new machine
 * (K28). */
static bool is_repaired(const struct plan_work *work, const struct plan_group_state *current,
                        const struct plan_case *one)
{
    return one->record->state == PLAN_RECORD_ACTIVE && current->group != NULL &&
           (current->group->heal == PLAN_HEAL_REBOOT ||
            !plan_source_of(work, one->record)->is_disposable);
}

static void case_condemn(struct plan_work *work, struct plan_group_state *current,
                         struct plan_case *one, enum plan_rule rule, struct text fact)
{
    assert(!one->is_chosen);
    one->is_chosen = true;
    current->dead -= one->class != PLAN_CLASS_FAILING;
    current->leaving++;
    plan_act_case(work, current, one, PLAN_ACT_DESTROY,
                  one->record->state == PLAN_RECORD_CREATE ? PLAN_RULE_failed : rule, fact);
}

/* Count the machines for maxUnhealthy: all that are unhealthy now, regardless of the duration. If
 * they have a common cause, further machines will soon follow (G16). Machines with a known common
 * cause are not counted: a hold already covers them, or an operator has decided about them
 * (G27). */
static size_t unhealthy_count(const struct plan_work *work, const struct plan_group_state *current)
{
    return GUARD(work->limits, G16) ? current->unhealthy - current->caused_unhealthy
                                    : current->stopped + current->failing;
}

/* Return the number of machines to which the percentage of maxUnhealthy refers. Machines that no
 * longer exist are neither healthy nor unhealthy. */
static size_t counted(const struct plan_group_state *current)
{
    return current->active - current->lost - current->caused;
}

/* True if more machines than maxUnhealthy are unhealthy, which indicates a common cause (X5). */
static bool is_compute_heal_unhealthy(const struct plan_work *work,
                                      const struct plan_group_state *current)
{
    size_t bad = unhealthy_count(work, current);

    return current->group != NULL && !BUG(work->limits, BUG_UNHEALTHY_UNBOUNDED) && bad > 1 &&
           bad * 1000 > counted(current) * current->group->unhealthy_permille;
}

static struct text duration_text(struct plan_work *work, uint64_t ms)
{
    return arena_printf(work->arena, "for %llu s", (unsigned long long)(ms / 1000));
}

/* Counters of one healing run. Each counter above 0 creates a hold. */
struct healing {
    size_t caused;
    size_t braked;
    size_t waiting;
    size_t kept;
    size_t unhealed;
    size_t protected;
};

/* True if a machine whose bootstrap failed is kept for inspection. At most kept_max machines are
 * kept, for kept_ms each (X4). */
static bool is_compute_heal_kept(const struct plan_work *work,
                                 const struct plan_group_state *current,
                                 const struct plan_case *one, const struct healing *healing)
{
    return one->class == PLAN_CLASS_FAILING && plan_has_failed(one->record) &&
           current->group != NULL && healing->kept < current->group->kept_max &&
           work->world->now_ms - one->record->failed_since_ms < current->group->kept_ms;
}

/* Reboots the machine once, and waits while the reboot may still help. If it does not help, creates
 * a hold. */
static void case_repair(struct plan_work *work, struct plan_group_state *current,
                        const struct plan_case *one, struct healing *healing)
{
    const struct plan_record *record = one->record;
    uint64_t since = work->world->now_ms - record->rebooted_ms;
    bool was_rebooted = record->rebooted_ms > 0 && since < work->limits->proven_ms;

    if (record->is_reboot_requested || plan_is_rebooting(record)) {
        /* An operator's reboot request takes precedence. */
        return;
    }
    if (one->class == PLAN_CLASS_LOST || plan_has_failed(record) ||
        !plan_source_of(work, record)->can_reboot ||
        (was_rebooted && since >= work->limits->reboot_ms)) {
        healing->unhealed++;
    } else if (!was_rebooted && !record->is_calling) {
        plan_act_case(work, current, one, PLAN_ACT_REBOOT, PLAN_RULE_reboot,
                      one->class == PLAN_CLASS_STOPPED ? TEXT("the machine does not run")
                                                       : TEXT("the machine is unhealthy"));
    }
}

static void lost_end(struct plan_work *work, struct plan_group_state *current,
                     struct plan_case *one)
{
    const struct plan_row *row = one->row;

    if (one->record->lookup == PLAN_LOOKUP_ENDED) {
        case_condemn(
            work, current, one, PLAN_RULE_ended,
            row == NULL || row->ended.length == 0
                ? arena_printf(work->arena, "%u answers agree", one->record->looked_up.count)
                : row->ended);
        return;
    }
    case_condemn(work, current, one, PLAN_RULE_lost,
                 arena_printf(work->arena, "%.*s; %u lookups by id did not find the machine",
                              TEXT_ARG(plan_count(work, one->record->absence.count + 1, "absence")),
                              one->record->looked_up.count));
}

static void failed_end(struct plan_work *work, struct plan_group_state *current,
                       struct plan_case *one)
{
    const struct plan_record *record = one->record;
    uint64_t now = work->world->now_ms;

    if (one->class == PLAN_CLASS_STOPPED) {
        case_condemn(work, current, one, PLAN_RULE_stopped,
                     arena_printf(work->arena, "%u answers agree", record->looked_up.count));
        return;
    }
    work->budget--;
    current->alive--;
    current->running -= plan_is_seen_running(one);
    if (plan_has_failed(record)) {
        case_condemn(work, current, one, PLAN_RULE_unfinished,
                     duration_text(work, now - record->failed_since_ms));
    } else {
        case_condemn(work, current, one, PLAN_RULE_unhealthy,
                     duration_text(work, now - (record->failing_since_ms > 0
                                                    ? record->failing_since_ms
                                                    : record->unreachable_since_ms)));
    }
}

static void case_heal(struct plan_work *work, struct plan_group_state *current,
                      struct plan_case *one, struct healing *healing, bool is_braked)
{
    if (one->is_chosen || (one->class != PLAN_CLASS_LOST && one->class != PLAN_CLASS_STOPPED &&
                           one->class != PLAN_CLASS_FAILING)) {
        return;
    }
    if (one->class != PLAN_CLASS_LOST && plan_is_caused(work, one->record) &&
        !work->world->is_cause_approved) {
        healing->caused++;
    } else if (is_braked && one->class != PLAN_CLASS_LOST && !plan_is_excused(work, one->record)) {
        healing->braked++;
    } else if (is_repaired(work, current, one)) {
        case_repair(work, current, one, healing);
    } else if (one->class == PLAN_CLASS_LOST) {
        lost_end(work, current, one);
    } else if (one->class == PLAN_CLASS_FAILING && one->record->is_in_rollout) {
        healing->unhealed++; /* failed in-place changes never cause a replacement */
    } else if (plan_is_protected(current, one)) {
        healing->protected ++;
    } else if (is_compute_heal_kept(work, current, one, healing)) {
        healing->kept++;
    } else if (one->class == PLAN_CLASS_FAILING && work->budget == 0) {
        healing->waiting++;
    } else {
        failed_end(work, current, one);
    }
}

/* Creates a hold for machines that would otherwise be destroyed and replaced. */
static void healing_hold(struct plan_work *work, const struct plan_group_state *current,
                         enum plan_rule rule, size_t count, struct text fact)
{
    if (count > 0) {
        plan_hold(work, (struct plan_hold){ .rule = rule,
                                            .group = current->path,
                                            .fact = fact,
                                            .would_destroy = (uint32_t)count,
                                            .would_create = (uint32_t)count });
    }
}

static void current_heal(struct plan_work *work, struct plan_group_state *current)
{
    bool is_braked = is_compute_heal_unhealthy(work, current);
    struct healing healing = { 0 };

    for (size_t i = 0; i < current->count; i++) {
        case_heal(work, current, &current->cases[i], &healing, is_braked);
    }
    healing_hold(work, current, PLAN_RULE_unhealthy_brake, healing.braked,
                 arena_printf(work->arena, "%zu of %zu machines are unhealthy or unreachable",
                              unhealthy_count(work, current), counted(current)));
    healing_hold(
        work, current, PLAN_RULE_budget, healing.waiting,
        arena_printf(work->arena, "machines that wait for the next window: %zu", healing.waiting));
    healing_hold(work, current, PLAN_RULE_kept, healing.kept,
                 plan_count(work, healing.kept, "machine"));
    healing_hold(work, current, PLAN_RULE_unhealed, healing.unhealed,
                 plan_count(work, healing.unhealed, "machine"));
    current->withheld += healing.protected;
    work->caused += healing.caused;
}

/* Creates a hold for unreachable machines, which may still run. */
static void unreachable_hold(struct plan_work *work, const struct plan_group_state *current)
{
    size_t count = 0;

    for (size_t i = 0; i < current->count; i++) {
        const struct plan_case *one = &current->cases[i];

        count += one->class == PLAN_CLASS_SERVING && current->group != NULL &&
                 one->record->unreachable_since_ms > 0 &&
                 work->world->now_ms - one->record->unreachable_since_ms >=
                     current->group->replace_after_ms;
    }
    if (count > 0) {
        plan_hold(work, (struct plan_hold){ .rule = PLAN_RULE_unreachable,
                                            .group = current->path,
                                            .fact = plan_count(work, count, "machine") });
    }
}

/* Returns machines to their pool if their commission failed (C25). They have never been in service,
 * and they continue to exist in the pool, so no budget, share or healing policy applies. */
static void failed_return(struct plan_work *work, struct plan_group_state *current)
{
    for (size_t i = 0; i < current->count; i++) {
        struct plan_case *one = &current->cases[i];

        if (one->class != PLAN_CLASS_FAILING || !plan_has_failed(one->record) ||
            !plan_source_of(work, one->record)->is_pool || plan_is_protected(current, one)) {
            continue;
        }
        current->alive--;
        current->failing--;
        current->unhealthy--;
        current->caused_unhealthy -= plan_is_excused(work, one->record);
        current->running -= plan_is_seen_running(one);
        case_condemn(work, current, one, PLAN_RULE_unfinished,
                     duration_text(work, work->world->now_ms - one->record->failed_since_ms));
    }
}

void plan_heal(struct plan_work *work)
{
    for (size_t i = 0; i < work->current_count; i++) {
        struct plan_group_state *current = &work->standings[i];

        unreachable_hold(work, current);
        if (!current->is_void && !current->is_blind && !plan_is_unexplained(work) &&
            plan_may_call(work, current)) {
            failed_return(work, current);
        }
        if (heals(current) && !current->is_void && !current->is_blind &&
            !plan_is_unexplained(work) && plan_may_call(work, current)) {
            current_heal(work, current);
        }
    }
}

/* Creates a hold for a group whose healing is off: machines that do not serve are only reported to
 * operators (K28). This phase runs late, because earlier phases may have chosen some of these
 * machines. */
static void unhealed_hold(struct plan_work *work, const struct plan_group_state *current)
{
    size_t count = 0;

    for (size_t i = 0; i < current->count; i++) {
        const struct plan_case *one = &current->cases[i];

        count += !one->is_chosen && !one->is_forgotten &&
                 (one->class == PLAN_CLASS_LOST || one->class == PLAN_CLASS_STOPPED ||
                  one->class == PLAN_CLASS_FAILING);
    }
    healing_hold(work, current, PLAN_RULE_unhealed, count, plan_count(work, count, "machine"));
}

void plan_unhealed(struct plan_work *work)
{
    for (size_t i = 0; i < work->current_count; i++) {
        const struct plan_group_state *current = &work->standings[i];

        if (!heals(current) && !current->is_void && !current->is_blind &&
            plan_may_call(work, current)) {
            unhealed_hold(work, current);
        }
    }
}
