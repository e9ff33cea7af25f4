#include "ssh/bytes.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

/* public names start with: ssh_ */

enum { U32_BYTES = 4, U64_BYTES = 8 };

static bool bytes_number_take(struct text *rest, size_t bytes, uint64_t *out)
{
    uint64_t value = 0;

    if (rest->length < bytes) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        value = value << 8 | (unsigned char)rest->data[i];
    }
    *rest = text_slice(*rest, bytes, rest->length);
    *out = value;
    return true;
}

bool ssh_take_byte(struct text *rest, uint8_t *out)
{
    uint64_t value;

    if (!bytes_number_take(rest, 1, &value)) {
        return false;
    }
    *out = (uint8_t)value;
    return true;
}

bool ssh_take_u32(struct text *rest, uint32_t *out)
{
    uint64_t value;

    if (!bytes_number_take(rest, U32_BYTES, &value)) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

bool ssh_take_u64(struct text *rest, uint64_t *out)
{
    return bytes_number_take(rest, U64_BYTES, out);
}

bool ssh_take_string(struct text *rest, struct text *out)
{
    struct text left = *rest;
    uint32_t length;

    if (!ssh_take_u32(&left, &length) || left.length < length) {
        return false;
    }
    *out = text_slice(left, 0, length);
    *rest = text_slice(left, length, left.length);
    return true;
}

bool ssh_take_fixed(struct text *rest, void *out, size_t bytes)
{
    struct text left = *rest;
    struct text string;

    if (!ssh_take_string(&left, &string) || string.length != bytes) {
        return false;
    }
    memcpy(out, string.data, bytes);
    *rest = left;
    return true;
}

static void bytes_number_put(char *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        out[i] = (char)(value >> (8 * (bytes - 1 - i)) & 0xffU);
    }
}

void ssh_add_u32(struct buf *buf, uint32_t value)
{
    bytes_number_put(buf_reserve(buf, U32_BYTES), value, U32_BYTES);
    buf->length += U32_BYTES;
}

void ssh_add_u64(struct buf *buf, uint64_t value)
{
    bytes_number_put(buf_reserve(buf, U64_BYTES), value, U64_BYTES);
    buf->length += U64_BYTES;
}

void ssh_add_string(struct buf *buf, struct text bytes)
{
    assert(bytes.length <= UINT32_MAX);
    ssh_add_u32(buf, (uint32_t)bytes.length);
    buf_add(buf, bytes);
}

size_t ssh_string_begin(struct buf *buf)
{
    size_t at = buf->length;

    ssh_add_u32(buf, 0);
    return at;
}

void ssh_string_end(struct buf *buf, size_t at)
{
    size_t length = buf->length - at - U32_BYTES;

    assert(buf->length >= at + U32_BYTES && length <= UINT32_MAX);
    bytes_number_put(buf->data + at, length, U32_BYTES);
}

void ssh_add_base64(struct buf *buf, struct text bytes)
{
    size_t room = sodium_base64_encoded_len(bytes.length, sodium_base64_VARIANT_ORIGINAL);

    sodium_bin2base64(buf_reserve(buf, room), room, (const unsigned char *)bytes.data, bytes.length,
                      sodium_base64_VARIANT_ORIGINAL);
    buf->length += room - 1; /* without the NUL that libsodium writes */
}

bool ssh_base64_parse(struct arena *arena, struct text text, struct text *out)
{
    size_t room = text.length / 4 * 3 + 1;
    char *bytes = arena_alloc(arena, room);
    const char *end = NULL;
    size_t length = 0;

    if (text.length == 0 || !text_is_visible(text) || /* checked, because libsodium accepts more
                                                       * than ASCII */
        sodium_base642bin((unsigned char *)bytes, room, text.data, text.length, NULL, &length, &end,
                          sodium_base64_VARIANT_ORIGINAL) != 0 ||
        end != text.data + text.length) {
        return false;
    }
    *out = (struct text){ bytes, length };
    return true;
}

struct text ssh_take_word(struct text *rest)
{
    struct text line = *rest;
    size_t length = 0;
    size_t next;

    while (length < line.length && line.data[length] != ' ' && line.data[length] != '\t') {
        length++;
    }
    for (next = length;
         next < line.length && (line.data[next] == ' ' || line.data[next] == '\t');) {
        next++;
    }
    *rest = (struct text){ line.data + next, line.length - next };
    return (struct text){ line.data, length }; /* an empty text keeps its position in the line */
}
