#include "codec/msgpack.h"

#include "base/limits.h"

#include <assert.h>
#include <string.h>

/* First bytes of items. The bytes of one kind are in sequence, for 8, 16, 32 (and 64) bits of
 * length or value. */
enum {
    HEAD_FIXMAP = 0x80,
    HEAD_FIXLIST = 0x90,
    HEAD_FIXTEXT = 0xa0,
    HEAD_NIL = 0xc0,
    HEAD_FALSE = 0xc2,
    HEAD_TRUE = 0xc3,
    HEAD_BINARY8 = 0xc4,
    HEAD_OTHER8 = 0xc7,
    HEAD_REAL32 = 0xca,
    HEAD_REAL64 = 0xcb,
    HEAD_NATURAL8 = 0xcc,
    HEAD_INTEGER8 = 0xd0,
    HEAD_FIXOTHER1 = 0xd4,
    HEAD_TEXT8 = 0xd9,
    HEAD_LIST16 = 0xdc,
    HEAD_MAP16 = 0xde,
    HEAD_NEGATIVE = 0xe0,
};

/* ---- reading ---- */

struct msgpack_reader msgpack_read(struct text bytes)
{
    const unsigned char *first = (const unsigned char *)(bytes.length == 0 ? "" : bytes.data);

    return (struct msgpack_reader){ first, first + bytes.length };
}

bool msgpack_is_over(const struct msgpack_reader *reader)
{
    return reader->at == reader->end;
}

static size_t left(const struct msgpack_reader *reader)
{
    assert(reader->at <= reader->end);
    return (size_t)(reader->end - reader->at);
}

/* Read a number of `width` bytes, highest first. */
static bool msgpack_number_take(struct msgpack_reader *reader, size_t width, uint64_t *out)
{
    uint64_t number = 0;

    if (left(reader) < width) {
        return false;
    }
    for (size_t i = 0; i < width; i++) {
        number = number << 8 | reader->at[i];
    }
    reader->at += width;
    *out = number;
    return true;
}

static bool msgpack_bytes_take(struct msgpack_reader *reader, uint64_t length,
                               enum msgpack_kind kind, struct msgpack_item *out)
{
    if (left(reader) < length) {
        return false;
    }
    out->kind = kind;
    out->bytes = (struct text){ (const char *)reader->at, (size_t)length };
    reader->at += length;
    return true;
}

/* Read a length of `width` bytes and as many bytes after it. */
static bool long_take(struct msgpack_reader *reader, size_t width, enum msgpack_kind kind,
                      struct msgpack_item *out)
{
    uint64_t length;

    if (!msgpack_number_take(reader, width, &length)) {
        return false;
    }
    if (kind == MSGPACK_OTHER) {
        length++; /* the type of an extension precedes its bytes */
    }
    return msgpack_bytes_take(reader, length, kind, out);
}

/* Begin a list or map of `count` items. Every item takes at least one byte, so a count above the
 * remaining bytes is rejected immediately. */
static bool count_take(struct msgpack_reader *reader, uint64_t count, enum msgpack_kind kind,
                       struct msgpack_item *out)
{
    if (count > left(reader) / (kind == MSGPACK_MAP ? 2 : 1)) {
        return false;
    }
    out->kind = kind;
    out->count = (size_t)count;
    return true;
}

static bool count_read(struct msgpack_reader *reader, size_t width, enum msgpack_kind kind,
                       struct msgpack_item *out)
{
    uint64_t count;

    return msgpack_number_take(reader, width, &count) && count_take(reader, count, kind, out);
}

static bool natural_take(struct msgpack_reader *reader, size_t width, struct msgpack_item *out)
{
    if (!msgpack_number_take(reader, width, &out->natural)) {
        return false;
    }
    out->kind = MSGPACK_NATURAL;
    out->integer = out->natural > INT64_MAX ? INT64_MAX : (int64_t)out->natural;
    return true;
}

static void integer_set(struct msgpack_item *out, int64_t value)
{
    out->kind = value < 0 ? MSGPACK_NEGATIVE : MSGPACK_NATURAL;
    out->integer = value;
    out->natural = value < 0 ? 0 : (uint64_t)value;
}

static bool integer_take(struct msgpack_reader *reader, size_t width, struct msgpack_item *out)
{
    unsigned shift = (unsigned)(64 - 8 * width);
    uint64_t bits;
    int64_t value;

    if (!msgpack_number_take(reader, width, &bits)) {
        return false;
    }
    bits <<= shift;
    memcpy(&value, &bits, sizeof(value));
    integer_set(out, value >> shift);
    return true;
}

static bool real_take(struct msgpack_reader *reader, size_t width, struct msgpack_item *out)
{
    uint64_t bits;

    if (!msgpack_number_take(reader, width, &bits)) {
        return false;
    }
    out->kind = MSGPACK_REAL;
    if (width == sizeof(float)) {
        uint32_t narrow = (uint32_t)bits;
        float real;

        memcpy(&real, &narrow, sizeof(real));
        out->real = (double)real;
    } else {
        memcpy(&out->real, &bits, sizeof(out->real));
    }
    return true;
}

/* Read an item with a first byte above 0xc0 that is not a negative number. */
static bool headed_take(struct msgpack_reader *reader, unsigned head, struct msgpack_item *out)
{
    switch (head) {
    case HEAD_NIL:
        out->kind = MSGPACK_NIL;
        return true;
    case HEAD_FALSE:
    case HEAD_TRUE:
        out->kind = MSGPACK_BOOL;
        out->natural = head == HEAD_TRUE;
        return true;
    case HEAD_BINARY8:
    case HEAD_BINARY8 + 1:
    case HEAD_BINARY8 + 2:
        return long_take(reader, (size_t)1 << (head - HEAD_BINARY8), MSGPACK_BINARY, out);
    case HEAD_OTHER8:
    case HEAD_OTHER8 + 1:
    case HEAD_OTHER8 + 2:
        return long_take(reader, (size_t)1 << (head - HEAD_OTHER8), MSGPACK_OTHER, out);
    case HEAD_REAL32:
        return real_take(reader, sizeof(float), out);
    case HEAD_REAL64:
        return real_take(reader, sizeof(double), out);
    case HEAD_NATURAL8:
    case HEAD_NATURAL8 + 1:
    case HEAD_NATURAL8 + 2:
    case HEAD_NATURAL8 + 3:
        return natural_take(reader, (size_t)1 << (head - HEAD_NATURAL8), out);
    case HEAD_INTEGER8:
    case HEAD_INTEGER8 + 1:
    case HEAD_INTEGER8 + 2:
    case HEAD_INTEGER8 + 3:
        return integer_take(reader, (size_t)1 << (head - HEAD_INTEGER8), out);
    case HEAD_FIXOTHER1:
    case HEAD_FIXOTHER1 + 1:
    case HEAD_FIXOTHER1 + 2:
    case HEAD_FIXOTHER1 + 3:
    case HEAD_FIXOTHER1 + 4:
        return msgpack_bytes_take(reader, ((uint64_t)1 << (head - HEAD_FIXOTHER1)) + 1,
                                  MSGPACK_OTHER, out);
    case HEAD_TEXT8:
    case HEAD_TEXT8 + 1:
    case HEAD_TEXT8 + 2:
        return long_take(reader, (size_t)1 << (head - HEAD_TEXT8), MSGPACK_TEXT, out);
    case HEAD_LIST16:
    case HEAD_LIST16 + 1:
        return count_read(reader, (size_t)2 << (head - HEAD_LIST16), MSGPACK_LIST, out);
    case HEAD_MAP16:
    case HEAD_MAP16 + 1:
        return count_read(reader, (size_t)2 << (head - HEAD_MAP16), MSGPACK_MAP, out);
    default:
        /* 0xc1 is never used. */
        return false;
    }
}

static bool item_take(struct msgpack_reader *reader, struct msgpack_item *out)
{
    unsigned head = *reader->at++;

    if (head < HEAD_FIXMAP) {
        integer_set(out, (int64_t)head);
        return true;
    }
    if (head >= HEAD_NEGATIVE) {
        integer_set(out, (int64_t)head - 0x100);
        return true;
    }
    if (head < HEAD_FIXLIST) {
        return count_take(reader, head & 0x0fU, MSGPACK_MAP, out);
    }
    if (head < HEAD_FIXTEXT) {
        return count_take(reader, head & 0x0fU, MSGPACK_LIST, out);
    }
    if (head < HEAD_NIL) {
        return msgpack_bytes_take(reader, head & 0x1fU, MSGPACK_TEXT, out);
    }
    return headed_take(reader, head, out);
}

bool msgpack_next(struct msgpack_reader *reader, struct msgpack_item *out)
{
    struct msgpack_reader ahead = *reader;

    *out = (struct msgpack_item){ .bytes = { "", 0 } };
    if (msgpack_is_over(reader) || !item_take(&ahead, out)) {
        return false;
    }
    *reader = ahead;
    return true;
}

bool msgpack_pass(struct msgpack_reader *reader)
{
    size_t waiting[LIMIT_DOCUMENT_DEPTH]; /* items still to come, by level */
    struct msgpack_reader ahead = *reader;
    struct msgpack_item item;
    size_t depth = 0;

    for (waiting[0] = 1;;) {
        while (waiting[depth] == 0) {
            if (depth-- == 0) {
                *reader = ahead;
                return true;
            }
        }
        waiting[depth]--;
        if (!msgpack_next(&ahead, &item)) {
            return false;
        }
        if (item.kind == MSGPACK_LIST || item.kind == MSGPACK_MAP) {
            if (++depth == LIMIT_DOCUMENT_DEPTH) {
                return false;
            }
            waiting[depth] = item.kind == MSGPACK_MAP ? item.count * 2 : item.count;
        }
    }
}

/* ---- writing ---- */

static void msgpack_head_add(struct buf *buf, unsigned head, uint64_t number, size_t width)
{
    char bytes[9] = { (char)head };

    assert(width < sizeof(bytes));
    for (size_t i = 0; i < width; i++) {
        bytes[1 + i] = (char)(number >> (8 * (width - 1 - i)) & 0xffU);
    }
    buf_add(buf, (struct text){ bytes, 1 + width });
}

/* Return how many times `least` bytes must be doubled to hold this number. */
static unsigned doublings(uint64_t number, size_t least)
{
    unsigned count = 0;

    while (8 * (least << count) < 64 && number >> (8 * (least << count)) != 0) {
        count++;
    }
    return count;
}

static void sized_add(struct buf *buf, unsigned head, uint64_t number, size_t least)
{
    unsigned more = doublings(number, least);

    msgpack_head_add(buf, head + more, number, least << more);
}

void msgpack_add_nil(struct buf *buf)
{
    msgpack_head_add(buf, HEAD_NIL, 0, 0);
}

void msgpack_add_bool(struct buf *buf, bool value)
{
    msgpack_head_add(buf, value ? HEAD_TRUE : HEAD_FALSE, 0, 0);
}

void msgpack_add_natural(struct buf *buf, uint64_t value)
{
    if (value < HEAD_FIXMAP) {
        msgpack_head_add(buf, (unsigned)value, 0, 0);
    } else {
        sized_add(buf, HEAD_NATURAL8, value, 1);
    }
}

void msgpack_add_integer(struct buf *buf, int64_t value)
{
    if (value >= 0) {
        msgpack_add_natural(buf, (uint64_t)value);
    } else if (value >= -32) {
        msgpack_head_add(buf, (unsigned)(value + 0x100), 0, 0);
    } else {
        /* the bits that hold the number without its sign, and the sign */
        unsigned more = doublings((uint64_t)(-(value + 1)) << 1, 1);

        msgpack_head_add(buf, HEAD_INTEGER8 + more, (uint64_t)value, (size_t)1 << more);
    }
}

void msgpack_add_text(struct buf *buf, struct text text)
{
    assert(text.length <= UINT32_MAX);
    if (text.length < 32) {
        msgpack_head_add(buf, HEAD_FIXTEXT | (unsigned)text.length, 0, 0);
    } else {
        sized_add(buf, HEAD_TEXT8, text.length, 1);
    }
    buf_add(buf, text);
}

void msgpack_add_binary(struct buf *buf, struct text bytes)
{
    assert(bytes.length <= UINT32_MAX);
    sized_add(buf, HEAD_BINARY8, bytes.length, 1);
    buf_add(buf, bytes);
}

void msgpack_add_list(struct buf *buf, size_t count)
{
    assert(count <= UINT32_MAX);
    if (count < 16) {
        msgpack_head_add(buf, HEAD_FIXLIST | (unsigned)count, 0, 0);
    } else {
        sized_add(buf, HEAD_LIST16, count, 2);
    }
}

void msgpack_add_map(struct buf *buf, size_t count)
{
    assert(count <= UINT32_MAX);
    if (count < 16) {
        msgpack_head_add(buf, HEAD_FIXMAP | (unsigned)count, 0, 0);
    } else {
        sized_add(buf, HEAD_MAP16, count, 2);
    }
}
