#ifndef REEVE_DAEMON_MAINTENANCE_H
#define REEVE_DAEMON_MAINTENANCE_H

#include "daemon/config.h"

/* names: restore_ rewrap_ */

/* Work on the store of a manager that does not run. */

/* What a restore did, for the person who asked. */
struct restore_result {
    uint64_t revision; /* of the store now */
    bool
        is_replaced; /* a store was there; it is kept beside the new one, in store.before-restore */
};

/* Make the store of a manager that does not run from the file of a backup (daemon/backup_file.h).
 * What is there is replaced only if `replaces`; it is kept. All or nothing, whenever it is killed.
 * The store begins a new incarnation, so that every cluster is held until an operator approves
 * (docs/decisions/0112). R0507, R0523, R0524, R0505, R0506, R0508, R0553. */
MUST_CHECK bool restore_run(const struct config *config, const char *path, bool replaces,
                            struct restore_result *out, struct err *err);

/* Open the store of a manager that does not run, seal every secret in it under the key in this file
 * (made where it is missing), and close it again. May be ended at any time and begun again; the old
 * key is needed until it has come to its end. R0507: a manager has the store. */
MUST_CHECK bool rewrap_run(const struct config *config, const char *path, size_t *out_count,
                           struct err *err);

#endif
