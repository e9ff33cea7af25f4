#ifndef REEVE_CODEC_JSON_STRING_H
#define REEVE_CODEC_JSON_STRING_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "codec/doc.h"

/* Strings of JSON: the text between two double quotes. */

/* A fault in a string and its position. */
struct json_string_fault {
    enum code code; /* R0101 control character, R0103 surrogate, R0104, R0123, R0124 */
    size_t offset;  /* offset of the first byte */
    size_t length;  /* length in bytes */
};

/* Read the string whose opening quote is at *at; afterwards *at is after the closing quote. *out
 * borrows from `bytes`, or lives in the arena if there are escapes. On failure *fault is set, and
 * *at is unchanged. source_check() must have accepted the bytes. */
MUST_CHECK bool json_string_parse(struct arena *arena, struct text bytes, size_t *at,
                                  struct text *out, struct json_string_fault *fault);

/* Make the error for a fault in the string whose opening quote is at `start`. */
void json_string_report(struct text bytes, size_t start, const struct json_string_fault *fault,
                        const struct origin *origin, struct err *err);

#endif
