#ifndef REEVE_CODEC_SOURCE_H
#define REEVE_CODEC_SOURCE_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "codec/doc.h"

/* What both readers need of the bytes before, and while, they read them. */

/* Check what holds for every document: not above LIMIT_DOCUMENT_BYTES, well-formed UTF-8, no NUL.
 * Nothing is allocated. origin (may be NULL) names the source for the place of the error. */
MUST_CHECK bool source_check(struct text bytes, const struct origin *origin, struct err *err);

/* The same without the limit on its length, for what another bound holds for. */
MUST_CHECK bool source_check_text(struct text bytes, const struct origin *origin, struct err *err);

/* The number of the source that an origin (may be NULL) names. */
uint16_t source_number(const struct origin *origin);

/* Place of a byte. Reads the bytes from the start: for errors, not for every node. `length` is in
 * code points. */
struct place source_place(struct text bytes, size_t offset, size_t length,
                          const struct origin *origin);

/* Number of code points in bytes that source_check has passed. */
size_t source_count_points(const char *data, size_t bytes);

/* Write a code point as UTF-8 (at most 4 bytes) and return how many bytes it took. */
size_t source_point_put(char *out, unsigned point);

/* Length in bytes of the text from `start` to the end of its line, not beyond `end`. */
size_t source_line_bytes(struct text bytes, size_t start, size_t end);

/* What stands at a byte, for "expected ..., found ...": "'word'", "end of the text". Written into out
 * and returned. */
#define SOURCE_FOUND_BYTES 64
const char *source_found(struct text bytes, size_t offset, char out[SOURCE_FOUND_BYTES]);

/* Where a walk through a text stands, so that places of one offset after the other cost one pass in
 * all. Starts all zero. */
struct source_cursor {
    size_t line_start;
    uint32_t line; /* before this one; from 0 */
};

/* source_place for offsets that mostly grow: the lines before the last one asked for are not counted
 * again. */
struct place source_place_next(struct source_cursor *cursor, struct text bytes, size_t offset,
                               size_t length, const struct origin *origin);

#endif
