#include "client/event_reader.h"

#include <assert.h>
#include <string.h>

void event_reader_init(struct event_reader *reader, client_event_fn *event, void *arg)
{
    assert(event != NULL);
    memset(reader, 0, sizeof(*reader));
    /* room for two growing buffers; the arena also keeps their smaller previous copies */
    reader->arena = arena_new((size_t)LIMIT_EVENT_BYTES * 2 * 4);
    buf_init(&reader->line, reader->arena);
    buf_init(&reader->data, reader->arena);
    reader->event = event;
    reader->arg = arg;
}

void event_reader_fini(struct event_reader *reader)
{
    arena_free(reader->arena);
    reader->arena = NULL;
}

MUST_CHECK static bool event_reader_too_large(struct err *err)
{
    return err_set(err, CODE_R0020, "an event of the stream is larger than %d bytes",
                   LIMIT_EVENT_BYTES);
}

static void event_end(struct event_reader *reader)
{
    struct client_event event = {
        .type = reader->type_length == 0 ? TEXT("message")
                                         : (struct text){ reader->type, reader->type_length },
        .id = { reader->id, reader->id_length },
        .data = buf_text(&reader->data),
    };

    if (reader->has_data && !reader->event(reader->arg, &event)) {
        reader->is_enough = true;
    }
    reader->has_data = false;
    reader->data.length = 0;
    reader->type_length = 0;
}

/* Stores a name. A value that is too long is ignored, because a truncated id would resume at
 * another position. */
static void name_keep(char out[LIMIT_EVENT_NAME_BYTES], size_t *out_length, struct text value)
{
    *out_length = value.length <= LIMIT_EVENT_NAME_BYTES ? value.length : 0;
    memcpy(out, value.data, *out_length);
}

MUST_CHECK static bool data_add(struct event_reader *reader, struct text value, struct err *err)
{
    size_t needed = value.length + (reader->has_data ? 1 : 0);

    if (needed > LIMIT_EVENT_BYTES - reader->data.length) {
        return event_reader_too_large(err);
    }
    if (reader->has_data) {
        buf_add_bytes(&reader->data, '\n', 1);
    }
    buf_add(&reader->data, value);
    reader->has_data = true;
    return true;
}

MUST_CHECK static bool event_reader_line_read(struct event_reader *reader, struct text line,
                                              struct err *err)
{
    size_t colon = text_find_byte(line, ':');
    struct text name = text_slice(line, 0, colon);
    struct text value = colon == SIZE_MAX ? TEXT("") : text_slice(line, colon + 1, line.length);

    if (line.length == 0) {
        event_end(reader);
        return true;
    }
    if (text_has_prefix(value, TEXT(" "))) {
        value = text_slice(value, 1, value.length);
    }
    if (value.length == 0) {
        value.data = "";
    }
    if (text_is(name, "data")) {
        return data_add(reader, value, err);
    }
    if (text_is(name, "event")) {
        name_keep(reader->type, &reader->type_length, value);
    } else if (text_is(name, "id") && text_find_byte(value, '\0') == SIZE_MAX) {
        name_keep(reader->id, &reader->id_length, value);
    }
    return true; /* the line is a comment or an unknown field */
}

MUST_CHECK static bool event_reader_line_end(struct event_reader *reader, struct err *err)
{
    struct text line = buf_text(&reader->line);

    if (!reader->is_begun && text_has_prefix(line, TEXT("\xef\xbb\xbf"))) {
        line = text_slice(line, 3, line.length);
    }
    reader->is_begun = true;
    reader->line.length = 0; /* the bytes remain valid until the next add */
    if (reader->is_lines) {
        struct client_event event = { .type = TEXT("message"), .data = line };

        reader->is_enough = line.length > 0 && !reader->event(reader->arg, &event);
        return true;
    }
    return event_reader_line_read(reader, line, err);
}

bool event_reader_feed(struct event_reader *reader, struct text bytes, struct err *err)
{
    for (size_t i = 0; i < bytes.length && !reader->is_enough; i++) {
        char letter = bytes.data[i];
        bool is_second = letter == '\n' && reader->is_behind_cr;

        reader->is_behind_cr = letter == '\r';
        if (is_second) {
            continue;
        }
        if (letter == '\r' || letter == '\n') {
            if (!event_reader_line_end(reader, err)) {
                return false;
            }
            continue;
        }
        if (reader->line.length == LIMIT_EVENT_BYTES) {
            return event_reader_too_large(err);
        }
        buf_add_bytes(&reader->line, letter, 1);
    }
    return true;
}
