#ifndef REEVE_CODEC_SOURCE_H
#define REEVE_CODEC_SOURCE_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "codec/doc.h"

/* Shared by both readers: checks of the bytes, and positions. */

/* Check the conditions that every document must meet: at most LIMIT_DOCUMENT_BYTES, well-formed
 * UTF-8, no NUL. Allocates nothing. `origin` (may be NULL) is the source for the position of the
 * error. */
MUST_CHECK bool source_check(struct text bytes, const struct origin *origin, struct err *err);

/* Like source_check(), without the limit on the length, for bytes with another limit. */
MUST_CHECK bool source_check_text(struct text bytes, const struct origin *origin, struct err *err);

/* Return the number of the source of an origin (may be NULL). */
uint16_t source_number(const struct origin *origin);

/* Return the position of a byte. The bytes are read from the start, so use it for errors, not for
 * every node. `length` is in code points. */
struct place source_place(struct text bytes, size_t offset, size_t length,
                          const struct origin *origin);

/* Return the number of code points in bytes that source_check() has accepted. */
size_t source_count_points(const char *data, size_t bytes);

/* Write a code point as UTF-8 (at most 4 bytes). Returns the number of bytes. */
size_t source_point_put(char *out, unsigned point);

/* Return the length in bytes of the text from `start` to the end of its line, not beyond `end`. */
size_t source_line_bytes(struct text bytes, size_t start, size_t end);

/* The description of the token at a byte, for "expected ..., found ...": "'word'", "end of the
 * text". Written into out, which is returned. */
#define SOURCE_FOUND_BYTES 64
const char *source_found(struct text bytes, size_t offset, char out[SOURCE_FOUND_BYTES]);

/* The state of a search for line numbers in a text. If positions increase, all of them together
 * cost one pass over the text. Initially all zero. */
struct source_cursor {
    size_t line_start;
    uint32_t line; /* number of lines before this one */
};

/* Like source_place(), for mostly increasing offsets: lines before the previous offset are not
 * counted again. */
struct place source_place_next(struct source_cursor *cursor, struct text bytes, size_t offset,
                               size_t length, const struct origin *origin);

#endif
