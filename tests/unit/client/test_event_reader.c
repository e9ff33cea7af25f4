#include "client/event_reader.h"

#include "unit.h"

/* The received events, each as "type id data;". */
struct got {
    char text[1000];
    size_t most; /* number of events after which the receiver stops */
    size_t count;
};

static bool event_take(void *arg, const struct client_event *event)
{
    struct got *got = arg;
    size_t length = strlen(got->text);

    snprintf(got->text + length, sizeof(got->text) - length, "%.*s %.*s %.*s;",
             TEXT_ARG(event->type), TEXT_ARG(event->id), TEXT_ARG(event->data));
    return ++got->count < got->most;
}

static void is_read(const char *stream, const char *expected)
{
    for (size_t step = 1; step <= strlen(stream); step++) {
        struct got got = { .most = 100 };
        struct event_reader reader;
        struct err err;

        event_reader_init(&reader, event_take, &got);
        for (size_t at = 0; at < strlen(stream); at += step) {
            assert_true(event_reader_feed(&reader, text_slice(text_from(stream), at, step), &err));
        }
        event_reader_fini(&reader);
        assert_string_equal(got.text, expected);
    }
}

static void test_events(void **state)
{
    (void)state;
    is_read("data: a\n\n", "message  a;");
    is_read("event: put\nid: 12\ndata: {}\n\n:comment\n\nevent: del\ndata:x\n\n",
            "put 12 {};del 12 x;");
    is_read("data: a\r\ndata: b\r\n\r\n", "message  a\nb;");
    is_read("data: a\rdata: b\r\r", "message  a\nb;");
    is_read("\xef\xbb\xbf"
            "data: a\n\n",
            "message  a;");
    is_read("event: put\n\ndata: a\n\n", "message  a;"); /* an event without data is ignored */
    is_read("data\n\n", "message  ;");
    is_read("data: cut", "");
    is_read("retry: 10\nfoo: bar\ndata:  two blanks\n\n", "message   two blanks;");
}

static void test_enough_is_enough(void **state)
{
    struct got got = { .most = 1 };
    struct event_reader reader;
    struct err err;

    (void)state;
    event_reader_init(&reader, event_take, &got);
    assert_true(event_reader_feed(&reader, TEXT("data: a\n\ndata: b\n\n"), &err));
    assert_true(reader.is_enough);
    assert_int_equal(got.count, 1);
    event_reader_fini(&reader);
}

static void test_an_event_has_a_bound(void **state)
{
    struct got got = { .most = 100 };
    struct event_reader reader;
    char piece[64 * 1024];
    struct err err;
    bool is_taken = true;

    (void)state;
    memset(piece, 'a', sizeof(piece));
    event_reader_init(&reader, event_take, &got);
    for (size_t i = 0; is_taken && i <= LIMIT_EVENT_BYTES / sizeof(piece); i++) {
        is_taken = event_reader_feed(&reader, (struct text){ piece, sizeof(piece) }, &err);
    }
    assert_false(is_taken);
    assert_int_equal(err.code, CODE_R0020);
    event_reader_fini(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_enough_is_enough),
        cmocka_unit_test(test_an_event_has_a_bound),
    };

    return cmocka_run_group_tests_name("client/event_reader", tests, NULL, NULL);
}
