/* Decision tables: small random states of batches, members, rotations and rollouts that were drawn
 * once, and the decision for each.
 *
 * tables/NAME.table has one line for each state: the state, and after "->" the decision. Run the
 * program with REEVE_BLESS=1 to write the tables again, and review the difference before you commit
 * it. */

#include "unit.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "bootstrap/batches.h"
#include "bootstrap/rollout.h"
#include "bootstrap/bootstrap.h"

#include <stdio.h>
#include <stdlib.h>

enum { TABLE_BYTES = 1 << 20, MEMBERS_MAX = 6 };

/* ---- luck ---- */

static uint64_t luck_state;

static unsigned luck(unsigned below)
{
    luck_state = luck_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((luck_state >> 33) % below);
}

static bool luck_of(unsigned percent)
{
    return luck(100) < percent;
}

/* ---- tables ---- */

static void table_check(const char *name, struct text table)
{
    char path[600];
    char *expected = calloc(1, TABLE_BYTES);
    size_t line = 1;
    size_t begin = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s.table", TABLES, name);
    if (getenv("REEVE_BLESS") != NULL) {
        file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(table.data, 1, table.length, file), table.length);
        assert_int_equal(fclose(file), 0);
    }
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(expected, 1, TABLE_BYTES - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    for (size_t at = 0; at < table.length; at++) {
        if (table.data[at] != expected[at]) {
            fail_msg("%s.table:%zu (REEVE_BLESS=1 writes it anew)\n- %.*s\n+ %.*s", name, line,
                     (int)strcspn(expected + begin, "\n"), expected + begin,
                     (int)text_find_byte(text_slice(table, begin, SIZE_MAX), '\n'),
                     table.data + begin);
        }
        if (table.data[at] == '\n') {
            line++;
            begin = at + 1;
        }
    }
    assert_int_equal(expected[table.length], '\0');
    free(expected);
}

/* ---- batches ---- */

static void batches_line(struct buf *buf, bool is_rollout)
{
    static const char letters[] = ".....rdddfughs";
    static const char *const states[] = {
        "running", "resting", "paused", "stopping", "held", "over"
    };
    static const char *const cuts[] = { "none", "canary", "failed", "deadline", "cancelled" };
    char marks[MEMBERS_MAX + 1] = "";
    uint32_t ends[MEMBERS_MAX];
    bool is_out[MEMBERS_MAX];
    bool is_approved[MEMBERS_MAX];
    struct bootstrap_service service = { .is_out = is_out,
                                         .is_approved = is_approved,
                                         .out_others = luck_of(30) ? luck(3) : 0,
                                         .out_max = 1 + luck(3) };
    struct bootstrap_batches batches = { .marks = marks,
                                         .count = 1 + luck(MEMBERS_MAX),
                                         .ends = ends };
    struct bootstrap_batches_step step;
    size_t room;

    for (size_t i = 0; i < batches.count; i++) {
        marks[i] = letters[luck(sizeof(letters) - (is_rollout ? 1 : 2))];
        marks[i] = !is_rollout && marks[i] == 'h' ? 'd' : marks[i];
        is_out[i] = luck_of(20);
        is_approved[i] = luck_of(30);
        if (i + 1 == batches.count || luck_of(50)) {
            ends[batches.batch_count++] = (uint32_t)i + 1;
        }
    }
    batches.canaries = luck_of(50) ? luck((unsigned)batches.batch_count + 1) : 0;
    batches.max_fail = luck(3);
    batches.pause_ms = luck_of(40) ? 10 : 0;
    batches.bake_ms = luck_of(60) ? 20 : 0;
    batches.now_ms = 100;
    batches.rest_ms = luck_of(60) ? 75 + luck(30) : 0;
    batches.deadline_ms = luck_of(30) ? 90 + luck(40) : 0;
    batches.is_paused = luck_of(15);
    batches.is_cancelled = luck_of(10);
    batches.cut = luck_of(20) ? (enum bootstrap_cut)luck(BOOTSTRAP_CUT_COUNT) : BOOTSTRAP_CUT_NONE;
    batches.service = is_rollout ? &service : NULL;
    buf_printf(buf, "%s", marks);
    buf_add_string(buf, " ends");
    for (size_t i = 0; i < batches.batch_count; i++) {
        buf_printf(buf, " %u", ends[i]);
    }
    buf_printf(buf, " canaries %zu max %zu pause %llu bake %llu rest %llu deadline %llu%s%s cut %s",
               batches.canaries, batches.max_fail, (unsigned long long)batches.pause_ms,
               (unsigned long long)batches.bake_ms, (unsigned long long)batches.rest_ms,
               (unsigned long long)batches.deadline_ms, batches.is_paused ? " paused" : "",
               batches.is_cancelled ? " cancelled" : "", cuts[batches.cut]);
    if (is_rollout) {
        buf_printf(buf, " others %zu of %zu out ", service.out_others, service.out_max);
        for (size_t i = 0; i < batches.count; i++) {
            buf_add_string(buf, is_out[i] ? "x" : "-");
        }
        buf_add_string(buf, " approved ");
        for (size_t i = 0; i < batches.count; i++) {
            buf_add_string(buf, is_approved[i] ? "x" : "-");
        }
    }
    bootstrap_batches_decide(&batches, &step);
    buf_printf(buf, " -> %s %zu..%zu room %zu batch %zu cut %s rest %llu until %llu begins ",
               states[step.state], step.first, step.end, step.room, step.batch, cuts[step.cut],
               (unsigned long long)step.rest_ms, (unsigned long long)step.until_ms);
    room = step.room;
    for (size_t i = 0; i < batches.count; i++) {
        buf_add_string(buf, bootstrap_batches_begins(&batches, &step, i, &room) ? "x" : "-");
    }
    buf_add_string(buf, "\n");
}

static void test_batches(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct buf buf;

    (void)state;
    luck_state = 1;
    buf_init(&buf, arena);
    for (int i = 0; i < 500; i++) {
        batches_line(&buf, false);
    }
    table_check("batches", buf_text(&buf));
}

static void test_rollouts_in_place(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct buf buf;

    (void)state;
    luck_state = 2;
    buf_init(&buf, arena);
    for (int i = 0; i < 800; i++) {
        batches_line(&buf, true);
    }
    table_check("rollouts", buf_text(&buf));
}

/* ---- members ---- */

static struct text digest(unsigned percent, const char *other)
{
    return luck_of(percent) ? TEXT("x") : luck_of(70) ? text_from(other) : TEXT("");
}

static void member_draw(struct arena *arena, struct bootstrap_member *out, size_t i,
                        bool is_mostly_done)
{
    static const enum bootstrap_phase doings[] = { BOOTSTRAP_IDLE,      BOOTSTRAP_IDLE,
                                                   BOOTSTRAP_UNDER_WAY, BOOTSTRAP_AT_KEYS,
                                                   BOOTSTRAP_AT_FACTS,  BOOTSTRAP_AT_FACTS,
                                                   BOOTSTRAP_IN_STAGES };

    *out = (struct bootstrap_member){
        .name = arena_printf(arena, "n%zu", i),
        .is_made = luck_of(90),
        .is_there = luck_of(is_mostly_done ? 95 : 80),
        .is_going = luck_of(is_mostly_done ? 5 : 15),
        .is_unreachable = luck_of(15),
        .is_paused = luck_of(15),
        .has_keys = luck_of(is_mostly_done ? 95 : 70),
        .has_facts = luck_of(is_mostly_done ? 95 : 70),
        .is_stuck = luck_of(15),
        .is_slot_needed = luck_of(10),
        .chain = luck_of(70) ? TEXT("c") : TEXT(""),
        .chain_done = luck_of(50) ? TEXT("c") : TEXT(""),
        .trust = digest(70, "y"),
        .trust_given = digest(70, "y"),
        .facts_given = digest(60, "y"),
        .again_ms = luck_of(20) ? 90 + luck(30) : 0,
        .phase = doings[luck(ARRAY_COUNT(doings))],
    };
    out->is_reported =
        (out->phase == BOOTSTRAP_AT_FACTS || out->phase == BOOTSTRAP_IN_STAGES) && luck_of(20);
}

static void members_print(struct buf *buf, const struct bootstrap_world *world)
{
    static const char *const doings[] = { "idle", "way", "keys", "facts", "stages" };

    for (size_t i = 0; i < world->count; i++) {
        const struct bootstrap_member *one = &world->members[i];

        buf_printf(buf, "%s%s%s%s%s%s%s%s%s%s%s%s c%.*s/%.*s t%.*s/%.*s f%.*s a%llu; ",
                   doings[one->phase], one->is_made ? " made" : "", one->is_there ? " there" : "",
                   one->is_going ? " going" : "", one->is_unreachable ? " far" : "",
                   one->is_paused ? " paused" : "", one->has_keys ? " K" : "",
                   one->has_facts ? " F" : "", one->is_stuck ? " stuck" : "",
                   one->is_slot_needed ? " slot" : "", one->is_reported ? " beside" : "", "",
                   TEXT_ARG(one->chain), TEXT_ARG(one->chain_done), TEXT_ARG(one->trust),
                   TEXT_ARG(one->trust_given), TEXT_ARG(one->facts_given),
                   (unsigned long long)one->again_ms);
    }
}

static void world_draw(struct arena *arena, struct bootstrap_world *out)
{
    struct bootstrap_member *members = arena_array(arena, struct bootstrap_member, MEMBERS_MAX);
    bool is_mostly_done = luck_of(60);

    *out = (struct bootstrap_world){
        .now_ms = 100,
        .members = members,
        .count = 1 + luck(4),
        .facts = TEXT("x"),
        .facts_changed_ms = 85 + luck(15),
        .is_classic = luck_of(30),
        .is_best_effort = luck_of(25),
    };
    for (size_t i = 0; i < out->count; i++) {
        member_draw(arena, &members[i], i, is_mostly_done);
    }
}

static void steps_print(struct arena *arena, struct buf *buf, const struct bootstrap_world *world,
                        const struct bootstrap_steps *steps)
{
    static const char *const whats[] = { "begin", "tell", "trust", "distribute", "cancel" };

    buf_add_string(buf, "->");
    for (size_t i = 0; i < steps->count; i++) {
        buf_printf(buf, " %s %zu/%u", whats[steps->steps[i].what], steps->steps[i].member,
                   steps->steps[i].with);
    }
    buf_printf(buf, "; keys %.*s; facts %.*s; next %llu%s\n",
               TEXT_ARG(bootstrap_wait_words(arena, world, steps->keys_wait, steps->keys_for, 0)),
               TEXT_ARG(bootstrap_wait_words(arena, world, steps->facts_wait, steps->facts_for,
                                             steps->facts_others)),
               (unsigned long long)steps->next_ms, steps->is_at_rest ? " rests" : "");
}

static void test_members(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct buf buf;

    (void)state;
    luck_state = 3;
    buf_init(&buf, arena);
    for (int i = 0; i < 800; i++) {
        struct bootstrap_limits limits = { .runs = 1 + luck(4), .rest_ms = 10 };
        struct bootstrap_world world;
        struct bootstrap_steps steps;

        world_draw(arena, &world);
        bootstrap_decide(arena, &world, &limits, &steps);
        buf_printf(&buf, "runs %zu changed %llu%s%s: ", limits.runs,
                   (unsigned long long)world.facts_changed_ms, world.is_classic ? " classic" : "",
                   world.is_best_effort ? " effort" : "");
        members_print(&buf, &world);
        steps_print(arena, &buf, &world, &steps);
    }
    table_check("members", buf_text(&buf));
}

/* ---- rotations ---- */

static void test_rotations(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    static const uint64_t ages_ms[] = {
        0, 1, 359999, 360000, 360001, 86399999, 86400000, 86400001,
    };
    static const char *const phases[] = { "steady", "made", "trusted", "signs" };
    struct buf buf;

    (void)state;
    luck_state = 4;
    buf_init(&buf, arena);
    for (int i = 0; i < 200; i++) {
        struct bootstrap_rotation rotation = { .phase = (enum rotation_phase)luck(4),
                                               .is_requested = luck_of(50),
                                               .age_ms = ages_ms[luck(ARRAY_COUNT(ages_ms))] };
        struct bootstrap_world world;
        struct bootstrap_turn turn;

        world_draw(arena, &world);
        for (size_t j = 0; j < world.count && luck_of(60);
             j++) { /* most members have everything they need */
            struct bootstrap_member *one = (struct bootstrap_member *)(uintptr_t)&world.members[j];

            one->has_keys = true;
            one->trust = one->trust_given = TEXT("x");
        }
        bootstrap_rotate(&world, &rotation, &turn);
        buf_printf(&buf, "%s%s age %llu: ", phases[rotation.phase],
                   rotation.is_requested ? " requested" : "", (unsigned long long)rotation.age_ms);
        members_print(&buf, &world);
        buf_printf(&buf, "->%s waiting %zu first %zu in %llu\n", turn.is_due ? " due" : "",
                   turn.waiting, turn.first, (unsigned long long)turn.in_ms);
    }
    table_check("rotations", buf_text(&buf));
}

/* ---- arranging ---- */

static void test_batches_of_a_rollout(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct buf buf;

    (void)state;
    luck_state = 5;
    buf_init(&buf, arena);
    for (int i = 0; i < 150; i++) {
        struct bootstrap_rollout_member members[MEMBERS_MAX];
        struct bootstrap_rollout_policy policy = { .canary = luck(4), .batch = luck(4) };
        struct bootstrap_rollout_batches out;
        size_t count = 1 + luck(MEMBERS_MAX);

        buf_printf(&buf, "canary %zu batch %zu:", (size_t)policy.canary, (size_t)policy.batch);
        for (size_t j = 0; j < count; j++) {
            members[j] = (struct bootstrap_rollout_member){ luck(8), luck_of(25) };
            buf_printf(&buf, " %llu%s", (unsigned long long)members[j].slot,
                       members[j].is_out ? "x" : "");
        }
        bootstrap_rollout_arrange(arena, members, count, &policy, &out);
        buf_add_string(&buf, " ->");
        for (size_t j = 0; j < count; j++) {
            buf_printf(&buf, " %zu", out.order[j]);
        }
        buf_add_string(&buf, " ends");
        for (size_t j = 0; j < out.batch_count; j++) {
            buf_printf(&buf, " %u", out.ends[j]);
        }
        buf_printf(&buf, " canaries %zu\n", (size_t)out.canaries);
    }
    table_check("arranged", buf_text(&buf));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_rollouts_in_place),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_batches_of_a_rollout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
