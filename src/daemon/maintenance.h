#ifndef REEVE_DAEMON_MAINTENANCE_H
#define REEVE_DAEMON_MAINTENANCE_H

#include "daemon/config.h"

/* names: restore_ rewrap_ */

/* Operations on the store of a manager that is not running. */

/* Result of a restore, for display. */
struct restore_result {
    uint64_t revision; /* revision of the store after the restore */
    bool is_replaced;  /* a store existed; it is kept beside the new one, in store.before-restore */
};

/* Creates the store of a manager that is not running from a backup file (daemon/backup_file.h). An
 * existing store is replaced only if `replaces`, and is kept. The operation is atomic even if the
 * process is killed. The store begins a new incarnation, so that every cluster is held until an
 * operator approves (docs/decisions/0112). Fails with R0507, R0523, R0524, R0505, R0506, R0508 or
 * R0553. */
MUST_CHECK bool restore_run(const struct config *config, const char *path, bool replaces,
                            struct restore_result *out, struct err *err);

/* Opens the store of a manager that is not running, seals every secret in it with the key in this
 * file (created if missing), and closes the store. It can be interrupted and repeated at any time;
 * the old key is needed until it has completed. Fails with R0507 if a manager has the store
 * open. */
MUST_CHECK bool rewrap_run(const struct config *config, const char *path, size_t *out_count,
                           struct err *err);

#endif
