/* Frames between the manager and plugin processes: no input breaks either end, memory for parsed
 * data is limited, and formatting parsed data gives the same bytes. */
#include "base/limits.h"
#include "fuzz.h"
#include "wire/wire.h"

static struct text frame_write(struct arena *arena, const struct wire_message *message)
{
    struct buf buf;

    buf_init(&buf, arena);
    wire_format(&buf, message);
    return buf_text(&buf);
}

/* An input is a sequence of frames, as received from a socket. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text rest = { (const char *)data, size };
    struct err err = { 0 };
    size_t length;

    while (wire_measure(rest, &length, &err) && length > 0 && length <= rest.length) {
        AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
        AUTO(arena) scratch = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        struct wire_message message;
        struct wire_message again;
        struct text frame;

        if (!wire_parse(arena, text_slice(rest, 0, length), &message, &err)) {
            FUZZ_CHECK(err.code == CODE_R0601 && err.text[0] != '\0');
            return 0;
        }
        frame = frame_write(scratch, &message);
        FUZZ_CHECK(wire_parse(scratch, frame, &again, &err));
        FUZZ_CHECK(text_is_equal(frame, frame_write(scratch, &again)));
        rest = text_slice(rest, length, rest.length);
    }
    return 0;
}
