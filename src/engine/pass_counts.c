#include "base/limits.h"
#include "engine/pass_effects.h"

/* names: effects_ */

/* What a plan means for what is counted: absences and sightings, and what was destroyed unasked. */

enum {
    SIGHTING_KEPT_MS = 24 * 3600 * 1000
}; /* after the last one, of what is not listed any more */
static struct counting *counting_of(struct effects *effects, struct text group)
{
    struct counting *counting = effects->counting;

    while (counting != NULL && !text_is_equal(counting->group, group)) {
        counting = counting->next;
    }
    if (counting == NULL) {
        counting = arena_one(effects->pass->arena, struct counting);
        counting->group = group;
        counting->next = effects->counting;
        effects->counting = counting;
        (void)control_tallies_read(effects->pass->arena, effects->reconciler, group,
                                   &counting->tallies, &counting->revision);
        counting->absent_sorted = counting->tallies.absent_count;
    }
    return counting;
}

static bool is_due(const struct effects *effects, const struct plan_seen *seen, uint64_t window_ms,
                   uint32_t times)
{
    return seen->count == 0 ||
           effects->pass->world.now_ms - seen->last_ms >= window_ms / (times == 0 ? 1 : times);
}

static void seen_again(struct plan_seen *seen, uint64_t now)
{
    seen->first_ms = seen->count == 0 ? now : seen->first_ms;
    seen->last_ms = now;
    seen->count++;
}

/* A place for one more, at the end; the row is sorted when it is written. */
static struct tally *tally_append(struct arena *arena, struct tally **tallies, size_t *count,
                                  struct text key)
{
    struct tally *grown = arena_array(arena, struct tally, *count + 1);

    for (size_t i = 0; i < *count; i++) {
        grown[i] = (*tallies)[i];
    }
    grown[*count].key = key;
    *tallies = grown;
    return &grown[(*count)++];
}

void effects_absence_note(struct effects *effects, const struct plan_action *action)
{
    const struct plan_limits *limits = &effects->control->options.limits;
    const struct plan_record *record = &effects->pass->world.records[action->record];
    struct counting *counting;
    struct tally *tally;

    if (!is_due(effects, &record->absence, limits->absence_ms, limits->absences) &&
        !BUG(limits, BUG_ABSENCE_DOUBLED)) {
        return;
    }
    counting = counting_of(effects, action->group);
    tally = tally_find(counting->tallies.absent, counting->absent_sorted, record->token);
    if (tally == NULL && counting->tallies.absent_count < LIMIT_CONTROL_ABSENCES) {
        tally = tally_append(effects->pass->arena, &counting->tallies.absent,
                             &counting->tallies.absent_count, record->token);
    }
    if (tally != NULL) {
        seen_again(&tally->seen, effects->pass->world.now_ms);
        if (BUG(limits, BUG_ABSENCE_DOUBLED)) {
            tally->seen.first_ms = 1;
        }
    }
}

void effects_belief_note(struct effects *effects, const struct plan_action *action)
{
    const struct plan_record *record = &effects->pass->world.records[action->record];
    struct counting *counting = counting_of(effects, action->group);
    struct tally *tally;

    if (counting->tallies.believed_count < LIMIT_CONTROL_ABSENCES) {
        tally = tally_append(effects->pass->arena, &counting->tallies.believed,
                             &counting->tallies.believed_count, record->token);
        seen_again(&tally->seen, effects->pass->world.now_ms);
    }
}

void effects_sighting_note(struct effects *effects, const struct plan_action *action)
{
    const struct plan_limits *limits = &effects->control->options.limits;
    struct pass *pass = effects->pass;
    struct tallies *tallies = &pass->cluster_tallies;
    struct text id = pass->world.rows[action->row].id;
    bool is_spared = action->rule == PLAN_RULE_copied || action->rule == PLAN_RULE_store_went_back;
    struct tally *tally = tallies_sighting(pass->arena, tallies, id);

    if (tally != NULL && !is_spared &&
        !is_due(effects, &tally->seen, limits->sighting_ms, limits->sightings)) {
        return;
    }
    if (tally != NULL) {
        seen_again(&tally->seen, pass->world.now_ms);
        tally->is_spared |= is_spared;
        if (BUG(limits, BUG_SIGHTING_AGED)) {
            tally->seen.first_ms = 1;
        }
        pass->is_tallied = true;
    }
}

static bool is_recorded(const struct plan_world *world, struct text id)
{
    for (size_t i = 0; i < world->record_count; i++) {
        if (text_is_equal(world->records[i].id, id)) {
            return true;
        }
    }
    return false;
}

/* A sighting is over when its machine has a record, which follows it to its confirmed end (G21). What is spared stays so. */
static bool is_over_sighted(const struct pass *pass, const struct tally *tally)
{
    return !tally->is_spared && GUARD(&pass->reconciler->control->options.limits, G21) &&
           is_recorded(&pass->world, tally->key);
}

static bool has_over_sighted(const struct pass *pass)
{
    const struct tallies *tallies = &pass->cluster_tallies;

    for (size_t i = 0; i < tallies->sighted_count; i++) {
        if (is_over_sighted(pass, &tallies->sighted[i])) {
            return true;
        }
    }
    return false;
}

static bool is_listed(const struct pass *pass, struct text id)
{
    for (size_t i = 0; i < pass->world.row_count; i++) {
        if (text_is_equal(pass->world.rows[i].id, id)) {
            return true;
        }
    }
    return false;
}

static bool are_listings_whole(const struct pass *pass)
{
    for (size_t i = 0; i < pass->source_count; i++) {
        if (pass->plan_sources[i].problem.length > 0 || !pass->plan_sources[i].is_complete) {
            return false;
        }
    }
    return true;
}

/* In no order: new ones stand behind. */
static struct tally *tally_search(struct tally *tallies, size_t count, struct text key)
{
    for (size_t i = 0; i < count; i++) {
        if (text_is_equal(tallies[i].key, key)) {
            return &tallies[i];
        }
    }
    return NULL;
}

/* A whole listing has it, or lacks it: of these it is counted how many in a row, at most three times in the window of sightings. */
static void missed_note(struct pass *pass, struct text id, bool has_row)
{
    const struct plan_limits *limits = &pass->reconciler->control->options.limits;
    struct tallies *tallies = &pass->cluster_tallies;
    struct tally *missed = tally_search(tallies->missed, tallies->missed_count, id);

    if (has_row && missed != NULL) {
        missed->seen = (struct plan_seen){ 0 };
        pass->is_tallied = true;
    } else if (!has_row && (missed == NULL ||
                            pass->world.now_ms - missed->seen.last_ms >= limits->sighting_ms / 3)) {
        missed = missed != NULL
                     ? missed
                     : tally_append(pass->arena, &tallies->missed, &tallies->missed_count, id);
        seen_again(&missed->seen, pass->world.now_ms);
        pass->is_tallied = true;
    }
}

/* A deleted cluster waits for machines that were sighted (plan_has_orphans), so it must know when they are not there any more. */
static void sightings_follow(struct pass *pass)
{
    struct tallies *tallies = &pass->cluster_tallies;
    bool is_whole = pass->world.is_deleting && are_listings_whole(pass);
    size_t kept = 0;

    for (size_t i = 0; pass->world.is_deleting && i < tallies->sighted_count; i++) {
        bool has_row = is_listed(pass, tallies->sighted[i].key);

        if (!tallies->sighted[i].is_spared && (has_row || is_whole)) {
            missed_note(pass, tallies->sighted[i].key, has_row);
        }
    }
    for (size_t i = 0; i < tallies->missed_count; i++) {
        if (tallies->missed[i].seen.count > 0 &&
            tally_search(tallies->sighted, tallies->sighted_count, tallies->missed[i].key) !=
                NULL) {
            tallies->missed[kept++] = tallies->missed[i];
        }
    }
    tallies->missed_count = kept;
}

/* Sightings of what no listing shows any more make room for others: what is seen again is sighted anew, whichever listing is
 * missing meanwhile. What is spared stays so, for the listing may lie. While its cluster is deleted a sighting stays: one listing that
 * lacks the machine would let the deletion end, and the machine run on (sightings_follow counts them). */
static void sightings_drop(struct pass *pass)
{
    struct tallies *tallies = &pass->cluster_tallies;
    size_t kept = 0;

    for (size_t i = 0; i < tallies->sighted_count; i++) {
        bool is_old = !tallies->sighted[i].is_spared && !pass->world.is_deleting &&
                      pass->world.now_ms - tallies->sighted[i].seen.last_ms >= SIGHTING_KEPT_MS;
        bool is_listed = false;

        for (size_t j = 0; is_old && j < pass->world.row_count && !is_listed; j++) {
            is_listed = text_is_equal(pass->world.rows[j].id, tallies->sighted[i].key);
        }
        if (!is_over_sighted(pass, &tallies->sighted[i]) && (!is_old || is_listed)) {
            tallies->sighted[kept++] = tallies->sighted[i];
        }
    }
    tallies->sighted_count = kept;
}

static const struct plan_group *group_of(const struct effects *effects, struct text path)
{
    const struct plan_world *world = &effects->pass->world;

    for (size_t i = 0; i < world->group_count; i++) {
        if (text_is_equal(world->groups[i].path, path)) {
            return &world->groups[i];
        }
    }
    return NULL;
}

static bool is_gone_on_from(const struct effects *effects, size_t record)
{
    const struct plan *plan = &effects->pass->plan;

    for (size_t i = 0; i < plan->action_count; i++) {
        if (plan->actions[i].act == PLAN_ACT_CREATE && plan->actions[i].record == record) {
            return true;
        }
    }
    return false;
}

void effects_losses_note(struct effects *effects, const struct plan_action *action)
{
    const struct plan_record *record = &effects->pass->world.records[action->record];
    const struct plan_group *group = group_of(effects, action->group);
    struct counting *counting;
    struct tally *tally;

    if (record->losses == 0 || group == NULL ||
        !text_is_equal(record->generation, group->generation) ||
        is_gone_on_from(effects, action->record)) {
        return;
    }
    counting = counting_of(effects, action->group);
    tally =
        tally_search(counting->tallies.failed, counting->tallies.failed_count, group->generation);
    if (tally == NULL) {
        tally = tally_append(effects->pass->arena, &counting->tallies.failed,
                             &counting->tallies.failed_count, group->generation);
    }
    seen_again(&tally->seen, effects->pass->world.now_ms);
    tally->seen.count += record->losses - 1;
}

/* Those of another generation than the one that is wanted say nothing any more. */
static void losses_keep(struct effects *effects, struct counting *counting)
{
    const struct plan_group *group = group_of(effects, counting->group);
    struct tallies *tallies = &counting->tallies;
    size_t kept = 0;

    for (size_t i = 0; i < tallies->failed_count; i++) {
        if (group != NULL && text_is_equal(tallies->failed[i].key, group->generation)) {
            tallies->failed[kept++] = tallies->failed[i];
        }
    }
    tallies->failed_count = kept;
}

/* What is listed again was never gone; what has no record any more needs no count. */
void effects_absences_drop(struct effects *effects)
{
    const struct plan_world *world = &effects->pass->world;
    struct arena *arena = effects->pass->arena;
    bool *is_listed = arena_array(arena, bool, world->record_count);
    bool *is_running = arena_array(arena, bool, world->record_count);

    for (size_t i = 0; i < world->row_count; i++) {
        const struct fleet_machine *machine =
            fleet_machine_find(effects->reconciler->cluster, world->rows[i].token);

        if (machine != NULL &&
            (world->records[machine->index].id.length == 0 ||
             text_is_equal(world->records[machine->index].id, world->rows[i].id))) {
            is_listed[machine->index] = true; /* and not a copy of it */
            is_running[machine->index] |= world->rows[i].state == PLAN_ROW_RUNNING;
        }
    }
    for (size_t i = 0; i < world->record_count; i++) {
        const struct plan_record *record = &world->records[i];

        if (is_listed[i] && record->absence.count > 0) {
            struct counting *counting = counting_of(effects, record->group);
            struct tally *tally =
                tally_find(counting->tallies.absent, counting->tallies.absent_count, record->token);

            if (tally != NULL) {
                tally->seen.count = 0;
            }
        }
        if (is_running[i] &&
            record->is_believed) { /* what is missing later is missing anew (G20) */
            struct counting *counting = counting_of(effects, record->group);
            struct tally *tally = tally_find(counting->tallies.believed,
                                             counting->tallies.believed_count, record->token);

            if (tally != NULL) {
                tally->seen.count = 0;
            }
        }
    }
}

static size_t tallies_keep(struct effects *effects, struct tally *tallies, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const struct fleet_machine *machine =
            fleet_machine_find(effects->reconciler->cluster, tallies[i].key);
        const struct changing *changing =
            machine == NULL ? NULL : effects->changing[machine->index];

        if (machine != NULL && tallies[i].seen.count > 0 &&
            !(changing != NULL && changing->is_gone)) {
            tallies[kept++] = tallies[i];
        }
    }
    return kept;
}

/* Nothing is wanted and nothing is there: of such a cluster nothing is counted any more. */
static bool is_over(const struct pass *pass)
{
    return pass->world.is_gone && pass->world.record_count == 0 && pass->world.row_count == 0;
}

void effects_counts_write(struct effects *effects)
{
    struct pass *pass = effects->pass;
    struct counting *counting;

    for (counting = effects->counting; counting != NULL; counting = counting->next) {
        struct tallies *tallies = &counting->tallies;
        bool is_empty;

        tallies->absent_count = tallies_keep(effects, tallies->absent, tallies->absent_count);
        tallies->said_count = tallies_keep(effects, tallies->said, tallies->said_count);
        tallies->believed_count = tallies_keep(effects, tallies->believed, tallies->believed_count);
        losses_keep(effects, counting);
        is_empty = tallies->absent_count + tallies->said_count + tallies->believed_count +
                       tallies->failed_count ==
                   0;
        if (counting->revision == 0 && is_empty) {
            continue;
        }
        unit_add(pass->arena, &pass->units,
                 control_key(pass->arena, effects->reconciler->cluster, "Control", counting->group,
                             CACHE_STATUS),
                 counting->revision, is_empty ? TEXT("") : tallies_format(pass->arena, tallies));
    }
    sightings_follow(pass);
    pass->is_tallied |= has_over_sighted(pass);
    if (pass->is_tallied && !is_over(pass)) {
        sightings_drop(pass);
        /* First, for it has the numbers of the tokens that follow (series.h). */
        unit_add_first(pass->arena, &pass->units,
                       control_key(pass->arena, effects->reconciler->cluster, "Control", TEXT(""),
                                   CACHE_STATUS),
                       pass->cluster_tallies_revision,
                       tallies_format(pass->arena, &pass->cluster_tallies));
    }
}

void effects_budget_spend(struct effects *effects)
{
    struct pass *pass = effects->pass;
    struct tallies *tallies = &pass->cluster_tallies;
    uint64_t now = pass->world.now_ms;
    struct tally *spent = arena_array(pass->arena, struct tally, tallies->spent_count + 1);
    size_t count = 0;

    if (!GUARD(&effects->control->options.limits, G8) ||
        BUG(&effects->control->options.limits, BUG_BUDGET_UNCOUNTED)) {
        return;
    }
    for (size_t i = 0; i < tallies->spent_count; i++) {
        if (now - tallies->spent[i].seen.last_ms < effects->control->options.limits.budget_ms) {
            spent[count++] = tallies->spent[i];
        }
    }
    if (count > 0 && spent[count - 1].seen.last_ms == now) {
        spent[count - 1].seen.count++;
    } else {
        spent[count++] = (struct tally){ .seen = { 1, now, now } };
    }
    tallies->spent = spent;
    tallies->spent_count = count;
    pass->is_tallied = true;
}
