#include "base/queue.h"

#include "base/mem.h"
#include "unit.h"

static void bytes_add(struct queue *queue, const char *bytes, size_t length)
{
    memcpy(queue_room(queue, length), bytes, length);
    queue->length += length;
}

static void string_add(struct queue *queue, const char *string)
{
    bytes_add(queue, string, strlen(string));
}

static void an_empty_queue_has_no_bytes(void **state)
{
    struct queue queue = { 0 };

    (void)state;
    assert_int_equal(queue_text(&queue).length, 0);
    queue_trim(&queue);
    queue_clear(&queue);
    assert_null(queue.data);
}

static void bytes_leave_in_the_order_in_which_they_came(void **state)
{
    struct queue queue = { 0 };
    unsigned char next_in = 0;
    unsigned char next_out = 0;
    uint32_t random = 7;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        size_t count = unit_random(&random) % 50;
        char *room = queue_room(&queue, count);
        struct text text;

        for (size_t j = 0; j < count; j++) {
            room[j] = (char)next_in++;
        }
        queue.length += count;
        text = queue_text(&queue);
        count = text.length == 0 ? 0 : unit_random(&random) % (text.length + 1);
        for (size_t j = 0; j < count; j++) {
            assert_int_equal((unsigned char)text.data[j], next_out++);
        }
        queue.gone += count;
    }
    assert_int_equal((unsigned char)(next_in - next_out), (unsigned char)queue_text(&queue).length);
    queue_clear(&queue);
}

/* A queue that is filled and emptied alternately needs no more memory than its maximum content. */
static void the_room_of_consumed_bytes_is_used_again(void **state)
{
    struct queue queue = { 0 };
    size_t room;

    (void)state;
    string_add(&queue, "0123456789");
    room = queue.room;
    queue.gone = 10; /* all bytes are consumed, so the next byte is the first */
    string_add(&queue, "ab");
    assert_int_equal(queue.room, room);
    assert_ptr_equal(queue_text(&queue).data, queue.data);
    assert_text(queue_text(&queue), "ab");
    queue.gone = 1;
    bytes_add(&queue, "cdefghijk", room - 1); /* fits after the rest was moved to the front */
    assert_int_equal(queue.room, room);
    assert_int_equal(queue.gone, 0);
    assert_text(queue_text(&queue), "bcdefghijk");
    string_add(&queue, "lmn");
    assert_true(queue.room > room);
    assert_text(queue_text(&queue), "bcdefghijklmn");
    queue_clear(&queue);
}

static void only_an_empty_queue_is_trimmed(void **state)
{
    struct queue queue = { 0 };

    (void)state;
    string_add(&queue, "abc");
    queue.gone = 2;
    queue_trim(&queue);
    assert_text(queue_text(&queue), "c");
    queue.gone = 3;
    queue_trim(&queue);
    assert_null(queue.data);
    assert_int_equal(queue.room, 0);
    assert_int_equal(queue_text(&queue).length, 0);
}

static void a_secret_stays_marked_when_the_queue_grows_and_not_when_it_is_cleared(void **state)
{
    struct queue queue = { .is_secret = true };

    (void)state;
    string_add(&queue, "password");
    string_add(&queue, " and a much longer text that needs another allocation");
    assert_true(queue.is_secret);
    assert_true(text_has_prefix(queue_text(&queue), TEXT("password and")));
    queue_clear(&queue);
    assert_null(queue.data);
    assert_false(queue.is_secret);
    queue.is_secret = true;
    queue_clear(&queue); /* nothing to wipe */
    assert_false(queue.is_secret);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_queue_has_no_bytes),
        cmocka_unit_test(bytes_leave_in_the_order_in_which_they_came),
        cmocka_unit_test(the_room_of_consumed_bytes_is_used_again),
        cmocka_unit_test(only_an_empty_queue_is_trimmed),
        cmocka_unit_test(a_secret_stays_marked_when_the_queue_grows_and_not_when_it_is_cleared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
