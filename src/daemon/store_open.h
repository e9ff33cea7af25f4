#ifndef REEVE_DAEMON_STORE_OPEN_H
#define REEVE_DAEMON_STORE_OPEN_H

#include "daemon/config/config.h"
#include "etcd/etcd.h"
#include "state/store.h"
#include "sys/random.h"

/* The store in etcd, which several managers share, and the data folder of each manager. */

/* A manager that shares its store. */
struct store_member {
    char id[RANDOM_ID_BYTES]; /* random, stored in DATA/manager.id; empty: the store is not
                               * shared */
    int lock;                 /* lock: only one process of this manager may run; FD_NONE: none */
};

/* file in the data folder of a manager that shares its store; contains the id of the manager */
#define STORE_ID_FILE "manager.id"

/* Returns true if the folder belongs to a manager whose store is in etcd. */
bool store_is_elsewhere(const char *folder);

/* Succeeds if the embedded store of a folder may be opened. Fails with R0579 if the store of this
 * manager is in etcd, according to its configuration or its folder. `what` is the command that
 * needs the embedded store. */
MUST_CHECK bool store_check_embedded(const struct config *config, const char *what,
                                     struct err *err);

/* Finds how the managed store is reached, and starts this host's member (managed_store.h). Does
 * nothing for other stores, and if it was found before. `folder` is the descriptor of the data
 * folder. */
MUST_CHECK bool store_managed_find(const struct config *config, int folder, struct random random,
                                   struct err *err);

/* Returns the settings of the managed store for managed_store.h. `manager` is NULL or the id. */
struct managed_store_options store_managed_options(const struct config *config, const char *manager,
                                                   struct random random);

/* Returns how to connect to the store in etcd; its texts are those of the configuration. */
struct etcd_options store_etcd_options(const struct config *config);

/* Opens the store in etcd without the lock, beside other processes of this manager. `is_patient`
 * and the errors are those of etcd_open. */
MUST_CHECK bool store_connect_etcd(const struct config *config, struct random random,
                                   bool is_patient, struct store **out, struct err *err);

/* Locks the folder of a manager of a shared store, and reads its id or creates a random one. Fails
 * with R0507 if another process has locked it, and with R0523 if the folder has an embedded store.
 * The caller closes out->lock. */
MUST_CHECK bool store_lock_etcd(const struct config *config, int folder, struct random random,
                                struct store_member *out, struct err *err);

/* Locks like store_lock_etcd, and opens the store, even while etcd does not answer. Also fails with
 * the errors of etcd_open. The caller closes out_member->lock after the store. */
MUST_CHECK bool store_open_etcd(const struct config *config, int folder, struct random random,
                                struct store **out, struct store_member *out_member,
                                struct err *err);

#endif
