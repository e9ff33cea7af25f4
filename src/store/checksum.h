#ifndef REEVE_STORE_CHECKSUM_H
#define REEVE_STORE_CHECKSUM_H

#include <stdint.h>

#include "base/text.h"

/* Return the checksum of stored data. It is fast and detects bit errors, but not attacks. It
 * processes eight bytes per step. Each step is reversible, so inputs that differ in one word never
 * have the same checksum. Begin with the seed 0; to continue, pass the previous result as the
 * seed. */
uint64_t checksum_number(uint64_t number, uint64_t seed);

/* Like checksum_number, for a text. Its length is included. */
uint64_t checksum_text(struct text text, uint64_t seed);

#endif
