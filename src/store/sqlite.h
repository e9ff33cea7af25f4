#ifndef REEVE_STORE_SQLITE_H
#define REEVE_STORE_SQLITE_H

#include "engine/store.h"

/* The embedded store: one SQLite file in a folder, which this process owns while it is open.
 *
 * One thread writes, in groups: all transactions that wait share one commit and one sync of the disk,
 * and each is answered after it. One thread reads. `done` and `seen` run on the thread that calls
 * store_run. */

/* Open or make the store in a folder that exists. `incarnation` names its life where it is made.
 * Failing is R0505 (cannot be written), R0506 (damaged), R0507 (another process has it), R0508 (of a
 * newer version), R0521 (cannot be read). */
MUST_CHECK bool sqlite_open(const char *folder, const unsigned char incarnation[16],
                            struct store **out, struct err *err);

/* The same in a layer of files of one's own (SQLite's name of a VFS; NULL = the system's), for tests
 * whose disk fails, or loses power. The lock that says who owns the store is on the system's. */
MUST_CHECK bool sqlite_open_on(const char *vfs, const char *folder,
                               const unsigned char incarnation[16], struct store **out,
                               struct err *err);

#endif
