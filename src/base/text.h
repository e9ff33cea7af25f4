#ifndef REEVE_BASE_TEXT_H
#define REEVE_BASE_TEXT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/macros.h"

/* The smallest helpers stand here with their bodies: they are called at every key of every document, and cost
 * less than the call of a function would.
 *
 * A run of bytes that somebody else owns: a slice of a document, of an arena, of a literal.
 * Not terminated by NUL; may be empty (length 0, data then never read). Passed by value. */
struct text {
    const char *data;
    size_t length;
};

/* A string literal as text. */
#define TEXT(literal) ((struct text){ "" literal, sizeof(literal) - 1 })

/* For printf: `"%.*s", TEXT_ARG(name)`. */
#define TEXT_ARG(text) (int)(text).length, (text).data == NULL ? "" : (text).data

/* A NUL-terminated string as text; NULL gives the empty text. Borrows the bytes. */
static inline struct text text_from(const char *string)
{
    return (struct text){ string, string == NULL ? 0 : strlen(string) };
}

/* The part [start, start + length) of a text, cut to what is there. */
static inline struct text text_slice(struct text text, size_t start, size_t length)
{
    if (start >= text.length) {
        return (struct text){ "", 0 };
    }
    if (length > text.length - start) {
        length = text.length - start;
    }
    assert(start + length <= text.length);
    return (struct text){ text.data + start, length };
}

/* Same bytes? */
static inline bool text_is_equal(struct text a, struct text b)
{
    return a.length == b.length &&
           (a.length == 0 || (a.data[0] == b.data[0] && memcmp(a.data, b.data, a.length) == 0));
}

/* Same bytes as the NUL-terminated string? */
static inline bool text_is(struct text text, const char *string)
{
    assert(string != NULL);
    return text_is_equal(text, text_from(string));
}

/* Byte order, shorter first on a tie: below 0, 0, above 0. */
static inline int text_compare(struct text a, struct text b)
{
    size_t common = a.length < b.length ? a.length : b.length;
    int order = common == 0 ? 0 : (unsigned char)a.data[0] - (unsigned char)b.data[0];

    if (order == 0 && common > 1) { /* the first byte decides most of them, without a call */
        order = memcmp(a.data + 1, b.data + 1, common - 1);
    }
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

/* Does the text begin (end) with these bytes? */
bool text_has_prefix(struct text text, struct text prefix);
bool text_has_suffix(struct text text, struct text suffix);

/* Position of the first such byte, or SIZE_MAX where there is none. */
size_t text_find_byte(struct text text, char byte);

/* How many bytes an escape sequence has that begins at this place, by which a terminal changes colours or moves its cursor (CSI of
 * ECMA-48); 0: none begins there. */
size_t text_escape_length(struct text text, size_t at);

/* The text without blanks (space, tab, CR, LF) at both ends. */
struct text text_trim(struct text text);

/* The decimal digits of a number, at the end of the caller's room. Half of what is written down of machines is numbers:
 * printing each would take longer than all the rest. */
struct text text_digits(uint64_t number, char room[static 20]);

/* Two hexadecimal digits for each byte, small ones, and a NUL: out has room for 2 * count + 1. */
void text_format_hex(const unsigned char *bytes, size_t count, char *out);

/* Decimal integer `-?[0-9]+`, whole text, 64 bits. False leaves *out alone: the text is something
 * else or does not fit. */
MUST_CHECK bool text_parse_int64(struct text text, int64_t *out);

/* First byte that is no part of well-formed UTF-8 (or is NUL), or SIZE_MAX where all is well. */
size_t text_find_bad_utf8(struct text text);

/* Only ASCII, without NUL? */
bool text_is_ascii(struct text text);

/* Only ASCII that takes one column each: no control character? */
bool text_is_visible(struct text text);

/* Eight bytes at once: the high bit of each that does not stand for itself in JSON and in double quotes, and perhaps of
 * some above the lowest of them. 0: all do. */
static inline uint64_t text_specials(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quote = word ^ (ones * '"');
    uint64_t slash = word ^ (ones * '\\');

    return ((word - ones * 0x20) | (quote - ones) | (slash - ones)) & ~word & (ones << 7);
}

/* Number of bytes from the start that stand for themselves in JSON and in double quotes: no control
 * character, quote or backslash among them. */
size_t text_count_unescaped(struct text text);

/* Number of code points; a byte that is no valid UTF-8 counts as one. */
size_t text_count_points(struct text text);

/* FNV-1a over the bytes, started with `seed` (0 for a fresh hash): same bytes, same value, always. */
uint64_t text_hash(struct text text, uint64_t seed);

#endif
