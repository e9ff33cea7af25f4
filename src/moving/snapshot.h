#ifndef REEVE_MOVING_SNAPSHOT_H
#define REEVE_MOVING_SNAPSHOT_H

#include "etcd/etcd.h"
#include "sys/loop.h"

/* public names start with: snapshot_ */

/* A copy of a running manager's store in etcd, as a file: a thread makes it over a connection of
 * its own, so that the manager goes on. */
struct snapshot;

/* Begins to write the newest state to a new file. `done` is called once on the loop thread, as by
 * sqlite_backup, unless the snapshot is closed first. The options must live as long. Fails if the
 * loop has no room. */
MUST_CHECK bool snapshot_start(struct loop *loop, const struct etcd_options *etcd, const char *path,
                               store_done *done, void *arg, struct snapshot **out, struct err *err);

/* Waits for the thread, and frees it. The file stays. NULL is allowed. */
void snapshot_close(struct snapshot *snapshot);

#endif
