#ifndef REEVE_DAEMON_BACKUPS_H
#define REEVE_DAEMON_BACKUPS_H

#include "api/api.h"
#include "base/err.h"
#include "state/store.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/loop.h"

/* names: backups_ */

/* Backups of a running manager's store, in a folder of its own: made on request and on a schedule,
 * online. One is made at a time. A file gets its name only when it is whole, checked, has its
 * trailer (daemon/backup_file.h), and is on the disk. The newest `keep` stay; older ones are
 * removed after a new one is whole. */
struct backups;

struct backups_options {
    struct loop *loop;
    struct store *store;
    struct clock clock;
    struct log *log;
    const char *folder; /* made with mode 0700 where it is missing */
    uint64_t every_ms;  /* 0: on request only */
    uint64_t first_ms;  /* from the start to the first scheduled one, at most */
    size_t keep;        /* files that stay; at least 1 */
};

struct backups *backups_new(const struct backups_options *options);

/* Call before the store is closed. A backup under way leaves no file, and no more requests are
 * answered. Free it after the store. Both accept NULL. */
void backups_stop(struct backups *backups);
void backups_free(struct backups *backups);

/* Make the next scheduled one if it is time; to be called every second. */
void backups_look(struct backups *backups);

/* What the API needs. */
struct api_backups backups_api(struct backups *backups);

#endif
