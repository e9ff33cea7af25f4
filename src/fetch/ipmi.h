#ifndef REEVE_FETCH_IPMI_H
#define REEVE_FETCH_IPMI_H

#include "base/err.h"
#include "base/mem.h"

/* public names start with: ipmi_ */

/* One call to the BMC of a machine by IPMI, for the manager (bmc/bmc.h). The order is JSON:
 * {address, call, port, uefi, user}; call: status, boot, off, on. This process gives up its
 * privileges and becomes ipmitool, which reads the password from FETCH_FD_OUT. Returns only if that
 * fails: R0650. */
void ipmi_exec(struct arena *arena, struct text order, struct err *err);

#endif
