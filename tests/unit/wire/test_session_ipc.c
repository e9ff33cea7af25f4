/* Frames between the manager and session processes: parsing a written frame gives the same message,
 * and other data does no harm. */
#include "unit.h"

#include "base/limits.h"
#include "codec/msgpack.h"
#include "wire/session_ipc.h"

static struct wire_pair pairs[] = { { TEXT("calls"), TEXT("in force") },
                                    { TEXT("scopes"), TEXT("\xc3\xa4") } };

/* Returns a message of the type with all fields set to different values. */
static struct session_ipc_message message_of(enum session_ipc_type type)
{
    struct session_ipc_message message = { .type = type };

    switch (type) {
    case SESSION_IPC_BEGIN:
        message.begin = (struct session_ipc_begin){ 1, TEXT("/run/h") };
        break;
    case SESSION_IPC_OPEN:
        message.open = (struct session_ipc_open){ 1,
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
    case SESSION_IPC_CALL:
        message.call = (struct session_ipc_call){ 1, 2,           3, 4, TEXT("comm\xff"),
                                                  5, 6,           7, 8, TEXT("/path\xfe"),
                                                  9, TEXT("abc"), 10 };
        break;
    case SESSION_IPC_CANCEL:
        message.cancel.call = UINT64_MAX;
        break;
    case SESSION_IPC_MORE:
        message.more = (struct session_ipc_more){ 1, 65536 };
        break;
    case SESSION_IPC_CLOSE:
        message.close.session = 9;
        break;
    case SESSION_IPC_INPUT:
        message.input = (struct session_ipc_input){ 1, TEXT("in\0put") };
        break;
    case SESSION_IPC_WANT:
        message.want.call = 7;
        break;
    case SESSION_IPC_READY:
        message.ready = (struct session_ipc_ready){ TEXT("0.1.0"), 1, 2, 3, { pairs, 2 } };
        break;
    case SESSION_IPC_FAILED:
        message.failed.message = TEXT("why");
        break;
    case SESSION_IPC_OPENED:
        message.opened = (struct session_ipc_opened){ 1, 2, 3, TEXT("why"), TEXT("key"), 4 };
        break;
    case SESSION_IPC_LOST:
        message.lost = (struct session_ipc_lost){ 1, 2, TEXT("why") };
        break;
    case SESSION_IPC_OUTPUT:
        message.output = (struct session_ipc_output){ 1, 2, TEXT("\0\xff\n") };
        break;
    case SESSION_IPC_ENDED:
        message.ended = (struct session_ipc_ended){ 1, 2, 3, TEXT("why"), -1,          TEXT("KILL"),
                                                    4, 5, 6, 7,           TEXT("\x80") };
        break;
    }
    return message;
}

static const enum session_ipc_type types[] = {
    SESSION_IPC_BEGIN,  SESSION_IPC_OPEN,   SESSION_IPC_CALL,  SESSION_IPC_CANCEL,
    SESSION_IPC_MORE,   SESSION_IPC_CLOSE,  SESSION_IPC_INPUT, SESSION_IPC_READY,
    SESSION_IPC_FAILED, SESSION_IPC_OPENED, SESSION_IPC_LOST,  SESSION_IPC_OUTPUT,
    SESSION_IPC_ENDED,  SESSION_IPC_WANT,
};

static struct text frame_of(struct arena *arena, const struct session_ipc_message *message)
{
    struct buf buf;

    buf_init(&buf, arena);
    session_ipc_format(&buf, message);
    return buf_text(&buf);
}

/* Formatting the parsed message gives the same bytes, so every field is written and read. */
static void every_message_comes_back(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        struct session_ipc_message message = message_of(types[i]);
        struct text frame = frame_of(arena, &message);
        struct session_ipc_message read;
        struct text again;
        struct err err;

        assert_true(session_ipc_parse(arena, frame, &read, &err));
        assert_int_equal(read.type, types[i]);
        again = frame_of(arena, &read);
        assert_int_equal(again.length, frame.length);
        assert_memory_equal(again.data, frame.data, frame.length);
    }
}

/* Asserts the order of the fields, on which both sides must agree. */
static void an_ended_has_its_fields(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct session_ipc_message message = message_of(SESSION_IPC_ENDED);
    struct session_ipc_message read;
    struct err err;

    (void)state;
    assert_true(session_ipc_parse(arena, frame_of(arena, &message), &read, &err));
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

/* Every truncated frame, and every frame with a changed byte, is either parsed or refused, without
 * further harm. */
static void damage_is_refused_or_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        AUTO(arena) arena = arena_new(SIZE_MAX);
        struct session_ipc_message message = message_of(types[i]);
        struct text frame = frame_of(arena, &message);

        for (size_t at = FRAME_HEAD_BYTES; at < frame.length; at++) {
            struct session_ipc_message read;
            struct err err = { 0 };
            /* exactly this length, so that ASan detects reads beyond its end */
            char *copy = malloc(frame.length);

            assert_non_null(copy);
            memcpy(copy, frame.data, frame.length);
            assert_false(session_ipc_parse(arena, (struct text){ copy, at }, &read, &err));
            assert_int_equal(err.code, CODE_R0701);
            for (int byte = 0; byte < 256; byte += 5) {
                copy[at] = (char)byte;
                (void)!session_ipc_parse(arena, (struct text){ copy, frame.length }, &read, &err);
            }
            free(copy);
        }
    }
}

static void words_are_utf8_and_bytes_are_any(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct session_ipc_message message = message_of(SESSION_IPC_LOST);
    struct session_ipc_message read;
    struct err err;

    (void)state;
    message.lost.message = TEXT("\xff");
    assert_false(session_ipc_parse(arena, frame_of(arena, &message), &read, &err));
    message = message_of(SESSION_IPC_OUTPUT);
    assert_true(session_ipc_parse(arena, frame_of(arena, &message), &read, &err));
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
