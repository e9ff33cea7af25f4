/* Event streams: no input breaks the parser, and the events do not depend on the pieces in which
 * the bytes arrive. */
#include "client/event_reader.h"
#include "fuzz.h"

struct got {
    uint64_t hash;
    size_t count;
};

static bool event_take(void *arg, const struct client_event *event)
{
    struct got *got = arg;

    got->hash = text_hash(event->type, text_hash(event->id, text_hash(event->data, got->hash)));
    got->count++;
    FUZZ_CHECK(event->type.length > 0 && text_find_byte(event->id, '\0') == SIZE_MAX);
    return got->count < 1000;
}

static struct got events_read(struct text bytes, size_t step)
{
    struct got got = { 0 };
    struct event_reader reader;
    struct err err;

    event_reader_init(&reader, event_take, &got);
    while (bytes.length > 0) {
        struct text piece = text_slice(bytes, 0, step);

        /* an input is smaller than the limit of an event */
        FUZZ_CHECK(event_reader_feed(&reader, piece, &err));
        bytes = text_slice(bytes, piece.length, bytes.length);
    }
    event_reader_fini(&reader);
    return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text bytes = { (const char *)data, size };
    struct got whole = events_read(bytes, size == 0 ? 1 : size);
    struct got pieces = events_read(bytes, 3);

    FUZZ_CHECK(whole.hash == pieces.hash && whole.count == pieces.count);
    return 0;
}
