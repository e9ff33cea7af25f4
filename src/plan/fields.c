#include "plan/fields.h"

#include "base/macros.h"

#include <assert.h>
#include <string.h>

/* ---- names of the values of enums ---- */

#define WORDS(name, ...)                                      \
    static const char *const name##_list[] = { __VA_ARGS__ }; \
    static const struct plan_words name = { name##_list, ARRAY_COUNT(name##_list) }

WORDS(heals, "replace", "off", "reboot");
WORDS(picks, "oldestConfig", "oldest", "newest", "failed");
WORDS(losses, "hold", "replace", "fence");
WORDS(rolls, "running", "paused", "aborted");
WORDS(states, "create", "active", "delete");
WORDS(lookups, "none", "running", "stopped", "gone", "ended");
WORDS(faults, "none", "wrong", "short", "passing", "gone");
WORDS(row_states, "pending", "running", "stopping", "stopped", "ended");
WORDS(acts, "move", "note", "set-id", "activate", "forget", "adopt", "confirm", "label", "reboot",
      "destroy", "terminate", "ask", "create");

static const char *const rules_list[] = {
#define RULE(name, text) #name,
#include "plan/rules.def"
#undef RULE
};
static const struct plan_words rules = { rules_list, ARRAY_COUNT(rules_list) };

/* ---- the fields ---- */

#define SIZE_OF(type, member) sizeof(((struct type *)0)->member)
#define FIELD(type, shape, member, name)                                           \
    {                                                                              \
        name, shape, offsetof(struct type, member), SIZE_OF(type, member), 0, NULL \
    }
#define WORD(type, member, name, words)                                                          \
    {                                                                                            \
        name, PLAN_SHAPE_WORD, offsetof(struct type, member), SIZE_OF(type, member), 0, &(words) \
    }
#define LIST(type, shape, member, number, name)                            \
    {                                                                      \
        name, shape, offsetof(struct type, member), SIZE_OF(type, member), \
            offsetof(struct type, number), NULL                            \
    }

static const struct plan_field world_fields[] = {
    FIELD(plan_world, PLAN_SHAPE_TIME, now_ms, "now"),
    FIELD(plan_world, PLAN_SHAPE_TIME, life_since_ms, "incarnationSince"),
    FIELD(plan_world, PLAN_SHAPE_FLAG, is_gone, "gone"),
    FIELD(plan_world, PLAN_SHAPE_FLAG, is_deleting, "deleting"),
    FIELD(plan_world, PLAN_SHAPE_FLAG, is_paused, "paused"),
    FIELD(plan_world, PLAN_SHAPE_TEXT, brake_approved, "brakeApproved"),
    FIELD(plan_world, PLAN_SHAPE_FLAG, is_restore_held, "restoreHeld"),
    FIELD(plan_world, PLAN_SHAPE_FLAG, is_return_approved, "returnApproved"),
    FIELD(plan_world, PLAN_SHAPE_COUNT, destroyed, "destroyed"),
    FIELD(plan_world, PLAN_SHAPE_COUNT, contact_lost, "contactLost"),
    FIELD(plan_world, PLAN_SHAPE_COUNT, contact_of, "contactOf"),
    FIELD(plan_world, PLAN_SHAPE_TEXT, contact_name, "contactName"),
    FIELD(plan_world, PLAN_SHAPE_TIME, contact_since_ms, "contactSince"),
    FIELD(plan_world, PLAN_SHAPE_TEXT, cause_name, "causeName"),
    FIELD(plan_world, PLAN_SHAPE_TEXT, cause_fact, "causeFact"),
    FIELD(plan_world, PLAN_SHAPE_FLAG, is_cause_zone, "causeZone"),
    FIELD(plan_world, PLAN_SHAPE_FLAG, is_cause_held, "causeHeld"),
    FIELD(plan_world, PLAN_SHAPE_FLAG, is_cause_approved, "causeApproved"),
};
static const struct plan_field source_fields[] = {
    FIELD(plan_source, PLAN_SHAPE_COMMON, name, "name"),
    FIELD(plan_source, PLAN_SHAPE_COMMON, problem, "problem"),
    FIELD(plan_source, PLAN_SHAPE_COMMON, unreadable, "unreadable"),
    FIELD(plan_source, PLAN_SHAPE_COMMON, unpinned, "unpinned"),
    FIELD(plan_source, PLAN_SHAPE_COMMON, host, "host"),
    FIELD(plan_source, PLAN_SHAPE_FLAG, is_unreachable, "unreachable"),
    FIELD(plan_source, PLAN_SHAPE_FLAG, is_complete, "complete"),
    FIELD(plan_source, PLAN_SHAPE_FLAG, is_missing, "missing"),
    FIELD(plan_source, PLAN_SHAPE_TIME, unheard_since_ms, "unheardSince"),
    FIELD(plan_source, PLAN_SHAPE_FLAG, is_strong, "strong"),
    FIELD(plan_source, PLAN_SHAPE_FLAG, can_label, "canLabel"),
    FIELD(plan_source, PLAN_SHAPE_FLAG, can_reboot, "canReboot"),
    FIELD(plan_source, PLAN_SHAPE_FLAG, is_login, "login"),
    FIELD(plan_source, PLAN_SHAPE_FLAG, is_disposable, "disposable"),
    FIELD(plan_source, PLAN_SHAPE_FLAG, is_pool, "pool"),
    FIELD(plan_source, PLAN_SHAPE_SPAN, lag_ms, "lag"),
    FIELD(plan_source, PLAN_SHAPE_SPAN, late_ms, "late"),
    FIELD(plan_source, PLAN_SHAPE_FLAG, has_tokens, "tokens"),
};
static const struct plan_field choice_fields[] = {
    FIELD(plan_choice, PLAN_SHAPE_COUNT, source, "source"),
    FIELD(plan_choice, PLAN_SHAPE_COMMON, generation, "generation"),
    LIST(plan_choice, PLAN_SHAPE_TEXTS, zones, zone_count, "zones"),
};
static const struct plan_field group_fields[] = {
    FIELD(plan_group, PLAN_SHAPE_COMMON, path, "path"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, source, "source"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, size, "size"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, min_size, "minSize"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, max_size, "maxSize"),
    FIELD(plan_group, PLAN_SHAPE_NUMBER, first_slot, "first"),
    FIELD(plan_group, PLAN_SHAPE_COMMON, generation, "generation"),
    LIST(plan_group, PLAN_SHAPE_TEXTS, zones, zone_count, "zones"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, max_skew, "maxSkew"),
    LIST(plan_group, PLAN_SHAPE_CHOICES, alternatives, alternative_count, "alternatives"),
    WORD(plan_group, heal, "heal", heals),
    WORD(plan_group, pick, "pick", picks),
    WORD(plan_group, unreachable, "onUnreachable", losses),
    FIELD(plan_group, PLAN_SHAPE_COUNT, kept_max, "keepFailed"),
    FIELD(plan_group, PLAN_SHAPE_SPAN, kept_ms, "keepFor"),
    FIELD(plan_group, PLAN_SHAPE_COMMON, renamed_from, "renamedFrom"),
    FIELD(plan_group, PLAN_SHAPE_COMMON, labels, "labels"),
    FIELD(plan_group, PLAN_SHAPE_SPAN, replace_after_ms, "replaceAfter"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, unhealthy_permille, "maxUnhealthyPermille"),
    FIELD(plan_group, PLAN_SHAPE_FLAG, is_protected, "protected"),
    FIELD(plan_group, PLAN_SHAPE_FLAG, is_paused, "paused"),
    FIELD(plan_group, PLAN_SHAPE_TEXT, brake_approved, "brakeApproved"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, surge, "surge"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, unavailable, "unavailable"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, batch, "batch"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, canary, "canary"),
    FIELD(plan_group, PLAN_SHAPE_SPAN, bake_ms, "bake"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, fail_max, "maxFail"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, fails_approved, "failsApproved"),
    FIELD(plan_group, PLAN_SHAPE_COUNT, fails_forgotten, "failsForgotten"),
    FIELD(plan_group, PLAN_SHAPE_FLAG, has_cause, "cause"),
    WORD(plan_group, roll, "rollout", rolls),
    FIELD(plan_group, PLAN_SHAPE_COUNT, slots_waiting, "slotsWaiting"),
    FIELD(plan_group, PLAN_SHAPE_TEXT, slots_stopped, "slotsStopped"),
    FIELD(plan_group, PLAN_SHAPE_TEXT, slots_observation, "slotsObservation"),
    LIST(plan_group, PLAN_SHAPE_TEXTS, volumes, volume_count, "volumes"),
};
static const struct plan_field record_fields[] = {
    FIELD(plan_record, PLAN_SHAPE_TEXT, token, "token"),
    FIELD(plan_record, PLAN_SHAPE_TEXT, id, "id"),
    FIELD(plan_record, PLAN_SHAPE_NUMBER, slot, "slot"),
    FIELD(plan_record, PLAN_SHAPE_COMMON, group, "group"),
    WORD(plan_record, state, "state", states),
    FIELD(plan_record, PLAN_SHAPE_TIME, created_ms, "created"),
    FIELD(plan_record, PLAN_SHAPE_TIME, active_ms, "active"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_answered, "answered"),
    FIELD(plan_record, PLAN_SHAPE_COMMON, generation, "generation"),
    FIELD(plan_record, PLAN_SHAPE_COMMON, labels, "labels"),
    FIELD(plan_record, PLAN_SHAPE_COMMON, zone, "zone"),
    FIELD(plan_record, PLAN_SHAPE_COUNT, source, "source"),
    FIELD(plan_record, PLAN_SHAPE_TIME, condemned_ms, "condemned"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_calling, "calling"),
    FIELD(plan_record, PLAN_SHAPE_SEEN, absence, "absence"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_believed, "believed"),
    WORD(plan_record, lookup, "lookup", lookups),
    FIELD(plan_record, PLAN_SHAPE_SEEN, looked_up, "lookupSeen"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_foreign_life, "oldIncarnation"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_protected, "protected"),
    FIELD(plan_record, PLAN_SHAPE_TIME, call_after_ms, "callAfter"),
    FIELD(plan_record, PLAN_SHAPE_TIME, failing_since_ms, "unhealthySince"),
    FIELD(plan_record, PLAN_SHAPE_TIME, failed_since_ms, "failedSince"),
    FIELD(plan_record, PLAN_SHAPE_TIME, drifted_since_ms, "driftedSince"),
    FIELD(plan_record, PLAN_SHAPE_TIME, maintenance_since_ms, "maintenanceSince"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_starting, "starting"),
    FIELD(plan_record, PLAN_SHAPE_TIME, unreachable_since_ms, "unreachableSince"),
    FIELD(plan_record, PLAN_SHAPE_TIME, rebooted_ms, "rebooted"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_reboot_requested, "rebootRequested"),
    FIELD(plan_record, PLAN_SHAPE_TIME, reboot_begun_ms, "rebootBegun"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_boot_known, "bootKnown"),
    FIELD(plan_record, PLAN_SHAPE_TIME, boot_same_ms, "bootSame"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_reboot_answered, "rebootAnswered"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_reboot_unsent, "rebootUnsent"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_reboot_late, "rebootLate"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_reboot_served, "rebootServed"),
    FIELD(plan_record, PLAN_SHAPE_COUNT, losses, "losses"),
    WORD(plan_record, fault, "fault", faults),
    FIELD(plan_record, PLAN_SHAPE_COUNT, refusals, "refusals"),
    FIELD(plan_record, PLAN_SHAPE_TIME, doubt_ms, "doubt"),
    FIELD(plan_record, PLAN_SHAPE_COUNT, failures, "failures"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_retried, "retried"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_named, "named"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_replace_requested, "replaceRequested"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_unproven, "unproven"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_in_rollout, "inRollout"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, has_cause, "cause"),
    FIELD(plan_record, PLAN_SHAPE_FLAG, is_evicted, "evicted"),
};
static const struct plan_field row_fields[] = {
    FIELD(plan_row, PLAN_SHAPE_TEXT, id, "id"),
    FIELD(plan_row, PLAN_SHAPE_TEXT, token, "token"),
    FIELD(plan_row, PLAN_SHAPE_COUNT, source, "source"),
    FIELD(plan_row, PLAN_SHAPE_COMMON, group, "group"),
    FIELD(plan_row, PLAN_SHAPE_NUMBER, slot, "slot"),
    WORD(plan_row, state, "state", row_states),
    FIELD(plan_row, PLAN_SHAPE_FLAG, is_verified, "verified"),
    FIELD(plan_row, PLAN_SHAPE_FLAG, is_foreign_life, "oldIncarnation"),
    FIELD(plan_row, PLAN_SHAPE_FLAG, is_unrecorded, "unrecorded"),
    FIELD(plan_row, PLAN_SHAPE_TEXT, ended, "ended"),
    FIELD(plan_row, PLAN_SHAPE_FLAG, is_evicted, "evicted"),
};
static const struct plan_field quarantine_fields[] = {
    FIELD(plan_quarantine, PLAN_SHAPE_TEXT, id, "id"),
    FIELD(plan_quarantine, PLAN_SHAPE_SEEN, seen, "seen"),
    FIELD(plan_quarantine, PLAN_SHAPE_SEEN, missed, "missed"),
    FIELD(plan_quarantine, PLAN_SHAPE_FLAG, is_spared, "spared"),
};
static const struct plan_field limits_fields[] = {
    FIELD(plan_limits, PLAN_SHAPE_COUNT, absences, "absences"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, absence_ms, "absenceFor"),
    FIELD(plan_limits, PLAN_SHAPE_COUNT, sightings, "sightings"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, sighting_ms, "sightingFor"),
    FIELD(plan_limits, PLAN_SHAPE_COUNT, lookups, "lookups"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, lookup_ms, "lookupInterval"),
    FIELD(plan_limits, PLAN_SHAPE_COUNT, brake_permille, "brakePermille"),
    FIELD(plan_limits, PLAN_SHAPE_COUNT, budget_permille, "budgetPermille"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, budget_ms, "budgetWindow"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, contact_ms, "contactWindow"),
    FIELD(plan_limits, PLAN_SHAPE_COUNT, contact_least, "contactLeast"),
    FIELD(plan_limits, PLAN_SHAPE_COUNT, unknown_permille, "unknownPermille"),
    FIELD(plan_limits, PLAN_SHAPE_COUNT, tries, "tries"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, retry_ms, "retry"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, retry_max_ms, "retryMax"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, unheard_ms, "unheardFor"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, going_ms, "goingFor"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, reboot_ms, "rebootFor"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, proven_ms, "provenFor"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, undo_ms, "undoFor"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, late_ms, "late"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, cause_ms, "causeFor"),
    FIELD(plan_limits, PLAN_SHAPE_SPAN, new_incarnation_ms, "newIncarnationFor"),
};
static const struct plan_field action_fields[] = {
    FIELD(plan_action, PLAN_SHAPE_NUMBER, slot, "slot"),
    FIELD(plan_action, PLAN_SHAPE_COMMON, fact, "fact"),
    FIELD(plan_action, PLAN_SHAPE_INDEX, record, "record"),
    FIELD(plan_action, PLAN_SHAPE_INDEX, row, "row"),
    FIELD(plan_action, PLAN_SHAPE_COMMON, group, "group"),
    WORD(plan_action, act, "act", acts),
    WORD(plan_action, rule, "rule", rules),
    FIELD(plan_action, PLAN_SHAPE_INDEX, choice, "choice"),
    FIELD(plan_action, PLAN_SHAPE_COMMON, zone, "zone"),
};
static const struct plan_field hold_fields[] = {
    WORD(plan_hold, rule, "rule", rules),
    FIELD(plan_hold, PLAN_SHAPE_COMMON, group, "group"),
    FIELD(plan_hold, PLAN_SHAPE_COMMON, fact, "fact"),
    FIELD(plan_hold, PLAN_SHAPE_COMMON, observation, "observation"),
    FIELD(plan_hold, PLAN_SHAPE_NUMBER, sources, "sources"),
    FIELD(plan_hold, PLAN_SHAPE_COUNT, would_destroy, "wouldDestroy"),
    FIELD(plan_hold, PLAN_SHAPE_COUNT, would_create, "wouldCreate"),
};
static const struct plan_fields sorts[PLAN_SORT_COUNT] = {
    [PLAN_SORT_WORLD] = { world_fields, ARRAY_COUNT(world_fields), sizeof(struct plan_world) },
    [PLAN_SORT_SOURCE] = { source_fields, ARRAY_COUNT(source_fields), sizeof(struct plan_source) },
    [PLAN_SORT_CHOICE] = { choice_fields, ARRAY_COUNT(choice_fields), sizeof(struct plan_choice) },
    [PLAN_SORT_GROUP] = { group_fields, ARRAY_COUNT(group_fields), sizeof(struct plan_group) },
    [PLAN_SORT_RECORD] = { record_fields, ARRAY_COUNT(record_fields), sizeof(struct plan_record) },
    [PLAN_SORT_ROW] = { row_fields, ARRAY_COUNT(row_fields), sizeof(struct plan_row) },
    [PLAN_SORT_QUARANTINE] = { quarantine_fields, ARRAY_COUNT(quarantine_fields),
                               sizeof(struct plan_quarantine) },
    [PLAN_SORT_LIMITS] = { limits_fields, ARRAY_COUNT(limits_fields), sizeof(struct plan_limits) },
    [PLAN_SORT_ACTION] = { action_fields, ARRAY_COUNT(action_fields), sizeof(struct plan_action) },
    [PLAN_SORT_HOLD] = { hold_fields, ARRAY_COUNT(hold_fields), sizeof(struct plan_hold) },
};

const struct plan_fields *plan_fields(enum plan_sort sort)
{
    assert(sort < PLAN_SORT_COUNT);
    assert(sorts[sort].count <= PLAN_FIELDS_MAX);
    return &sorts[sort];
}

/* ---- display ---- */

static struct text seconds(struct arena *arena, uint64_t ms)
{
    return ms % 1000 == 0 ? arena_printf(arena, "%llu s", (unsigned long long)(ms / 1000))
                          : arena_printf(arena, "%llu.%03llu s", (unsigned long long)(ms / 1000),
                                         (unsigned long long)(ms % 1000));
}

static struct text moment(struct arena *arena, uint64_t at_ms, uint64_t now_ms)
{
    return at_ms <= now_ms
               ? arena_printf(arena, "%.*s ago", TEXT_ARG(seconds(arena, now_ms - at_ms)))
               : arena_printf(arena, "in %.*s", TEXT_ARG(seconds(arena, at_ms - now_ms)));
}

static struct doc seen_show(struct arena *arena, const struct plan_seen *seen, uint64_t now_ms)
{
    return doc_text(arena_printf(arena, "%u times over %.*s, last %.*s", seen->count,
                                 TEXT_ARG(seconds(arena, seen->last_ms - seen->first_ms)),
                                 TEXT_ARG(moment(arena, seen->last_ms, now_ms))),
                    NULL);
}

static struct doc texts_show(struct arena *arena, const struct text *texts, size_t count)
{
    struct doc *items = arena_array(arena, struct doc, count);

    for (size_t i = 0; i < count; i++) {
        items[i] = doc_text(texts[i], NULL);
    }
    return doc_list(items, count, NULL);
}

static struct doc choices_show(struct arena *arena, const struct plan_choice *choices, size_t count)
{
    struct doc *items = arena_array(arena, struct doc, count);

    for (size_t i = 0; i < count; i++) {
        items[i] = plan_show(arena, PLAN_SORT_CHOICE, &choices[i], 0);
    }
    return doc_list(items, count, NULL);
}

static struct doc list_show(struct arena *arena, const struct plan_field *field, const char *item)
{
    size_t count = *(const size_t *)(const void *)(item + field->count_offset);
    const void *items = *(const void *const *)(const void *)(item + field->offset);

    if (count == 0) {
        return (struct doc){ 0 };
    }
    return field->shape == PLAN_SHAPE_TEXTS ? texts_show(arena, items, count)
                                            : choices_show(arena, items, count);
}

/* Returns the document that shows a field; NONE if there is nothing to show. */
static struct doc field_show(struct arena *arena, const struct plan_field *field, const char *item,
                             uint64_t now_ms)
{
    const void *at = item + field->offset;
    uint64_t number;

    switch (field->shape) {
    case PLAN_SHAPE_FLAG:
        return *(const bool *)at ? doc_bool(true, NULL) : (struct doc){ 0 };
    case PLAN_SHAPE_COUNT:
    case PLAN_SHAPE_NUMBER:
        number = plan_field_number(field, item);
        return number == 0 ? (struct doc){ 0 } : doc_int(arena, (int64_t)number, NULL);
    case PLAN_SHAPE_TIME:
        number = plan_field_number(field, item);
        return number == 0 ? (struct doc){ 0 } : doc_text(moment(arena, number, now_ms), NULL);
    case PLAN_SHAPE_SPAN:
        number = plan_field_number(field, item);
        return number == 0 ? (struct doc){ 0 } : doc_text(seconds(arena, number), NULL);
    case PLAN_SHAPE_WORD:
        number = plan_field_number(field, item);
        assert(number < field->words->count);
        return text_is(text_from(field->words->words[number]), "none")
                   ? (struct doc){ 0 }
                   : doc_text(text_from(field->words->words[number]), NULL);
    case PLAN_SHAPE_INDEX: /* an index has no meaning outside its world */
        return (struct doc){ 0 };
    case PLAN_SHAPE_TEXT:
    case PLAN_SHAPE_COMMON:
        return ((const struct text *)at)->length == 0 ? (struct doc){ 0 }
                                                      : doc_text(*(const struct text *)at, NULL);
    case PLAN_SHAPE_SEEN:
        return ((const struct plan_seen *)at)->count == 0 ? (struct doc){ 0 }
                                                          : seen_show(arena, at, now_ms);
    case PLAN_SHAPE_TEXTS:
    case PLAN_SHAPE_CHOICES:
        break;
    }
    return list_show(arena, field, item);
}

struct doc plan_show(struct arena *arena, enum plan_sort sort, const void *item, uint64_t now_ms)
{
    const struct plan_fields *fields = plan_fields(sort);
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < fields->count; i++) {
        struct doc value = field_show(arena, &fields->items[i], item, now_ms);

        if (doc_is_present(&value)) {
            doc_builder_put(&builder, fields->items[i].name, value);
        }
    }
    return doc_builder_map(&builder, NULL);
}
