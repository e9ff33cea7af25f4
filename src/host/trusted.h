#ifndef REEVE_HOST_TRUSTED_H
#define REEVE_HOST_TRUSTED_H

#include <stddef.h>

/* names: plugins_ */

/* A plugin that runs in the profile `host`. The digest decides; the name is for people. */
struct plugins_trusted {
    const char *name; /* NULL: the end of a list */
    const char *digest;
};

/* Those that were built together with this program; plugins/trust.py writes them into it. */
extern const struct plugins_trusted plugins_trusted_here[];

#endif
