#ifndef REEVE_ENGINE_PLUGIN_ORIGIN_H
#define REEVE_ENGINE_PLUGIN_ORIGIN_H

#include "base/text.h"

/* names: plugin_ */

/* What a file says of a plugin: where it comes from and what it must be. Empty: it says nothing. */
struct plugin_origin {
    struct text name;
    struct text version;
    struct text url;
    struct text sha256;
};

/* Bytes of a plugin that were fetched and that nobody has written down or approved. */
struct plugin_waiting {
    struct text digest; /* empty: none wait */
    struct text words;  /* which they are, for people; has the digest in it */
};

#endif
