#include "base/text.h"

#include <assert.h>
#include <string.h>

bool text_has_prefix(struct text text, struct text prefix)
{
    return text.length >= prefix.length &&
           text_is_equal((struct text){ text.data, prefix.length }, prefix);
}

bool text_has_suffix(struct text text, struct text suffix)
{
    return text.length >= suffix.length &&
           text_is_equal(text_slice(text, text.length - suffix.length, suffix.length), suffix);
}

size_t text_find_byte(struct text text, char byte)
{
    const char *found = text.length == 0 ? NULL : memchr(text.data, byte, text.length);

    return found == NULL ? SIZE_MAX : (size_t)(found - text.data);
}

static bool byte_is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

size_t text_escape_length(struct text text, size_t at)
{
    size_t end = at + 2;

    if (at >= text.length || end > text.length || text.data[at] != '\033' ||
        text.data[at + 1] != '[') {
        return 0;
    }
    while (end < text.length && text.data[end] >= ' ' && text.data[end] <= '?') {
        end++;
    }
    return (end < text.length ? end + 1 : end) - at;
}

struct text text_trim(struct text text)
{
    while (text.length > 0 && byte_is_blank(text.data[0])) {
        text.data++;
        text.length--;
    }
    while (text.length > 0 && byte_is_blank(text.data[text.length - 1])) {
        text.length--;
    }
    return text;
}

struct text text_digits(uint64_t number, char room[static 20])
{
    size_t at = 20; /* a number of 64 bits has at most 20 digits */

    do {
        assert(at > 0);
        room[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return (struct text){ room + at, 20 - at };
}

void text_format_hex(const unsigned char *bytes, size_t count, char *out)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * count] = '\0';
}

bool text_parse_int64(struct text text, int64_t *out)
{
    bool is_negative = text.length > 0 && text.data[0] == '-';
    size_t i = is_negative ? 1 : 0;
    int64_t value = 0;

    assert(out != NULL);
    if (i == text.length) {
        return false;
    }
    for (; i < text.length; i++) {
        int digit = text.data[i] - '0';

        if (digit < 0 || digit > 9) {
            return false;
        }
        /* the value is accumulated as a negative number, because that range is wider */
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value)) {
            return false;
        }
    }
    if (!is_negative && value == INT64_MIN) {
        return false;
    }
    *out = is_negative ? value : -value;
    return true;
}

bool text_parse_v4(struct text text, uint32_t *out)
{
    uint32_t address = 0;

    for (size_t i = 0; i < 4; i++) {
        size_t dot = i < 3 ? text_find_byte(text, '.') : text.length;
        struct text part = text_slice(text, 0, dot);
        int64_t number;

        if (dot == SIZE_MAX || part.length == 0 || part.length > 3 || part.data[0] == '-' ||
            (part.length > 1 && part.data[0] == '0') || !text_parse_int64(part, &number) ||
            number > 255) {
            return false;
        }
        address = address << 8 | (uint32_t)number;
        text = text_slice(text, dot + 1, SIZE_MAX);
    }
    *out = address;
    return true;
}

/* Return the length of the well-formed UTF-8 sequence at the start; 0 if there is none. NUL counts
 * as not well-formed. */
static size_t point_length(const unsigned char *at, size_t left)
{
    size_t more;
    unsigned lowest = 0x80;
    unsigned highest = 0xbf;

    assert(left > 0);
    if (at[0] < 0x80) {
        return at[0] == 0 ? 0 : 1;
    }
    if (at[0] >= 0xc2 && at[0] <= 0xdf) {
        more = 1;
    } else if (at[0] >= 0xe0 && at[0] <= 0xef) {
        more = 2;
        lowest = at[0] == 0xe0 ? 0xa0 : 0x80;  /* only the shortest form is valid */
        highest = at[0] == 0xed ? 0x9f : 0xbf; /* surrogates are not valid */
    } else if (at[0] >= 0xf0 && at[0] <= 0xf4) {
        more = 3;
        lowest = at[0] == 0xf0 ? 0x90 : 0x80;
        highest = at[0] == 0xf4 ? 0x8f : 0xbf; /* the highest code point is U+10FFFF */
    } else {
        return 0;
    }
    if (left <= more || at[1] < lowest || at[1] > highest) {
        return 0;
    }
    for (size_t i = 2; i <= more; i++) {
        if (at[i] < 0x80 || at[i] > 0xbf) {
            return 0;
        }
    }
    return more + 1;
}

/* True for eight bytes of ASCII without NUL. Most documents have no other bytes. */
static bool is_plain_word(const unsigned char *at)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t highs = ones << 7;
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return ((word | (word - ones)) & highs) == 0;
}

size_t text_find_bad_utf8(struct text text)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    size_t at = 0;

    while (at < text.length) {
        size_t length;

        if (text.length - at >= 8 && is_plain_word(bytes + at)) {
            at += 8;
            continue;
        }
        length = point_length(bytes + at, text.length - at);
        if (length == 0) {
            return at;
        }
        at += length;
    }
    return SIZE_MAX;
}

bool text_is_visible(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.data[i];

        if (byte < ' ' || byte > '~') {
            return false;
        }
    }
    return true;
}

#define IS_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

bool text_is_ascii(struct text text)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    size_t at = 0;

    while (text.length - at >= 8 && is_plain_word(bytes + at)) {
        at += 8;
    }
    while (at < text.length && bytes[at] > 0 && bytes[at] < 0x80) {
        at++;
    }
    return at == text.length;
}

/* Read the last four to eight bytes; parts of a shorter text are read twice. */
static uint64_t text_tail_read(struct text text)
{
    uint64_t word;
    uint32_t halves[2];

    if (text.length >= sizeof(word)) {
        memcpy(&word, text.data + text.length - sizeof(word), sizeof(word));
        return word;
    }
    memcpy(&halves[0], text.data, sizeof(halves[0]));
    memcpy(&halves[1], text.data + text.length - sizeof(halves[1]), sizeof(halves[1]));
    return halves[0] | (uint64_t)halves[1] << 32;
}

size_t text_count_unescaped(struct text text)
{
    size_t at = 0;

    for (; text.length - at >= 8; at += 8) { /* check eight bytes at a time, up to an escape */
        uint64_t word;
        uint64_t special;

        memcpy(&word, text.data + at, sizeof(word));
        special = text_specials(word);
        /* a borrow changes only higher bytes, so the lowest mark is correct */
        if (special != 0 && IS_LITTLE_ENDIAN) {
            return at + (size_t)__builtin_ctzll(special) / 8;
        }
        if (special != 0) {
            break;
        }
    }
    if (text.length >= 4 && text.length - at < 8 && text_specials(text_tail_read(text)) == 0) {
        return text.length;
    }
    while (at < text.length && (unsigned char)text.data[at] >= 0x20 && text.data[at] != '"' &&
           text.data[at] != '\\') {
        at++;
    }
    assert(at <= text.length);
    return at;
}

size_t text_count_points(struct text text)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    size_t count = 0;

    for (size_t at = 0; at < text.length; count++) {
        size_t length = point_length(bytes + at, text.length - at);

        at += length == 0 ? 1 : length;
    }
    assert(count <= text.length);
    return count;
}

uint64_t text_hash(struct text text, uint64_t seed)
{
    uint64_t hash = seed == 0 ? UINT64_C(0xcbf29ce484222325) : seed;

    for (size_t i = 0; i < text.length; i++) {
        hash = (hash ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}
