#ifndef REEVE_RECORDS_PLUGIN_ORIGIN_H
#define REEVE_RECORDS_PLUGIN_ORIGIN_H

#include <stdbool.h>

#include "base/text.h"

/* public names start with: plugin_ */

/* A plugin as a specification states it: its origin, and its expected version and digest. A field
 * that is empty is not stated. */
struct plugin_origin {
    struct text name;
    struct text version;
    struct text url;
    struct text sha256;
};

/* An operator's request to install a plugin for a tenant. If there are bytes, they are the plugin;
 * otherwise it is fetched from the URL. With an empty URL it is fetched from the release site. */
struct plugin_order {
    struct text tenant;
    struct text user;
    struct text name;
    struct text version; /* empty: the newest */
    struct text url;
    struct text sha256; /* digest that the bytes must have; empty: any */
    struct text bytes;
    bool has_bytes;
    bool replaces; /* replace the different bytes that are stored under this name */
};

/* Downloaded bytes of a plugin that no specification pins and no operator has approved. */
struct plugin_waiting {
    struct text digest; /* empty: none */
    struct text words;  /* description for display, which includes the digest */
};

#endif
