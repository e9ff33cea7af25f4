#ifndef REEVE_BASE_HEX_H
#define REEVE_BASE_HEX_H

#include "base/mem.h"

/* Lower-case hexadecimal, with two digits for each byte. */

/* Return the hexadecimal digits of the bytes. They live in the arena. */
struct text hex_format(struct arena *arena, struct text bytes);

/* True if the text is an even number of lower-case hexadecimal digits. */
bool hex_is(struct text text);

/* Write the bytes that the digits represent: one byte for each two digits. hex_is(digits) must be
 * true. */
void hex_parse(struct text digits, char *out);

#endif
