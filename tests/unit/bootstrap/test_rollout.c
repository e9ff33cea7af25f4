#include "unit.h"

#include "base/limits.h"
#include "bootstrap/rollout.h"

/* Returns the order and the batches of a rollout in place. */

static struct bootstrap_rollout_batches arrange(struct arena *arena, const char *out, size_t canary,
                                                size_t batch)
{
    struct bootstrap_rollout_member members[8];
    struct bootstrap_rollout_policy policy = { canary, batch };
    struct bootstrap_rollout_batches arranged;
    size_t count = 0;

    /* the members are given from the last slot to the first */
    for (; out[count] != '\0'; count++) {
        members[count] = (struct bootstrap_rollout_member){ 9 - count, out[count] == 'o' };
    }
    bootstrap_rollout_arrange(arena, members, count, &policy, &arranged);
    return arranged;
}

static void those_out_of_service_go_first(void **state)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct bootstrap_rollout_batches arranged = arrange(arena, "--o-", 1, 2);

    (void)state;
    assert_int_equal(arranged.order[0], 2);
    assert_int_equal(arranged.order[1], 3);
    assert_int_equal(arranged.order[2], 1);
    assert_int_equal(arranged.order[3], 0);
    assert_int_equal(arranged.batch_count, 3);
    assert_int_equal(arranged.canaries, 1);
    assert_int_equal(arranged.ends[0], 1);
    assert_int_equal(arranged.ends[1], 3);
    assert_int_equal(arranged.ends[2], 4);
}

static void policies_of_all_sizes(void **state)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct bootstrap_rollout_batches arranged = arrange(arena, "----", 9, 1);

    (void)state;
    assert_int_equal(arranged.batch_count, 1); /* all members are canaries */
    assert_int_equal(arranged.ends[0], 4);
    arranged = arrange(arena, "----", 0, 3);
    assert_int_equal(arranged.canaries, 0);
    assert_int_equal(arranged.batch_count, 2);
    arranged = arrange(arena, "-", 1, 0);
    assert_int_equal(arranged.batch_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_out_of_service_go_first),
        cmocka_unit_test(policies_of_all_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
