#include "base/secret.h"

#include "unit.h"

static struct secret secret_of(const char *bytes)
{
    return secret_from(text_from(bytes));
}

static void test_secrets_are_equal_byte_for_byte(void **state)
{
    char left[64];
    char right[64];

    (void)state;
    assert_true(secret_is_equal(secret_of(""), secret_of("")));
    assert_true(secret_is_equal(secret_of("abc"), secret_of("abc")));
    assert_false(secret_is_equal(secret_of("abc"), secret_of("ab")));
    assert_false(secret_is_equal(secret_of("abc"), secret_of("")));
    /* a single different bit is found at every position, and later equal bytes do not hide it */
    for (size_t i = 0; i < 8 * sizeof(left); i++) {
        memset(left, 'x', sizeof(left));
        memset(right, 'x', sizeof(right));
        right[i / 8] = (char)(right[i / 8] ^ (1 << i % 8));
        assert_false(secret_is_equal(secret_from((struct text){ left, sizeof(left) }),
                                     secret_from((struct text){ right, sizeof(right) })));
    }
}

static void test_wiping_leaves_nothing(void **state)
{
    char bytes[] = "a token";
    static const char nothing[sizeof(bytes)];

    (void)state;
    secret_wipe(bytes, sizeof(bytes));
    assert_memory_equal(bytes, nothing, sizeof(bytes));
    secret_wipe(NULL, 0);
}

static void test_a_secret_is_revealed_only_on_demand(void **state)
{
    (void)state;
    assert_text(secret_reveal(secret_of("abc")), "abc");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_secrets_are_equal_byte_for_byte),
        cmocka_unit_test(test_wiping_leaves_nothing),
        cmocka_unit_test(test_a_secret_is_revealed_only_on_demand),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}
