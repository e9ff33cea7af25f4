#ifndef REEVE_BASE_TEXT_H
#define REEVE_BASE_TEXT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/macros.h"

/* The smallest helpers are inline, because they are called for every key of every document and take
 * less time than a function call.
 *
 * A text is a slice of bytes that another object owns: a document, an arena, a literal. It has no
 * terminating NUL. It may be empty (length 0; data is never read then). Passed by value. */
struct text {
    const char *data;
    size_t length;
};

/* A string literal as text. */
#define TEXT(literal) ((struct text){ "" literal, sizeof(literal) - 1 })

/* For printf: `"%.*s", TEXT_ARG(name)`. */
#define TEXT_ARG(text) (int)(text).length, (text).data == NULL ? "" : (text).data

/* Make a text from a NUL-terminated string; NULL gives the empty text. Borrows the bytes. */
static inline struct text text_from(const char *string)
{
    return (struct text){ string, string == NULL ? 0 : strlen(string) };
}

/* Return the part [start, start + length) of a text, clipped to the text. */
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

/* True if both texts have the same bytes. */
static inline bool text_is_equal(struct text a, struct text b)
{
    return a.length == b.length &&
           (a.length == 0 || (a.data[0] == b.data[0] && memcmp(a.data, b.data, a.length) == 0));
}

/* True if the text has the same bytes as the NUL-terminated string. */
static inline bool text_is(struct text text, const char *string)
{
    assert(string != NULL);
    return text_is_equal(text, text_from(string));
}

/* Compare in byte order; if one text is the start of the other, the shorter one is first. Below 0,
 * 0, above 0. */
static inline int text_compare(struct text a, struct text b)
{
    size_t common = a.length < b.length ? a.length : b.length;
    int order = common == 0 ? 0 : (unsigned char)a.data[0] - (unsigned char)b.data[0];

    if (order == 0 && common > 1) { /* the first byte decides most comparisons without a call */
        order = memcmp(a.data + 1, b.data + 1, common - 1);
    }
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

/* text_has_prefix returns true if the text begins with these bytes, text_has_suffix if it ends with
 * them. */
bool text_has_prefix(struct text text, struct text prefix);
bool text_has_suffix(struct text text, struct text suffix);

/* Return the position of the first byte with this value; SIZE_MAX if there is none. */
size_t text_find_byte(struct text text, char byte);

/* Return the length in bytes of the terminal escape sequence (CSI of ECMA-48) at this position,
 * which changes colours or moves the cursor; 0 if no sequence begins there. */
size_t text_escape_length(struct text text, size_t at);

/* Return the text without blanks (space, tab, CR, LF) at both ends. */
struct text text_trim(struct text text);

/* Write the decimal digits of a number to the end of the caller's buffer, and return them. Faster
 * than printf: half of a machine's record is numbers. */
struct text text_digits(uint64_t number, char room[static 20]);

/* Write two lower-case hexadecimal digits for each byte, and a NUL: out has 2 * count + 1 bytes. */
void text_format_hex(const unsigned char *bytes, size_t count, char *out);

/* Parse the whole text as a decimal integer `-?[0-9]+` of 64 bits. On failure it returns false and
 * leaves *out unchanged. */
MUST_CHECK bool text_parse_int64(struct text text, int64_t *out);

/* Parse the whole text as an IPv4 address: four decimal numbers up to 255 without leading zeros. */
MUST_CHECK bool text_parse_v4(struct text text, uint32_t *out);

/* Return the position of the first byte that is not part of well-formed UTF-8, or that is NUL;
 * SIZE_MAX if there is none. */
size_t text_find_bad_utf8(struct text text);

/* True if all bytes are ASCII without NUL. */
bool text_is_ascii(struct text text);

/* True if all bytes are ASCII of one column each, without control characters. */
bool text_is_visible(struct text text);

/* Checks eight bytes in one step. The result has the high bit set of each byte that needs an escape
 * in JSON and in double quotes. Bits above the lowest set one may be wrong. 0: no byte needs an
 * escape. */
static inline uint64_t text_specials(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quote = word ^ (ones * '"');
    uint64_t slash = word ^ (ones * '\\');

    return ((word - ones * 0x20) | (quote - ones) | (slash - ones)) & ~word & (ones << 7);
}

/* Return the number of bytes from the start that need no escape in JSON and in double quotes: up to
 * the first control character, quote or backslash. */
size_t text_count_unescaped(struct text text);

/* Return the number of code points; a byte that is not valid UTF-8 counts as one. */
size_t text_count_points(struct text text);

/* The ending of a noun after a count: "s" unless the count is 1. */
#define TEXT_PLURAL(count) ((count) == 1 ? "" : "s")

/* Compute the FNV-1a hash of the bytes, started with `seed` (0 for a new hash). The same bytes
 * always give the same value. */
uint64_t text_hash(struct text text, uint64_t seed);

#endif
