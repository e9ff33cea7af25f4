#include "base/sort.h"
#include "plan/compute_parts.h"

#include <assert.h>

/* Shrink from what is seen to run, grow from what is recorded (G9). A machine that goes holds its place
 * until a definite answer: what may run never exceeds the size (I3). */

/* ---- who goes ---- */

struct choosing {
    enum plan_pick pick;
    struct text generation; /* the one that is wanted */
};

/* How readily a record goes, lowest first: what does not serve before what does. */
static int readiness(const struct plan_case *one)
{
    if (one->record->state == PLAN_RECORD_CREATE) {
        return one->row == NULL ? 0 : 1;
    }
    return one->class == PLAN_CLASS_SICK ? 2 : 3;
}

static int age_compare(const struct plan_case *a, const struct plan_case *b)
{
    return (a->record->created_ms > b->record->created_ms) -
           (a->record->created_ms < b->record->created_ms);
}

static int pick_compare(const struct choosing *choosing, const struct plan_case *a,
                        const struct plan_case *b)
{
    bool a_is_new = text_is_equal(a->record->generation, choosing->generation);
    bool b_is_new = text_is_equal(b->record->generation, choosing->generation);

    switch (choosing->pick) {
    case PLAN_PICK_OLDEST_CONFIG:
        return (int)a_is_new - (int)b_is_new;
    case PLAN_PICK_OLDEST:
        return age_compare(a, b);
    case PLAN_PICK_NEWEST:
        return age_compare(b, a);
    case PLAN_PICK_FAILED:
        break;
    }
    return 0;
}

/* Ties by slot, highest first: never at random, for a plan is a pure function (M24). */
static int victim_compare(const void *a, const void *b, void *arg)
{
    const struct plan_case *first = *(struct plan_case *const *)a;
    const struct plan_case *second = *(struct plan_case *const *)b;
    int order = readiness(first) - readiness(second);

    if (order == 0) {
        order = pick_compare(arg, first, second);
    }
    if (order == 0) {
        order = (first->record->slot < second->record->slot) -
                (first->record->slot > second->record->slot);
    }
    return order != 0 ? order : text_compare(first->record->token, second->record->token);
}

/* Those that may be chosen: alive, and not protected. */
static size_t victims_find(struct plan_work *work, struct plan_standing *standing,
                           struct plan_case **victims)
{
    struct choosing choosing = {
        .pick = standing->group == NULL ? PLAN_PICK_OLDEST_CONFIG : standing->group->pick,
        .generation = standing->group == NULL ? TEXT("") : standing->group->generation,
    };
    size_t count = 0;

    for (size_t i = 0; i < standing->count; i++) {
        struct plan_case *one = &standing->cases[i];
        bool is_alive =
            one->class == PLAN_CLASS_WAITING || one->class == PLAN_CLASS_SERVING ||
            one->class == PLAN_CLASS_SICK ||
            (one->class == PLAN_CLASS_MISSING && one->record->state == PLAN_RECORD_CREATE);

        if (is_alive && !one->is_chosen && !one->record->is_protected) {
            victims[count++] = one;
        }
    }
    sort_stable(work->arena, victims, count, sizeof(struct plan_case *), victim_compare, &choosing);
    return count;
}

static void victim_take(struct plan_work *work, struct plan_standing *standing,
                        struct plan_case *victim)
{
    bool is_waiting = victim->record->state == PLAN_RECORD_CREATE;

    victim->is_chosen = true;
    standing->alive--;
    standing->leaving++;
    standing->running -= victim->row != NULL && victim->class != PLAN_CLASS_MISSING;
    plan_act_case(work, standing, victim, PLAN_ACT_DESTROY,
                  is_waiting ? PLAN_RULE_cancel : PLAN_RULE_scale_in,
                  arena_printf(work->arena, "size is %u",
                               standing->group == NULL ? 0 : standing->group->size));
}

static void standing_shrink(struct plan_work *work, struct plan_standing *standing, uint64_t size)
{
    struct plan_case **victims = arena_array(work->arena, struct plan_case *, standing->count);
    size_t count = victims_find(work, standing, victims);
    size_t too_many = standing->alive - standing->doubled - size;
    size_t kept = 0;

    for (size_t i = 0; i < count && too_many > 0; i++) {
        bool is_seen = victims[i]->row != NULL;

        if (GUARD(work->limits, G9) && is_seen && standing->running - standing->doubled <= size) {
            continue; /* the dead among the recorded are not what keeps the group above its size */
        }
        victim_take(work, standing, victims[i]);
        too_many--;
    }
    for (size_t i = 0; i < standing->count; i++) {
        kept += standing->cases[i].record->is_protected;
    }
    if (too_many > 0 && kept > 0) {
        plan_hold(work, (struct plan_hold){
                            .rule = PLAN_RULE_protected,
                            .group = standing->path,
                            .fact = arena_printf(work->arena, "%zu more than wanted", too_many),
                            .would_destroy = (uint32_t)too_many });
    }
}

/* ---- who comes ---- */

/* What holds a place in the group: those that go until they are forgotten, and those that nobody heals. */
static size_t recorded(const struct plan_work *work, const struct plan_standing *standing)
{
    size_t alive = standing->alive - standing->doubled;

    return GUARD(work->limits, G6) ? alive + standing->leaving + standing->dead : alive;
}

static bool is_taken(const struct plan_standing *standing, uint64_t slot)
{
    for (size_t i = 0; i < standing->taken_count; i++) {
        if (standing->taken[i] == slot) {
            return true;
        }
    }
    return false;
}

/* Does a record hold this slot? One that goes does, until there is a definite answer (G6). `at` is the first
 * case of the slot. */
static bool is_held(const struct plan_work *work, const struct plan_standing *standing, size_t at,
                    uint64_t slot)
{
    for (; at < standing->count && standing->cases[at].record->slot == slot; at++) {
        const struct plan_case *one = &standing->cases[at];

        if (GUARD(work->limits, G6) || (!one->is_chosen && one->class != PLAN_CLASS_LEAVING)) {
            return true;
        }
    }
    return is_taken(standing, slot);
}

/* Slots are free that no record holds; records come in order of slot. */
static void standing_grow(struct plan_work *work, struct plan_standing *standing, uint64_t count)
{
    uint64_t slot = standing->group->first_slot;
    size_t at = 0;

    for (uint64_t made = 0; made < count; slot++) {
        while (at < standing->count && standing->cases[at].record->slot < slot) {
            at++;
        }
        if (is_held(work, standing, at, slot)) {
            continue;
        }
        plan_act(work, (struct plan_action){
                           .act = PLAN_ACT_CREATE,
                           .rule = PLAN_RULE_free_slot,
                           .group = standing->path,
                           .slot = slot,
                           .record = PLAN_NONE,
                           .row = PLAN_NONE,
                           .fact = arena_printf(work->arena, "size is %u, %zu recorded",
                                                standing->group->size, recorded(work, standing)),
                       });
        made++;
    }
}

/* What another life of the store has asked for and has not seen yet. */
static void old_life_cancel(struct plan_work *work, struct plan_standing *standing)
{
    for (size_t i = 0; i < standing->count; i++) {
        struct plan_case *one = &standing->cases[i];

        if (one->record->state == PLAN_RECORD_CREATE && !one->is_chosen &&
            one->class != PLAN_CLASS_STOPPED && one->class != PLAN_CLASS_LOST &&
            plan_is_old_life(work, one->record)) {
            one->is_chosen = true;
            standing->alive--;
            standing->leaving++;
            standing->running -= one->row != NULL && one->class == PLAN_CLASS_WAITING;
            plan_act_case(work, standing, one, PLAN_ACT_DESTROY, PLAN_RULE_old_life,
                          TEXT("the store was restored since"));
        }
    }
}

static void settling_hold(struct plan_work *work, const struct plan_standing *standing,
                          uint64_t size)
{
    uint64_t all = recorded(work, standing);

    if (all == size) {
        return;
    }
    plan_hold(work, (struct plan_hold){
                        .rule = PLAN_RULE_new_life,
                        .group = standing->path,
                        .fact = arena_printf(work->arena, "size is %llu, %llu recorded",
                                             (unsigned long long)size, (unsigned long long)all),
                        .would_destroy = (uint32_t)(all > size ? all - size : 0),
                        .would_create = (uint32_t)(size > all ? size - all : 0),
                    });
}

static void standing_size(struct plan_work *work, struct plan_standing *standing)
{
    uint64_t size = standing->group == NULL ? 0 : standing->group->size;

    old_life_cancel(work, standing);
    if (plan_is_new_life(work)) {
        settling_hold(work, standing, size);
        return;
    }
    if (standing->alive - standing->doubled > size) {
        if (standing->group != NULL && standing->group->is_protected) {
            plan_hold(work, (struct plan_hold){
                                .rule = PLAN_RULE_protected,
                                .group = standing->path,
                                .fact = arena_printf(work->arena, "%zu recorded, size is %llu",
                                                     standing->alive, (unsigned long long)size),
                                .would_destroy =
                                    (uint32_t)(standing->alive - standing->doubled - size) });
            return;
        }
        standing_shrink(work, standing, size);
    } else if (recorded(work, standing) < size) {
        standing_grow(work, standing, size - recorded(work, standing));
    }
}

void plan_size(struct plan_work *work)
{
    for (size_t i = 0; i < work->standing_count; i++) {
        struct plan_standing *standing = &work->standings[i];

        assert(standing->alive <= standing->count + standing->taken_count);
        if (!plan_may_call(work, standing)) {
            plan_hold(work, (struct plan_hold){ .rule = PLAN_RULE_paused,
                                                .group = standing->path,
                                                .fact = TEXT("watching goes on") });
        } else if (!standing->is_void) {
            standing_size(work, standing);
        }
    }
}
