#ifndef LOCAL_USERS_H
#define LOCAL_USERS_H

#include "machine.h"

/* Adds the machine's user to its layer: entries in passwd and related files, home with
 * authorized_keys, sudo. The files are written completely before the first start. Files that the
 * machine itself appends to would first be copied up by the overlay and be synced each time.
 *
 * `name` is the machine's folder below machines/. On failure errno is set. */
bool users_put(struct work *work, const char *name, const struct machine *machine,
               struct text keys);

#endif
