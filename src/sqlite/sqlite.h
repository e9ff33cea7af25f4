#ifndef REEVE_SQLITE_SQLITE_H
#define REEVE_SQLITE_SQLITE_H

#include "state/store.h"

/* The embedded store: one SQLite file in a folder, which this process owns while it is open.
 *
 * One thread writes, in groups: all transactions that wait share one commit and one sync of the disk,
 * and each is answered after it. One thread reads. `done` and `seen` run on the thread that calls
 * store_run.
 *
 * A store in which single rows are damaged, and one on a disk that is read-only, is opened to be read:
 * store_status says why it is not writable. What is damaged is refused (R0506), never served. Where
 * the disk fails to write (R0501) nothing that it may have lost is built on: the store looks anew at
 * what is there before it answers; it serves again by itself when the disk does.
 *
 * A backup is one file, a copy of the store at one revision. A restore makes a store of it that has a
 * new incarnation. */

/* Open or make the store in a folder that exists. `incarnation` names its life where it is made.
 * Failing is R0505 (cannot be written), R0506 (damaged), R0507 (another process has it), R0508 (of a
 * newer version), R0521 (cannot be read). */
MUST_CHECK bool sqlite_open(const char *folder, const unsigned char incarnation[16],
                            struct store **out, struct err *err);

/* The same for a process that makes one pass and ends: its commits are as durable, each a little slower, for it does not
 * begin with writing megabytes of zeros to the WAL that make many commits faster. */
MUST_CHECK bool sqlite_open_brief(const char *folder, const unsigned char incarnation[16],
                                  struct store **out, struct err *err);

/* How large the store of a folder is; 0 where there is none. */
uint64_t sqlite_folder_bytes(const char *folder);

/* As sqlite_open, and tell all that is in it while it is checked. A store that is damaged (R0506) is opened all the same: what
 * is sound of it can be read, store_status names what is not, and nothing is changed (decision 0115). So is one whose folder
 * is read-only. */
MUST_CHECK bool sqlite_open_reading(const char *folder, const unsigned char incarnation[16],
                                    const struct store_reading *reading, struct store **out,
                                    struct err *err);

/* As sqlite_open, in a layer of files of one's own (SQLite's name of a VFS; NULL = the system's), for tests
 * whose disk fails, or loses power. The lock that says who owns the store is on the system's. */
MUST_CHECK bool sqlite_open_on(const char *vfs, const char *folder,
                               const unsigned char incarnation[16], struct store **out,
                               struct err *err);

/* Write a copy of the store as it stands now to a file that does not exist yet, while writes go on.
 * `done` is told the revision that the copy is at, after the file is whole, checked and durable.
 * REFUSED: nothing is there; R0522 says why. Backups are made one after the other; closing the store
 * ends them. */
void sqlite_backup(struct store *store, const char *path, store_done *done, void *arg);

/* Make the store of a folder, which exists, from a backup; blocks. The store goes on from the
 * revision of the backup, as *out_revision says, under a new incarnation. A store that is there is R0523 unless
 * `replaces`; then its files are kept in FOLDER/store.before-restore. One that another process has open is R0507. A
 * backup that is not whole is R0506 or R0508. All or nothing: ended at any moment, the folder has the old store or
 * the new one. */
MUST_CHECK bool sqlite_restore(const char *backup, const char *folder,
                               const unsigned char incarnation[16], bool replaces,
                               uint64_t *out_revision, struct err *err);

#endif
