/* Frames between the manager and the processes that hold sessions: what was written is read, and nothing else harms. */
#include "unit.h"

#include "base/limits.h"
#include "codec/msgpack.h"
#include "wire/hand.h"

static struct wire_pair pairs[] = { { TEXT("calls"), TEXT("in force") },
                                    { TEXT("scopes"), TEXT("\xc3\xa4") } };

/* One of each type, every field set, no two alike. */
static struct hand_message message_of(enum hand_type type)
{
    struct hand_message message = { .type = type };

    switch (type) {
    case HAND_BEGIN:
        message.begin = (struct hand_begin){ 1, TEXT("/run/h") };
        break;
    case HAND_OPEN:
        message.open = (struct hand_open){ 1,
                                           2,
                                           TEXT("addr"),
                                           22,
                                           TEXT("user"),
                                           TEXT("key"),
                                           TEXT("cert"),
                                           TEXT("keys"),
                                           TEXT("auth"),
                                           TEXT("name"),
                                           3,
                                           4,
                                           5 };
        break;
    case HAND_CALL:
        message.call = (struct hand_call){ 1, 2,           3, 4, TEXT("comm\xff"),
                                           5, 6,           7, 8, TEXT("/path\xfe"),
                                           9, TEXT("abc"), 10 };
        break;
    case HAND_CANCEL:
        message.cancel.call = UINT64_MAX;
        break;
    case HAND_MORE:
        message.more = (struct hand_more){ 1, 65536 };
        break;
    case HAND_CLOSE:
        message.close.session = 9;
        break;
    case HAND_INPUT:
        message.input = (struct hand_input){ 1, TEXT("in\0put") };
        break;
    case HAND_WANT:
        message.want.call = 7;
        break;
    case HAND_READY:
        message.ready = (struct hand_ready){ TEXT("0.1.0"), 1, 2, 3, { pairs, 2 } };
        break;
    case HAND_FAILED:
        message.failed.message = TEXT("why");
        break;
    case HAND_OPENED:
        message.opened = (struct hand_opened){ 1, 2, 3, TEXT("why"), TEXT("key"), 4 };
        break;
    case HAND_LOST:
        message.lost = (struct hand_lost){ 1, 2, TEXT("why") };
        break;
    case HAND_OUTPUT:
        message.output = (struct hand_output){ 1, 2, TEXT("\0\xff\n") };
        break;
    case HAND_ENDED:
        message.ended =
            (struct hand_ended){ 1, 2, 3, TEXT("why"), -1, TEXT("KILL"), 4, 5, 6, 7, TEXT("\x80") };
        break;
    }
    return message;
}

static const enum hand_type types[] = {
    HAND_BEGIN, HAND_OPEN,   HAND_CALL,   HAND_CANCEL, HAND_MORE,   HAND_CLOSE, HAND_INPUT,
    HAND_READY, HAND_FAILED, HAND_OPENED, HAND_LOST,   HAND_OUTPUT, HAND_ENDED, HAND_WANT,
};

static struct text frame_of(struct arena *arena, const struct hand_message *message)
{
    struct buf buf;

    buf_init(&buf, arena);
    hand_format(&buf, message);
    return buf_text(&buf);
}

/* Written from what was read, it is the same: every field went both ways. */
static void every_message_comes_back(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        struct hand_message message = message_of(types[i]);
        struct text frame = frame_of(arena, &message);
        struct hand_message read;
        struct text again;
        struct err err;

        assert_true(hand_parse(arena, frame, &read, &err));
        assert_int_equal(read.type, types[i]);
        again = frame_of(arena, &read);
        assert_int_equal(again.length, frame.length);
        assert_memory_equal(again.data, frame.data, frame.length);
    }
}

/* The order of the fields is what both sides agree on. */
static void an_ended_has_its_fields(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct hand_message message = message_of(HAND_ENDED);
    struct hand_message read;
    struct err err;

    (void)state;
    assert_true(hand_parse(arena, frame_of(arena, &message), &read, &err));
    assert_int_equal(read.ended.call, 1);
    assert_int_equal(read.ended.outcome, 2);
    assert_int_equal(read.ended.fault, 3);
    assert_text(read.ended.message, "why");
    assert_int_equal(read.ended.code, -1);
    assert_text(read.ended.signal, "KILL");
    assert_int_equal(read.ended.out_bytes, 4);
    assert_int_equal(read.ended.error_bytes, 5);
    assert_int_equal(read.ended.out_dropped, 6);
    assert_int_equal(read.ended.error_dropped, 7);
    assert_text(read.ended.content, "\x80");
}

/* Every frame that is cut, or has another byte anywhere, is read as something or refused, and never more than that. */
static void damage_is_refused_or_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        AUTO(arena) arena = arena_new(SIZE_MAX);
        struct hand_message message = message_of(types[i]);
        struct text frame = frame_of(arena, &message);

        for (size_t at = FRAME_HEAD_BYTES; at < frame.length; at++) {
            struct hand_message read;
            struct err err = { 0 };
            char *copy = malloc(frame.length); /* of this length, so that ASan sees its end */

            assert_non_null(copy);
            memcpy(copy, frame.data, frame.length);
            assert_false(hand_parse(arena, (struct text){ copy, at }, &read, &err));
            assert_int_equal(err.code, CODE_R0701);
            for (int byte = 0; byte < 256; byte += 5) {
                copy[at] = (char)byte;
                (void)!hand_parse(arena, (struct text){ copy, frame.length }, &read, &err);
            }
            free(copy);
        }
    }
}

static void words_are_utf8_and_bytes_are_any(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct hand_message message = message_of(HAND_LOST);
    struct hand_message read;
    struct err err;

    (void)state;
    message.lost.message = TEXT("\xff");
    assert_false(hand_parse(arena, frame_of(arena, &message), &read, &err));
    message = message_of(HAND_OUTPUT);
    assert_true(hand_parse(arena, frame_of(arena, &message), &read, &err));
    assert_int_equal(read.output.bytes.length, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_comes_back),
        cmocka_unit_test(an_ended_has_its_fields),
        cmocka_unit_test(damage_is_refused_or_read),
        cmocka_unit_test(words_are_utf8_and_bytes_are_any),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
