#include "worlds.h"

#include <stdio.h>

enum { RECORDS = 12, ROWS = 6, NOW = 10000000 };

/* Draws a number from the bytes, or from the generator when the bytes are used up. */
static uint64_t draw(struct luck *luck, uint64_t limit)
{
    if (luck->size > 0) {
        uint64_t value = *luck->data++;

        luck->size--;
        if (limit > 256 && luck->size > 0) {
            value = value << 8 | *luck->data++;
            luck->size--;
        }
        return limit > 65536 ? value * (limit / 65536) % limit : value % limit;
    }
    luck->state ^= luck->state << 13;
    luck->state ^= luck->state >> 7;
    luck->state ^= luck->state << 17;
    return luck->state % limit;
}

static bool chance(struct luck *luck, unsigned percent)
{
    return draw(luck, 100) < percent;
}

static struct plan_seen seen_draw(struct luck *luck)
{
    struct plan_seen seen = { .count = (uint32_t)draw(luck, 6) };

    if (seen.count > 0) {
        seen.first_ms = NOW - 1 - draw(luck, 1200) * 1000;
        seen.last_ms = seen.first_ms + draw(luck, (NOW - seen.first_ms) / 1000 + 1) * 1000;
    }
    return seen;
}

static size_t zones_draw(struct luck *luck, const struct text **out)
{
    static const struct text zones[] = { { "z1", 2 }, { "z2", 2 }, { "z3", 2 } };

    *out = zones;
    return chance(luck, 40) ? draw(luck, 4) : 0;
}

static void alternatives_draw(struct laws *laws, struct luck *luck, struct plan_group *group)
{
    static const char *const generations[] = { "a1", "a2" };
    size_t count = chance(luck, 30) ? draw(luck, 3) : 0;
    struct plan_choice *choices = arena_array(laws->arena, struct plan_choice, count);

    for (size_t i = 0; i < count; i++) {
        choices[i].generation = text_from(generations[i]);
        choices[i].source = (uint32_t)draw(luck, laws->world.source_count);
        choices[i].zone_count = zones_draw(luck, &choices[i].zones);
    }
    group->alternatives = choices;
    group->alternative_count = count;
}

static void groups_draw(struct laws *laws, struct luck *luck)
{
    static const char *const paths[] = { "a", "b", "outer/c" };
    size_t count = draw(luck, 4);
    struct plan_group *groups = arena_array(laws->arena, struct plan_group, count);

    for (size_t i = 0; i < count; i++) {
        groups[i] = (struct plan_group){
            .path = text_from(paths[i]),
            .size = (uint32_t)draw(luck, 6),
            .first_slot = draw(luck, 2),
            .generation = chance(luck, 80) ? TEXT("g1") : TEXT("g2"),
            .source = (uint32_t)draw(luck, laws->world.source_count),
            .heal = chance(luck, 80) ? PLAN_HEAL_REPLACE : (enum plan_heal)draw(luck, 3),
            .pick = (enum plan_pick)draw(luck, 4),
            .replace_after_ms = 300000,
            .unhealthy_permille = (uint32_t)draw(luck, 1001),
            .is_protected = chance(luck, 5),
            .is_paused = chance(luck, 5),
            .brake_approved = chance(luck, 5) ? TEXT("of another listing") : TEXT(""),
            .surge = (uint32_t)draw(luck, 3),
            .batch = 1 + (uint32_t)draw(luck, 3),
            .canary = (uint32_t)draw(luck, 3),
            .bake_ms = draw(luck, 3) * 120000,
            .roll = (enum plan_rollout_command)(chance(luck, 8) ? draw(luck, 3) : 0),
            .fail_max = (uint32_t)draw(luck, 3),
            .max_skew = 1 + (uint32_t)draw(luck, 2),
            .labels = chance(luck, 80) ? TEXT("l1") : TEXT("l2"),
            .kept_max = (uint32_t)draw(luck, 3),
            .kept_ms = 600000,
            .unreachable = (enum plan_unreachable)draw(luck, 3),
        };
        groups[i].zone_count = zones_draw(luck, &groups[i].zones);
        alternatives_draw(laws, luck, &groups[i]);
        groups[i].renamed_from = i == 0 && chance(luck, 20) ? TEXT("gone") : TEXT("");
        groups[i].unavailable = groups[i].surge == 0 ? 1 + (uint32_t)draw(luck, 2) : 0;
    }
    laws->world.groups = groups;
    laws->world.group_count = count;
}

static struct text place_draw(struct luck *luck)
{
    static const char *const paths[] = { "a", "b", "outer/c", "gone" };

    return text_from(paths[draw(luck, 4)]);
}

static struct text generation_draw(struct luck *luck)
{
    static const char *const generations[] = { "g1", "g1", "g1", "g1", "g2", "g2", "a1", "a2" };

    return text_from(generations[draw(luck, 8)]);
}

static void refusal_draw(struct luck *luck, struct plan_record *record)
{
    static const char *const zones[] = { "", "z1", "z2", "z3" };

    record->zone = text_from(zones[draw(luck, 4)]);
    record->has_cause = text_is(record->zone, "b");
    record->doubt_ms = chance(luck, 20) ? NOW - 1 - draw(luck, 2000) * 1000 : 0;
    if (record->state == PLAN_RECORD_CREATE && record->id.length == 0 && record->is_answered) {
        record->fault = (enum plan_fault)draw(luck, 5);
        record->refusals = 1 + (uint32_t)draw(luck, 5);
    }
}

static void record_draw(struct laws *laws, struct luck *luck, struct plan_record *record, size_t i)
{
    *record = (struct plan_record){
        .token = arena_printf(laws->arena, "t%zu", i),
        .group = place_draw(luck),
        .slot = i, /* one record has the slot */
        .source = (uint32_t)draw(luck, laws->world.source_count),
        .generation = generation_draw(luck),
        .id = chance(luck, 85) ? arena_printf(laws->arena, "i%zu", i) : TEXT(""),
        .state = (enum plan_record_state)draw(luck, 3),
        .created_ms = draw(luck, NOW),
        .active_ms = draw(luck, NOW),
        .condemned_ms = draw(luck, NOW),
        .is_answered = chance(luck, 50),
        .is_foreign_life = chance(luck, 5),
        .is_protected = chance(luck, 5),
        .absence = seen_draw(luck),
        .lookup = (enum plan_lookup)draw(luck, 5),
        .looked_up = seen_draw(luck),
        .failing_since_ms = chance(luck, 20) ? 1 + draw(luck, NOW - 1) : 0,
        .unreachable_since_ms = chance(luck, 5) ? 1 + draw(luck, NOW - 1) : 0,
        .rebooted_ms = chance(luck, 5) ? 1 + draw(luck, NOW - 1) : 0,
        .call_after_ms = chance(luck, 20) ? NOW - 600000 + draw(luck, 1200000) : 0,
        .failures = (uint32_t)(chance(luck, 20) ? draw(luck, 6) : 0),
        .losses = (uint32_t)(chance(luck, 10) ? draw(luck, 3) : 0),
        .labels = chance(luck, 80) ? TEXT("l1") : TEXT(""),
        .is_calling = chance(luck, 10),
        .is_retried = chance(luck, 5),
        .is_named = chance(luck, 5),
        .is_starting = chance(luck, 15),
        .failed_since_ms = chance(luck, 20) ? NOW - 1 - draw(luck, 1200000) : 0,
        .is_replace_requested = chance(luck, 5),
        .is_reboot_requested = chance(luck, 10),
        .reboot_begun_ms = chance(luck, 5) ? 1 + draw(luck, NOW - 1) : 0,
        .is_boot_known = chance(luck, 50),
        .boot_same_ms = chance(luck, 50) ? 1 + draw(luck, NOW - 1) : 0,
        .is_reboot_answered = chance(luck, 20),
        .is_reboot_unsent = chance(luck, 5),
        .is_reboot_late = chance(luck, 20),
        .is_reboot_served = chance(luck, 20),
    };
    refusal_draw(luck, record);
    if (record->state == PLAN_RECORD_ACTIVE && record->is_answered && record->id.length == 0) {
        record->is_answered = false; /* there was no call to answer */
    }
    if (record->state == PLAN_RECORD_ACTIVE && record->id.length == 0) {
        record->id = arena_printf(laws->arena, "i%zu", i); /* this state requires an id */
    }
}

/* Returns a row with the record's token, for the machine of the record or for another machine. */
static struct plan_row row_of(struct luck *luck, const struct plan_record *record, struct text id)
{
    return (struct plan_row){
        .id = id,
        .token = record->token,
        .group = record->group,
        .slot = record->slot,
        .source = record->source,
        .state = chance(luck, 80) ? PLAN_ROW_RUNNING : (enum plan_row_state)draw(luck, 5),
        .is_verified = true,
    };
}

/* Draws a row for most records, and some rows that belong to no record. */
static void rows_draw(struct laws *laws, struct luck *luck, const struct plan_record *records,
                      size_t record_count)
{
    struct plan_row *rows = arena_array(laws->arena, struct plan_row, 2 * record_count + ROWS);
    size_t strangers = draw(luck, ROWS);
    bool is_empty = chance(luck, 5);
    size_t count = 0;

    for (size_t i = 0; !is_empty && i < record_count; i++) {
        if (chance(luck, 75)) {
            rows[count++] = row_of(luck, &records[i], arena_printf(laws->arena, "i%zu", i));
        }
        if (chance(luck, 5)) { /* a clone, or a machine that appeared late */
            rows[count++] = row_of(luck, &records[i], arena_printf(laws->arena, "c%zu", i));
        }
    }
    for (size_t i = 0; i < strangers; i++) {
        rows[count++] = (struct plan_row){
            .id = arena_printf(laws->arena, "x%zu", i),
            .token = arena_printf(laws->arena, "x%zu", i),
            .group = place_draw(luck),
            .slot = draw(luck, 20),
            .source = (uint32_t)draw(luck, laws->world.source_count),
            .state = PLAN_ROW_RUNNING,
            .is_verified = chance(luck, 60),
            .is_foreign_life = chance(luck, 20),
            .is_unrecorded = chance(luck, 5),
        };
    }
    laws->world.rows = rows;
    laws->world.row_count = count;
}

static void sources_draw(struct laws *laws, struct luck *luck)
{
    size_t count = 1 + draw(luck, 2);
    struct plan_source *sources = arena_array(laws->arena, struct plan_source, count);

    for (size_t i = 0; i < count; i++) {
        sources[i] = (struct plan_source){
            .name = i == 0 ? TEXT("sim") : TEXT("other"),
            .problem = chance(luck, 3) ? TEXT("it does not answer") : TEXT(""),
            .is_complete = chance(luck, 96),
            .is_disposable = chance(luck, 90),
            .has_tokens = chance(luck, 70),
            .can_label = chance(luck, 90),
            .can_reboot = chance(luck, 80),
            .is_login = chance(luck, 50),
        };
        if (sources[i].problem.length > 0 || !sources[i].is_complete) {
            sources[i].is_missing = chance(luck, 20);
            sources[i].unheard_since_ms = 1 + draw(luck, NOW - 1);
            sources[i].unpinned = chance(luck, 5) ? TEXT("its digest") : TEXT("");
        }
        if (i == 1 &&
            sources[i].is_login) { /* not drawn, so that earlier seeds still give the same worlds */
            sources[i].host = TEXT("m2");
            sources[i].is_unreachable = !sources[i].can_reboot;
            sources[i].problem = sources[i].is_unreachable ? TEXT("no link") : sources[i].problem;
        }
    }
    laws->world.sources = sources;
    laws->world.source_count = count;
}

void worlds_draw(struct laws *laws, struct luck *luck)
{
    size_t count = draw(luck, RECORDS);
    struct plan_record *records = arena_array(laws->arena, struct plan_record, count);
    struct plan_quarantine *quarantines = arena_array(laws->arena, struct plan_quarantine, 3);

    laws->limits = plan_limits_default();
    laws->world = (struct plan_world){
        .now_ms = NOW,
        .life_since_ms = chance(luck, 10) ? 1 + draw(luck, NOW - 1) : 0,
        .is_paused = chance(luck, 3),
        .brake_approved = chance(luck, 3) ? TEXT("of another listing") : TEXT(""),
        .destroyed = (uint32_t)draw(luck, 2),
    };
    sources_draw(laws, luck);
    groups_draw(laws, luck);
    if (chance(luck, 3)) {
        laws->world.is_gone = true;
        laws->world.is_deleting = chance(luck, 50);
        laws->world.group_count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        record_draw(laws, luck, &records[i], i);
    }
    laws->world.records = records;
    laws->world.record_count = count;
    rows_draw(laws, luck, records, count);
    for (size_t i = 0; i < 3; i++) {
        quarantines[i] = (struct plan_quarantine){
            .id = arena_printf(laws->arena, chance(luck, 70) ? "x%zu" : "c%zu", i),
            .seen = seen_draw(luck),
            .is_spared = chance(luck, 20),
        };
    }
    laws->world.is_restore_held = chance(luck, 3);
    laws->world.is_return_approved = chance(luck, 50);
    laws->world.quarantines = quarantines;
    laws->world.quarantine_count = draw(luck, 4);
    if (chance(luck, 10)) {
        laws->world.contact_of = 3 + (uint32_t)draw(luck, 9);
        laws->world.contact_lost = laws->world.contact_of / 2 + 1;
    }
    if (chance(luck, 10)) {
        laws->world.cause_name = TEXT("9 zone b");
        laws->world.cause_fact = TEXT("zone b: 3 of 4 nodes fail, and 0 of 4 others");
        laws->world.is_cause_zone = chance(luck, 2);
        laws->world.is_cause_held = chance(luck, 2);
        laws->world.is_cause_approved = chance(luck, 4);
    }
    laws->world.contact_since_ms = chance(luck, 10) ? NOW - 1 - draw(luck, 600) * 1000 : 0;
    for (size_t i = 0; i < count; i++) {
        records[i].is_unproven = chance(luck, 5);
        records[i].is_believed = chance(luck, 5);
    }
}

void worlds_show(const struct plan_world *world)
{
    printf("# now %llu, life since %llu, complete %d, brake approved %zu, destroyed %u\n",
           (unsigned long long)world->now_ms, (unsigned long long)world->life_since_ms,
           world->sources[0].is_complete, world->brake_approved.length, world->destroyed);
    for (size_t i = 0; i < world->group_count; i++) {
        printf("# group %.*s size %u heal %d max unhealthy %u\n", TEXT_ARG(world->groups[i].path),
               world->groups[i].size, world->groups[i].heal, world->groups[i].unhealthy_permille);
    }
    for (size_t i = 0; i < world->record_count; i++) {
        const struct plan_record *record = &world->records[i];

        printf("# record %.*s %.*s/%llu state %d answered %d old life %d absent %u witness %d x%u "
               "over %llu ms sick %llu\n",
               TEXT_ARG(record->token), TEXT_ARG(record->group), (unsigned long long)record->slot,
               record->state, record->is_answered, record->is_foreign_life, record->absence.count,
               record->lookup, record->looked_up.count,
               (unsigned long long)(record->looked_up.last_ms - record->looked_up.first_ms),
               (unsigned long long)record->failing_since_ms);
    }
    for (size_t i = 0; i < world->row_count; i++) {
        printf("# row %.*s %.*s/%llu state %d\n", TEXT_ARG(world->rows[i].id),
               TEXT_ARG(world->rows[i].group), (unsigned long long)world->rows[i].slot,
               world->rows[i].state);
    }
}
