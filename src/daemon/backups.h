#ifndef REEVE_DAEMON_BACKUPS_H
#define REEVE_DAEMON_BACKUPS_H

#include "api/api.h"
#include "base/err.h"
#include "etcd/etcd.h"
#include "state/store.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/loop.h"

/* public names start with: backups_ */

/* Online backups of a running manager's store, in a separate folder, on request and on a schedule.
 * At most one backup is made at a time. A file gets its final name only when it is complete,
 * checked, has its trailer (moving/backup_file.h), and is on the disk. The latest `keep` files are
 * kept; older ones are removed after a new one is complete. */
struct backups;

struct backups_options {
    struct loop *loop;
    struct store *store;
    struct clock clock;
    struct log *log;
    const char *folder; /* created with mode 0700 if missing */
    uint64_t every_ms;  /* 0: on request only */
    uint64_t first_ms;  /* maximum time from the start to the first scheduled backup */
    size_t keep;        /* number of files to keep; at least 1 */
    /* the store in etcd, which is read over a separate connection; NULL: the store is embedded */
    const struct etcd_options *etcd;
};

struct backups *backups_new(const struct backups_options *options);

/* backups_stop: call it before the store is closed. A backup in progress leaves no file, and
 * waiting requests get no answer. backups_free: call it after that. Both accept NULL. */
void backups_stop(struct backups *backups);
void backups_free(struct backups *backups);

/* Makes the next scheduled backup if it is due. Call it every second. */
void backups_look(struct backups *backups);

/* Returns the port through which the API uses backups. */
struct api_backups backups_api(struct backups *backups);

#endif
