#ifndef LOCAL_ROOT_H
#define LOCAL_ROOT_H

#include "machine.h"

#include <stdbool.h>

/* Makes a machine's layer above its image, and the mount options of the overlay. */

/* Fills the new machine's folder `machines/NAME`: upper, work, and the files that reeve-init reads
 * from /var/lib/reeve. On failure errno is set. */
bool root_prepare(struct work *work, const char *name, const struct machine *machine,
                  struct text ssh_key, const struct reeve_wish_v1 *request);

/* root_lower and root_upper return the lower and the upper folder of the overlay for the root of
 * the machine. root_usr_options returns the mount options of the overlay for its /usr; NULL unless
 * the machine has image: host. */
const char *root_lower(struct work *work, const struct machine *machine);
const char *root_upper(struct work *work, const struct machine *machine);
const char *root_usr_options(struct work *work, const struct machine *machine);

/* Checks that the folder can have layers, because the upper layer of an overlay cannot be on
 * another overlay. */
int32_t root_check(struct work *work);

#endif
