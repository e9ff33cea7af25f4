/* Golden cases of the controller's decision: plan_cases [--bless] FILE.case...
 *
 * A case is one YAML document: `why`, the world in few words, and `plan`, the lines that must come out. On
 * every case the laws are checked as well: the order of what is known does not matter, and every act and
 * every hold says its rule and its fact. --bless writes what comes out into the file. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/macros.h"
#include "codec/yaml.h"
#include "plan/compute.h"
#include "sys/file.h"

struct test_case {
    struct arena *arena;
    const char *path;
    struct text bytes;
    struct text why;
    struct plan_world world;
    struct plan_limits limits;
    struct text expected; /* the lines behind `plan:` */
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

/* Seconds in the file, milliseconds in the world. */
static uint64_t time_of(struct test_case *test, const struct doc *map, const char *key,
                        int64_t when_absent)
{
    return (uint64_t)number_of(test, map, key, when_absent) * 1000;
}

/* One of a few words; the index of the word. */
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

/* web/2 */
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

/* [count, first, last] */
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

static void groups_read(struct test_case *test, const struct doc *map)
{
    static const char *const picks[] = { "oldestConfig", "oldest", "newest", "failed" };
    size_t count = doc_is_map(map) ? map->entry_count : 0;
    struct plan_group *groups = arena_array(test->arena, struct plan_group, count);

    for (size_t i = 0; i < count; i++) {
        const struct doc *group = &map->entries[i].value;

        groups[i] = (struct plan_group){
            .path = map->entries[i].key,
            .size = (uint32_t)number_of(test, group, "size", 0),
            .first_slot = (uint64_t)number_of(test, group, "first", 0),
            .generation = word_of(group, "generation", "g1"),
            .heal = text_is(word_of(group, "heal", "replace"), "off") ? PLAN_HEAL_OFF
                                                                      : PLAN_HEAL_REPLACE,
            .pick = (enum plan_pick)choice_of(test, word_of(group, "pick", "oldestConfig"), picks,
                                              ARRAY_COUNT(picks)),
            .replace_after_ms = time_of(test, group, "replaceAfter", 300),
            .unhealthy_permille = (uint32_t)number_of(test, group, "maxUnhealthy", 34) * 10,
            .is_protected = flag_of(group, "protected", false),
            .is_paused = flag_of(group, "paused", false),
            .is_brake_open = flag_of(group, "brakeOpen", false),
        };
    }
    test->world.groups = groups;
    test->world.group_count = count;
}

static enum plan_row_state row_state_of(struct test_case *test, struct text word)
{
    static const char *const states[] = { "pending", "running", "stopping", "stopped" };

    return (enum plan_row_state)choice_of(test, word, states, ARRAY_COUNT(states));
}

static struct plan_record record_read(struct test_case *test, const struct doc *doc)
{
    static const char *const states[] = { "create", "active", "delete" };
    static const char *const witnesses[] = { "none", "running", "stopped", "gone" };
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
        .is_foreign_life = flag_of(doc, "oldLife", false),
        .is_protected = flag_of(doc, "protected", false),
        .absence = seen_read(test, doc_child(doc, "absent")),
        .witness = (enum plan_witness)choice_of(test, word_of(doc, "says", "none"), witnesses,
                                                ARRAY_COUNT(witnesses)),
        .witnessed = seen_read(test, doc_child(doc, "said")),
        .sick_since_ms = time_of(test, doc, "sick", 0),
    };

    place_read(test, word_of(doc, "at", ""), &record.group, &record.slot);
    return record;
}

/* A record that says `seen: running` has a row of its own. */
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
                .state = row_state_of(test, state->text),
                .is_verified = true,
            };
        }
    }
    for (size_t i = 0; i < row_count; i++) {
        const struct doc *row = &rows->items[i];

        seen[count] = (struct plan_row){
            .id = word_of(row, "id", ""),
            .token = word_of(row, "t", ""),
            .state = row_state_of(test, word_of(row, "is", "running")),
            .is_verified = flag_of(row, "verified", true),
            .is_foreign_life = flag_of(row, "oldLife", false),
        };
        place_read(test, word_of(row, "at", ""), &seen[count].group, &seen[count].slot);
        count++;
    }
    test->world.records = out;
    test->world.record_count = record_count;
    test->world.rows = seen;
    test->world.row_count = count;
}

static void quarantines_read(struct test_case *test, const struct doc *list)
{
    size_t count = doc_is_list(list) ? list->item_count : 0;
    struct plan_quarantine *out = arena_array(test->arena, struct plan_quarantine, count);

    for (size_t i = 0; i < count; i++) {
        out[i] = (struct plan_quarantine){
            .id = word_of(&list->items[i], "id", ""),
            .seen = seen_read(test, doc_child(&list->items[i], "seen")),
            .is_spared = flag_of(&list->items[i], "spared", false),
        };
    }
    test->world.quarantines = out;
    test->world.quarantine_count = count;
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
    test->limits = plan_limits_default();
    test->limits.lag_ms = time_of(test, doc, "lag", 0);
    test->world = (struct plan_world){
        .now_ms = time_of(test, doc, "now", 10000),
        .life_since_ms = time_of(test, doc, "lifeSince", 0),
        .is_paused = flag_of(doc, "paused", false),
        .is_listed = flag_of(doc, "listed", true),
        .is_complete = flag_of(doc, "complete", true),
        .is_brake_open = flag_of(doc, "brakeOpen", false),
        .destroyed = (uint32_t)number_of(test, doc, "destroyed", 0),
    };
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

/* ---- the plan as lines ---- */

static struct text plan_format(struct arena *arena, const struct plan_world *world,
                               const struct plan *plan)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < plan->action_count; i++) {
        const struct plan_action *action = &plan->actions[i];
        struct text who = action->record != PLAN_NONE ? world->records[action->record].token
                          : action->row != PLAN_NONE  ? world->rows[action->row].id
                                                      : TEXT("");

        buf_printf(&buf, "%s %.*s/%llu", plan_act_name(action->act), TEXT_ARG(action->group),
                   (unsigned long long)action->slot);
        if (who.length > 0) {
            buf_printf(&buf, " %.*s", TEXT_ARG(who));
        }
        buf_printf(&buf, " [%s] %.*s\n", plan_rule_name(action->rule), TEXT_ARG(action->fact));
    }
    for (size_t i = 0; i < plan->hold_count; i++) {
        const struct plan_hold *hold = &plan->holds[i];

        buf_printf(&buf, "hold %.*s [%s] %.*s",
                   TEXT_ARG(hold->group.length == 0 ? TEXT("*") : hold->group),
                   plan_rule_name(hold->rule), TEXT_ARG(hold->fact));
        if (hold->would_destroy > 0 || hold->would_create > 0) {
            buf_printf(&buf, "; would destroy %u, create %u", hold->would_destroy,
                       hold->would_create);
        }
        buf_add_string(&buf, "\n");
    }
    return buf_text(&buf);
}

static struct text plan_lines(struct test_case *test, const struct plan_world *world)
{
    struct plan plan;

    plan_compute(test->arena, world, &test->limits, &plan);
    return plan_format(test->arena, world, &plan);
}

/* ---- laws ---- */

/* The same items in reverse. */
static void *turned(struct arena *arena, const void *items, size_t count, size_t bytes)
{
    char *out = arena_alloc(arena, count * bytes);

    for (size_t i = 0; i < count; i++) {
        memcpy(out + i * bytes, (const char *)items + (count - 1 - i) * bytes, bytes);
    }
    return out;
}

static bool is_order_free(struct test_case *test, struct text lines)
{
    struct plan_world world = test->world;

    world.groups = turned(test->arena, world.groups, world.group_count, sizeof(*world.groups));
    world.records = turned(test->arena, world.records, world.record_count, sizeof(*world.records));
    world.rows = turned(test->arena, world.rows, world.row_count, sizeof(*world.rows));
    world.quarantines =
        turned(test->arena, world.quarantines, world.quarantine_count, sizeof(*world.quarantines));
    return text_is_equal(plan_lines(test, &world), lines);
}

static bool is_explained(struct test_case *test)
{
    struct plan plan;

    plan_compute(test->arena, &test->world, &test->limits, &plan);
    for (size_t i = 0; i < plan.action_count; i++) {
        if (plan.actions[i].fact.length == 0) {
            return false;
        }
    }
    for (size_t i = 0; i < plan.hold_count; i++) {
        if (plan.holds[i].fact.length == 0) {
            return false;
        }
    }
    return true;
}

static bool is_forgotten(const struct plan *plan, size_t record)
{
    for (size_t i = 0; i < plan->action_count; i++) {
        if (plan->actions[i].act == PLAN_ACT_FORGET && plan->actions[i].record == record) {
            return true;
        }
    }
    return false;
}

/* What may run after the calls of this plan have all succeeded, and all that is condemned still runs. */
static bool is_within_size(struct test_case *test)
{
    struct plan plan;

    plan_compute(test->arena, &test->world, &test->limits, &plan);
    for (size_t i = 0; i < test->world.group_count; i++) {
        const struct plan_group *group = &test->world.groups[i];
        size_t may_run = 0;
        size_t created = 0;

        for (size_t j = 0; j < test->world.record_count; j++) {
            const struct plan_record *record = &test->world.records[j];

            may_run += text_is_equal(record->group, group->path) &&
                       !(record->state == PLAN_RECORD_DELETE && record->is_answered) &&
                       !is_forgotten(&plan, j);
        }
        for (size_t j = 0; j < plan.action_count; j++) {
            bool is_here = text_is_equal(plan.actions[j].group, group->path);

            created += is_here && (plan.actions[j].act == PLAN_ACT_CREATE ||
                                   plan.actions[j].act == PLAN_ACT_ADOPT);
        }
        if (created > 0 && may_run + created > group->size) {
            return false;
        }
    }
    return true;
}

/* ---- settling: the plan is carried out, and looked at again, until nothing is left to do ---- */

enum { SETTLE_ROUNDS = 80, SETTLE_ROOM = 64, ROUND_MS = 61 * 1000, WINDOW_MS = 10 * 60 * 1000 };

/* A provider that tells the truth and does what it is told, at once. */
struct settling {
    struct arena *arena;
    struct plan_world world;
    struct plan_record records[SETTLE_ROOM];
    struct plan_row rows[SETTLE_ROOM];
    struct plan_quarantine quarantines[SETTLE_ROOM];
    uint64_t window_ms;
    unsigned made;
};

static struct plan_row *row_find(struct settling *settling, struct text token)
{
    for (size_t i = 0; i < settling->world.row_count; i++) {
        if (text_is_equal(settling->rows[i].token, token)) {
            return &settling->rows[i];
        }
    }
    return NULL;
}

static void row_end(struct settling *settling, struct plan_row *row)
{
    if (row != NULL) {
        *row = settling->rows[--settling->world.row_count];
    }
}

static void row_begin(struct settling *settling, const struct plan_record *record)
{
    settling->rows[settling->world.row_count++] = (struct plan_row){
        .id = arena_printf(settling->arena, "i-%u", ++settling->made),
        .token = record->token,
        .group = record->group,
        .slot = record->slot,
        .state = PLAN_ROW_RUNNING,
        .is_verified = true,
    };
}

static void seen_again(struct plan_seen *seen, uint64_t now)
{
    seen->first_ms = seen->count == 0 ? now : seen->first_ms;
    seen->last_ms = now;
    seen->count++;
}

static void witness(struct settling *settling, struct plan_record *record)
{
    const struct plan_row *row = row_find(settling, record->token);
    enum plan_witness said = row == NULL                      ? PLAN_WITNESS_GONE
                             : row->state == PLAN_ROW_RUNNING ? PLAN_WITNESS_RUNNING
                                                              : PLAN_WITNESS_STOPPED;

    if (said != record->witness) {
        record->witnessed = (struct plan_seen){ 0 };
    }
    record->witness = said;
    seen_again(&record->witnessed, settling->world.now_ms);
}

static void sighting_note(struct settling *settling, struct text id)
{
    size_t i = 0;

    while (i < settling->world.quarantine_count &&
           !text_is_equal(settling->quarantines[i].id, id)) {
        i++;
    }
    if (i == settling->world.quarantine_count) {
        settling->quarantines[settling->world.quarantine_count++] =
            (struct plan_quarantine){ .id = id };
    }
    seen_again(&settling->quarantines[i].seen, settling->world.now_ms);
}

static void record_begin(struct settling *settling, const struct plan_action *action,
                         const struct plan_row *row)
{
    struct plan_record *record = &settling->records[settling->world.record_count++];

    *record = (struct plan_record){
        .token =
            row != NULL ? row->token : arena_printf(settling->arena, "new-%u", ++settling->made),
        .id = row != NULL ? row->id : TEXT(""),
        .group = action->group,
        .slot = action->slot,
        .generation = TEXT("g1"),
        .state = row != NULL ? PLAN_RECORD_ACTIVE : PLAN_RECORD_CREATE,
        .created_ms = settling->world.now_ms,
        .active_ms = settling->world.now_ms,
    };
    if (row == NULL) {
        row_begin(settling, record);
        record->is_answered = true;
    }
}

/* `token` and `id` are those the action meant; indexes have moved since. */
static void action_carry_out(struct settling *settling, const struct plan_action *action,
                             struct text token, struct text id)
{
    struct plan_record *record = NULL;
    struct plan_row *row = NULL;

    for (size_t i = 0; token.length > 0 && i < settling->world.record_count; i++) {
        record = text_is_equal(settling->records[i].token, token) ? &settling->records[i] : record;
    }
    for (size_t i = 0; id.length > 0 && i < settling->world.row_count; i++) {
        row = text_is_equal(settling->rows[i].id, id) ? &settling->rows[i] : row;
    }
    switch (action->act) {
    case PLAN_ACT_NOTE:
        if (record != NULL) {
            seen_again(&record->absence, settling->world.now_ms);
        } else {
            sighting_note(settling, id);
        }
        break;
    case PLAN_ACT_SET_ID:
        record->id = row_find(settling, token)->id;
        break;
    case PLAN_ACT_ACTIVATE:
        record->state = PLAN_RECORD_ACTIVE;
        record->active_ms = settling->world.now_ms;
        break;
    case PLAN_ACT_FORGET:
        *record = settling->records[--settling->world.record_count];
        break;
    case PLAN_ACT_ADOPT:
    case PLAN_ACT_CREATE:
        record_begin(settling, action, row);
        break;
    case PLAN_ACT_CONFIRM:
        witness(settling, record);
        break;
    case PLAN_ACT_ASK:
        row_begin(settling, record);
        record->is_answered = true;
        break;
    case PLAN_ACT_DESTROY:
    case PLAN_ACT_TERMINATE:
        settling->world.destroyed +=
            action->rule == PLAN_RULE_sick || action->rule == PLAN_RULE_orphan;
        row_end(settling, record == NULL ? row : row_find(settling, record->token));
        if (record != NULL) {
            record->condemned_ms =
                record->state == PLAN_RECORD_DELETE ? record->condemned_ms : settling->world.now_ms;
            record->state = PLAN_RECORD_DELETE;
            record->is_answered = true;
        }
        break;
    }
}

static void settle_round(struct settling *settling, const struct plan *plan)
{
    struct text tokens[SETTLE_ROOM * 4];
    struct text ids[SETTLE_ROOM * 4];

    for (size_t i = 0; i < plan->action_count; i++) {
        const struct plan_action *action = &plan->actions[i];

        tokens[i] =
            action->record == PLAN_NONE ? TEXT("") : settling->records[action->record].token;
        ids[i] = action->row == PLAN_NONE ? TEXT("") : settling->rows[action->row].id;
    }
    for (size_t i = 0; i < plan->action_count; i++) {
        action_carry_out(settling, &plan->actions[i], tokens[i], ids[i]);
    }
    for (size_t i = 0; i < settling->world.row_count; i++) { /* what starts, has started */
        if (settling->rows[i].state == PLAN_ROW_PENDING) {
            settling->rows[i].state = PLAN_ROW_RUNNING;
        }
    }
    settling->world.now_ms += ROUND_MS;
    if (settling->world.now_ms - settling->window_ms >= WINDOW_MS) {
        settling->window_ms = settling->world.now_ms;
        settling->world.destroyed = 0;
    }
}

/* Every group is as large as it is wanted, and that many run. */
static bool is_as_wanted(const struct settling *settling)
{
    for (size_t i = 0; i < settling->world.group_count; i++) {
        size_t recorded = 0;

        for (size_t j = 0; j < settling->world.record_count; j++) {
            recorded += text_is_equal(settling->records[j].group, settling->world.groups[i].path);
        }
        if (recorded != settling->world.groups[i].size) {
            return false;
        }
    }
    return true;
}

/* Carrying plans out comes to an end, and unless something is held, healed is not wanted or watching is
 * all that may be done, to what is wanted. */
static bool is_settled(struct test_case *test)
{
    struct settling *settling = arena_one(test->arena, struct settling);
    const struct plan_world *world = &test->world;
    struct plan plan = { 0 };
    bool heals = true;

    if (!world->is_complete || world->is_paused) {
        return true;
    }
    settling->arena = test->arena;
    settling->world = *world;
    memcpy(settling->records, world->records, world->record_count * sizeof(*world->records));
    memcpy(settling->rows, world->rows, world->row_count * sizeof(*world->rows));
    memcpy(settling->quarantines, world->quarantines,
           world->quarantine_count * sizeof(*world->quarantines));
    settling->world.records = settling->records;
    settling->world.rows = settling->rows;
    settling->world.quarantines = settling->quarantines;
    settling->window_ms = world->now_ms;
    for (size_t i = 0; i < world->group_count; i++) {
        heals = heals && world->groups[i].heal == PLAN_HEAL_REPLACE;
    }
    for (int round = 0; round < SETTLE_ROUNDS; round++) {
        plan_compute(test->arena, &settling->world, &test->limits, &plan);
        settle_round(settling, &plan);
    }
    return plan.action_count == 0 && (plan.hold_count > 0 || !heals || is_as_wanted(settling));
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
    struct text lines = plan_lines(test, &test->world);

    if (!text_is_equal(lines, test->expected)) {
        lines_show("expected", test->expected);
        lines_show("got", lines);
        return false;
    }
    if (!is_order_free(test, lines)) {
        printf("# the order of what is known matters\n");
        return false;
    }
    if (!is_explained(test)) {
        printf("# something has no fact\n");
        return false;
    }
    if (!is_within_size(test)) {
        printf("# more may run than wanted\n");
        return false;
    }
    if (!is_settled(test)) {
        printf("# it does not settle\n");
        return false;
    }
    return true;
}

/* Everything up to the line `plan:`, and the new lines behind it. */
static void case_bless(struct test_case *test)
{
    const char *start = strstr(test->bytes.data, "\nplan:");
    struct text head = start == NULL
                           ? test->bytes
                           : text_slice(test->bytes, 0, (size_t)(start - test->bytes.data) + 1);
    struct text lines = plan_lines(test, &test->world);
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

/* tests/plan/scale_in.case -> scale_in */
static struct text name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct text name = text_from(slash == NULL ? path : slash + 1);

    return text_slice(name, 0, text_find_byte(name, '.'));
}

int main(int argc, char **argv)
{
    bool is_blessing = argc > 1 && strcmp(argv[1], "--bless") == 0;
    int first = is_blessing ? 2 : 1;
    int failed = 0;

    printf("1..%d\n", argc - first);
    for (int i = first; i < argc; i++) {
        struct test_case test = { .arena = arena_new(LIMIT_WORK_ARENA_BYTES), .path = argv[i] };
        bool is_good = true;

        case_read(&test);
        if (is_blessing) {
            case_bless(&test);
        } else {
            is_good = case_run(&test);
        }
        printf("%s %d - %.*s: %.*s\n", is_good ? "ok" : "not ok", i - first + 1,
               TEXT_ARG(name_of(argv[i])), TEXT_ARG(test.why));
        failed += !is_good;
        arena_free(test.arena);
    }
    return failed > 0;
}
