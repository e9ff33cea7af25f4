#ifndef REEVE_MOVING_SNAPSHOT_H
#define REEVE_MOVING_SNAPSHOT_H

#include "etcd/etcd.h"
#include "sys/loop.h"

/* public names start with: snapshot_ */

/* Writes a copy of a running manager's store in etcd to a file. A thread does this over a separate
 * connection, so that the manager is not blocked. */
struct snapshot;

/* Begins to write the newest state to a new file. `done` is called once on the loop thread, as for
 * sqlite_backup, unless the snapshot is closed first. The options must be valid until then. Fails
 * if the loop has no free slot. */
MUST_CHECK bool snapshot_start(struct loop *loop, const struct etcd_options *etcd, const char *path,
                               store_done *done, void *arg, struct snapshot **out, struct err *err);

/* Waits for the end of the thread, and frees the snapshot. The file is not removed. NULL is
 * allowed. */
void snapshot_close(struct snapshot *snapshot);

#endif
