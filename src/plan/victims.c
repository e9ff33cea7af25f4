#include "plan/victims.h"

#include "base/sort.h"
#include "plan/compute_parts.h"

#include <assert.h>

/* public names start with: plan_victim */

bool plan_victim_is_failing(const struct plan_group *group, const struct plan_record *record,
                            uint64_t now_ms)
{
    if (record->maintenance_since_ms > 0) {
        return false;
    }
    return (record->unreachable_since_ms > 0 && group->unreachable == PLAN_UNREACHABLE_REPLACE &&
            now_ms - record->unreachable_since_ms >= group->replace_after_ms) ||
           (record->failing_since_ms > 0 &&
            now_ms - record->failing_since_ms >= group->replace_after_ms) ||
           plan_has_failed(record);
}

const char *plan_readiness_name(enum plan_readiness readiness)
{
    static const char *const names[PLAN_READINESS_COUNT] = {
        [PLAN_READINESS_ASKED_FOR] = "creating",      [PLAN_READINESS_WAITING] = "creating",
        [PLAN_READINESS_FAILED] = "failed",           [PLAN_READINESS_UNHEALTHY] = "unhealthy",
        [PLAN_READINESS_UNREACHABLE] = "unreachable", [PLAN_READINESS_STARTING] = "starting",
        [PLAN_READINESS_SERVING] = "healthy",
    };

    assert(readiness < PLAN_READINESS_COUNT);
    return names[readiness];
}

bool plan_readiness_is_bad(enum plan_readiness readiness)
{
    return readiness == PLAN_READINESS_FAILED || readiness == PLAN_READINESS_UNHEALTHY ||
           readiness == PLAN_READINESS_UNREACHABLE;
}

enum plan_readiness plan_victim_readiness(const struct plan_record *record)
{
    assert(record->state == PLAN_RECORD_ACTIVE);
    if (record->failed_since_ms > 0 && !record->is_retried) {
        return PLAN_READINESS_FAILED;
    }
    return record->failing_since_ms > 0       ? PLAN_READINESS_UNHEALTHY
           : record->unreachable_since_ms > 0 ? PLAN_READINESS_UNREACHABLE
           : record->is_starting              ? PLAN_READINESS_STARTING
                                              : PLAN_READINESS_SERVING;
}

struct choosing {
    enum plan_pick pick;
    const struct plan_group *group; /* NULL: the specification no longer contains the group */
};

static int age_compare(const struct plan_record *a, const struct plan_record *b)
{
    return (a->created_ms > b->created_ms) - (a->created_ms < b->created_ms);
}

static int pick_compare(const struct choosing *choosing, const struct plan_record *a,
                        const struct plan_record *b)
{
    bool a_is_new = plan_choice_of(choosing->group, a->generation) != PLAN_NONE;
    bool b_is_new = plan_choice_of(choosing->group, b->generation) != PLAN_NONE;

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

/* Compare candidates for removal. Ties are broken by slot, highest first, never at random: a plan
 * is a pure function (M24). */
static int victims_compare(const void *a, const void *b, void *arg)
{
    const struct plan_victim *first = a;
    const struct plan_victim *second = b;
    int order = (int)second->record->is_named - (int)first->record->is_named;

    if (order == 0) {
        order = (int)first->readiness - (int)second->readiness;
    }
    if (order == 0) {
        order = pick_compare(arg, first->record, second->record);
    }
    if (order == 0) {
        order = (first->record->slot < second->record->slot) -
                (first->record->slot > second->record->slot);
    }
    return order != 0 ? order : text_compare(first->record->token, second->record->token);
}

struct plan_victims plan_victims_make(struct arena *arena, const struct plan_group *group,
                                      struct plan_victim *items, size_t count)
{
    struct choosing choosing = {
        .pick = group == NULL ? PLAN_PICK_OLDEST_CONFIG : group->pick,
        .group = group,
    };
    struct plan_victims victims = { .items = items, .count = count };

    sort_stable(arena, items, count, sizeof(*items), victims_compare, &choosing);
    if (group != NULL) {
        victims.choice = plan_choice_at(group, 0);
        victims.max_skew = group->max_skew < 1 ? 1 : group->max_skew;
        victims.zone_counts = arena_array(arena, size_t, victims.choice.zone_count);
    }
    return victims;
}

static size_t zone_of(const struct plan_victims *victims, const struct plan_record *record)
{
    return plan_zone_of(victims->choice, record->zone);
}

void plan_victims_count(struct plan_victims *victims, const struct plan_record *record)
{
    size_t zone = zone_of(victims, record);

    if (zone != PLAN_NONE) {
        victims->zone_counts[zone]++;
    }
}

/* True if the zone may lose a member: afterwards the largest zone may exceed it by at most
 * max_skew. */
static bool is_share_kept(const struct plan_victims *victims, const struct plan_victim *one)
{
    size_t zone = zone_of(victims, one->record);
    size_t most = 0;

    for (size_t i = 0; i < victims->choice.zone_count; i++) {
        most = victims->zone_counts[i] > most ? victims->zone_counts[i] : most;
    }
    return zone == PLAN_NONE || victims->zone_counts[zone] + victims->max_skew > most;
}

static struct plan_victim *victims_take(struct plan_victims *victims, struct plan_victim *one)
{
    size_t zone = zone_of(victims, one->record);

    one->is_taken = true;
    if (zone != PLAN_NONE) {
        victims->zone_counts[zone]--;
    }
    while (victims->first < victims->count && victims->items[victims->first].is_taken) {
        victims->first++;
    }
    return one;
}

struct plan_victim *
plan_victims_next(struct plan_victims *victims,
                  bool (*may_go)(const void *arg, const struct plan_victim *one), const void *arg)
{
    struct plan_victim *other = NULL;

    for (size_t i = victims->first; i < victims->count; i++) {
        struct plan_victim *one = &victims->items[i];

        if (one->is_taken || (may_go != NULL && !may_go(arg, one))) {
            continue;
        }
        if (other != NULL && one->readiness != other->readiness) {
            break; /* zones decide only between candidates of equal rank */
        }
        if (one->record->is_named || one->readiness < PLAN_READINESS_STARTING ||
            is_share_kept(victims, one)) {
            return victims_take(victims, one);
        }
        other = other == NULL ? one : other;
    }
    return other == NULL ? NULL : victims_take(victims, other);
}
