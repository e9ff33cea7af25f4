#ifndef LOCAL_USERS_H
#define LOCAL_USERS_H

#include "machine.h"

/* The machine's user in its layer: entries of passwd and its kin, home with authorized_keys, sudo. Written as whole
 * files before the first start: what the machine itself would append to is copied up by the overlay first, and
 * synced each time.
 *
 * `name` is the machine's folder beneath machines/. False, errno tells. */
bool users_put(struct work *work, const char *name, const struct machine *machine,
               struct text keys);

#endif
