#include "wire/frame.h"

#include "base/limits.h"
#include "codec/msgpack.h"

#include <assert.h>

static const struct frame_field pair_fields[] = { WORDS(wire_pair, name), WORDS(wire_pair, value) };
const struct frame_shape frame_pair_shape = SHAPE(wire_pair, pair_fields);

/* ---- writing ---- */

static void struct_add(struct buf *buf, const struct frame_shape *shape, const void *from);

static void frame_list_add(struct buf *buf, const struct frame_field *field,
                           const struct wire_list *list)
{
    msgpack_add_list(buf, list->count);
    for (size_t i = 0; i < list->count; i++) {
        if (field->kind == FRAME_TEXTS) {
            msgpack_add_text(buf, ((const struct text *)list->items)[i]);
        } else {
            const char *item = (const char *)list->items + i * field->items->bytes;

            msgpack_add_list(buf, field->items->count);
            struct_add(buf, field->items, item);
        }
    }
}

static void struct_add(struct buf *buf, const struct frame_shape *shape, const void *from)
{
    for (size_t i = 0; i < shape->count; i++) {
        const struct frame_field *field = &shape->fields[i];
        const void *value = (const char *)from + field->offset;

        switch (field->kind) {
        case FRAME_NATURAL:
            msgpack_add_natural(buf, *(const uint64_t *)value);
            break;
        case FRAME_INTEGER:
            msgpack_add_integer(buf, *(const int64_t *)value);
            break;
        case FRAME_TEXT:
            msgpack_add_text(buf, *(const struct text *)value);
            break;
        case FRAME_BYTES:
            msgpack_add_binary(buf, *(const struct text *)value);
            break;
        case FRAME_LIST:
        case FRAME_TEXTS:
            frame_list_add(buf, field, value);
            break;
        }
    }
}

void frame_format(struct buf *buf, uint64_t type, const struct frame_shape *shape, const void *body)
{
    size_t before = buf->length;
    size_t length;

    assert(shape != NULL);
    buf_add_bytes(buf, '\0', FRAME_HEAD_BYTES);
    msgpack_add_list(buf, shape->count + 1);
    msgpack_add_natural(buf, type);
    struct_add(buf, shape, body);
    length = buf->length - before - FRAME_HEAD_BYTES;
    for (size_t i = 0; i < FRAME_HEAD_BYTES; i++) {
        buf->data[before + i] = (char)(length >> (8 * i) & 0xffU);
    }
}

/* ---- reading ---- */

bool frame_measure(struct text bytes, enum code code, size_t *out, struct err *err)
{
    size_t length = 0;

    *out = 0;
    if (bytes.length < FRAME_HEAD_BYTES) {
        return true;
    }
    for (size_t i = 0; i < FRAME_HEAD_BYTES; i++) {
        length |= (size_t)(unsigned char)bytes.data[i] << (8 * i);
    }
    if (length > LIMIT_WIRE_FRAME_BYTES) {
        err_set(err, code, "the frame has %zu bytes; %d are allowed", length,
                LIMIT_WIRE_FRAME_BYTES);
        return false;
    }
    *out = FRAME_HEAD_BYTES + length;
    return true;
}

MUST_CHECK static bool struct_read(struct arena *arena, struct msgpack_reader *reader,
                                   const struct frame_shape *shape, size_t given, void *out);

static bool frame_text_read(struct msgpack_reader *reader, struct text *out)
{
    struct msgpack_item item;

    if (!msgpack_next(reader, &item) || item.kind != MSGPACK_TEXT ||
        text_find_bad_utf8(item.bytes) != SIZE_MAX) {
        return false;
    }
    *out = item.bytes;
    return true;
}

/* Reads a list. One received byte may need a hundred bytes of memory, so a message that exceeds the
 * limit of the arena is rejected. */
static bool frame_list_read(struct arena *arena, struct msgpack_reader *reader,
                            const struct frame_field *field, struct wire_list *out)
{
    size_t bytes = field->kind == FRAME_TEXTS ? sizeof(struct text) : field->items->bytes;
    struct msgpack_item head;

    if (!msgpack_next(reader, &head) || head.kind != MSGPACK_LIST ||
        head.count > LIMIT_WIRE_LIST_ITEMS || head.count > arena_left(arena) / (bytes * 2)) {
        return false;
    }
    out->items = arena_alloc_array(arena, head.count, bytes);
    for (out->count = 0; out->count < head.count; out->count++) {
        char *item = (char *)out->items + out->count * bytes;
        struct msgpack_item inner;

        if (field->kind == FRAME_TEXTS) {
            if (!frame_text_read(reader, (struct text *)(void *)item)) {
                return false;
            }
        } else if (!msgpack_next(reader, &inner) || inner.kind != MSGPACK_LIST ||
                   !struct_read(arena, reader, field->items, inner.count, item)) {
            return false;
        }
    }
    return true;
}

static bool frame_field_read(struct arena *arena, struct msgpack_reader *reader,
                             const struct frame_field *field, void *out)
{
    struct msgpack_item item;

    switch (field->kind) {
    case FRAME_NATURAL:
        if (!msgpack_next(reader, &item) || item.kind != MSGPACK_NATURAL) {
            return false;
        }
        *(uint64_t *)out = item.natural;
        return true;
    case FRAME_INTEGER:
        if (!msgpack_next(reader, &item) ||
            (item.kind != MSGPACK_NATURAL && item.kind != MSGPACK_NEGATIVE)) {
            return false;
        }
        *(int64_t *)out = item.integer;
        return true;
    case FRAME_TEXT:
        return frame_text_read(reader, out);
    case FRAME_BYTES:
        if (!msgpack_next(reader, &item) || item.kind != MSGPACK_BINARY) {
            return false;
        }
        *(struct text *)out = item.bytes;
        return true;
    case FRAME_LIST:
    case FRAME_TEXTS:
        return frame_list_read(arena, reader, field, out);
    }
    return false;
}

static bool struct_read(struct arena *arena, struct msgpack_reader *reader,
                        const struct frame_shape *shape, size_t given, void *out)
{
    for (size_t i = 0; i < given; i++) {
        if (i >= shape->count) {
            if (!msgpack_pass(reader)) {
                return false;
            }
        } else if (!frame_field_read(arena, reader, &shape->fields[i],
                                     (char *)out + shape->fields[i].offset)) {
            return false;
        }
    }
    return true;
}

bool frame_parse(struct arena *arena, struct text frame, frame_shape_fn *shape_of, enum code code,
                 uint64_t *type, void *body, struct err *err)
{
    struct msgpack_reader reader =
        msgpack_read(text_slice(frame, FRAME_HEAD_BYTES, frame.length - FRAME_HEAD_BYTES));
    struct msgpack_item head;
    struct msgpack_item number;
    const struct frame_shape *shape;

    if (!msgpack_next(&reader, &head) || head.kind != MSGPACK_LIST || head.count == 0 ||
        !msgpack_next(&reader, &number) || number.kind != MSGPACK_NATURAL) {
        err_set(err, code, "the frame is not a message");
        return false;
    }
    shape = shape_of(number.natural);
    if (shape == NULL) {
        err_set(err, code, "the message has the unknown type %llu",
                (unsigned long long)number.natural);
        return false;
    }
    *type = number.natural;
    if (!struct_read(arena, &reader, shape, head.count - 1, body) || !msgpack_is_over(&reader)) {
        err_set(err, code, "a message of type %llu is damaged", (unsigned long long)number.natural);
        return false;
    }
    return true;
}
