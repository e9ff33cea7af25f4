#ifndef REEVE_CODEC_NUMBER_H
#define REEVE_CODEC_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Numbers in the spelling of users (core rules of YAML 1.2). They are never converted to a
 * double. */

/* The maximum number of pieces of text: sign, integer part, point with digits, exponent. */
#define NUMBER_PARTS 4

/* A number in JSON's spelling, as consecutive parts. The parts borrow from the original spelling,
 * from literals, or from `digits`; so a struct number must not be copied. */
struct number {
    struct text parts[NUMBER_PARTS];
    size_t part_count;
    char digits[24];
};

/* True if an integer of the core rules (DOC_TYPE_INT) fits into 64 bits with sign. */
bool number_fits_int64(struct text spelling);

/* Convert a number of the core rules (DOC_TYPE_INT or DOC_TYPE_FLOAT, not .inf and .nan) to JSON's
 * spelling: 0x1F to 31, +1 to 1, .5 to 0.5, 5. to 5.0, 007 to 7. Digits are kept, never rounded. */
void number_to_json(struct text spelling, struct number *out);

#endif
