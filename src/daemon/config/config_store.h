#ifndef REEVE_DAEMON_CONFIG_STORE_H
#define REEVE_DAEMON_CONFIG_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "codec/doc.h"

/* The store of a manager, and the settings that distinguish managers of a shared store. */

/* The setting `store`: sqlite, or {etcd: {endpoints, ca, certificate, key, prefix}}. */
struct config_store {
    bool is_etcd;                                /* false: the embedded store, in the folder */
    const char *endpoints[LIMIT_ETCD_ENDPOINTS]; /* https://HOST:PORT */
    size_t endpoint_count;
    const char *ca;
    const char *certificate; /* file with the certificate of the client; NULL: none */
    const char *key;
    const char *prefix; /* ends in '/' */
};

/* Reads `store`. Errors are added to the list; strings live in the arena. */
void config_store_read(struct arena *arena, struct err_list *errors, const struct doc *value,
                       struct config_store *out);

/* Reads `name` or `zone`: 1 to 63 letters, digits, '-', '_' and '.', beginning with a letter or a
 * digit. */
void config_manager_name_read(struct arena *arena, struct err_list *errors, const struct doc *value,
                              const char **out);

/* Returns the default of `name`: the name of this host. */
const char *config_manager_name(struct arena *arena);

#endif
