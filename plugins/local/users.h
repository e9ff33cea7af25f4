#ifndef LOCAL_USERS_H
#define LOCAL_USERS_H

#include "machine.h"

/* Adds the machine's user to its layer: entries in passwd and related files, home with
 * authorized_keys, and sudo. The files are written completely before the first start, because if
 * the machine appended to a file, the overlay would first copy and sync that file.
 *
 * `name` is the machine's folder below machines/. On failure errno is set. */
bool users_put(struct work *work, const char *name, const struct machine *machine,
               struct text keys);

#endif
