#ifndef REEVE_TESTS_CLI_CASE_H
#define REEVE_TESTS_CLI_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

#include <cmocka.h>

/* Setup of every test of cli: *state is an arena that is freed at the end of the case. */
static inline int case_setup(void **state)
{
    *state = arena_new((size_t)1 << 30);
    return 0;
}

static inline int case_teardown(void **state)
{
    arena_free(*state);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, case_setup, case_teardown)

/* Asserts that the text equals the string; shows both if it does not. */
#define assert_text(text, string) assert_string_equal(arena_string(*state, text), string)

#endif
