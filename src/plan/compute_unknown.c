#include "base/map.h"
#include "plan/compute_parts.h"

#include <assert.h>

/* Handles machines that have reeve's tags but no record. An intent is recorded before each create,
 * so such a machine is rare and suspicious. After several listings have shown it, it is
 * quarantined, so that an operator can decide to keep it. Finally it is destroyed, one machine per
 * pass (G4, G8, G13). A machine without proof that this store created it is only reported. */

static struct plan_group_state *compute_unknown_current_find(const struct plan_work *work,
                                                             struct text path)
{
    for (size_t i = 0; i < work->current_count; i++) {
        if (text_is_equal(work->standings[i].path, path)) {
            return &work->standings[i];
        }
    }
    return NULL;
}

const struct plan_quarantine *plan_quarantine_find(const struct plan_work *work, struct text id)
{
    for (size_t i = 0; i < work->world->quarantine_count; i++) {
        if (text_is_equal(work->world->quarantines[i].id, id)) {
            return &work->world->quarantines[i];
        }
    }
    return NULL;
}

static void row_act(struct plan_work *work, size_t index, enum plan_act act, enum plan_rule rule,
                    struct text fact)
{
    const struct plan_row *row = &work->world->rows[index];

    plan_act(work, (struct plan_action){ .act = act,
                                         .rule = rule,
                                         .group = row->group,
                                         .slot = row->slot,
                                         .record = PLAN_NONE,
                                         .row = index,
                                         .fact = fact });
}

/* True if it is proven that this incarnation of the store created the machine, and that it is not a
 * clone (G4). */
static bool is_compute_unknown_proven(const struct plan_work *work, const struct plan_row *row)
{
    return (row->is_verified && !row->is_foreign_life && !work->is_copy[row - work->world->rows]) ||
           !GUARD(work->limits, G4);
}

/* Returns the record in a slot; NULL if there is none. */
static struct plan_case *slot_find(const struct plan_group_state *current, uint64_t slot)
{
    for (size_t i = plan_slot_first(current, slot);
         i < current->count && current->cases[i].record->slot == slot; i++) {
        if (!current->cases[i].is_forgotten) {
            return &current->cases[i];
        }
    }
    return NULL;
}

/* ---- a store that went back (G18) ---- */

static bool row_is_spared(const struct plan_work *work, const struct plan_row *row)
{
    const struct plan_quarantine *known = plan_quarantine_find(work, row->id);

    return known != NULL && known->is_spared;
}

/* True if this installation created the machine after the backup from which the store was restored.
 * A create is recorded before its call (G1), so a valid stamp on a token that the store never
 * recorded proves this. */
static bool is_unrecorded(const struct plan_work *work, size_t index)
{
    const struct plan_row *row = &work->world->rows[index];

    return row->is_unrecorded && row->is_verified && !work->is_copy[index] &&
           GUARD(work->limits, G18);
}

/* True if an operator requested the deletion of the cluster and has approved that this unrecorded
 * machine belongs to it. */
static bool is_deleted_with_it(const struct plan_work *work, size_t index)
{
    return is_unrecorded(work, index) && work->world->is_deleting &&
           work->world->is_return_approved && !work->world->rows[index].is_foreign_life;
}

void plan_returned(struct plan_work *work)
{
    struct text example = TEXT("");
    size_t unrecorded = 0;

    for (size_t i = 0; i < work->unknown_count; i++) {
        const struct plan_row *row = &work->world->rows[work->unknown[i]];

        if (is_unrecorded(work, work->unknown[i]) && !row_is_spared(work, row)) {
            example = unrecorded++ == 0 ? row->id : example;
        }
    }
    if (!GUARD(work->limits, G18) || work->world->is_return_approved ||
        (unrecorded == 0 && !work->world->is_restore_held)) {
        return;
    }
    work->is_store_held = true;
    plan_hold(work,
              (struct plan_hold){
                  .rule = PLAN_RULE_store_went_back,
                  .fact = unrecorded == 0
                              ? TEXT("the store was restored from a backup")
                              : arena_printf(work->arena,
                                             "%.*s that the store never recorded, for example %.*s",
                                             TEXT_ARG(plan_count(work, unrecorded, "machine")),
                                             TEXT_ARG(example)),
              });
}

/* True if another machine has the same token. Then it is unknown which of the two is the clone. */
static bool has_shared_token(const struct plan_work *work, size_t index)
{
    const struct plan_world *world = work->world;

    for (size_t i = 0; i < world->row_count; i++) {
        if (i != index && text_is_equal(world->rows[i].token, world->rows[index].token)) {
            return true;
        }
    }
    return false;
}

/* True if the machine may fill a free slot. Either it was created by hand while healing is off
 * (0.2), or the restored store lost its record and an operator has approved the adoption. */
static bool is_adoptable(const struct plan_work *work, const struct plan_group_state *current,
                         size_t index)
{
    if (is_unrecorded(work, index)) {
        return work->world->is_return_approved && plan_may_call(work, current) &&
               !has_shared_token(work, index) && !row_is_spared(work, &work->world->rows[index]);
    }
    return is_compute_unknown_proven(work, &work->world->rows[index]) &&
           current->group->heal == PLAN_HEAL_OFF;
}

/* Adopts a machine into a free slot. With healing off, no new machine is created for the slot, so a
 * machine that was created by hand may fill it (0.2). The previous machine of the slot must be
 * confirmed as gone. */
static bool row_adopt(struct plan_work *work, size_t index)
{
    const struct plan_row *row = &work->world->rows[index];
    struct plan_group_state *current = compute_unknown_current_find(work, row->group);
    struct plan_case *before;
    size_t held;

    if (work->is_store_held || row->state != PLAN_ROW_RUNNING || current == NULL ||
        current->is_blind || current->group == NULL || !is_adoptable(work, current, index) ||
        plan_is_taken(current, row->slot)) {
        /* If there are two machines for one slot, the first one fills it. */
        return false;
    }
    before = slot_find(current, row->slot);
    held = current->alive + current->leaving + current->dead - (before != NULL);
    if ((before != NULL && (before->class != PLAN_CLASS_LOST || before->is_chosen ||
                            before->has_rival || plan_is_doubtful(work, before->record))) ||
        held >= plan_size_of(current)) {
        return false;
    }
    if (before != NULL) {
        current->dead--;
        before->is_chosen = true;
        before->is_forgotten = true;
        plan_act_case(work, current, before, PLAN_ACT_FORGET, PLAN_RULE_fill,
                      TEXT("the machine is gone, and another machine has its slot"));
    }
    current->alive++;
    current->taken[current->taken_count++] = row->slot;
    row_act(work, index, PLAN_ACT_ADOPT,
            is_unrecorded(work, index) ? PLAN_RULE_store_went_back : PLAN_RULE_fill,
            arena_printf(work->arena, "%.*s runs", TEXT_ARG(row->id)));
    return true;
}

void plan_adopt(struct plan_work *work)
{
    size_t kept = 0;

    for (size_t i = 0; i < work->current_count; i++) {
        work->standings[i].taken = arena_array(work->arena, uint64_t, work->unknown_count);
    }
    for (size_t i = 0; i < work->unknown_count; i++) {
        if (!row_adopt(work, work->unknown[i])) {
            work->unknown[kept++] = work->unknown[i];
        }
    }
    work->unknown_count = kept;
}

static bool is_compute_unknown_recorded(const struct plan_work *work, struct text id)
{
    for (size_t i = 0; i < work->world->record_count; i++) {
        if (text_is_equal(work->world->records[i].id, id)) {
            return true;
        }
    }
    return false;
}

/* True if an unrecorded machine that was listed earlier may still exist. A single listing without
 * the machine may be wrong; several listings over some time are reliable. If the machine has a
 * record by now, its entry is removed when the machine is confirmed as destroyed (G21). */
static bool may_be_there(const struct plan_work *work, const struct plan_quarantine *sighted)
{
    const struct plan_seen *missed = &sighted->missed;
    bool is_missed = missed->count >= work->limits->absences &&
                     missed->last_ms - missed->first_ms >= work->limits->going_ms;

    return !sighted->is_spared && (!GUARD(work->limits, G21) ||
                                   (!is_missed && !is_compute_unknown_recorded(work, sighted->id)));
}

bool plan_has_orphans(const struct plan_work *work, struct text *out_id)
{
    const struct plan_quarantine *first = NULL;

    for (size_t i = 0; i < work->unknown_count; i++) {
        const struct plan_row *row = &work->world->rows[work->unknown[i]];
        const struct plan_quarantine *known = plan_quarantine_find(work, row->id);

        if ((is_compute_unknown_proven(work, row) || is_unrecorded(work, work->unknown[i])) &&
            (known == NULL || !known->is_spared)) {
            *out_id = row->id;
            return true;
        }
    }
    for (size_t i = 0; i < work->world->quarantine_count; i++) {
        const struct plan_quarantine *one = &work->world->quarantines[i];

        if (may_be_there(work, one) && (first == NULL || text_compare(one->id, first->id) < 0)) {
            first = one;
        }
    }
    *out_id = first == NULL ? TEXT("") : first->id;
    return first != NULL;
}

static bool is_ripe(const struct plan_work *work, const struct plan_seen *seen, uint64_t more_ms)
{
    return seen->count >= work->limits->sightings &&
           work->world->now_ms - seen->first_ms >= work->limits->sighting_ms + more_ms;
}

struct unknowns {
    struct unknown_count {
        size_t count;
        uint64_t sources; /* the sources that list these machines, one bit each */
    } held, crowded, foreign;
    bool is_taken; /* this plan destroys one of these machines */
};

static void unknown_count(struct unknown_count *count, const struct plan_row *row)
{
    count->count++;
    count->sources |= plan_hold_source(row->source);
}

/* Decides about unrecorded machines after the approval. A machine that fits no free slot is never
 * destroyed. The decision waits while the machine recorded in its slot may turn out to be lost. */
static void unrecorded_decide(struct plan_work *work, struct unknowns *unknowns, size_t index,
                              const struct plan_group_state *current)
{
    const struct plan_row *row = &work->world->rows[index];
    const struct plan_case *before = current == NULL ? NULL : slot_find(current, row->slot);
    bool may_fit_later = before != NULL && before->class != PLAN_CLASS_SERVING &&
                         before->class != PLAN_CLASS_WAITING && !has_shared_token(work, index);

    if (row_is_spared(work, row)) {
        unknown_count(&unknowns->foreign, row);
    } else if (work->world->is_return_approved && !may_fit_later &&
               row->state == PLAN_ROW_RUNNING && (current == NULL || !current->is_blind)) {
        row_act(work, index, PLAN_ACT_NOTE, PLAN_RULE_store_went_back,
                TEXT("there is no free slot for the machine"));
    }
}

static void row_decide(struct plan_work *work, struct unknowns *unknowns, size_t index,
                       bool is_too_many)
{
    const struct plan_row *row = &work->world->rows[index];
    const struct plan_quarantine *quarantine = plan_quarantine_find(work, row->id);
    const struct plan_group_state *current = compute_unknown_current_find(work, row->group);

    if (is_unrecorded(work, index) && !is_deleted_with_it(work, index)) {
        unrecorded_decide(work, unknowns, index, current);
        if (work->world->is_gone && !row_is_spared(work, row) &&
            (quarantine == NULL || !is_ripe(work, &quarantine->seen, 0))) {
            /* A single listing without the machine must not end the deletion of a cluster. */
            row_act(work, index, PLAN_ACT_NOTE, PLAN_RULE_sighted,
                    TEXT("the store never recorded the machine, and its cluster is deleted"));
        }
        return;
    }
    if (!is_compute_unknown_proven(work, row)) {
        unknown_count(&unknowns->foreign, row);
        if (work->is_open[index] && quarantine == NULL) {
            row_act(work, index, PLAN_ACT_NOTE, PLAN_RULE_undecided,
                    TEXT("the machine known by its token is not listed"));
        } else if (work->is_copy[index] && !work->is_open[index] &&
                   (quarantine == NULL || !quarantine->is_spared)) {
            row_act(work, index, PLAN_ACT_NOTE, PLAN_RULE_copied,
                    TEXT("another machine is known by its token"));
        }
        return;
    }
    if (quarantine != NULL && quarantine->is_spared) {
        return;
    }
    if (GUARD(work->limits, G13) && (quarantine == NULL || !is_ripe(work, &quarantine->seen, 0))) {
        row_act(work, index, PLAN_ACT_NOTE, PLAN_RULE_sighted,
                plan_count(work, quarantine == NULL ? 1 : quarantine->seen.count + 1, "sighting"));
        return;
    }
    if ((GUARD(work->limits, G13) && !is_ripe(work, &quarantine->seen, work->limits->undo_ms)) ||
        work->is_store_held || is_too_many || plan_is_unexplained(work) || unknowns->is_taken ||
        work->budget == 0 ||
        (current != NULL && (!plan_may_call(work, current) || current->is_void ||
                             (current->group != NULL && current->group->heal == PLAN_HEAL_OFF))) ||
        work->world->is_paused) {
        unknown_count(is_too_many ? &unknowns->crowded : &unknowns->held, row);
        return;
    }
    unknowns->is_taken = GUARD(work->limits, G8); /* at most one machine per pass */
    work->budget--;
    row_act(work, index, PLAN_ACT_DESTROY, PLAN_RULE_orphan,
            plan_count(work, quarantine == NULL ? 1 : quarantine->seen.count, "sighting"));
}

/* True if more rows of this source are unknown than allowed. Only the rows of the source itself
 * count (G19). */
static bool is_source_crowded(const struct plan_work *work, uint32_t source)
{
    const struct plan_world *world = work->world;
    size_t rows = 0;
    size_t ours = 0;
    size_t ceiling;

    for (size_t i = 0; i < world->row_count; i++) {
        rows += world->rows[i].source == source || !GUARD(work->limits, G19);
    }
    for (size_t i = 0; i < work->unknown_count; i++) {
        const struct plan_row *row = &world->rows[work->unknown[i]];

        ours +=
            is_compute_unknown_proven(work, row) &&
            (row->source == source || !GUARD(work->limits, G19)) &&
            (!is_unrecorded(work, work->unknown[i]) || is_deleted_with_it(work, work->unknown[i]));
    }
    ceiling = rows * work->limits->unknown_permille / 1000;
    return ours > (ceiling < 2 ? 2 : ceiling) && GUARD(work->limits, G8) &&
           !BUG(work->limits, BUG_UNKNOWN_UNBOUNDED);
}

static void unknown_hold(struct plan_work *work, enum plan_rule rule,
                         const struct unknown_count *count, const char *which)
{
    if (count->count > 0) {
        plan_hold(work, (struct plan_hold){
                            .rule = rule,
                            .fact = arena_printf(
                                work->arena, "%.*s %s",
                                TEXT_ARG(plan_count(work, count->count, "machine")), which),
                            .sources = count->sources,
                            .would_destroy = rule == PLAN_RULE_foreign ? 0 : (uint32_t)count->count,
                        });
    }
}

void plan_unknown(struct plan_work *work)
{
    const struct plan_world *world = work->world;
    bool *is_crowded = arena_array(work->arena, bool, world->source_count);
    struct unknowns unknowns = { 0 };

    for (size_t i = 0; work->unknown_count > 0 && i < world->source_count; i++) {
        is_crowded[i] = is_source_crowded(work, (uint32_t)i);
    }
    for (size_t i = 0; i < work->unknown_count; i++) {
        row_decide(work, &unknowns, work->unknown[i],
                   is_crowded[world->rows[work->unknown[i]].source]);
    }
    unknown_hold(work, PLAN_RULE_many_unknown, &unknowns.crowded, "that nobody requested");
    unknown_hold(work, PLAN_RULE_quarantine, &unknowns.held, "that nobody requested");
    unknown_hold(work, PLAN_RULE_foreign, &unknowns.foreign,
                 "with tags of reeve that this reeve did not create");
}
