#include "base/stock.h"

#include "unit.h"

static void test_what_was_given_is_taken_again_and_empty(void **state)
{
    struct stock stock = { 0 };
    struct arena *first = stock_take(&stock);
    char *word = arena_string(first, TEXT("secret"));

    (void)state;
    (void)word;
    stock_give(&stock, first);
    assert_int_equal(stock.count, 1);
    assert_ptr_equal(stock_take(&stock), first);
    assert_int_equal(arena_used(first), 0);
    assert_int_equal(*(char *)arena_alloc(first, 1), 0); /* memory is zero, as in a new arena */
    arena_free(first);
    stock_fini(&stock);
}

static void test_what_has_grown_is_not_kept(void **state)
{
    struct stock stock = { 0 };
    struct arena *arena = stock_take(&stock);

    (void)state;
    arena_alloc(arena, STOCK_ARENA_BYTES + 1);
    stock_give(&stock, arena);
    assert_int_equal(stock.count, 0);
}

static void test_only_so_many_are_kept(void **state)
{
    struct stock stock = { 0 };
    struct arena *arenas[STOCK_ARENAS_MAX + 2];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(arenas); i++) {
        arenas[i] = stock_take(&stock);
        for (size_t j = 0; j < i; j++) {
            assert_ptr_not_equal(arenas[i], arenas[j]);
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(arenas); i++) {
        stock_give(&stock, arenas[i]);
    }
    assert_int_equal(stock.count, STOCK_ARENAS_MAX);
    stock_fini(&stock);
    assert_int_equal(stock.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_given_is_taken_again_and_empty),
        cmocka_unit_test(test_what_has_grown_is_not_kept),
        cmocka_unit_test(test_only_so_many_are_kept),
    };

    return cmocka_run_group_tests_name("base/stock", tests, NULL, NULL);
}
