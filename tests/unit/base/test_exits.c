#include "base/exits.h"

#include "base/mem.h"
#include "unit.h"

static void every_kind_has_its_code(void **state)
{
    static const struct {
        enum err_kind kind;
        int code;
        int status;
    } wanted[] = {
        { ERR_KIND_FAILED, 1, 500 },      { ERR_KIND_LIMIT, 1, 413 },
        { ERR_KIND_USAGE, 2, 400 },       { ERR_KIND_INVALID, 3, 422 },
        { ERR_KIND_NOT_FOUND, 4, 404 },   { ERR_KIND_CONFLICT, 5, 409 },
        { ERR_KIND_DECLINED, 11, 409 },   { ERR_KIND_DENIED, 6, 403 },
        { ERR_KIND_UNAVAILABLE, 7, 503 }, { ERR_KIND_TIMEOUT, 8, 504 },
        { ERR_KIND_INTERNAL, 70, 500 },
    };

    (void)state;
    assert_int_equal(ARRAY_COUNT(wanted), ERR_KIND_COUNT);
    for (size_t i = 0; i < ARRAY_COUNT(wanted); i++) {
        assert_int_equal(exit_of_kind(wanted[i].kind), wanted[i].code);
        assert_int_equal(exit_status_of_kind(wanted[i].kind), wanted[i].status);
        assert_non_null(exits_find(wanted[i].code));
    }
}

static void table_is_in_order_and_complete(void **state)
{
    static const int codes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 70, 130 };

    (void)state;
    assert_int_equal(exits_count, ARRAY_COUNT(codes));
    for (size_t i = 0; i < exits_count; i++) {
        assert_int_equal(exits_table[i].code, codes[i]);
        assert_true(exits_table[i].meaning[0] != '\0');
    }
    assert_null(exits_find(12));
}

static void add(struct err_list *errors, enum code code)
{
    err_list_set(errors, (struct place){ 0 }, code, "x");
}

static void of_several_kinds_the_gravest_counts(void **state)
{
    AUTO(arena) arena = arena_new(1 << 16);
    struct err_list errors;

    (void)state;
    err_list_init(&errors, arena);
    assert_int_equal(exit_of_errors(&errors, true), EXIT_CODE_DONE);
    add(&errors, CODE_R0333);
    assert_int_equal(exit_of_errors(&errors, false), EXIT_CODE_NOT_FOUND);
    add(&errors, CODE_R0301);
    assert_int_equal(exit_of_errors(&errors, false), EXIT_CODE_INVALID);
    add(&errors, CODE_R0011);
    assert_int_equal(exit_of_errors(&errors, false), EXIT_CODE_FAILED);
    add(&errors, CODE_R0002);
    assert_int_equal(exit_of_errors(&errors, false), EXIT_CODE_USAGE);
    add(&errors, CODE_R0070);
    assert_int_equal(exit_of_errors(&errors, false), EXIT_CODE_FAULT);
    add(&errors, CODE_R0333);
    assert_int_equal(exit_of_errors(&errors, false), EXIT_CODE_FAULT);
}

static void warnings_fail_only_when_strict(void **state)
{
    AUTO(arena) arena = arena_new(1 << 16);
    struct err_list errors;

    (void)state;
    err_list_init(&errors, arena);
    err_list_warn(&errors, (struct place){ 0 }, CODE_R0301, "x");
    assert_int_equal(exit_of_errors(&errors, false), EXIT_CODE_DONE);
    assert_int_equal(exit_of_errors(&errors, true), EXIT_CODE_INVALID);
    add(&errors, CODE_R0333);
    assert_int_equal(exit_of_errors(&errors, true), EXIT_CODE_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_its_code),
        cmocka_unit_test(table_is_in_order_and_complete),
        cmocka_unit_test(of_several_kinds_the_gravest_counts),
        cmocka_unit_test(warnings_fail_only_when_strict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
