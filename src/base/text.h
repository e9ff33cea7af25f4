#ifndef REEVE_BASE_TEXT_H
#define REEVE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

/* A run of bytes that somebody else owns: a slice of a document, of an arena, of a literal.
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
struct text text_from(const char *string);

/* The part [start, start + length) of a text, cut to what is there. */
struct text text_slice(struct text text, size_t start, size_t length);

/* Same bytes? */
bool text_is_equal(struct text a, struct text b);

/* Same bytes as the NUL-terminated string? */
bool text_is(struct text text, const char *string);

/* Byte order, shorter first on a tie: below 0, 0, above 0. */
int text_compare(struct text a, struct text b);

/* Does the text begin (end) with these bytes? */
bool text_has_prefix(struct text text, struct text prefix);
bool text_has_suffix(struct text text, struct text suffix);

/* Position of the first such byte, or SIZE_MAX where there is none. */
size_t text_find_byte(struct text text, char byte);

/* The text without blanks (space, tab, CR, LF) at both ends. */
struct text text_trim(struct text text);

/* Decimal integer `-?[0-9]+`, whole text, 64 bits. False leaves *out alone: the text is something
 * else or does not fit. */
MUST_CHECK bool text_parse_int64(struct text text, int64_t *out);

/* First byte that is no part of well-formed UTF-8 (or is NUL), or SIZE_MAX where all is well. */
size_t text_find_bad_utf8(struct text text);

/* Number of bytes from the start that stand for themselves in JSON and in double quotes: no control
 * character, quote or backslash among them. */
size_t text_count_unescaped(struct text text);

/* Number of code points; a byte that is no valid UTF-8 counts as one. */
size_t text_count_points(struct text text);

/* FNV-1a over the bytes, started with `seed` (0 for a fresh hash): same bytes, same value, always. */
uint64_t text_hash(struct text text, uint64_t seed);

#endif
