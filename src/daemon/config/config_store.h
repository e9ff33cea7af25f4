#ifndef REEVE_DAEMON_CONFIG_STORE_H
#define REEVE_DAEMON_CONFIG_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "codec/doc.h"
#include "managed_store/managed_store.h"

/* The store of a manager, and the settings that distinguish managers of a shared store. */

/* The managed store: etcd that reeve runs. */
struct config_managed {
    /* HOST:PORT of this host's member, for other members and for clients; empty: derived from
     * peer.address. Without both, the member listens on this host only. */
    struct text address;
    struct text clients;
    bool can_create; /* opening may make a new store; false unless a command sets it */
    /* how the store is reached, when it was opened (store_open.h) */
    struct managed_store_found found;
    struct arena *arena; /* of `found` */
    bool is_found;
};

/* The setting `store`: sqlite, managed, {managed: {address, clients}}, or {etcd: {endpoints, ca,
 * certificate, key, prefix}}. */
struct config_store {
    bool is_etcd; /* false: the embedded store, in the folder */
    /* the managed store, which is etcd too: endpoints and files are found when it is opened; NULL:
     * an etcd that others run */
    struct config_managed *managed;
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

/* Returns the host of HOST:PORT, with the brackets of an IPv6 address; empty: it is none. */
struct text config_store_host(struct text address);

/* Sets the addresses that the file does not have, to the host of peer.address with the ports of
 * etcd. */
void config_managed_complete(struct arena *arena, struct config_managed *managed, struct text peer);

/* Reads `name` or `zone`: 1 to 63 letters, digits, '-', '_' and '.', beginning with a letter or a
 * digit. */
void config_manager_name_read(struct arena *arena, struct err_list *errors, const struct doc *value,
                              const char **out);

/* Returns the default of `name`: the name of this host. */
const char *config_manager_name(struct arena *arena);

#endif
