#include "base/buf.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

static void an_empty_buffer_is_an_empty_text(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    assert_text(buf_text(&buf), "");
    assert_int_equal(buf_text(&buf).data[0], '\0');
}

static void everything_that_is_added_stands_in_order(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    buf_add(&buf, TEXT("ab"));
    buf_add(&buf, TEXT(""));
    buf_add_string(&buf, "cd");
    buf_add_string(&buf, NULL);
    buf_add_bytes(&buf, '-', 3);
    buf_add_bytes(&buf, '-', 0);
    buf_printf(&buf, "%d%%", 42);
    buf_printf(&buf, "%s", "");
    assert_text(buf_text(&buf), "abcd---42%");
    assert_int_equal(buf_text(&buf).data[10], '\0');
}

static void room_can_be_written_to_directly(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    buf_add_string(&buf, "ab");
    memcpy(buf_reserve(&buf, 1000), "cd", 2);
    buf.length += 2;
    assert_text(buf_text(&buf), "abcd");
    assert_int_equal(buf_text(&buf).data[4], '\0');
}

static void a_buffer_grows_as_needed(void **state)
{
    AUTO(arena) arena = arena_new((size_t)16 << 20);
    struct buf buf;
    struct text text;

    (void)state;
    buf_init(&buf, arena);
    for (int i = 0; i < 10000; i++) {
        buf_printf(&buf, "%06d,", i);
        if (i % 1000 == 0) {
            arena_alloc(arena, 1); /* so that the buffer must move when it grows */
        }
    }
    buf_add_bytes(&buf, 'x', 500000);
    text = buf_text(&buf);
    assert_int_equal(text.length, 570000);
    assert_memory_equal(text.data + 7 * 1234, "001234,", 7);
    assert_int_equal(text.data[569999], 'x');
    assert_int_equal(text.data[570000], '\0');
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_buffer_is_an_empty_text),
        cmocka_unit_test(everything_that_is_added_stands_in_order),
        cmocka_unit_test(room_can_be_written_to_directly),
        cmocka_unit_test(a_buffer_grows_as_needed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
