#ifndef REEVE_SQLITE_SQLITE_H
#define REEVE_SQLITE_SQLITE_H

#include "state/store.h"

/* The embedded store: one SQLite file in a folder, which this process locks while the store is
 * open.
 *
 * One thread writes, in groups: all waiting transactions share one commit and one sync of the disk,
 * and each is answered after that sync. One thread reads. `done` and `seen` run on the thread that
 * calls store_run.
 *
 * A store in which only single rows are damaged, or on a read-only disk, is opened for reading;
 * store_status has the reason why it is not writable. Reads of damaged rows fail with R0506. After
 * a write error of the disk (R0501), recent data may be lost, so the store checks the files again
 * before it answers. It recovers automatically when the disk works again.
 *
 * A backup is one file, a copy of the store at one revision. A restore creates a store from the
 * backup, with a new incarnation. */

/* Opens the store in an existing folder, or creates it with this `incarnation`. Fails with R0505
 * (not writable), R0506 (damaged), R0507 (in use by another process), R0508 (newer version), R0521
 * (not readable). */
MUST_CHECK bool sqlite_open(const char *folder, const unsigned char incarnation[16],
                            struct store **out, struct err *err);

/* Like sqlite_open, for a process that makes one pass and exits. Its commits are equally durable
 * but slightly slower, because the WAL is not extended with megabytes of zeros in advance. That
 * extension is worthwhile only for many commits. */
MUST_CHECK bool sqlite_open_brief(const char *folder, const unsigned char incarnation[16],
                                  struct store **out, struct err *err);

/* Returns the size in bytes of the store in a folder; 0 if there is none. */
uint64_t sqlite_folder_bytes(const char *folder);

/* Like sqlite_open, but also passes the whole content to `reading` during the check. A damaged
 * store (R0506) is still opened: its undamaged part is readable, store_status describes the damage,
 * and nothing is changed (decision 0115). A store in a read-only folder is opened in the same
 * way. */
MUST_CHECK bool sqlite_open_reading(const char *folder, const unsigned char incarnation[16],
                                    const struct store_reading *reading, struct store **out,
                                    struct err *err);

/* Like sqlite_open, but with the SQLite VFS of this name (NULL: the system's). For tests in which
 * the disk fails or loses power. The lock of the folder still uses the system's files. */
MUST_CHECK bool sqlite_open_on(const char *vfs, const char *folder,
                               const unsigned char incarnation[16], struct store **out,
                               struct err *err);

/* Copies the store to a new file while writes continue. `done` receives the revision of the copy
 * once the file is complete, checked and durable. If the outcome is REFUSED, no file is left, and
 * the error is R0522 with the reason. Backups run one after the other; closing the store cancels
 * them. */
void sqlite_backup(struct store *store, const char *path, store_done *done, void *arg);

/* Creates the store of an existing folder from a backup; this blocks. The store continues at the
 * backup's revision, *out_revision, with a new incarnation. Fails with R0523 if a store exists,
 * unless `replaces`; then its files are kept in FOLDER/store.before-restore. Fails with R0507 if
 * another process has it open, and with R0506 or R0508 if the backup is not usable. Atomic: after
 * an interruption, the folder has either the old store or the new one. */
MUST_CHECK bool sqlite_restore(const char *backup, const char *folder,
                               const unsigned char incarnation[16], bool replaces,
                               uint64_t *out_revision, struct err *err);

#endif
