#ifndef REEVE_CODEC_NUMBER_H
#define REEVE_CODEC_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Numbers as people spell them (core rules of YAML 1.2), without ever turning them into a double. */

/* Enough pieces for every number: sign, whole part, point with digits, exponent. */
#define NUMBER_PARTS 4

/* A number in JSON's spelling, in pieces that follow each other. The pieces borrow from the spelling
 * they were made of, from literals, or from `digits`; so a struct number is never copied. */
struct number {
    struct text parts[NUMBER_PARTS];
    size_t part_count;
    char digits[24];
};

/* Does an integer of the core rules (DOC_TYPE_INT) fit into 64 bits with sign? */
bool number_fits_int64(struct text spelling);

/* Write a number of the core rules (DOC_TYPE_INT or DOC_TYPE_FLOAT, not .inf and .nan) as JSON would:
 * 0x1F as 31, +1 as 1, .5 as 0.5, 5. as 5.0, 007 as 7. Digits are kept, never rounded. */
void number_to_json(struct text spelling, struct number *out);

#endif
