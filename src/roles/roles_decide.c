#include "roles/roles_decide.h"

#include "base/time.h"

static bool is_roles_of(const struct roles_rule *rule, const struct roles_place *place)
{
    return rule->of.count == 0 || roles_list_has(&rule->of, place->group);
}

static bool is_roles_lost(const struct roles_place *place, uint64_t now_ms)
{
    return place->lost_ms != 0 && now_ms >= place->lost_ms + place->replace_after_ms;
}

/* True if the place counts as a holder. A holder that has been unreachable for too long does not
 * count. */
static bool is_roles_holding(const struct roles_place *place, uint64_t now_ms)
{
    return !place->is_leaving && (place->is_holder || place->is_static) &&
           !is_roles_lost(place, now_ms);
}

static size_t roles_zone_count(const struct roles_place *places, size_t count, struct text zone,
                               uint64_t now_ms)
{
    size_t holders = 0;

    for (size_t i = 0; i < count; i++) {
        holders += is_roles_holding(&places[i], now_ms) && text_is_equal(places[i].zone, zone);
    }
    return holders;
}

/* Return the best place for an additional holder of the role. */
static long roles_best_find(const struct roles_rule *rule, const struct roles_place *places,
                            size_t count, uint64_t now_ms)
{
    long best = ROLES_NOBODY;
    size_t best_holders = 0;

    for (size_t i = 0; i < count; i++) {
        const struct roles_place *place = &places[i];
        size_t holders;
        bool is_better;

        if (!place->is_ready || place->is_leaving || place->lost_ms != 0 || place->is_holder ||
            place->is_static || !is_roles_of(rule, place)) {
            continue;
        }
        holders = rule->is_spread ? roles_zone_count(places, count, place->zone, now_ms) : 0;
        is_better = best == ROLES_NOBODY || holders < best_holders;
        if (!is_better && holders == best_holders) {
            const struct roles_place *other = &places[best];
            int order = place->slot != other->slot ? (place->slot < other->slot ? -1 : 1)
                                                   : text_compare(place->group, other->group);

            order = order != 0 ? order : text_compare(place->token, other->token);
            is_better = order < 0;
        }
        if (is_better) {
            best = (long)i;
            best_holders = holders;
        }
    }
    return best;
}

/* Return a holder that must lose the role, because its machine leaves or the rule excludes it. */
static long roles_ended_find(const struct roles_rule *rule, const struct roles_place *places,
                             size_t count)
{
    long found = ROLES_NOBODY;

    for (size_t i = 0; i < count; i++) {
        const struct roles_place *place = &places[i];

        if (place->is_holder &&
            (place->is_leaving || rule->keep == 0 || !is_roles_of(rule, place)) &&
            (found == ROLES_NOBODY || text_compare(place->token, places[found].token) < 0)) {
            found = (long)i;
        }
    }
    return found;
}

/* Return the holder that was lost first, of those that have been unreachable for too long. */
static long roles_lost_find(const struct roles_place *places, size_t count, uint64_t now_ms)
{
    long found = ROLES_NOBODY;

    for (size_t i = 0; i < count; i++) {
        const struct roles_place *place = &places[i];

        if (place->is_holder && is_roles_lost(place, now_ms) &&
            (found == ROLES_NOBODY || place->lost_ms < places[found].lost_ms ||
             (place->lost_ms == places[found].lost_ms &&
              text_compare(place->token, places[found].token) < 0))) {
            found = (long)i;
        }
    }
    return found;
}

void roles_decide(const struct roles_rule *rule, const struct roles_place *places, size_t count,
                  uint64_t now_ms, bool is_busy, struct roles_move *out)
{
    size_t holders = 0;
    long ended = roles_ended_find(rule, places, count);

    *out = (struct roles_move){ .given = ROLES_NOBODY, .taken = ROLES_NOBODY };
    if (ended != ROLES_NOBODY) {
        out->step = ROLES_TAKE;
        out->taken = ended;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        holders += is_roles_holding(&places[i], now_ms);
        if (places[i].is_holder && places[i].lost_ms != 0 && !is_roles_lost(&places[i], now_ms)) {
            out->next_ms =
                time_earlier(out->next_ms, places[i].lost_ms + places[i].replace_after_ms);
        }
    }
    if (holders >= rule->keep) {
        return;
    }
    out->missing = rule->keep - holders;
    if (is_busy) {
        return;
    }
    out->given = roles_best_find(rule, places, count, now_ms);
    if (out->given != ROLES_NOBODY) {
        out->step = ROLES_GIVE;
        out->taken = roles_lost_find(places, count, now_ms);
        out->missing--;
    }
}
