#include "wire/wire.h"

#include "base/limits.h"
#include "codec/msgpack.h"

#include <assert.h>

/* One table for each message says what is written and read, in this order. */

enum kind { KIND_NATURAL, KIND_INTEGER, KIND_TEXT, KIND_LIST, KIND_TEXTS };

struct shape;

struct field {
    size_t offset;
    enum kind kind;
    const struct shape *items; /* of KIND_LIST */
};

struct shape {
    const struct field *fields;
    size_t count;
    size_t bytes; /* of the struct */
};

#define NATURAL(type, member)                             \
    {                                                     \
        offsetof(struct type, member), KIND_NATURAL, NULL \
    }
#define INTEGER(type, member)                             \
    {                                                     \
        offsetof(struct type, member), KIND_INTEGER, NULL \
    }
#define WORDS(type, member)                            \
    {                                                  \
        offsetof(struct type, member), KIND_TEXT, NULL \
    }
#define TEXTS(type, member)                             \
    {                                                   \
        offsetof(struct type, member), KIND_TEXTS, NULL \
    }
#define LIST(type, member, shape)                          \
    {                                                      \
        offsetof(struct type, member), KIND_LIST, &(shape) \
    }
#define SHAPE(type, fields)                              \
    {                                                    \
        fields, ARRAY_COUNT(fields), sizeof(struct type) \
    }

static const struct field pair_fields[] = { WORDS(wire_pair, name), WORDS(wire_pair, value) };
static const struct shape pair_shape = SHAPE(wire_pair, pair_fields);

static const struct field open_fields[] = {
    WORDS(wire_open, path),        WORDS(wire_open, digest),        WORDS(wire_open, name),
    WORDS(wire_open, folder),      WORDS(wire_open, settings),      NATURAL(wire_open, profile),
    NATURAL(wire_open, calls_max), NATURAL(wire_open, is_question),
};
static const struct shape open_shape = SHAPE(wire_open, open_fields);

static const struct field call_fields[] = {
    NATURAL(wire_call, id),      NATURAL(wire_call, method),
    NATURAL(wire_call, left_ms), WORDS(wire_call, cluster),
    WORDS(wire_call, machine),   WORDS(wire_call, token),
    WORDS(wire_call, name),      WORDS(wire_call, zone),
    WORDS(wire_call, labels),    WORDS(wire_call, properties),
    WORDS(wire_call, init),      WORDS(wire_call, keys),
    WORDS(wire_call, reason),    WORDS(wire_call, known),
    WORDS(wire_call, secret),    LIST(wire_call, tags, pair_shape),
    TEXTS(wire_call, ids),
};
static const struct shape call_shape = SHAPE(wire_call, call_fields);

static const struct field property_fields[] = {
    WORDS(wire_property, name),    NATURAL(wire_property, type),  NATURAL(wire_property, role),
    NATURAL(wire_property, flags), WORDS(wire_property, initial), WORDS(wire_property, choices),
    WORDS(wire_property, help),    WORDS(wire_property, example), INTEGER(wire_property, least),
    INTEGER(wire_property, most),
};
static const struct shape property_shape = SHAPE(wire_property, property_fields);

static const struct field hello_fields[] = {
    WORDS(wire_hello, name),
    WORDS(wire_hello, version),
    WORDS(wire_hello, about),
    NATURAL(wire_hello, capabilities),
    NATURAL(wire_hello, lag_ms),
    NATURAL(wire_hello, late_ms),
    NATURAL(wire_hello, create_ms),
    NATURAL(wire_hello, calls_max),
    NATURAL(wire_hello, calls_per_s),
    NATURAL(wire_hello, methods),
    LIST(wire_hello, properties, property_shape),
    LIST(wire_hello, sandbox, pair_shape),
    NATURAL(wire_hello, contract),
};
static const struct shape hello_shape = SHAPE(wire_hello, hello_fields);

static const struct field failed_fields[] = { WORDS(wire_failed, message) };
static const struct shape failed_shape = SHAPE(wire_failed, failed_fields);

static const struct field row_fields[] = {
    WORDS(wire_row, id),   NATURAL(wire_row, state),    WORDS(wire_row, address),
    WORDS(wire_row, zone), WORDS(wire_row, properties), LIST(wire_row, tags, pair_shape),
};
static const struct shape row_shape = SHAPE(wire_row, row_fields);

static const struct field page_fields[] = { NATURAL(wire_page, call),
                                            LIST(wire_page, rows, row_shape) };
static const struct shape page_shape = SHAPE(wire_page, page_fields);

static const struct field answer_fields[] = {
    NATURAL(wire_answer, call),         NATURAL(wire_answer, result),
    NATURAL(wire_answer, retry_ms),     NATURAL(wire_answer, is_incomplete),
    NATURAL(wire_answer, is_unchanged), WORDS(wire_answer, machine),
    WORDS(wire_answer, mark),           LIST(wire_answer, faults, pair_shape),
};
static const struct shape answer_shape = SHAPE(wire_answer, answer_fields);

static const struct field log_fields[] = { NATURAL(wire_log, level), WORDS(wire_log, message) };
static const struct shape log_shape = SHAPE(wire_log, log_fields);

static const struct shape *shape_of(uint64_t type)
{
    switch (type) {
    case WIRE_OPEN:
        return &open_shape;
    case WIRE_CALL:
        return &call_shape;
    case WIRE_HELLO:
        return &hello_shape;
    case WIRE_FAILED:
        return &failed_shape;
    case WIRE_PAGE:
        return &page_shape;
    case WIRE_ANSWER:
        return &answer_shape;
    case WIRE_LOG:
        return &log_shape;
    default:
        return NULL;
    }
}

/* ---- writing ---- */

static void struct_add(struct buf *buf, const struct shape *shape, const void *from);

static void list_add(struct buf *buf, const struct field *field, const struct wire_list *list)
{
    msgpack_add_list(buf, list->count);
    for (size_t i = 0; i < list->count; i++) {
        if (field->kind == KIND_TEXTS) {
            msgpack_add_text(buf, ((const struct text *)list->items)[i]);
        } else {
            const char *item = (const char *)list->items + i * field->items->bytes;

            msgpack_add_list(buf, field->items->count);
            struct_add(buf, field->items, item);
        }
    }
}

static void struct_add(struct buf *buf, const struct shape *shape, const void *from)
{
    for (size_t i = 0; i < shape->count; i++) {
        const struct field *field = &shape->fields[i];
        const void *value = (const char *)from + field->offset;

        switch (field->kind) {
        case KIND_NATURAL:
            msgpack_add_natural(buf, *(const uint64_t *)value);
            break;
        case KIND_INTEGER:
            msgpack_add_integer(buf, *(const int64_t *)value);
            break;
        case KIND_TEXT:
            msgpack_add_text(buf, *(const struct text *)value);
            break;
        case KIND_LIST:
        case KIND_TEXTS:
            list_add(buf, field, value);
            break;
        }
    }
}

void wire_format(struct buf *buf, const struct wire_message *message)
{
    const struct shape *shape = shape_of(message->type);
    size_t before = buf->length;
    size_t length;

    assert(shape != NULL);
    buf_add_bytes(buf, '\0', WIRE_HEAD_BYTES);
    msgpack_add_list(buf, shape->count + 1);
    msgpack_add_natural(buf, message->type);
    struct_add(buf, shape, &message->open);
    length = buf->length - before - WIRE_HEAD_BYTES;
    for (size_t i = 0; i < WIRE_HEAD_BYTES; i++) {
        buf->data[before + i] = (char)(length >> (8 * i) & 0xffU);
    }
}

/* ---- reading ---- */

bool wire_measure(struct text bytes, size_t *out, struct err *err)
{
    size_t length = 0;

    *out = 0;
    if (bytes.length < WIRE_HEAD_BYTES) {
        return true;
    }
    for (size_t i = 0; i < WIRE_HEAD_BYTES; i++) {
        length |= (size_t)(unsigned char)bytes.data[i] << (8 * i);
    }
    if (length > LIMIT_WIRE_FRAME_BYTES) {
        err_set(err, CODE_R0601, "a frame of %zu bytes; %d are allowed", length,
                LIMIT_WIRE_FRAME_BYTES);
        return false;
    }
    *out = WIRE_HEAD_BYTES + length;
    return true;
}

MUST_CHECK static bool struct_read(struct arena *arena, struct msgpack_reader *reader,
                                   const struct shape *shape, size_t given, void *out);

static bool text_read(struct msgpack_reader *reader, struct text *out)
{
    struct msgpack_item item;

    if (!msgpack_next(reader, &item) || item.kind != MSGPACK_TEXT ||
        text_find_bad_utf8(item.bytes) != SIZE_MAX) {
        return false;
    }
    *out = item.bytes;
    return true;
}

/* A byte that is sent may cost a hundred here: whoever sends more than the arena bears is refused. */
static bool list_read(struct arena *arena, struct msgpack_reader *reader, const struct field *field,
                      struct wire_list *out)
{
    size_t bytes = field->kind == KIND_TEXTS ? sizeof(struct text) : field->items->bytes;
    struct msgpack_item head;

    if (!msgpack_next(reader, &head) || head.kind != MSGPACK_LIST ||
        head.count > LIMIT_WIRE_LIST_ITEMS || head.count > arena_left(arena) / (bytes * 2)) {
        return false;
    }
    out->items = arena_alloc_array(arena, head.count, bytes);
    for (out->count = 0; out->count < head.count; out->count++) {
        char *item = (char *)out->items + out->count * bytes;
        struct msgpack_item inner;

        if (field->kind == KIND_TEXTS) {
            if (!text_read(reader, (struct text *)(void *)item)) {
                return false;
            }
        } else if (!msgpack_next(reader, &inner) || inner.kind != MSGPACK_LIST ||
                   !struct_read(arena, reader, field->items, inner.count, item)) {
            return false;
        }
    }
    return true;
}

static bool field_read(struct arena *arena, struct msgpack_reader *reader,
                       const struct field *field, void *out)
{
    struct msgpack_item item;

    switch (field->kind) {
    case KIND_NATURAL:
        if (!msgpack_next(reader, &item) || item.kind != MSGPACK_NATURAL) {
            return false;
        }
        *(uint64_t *)out = item.natural;
        return true;
    case KIND_INTEGER:
        if (!msgpack_next(reader, &item) ||
            (item.kind != MSGPACK_NATURAL && item.kind != MSGPACK_NEGATIVE)) {
            return false;
        }
        *(int64_t *)out = item.integer;
        return true;
    case KIND_TEXT:
        return text_read(reader, out);
    case KIND_LIST:
    case KIND_TEXTS:
        return list_read(arena, reader, field, out);
    }
    return false;
}

static bool struct_read(struct arena *arena, struct msgpack_reader *reader,
                        const struct shape *shape, size_t given, void *out)
{
    for (size_t i = 0; i < given; i++) {
        if (i >= shape->count) {
            if (!msgpack_pass(reader)) {
                return false;
            }
        } else if (!field_read(arena, reader, &shape->fields[i],
                               (char *)out + shape->fields[i].offset)) {
            return false;
        }
    }
    return true;
}

bool wire_parse(struct arena *arena, struct text frame, struct wire_message *out, struct err *err)
{
    struct msgpack_reader reader =
        msgpack_read(text_slice(frame, WIRE_HEAD_BYTES, frame.length - WIRE_HEAD_BYTES));
    struct msgpack_item head;
    struct msgpack_item type;
    const struct shape *shape;

    *out = (struct wire_message){ 0 };
    if (!msgpack_next(&reader, &head) || head.kind != MSGPACK_LIST || head.count == 0 ||
        !msgpack_next(&reader, &type) || type.kind != MSGPACK_NATURAL) {
        err_set(err, CODE_R0601, "a frame that is no message");
        return false;
    }
    shape = shape_of(type.natural);
    if (shape == NULL) {
        err_set(err, CODE_R0601, "a message of the unknown type %llu",
                (unsigned long long)type.natural);
        return false;
    }
    out->type = (enum wire_type)type.natural;
    if (!struct_read(arena, &reader, shape, head.count - 1, &out->open) ||
        !msgpack_is_over(&reader)) {
        err_set(err, CODE_R0601, "a message of type %llu that is damaged",
                (unsigned long long)type.natural);
        return false;
    }
    return true;
}
