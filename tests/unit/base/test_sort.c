#include "base/sort.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

struct item {
    uint32_t key;
    uint32_t place; /* position before sorting */
};

static int compare_keys(const void *a, const void *b, void *arg)
{
    const struct item *left = a;
    const struct item *right = b;

    if (arg != NULL) {
        (*(size_t *)arg)++;
    }
    return (left->key > right->key) - (left->key < right->key);
}

static void check_sorted(struct arena *arena, struct item *items, size_t count)
{
    size_t used = arena_used(arena);

    for (size_t i = 0; i < count; i++) {
        items[i].place = (uint32_t)i;
    }
    sort_stable(arena, items, count, sizeof(*items), compare_keys, NULL);
    assert_int_equal(arena_used(arena), used);
    for (size_t i = 1; i < count; i++) {
        assert_true(items[i - 1].key <= items[i].key);
        if (items[i - 1].key == items[i].key) {
            assert_true(items[i - 1].place < items[i].place);
        }
    }
}

static void every_length_sorts_and_equal_items_keep_their_order(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    static struct item items[300];
    uint32_t random = 1;

    (void)state;
    for (size_t count = 0; count < 300; count++) {
        for (uint32_t range = 1; range < 1000; range *= 7) {
            for (size_t i = 0; i < count; i++) {
                items[i].key = unit_random(&random) % range;
            }
            check_sorted(arena, items, count);
        }
    }
}

static void orders_that_break_quick_sorts_do_not_break_this(void **state)
{
    AUTO(arena) arena = arena_new((size_t)16 << 20);
    size_t count = 50000;
    struct item *items = arena_array(arena, struct item, count);
    size_t compared = 0;

    (void)state;
    for (size_t i = 0; i < count; i++) { /* descending */
        items[i].key = (uint32_t)(count - i);
    }
    check_sorted(arena, items, count);
    for (size_t i = 0; i < count; i++) { /* ascending, then descending */
        items[i].key = (uint32_t)(i < count / 2 ? i : count - i);
    }
    check_sorted(arena, items, count);
    for (size_t i = 0; i < count; i++) { /* alternating low and high values */
        items[i].key = (uint32_t)(i % 2 == 0 ? i : count - i);
    }
    sort_stable(arena, items, count, sizeof(*items), compare_keys, &compared);
    assert_true(compared < count * 20);
}

static void what_is_in_order_costs_one_comparison_an_item(void **state)
{
    AUTO(arena) arena = arena_new((size_t)1 << 20);
    static struct item items[1000];
    size_t compared = 0;

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        items[i].key = (uint32_t)i / 2;
    }
    sort_stable(arena, items, 1000, sizeof(*items), compare_keys, &compared);
    assert_int_equal(compared, 999);
    assert_int_equal(arena_used(arena), 0);
}

static void texts_sort_by_bytes(void **state)
{
    AUTO(arena) arena = arena_new((size_t)1 << 20);
    struct text texts[] = { TEXT("b"), TEXT("\xc3\xa9"), TEXT("ab"), TEXT("a"), TEXT("") };

    (void)state;
    sort_stable(arena, texts, 5, sizeof(texts[0]), sort_compare_text, NULL);
    assert_text(texts[0], "");
    assert_text(texts[1], "a");
    assert_text(texts[2], "ab");
    assert_text(texts[3], "b");
    assert_text(texts[4], "\xc3\xa9");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_sorts_and_equal_items_keep_their_order),
        cmocka_unit_test(orders_that_break_quick_sorts_do_not_break_this),
        cmocka_unit_test(what_is_in_order_costs_one_comparison_an_item),
        cmocka_unit_test(texts_sort_by_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
