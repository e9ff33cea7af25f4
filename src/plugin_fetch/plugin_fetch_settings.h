#ifndef REEVE_PLUGIN_FETCH_PLUGIN_FETCH_SETTINGS_H
#define REEVE_PLUGIN_FETCH_PLUGIN_FETCH_SETTINGS_H

#include "base/limits.h"
#include "sys/address.h"

#include <stdbool.h>
#include <stddef.h>

/* public names start with: plugin_fetch_ */

/* How plugins are fetched from other hosts. */
struct plugin_fetch_settings {
    bool is_enabled;          /* plugins may be fetched */
    bool is_file_url_allowed; /* file:///PATH is allowed as an address */
    const char *releases;     /* base URL for plugins without an address; NULL: none */
    const char *folder;       /* folder for fetched plugins; NULL: one in the manager's folder */
    const char *ca;           /* file with CAs in addition to the machine's; NULL: none */
    /* networks that may be reached although they are not public */
    struct fetch_net allowed[LIMIT_FETCH_NETWORKS];
    size_t allowed_count;
};

#endif
