#ifndef REEVE_RECORDS_PLUGIN_ORIGIN_H
#define REEVE_RECORDS_PLUGIN_ORIGIN_H

#include <stdbool.h>

#include "base/text.h"

/* names: plugin_ */

/* What a file says of a plugin: where it comes from and what it must be. Empty: it says nothing. */
struct plugin_origin {
    struct text name;
    struct text version;
    struct text url;
    struct text sha256;
};

/* An operator has a plugin installed for a tenant: from its bytes, else from an address (empty: where releases are). */
struct plugin_order {
    struct text tenant;
    struct text user;
    struct text name;
    struct text version; /* empty: the newest */
    struct text url;
    struct text sha256; /* that the bytes must have; empty: any */
    struct text bytes;
    bool has_bytes;
    bool replaces; /* one of other bytes that is kept under this name */
};

/* Bytes of a plugin that were fetched and that nobody has written down or approved. */
struct plugin_waiting {
    struct text digest; /* empty: none wait */
    struct text words;  /* which they are, for people; has the digest in it */
};

#endif
