#include "base/mem.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

#ifdef UNIT_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

static void memory_is_zeroed_and_aligned(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);

    (void)state;
    for (size_t bytes = 0; bytes < 100; bytes++) {
        unsigned char *data = arena_alloc(arena, bytes);

        assert_non_null(data);
        assert_int_equal((uintptr_t)data % 16, 0);
        for (size_t i = 0; i < bytes; i++) {
            assert_int_equal(data[i], 0);
            data[i] = 0xff;
        }
    }
}

static void objects_larger_than_a_block_fit(void **state)
{
    AUTO(arena) arena = arena_new((size_t)64 << 20);
    char *small = arena_alloc(arena, 10);
    char *large = arena_alloc(arena, (size_t)20 << 20);

    (void)state;
    memset(large, 1, (size_t)20 << 20);
    assert_int_equal(small[0], 0);
    assert_true(arena_used(arena) >= (size_t)20 << 20);
}

static void left_and_used_make_the_limit(void **state)
{
    AUTO(arena) arena = arena_new(1000);

    (void)state;
    assert_int_equal(arena_left(arena), 1000);
    assert_int_equal(arena_used(arena), 0);
    arena_alloc(arena, 1);
    assert_true(arena_used(arena) >= 16);
    assert_int_equal(arena_used(arena) + arena_left(arena), 1000);
}

static void alloc_beyond_limit(void)
{
    arena_alloc(arena_new(100), 101);
}

static void grow_beyond_limit(void)
{
    struct arena *arena = arena_new(100);

    arena_grow(arena, arena_alloc(arena, 10), 10, 200);
}

static void array_that_overflows(void)
{
    arena_alloc_array(arena_new(100), SIZE_MAX / 2, 3);
}

static void arena_without_limit(void)
{
    arena_new(0);
}

static void rewind_to_the_future(void)
{
    struct arena *arena = arena_new(1000);
    struct arena_mark start = arena_mark(arena);
    struct arena_mark later;

    arena_alloc(arena, 100);
    later = arena_mark(arena);
    arena_rewind(arena, start);
    arena_rewind(arena, later);
}

static void misuse_of_an_arena_is_caught(void **state)
{
    (void)state;
    assert_true(unit_aborts(alloc_beyond_limit));
    assert_true(unit_aborts(grow_beyond_limit));
    assert_true(unit_aborts(array_that_overflows));
    assert_true(unit_aborts(arena_without_limit));
    assert_true(unit_aborts(rewind_to_the_future));
}

static void freeing_nothing_is_allowed(void **state)
{
    struct arena *arena = NULL;

    (void)state;
    arena_free(NULL);
    arena_cleanup(&arena);
    pool_free(NULL);
    assert_null(arena);
}

static void growing_keeps_what_is_there_and_zeroes_the_rest(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    char *data = arena_grow(arena, NULL, 0, 4);

    (void)state;
    memcpy(data, "abcd", 4);
    for (size_t bytes = 4; bytes < 40000; bytes *= 2) {
        data = arena_grow(arena, data, bytes, bytes * 2);
        assert_memory_equal(data, "abcd", 4);
        for (size_t i = bytes; i < bytes * 2; i++) {
            assert_int_equal(data[i], 0);
        }
    }
}

static void the_newest_object_grows_in_place(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    char *first = arena_alloc(arena, 16);

    (void)state;
    assert_ptr_equal(arena_grow(arena, first, 16, 64), first);
    arena_alloc(arena, 1);
    assert_ptr_not_equal(arena_grow(arena, first, 64, 128), first);
}

/* A large block that grows step by step must not keep its previous copies, because gigabytes would
 * be in memory twice. */
static void what_has_a_block_to_itself_leaves_nothing_behind(void **state)
{
    AUTO(arena) arena = arena_new((size_t)40 << 20);
    char *small = arena_string(arena, TEXT("before"));
    char *data = arena_alloc(arena, 64);
    struct arena_mark mark;

    (void)state;
    memcpy(data, "abcd", 4);
    for (size_t bytes = 64; bytes < (size_t)16 << 20; bytes *= 2) {
        data = arena_grow(arena, data, bytes, bytes * 2);
        data[bytes] = 'x';
        assert_memory_equal(data, "abcd", 4);
        assert_true(data[bytes * 2 - 1] == 0);
    }
    assert_true(arena_used(arena) < ((size_t)16 << 20) + ((size_t)1 << 16));
    assert_string_equal(small, "before");
    mark = arena_mark(arena);
    assert_non_null(arena_alloc(arena, 100)); /* allocation continues after it */
    arena_rewind(arena, mark);
    assert_true(data[1 << 20] == 'x');
}

static void growing_by_nothing_changes_nothing(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    char *first = arena_alloc(arena, 16);
    size_t used = arena_used(arena);

    (void)state;
    assert_ptr_equal(arena_grow(arena, first, 16, 16), first);
    assert_int_equal(arena_used(arena), used);
}

static void rewind_gives_memory_back(void **state)
{
    AUTO(arena) arena = arena_new((size_t)64 << 20);
    struct arena_mark empty = arena_mark(arena);
    struct arena_mark mark;
    char *kept;

    (void)state;
    kept = arena_string(arena, TEXT("kept"));
    mark = arena_mark(arena);
    for (int i = 0; i < 1000; i++) {
        arena_alloc(arena, 10000);
    }
    arena_rewind(arena, mark);
    assert_int_equal(arena_used(arena), mark.used);
    assert_string_equal(kept, "kept");
    for (size_t i = 0; i < 100; i++) {
        char *again = arena_alloc(arena, 100);

        assert_int_equal(again[99], 0);
        again[99] = 1;
    }
    arena_rewind(arena, empty);
    assert_int_equal(arena_used(arena), 0);
}

/* Blocks double as an arena fills. An arena that is rewound to empty a thousand times must begin
 * with small blocks again. Otherwise each block would become a separate mapping that the system
 * creates and removes every time. */
static void an_arena_that_is_rewound_begins_small_again(void **state)
{
    AUTO(arena) arena = arena_new((size_t)64 << 20);
    struct arena_mark empty = arena_mark(arena);
    size_t first = 0;

    (void)state;
    for (int i = 0; i < 20; i++) {
        size_t bytes;

        arena_alloc(arena, 100);
        bytes = malloc_usable_size(arena_mark(arena).block);
        first = i == 0 ? bytes : first;
        assert_true(bytes < 2 * first);
        arena_alloc(arena, 100000); /* a large block in between is freed too */
        arena_rewind(arena, empty);
    }
}

static void copies_are_terminated(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct text text = arena_text(arena, TEXT("abc"));

    (void)state;
    assert_text(text, "abc");
    assert_int_equal(text.data[3], '\0');
    assert_string_equal(arena_string(arena, TEXT("")), "");
    assert_text(arena_printf(arena, "%s-%d", "web", 3), "web-3");
    assert_text(arena_printf(arena, "%s", ""), "");
    assert_text(arena_printf(arena, "/%.*s/%s%%", TEXT_ARG(TEXT("key")), "id"), "/key/id%");
    assert_text(arena_printf(arena, "%.*s%s%.*s.", 2, "abc", "d", 5, "ef"), "abdef.");
    assert_text(
        arena_printf(arena, "%s%s%s%s%s%s%s%s%s", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
        "123456789"); /* more pieces than the writer keeps */
    assert_text(arena_printf(arena, "%.3s|%5s", "abcdef", "x"), "abc|    x");
    assert_text(arena_number(arena, 0), "0");
    assert_text(arena_number(arena, -10), "-10");
    assert_text(arena_number(arena, INT64_MAX), "9223372036854775807");
    assert_text(arena_number(arena, INT64_MIN), "-9223372036854775808");
}

/* The text is longer than the buffer on the stack in which a text is formatted first. */
static void a_long_text_is_formatted_whole(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    char digits[200];

    (void)state;
    memset(digits, '7', sizeof(digits));
    for (int length = 120; length < 140; length++) {
        struct text text = arena_printf(arena, "%.*s|%3d", length, digits, 42);

        assert_int_equal(text.length, length + 4);
        assert_memory_equal(text.data, digits, (size_t)length);
        assert_string_equal(text.data + length, "| 42");
    }
}

static void the_first_block_has_the_size_that_was_asked_for(void **state)
{
    struct {
        struct arena *arena;
        size_t room; /* size that fits into the first block */
    } cases[] = {
        { arena_new_small((size_t)1 << 20), 200 },
        { arena_new_small_for((size_t)1 << 20, 5000), 4500 },
        { arena_new_wide((size_t)1 << 20, 10), 10000 },
        { arena_new_wide((size_t)1 << 20, 100000), 99000 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct arena *arena = cases[i].arena;
        void *block;

        arena_alloc(arena, 1);
        block = arena_mark(arena).block;
        arena_alloc(arena, cases[i].room);
        assert_ptr_equal(arena_mark(arena).block, block);
        assert_int_equal(arena_used(arena) + arena_left(arena), (size_t)1 << 20);
        arena_free(arena);
    }
}

static void clearing_keeps_the_first_block_alone(void **state)
{
    AUTO(arena) arena = arena_new_small((size_t)16 << 20);
    void *first = NULL;

    (void)state;
    arena_clear(arena); /* there is no block yet */
    assert_int_equal(arena_used(arena), 0);
    for (int i = 0; i < 3; i++) {
        char *data = arena_alloc(arena, 10);

        if (i == 0) {
            first = arena_mark(arena).block;
        }
        assert_ptr_equal(arena_mark(arena).block, first);
        assert_int_equal(data[9], 0);
        memset(data, 0xff, 10);
        for (int j = 0; j < 100; j++) {
            arena_alloc(arena, 1000);
        }
        assert_ptr_not_equal(arena_mark(arena).block, first);
        arena_clear(arena);
        assert_int_equal(arena_used(arena), 0);
    }
}

static void rows_keep_what_is_in_them(void **state)
{
    uint32_t *rows = NULL;

    (void)state;
    rows_free(NULL);
    for (uint32_t count = 1; count <= 1000; count++) {
        rows = rows_resize(rows, count * sizeof(*rows));
        rows[count - 1] = count;
    }
    rows = rows_resize(rows, 500 * sizeof(*rows));
    for (uint32_t i = 0; i < 500; i++) {
        assert_int_equal(rows[i], i + 1);
    }
    rows_free(rows);
}

static void a_blob_lives_as_long_as_its_last_owner(void **state)
{
    char bytes[] = "abc";
    struct blob *blob = blob_new((struct text){ bytes, 3 });

    (void)state;
    bytes[0] = 'x'; /* changing the source has no effect, because the text is a copy */
    assert_text(blob_text(blob), "abc");
    assert_int_equal(blob->data[3], '\0');
    assert_false(blob_is_shared(blob));
    assert_ptr_equal(blob_share(blob), blob);
    assert_true(blob_is_shared(blob));
    blob_free(blob);
    assert_false(blob_is_shared(blob));
    assert_text(blob_text(blob), "abc");
    blob_free(blob);
    blob_free(NULL);
    blob = blob_new((struct text){ 0 });
    assert_int_equal(blob_text(blob).length, 0);
    assert_int_equal(blob->data[0], '\0');
    blob_free(blob);
}

static void unused_memory_is_poisoned(void **state)
{
    (void)state;
#ifdef UNIT_HAS_ASAN
    AUTO(arena) arena = arena_new(1 << 20);
    struct arena_mark mark = arena_mark(arena);
    char *first = arena_alloc(arena, 5);
    char *second = arena_alloc(arena, 5);
    struct pool *pool = pool_new(32, 4);
    char *item = pool_take(pool);

    assert_false(__asan_address_is_poisoned(first + 4));
    assert_true(__asan_address_is_poisoned(first + 5));
    assert_true(__asan_address_is_poisoned(first + 16));
    first = arena_grow(arena, second, 5, 7);
    assert_false(__asan_address_is_poisoned(first + 6));
    assert_true(__asan_address_is_poisoned(first + 7));
    arena_alloc(arena, 1);
    arena_rewind(arena, mark);
    arena_alloc(arena, 1);
    assert_true(__asan_address_is_poisoned(second));
    assert_false(__asan_address_is_poisoned(item + 31));
    pool_give(pool, item);
    assert_true(__asan_address_is_poisoned(item + 8));
    pool_free(pool);
#endif
}

static void a_pool_gives_zeroed_objects_up_to_its_limit(void **state)
{
    struct pool *pool = pool_new(24, 1000);
    char *items[1000];

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        items[i] = pool_take(pool);
        assert_non_null(items[i]);
        assert_int_equal((uintptr_t)items[i] % 16, 0);
        assert_int_equal(items[i][0], 0);
        assert_int_equal(items[i][23], 0);
        memset(items[i], 0xff, 24);
    }
    assert_null(pool_take(pool));
    assert_int_equal(pool_count(pool), 1000);
    pool_give(pool, items[500]);
    pool_give(pool, items[3]);
    assert_int_equal(pool_count(pool), 998);
    assert_ptr_equal(pool_take(pool), items[3]);
    assert_int_equal(items[3][0], 0);
    assert_ptr_equal(pool_take(pool), items[500]);
    assert_null(pool_take(pool));
    pool_free(pool);
}

static void give_without_take(void)
{
    struct pool *pool = pool_new(24, 1);
    char item[24];

    pool_give(pool, item);
}

static void pool_of_nothing(void)
{
    pool_new(0, 1);
}

static void pool_without_limit(void)
{
    pool_new(1, 0);
}

static void misuse_of_a_pool_is_caught(void **state)
{
    (void)state;
    assert_true(unit_aborts(give_without_take));
    assert_true(unit_aborts(pool_of_nothing));
    assert_true(unit_aborts(pool_without_limit));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(objects_larger_than_a_block_fit),
        cmocka_unit_test(left_and_used_make_the_limit),
        cmocka_unit_test(misuse_of_an_arena_is_caught),
        cmocka_unit_test(freeing_nothing_is_allowed),
        cmocka_unit_test(growing_keeps_what_is_there_and_zeroes_the_rest),
        cmocka_unit_test(the_newest_object_grows_in_place),
        cmocka_unit_test(growing_by_nothing_changes_nothing),
        cmocka_unit_test(what_has_a_block_to_itself_leaves_nothing_behind),
        cmocka_unit_test(rewind_gives_memory_back),
        cmocka_unit_test(an_arena_that_is_rewound_begins_small_again),
        cmocka_unit_test(copies_are_terminated),
        cmocka_unit_test(a_long_text_is_formatted_whole),
        cmocka_unit_test(the_first_block_has_the_size_that_was_asked_for),
        cmocka_unit_test(clearing_keeps_the_first_block_alone),
        cmocka_unit_test(rows_keep_what_is_in_them),
        cmocka_unit_test(a_blob_lives_as_long_as_its_last_owner),
        cmocka_unit_test(unused_memory_is_poisoned),
        cmocka_unit_test(a_pool_gives_zeroed_objects_up_to_its_limit),
        cmocka_unit_test(misuse_of_a_pool_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
