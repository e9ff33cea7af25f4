/* Deriving the state from evidence: confirmation by probes, the return of a machine, flapping, and
 * machines that fail together. Requirements: C1, C16, X7. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inventory/evidence.h"

#include <string.h>

enum { BEGIN = 1000000 };

#define DISCOVERED  LIFECYCLE_STATE_DISCOVERED
#define DISAPPEARED LIFECYCLE_STATE_DISAPPEARED

/* Returns a machine that a source reports as alive. */
static struct evidence member(void)
{
    struct evidence evidence = { 0 };

    evidence_report(&evidence, EVIDENCE_SOURCE_ALIVE, BEGIN);
    return evidence;
}

static struct evidence_opinion at(struct evidence *evidence, enum lifecycle_state state,
                                  uint64_t ms)
{
    return evidence_decide(evidence, state, BEGIN + ms);
}

static void a_source_alone_only_suspects(void **state)
{
    struct evidence evidence = member();
    struct evidence_opinion opinion;

    (void)state;
    evidence_report(&evidence, EVIDENCE_SOURCE_FAILED, BEGIN + 1000);
    opinion = at(&evidence, DISCOVERED, 1000);
    assert_int_equal(opinion.state, DISCOVERED);
    assert_true(opinion.is_suspected && opinion.wants_probe);
    /* the machine answers: the source was wrong */
    evidence_probe(&evidence, true, BEGIN + 1500);
    opinion = at(&evidence, DISCOVERED, 1500);
    assert_false(opinion.is_suspected);
    assert_int_equal(opinion.state, DISCOVERED);
    assert_false(opinion.wants_probe);
}

static void two_probes_five_seconds_apart_confirm_it(void **state)
{
    struct evidence evidence = member();

    (void)state;
    evidence_report(&evidence, EVIDENCE_SOURCE_FAILED, BEGIN + 1000);
    evidence_probe(&evidence, false, BEGIN + 1100);
    assert_int_equal(at(&evidence, DISCOVERED, 1200).state, DISCOVERED);
    assert_int_equal(at(&evidence, DISCOVERED, 1200).due_ms, BEGIN + 1100 + EVIDENCE_SPACING_MS);
    evidence_probe(&evidence, false, BEGIN + 3000); /* too early after the last probe */
    assert_int_equal(at(&evidence, DISCOVERED, 3000).state, DISCOVERED);
    evidence_probe(&evidence, false, BEGIN + 6100);
    assert_int_equal(at(&evidence, DISCOVERED, 6100).state, DISAPPEARED);
    assert_string_equal(at(&evidence, DISCOVERED, 6100).cause, "failed");
}

static void a_leave_has_its_cause(void **state)
{
    struct evidence left = member();
    struct evidence reaped = member();

    (void)state;
    evidence_report(&left, EVIDENCE_SOURCE_LEFT, BEGIN + 1);
    evidence_report(&reaped, EVIDENCE_SOURCE_REAPED, BEGIN + 1);
    assert_int_equal(at(&left, DISCOVERED, 2).state, DISAPPEARED);
    assert_string_equal(at(&left, DISCOVERED, 2).cause, "left");
    assert_string_equal(at(&reaped, DISCOVERED, 2).cause, "reaped");
}

static void a_machine_returns_after_five_seconds(void **state)
{
    struct evidence evidence = member();

    (void)state;
    evidence_report(&evidence, EVIDENCE_SOURCE_LEFT, BEGIN);
    evidence_report(&evidence, EVIDENCE_SOURCE_ALIVE, BEGIN + 60000);
    assert_int_equal(at(&evidence, DISAPPEARED, 61000).state, DISAPPEARED);
    assert_int_equal(at(&evidence, DISAPPEARED, 61000).due_ms, BEGIN + 60000 + EVIDENCE_STEADY_MS);
    assert_int_equal(at(&evidence, DISAPPEARED, 65000).state, DISCOVERED);
    /* a machine that was never seen before is discovered immediately */
    assert_int_equal(at(&evidence, LIFECYCLE_STATE_UNKNOWN, 60001).state, DISCOVERED);
}

static void without_a_source_the_probe_decides(void **state)
{
    struct evidence evidence = { .alive_ms = BEGIN, .probed_ms = BEGIN };
    struct evidence_opinion opinion;

    (void)state;
    assert_false(at(&evidence, DISCOVERED, EVIDENCE_PROBE_MS - 1).wants_probe);
    assert_true(at(&evidence, DISCOVERED, EVIDENCE_PROBE_MS).wants_probe);
    evidence_probe(&evidence, false, BEGIN + 60000);
    evidence_probe(&evidence, false, BEGIN + 65000);
    assert_int_equal(at(&evidence, DISCOVERED, 65000).state, DISCOVERED);
    evidence_probe(&evidence, false, BEGIN + 70000);
    opinion = at(&evidence, DISCOVERED, 70000);
    assert_int_equal(opinion.state, DISAPPEARED);
    assert_string_equal(opinion.cause, "unreachable");
    evidence_probe(&evidence, true, BEGIN + 130000);
    assert_int_equal(at(&evidence, DISAPPEARED, 130000).state, DISAPPEARED);
    evidence_probe(&evidence, true, BEGIN + 135000);
    assert_int_equal(at(&evidence, DISAPPEARED, 135000).state, DISCOVERED);
}

static void the_same_report_twice_changes_nothing(void **state)
{
    struct evidence evidence = member();
    struct evidence before = evidence;

    (void)state;
    evidence_report(&evidence, EVIDENCE_SOURCE_ALIVE, BEGIN + 5000);
    assert_memory_equal(&evidence, &before, sizeof(evidence));
}

static void a_flapping_machine_keeps_its_state(void **state)
{
    struct evidence evidence = member();
    uint64_t ms = 0;

    (void)state;
    for (unsigned i = 0; i < EVIDENCE_FLAPS; i++) {
        ms += 10000;
        evidence_report(&evidence, i % 2 == 0 ? EVIDENCE_SOURCE_LEFT : EVIDENCE_SOURCE_ALIVE,
                        BEGIN + ms);
        assert_false(at(&evidence, DISCOVERED, ms).is_flapping);
    }
    ms += 10000;
    evidence_report(&evidence, EVIDENCE_SOURCE_ALIVE, BEGIN + ms);
    ms += 10000;
    evidence_report(&evidence, EVIDENCE_SOURCE_LEFT, BEGIN + ms);
    assert_true(at(&evidence, DISCOVERED, ms).is_flapping);
    assert_int_equal(at(&evidence, DISCOVERED, ms).state, DISCOVERED);
    assert_int_equal(at(&evidence, DISCOVERED, ms).due_ms, BEGIN + ms + EVIDENCE_CALM_MS);
    ms += EVIDENCE_CALM_MS;
    assert_int_equal(at(&evidence, DISCOVERED, ms).state, DISAPPEARED);
    assert_false(at(&evidence, DISCOVERED, ms).is_flapping);
}

static void slow_changes_are_no_flaps(void **state)
{
    struct evidence evidence = member();
    uint64_t ms = 0;

    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        ms += EVIDENCE_FLAPS_MS / EVIDENCE_FLAPS + 1000;
        evidence_report(&evidence, i % 2 == 0 ? EVIDENCE_SOURCE_LEFT : EVIDENCE_SOURCE_ALIVE,
                        BEGIN + ms);
        assert_false(at(&evidence, DISCOVERED, ms).is_flapping);
    }
}

static void machines_that_fail_together_are_held(void **state)
{
    struct evidence_crowd crowd = { .known = 2, .failing = 2, .missing = 2 };

    (void)state;
    assert_false(evidence_is_held(&crowd, false)); /* too few machines for a conclusion */
    crowd = (struct evidence_crowd){ .known = 6, .failing = 3, .missing = 3 };
    assert_false(evidence_is_held(&crowd, false));
    crowd = (struct evidence_crowd){ .known = 6, .failing = 4, .missing = 4 };
    assert_true(evidence_is_held(&crowd, false));
    /* the hold lasts until half of the machines are back, regardless of when they failed */
    crowd.failing = 0;
    assert_true(evidence_is_held(&crowd, true));
    assert_false(evidence_is_held(&crowd, false));
    crowd.missing = 3;
    assert_false(evidence_is_held(&crowd, true));
    crowd = (struct evidence_crowd){ .is_source_down = true };
    assert_true(evidence_is_held(&crowd, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_alone_only_suspects),
        cmocka_unit_test(two_probes_five_seconds_apart_confirm_it),
        cmocka_unit_test(a_leave_has_its_cause),
        cmocka_unit_test(a_machine_returns_after_five_seconds),
        cmocka_unit_test(without_a_source_the_probe_decides),
        cmocka_unit_test(the_same_report_twice_changes_nothing),
        cmocka_unit_test(a_flapping_machine_keeps_its_state),
        cmocka_unit_test(slow_changes_are_no_flaps),
        cmocka_unit_test(machines_that_fail_together_are_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
