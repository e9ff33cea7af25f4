#ifndef REEVE_CODEC_JSON_STRING_H
#define REEVE_CODEC_JSON_STRING_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "codec/doc.h"

/* Strings of JSON: the current state between two double quotes. */

/* What is wrong in a string, and where. */
struct json_string_fault {
    enum code code; /* R0101 control character, R0103 surrogate, R0104, R0123, R0124 */
    size_t offset;  /* first byte of it */
    size_t length;  /* in bytes */
};

/* Read the string whose opening quote stands at *at; afterwards *at is behind the closing one. The
 * text borrows from `bytes`, or is made in the arena where there are escapes. On failure *fault tells
 * why and *at is left alone. bytes have passed source_check. */
MUST_CHECK bool json_string_parse(struct arena *arena, struct text bytes, size_t *at,
                                  struct text *out, struct json_string_fault *fault);

/* Make the error of a fault in the string whose opening quote stands at `start`. */
void json_string_report(struct text bytes, size_t start, const struct json_string_fault *fault,
                        const struct origin *origin, struct err *err);

#endif
