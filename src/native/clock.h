#ifndef REEVE_NATIVE_CLOCK_H
#define REEVE_NATIVE_CLOCK_H

#include <stdint.h>

/* Milliseconds of a clock that nobody sets. */
uint64_t clock_ms(void);

#endif
