#ifndef LOCAL_ROOT_H
#define LOCAL_ROOT_H

#include "machine.h"

#include <stdbool.h>

/* The layer of a machine above its image, and how the layers are put together. */

/* Fill the new machine's folder `machines/NAME`: upper, work, and what reeve-init finds in /var/lib/reeve. False,
 * errno tells. */
bool root_prepare(struct work *work, const char *name, const struct machine *machine,
                  struct text ssh_key, const struct reeve_request_v1 *request);

/* Options of the overlay that is the machine's root, and of the one over its /usr (image: host; else NULL). */
const char *root_lower(struct work *work, const struct machine *machine);
const char *root_upper(struct work *work, const struct machine *machine);
const char *root_usr_options(struct work *work, const struct machine *machine);

/* Is the folder fit to hold a layer? An overlay cannot lie on another overlay. */
int32_t root_check(struct work *work);

#endif
