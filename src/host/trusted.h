#ifndef REEVE_HOST_TRUSTED_H
#define REEVE_HOST_TRUSTED_H

#include <stddef.h>

/* public names start with: plugins_ */

/* A plugin that may run in the profile `host`. It is identified by its digest only; the name is for
 * display. */
struct plugins_trusted {
    const char *name; /* NULL: end of the list */
    const char *digest;
};

/* The plugins that were built together with this program. plugins/trust.py generates the list. */
extern const struct plugins_trusted plugins_trusted_here[];

#endif
