#include "base/set.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static void a_text_is_in_the_set_once(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct set set;

    (void)state;
    set_init(&set, arena);
    assert_int_equal(set_count(&set), 0);
    assert_false(set_has(&set, TEXT("web")));
    assert_true(set_add(&set, TEXT("web")));
    assert_false(set_add(&set, TEXT("web")));
    assert_true(set_add(&set, TEXT("")));
    assert_true(set_has(&set, TEXT("web")));
    assert_true(set_has(&set, TEXT("")));
    assert_false(set_has(&set, TEXT("we")));
    assert_int_equal(set_count(&set), 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_in_the_set_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
