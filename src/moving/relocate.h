#ifndef REEVE_MOVING_RELOCATE_H
#define REEVE_MOVING_RELOCATE_H

#include "etcd/etcd.h"
#include "sys/random.h"

/* public names start with: relocate_ */

/* Moves the store of a manager that is not running from one engine to the other, and restores a
 * backup into etcd (docs/decisions/0191). All functions block.
 *
 * A move has one commit: the transaction that marks the old store as moved. Before the commit the
 * copy cannot be opened; after it the old store cannot be opened. If this process is killed after
 * the commit, the next start of the manager completes the move. */

/* Name of a file in the data folder that exists while a store is moved there from etcd. It has the
 * data that is needed to find out whether the move was committed. */
#define RELOCATE_JOURNAL "store.move"

struct relocate_options {
    const struct etcd_options *etcd;
    const char *folder;  /* data folder of this manager; the caller holds its lock for a move from
                           * etcd and for a restore */
    const char *id_file; /* name of the file that has the id of a manager of a shared store */
    struct text manager; /* id of this manager; empty: it has none yet */
    struct random random;
    /* called when a step begins, with a line for the operator */
    void (*report)(void *arg, struct text line);
    void *arg;
};

struct relocate_result {
    uint64_t objects;
    uint64_t events;
    uint64_t revision;
    /* the move is committed, but the next start of the manager completes it */
    bool is_completed_later;
};

/* Moves the store of the folder to etcd. If an earlier move was interrupted after its commit,
 * continues that move. */
MUST_CHECK bool relocate_to_etcd(const struct relocate_options *options,
                                 struct relocate_result *out, struct err *err);

/* Moves the store in etcd to the folder. */
MUST_CHECK bool relocate_to_sqlite(const struct relocate_options *options,
                                   struct relocate_result *out, struct err *err);

/* Completes a move from etcd to the folder that was interrupted after its commit. Does nothing if
 * there was no move. Fails with R0593 if the move was not committed. */
MUST_CHECK bool relocate_finish(const char *folder, const char *id_file, struct err *err);

/* Restores a backup into etcd, with a new incarnation. With `replaces` an existing store is
 * replaced, and a copy of it is kept in FOLDER/store.before-restore. */
MUST_CHECK bool relocate_restore(const struct relocate_options *options, const char *backup,
                                 bool replaces, struct relocate_result *out, struct err *err);

/* Writes the newest state of a store in etcd to a new file, and checks it. */
MUST_CHECK bool relocate_snapshot(const struct etcd_options *etcd, const char *path,
                                  uint64_t *out_revision, struct err *err);

#endif
