#include "unit.h"

#include "bootstrap/batches.h"

#include <stdio.h>
#include <string.h>

/* Which machines start next: fixed cases, and random sequences of machines that must come to an
 * end. */

enum { MOST = 24, ROWS = 4000 };

static const uint32_t threes[] = { 3, 6, 8 };

static struct bootstrap_batches of(const char *marks)
{
    return (struct bootstrap_batches){
        .marks = marks, .count = strlen(marks), .ends = threes, .batch_count = 3, .now_ms = 1000
    };
}

static struct bootstrap_batches_step decide(struct bootstrap_batches batches)
{
    struct bootstrap_batches_step step;

    bootstrap_batches_decide(&batches, &step);
    return step;
}

static void the_first_batch_begins_at_once(void **state)
{
    struct bootstrap_batches_step step = decide(of("........"));

    (void)state;
    assert_int_equal(step.first, 0);
    assert_int_equal(step.end, 3);
    assert_int_equal(step.state, BOOTSTRAP_BATCHES_RUNNING);
}

static void a_batch_waits_for_all_of_the_one_before(void **state)
{
    (void)state;
    assert_int_equal(decide(of("dfr.....")).end, 0);
    assert_int_equal(decide(of("dfd.....")).first, 3);
    assert_int_equal(decide(of("dud.....")).end, 6);
    assert_int_equal(decide(of("ggg.....")).end, 6); /* no machine of the first batch is left */
    assert_int_equal(decide(of("dddg.g..")).first, 3);
    assert_int_equal(decide(of("dddddddd")).state, BOOTSTRAP_BATCHES_OVER);
    assert_int_equal(decide(of("ddddddrd")).state, BOOTSTRAP_BATCHES_RUNNING);
}

static void a_canary_that_fails_ends_it(void **state)
{
    struct bootstrap_batches batches = of("dfr.....");
    struct bootstrap_batches_step step;

    (void)state;
    batches.canaries = 1;
    step = decide(batches);
    assert_int_equal(step.cut, BOOTSTRAP_CUT_CANARY);
    assert_int_equal(step.state, BOOTSTRAP_BATCHES_STOPPING); /* the third machine runs */
    batches.marks = "dfd.....";
    assert_int_equal(decide(batches).state, BOOTSTRAP_BATCHES_OVER);
    batches.marks = "dgd.....";
    /* a removed machine does not count */
    assert_int_equal(decide(batches).cut, BOOTSTRAP_CUT_NONE);
    batches.marks = "dddfff..";
    assert_int_equal(decide(batches).cut, BOOTSTRAP_CUT_NONE);
}

static void so_many_failures_end_it(void **state)
{
    struct bootstrap_batches batches = of("dfd.....");

    (void)state;
    batches.max_fail = 2;
    assert_int_equal(decide(batches).cut, BOOTSTRAP_CUT_NONE);
    batches.marks = "dfdru...";
    assert_int_equal(decide(batches).cut, BOOTSTRAP_CUT_FAILED);
    batches.marks = "dfddddfd"; /* all machines have started, so nothing is cut */
    assert_int_equal(decide(batches).cut, BOOTSTRAP_CUT_NONE);
    assert_int_equal(decide(batches).state, BOOTSTRAP_BATCHES_OVER);
}

static void it_rests_between_batches(void **state)
{
    struct bootstrap_batches batches = of("ddd.....");
    struct bootstrap_batches_step step;

    (void)state;
    batches.pause_ms = 500;
    step = decide(batches);
    assert_int_equal(step.state, BOOTSTRAP_BATCHES_RESTING);
    assert_int_equal(step.rest_ms, 1000); /* the start of this pause must be stored */
    assert_int_equal(step.until_ms, 1500);
    batches.rest_ms = 600;
    assert_int_equal(decide(batches).until_ms, 1100);
    batches.now_ms = 1100;
    step = decide(batches);
    assert_int_equal(step.first, 3);
    assert_int_equal(step.rest_ms, 0); /* the next pause is a new one */
    batches.rest_ms = 9000;            /* the clock is behind the clock that stored the time */
    assert_int_equal(decide(batches).until_ms, 1600);
}

static void canaries_bake(void **state)
{
    struct bootstrap_batches batches = of("ddd.....");

    (void)state;
    batches.canaries = 1;
    batches.bake_ms = 5000;
    batches.pause_ms = 10;
    assert_int_equal(decide(batches).until_ms, 6000);
    batches.marks = "dddddd..";
    assert_int_equal(decide(batches).until_ms, 1010);
    batches.canaries = 2; /* canaries of two zones: the bake time starts after the last canary */
    assert_int_equal(decide(batches).until_ms, 6000);
}

static void a_pause_begins_nothing(void **state)
{
    struct bootstrap_batches batches = of("ddr.....");

    (void)state;
    batches.is_paused = true;
    assert_int_equal(decide(batches).state, BOOTSTRAP_BATCHES_PAUSED);
    batches.marks = "ddd.....";
    assert_int_equal(decide(batches).end, 0);
    batches.pause_ms = 100;
    assert_int_equal(decide(batches).state, BOOTSTRAP_BATCHES_PAUSED);
    batches.marks = "dddddddd";
    assert_int_equal(decide(batches).state, BOOTSTRAP_BATCHES_OVER);
}

static void it_is_cancelled_and_late(void **state)
{
    struct bootstrap_batches batches = of("ddr.....");

    (void)state;
    batches.deadline_ms = 1001;
    assert_int_equal(decide(batches).until_ms, 1001);
    batches.deadline_ms = 1000;
    assert_int_equal(decide(batches).cut, BOOTSTRAP_CUT_DEADLINE);
    batches.is_cancelled = true;
    assert_int_equal(decide(batches).cut, BOOTSTRAP_CUT_CANCELLED);
    batches.cut = BOOTSTRAP_CUT_DEADLINE; /* the decision remains, even when no machine waits */
    batches.marks = "ddrsssss";
    assert_int_equal(decide(batches).cut, BOOTSTRAP_CUT_DEADLINE);
    assert_int_equal(decide(batches).state, BOOTSTRAP_BATCHES_STOPPING);
    batches.marks = "dddsssss";
    assert_int_equal(decide(batches).state, BOOTSTRAP_BATCHES_OVER);
    assert_int_equal(decide(batches).batch, 0); /* the other machines never started */
}

/* ---- rows with all kinds of luck ---- */

static uint64_t luck;

static unsigned draw(unsigned below)
{
    luck = luck * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(luck >> 33) % below;
}

struct row {
    char marks[MOST + 1];
    uint32_t ends[MOST];
    unsigned begun[MOST]; /* how often each machine was started */
    struct bootstrap_batches batches;
};

static void row_make(struct row *row)
{
    size_t count = 1 + draw(MOST);
    size_t batch_count = 0;

    memset(row, 0, sizeof(*row));
    memset(row->marks, BOOTSTRAP_MARK_WAITING, count);
    for (size_t end = 0; end < count;) {
        end += 1 + draw(5);
        end = end > count ? count : end;
        row->ends[batch_count++] = (uint32_t)end;
    }
    row->batches = (struct bootstrap_batches){ .marks = row->marks,
                                               .count = count,
                                               .ends = row->ends,
                                               .batch_count = batch_count,
                                               .canaries = draw(2) == 0 ? 0 : 1,
                                               .max_fail = draw(4),
                                               .pause_ms = draw(3) * 100,
                                               .bake_ms = draw(3) * 100,
                                               .deadline_ms = draw(8) == 0 ? 1 + draw(2000) : 0,
                                               .now_ms = 1 };
}

/* Returns the number of machines that run in other batches than this one. */
static size_t running_elsewhere(const struct row *row, size_t first, size_t end)
{
    size_t running = 0;

    for (size_t i = 0; i < row->batches.count; i++) {
        running += (i < first || i >= end) && row->marks[i] == BOOTSTRAP_MARK_BEGUN;
    }
    return running;
}

static void step_take(struct row *row, const struct bootstrap_batches_step *step)
{
    assert_true(step->end == 0 || running_elsewhere(row, step->first, step->end) == 0);
    assert_true(step->end == 0 || step->cut == BOOTSTRAP_CUT_NONE);
    for (size_t i = step->first; i < step->end; i++) {
        if (row->marks[i] == BOOTSTRAP_MARK_WAITING) {
            row->marks[i] = BOOTSTRAP_MARK_BEGUN;
            row->begun[i]++;
        }
    }
    for (size_t i = 0; step->cut != BOOTSTRAP_CUT_NONE && i < row->batches.count; i++) {
        row->marks[i] =
            row->marks[i] == BOOTSTRAP_MARK_WAITING ? BOOTSTRAP_MARK_SKIPPED : row->marks[i];
    }
    row->batches.cut = step->cut;
    row->batches.rest_ms = step->rest_ms;
}

static void luck_take(struct row *row)
{
    static const char ends[] = { BOOTSTRAP_MARK_DONE,   BOOTSTRAP_MARK_DONE, BOOTSTRAP_MARK_DONE,
                                 BOOTSTRAP_MARK_FAILED, BOOTSTRAP_MARK_LOST, BOOTSTRAP_MARK_GONE };

    for (size_t i = 0; i < row->batches.count; i++) {
        if (row->marks[i] == BOOTSTRAP_MARK_BEGUN && draw(3) == 0) {
            row->marks[i] = ends[draw(sizeof(ends))];
        } else if (row->marks[i] == BOOTSTRAP_MARK_WAITING && draw(200) == 0) {
            row->marks[i] = BOOTSTRAP_MARK_GONE;
        }
    }
    row->batches.now_ms += draw(60);
    row->batches.is_paused = draw(10) == 0;
    row->batches.is_cancelled = row->batches.is_cancelled || draw(300) == 0;
}

/* No machine is started twice or forgotten, two batches never run at the same time, and every
 * sequence ends. */
static void rows_come_to_their_end(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= ROWS; seed++) {
        struct bootstrap_batches_step step = { .state = BOOTSTRAP_BATCHES_RUNNING };
        struct row row;

        luck = seed;
        row_make(&row);
        for (unsigned turn = 0; turn < 5000 && step.state != BOOTSTRAP_BATCHES_OVER; turn++) {
            luck_take(&row);
            step = decide(row.batches);
            step_take(&row, &step);
        }
        assert_int_equal(step.state, BOOTSTRAP_BATCHES_OVER);
        for (size_t i = 0; i < row.batches.count; i++) {
            char mark = row.marks[i];

            assert_true(row.begun[i] <= 1);
            assert_true(mark != BOOTSTRAP_MARK_WAITING && mark != BOOTSTRAP_MARK_BEGUN);
            assert_true(mark != BOOTSTRAP_MARK_SKIPPED || step.cut != BOOTSTRAP_CUT_NONE);
        }
    }
}

/* ---- rollouts in place ---- */

static const uint32_t canary_then_threes[] = { 1, 4, 7, 8 };

struct slots {
    struct bootstrap_batches batches;
    struct bootstrap_service service;
    bool is_out[MOST];
    bool is_approved[MOST];
};

/* Makes a rollout from markers. 'o' in `out` means that the member is out of service for another
 * reason. */
static struct slots *slots_of(const char *marks, const char *out, size_t out_max)
{
    static struct slots slots;

    slots = (struct slots){ .batches = of(marks) };
    for (size_t i = 0; i < strlen(marks); i++) {
        slots.is_out[i] = out[i] == 'o';
    }
    slots.service = (struct bootstrap_service){ .is_out = slots.is_out,
                                                .is_approved = slots.is_approved,
                                                .out_max = out_max };
    slots.batches.ends = canary_then_threes;
    slots.batches.batch_count = 4;
    slots.batches.canaries = 1;
    slots.batches.max_fail = 2;
    slots.batches.service = &slots.service;
    return &slots;
}

/* Returns the markers after the step. */
static const char *after(const struct slots *slots)
{
    static char marks[MOST + 1];
    struct bootstrap_batches_step step = decide(slots->batches);
    size_t room = step.room;

    snprintf(marks, sizeof(marks), "%s", slots->batches.marks);
    for (size_t i = 0; i < slots->batches.count; i++) {
        if (bootstrap_batches_begins(&slots->batches, &step, i, &room)) {
            marks[i] = BOOTSTRAP_MARK_BEGUN;
        }
    }
    return marks;
}

static void ready_members_start_while_enough_serve(void **state)
{
    struct slots *slots;

    (void)state;
    assert_string_equal(after(slots_of("........", "--------", 1)), "r.......");
    assert_string_equal(after(slots_of("r.......", "--------", 1)), "r.......");
    assert_string_equal(after(slots_of("d.......", "--------", 1)), "dr......");
    assert_string_equal(after(slots_of("dr......", "--------", 1)), "dr......");
    assert_string_equal(after(slots_of("dd......", "--------", 1)), "ddr.....");
    assert_string_equal(after(slots_of("d.......", "--------", 2)), "drr.....");
    assert_string_equal(after(slots_of("d.......", "--------", 9)), "drrr....");
    assert_string_equal(after(slots_of("ddr.....", "--------", 9)),
                        "ddrr...."); /* the next batch does not start */
    slots = slots_of("d.......", "--------", 2);
    slots->service.out_others = 1; /* a member that is not in the rollout is out of service */
    assert_string_equal(after(slots), "dr......");
    slots->service.out_others = 2;
    assert_string_equal(after(slots), "d.......");
    assert_int_equal(decide(slots->batches).state, BOOTSTRAP_BATCHES_RUNNING);
}

static void members_out_of_service_may_always_start(void **state)
{
    (void)state;
    assert_string_equal(after(slots_of("d.......", "-o------", 1)), "dr......");
    assert_string_equal(after(slots_of("d.......", "-oo-----", 1)), "drr.....");
    /* a member of a later batch that went out of service lets no ready member start; it is started
     * itself */
    assert_string_equal(after(slots_of("d.......", "------o-", 1)), "d.....r.");
    /* but not before the canary is complete */
    assert_string_equal(after(slots_of("........", "------o-", 1)), "........");
}

/* The canary's machine was removed before it started: the next machine becomes the canary. */
static void a_canary_that_went_has_a_stand_in(void **state)
{
    struct slots *slots = slots_of("g.......", "--------", 3);

    (void)state;
    slots->batches.bake_ms = 5000;
    assert_string_equal(after(slots), "gr......");
    slots->batches.marks = "gr......";
    assert_string_equal(after(slots), "gr......");
    slots->batches.marks = "gh......";
    assert_string_equal(after(slots), "gh......");
    slots->batches.marks = "gd......";
    assert_int_equal(decide(slots->batches).state, BOOTSTRAP_BATCHES_RESTING);
    assert_int_equal(decide(slots->batches).until_ms, 6000);
    assert_string_equal(after(slots), "gd......");
    slots->batches.rest_ms = 1000;
    slots->batches.now_ms = 6000;
    assert_string_equal(after(slots), "gdrr....");
    slots->batches.marks = "gdrr....";
    assert_string_equal(after(slots), "gdrr....");
    slots->batches.marks = "gddd....";
    assert_string_equal(after(slots), "gdddrrr.");
    slots->batches.marks = "gf......";
    assert_int_equal(decide(slots->batches).cut, BOOTSTRAP_CUT_CANARY);
    slots->is_approved[1] = true;
    assert_int_equal(decide(slots->batches).cut, BOOTSTRAP_CUT_NONE);
    slots->batches.marks = "gg......"; /* this machine was removed too */
    slots->is_approved[1] = false;
    assert_string_equal(after(slots), "ggr.....");
    slots->batches.canaries = 0;
    assert_string_equal(after(slots), "ggrr....");
}

static void a_failed_canary_holds_the_rollout(void **state)
{
    struct slots *slots = slots_of("f.......", "o-------", 1);

    (void)state;
    assert_int_equal(decide(slots->batches).state, BOOTSTRAP_BATCHES_HELD);
    assert_int_equal(decide(slots->batches).cut, BOOTSTRAP_CUT_CANARY);
    slots->batches.cut =
        BOOTSTRAP_CUT_CANARY; /* it stays so, also where the member was mended since */
    slots->batches.marks = "d.......";
    assert_int_equal(decide(slots->batches).state, BOOTSTRAP_BATCHES_HELD);
    slots->batches.marks = "dddddddd"; /* until no machine of the rollout is left */
    assert_int_equal(decide(slots->batches).state, BOOTSTRAP_BATCHES_OVER);
}

static void so_many_failures_hold_the_rollout(void **state)
{
    struct slots *slots = slots_of("ddf.....", "--o-----", 2);

    (void)state;
    assert_string_equal(after(slots), "ddfr....");
    slots->batches.marks = "ddff....";
    assert_int_equal(decide(slots->batches).cut, BOOTSTRAP_CUT_FAILED);
    slots->batches.marks = "ddfr....";
    slots->batches.max_fail = 1;
    /* one machine still runs */
    assert_int_equal(decide(slots->batches).state, BOOTSTRAP_BATCHES_STOPPING);
    slots =
        /* the last machine failed, so an operator must decide */
        slots_of("ddfddddd", "--o-----", 2);
    assert_int_equal(decide(slots->batches).state, BOOTSTRAP_BATCHES_HELD);
}

static void a_promoted_rollout_goes_past_failures(void **state)
{
    struct slots *slots = slots_of("f.......", "o-------", 1);

    (void)state;
    slots->is_approved[0] = true;
    assert_string_equal(after(slots), "fr......");
    slots->batches.marks = "fddd....";
    assert_int_equal(decide(slots->batches).cut, BOOTSTRAP_CUT_NONE);
    assert_string_equal(after(slots), "fdddr...");
}

/* An approval covers the failures at its time. A further failure stops the rollout again, and takes
 * the room of a ready member. */
static void a_failure_after_a_promotion_stops_it_again(void **state)
{
    struct slots *slots = slots_of("ff......", "oo------", 1);

    (void)state;
    slots->is_approved[0] = true;
    slots->batches.max_fail = 1;
    assert_int_equal(decide(slots->batches).cut, BOOTSTRAP_CUT_FAILED);
    assert_int_equal(decide(slots->batches).state, BOOTSTRAP_BATCHES_HELD);
    slots->batches.max_fail = 0;
    /* no further member may be out of service */
    assert_int_equal(decide(slots->batches).cut, BOOTSTRAP_CUT_FAILED);
    slots->is_approved[1] = true;
    assert_int_equal(decide(slots->batches).cut, BOOTSTRAP_CUT_NONE);
    assert_string_equal(after(slots), "ffr.....");
    slots->is_approved[1] = false;
    slots->service.out_max = 2;
    assert_string_equal(after(slots), "ffr.....");
}

/* The approval is for machines: the approval of a removed machine does not apply to another
 * machine. */
static void an_approved_failure_that_has_gone_approves_no_other(void **state)
{
    struct slots *slots = slots_of("fgdf....", "o--o----", 1);

    (void)state;
    slots->is_approved[0] = true;
    slots->is_approved[1] = true;
    slots->batches.max_fail = 0;
    assert_int_equal(decide(slots->batches).cut, BOOTSTRAP_CUT_FAILED);
    assert_string_equal(after(slots), "fgdf....");
}

static void an_unhealthy_member_keeps_the_rest_waiting(void **state)
{
    struct slots *slots = slots_of("h.......", "o-------", 3);

    (void)state;
    slots->batches.bake_ms = 5000;
    assert_string_equal(after(slots), "h.......");
    /* the bake time starts when the canary is healthy */
    assert_int_equal(decide(slots->batches).rest_ms, 0);
    slots->batches.marks = "d.......";
    assert_int_equal(decide(slots->batches).until_ms, 6000);
    assert_int_equal(decide(slots_of("dddddddh", "-------o", 3)->batches).state,
                     BOOTSTRAP_BATCHES_RUNNING);
}

/* With random events: the number of members out of service stays within the limit, the canary runs
 * alone until it is complete, and every rollout ends or is held. */
static void rollouts_of_all_kinds_keep_the_bounds(void **state)
{
    uint64_t draw = 11;

    (void)state;
    for (int row = 0; row < ROWS; row++) {
        char marks[] = "........";
        char out[] = "--------";
        size_t out_max = 1 + (size_t)row % 3;

        for (int turn = 0; turn < 200; turn++) {
            struct slots *slots = slots_of(marks, out, out_max);
            enum bootstrap_batches_state step = decide(slots->batches).state;
            size_t begun;

            snprintf(marks, sizeof(marks), "%s", after(slots));
            begun = bootstrap_batches_count(marks, 8, BOOTSTRAP_MARK_BEGUN);
            assert_true(begun <= out_max);
            assert_true(marks[0] == 'd' || marks[0] == 'g' ||
                        bootstrap_batches_count(marks + 1, 7, BOOTSTRAP_MARK_WAITING) == 7);
            if (step == BOOTSTRAP_BATCHES_OVER || step == BOOTSTRAP_BATCHES_HELD) {
                break;
            }
            for (size_t i = 0; i < 8; i++) {
                draw = draw * 6364136223846793005u + 1442695040888963407u;
                if (marks[i] == BOOTSTRAP_MARK_BEGUN && draw >> 62 == 0) {
                    marks[i] = "dddg"[draw >> 40 & 3];
                    marks[i] = (draw >> 30) % 16 == 0 ? 'f' : marks[i];
                    out[i] = marks[i] == 'f' ? 'o' : '-';
                }
            }
            assert_true(turn < 199);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_batch_begins_at_once),
        cmocka_unit_test(a_batch_waits_for_all_of_the_one_before),
        cmocka_unit_test(a_canary_that_fails_ends_it),
        cmocka_unit_test(so_many_failures_end_it),
        cmocka_unit_test(it_rests_between_batches),
        cmocka_unit_test(canaries_bake),
        cmocka_unit_test(a_pause_begins_nothing),
        cmocka_unit_test(ready_members_start_while_enough_serve),
        cmocka_unit_test(members_out_of_service_may_always_start),
        cmocka_unit_test(a_canary_that_went_has_a_stand_in),
        cmocka_unit_test(a_failed_canary_holds_the_rollout),
        cmocka_unit_test(so_many_failures_hold_the_rollout),
        cmocka_unit_test(a_promoted_rollout_goes_past_failures),
        cmocka_unit_test(an_approved_failure_that_has_gone_approves_no_other),
        cmocka_unit_test(a_failure_after_a_promotion_stops_it_again),
        cmocka_unit_test(an_unhealthy_member_keeps_the_rest_waiting),
        cmocka_unit_test(rollouts_of_all_kinds_keep_the_bounds),
        cmocka_unit_test(it_is_cancelled_and_late),
        cmocka_unit_test(rows_come_to_their_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
