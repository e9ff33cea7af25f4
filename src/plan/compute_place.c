#include "plan/compute_parts.h"

#include <assert.h>

/* Where a new machine goes: from which of the group's choices, and into which zone. Members are spread evenly:
 * a new one goes where the fewest are, and one that replaces another goes where that one was. */

/* The record that held the slot and is forgotten by this plan: the new one goes on where it stopped. */
static const struct plan_case *before_find(const struct plan_standing *standing, uint64_t slot)
{
    const struct plan_case *before = NULL;

    for (size_t i = 0; i < standing->count; i++) {
        if (standing->cases[i].record->slot == slot && standing->cases[i].is_forgotten) {
            before = &standing->cases[i];
        }
    }
    return before;
}

/* The one that it stands beside until it serves. */
static const struct plan_case *beside_find(const struct plan_standing *standing, uint64_t slot)
{
    for (size_t i = 0; i < standing->count; i++) {
        if (standing->cases[i].record->slot == slot && !standing->cases[i].is_forgotten) {
            return &standing->cases[i];
        }
    }
    return NULL;
}

size_t plan_zone_of(struct plan_choice choice, struct text zone)
{
    for (size_t i = 0; i < choice.zone_count; i++) {
        if (text_is_equal(choice.zones[i], zone)) {
            return i;
        }
    }
    return PLAN_NONE;
}

/* Members of each zone, those that go left out; and what this plan has put there already. */
static size_t *zones_count(struct plan_work *work, const struct plan_standing *standing,
                           struct plan_choice choice)
{
    size_t *counts = arena_array(work->arena, size_t, choice.zone_count);

    for (size_t i = 0; i < standing->count; i++) {
        size_t zone = plan_zone_of(choice, standing->cases[i].record->zone);

        if (zone != PLAN_NONE && !standing->cases[i].is_chosen &&
            standing->cases[i].class != PLAN_CLASS_LEAVING) {
            counts[zone]++;
        }
    }
    for (size_t i = work->plan->action_count; i > 0; i--) {
        const struct plan_action *action = &work->plan->actions[i - 1];

        if (action->act == PLAN_ACT_CREATE && text_is_equal(action->group, standing->path) &&
            plan_zone_of(choice, action->zone) != PLAN_NONE) {
            counts[plan_zone_of(choice, action->zone)]++;
        }
    }
    return counts;
}

/* A zone that had no room is tried last. */
static struct text zone_pick(struct plan_work *work, const struct plan_standing *standing,
                             struct plan_choice choice, const struct plan_case *before)
{
    size_t *counts;
    size_t best = PLAN_NONE;

    if (choice.zone_count == 0) {
        return TEXT("");
    }
    counts = zones_count(work, standing, choice);
    for (size_t i = 0; i < choice.zone_count; i++) {
        bool was_full = before != NULL && before->record->id.length == 0 &&
                        before->record->fault == PLAN_FAULT_SHORT &&
                        text_is_equal(before->record->zone, choice.zones[i]);

        if (!(was_full && choice.zone_count > 1) &&
            (best == PLAN_NONE || counts[i] < counts[best])) {
            best = i;
        }
    }
    assert(best != PLAN_NONE);
    return choice.zones[best];
}

void plan_create(struct plan_work *work, const struct plan_standing *standing, uint64_t slot,
                 enum plan_rule rule, struct text fact)
{
    const struct plan_group *group = standing->group;
    const struct plan_case *before = before_find(standing, slot);
    const struct plan_case *beside = beside_find(standing, slot);
    struct plan_choice choice;
    struct text zone;
    size_t index = 0;

    if (before != NULL && !plan_is_current(standing, before->record)) {
        before = NULL; /* what is wanted is something else: it begins anew */
    }
    if (before != NULL) {
        index = plan_choice_next(group, before->record);
    }
    choice = plan_choice_at(group, index);
    zone = beside != NULL && plan_zone_of(choice, beside->record->zone) != PLAN_NONE
               ? beside->record->zone
               : zone_pick(work, standing, choice, before);
    plan_act(work, (struct plan_action){
                       .act = PLAN_ACT_CREATE,
                       .rule = rule,
                       .group = standing->path,
                       .slot = slot,
                       .record = before == NULL ? PLAN_NONE : before->record_index,
                       .row = PLAN_NONE,
                       .choice = index,
                       .zone = zone,
                       .fact = index == 0 ? fact
                                          : arena_printf(work->arena, "%.*s; alternative %zu",
                                                         TEXT_ARG(fact), index),
                   });
}
