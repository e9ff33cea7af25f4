#include "base/limits.h"
#include "reconcile/control_parts.h"

#include <assert.h>

/* public names start with: pass_ reconciler_ */

/* Skips passes. Most passes find the same state as the previous pass. If every provider reports an
 * unchanged listing, no input has changed and no timer is pending, the pass neither processes the
 * rows nor decides. A full pass is still made at intervals, because a driver may wrongly report an
 * unchanged listing. */

void reconciler_still_drop(struct reconciler *reconciler)
{
    arena_free(reconciler->still.arena);
    reconciler->still = (struct still){ 0 };
}

struct text reconciler_still_mark(struct reconciler *reconciler, struct text name)
{
    const struct still *still = &reconciler->still;

    for (size_t i = 0; i < still->source_count; i++) {
        if (text_is_equal(still->sources[i].plan.name, name)) {
            return still->sources[i].mark;
        }
    }
    return TEXT("");
}

bool pass_is_still(struct pass *pass)
{
    struct still *still = &pass->reconciler->still;

    assert(still->arena != NULL);
    if (still->version != pass->reconciler->cluster->version ||
        still->epoch != pass->reconciler->epoch || still->source_count != pass->source_count ||
        still->times >= LIMIT_CONTROL_STILL || pass->reconciler->is_dry ||
        pass->reconciler->is_woken) {
        return false;
    }
    for (size_t i = 0; i < pass->source_count; i++) {
        if (!pass->sources[i].is_same || pass->sources[i].plan.problem.length > 0 ||
            pass->sources[i].plan.unpinned.length > 0) {
            return false;
        }
    }
    still->times++;
    return true;
}

bool pass_is_reported_same(const struct pass *pass)
{
    for (size_t i = 0; i < pass->source_count; i++) {
        if (pass->sources[i].is_same) {
            return true;
        }
    }
    return false;
}

/* ---- pending timers ---- */

static bool is_pass_still_current(const struct plan_group *group, const struct plan_record *record)
{
    return text_is_equal(group->path, record->group) &&
           text_is_equal(group->generation, record->generation);
}

static bool is_timeless(const struct plan_record *record)
{
    return record->state == PLAN_RECORD_ACTIVE && record->absence.count == 0 &&
           record->looked_up.count == 0 && record->failing_since_ms == 0 &&
           record->unreachable_since_ms == 0 && record->failed_since_ms == 0 &&
           record->rebooted_ms == 0 && record->reboot_begun_ms == 0 &&
           !record->is_reboot_requested && record->refusals == 0 && !record->is_calling &&
           !record->is_foreign_life;
}

/* True if every machine exists, runs and has the desired generation, so that no timer is pending.
 * Adjacent records belong to one group in most cases. */
static bool are_records_timeless(const struct plan_world *world)
{
    const struct plan_group *group = NULL;

    for (size_t i = 0; i < world->record_count; i++) {
        const struct plan_record *record = &world->records[i];

        for (size_t j = 0;
             (group == NULL || !is_pass_still_current(group, record)) && j < world->group_count;
             j++) {
            group = &world->groups[j];
        }
        if (group == NULL || !is_pass_still_current(group, record) || !is_timeless(record)) {
            return false;
        }
    }
    return true;
}

static bool is_world_timeless(const struct pass *pass)
{
    const struct plan_world *world = &pass->world;

    if (world->is_gone || world->is_paused || world->quarantine_count > 0 ||
        world->row_count != world->record_count || pass->plan.action_count > 0 ||
        pass->has_tickets || pass->plan.hold_count > 0 ||
        (world->life_since_ms > 0 &&
         world->now_ms - world->life_since_ms <
             pass->reconciler->control->options.limits.new_incarnation_ms)) {
        return false;
    }
    for (size_t i = 0; i < world->group_count; i++) {
        if (world->groups[i].is_paused) {
            return false;
        }
    }
    for (size_t i = 0; i < world->row_count; i++) {
        if (world->rows[i].state != PLAN_ROW_RUNNING) {
            return false;
        }
    }
    return are_records_timeless(world);
}

void pass_still_note(struct pass *pass)
{
    struct reconciler *reconciler = pass->reconciler;
    struct still still = { .version = reconciler->cluster->version, .epoch = reconciler->epoch };

    reconciler_still_drop(reconciler);
    if (reconciler->is_woken || reconciler->is_overtaken || reconciler->calls != NULL ||
        reconciler->outcomes != NULL || reconciler->has_job) {
        return;
    }
    for (size_t i = 0; i < pass->source_count; i++) {
        if (pass->sources[i].mark.length == 0 || !pass->sources[i].plan.is_complete) {
            return;
        }
    }
    if (pass->source_count == 0 || !is_world_timeless(pass)) {
        return;
    }
    still.arena = arena_new_small(SIZE_MAX);
    still.sources = arena_array(still.arena, struct source, pass->source_count);
    still.source_count = pass->source_count;
    for (size_t i = 0; i < pass->source_count; i++) {
        still.sources[i].plan.name = arena_text(still.arena, pass->sources[i].plan.name);
        still.sources[i].mark = arena_text(still.arena, pass->sources[i].mark);
    }
    reconciler->still = still;
}
