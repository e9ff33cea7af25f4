#ifndef REEVE_STORE_CHECKSUM_H
#define REEVE_STORE_CHECKSUM_H

#include <stdint.h>

#include "base/text.h"

/* The checksum of what drivers store: fast, for flipped bits, not against people. Eats eight bytes a
 * step; each step can be undone, so that inputs which differ in one word never agree. Begin with seed
 * 0 and hand on what came out. */
uint64_t checksum_number(uint64_t number, uint64_t seed);

/* The same over bytes, their length included. */
uint64_t checksum_text(struct text text, uint64_t seed);

#endif
