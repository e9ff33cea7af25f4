#include "base/limits.h"
#include "reconcile/pass_effects.h"

/* public names start with: effects_ */

/* The counters of a plan: listings that lack a machine (absences), listings that have a machine
 * without a record (sightings), and machines that were destroyed without a request. */

enum {
    SIGHTING_KEPT_MS = 24 * 3600 * 1000
}; /* time for which a sighting is kept after the machine was last listed */
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
        (void)control_counters_read(effects->pass->arena, effects->reconciler, group,
                                    &counting->counters, &counting->revision);
        counting->absent_sorted = counting->counters.absent_count;
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

/* Appends a counter. The counters are sorted when the row is written. */
static struct counter *counter_append(struct arena *arena, struct counter **counters, size_t *count,
                                      struct text key)
{
    struct counter *grown = arena_array(arena, struct counter, *count + 1);

    for (size_t i = 0; i < *count; i++) {
        grown[i] = (*counters)[i];
    }
    grown[*count].key = key;
    *counters = grown;
    return &grown[(*count)++];
}

void effects_absence_note(struct effects *effects, const struct plan_action *action)
{
    const struct plan_limits *limits = &effects->control->options.limits;
    const struct plan_record *record = &effects->pass->world.records[action->record];
    struct counting *counting;
    struct counter *counter;

    if (!is_due(effects, &record->absence, limits->absence_ms, limits->absences) &&
        !BUG(limits, BUG_ABSENCE_DOUBLED)) {
        return;
    }
    counting = counting_of(effects, action->group);
    counter = counter_find(counting->counters.absent, counting->absent_sorted, record->token);
    if (counter == NULL && counting->counters.absent_count < LIMIT_CONTROL_ABSENCES) {
        counter = counter_append(effects->pass->arena, &counting->counters.absent,
                                 &counting->counters.absent_count, record->token);
    }
    if (counter != NULL) {
        seen_again(&counter->seen, effects->pass->world.now_ms);
        if (BUG(limits, BUG_ABSENCE_DOUBLED)) {
            counter->seen.first_ms = 1;
        }
    }
}

void effects_belief_note(struct effects *effects, const struct plan_action *action)
{
    const struct plan_record *record = &effects->pass->world.records[action->record];
    struct counting *counting = counting_of(effects, action->group);
    struct counter *counter;

    if (counting->counters.believed_count < LIMIT_CONTROL_ABSENCES) {
        counter = counter_append(effects->pass->arena, &counting->counters.believed,
                                 &counting->counters.believed_count, record->token);
        seen_again(&counter->seen, effects->pass->world.now_ms);
    }
}

void effects_sighting_note(struct effects *effects, const struct plan_action *action)
{
    const struct plan_limits *limits = &effects->control->options.limits;
    struct pass *pass = effects->pass;
    struct counters *counters = &pass->cluster_counters;
    struct text id = pass->world.rows[action->row].id;
    bool is_spared = action->rule == PLAN_RULE_copied || action->rule == PLAN_RULE_store_went_back;
    struct counter *counter = counters_sighting(pass->arena, counters, id);

    if (counter != NULL && !is_spared &&
        !is_due(effects, &counter->seen, limits->sighting_ms, limits->sightings)) {
        return;
    }
    if (counter != NULL) {
        seen_again(&counter->seen, pass->world.now_ms);
        counter->is_spared |= is_spared;
        if (BUG(limits, BUG_SIGHTING_AGED)) {
            counter->seen.first_ms = 1;
        }
        pass->is_tallied = true;
    }
}

static bool is_pass_counts_recorded(const struct plan_world *world, struct text id)
{
    for (size_t i = 0; i < world->record_count; i++) {
        if (text_is_equal(world->records[i].id, id)) {
            return true;
        }
    }
    return false;
}

/* True if a sighting is no longer needed, because its machine has a record, which tracks the
 * machine until its confirmed end (G21). If an operator decided to keep the machine, the sighting
 * is kept. */
static bool is_over_sighted(const struct pass *pass, const struct counter *counter)
{
    return !counter->is_spared && GUARD(&pass->reconciler->control->options.limits, G21) &&
           is_pass_counts_recorded(&pass->world, counter->key);
}

static bool has_over_sighted(const struct pass *pass)
{
    const struct counters *counters = &pass->cluster_counters;

    for (size_t i = 0; i < counters->sighted_count; i++) {
        if (is_over_sighted(pass, &counters->sighted[i])) {
            return true;
        }
    }
    return false;
}

static bool is_pass_counts_listed(const struct pass *pass, struct text id)
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

/* Find a counter. The counters are unsorted, because new ones are at the end. */
static struct counter *counter_search(struct counter *counters, size_t count, struct text key)
{
    for (size_t i = 0; i < count; i++) {
        if (text_is_equal(counters[i].key, key)) {
            return &counters[i];
        }
    }
    return NULL;
}

/* Records whether a complete listing has the machine. Counts consecutive listings without the
 * machine, at most three of them within the window of sightings. */
static void missed_note(struct pass *pass, struct text id, bool has_row)
{
    const struct plan_limits *limits = &pass->reconciler->control->options.limits;
    struct counters *counters = &pass->cluster_counters;
    struct counter *missed = counter_search(counters->missed, counters->missed_count, id);

    if (has_row && missed != NULL) {
        missed->seen = (struct plan_seen){ 0 };
        pass->is_tallied = true;
    } else if (!has_row && (missed == NULL ||
                            pass->world.now_ms - missed->seen.last_ms >= limits->sighting_ms / 3)) {
        missed = missed != NULL
                     ? missed
                     : counter_append(pass->arena, &counters->missed, &counters->missed_count, id);
        seen_again(&missed->seen, pass->world.now_ms);
        pass->is_tallied = true;
    }
}

/* Records whether machines without a record still exist in a cluster that is being deleted. The
 * deletion waits until they are gone (plan_has_orphans). */
static void sightings_follow(struct pass *pass)
{
    struct counters *counters = &pass->cluster_counters;
    bool is_whole = pass->world.is_deleting && are_listings_whole(pass);
    size_t kept = 0;

    for (size_t i = 0; pass->world.is_deleting && i < counters->sighted_count; i++) {
        bool has_row = is_pass_counts_listed(pass, counters->sighted[i].key);

        if (!counters->sighted[i].is_spared && (has_row || is_whole)) {
            missed_note(pass, counters->sighted[i].key, has_row);
        }
    }
    for (size_t i = 0; i < counters->missed_count; i++) {
        if (counters->missed[i].seen.count > 0 &&
            counter_search(counters->sighted, counters->sighted_count, counters->missed[i].key) !=
                NULL) {
            counters->missed[kept++] = counters->missed[i];
        }
    }
    counters->missed_count = kept;
}

/* Drops sightings of machines that are no longer listed, to make space. A machine that reappears
 * gets a new sighting. Sightings of machines that an operator decided to keep are not dropped,
 * because the listing may be wrong. While the cluster is being deleted, none is dropped: otherwise
 * one listing without the machine would complete the deletion although the machine runs
 * (sightings_follow counts these listings). */
static void sightings_drop(struct pass *pass)
{
    struct counters *counters = &pass->cluster_counters;
    size_t kept = 0;

    for (size_t i = 0; i < counters->sighted_count; i++) {
        bool is_old = !counters->sighted[i].is_spared && !pass->world.is_deleting &&
                      pass->world.now_ms - counters->sighted[i].seen.last_ms >= SIGHTING_KEPT_MS;
        bool is_pass_counts_listed = false;

        for (size_t j = 0; is_old && j < pass->world.row_count && !is_pass_counts_listed; j++) {
            is_pass_counts_listed = text_is_equal(pass->world.rows[j].id, counters->sighted[i].key);
        }
        if (!is_over_sighted(pass, &counters->sighted[i]) && (!is_old || is_pass_counts_listed)) {
            counters->sighted[kept++] = counters->sighted[i];
        }
    }
    counters->sighted_count = kept;
}

static const struct plan_group *pass_counts_group_of(const struct effects *effects,
                                                     struct text path)
{
    const struct plan_world *world = &effects->pass->world;

    for (size_t i = 0; i < world->group_count; i++) {
        if (text_is_equal(world->groups[i].path, path)) {
            return &world->groups[i];
        }
    }
    return NULL;
}

void effects_losses_note(struct effects *effects, const struct plan_action *action)
{
    const struct plan_record *record = &effects->pass->world.records[action->record];
    const struct plan_group *group = pass_counts_group_of(effects, action->group);
    struct counting *counting;
    struct counter *counter;

    if (record->losses == 0 || group == NULL ||
        !text_is_equal(record->generation, group->generation) ||
        effects->is_continued[action->record]) {
        return;
    }
    counting = counting_of(effects, action->group);
    counter = counter_search(counting->counters.failed, counting->counters.failed_count,
                             group->generation);
    if (counter == NULL) {
        counter = counter_append(effects->pass->arena, &counting->counters.failed,
                                 &counting->counters.failed_count, group->generation);
    }
    seen_again(&counter->seen, effects->pass->world.now_ms);
    counter->seen.count += record->losses - 1;
}

/* Drops the failures of generations that are no longer desired. */
static void losses_keep(struct effects *effects, struct counting *counting)
{
    const struct plan_group *group = pass_counts_group_of(effects, counting->group);
    struct counters *counters = &counting->counters;
    size_t kept = 0;

    for (size_t i = 0; i < counters->failed_count; i++) {
        if (group != NULL && text_is_equal(counters->failed[i].key, group->generation)) {
            counters->failed[kept++] = counters->failed[i];
        }
    }
    counters->failed_count = kept;
}

/* Clears the absences of listed machines. A machine without a record needs no counter. */
void effects_absences_drop(struct effects *effects)
{
    const struct plan_world *world = &effects->pass->world;
    struct arena *arena = effects->pass->arena;
    bool *is_pass_counts_listed = arena_array(arena, bool, world->record_count);
    bool *is_running = arena_array(arena, bool, world->record_count);

    for (size_t i = 0; i < world->row_count; i++) {
        const struct fleet_machine *machine =
            fleet_machine_find(effects->reconciler->cluster, world->rows[i].token);

        if (machine != NULL &&
            (world->records[machine->index].id.length == 0 ||
             text_is_equal(world->records[machine->index].id, world->rows[i].id))) {
            /* the row is the record's machine and not a clone of it */
            is_pass_counts_listed[machine->index] = true;
            is_running[machine->index] |= world->rows[i].state == PLAN_ROW_RUNNING;
        }
    }
    for (size_t i = 0; i < world->record_count; i++) {
        const struct plan_record *record = &world->records[i];

        if (is_pass_counts_listed[i] && record->absence.count > 0) {
            struct counting *counting = counting_of(effects, record->group);
            struct counter *counter = counter_find(counting->counters.absent,
                                                   counting->counters.absent_count, record->token);

            if (counter != NULL) {
                counter->seen.count = 0;
            }
        }
        if (is_running[i] && record->is_believed) { /* a later absence is a new observation (G20) */
            struct counting *counting = counting_of(effects, record->group);
            struct counter *counter = counter_find(
                counting->counters.believed, counting->counters.believed_count, record->token);

            if (counter != NULL) {
                counter->seen.count = 0;
            }
        }
    }
}

static size_t counters_keep(struct effects *effects, struct counter *counters, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const struct fleet_machine *machine =
            fleet_machine_find(effects->reconciler->cluster, counters[i].key);
        const struct changing *changing =
            machine == NULL ? NULL : effects->changing[machine->index];

        if (machine != NULL && counters[i].seen.count > 0 &&
            !(changing != NULL && changing->is_gone)) {
            counters[kept++] = counters[i];
        }
    }
    return kept;
}

/* True if the cluster has neither a specification nor machines. Its counters are then no longer
 * needed. */
static bool is_pass_counts_over(const struct pass *pass)
{
    return pass->world.is_gone && pass->world.record_count == 0 && pass->world.row_count == 0;
}

void effects_counts_write(struct effects *effects)
{
    struct pass *pass = effects->pass;
    struct counting *counting;

    for (counting = effects->counting; counting != NULL; counting = counting->next) {
        struct counters *counters = &counting->counters;
        bool is_empty;

        counters->absent_count = counters_keep(effects, counters->absent, counters->absent_count);
        counters->lookup_count = counters_keep(effects, counters->said, counters->lookup_count);
        counters->believed_count =
            counters_keep(effects, counters->believed, counters->believed_count);
        losses_keep(effects, counting);
        is_empty = counters->absent_count + counters->lookup_count + counters->believed_count +
                       counters->failed_count ==
                   0;
        if (counting->revision == 0 && is_empty) {
            continue;
        }
        unit_add(pass->arena, &pass->units,
                 control_key(pass->arena, effects->reconciler->cluster, "Control", counting->group,
                             CACHE_STATUS),
                 counting->revision, is_empty ? TEXT("") : counters_format(pass->arena, counters));
    }
    sightings_follow(pass);
    pass->is_tallied |= has_over_sighted(pass);
    if (pass->is_tallied && !is_pass_counts_over(pass)) {
        sightings_drop(pass);
        /* This operation is the first one, because it records the highest token numbers, and the
         * operations after it use tokens (series.h). */
        unit_add_first(pass->arena, &pass->units,
                       control_key(pass->arena, effects->reconciler->cluster, "Control", TEXT(""),
                                   CACHE_STATUS),
                       pass->cluster_counters_revision,
                       counters_format(pass->arena, &pass->cluster_counters));
    }
}

void effects_budget_spend(struct effects *effects)
{
    struct pass *pass = effects->pass;
    struct counters *counters = &pass->cluster_counters;
    uint64_t now = pass->world.now_ms;
    struct counter *spent = arena_array(pass->arena, struct counter, counters->spent_count + 1);
    size_t count = 0;

    if (!GUARD(&effects->control->options.limits, G8) ||
        BUG(&effects->control->options.limits, BUG_BUDGET_UNCOUNTED)) {
        return;
    }
    for (size_t i = 0; i < counters->spent_count; i++) {
        if (now - counters->spent[i].seen.last_ms < effects->control->options.limits.budget_ms) {
            spent[count++] = counters->spent[i];
        }
    }
    if (count > 0 && spent[count - 1].seen.last_ms == now) {
        spent[count - 1].seen.count++;
    } else {
        spent[count++] = (struct counter){ .seen = { 1, now, now } };
    }
    counters->spent = spent;
    counters->spent_count = count;
    pass->is_tallied = true;
}
