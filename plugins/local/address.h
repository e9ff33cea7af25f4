#ifndef LOCAL_ADDRESS_H
#define LOCAL_ADDRESS_H

#include "work.h"

#include <stdbool.h>
#include <stdint.h>

/* Which machine has which address: links addresses/10.77.0.5 -> ID, each made in one step, so that no
 * address is given twice, by any number of threads and processes. */

/* The machine's address: the one it has, else a free one. 0: there is none left, or errno tells more. */
uint32_t address_claim(struct work *work, const char *id);

/* Give the machine's address back. One without is right. */
bool address_free(struct work *work, const char *id);

/* Does any machine have one? */
bool address_is_any(struct work *work);

/* Forget the addresses of machines that were never made: a process was killed in between. */
void address_sweep(struct work *work);

#endif
