#include "plan/compute_parts.h"

#include <assert.h>

/* Selects one of the group's alternatives and the zone for a new machine. Members are spread
 * evenly: an additional member goes to the zone with the fewest members, a replacement to the zone
 * of its predecessor. */

size_t plan_slot_first(const struct plan_group_state *current, uint64_t slot)
{
    size_t low = 0;
    size_t high = current->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (current->cases[middle].record->slot < slot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Returns a record of the slot; NULL if there is none. With is_forgotten: the record that this plan
 * removes, whose count of failed tries the new record continues. Without is_forgotten: the record
 * that is kept beside the new machine until the new machine serves. */
static const struct plan_case *neighbour_find(const struct plan_group_state *current, uint64_t slot,
                                              bool is_forgotten)
{
    const struct plan_case *found = NULL;

    for (size_t i = plan_slot_first(current, slot);
         i < current->count && current->cases[i].record->slot == slot; i++) {
        if (current->cases[i].is_forgotten == is_forgotten) {
            found = &current->cases[i];
        }
    }
    return found;
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

struct text plan_volume_zone(const struct plan_group *group, uint64_t slot)
{
    struct text zone = TEXT("");

    for (size_t i = 0; i < group->volume_count; i++) {
        struct text number =
            text_slice(group->volumes[i], 0, text_find_byte(group->volumes[i], ' '));
        int64_t value;

        if (!text_parse_int64(number, &value) || (uint64_t)value != slot) {
            continue;
        }
        zone = text_slice(group->volumes[i], number.length + 1, group->volumes[i].length);
        if (text_is(zone, "-")) {
            return zone;
        }
    }
    return zone;
}

/* True if the choice can create a machine in the zone. */
static bool choice_has_zone(struct plan_choice choice, struct text zone)
{
    return choice.zone_count == 0 || plan_zone_of(choice, zone) != PLAN_NONE;
}

/* Find the first choice that has the zone; PLAN_NONE: no choice has it. */
static size_t choice_of_zone(const struct plan_group *group, struct text zone)
{
    for (size_t i = 0; i <= group->alternative_count; i++) {
        if (choice_has_zone(plan_choice_at(group, i), zone)) {
            return i;
        }
    }
    return PLAN_NONE;
}

bool plan_volume_waits(const struct plan_group *group, uint64_t slot)
{
    struct text zone = plan_volume_zone(group, slot);

    return text_is(zone, "-") || (zone.length > 0 && choice_of_zone(group, zone) == PLAN_NONE);
}

/* Counts members by zone. Members that this plan destroys do not count; members that it has already
 * placed do. Computed once for each choice. */
static size_t *zones_count(struct plan_work *work, struct plan_group_state *current, size_t index)
{
    struct plan_choice choice = plan_choice_at(current->group, index);
    size_t *counts;

    if (current->zone_counts == NULL) {
        current->zone_counts =
            arena_array(work->arena, size_t *, current->group->alternative_count + 1);
    }
    if (current->zone_counts[index] != NULL) {
        return current->zone_counts[index];
    }
    counts = arena_array(work->arena, size_t, choice.zone_count);
    for (size_t i = 0; i < current->count; i++) {
        size_t zone = plan_zone_of(choice, current->cases[i].record->zone);

        if (zone != PLAN_NONE && !current->cases[i].is_chosen &&
            current->cases[i].class != PLAN_CLASS_LEAVING) {
            counts[zone]++;
        }
    }
    current->zone_counts[index] = counts;
    return counts;
}

/* Choose the zone of a machine. A zone without capacity for the predecessor is skipped if another
 * zone exists. */
static struct text zone_pick(struct plan_work *work, struct plan_group_state *current, size_t index,
                             const struct plan_case *before)
{
    struct plan_choice choice = plan_choice_at(current->group, index);
    size_t *counts;
    size_t best = PLAN_NONE;

    if (choice.zone_count == 0) {
        return TEXT("");
    }
    counts = zones_count(work, current, index);
    for (size_t i = 0; i < choice.zone_count; i++) {
        bool was_full =
            before != NULL &&
            (before->record->is_evicted ||
             (before->record->id.length == 0 && before->record->fault == PLAN_FAULT_SHORT)) &&
            text_is_equal(before->record->zone, choice.zones[i]);

        if (!(was_full && choice.zone_count > 1) &&
            (best == PLAN_NONE || counts[i] < counts[best])) {
            best = i;
        }
    }
    assert(best != PLAN_NONE);
    counts[best]++;
    return choice.zones[best];
}

void plan_create(struct plan_work *work, struct plan_group_state *current, uint64_t slot,
                 enum plan_rule rule, struct text fact)
{
    const struct plan_group *group = current->group;
    const struct plan_case *before = neighbour_find(current, slot, true);
    const struct plan_case *beside = neighbour_find(current, slot, false);
    struct text volume_zone = plan_volume_zone(group, slot);
    struct plan_choice choice;
    struct text zone;
    size_t index = 0;

    if (before != NULL && !plan_is_current(current, before->record)) {
        before = NULL; /* the desired choice changed, so the first choice is tried first */
    }
    if (before != NULL) {
        index = plan_choice_next(group, before->record);
    }
    if (volume_zone.length > 0 && !plan_volume_waits(group, slot)) {
        /* a volume cannot move between zones or providers */
        index = choice_has_zone(plan_choice_at(group, index), volume_zone)
                    ? index
                    : choice_of_zone(group, volume_zone);
    } else {
        volume_zone = TEXT("");
    }
    choice = plan_choice_at(group, index);
    zone = volume_zone.length > 0 ? volume_zone
           : beside != NULL && plan_zone_of(choice, beside->record->zone) != PLAN_NONE
               ? beside->record->zone
               : zone_pick(work, current, index, before);
    plan_act(work, (struct plan_action){
                       .act = PLAN_ACT_CREATE,
                       .rule = rule,
                       .group = current->path,
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
