#ifndef LOCAL_ADDRESS_H
#define LOCAL_ADDRESS_H

#include "work.h"

#include <stdbool.h>
#include <stdint.h>

/* Allocates addresses to machines. An allocation is a symbolic link addresses/10.77.0.5 -> ID. Each
 * link is created atomically, so no address is allocated twice, across all threads and
 * processes. */

/* Returns the machine's address, and allocates a free address if it has none. Returns 0 if no
 * address is free, or on an error in errno. */
uint32_t address_claim(struct work *work, const char *id);

/* Releases the machine's address. It is not an error if the machine has none. */
bool address_free(struct work *work, const char *id);

/* Returns whether any machine has an address. */
bool address_is_any(struct work *work);

/* Releases addresses of machines that were never created, because the process was killed. */
void address_sweep(struct work *work);

#endif
