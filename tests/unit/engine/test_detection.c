/* How soon a probe detects a lost machine. Time is simulated, so these are properties of the
 * design. Requirements: P18. */

#include "engine/lab.h"

#include <string.h>

enum { GOAL_MS = 5000, STEP_MS = 10, PHASE_MS = 50 };

static bool is_lost_recorded(void)
{
    struct text prefix = TEXT("/default/Resource/");
    static const char part[] = "\"unreachable\":";
    bool is_any = false;

    for (const struct cache_object *object = cache_first(lab.cache, prefix); object != NULL;
         object = cache_next(lab.cache, prefix, object)) {
        struct text bytes = blob_text(object->parts[CACHE_STATUS].bytes);

        is_any = is_any || memmem(bytes.data, bytes.length, part, sizeof(part) - 1) != NULL;
    }
    return is_any;
}

/* Returns the time from the loss of the machine in slot 0 until its record shows it. */
static uint64_t detection_ms(void)
{
    uint64_t begun_ms = lab.now_ms;

    lab.cut = 1;
    while (!is_lost_recorded() && lab.now_ms < begun_ms + MINUTE) {
        pass_time(STEP_MS);
    }
    return lab.now_ms - begun_ms;
}

/* The worst case of the default ssh probe is two periods, each with the time for which probes are
 * gathered, and one timeout. The machine is lost at any moment between two probes. */
static void test_the_default_ssh_probe_notices_within_five_seconds(void **state)
{
    uint64_t period_ms = LIMIT_PROBE_SSH_EVERY_MS + LIMIT_PROBE_GATHER_MS;
    uint64_t bound_ms = LIMIT_PROBE_SSH_FAIL * period_ms + LIMIT_PROBE_SSH_TIMEOUT_MS;
    uint64_t worst_ms = 0;

    (void)state;
    lab.is_cut_slow = true;
    apply("version: '1'\nname: shop\ngroups: {web: {size: 4, heal: off, onUnreachable: hold, "
          "health: {grace: 0s, probe: {ssh: true}}, " SIM "}}\n");
    pass_time(MINUTE);
    assert_int_equal(running(), 4);
    for (uint64_t phase_ms = 0; phase_ms < period_ms; phase_ms += PHASE_MS) {
        uint64_t took_ms = detection_ms();

        worst_ms = took_ms > worst_ms ? took_ms : worst_ms;
        lab.cut = 0;
        pass_time(MINUTE + phase_ms);
        assert_false(is_lost_recorded());
    }
    assert_in_range(worst_ms, bound_ms - 2 * PHASE_MS - LIMIT_PROBE_GATHER_MS, bound_ms + STEP_MS);
    assert_true(bound_ms + STEP_MS < GOAL_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_default_ssh_probe_notices_within_five_seconds,
                                        setup_nodes, teardown),
    };

    return cmocka_run_group_tests_name("detection", tests, NULL, NULL);
}
