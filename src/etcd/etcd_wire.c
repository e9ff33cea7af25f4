#include "etcd/etcd_wire.h"

#include <assert.h>

enum {
    TYPE_VARINT = 0,
    TYPE_FIXED64 = 1,
    TYPE_BYTES = 2,
    TYPE_FIXED32 = 5,
    TYPE_BITS = 3,
    VARINT_BITS = 7,
    VARINT_MORE = 0x80,
    /* maximum length of an embedded message: 28 bits; space for the length is reserved before the
     * length is known */
    LENGTH_BYTES = 4,
};

/* ---- reading ---- */

MUST_CHECK static bool varint_take(struct text *rest, uint64_t *out)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && rest->length > 0; shift += VARINT_BITS) {
        unsigned char byte = (unsigned char)rest->data[0];

        *rest = text_slice(*rest, 1, rest->length);
        value |= (uint64_t)(byte & (VARINT_MORE - 1)) << shift;
        if ((byte & VARINT_MORE) == 0) {
            *out = value;
            return true;
        }
    }
    return false;
}

MUST_CHECK static bool etcd_wire_bytes_take(struct text *rest, uint64_t length, struct text *out)
{
    if (length > rest->length) {
        return false;
    }
    *out = text_slice(*rest, 0, (size_t)length);
    *rest = text_slice(*rest, (size_t)length, rest->length);
    return true;
}

/* Reads the value that follows a tag. Fixed-size numbers do not occur in the known messages, and
 * are skipped. */
MUST_CHECK static bool etcd_wire_value_take(struct text *rest, unsigned type,
                                            struct wire_field *out)
{
    struct text passed;
    uint64_t length;

    switch (type) {
    case TYPE_VARINT:
        return varint_take(rest, &out->value);
    case TYPE_BYTES:
        out->is_bytes = true;
        return varint_take(rest, &length) && etcd_wire_bytes_take(rest, length, &out->bytes);
    case TYPE_FIXED64:
        return etcd_wire_bytes_take(rest, sizeof(uint64_t), &passed);
    case TYPE_FIXED32:
        return etcd_wire_bytes_take(rest, sizeof(uint32_t), &passed);
    default:
        return false; /* deprecated groups, and undefined types */
    }
}

enum wire_step wire_next(struct text *rest, struct wire_field *out)
{
    uint64_t tag;

    if (rest->length == 0) {
        return WIRE_STEP_END;
    }
    *out = (struct wire_field){ 0 };
    if (!varint_take(rest, &tag) || tag >> TYPE_BITS == 0 || tag >> TYPE_BITS > UINT32_MAX) {
        return WIRE_STEP_BROKEN;
    }
    out->number = (uint32_t)(tag >> TYPE_BITS);
    if (!etcd_wire_value_take(rest, (unsigned)tag & ((1U << TYPE_BITS) - 1), out)) {
        return WIRE_STEP_BROKEN;
    }
    return WIRE_STEP_FIELD;
}

/* ---- writing ---- */

static void varint_add(struct buf *buf, uint64_t value)
{
    while (value >= VARINT_MORE) {
        buf_add_bytes(buf, (char)(value | VARINT_MORE), 1);
        value >>= VARINT_BITS;
    }
    buf_add_bytes(buf, (char)value, 1);
}

static void tag_add(struct buf *buf, uint32_t field, unsigned type)
{
    assert(field > 0);
    varint_add(buf, (uint64_t)field << TYPE_BITS | type);
}

void wire_add_number(struct buf *buf, uint32_t field, uint64_t value)
{
    if (value != 0) {
        tag_add(buf, field, TYPE_VARINT);
        varint_add(buf, value);
    }
}

void wire_add_zero(struct buf *buf, uint32_t field)
{
    tag_add(buf, field, TYPE_VARINT);
    varint_add(buf, 0);
}

void wire_add_text(struct buf *buf, uint32_t field, struct text text)
{
    tag_add(buf, field, TYPE_BYTES);
    varint_add(buf, text.length);
    buf_add(buf, text);
}

size_t wire_open(struct buf *buf, uint32_t field)
{
    tag_add(buf, field, TYPE_BYTES);
    buf_add_bytes(buf, 0, LENGTH_BYTES);
    return buf->length;
}

void wire_close(struct buf *buf, size_t opened)
{
    size_t length = buf->length - opened;

    assert(opened >= LENGTH_BYTES && opened <= buf->length);
    assert(length >> (LENGTH_BYTES * VARINT_BITS) == 0);
    for (size_t i = 0; i < LENGTH_BYTES; i++) {
        unsigned char more = i + 1 < LENGTH_BYTES ? VARINT_MORE : 0;

        buf->data[opened - LENGTH_BYTES + i] =
            (char)((length >> (i * VARINT_BITS) & (VARINT_MORE - 1)) | more);
    }
}
