#include "plan/compute_parts.h"
#include "plan/victims.h"

#include <assert.h>

/* Shrinks and grows groups. The number of machines that are seen to run decides whether a group
 * shrinks; the number of recorded machines decides whether it grows (G9). A machine that is being
 * destroyed holds its slot until the provider confirms its end, so the number of machines that may
 * run never exceeds the size (I3). */

/* ---- shrinking ---- */

static enum plan_readiness compute_size_readiness(const struct plan_work *work,
                                                  const struct plan_case *one)
{
    if (one->record->state == PLAN_RECORD_CREATE) {
        return one->row == NULL ? PLAN_READINESS_ASKED_FOR : PLAN_READINESS_WAITING;
    }
    if (!GUARD(work->limits, G22)) {
        return one->class == PLAN_CLASS_FAILING ? PLAN_READINESS_UNHEALTHY : PLAN_READINESS_SERVING;
    }
    return plan_victim_readiness(one->record);
}

/* Find the members that may be removed: those that are alive and not protected. */
static struct plan_victims victims_find(struct plan_work *work,
                                        const struct plan_group_state *current)
{
    struct plan_victim *items = arena_array(work->arena, struct plan_victim, current->count);
    struct plan_victims victims;
    size_t count = 0;

    for (size_t i = 0; i < current->count; i++) {
        const struct plan_case *one = &current->cases[i];
        bool is_alive =
            one->class == PLAN_CLASS_WAITING || one->class == PLAN_CLASS_SERVING ||
            one->class == PLAN_CLASS_FAILING ||
            (one->class == PLAN_CLASS_MISSING && one->record->state == PLAN_RECORD_CREATE);

        if (is_alive && !one->is_chosen && !one->record->is_protected) {
            items[count++] =
                (struct plan_victim){ one->record, compute_size_readiness(work, one), i, false };
        }
    }
    victims = plan_victims_make(work->arena, current->group, items, count);
    for (size_t i = 0; i < current->count; i++) {
        const struct plan_case *one = &current->cases[i];

        if (!one->is_chosen && one->class != PLAN_CLASS_LEAVING) {
            plan_victims_count(&victims, one->record);
        }
    }
    return victims;
}

/* Counts the unhealthy machines that are kept although a healthy one is removed: an operator has
 * chosen the healthy one for removal, or the unhealthy ones are protected. */
static size_t bad_count(const struct plan_group_state *current)
{
    size_t count = 0;

    for (size_t i = 0; i < current->count; i++) {
        const struct plan_case *one = &current->cases[i];

        count += (one->class == PLAN_CLASS_SERVING || one->class == PLAN_CLASS_FAILING) &&
                 !one->is_chosen && plan_readiness_is_bad(plan_victim_readiness(one->record));
    }
    return count;
}

/* Return the reason for the removal, with the state of the removed machine. For a healthy machine
 * it includes the number of unhealthy members that are kept. */
static struct text victim_fact(struct plan_work *work, const struct plan_group_state *current,
                               const struct plan_case *victim)
{
    uint32_t size = plan_size_of(current);
    enum plan_readiness state = victim->record->state == PLAN_RECORD_ACTIVE
                                    ? plan_victim_readiness(victim->record)
                                    : PLAN_READINESS_WAITING;
    size_t bad = state == PLAN_READINESS_SERVING ? bad_count(current) : 0;

    if (bad > 0) {
        return arena_printf(work->arena,
                            "size is %u; this machine is healthy, and %zu unhealthy ones stay",
                            size, bad);
    }
    return state == PLAN_READINESS_SERVING || state == PLAN_READINESS_WAITING
               ? arena_printf(work->arena, "size is %u", size)
               : arena_printf(work->arena, "size is %u; %s", size, plan_readiness_name(state));
}

static void victim_take(struct plan_work *work, struct plan_group_state *current,
                        struct plan_case *victim)
{
    struct text fact = victim_fact(work, current, victim);
    bool is_waiting = victim->record->state == PLAN_RECORD_CREATE;

    if (plan_is_nothing(work, victim)) {
        plan_forget(work, current, victim, PLAN_RULE_refused,
                    TEXT("the create was refused, and the machine is not desired any more"));
        return;
    }
    victim->is_chosen = true;
    current->alive--;
    current->leaving++;
    current->running -= plan_is_seen_running(victim);
    plan_act_case(work, current, victim, PLAN_ACT_DESTROY,
                  is_waiting ? PLAN_RULE_cancel : PLAN_RULE_scale_in, fact);
}

struct shrinking {
    const struct plan_work *work;
    const struct plan_group_state *current;
};

/* True if the machine may be removed. A machine that is seen to run may be removed only while more
 * machines run than desired (G9). A machine that reboots and is listed as stopped does not run, so
 * it is removed before a running one. */
static bool may_go(const void *arg, const struct plan_victim *one)
{
    const struct shrinking *shrinking = arg;
    const struct plan_group_state *current = shrinking->current;

    const struct plan_case *victim = &current->cases[one->place];

    return !GUARD(shrinking->work->limits, G9) || victim->row == NULL ||
           (victim->class == PLAN_CLASS_SERVING && !plan_is_seen_running(victim)) ||
           current->running > current->doubled + plan_size_of(current);
}

static void current_shrink(struct plan_work *work, struct plan_group_state *current, uint64_t size)
{
    struct plan_victims victims = victims_find(work, current);
    struct shrinking shrinking = { work, current };
    size_t too_many = plan_members(current) - size;
    size_t kept = 0;
    const struct plan_victim *victim;

    while (too_many > 0 && (victim = plan_victims_next(&victims, may_go, &shrinking)) != NULL) {
        victim_take(work, current, &current->cases[victim->place]);
        too_many--;
    }
    for (size_t i = 0; i < current->count; i++) {
        kept += current->cases[i].record->is_protected;
    }
    if (kept > 0) {
        current->withheld += too_many;
    }
}

/* ---- growing ---- */

/* Counts the records that hold a slot, including those of machines that are being destroyed, and of
 * dead machines in groups without healing. */
static size_t recorded(const struct plan_work *work, const struct plan_group_state *current)
{
    size_t alive = plan_members(current);

    return GUARD(work->limits, G6) ? alive + current->leaving + current->dead : alive;
}

bool plan_is_taken(const struct plan_group_state *current, uint64_t slot)
{
    for (size_t i = 0; i < current->taken_count; i++) {
        if (current->taken[i] == slot) {
            return true;
        }
    }
    return plan_has_away(current, slot);
}

/* True if a record holds this slot. The record of a destroyed machine holds the slot until the
 * provider confirms the end of the machine (G6). `at` is the first case of the slot. */
static bool is_compute_size_held(const struct plan_work *work,
                                 const struct plan_group_state *current, size_t at, uint64_t slot)
{
    for (; at < current->count && current->cases[at].record->slot == slot; at++) {
        const struct plan_case *one = &current->cases[at];

        if (!one->is_forgotten &&
            (GUARD(work->limits, G6) || (!one->is_chosen && one->class != PLAN_CLASS_LEAVING))) {
            return true;
        }
    }
    return plan_is_taken(current, slot);
}

/* Creates machines in free slots. A slot is free if no record holds it. Records are in order of
 * slot. */
static void current_grow(struct plan_work *work, struct plan_group_state *current, uint64_t count)
{
    uint64_t slot = current->group->first_slot;
    uint32_t waiting = 0;
    size_t at = 0;

    for (uint64_t made = 0; made < count && plan_is_makeable(work, current); slot++) {
        while (at < current->count && current->cases[at].record->slot < slot) {
            at++;
        }
        if (is_compute_size_held(work, current, at, slot)) {
            continue;
        }
        if (plan_volume_waits(current->group, slot)) {
            waiting++;
            made++;
            continue;
        }
        plan_create(work, current, slot, PLAN_RULE_free_slot,
                    arena_printf(work->arena, "size is %u, %zu recorded", plan_size_of(current),
                                 recorded(work, current)));
        made++;
    }
    if (waiting > 0) {
        plan_hold(work, (struct plan_hold){
                            .rule = PLAN_RULE_volume,
                            .group = current->path,
                            .fact = arena_printf(work->arena,
                                                 "%.*s: its volume is in another zone, or "
                                                 "is being deleted",
                                                 TEXT_ARG(plan_count(work, waiting, "slot"))),
                            .would_create = waiting });
    }
}

/* Cancels creates that were requested before the store was restored and that no listing has shown
 * since. A record with an id had a machine: if it is missing, its absences decide (G5). A record
 * without an id may have a machine that has served since the backup and must not be destroyed
 * (I14). Such a machine can appear in a listing during the window `new_incarnation_ms`, in which no
 * group grows or shrinks. */
static void old_incarnation_cancel(struct plan_work *work, struct plan_group_state *current)
{
    for (size_t i = 0; i < current->count; i++) {
        struct plan_case *one = &current->cases[i];

        if (one->record->state == PLAN_RECORD_CREATE && one->row == NULL && !one->is_chosen &&
            one->record->id.length == 0 && plan_is_old_incarnation(work, one->record)) {
            one->is_chosen = true;
            current->alive--;
            current->leaving++;
            plan_act_case(work, current, one, PLAN_ACT_DESTROY, PLAN_RULE_old_incarnation,
                          TEXT("the store was restored since"));
        }
    }
}

static void settling_hold(struct plan_work *work, const struct plan_group_state *current,
                          uint64_t size)
{
    uint64_t all = recorded(work, current);

    if (all == size) {
        return;
    }
    plan_hold(work, (struct plan_hold){
                        .rule = PLAN_RULE_new_incarnation,
                        .group = current->path,
                        .fact = arena_printf(work->arena, "size is %llu, %llu recorded",
                                             (unsigned long long)size, (unsigned long long)all),
                        .would_destroy = (uint32_t)(all > size ? all - size : 0),
                        .would_create = (uint32_t)(size > all ? size - all : 0),
                    });
}

static void current_size(struct plan_work *work, struct plan_group_state *current)
{
    uint64_t size = plan_size_of(current);

    if (plan_is_new_incarnation(work)) {
        settling_hold(work, current, size);
        return;
    }
    old_incarnation_cancel(work, current);
    if (plan_members(current) > size) {
        if (current->group != NULL && current->group->is_protected) {
            current->withheld += plan_members(current) - size;
            return;
        }
        current_shrink(work, current, size);
    } else if (recorded(work, current) < size) {
        current_grow(work, current, size - recorded(work, current));
    }
}

static void unexplained_hold(struct plan_work *work)
{
    size_t alive = 0;

    for (size_t i = 0; i < work->current_count; i++) {
        alive += work->standings[i].alive;
    }
    if (alive > 0) {
        plan_hold(work, (struct plan_hold){ .rule = PLAN_RULE_unexplained,
                                            .fact = plan_count(work, alive, "machine"),
                                            .would_destroy = (uint32_t)alive });
    }
}

void plan_size(struct plan_work *work)
{
    if (plan_is_unexplained(work)) {
        unexplained_hold(work);
        return;
    }
    for (size_t i = 0; i < work->current_count; i++) {
        struct plan_group_state *current = &work->standings[i];

        assert(current->alive <= current->count + current->away_count + current->taken_count);
        if (work->is_store_held) {
            /* The hold store_went_back applies to all groups, so there is no hold for each
             * group. */
            continue;
        }
        if (!plan_may_call(work, current)) {
            plan_hold(work, (struct plan_hold){ .rule = PLAN_RULE_paused,
                                                .group = current->path,
                                                .fact = TEXT("observation continues") });
        } else if (!current->is_void) {
            current_size(work, current);
        }
    }
}
