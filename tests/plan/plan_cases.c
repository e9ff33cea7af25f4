/* Golden cases of the planner's decisions: plan_cases [--bless] FILE.case...
 *
 * A case is one YAML document: `why`, the world in short notation, and `plan`, the expected lines.
 * The laws are also checked for every case (laws.h). --bless writes the actual lines into the
 * file. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/macros.h"
#include "codec/yaml.h"
#include "laws.h"
#include "sys/file.h"

struct test_case {
    struct arena *arena;
    const char *path;
    struct text bytes;
    struct text why;
    struct laws laws;
    struct text expected; /* the lines after `plan:` */
};

static void give_up(const struct test_case *test, const char *what, struct text detail)
{
    fprintf(stderr, "%s: %s '%.*s'\n", test->path, what, TEXT_ARG(detail));
    exit(2);
}

/* ---- reading ---- */

static struct text word_of(const struct doc *map, const char *key, const char *when_absent)
{
    const struct doc *value = doc_child(map, key);

    return doc_is_scalar(value) ? value->text : text_from(when_absent);
}

static bool flag_of(const struct doc *map, const char *key, bool when_absent)
{
    struct text word = word_of(map, key, when_absent ? "true" : "false");

    return text_is(word, "true");
}

static int64_t number_of(struct test_case *test, const struct doc *map, const char *key,
                         int64_t when_absent)
{
    const struct doc *value = doc_child(map, key);
    int64_t number = when_absent;

    if (doc_is_scalar(value) && !text_parse_int64(value->text, &number)) {
        give_up(test, "this is no number:", value->text);
    }
    return number;
}

/* Reads a time, which is in seconds in the file and in milliseconds in the world. */
static uint64_t time_of(struct test_case *test, const struct doc *map, const char *key,
                        int64_t when_absent)
{
    return (uint64_t)number_of(test, map, key, when_absent) * 1000;
}

/* Returns the index of a word in a list of words. */
static int choice_of(struct test_case *test, struct text word, const char *const *words,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text_is(word, words[i])) {
            return (int)i;
        }
    }
    give_up(test, "unknown word", word);
    return 0;
}

/* Reads GROUP/SLOT, such as web/2. */
static void place_read(struct test_case *test, struct text place, struct text *group,
                       uint64_t *slot)
{
    size_t slash = place.length;
    int64_t number = 0;

    while (slash > 0 && place.data[slash - 1] != '/') {
        slash--;
    }
    if (slash == 0 || !text_parse_int64(text_slice(place, slash, place.length), &number)) {
        give_up(test, "a place is GROUP/SLOT, not", place);
    }
    *group = text_slice(place, 0, slash - 1);
    *slot = (uint64_t)number;
}

/* Reads a list [count, first, last]. */
static struct plan_seen seen_read(struct test_case *test, const struct doc *list)
{
    int64_t numbers[3] = { 0 };

    if (list == NULL) {
        return (struct plan_seen){ 0 };
    }
    if (!doc_is_list(list) || list->item_count != 3) {
        give_up(test, "seen is [COUNT, FIRST, LAST]", TEXT(""));
    }
    for (size_t i = 0; i < 3; i++) {
        if (!text_parse_int64(list->items[i].text, &numbers[i])) {
            give_up(test, "this is no number:", list->items[i].text);
        }
    }
    return (struct plan_seen){ (uint32_t)numbers[0], (uint64_t)numbers[1] * 1000,
                               (uint64_t)numbers[2] * 1000 };
}

static void zones_read(struct test_case *test, const struct doc *list, const struct text **out,
                       size_t *out_count)
{
    size_t count = doc_is_list(list) ? list->item_count : 0;
    struct text *zones = arena_array(test->arena, struct text, count);

    for (size_t i = 0; i < count; i++) {
        zones[i] = list->items[i].text;
    }
    *out = zones;
    *out_count = count;
}

static void alternatives_read(struct test_case *test, const struct doc *list,
                              struct plan_group *group)
{
    size_t count = doc_is_list(list) ? list->item_count : 0;
    struct plan_choice *choices = arena_array(test->arena, struct plan_choice, count);

    for (size_t i = 0; i < count; i++) {
        choices[i].generation = word_of(&list->items[i], "generation", "");
        choices[i].source = (uint32_t)number_of(test, &list->items[i], "source", 0);
        zones_read(test, doc_child(&list->items[i], "zones"), &choices[i].zones,
                   &choices[i].zone_count);
    }
    group->alternatives = choices;
    group->alternative_count = count;
}

static void groups_read(struct test_case *test, const struct doc *map)
{
    static const char *const picks[] = { "oldestConfig", "oldest", "newest", "failed" };
    static const char *const heals[] = { "replace", "off", "reboot" };
    static const char *const rolls[] = { "running", "paused", "aborted" };
    static const char *const losses[] = { "hold", "replace", "fence" };
    size_t count = doc_is_map(map) ? map->entry_count : 0;
    struct plan_group *groups = arena_array(test->arena, struct plan_group, count);

    for (size_t i = 0; i < count; i++) {
        const struct doc *group = &map->entries[i].value;

        groups[i] = (struct plan_group){
            .path = map->entries[i].key,
            .size = (uint32_t)number_of(test, group, "size", 0),
            .first_slot = (uint64_t)number_of(test, group, "first", 0),
            .generation = word_of(group, "generation", "g1"),
            .source = (uint32_t)number_of(test, group, "source", 0),
            .min_size = (uint32_t)number_of(test, group, "minSize", 0),
            .max_size = (uint32_t)number_of(test, group, "maxSize", 0),
            .heal = (enum plan_heal)choice_of(test, word_of(group, "heal", "replace"), heals,
                                              ARRAY_COUNT(heals)),
            .unreachable = (enum plan_unreachable)choice_of(
                test, word_of(group, "onUnreachable", "hold"), losses, ARRAY_COUNT(losses)),
            .kept_max = (uint32_t)number_of(test, group, "keepFailed", 0),
            .kept_ms = time_of(test, group, "keepFor", 1800),
            .renamed_from = word_of(group, "renamedFrom", ""),
            .labels = word_of(group, "labels", ""),
            .max_skew = (uint32_t)number_of(test, group, "maxSkew", 1),
            .fail_max = (uint32_t)number_of(test, group, "maxFail", 0),
            .fails_approved = (uint32_t)number_of(test, group, "failsApproved", 0),
            .fails_forgotten = (uint32_t)number_of(test, group, "failsForgotten", 0),
            .slots_waiting = (uint32_t)number_of(test, group, "slotsWaiting", 0),
            .slots_stopped = word_of(group, "slotsStopped", ""),
            .pick = (enum plan_pick)choice_of(test, word_of(group, "pick", "oldestConfig"), picks,
                                              ARRAY_COUNT(picks)),
            .replace_after_ms = time_of(test, group, "replaceAfter", 300),
            .unhealthy_permille = (uint32_t)number_of(test, group, "maxUnhealthy", 34) * 10,
            .is_protected = flag_of(group, "protected", false),
            .is_paused = flag_of(group, "paused", false),
            .brake_approved = word_of(group, "brakeApproved", ""),
            .surge = (uint32_t)number_of(test, group, "surge", 1),
            .unavailable = (uint32_t)number_of(test, group, "unavailable", 0),
            .batch = (uint32_t)number_of(test, group, "batch", 1),
            .canary = (uint32_t)number_of(test, group, "canary", 0),
            .bake_ms = time_of(test, group, "bake", 0),
            .has_cause = flag_of(group, "cause", false),
            .roll = (enum plan_rollout_command)choice_of(test, word_of(group, "rollout", "running"),
                                                         rolls, ARRAY_COUNT(rolls)),
        };
        zones_read(test, doc_child(group, "zones"), &groups[i].zones, &groups[i].zone_count);
        zones_read(test, doc_child(group, "volumes"), &groups[i].volumes, &groups[i].volume_count);
        alternatives_read(test, doc_child(group, "alternatives"), &groups[i]);
    }
    test->laws.world.groups = groups;
    test->laws.world.group_count = count;
}

static enum plan_row_state row_state_of(struct test_case *test, struct text word)
{
    static const char *const states[] = { "pending", "running", "stopping", "stopped", "ended" };

    return (enum plan_row_state)choice_of(test, word, states, ARRAY_COUNT(states));
}

static struct plan_record record_read(struct test_case *test, const struct doc *doc)
{
    static const char *const states[] = { "create", "active", "delete" };
    static const char *const faults[] = { "none", "wrong", "short", "passing", "gone" };
    static const char *const lookups[] = { "none", "running", "stopped", "gone", "ended" };
    struct plan_record record = {
        .token = word_of(doc, "t", ""),
        .id = word_of(doc, "id", ""),
        .generation = word_of(doc, "generation", "g1"),
        .state = (enum plan_record_state)choice_of(test, word_of(doc, "is", "active"), states,
                                                   ARRAY_COUNT(states)),
        .created_ms = time_of(test, doc, "created", 0),
        .active_ms = time_of(test, doc, "active", 0),
        .condemned_ms = time_of(test, doc, "condemned", 0),
        .is_answered = flag_of(doc, "answered", false),
        .is_foreign_life = flag_of(doc, "oldIncarnation", false),
        .is_protected = flag_of(doc, "protected", false),
        .absence = seen_read(test, doc_child(doc, "absent")),
        .is_believed = flag_of(doc, "believed", false),
        .lookup = (enum plan_lookup)choice_of(test, word_of(doc, "says", "none"), lookups,
                                              ARRAY_COUNT(lookups)),
        .looked_up = seen_read(test, doc_child(doc, "said")),
        .failing_since_ms = time_of(test, doc, "unhealthy", 0),
        .failed_since_ms = time_of(test, doc, "failed", 0),
        .source = (uint32_t)number_of(test, doc, "source", 0),
        .is_calling = flag_of(doc, "calling", false),
        .call_after_ms = time_of(test, doc, "callAfter", 0),
        .unreachable_since_ms = time_of(test, doc, "unreachable", 0),
        .rebooted_ms = time_of(test, doc, "rebooted", 0),
        .is_reboot_requested = flag_of(doc, "rebootRequested", false),
        .reboot_begun_ms = time_of(test, doc, "rebootBegun", 0),
        .is_boot_known = flag_of(doc, "bootKnown", false),
        .boot_same_ms = time_of(test, doc, "bootSame", 0),
        .is_reboot_answered = flag_of(doc, "rebootAnswered", false),
        .is_reboot_unsent = flag_of(doc, "rebootUnsent", false),
        .is_reboot_late = flag_of(doc, "rebootLate", false),
        .is_reboot_served = flag_of(doc, "rebootServed", false),
        .losses = (uint32_t)number_of(test, doc, "losses", 0),
        .labels = word_of(doc, "labels", ""),
        .zone = word_of(doc, "zone", ""),
        .fault = (enum plan_fault)choice_of(test, word_of(doc, "fault", "none"), faults,
                                            ARRAY_COUNT(faults)),
        .refusals = (uint32_t)number_of(test, doc, "refusals", 0),
        .doubt_ms = time_of(test, doc, "doubt", 0),
        .failures = (uint32_t)number_of(test, doc, "failures", 0),
        .is_retried = flag_of(doc, "retried", false),
        .is_in_rollout = flag_of(doc, "inRollout", false),
        .has_cause = flag_of(doc, "cause", false),
        .is_named = flag_of(doc, "named", false),
        .is_replace_requested = flag_of(doc, "replaceRequested", false),
        .is_unproven = flag_of(doc, "unproven", false),
        .is_evicted = flag_of(doc, "evictedBefore", false),
        .is_starting = flag_of(doc, "starting", false),
    };

    place_read(test, word_of(doc, "at", ""), &record.group, &record.slot);
    return record;
}

/* Reads the records. A record with `seen: running` also gets a row. */
static void records_read(struct test_case *test, const struct doc *records, const struct doc *rows)
{
    size_t record_count = doc_is_list(records) ? records->item_count : 0;
    size_t row_count = doc_is_list(rows) ? rows->item_count : 0;
    struct plan_record *out = arena_array(test->arena, struct plan_record, record_count);
    struct plan_row *seen = arena_array(test->arena, struct plan_row, record_count + row_count);
    size_t count = 0;

    for (size_t i = 0; i < record_count; i++) {
        const struct doc *state = doc_child(&records->items[i], "seen");

        out[i] = record_read(test, &records->items[i]);
        if (doc_is_scalar(state)) {
            seen[count++] = (struct plan_row){
                .id = out[i].id.length > 0 ? out[i].id : word_of(&records->items[i], "as", "i-new"),
                .token = out[i].token,
                .group = out[i].group,
                .slot = out[i].slot,
                .source = out[i].source,
                .state = row_state_of(test, state->text),
                .is_verified = true,
                .ended = word_of(&records->items[i], "ended", ""),
                .is_evicted = flag_of(&records->items[i], "evicted", false),
            };
        }
    }
    for (size_t i = 0; i < row_count; i++) {
        const struct doc *row = &rows->items[i];

        seen[count] = (struct plan_row){
            .id = word_of(row, "id", ""),
            .token = word_of(row, "t", ""),
            .source = (uint32_t)number_of(test, row, "source", 0),
            .state = row_state_of(test, word_of(row, "is", "running")),
            .is_verified = flag_of(row, "verified", true),
            .is_foreign_life = flag_of(row, "oldIncarnation", false),
            .is_unrecorded = flag_of(row, "unrecorded", false),
            .ended = word_of(row, "ended", ""),
        };
        place_read(test, word_of(row, "at", ""), &seen[count].group, &seen[count].slot);
        count++;
    }
    test->laws.world.records = out;
    test->laws.world.record_count = record_count;
    test->laws.world.rows = seen;
    test->laws.world.row_count = count;
}

static void quarantines_read(struct test_case *test, const struct doc *list)
{
    size_t count = doc_is_list(list) ? list->item_count : 0;
    struct plan_quarantine *out = arena_array(test->arena, struct plan_quarantine, count);

    for (size_t i = 0; i < count; i++) {
        out[i] = (struct plan_quarantine){
            .id = word_of(&list->items[i], "id", ""),
            .seen = seen_read(test, doc_child(&list->items[i], "seen")),
            .missed = seen_read(test, doc_child(&list->items[i], "missed")),
            .is_spared = flag_of(&list->items[i], "spared", false),
        };
    }
    test->laws.world.quarantines = out;
    test->laws.world.quarantine_count = count;
}

/* Reads a source that the case describes, unless the case has a list of sources. */
static void source_read(struct test_case *test, const struct doc *doc, const char *name,
                        struct plan_source *out)
{
    *out = (struct plan_source){
        .name = word_of(doc, "name", name),
        .problem = flag_of(doc, "listed", true) ? TEXT("") : TEXT("it does not answer"),
        .unreadable = word_of(doc, "unreadable", ""),
        .is_complete = flag_of(doc, "complete", true),
        .is_missing = flag_of(doc, "missing", false),
        .unpinned = word_of(doc, "unpinned", ""),
        .host = word_of(doc, "host", ""),
        .is_unreachable = doc_child(doc, "host") != NULL && !flag_of(doc, "listed", true),
        .unheard_since_ms = time_of(test, doc, "unheard", 0),
        .is_disposable = flag_of(doc, "disposable", true),
        .is_pool = flag_of(doc, "pool", false),
        .can_label = flag_of(doc, "canLabel", true),
        .can_reboot = flag_of(doc, "canReboot", true),
        .is_login = flag_of(doc, "login", true),
        .has_tokens = flag_of(doc, "tokens", true),
        .late_ms = time_of(test, doc, "late", 0),
        .lag_ms = time_of(test, doc, "lag", 0),
    };
}

static void sources_read(struct test_case *test, const struct doc *doc)
{
    const struct doc *list = doc_child(doc, "sources");
    size_t count = doc_is_list(list) ? list->item_count : 1;
    struct plan_source *sources = arena_array(test->arena, struct plan_source, count);

    for (size_t i = 0; i < count; i++) {
        source_read(test, doc_is_list(list) ? &list->items[i] : doc, "sim", &sources[i]);
    }
    test->laws.world.sources = sources;
    test->laws.world.source_count = count;
}

static void case_read(struct test_case *test)
{
    struct origin *origin = arena_one(test->arena, struct origin);
    const struct doc *lines;
    const struct doc *doc;
    struct yaml_docs docs;
    struct buf expected;
    struct err err;

    if (!file_read(test->arena, test->path, LIMIT_DOCUMENT_BYTES, &test->bytes, &err) ||
        !yaml_parse(test->arena, test->bytes, origin, &docs, &err) || docs.count != 1) {
        give_up(test, "the case cannot be read:", text_from(err.text));
    }
    doc = &docs.items[0];
    test->why = word_of(doc, "why", "");
    test->laws.limits = plan_limits_default();
    test->laws.world = (struct plan_world){
        .now_ms = time_of(test, doc, "now", 10000),
        .life_since_ms = time_of(test, doc, "incarnationSince", 0),
        .is_paused = flag_of(doc, "paused", false),
        .is_gone = flag_of(doc, "gone", false),
        .is_deleting = flag_of(doc, "deleting", false),
        .brake_approved = word_of(doc, "brakeApproved", ""),
        .is_restore_held = flag_of(doc, "restoreHeld", false),
        .is_return_approved = flag_of(doc, "returnApproved", false),
        .destroyed = (uint32_t)number_of(test, doc, "destroyed", 0),
        .contact_lost = (uint32_t)number_of(test, doc, "contactLost", 0),
        .contact_of = (uint32_t)number_of(test, doc, "contactOf", 0),
        .contact_since_ms = time_of(test, doc, "contactSince", 0),
        .cause_name = word_of(doc, "causeName", ""),
        .cause_fact = word_of(doc, "causeFact", ""),
        .is_cause_zone = flag_of(doc, "causeZone", true),
        .is_cause_held = flag_of(doc, "causeHeld", true),
        .is_cause_approved = flag_of(doc, "causeApproved", false),
    };
    sources_read(test, doc);
    groups_read(test, doc_child(doc, "groups"));
    records_read(test, doc_child(doc, "records"), doc_child(doc, "rows"));
    quarantines_read(test, doc_child(doc, "quarantines"));
    lines = doc_child(doc, "plan");
    buf_init(&expected, test->arena);
    for (size_t i = 0; doc_is_list(lines) && i < lines->item_count; i++) {
        buf_printf(&expected, "%.*s\n", TEXT_ARG(lines->items[i].text));
    }
    test->expected = buf_text(&expected);
}

/* ---- running ---- */

static void lines_show(const char *head, struct text lines)
{
    printf("# %s\n", head);
    while (lines.length > 0) {
        size_t end = text_find_byte(lines, '\n');

        printf("#   %.*s\n", (int)end, lines.data);
        lines = text_slice(lines, end + 1, lines.length);
    }
}

static bool case_run(struct test_case *test)
{
    struct text lines = laws_plan_lines(&test->laws, &test->laws.world);
    const char *broken;

    if (!text_is_equal(lines, test->expected)) {
        lines_show("expected", test->expected);
        lines_show("got", lines);
        return false;
    }
    broken = laws_broken(&test->laws);
    if (broken != NULL) {
        printf("# %s\n", broken);
        return false;
    }
    return true;
}

/* Rewrites the file: keeps everything up to the line `plan:`, and writes the new lines after it. */
static void case_bless(struct test_case *test)
{
    const char *start = strstr(test->bytes.data, "\nplan:");
    struct text head = start == NULL
                           ? test->bytes
                           : text_slice(test->bytes, 0, (size_t)(start - test->bytes.data) + 1);
    struct text lines = laws_plan_lines(&test->laws, &test->laws.world);
    FILE *file = fopen(test->path, "w");

    if (file == NULL) {
        give_up(test, "cannot be written", TEXT(""));
    }
    fprintf(file, "%.*splan:%s\n", TEXT_ARG(head), lines.length == 0 ? " []" : "");
    while (lines.length > 0) {
        size_t end = text_find_byte(lines, '\n');

        fprintf(file, "- '%.*s'\n", (int)end, lines.data);
        lines = text_slice(lines, end + 1, lines.length);
    }
    fclose(file);
}

/* Returns the name of a case: scale_in for tests/plan/scale_in.case. */
static struct text name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct text name = text_from(slash == NULL ? path : slash + 1);

    return text_slice(name, 0, text_find_byte(name, '.'));
}

/* Marks the rules that a case contains. */
static void rules_mark(const struct test_case *test, bool seen[static PLAN_RULE_COUNT])
{
    for (int i = 0; i < PLAN_RULE_COUNT; i++) {
        struct text word = arena_printf(test->arena, "[%s]", plan_rule_name((enum plan_rule)i));

        seen[i] |=
            memmem(test->expected.data, test->expected.length, word.data, word.length) != NULL;
    }
}

/* Checks that every rule is in a case, because otherwise its behaviour was never reviewed. */
static bool rules_check(const bool seen[static PLAN_RULE_COUNT])
{
    bool is_good = true;

    for (int i = 0; i < PLAN_RULE_COUNT; i++) {
        /* `ticket` is not a rule of the planner; src/members makes its holds
         * (engine/test_budget.c) */
        if (!seen[i] && i != PLAN_RULE_ticket) {
            printf("# no case for the rule %s\n", plan_rule_name((enum plan_rule)i));
            is_good = false;
        }
    }
    return is_good;
}

int main(int argc, char **argv)
{
    bool is_blessing = argc > 1 && strcmp(argv[1], "--bless") == 0;
    int first = is_blessing ? 2 : 1;
    int failed = 0;
    bool is_all = argc - first >= PLAN_RULE_COUNT;
    bool seen[PLAN_RULE_COUNT] = { 0 };

    printf("1..%d\n", argc - first + is_all);
    for (int i = first; i < argc; i++) {
        struct test_case test = { .arena = arena_new(LIMIT_WORK_ARENA_BYTES), .path = argv[i] };
        bool is_good = true;

        test.laws.arena = test.arena;
        case_read(&test);
        if (is_blessing) {
            case_bless(&test);
        } else {
            is_good = case_run(&test);
        }
        printf("%s %d - %.*s: %.*s\n", is_good ? "ok" : "not ok", i - first + 1,
               TEXT_ARG(name_of(argv[i])), TEXT_ARG(test.why));
        failed += !is_good;
        rules_mark(&test, seen);
        arena_free(test.arena);
    }
    if (is_all) {
        bool is_good = rules_check(seen);

        printf("%s %d - every_rule_has_a_case\n", is_good ? "ok" : "not ok", argc - first + 1);
        failed += !is_good;
    }
    return failed > 0;
}
