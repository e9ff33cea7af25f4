#ifndef REEVE_DAEMON_MAINTENANCE_H
#define REEVE_DAEMON_MAINTENANCE_H

#include "daemon/config/config.h"
#include "moving/relocate.h"
#include "sys/seal.h"

/* public names start with: join_ maintenance_ move_store_ restore_ rewrap_ */

/* Operations on the store of a manager that is not running. */

/* Opens the data folder, and creates it if it is missing. Root may use the folder of the manager's
 * user: the next start of the manager gives the new files to that user. Otherwise the folder must
 * belong to the caller. Fails with R0536 or R0553. */
MUST_CHECK bool maintenance_folder_open(const struct config *config, int *out, struct err *err);

/* Result of a restore, for display. */
struct restore_result {
    uint64_t revision; /* revision of the store after the restore */
    bool is_replaced;  /* a store existed; it is kept beside the new one, in store.before-restore */
};

/* Creates the store of a manager that is not running from a backup file (moving/backup_file.h). If
 * a store exists, the call fails unless `replaces`; then the old store is kept. The operation is
 * atomic even if the process is killed. The store begins a new incarnation, so that every cluster
 * is held until an operator approves (docs/decisions/0112). Fails with R0507, R0523, R0524, R0505,
 * R0506, R0508 or R0553. */
MUST_CHECK bool restore_run(const struct config *config, const char *path, bool replaces,
                            struct restore_result *out, struct err *err);

/* Like restore_run, for a store in etcd. No manager may use it. Also fails with R0588, R0592 and
 * R0594. */
MUST_CHECK bool move_store_restore(const struct config *config, const char *path, bool replaces,
                                   struct restore_result *out, struct err *err);

/* Moves the store of a manager that is not running from its folder to etcd, or back. In both cases
 * the configuration names the etcd. Fails with R0507, R0582, R0588, R0591 to R0594, and with the
 * errors of etcd_open. */
MUST_CHECK bool move_store_run(const struct config *config, bool is_to_etcd,
                               void (*report)(void *arg, struct text line), void *arg,
                               struct relocate_result *out, struct err *err);

/* Limits of a join token: minimum and maximum validity, and maximum size. */
enum { JOIN_TTL_MIN_MS = 1000, JOIN_TTL_MAX_MS = 24 * 3600 * 1000, JOIN_TOKEN_BYTES = 8192 };

/* Makes a token with which another host gets the keys of this manager (docs/decisions/0160). Until
 * then the keys are in the store, sealed with a key that exists only in the token. For the managed
 * store, the token also has what the other host needs to reach it (docs/decisions/0189). Run it on
 * the host of a manager of a shared store, as a user who can read its keys; the manager may be
 * running. The text lives in the arena. Fails with R0675 if this host has no keys, R0582 if the
 * store is not shared or others cannot reach it, and with the errors of etcd_open. */
MUST_CHECK bool join_token_make(const struct config *config, uint64_t ttl_ms, struct arena *arena,
                                struct text *out, struct err *err);

/* The ids of the keys that a host received; empty: not received. */
struct join_result {
    char secrets[SEAL_ID_BYTES];
    char signer[SEAL_ID_BYTES];
    /* ids of the replaced keys, whose files now have the id as their suffix */
    char former_secrets[SEAL_ID_BYTES];
    char former_signer[SEAL_ID_BYTES];
};

/* Receives the keys of a token, which becomes invalid, and writes them to the key files of this
 * host. For the managed store, this host becomes a client of its members. Its manager must not run
 * (R0507). Fails with R0674 if the token is invalid, was used, or
 * has expired; R0523, R0582, R0660, and with the errors of etcd_open. */
MUST_CHECK bool join_run(const struct config *config, struct text token, struct join_result *out,
                         struct err *err);

/* Opens the store of a manager that is not running, seals every secret in it with the key in the
 * file at `path` (created if missing), and closes the store. It can be interrupted and repeated at
 * any time; the previous key is needed until it has completed. Fails with R0507 if a manager has
 * the store open. */
MUST_CHECK bool rewrap_run(const struct config *config, const char *path, size_t *out_count,
                           struct err *err);

#endif
