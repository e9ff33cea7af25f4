/* Request targets: how they are split, and which are refused. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/limits.h"
#include "http/target.h"

#include <string.h>

static bool read(struct arena *arena, const char *raw, struct target *out)
{
    struct err err = { 0 };
    bool is_good = target_parse(arena, text_from(raw), out, &err);

    assert_true(is_good || err.code == CODE_R0420);
    assert_true(is_good || err.text[0] != '\0');
    return is_good;
}

static void paths_and_parameters_are_decoded(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct target target;

    (void)state;
    assert_true(read(arena, "/v1/nodegroups/shop/%C3%A4%2Fb?x=a+b%26&flag&y=", &target));
    assert_true(text_is(target.path, "/v1/nodegroups/shop/\xc3\xa4/b"));
    assert_int_equal(target.parameter_count, 3);
    assert_true(text_is(*target_parameter_find(&target, "x"), "a b&"));
    assert_int_equal(target_parameter_find(&target, "flag")->length, 0);
    assert_null(target_parameter_find(&target, "z"));
    assert_true(read(arena, "/a+b?&&", &target));
    assert_true(text_is(target.path, "/a+b"));
    assert_int_equal(target.parameter_count, 0);
}

static void what_can_be_read_in_two_ways_is_refused(void **state)
{
    static const char *const bad[] = {
        "",          "v1",        "*",           "http://x/", "/%",    "/%4",     "/%zz",
        "/%00",      "/%0a",      "/a\x7f",      "/%ff",      "/..",   "/a/../b", "/a/.",
        "/%2e%2e/b", "/?x=1&x=2", "/?%78=1&x=2", "/?x=%g0",   "/?x=%", "/?%c3=1", "/./a",
    };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct target target;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (read(arena, bad[i], &target)) {
            fail_msg("taken: %s", bad[i]);
        }
    }
}

static void limits_are_kept(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct target target;
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    buf_add_string(&buf, "/");
    buf_add_bytes(&buf, 'x', LIMIT_HTTP_TARGET_BYTES - 1);
    assert_true(read(arena, buf_text(&buf).data, &target));
    buf_add_string(&buf, "x");
    assert_false(read(arena, buf_text(&buf).data, &target));
    buf_init(&buf, arena);
    buf_add_string(&buf, "/?");
    for (int i = 0; i < LIMIT_HTTP_PARAMETERS; i++) {
        buf_printf(&buf, "p%d=1&", i);
    }
    assert_true(read(arena, buf_text(&buf).data, &target));
    buf_add_string(&buf, "more");
    assert_false(read(arena, buf_text(&buf).data, &target));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_and_parameters_are_decoded),
        cmocka_unit_test(what_can_be_read_in_two_ways_is_refused),
        cmocka_unit_test(limits_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
