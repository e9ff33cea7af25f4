#include "plan/compute_parts.h"

/* Handles machines on hosts with an unreachable plugin instance. Their state is unknown: they count
 * as members and keep their slots, and no phase decides about them (docs/decisions/0164). */

bool plan_is_away(const struct plan_work *work, const struct plan_record *record)
{
    return plan_source_of(work, record)->is_unreachable;
}

bool plan_has_away(const struct plan_group_state *current, uint64_t slot)
{
    for (size_t i = 0; i < current->away_count; i++) {
        if (current->away[i].record->slot == slot) {
            return true;
        }
    }
    return false;
}

/* Format the report about one host: "m2, for 5 min: no connection". */
static struct text away_report(struct plan_work *work, const struct plan_source *source)
{
    if (source->unheard_since_ms == 0) {
        return arena_printf(work->arena, "%.*s: %.*s", TEXT_ARG(source->host),
                            TEXT_ARG(source->problem));
    }
    return arena_printf(
        work->arena, "%.*s, for %llu min: %.*s", TEXT_ARG(source->host),
        (unsigned long long)((work->world->now_ms - source->unheard_since_ms) / 60000),
        TEXT_ARG(source->problem));
}

/* Creates the hold for unreachable hosts. Only hosts with machines of the cluster are reported. */
void plan_away(struct plan_work *work)
{
    const struct plan_world *world = work->world;
    size_t *counts = arena_array(work->arena, size_t, world->source_count);
    struct text fact = TEXT("");
    size_t all = 0;

    for (size_t i = 0; i < work->current_count; i++) {
        const struct plan_group_state *current = &work->standings[i];

        for (size_t j = 0; j < current->away_count; j++) {
            counts[current->away[j].record->source]++;
            all++;
        }
    }
    for (size_t i = 0; i < world->source_count; i++) {
        if (counts[i] > 0) {
            fact =
                arena_printf(work->arena, "%.*s%s%.*s", TEXT_ARG(fact), fact.length > 0 ? "; " : "",
                             TEXT_ARG(away_report(work, &world->sources[i])));
        }
    }
    if (all > 0) {
        plan_hold(work,
                  (struct plan_hold){
                      .rule = PLAN_RULE_host_unreachable,
                      .fact = arena_printf(work->arena, "%.*s; unmanaged: %.*s", TEXT_ARG(fact),
                                           TEXT_ARG(plan_count(work, all, "machine"))) });
    }
}
