#ifndef REEVE_DAEMON_RESTORE_H
#define REEVE_DAEMON_RESTORE_H

#include "daemon/config.h"

/* names: restore_ */

/* What a restore did, for the person who asked. */
struct restore_result {
    uint64_t revision; /* of the store now */
    bool
        is_replaced; /* a store was there; it is kept beside the new one, in store.before-restore */
};

/* Make the store of a manager that does not run from the file of a backup (daemon/backup_file.h). What is there is
 * replaced only if `replaces`; it is kept. All or nothing, whenever it is killed. The store begins a new
 * incarnation, so that every cluster is held until an operator approves (docs/decisions/0112). R0507, R0523, R0524,
 * R0505, R0506, R0508, R0553. */
MUST_CHECK bool restore_run(const struct config *config, const char *path, bool replaces,
                            struct restore_result *out, struct err *err);

#endif
