#ifndef REEVE_BASE_HEX_H
#define REEVE_BASE_HEX_H

#include "base/mem.h"

/* Lower-case hexadecimal, with two digits for each byte. */

/* The digits of the bytes, in the arena. */
struct text hex_format(struct arena *arena, struct text bytes);

/* True for an even number of lower-case digits and nothing else. */
bool hex_is(struct text text);

/* Write the bytes that the digits mean, half as many as there are digits. The digits must satisfy
 * hex_is. */
void hex_parse(struct text digits, char *out);

#endif
