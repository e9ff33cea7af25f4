#ifndef REEVE_BMC_BMC_ADDRESS_H
#define REEVE_BMC_BMC_ADDRESS_H

#include <stdbool.h>

#include "base/mem.h"

/* public names start with: bmc_address_ */

/* True if an interface of this host, other than the loopback, has this address. */
bool bmc_address_is_own(struct arena *arena, struct text address);

#endif
