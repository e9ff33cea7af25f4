#ifndef REEVE_SQLITE_SQLITE_WAL_H
#define REEVE_SQLITE_SQLITE_WAL_H

#include "base/err.h"
#include "base/macros.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* public names start with: sqlite_wal_ */

/* Internal to the SQLite driver: checks that all data that was committed to the write-ahead log
 * (WAL) still exists.
 *
 * SQLite treats the first WAL frame with a wrong checksum as the end of the WAL. This is correct
 * after a power loss, but a flipped bit would silently drop acknowledged commits. To distinguish
 * the two cases, each commit is followed by a note in a small file beside the database: the header
 * of the WAL, its number of frames and the revision. The note is written after the sync of the
 * commit and is not synced itself. So it may describe fewer frames than exist, but never more. */
struct sqlite_wal;

/* Creates the checker for the WAL of the database file at `path`. Opens nothing yet. */
struct sqlite_wal *sqlite_wal_new(sqlite3_vfs *vfs, const char *path);

/* Frees the checker. NULL is allowed. */
void sqlite_wal_free(struct sqlite_wal *wal);

/* Checks that everything in the note still exists. Call it before SQLite opens the file. Changes
 * nothing on disk. Fails with R0506 and the last good revision, or with R0521 if the files cannot
 * be read. *out_revision is the minimum revision that the open database must have, in case the WAL
 * is missing (0: no note). */
MUST_CHECK bool sqlite_wal_check(struct sqlite_wal *wal, uint64_t *out_revision, struct err *err);

/* Returns the database with the good part of the WAL applied; free it with sqlite3_free. Unreadable
 * parts are zeros. Changes nothing on disk. Returns NULL if there is no database with pages of 4
 * KiB, or if there is too little memory. */
unsigned char *sqlite_wal_image(struct sqlite_wal *wal, uint64_t *out_bytes);

/* Returns whether a WAL exists that is not empty. */
bool sqlite_wal_is_there(struct sqlite_wal *wal);

/* Makes the current WAL durable. Call it after the check and before SQLite opens the file for
 * writing. After a crash or a failed sync, commits may exist only in the kernel's memory. The
 * kernel treats their pages as written, so a sync alone is not enough. Fails with R0505. */
MUST_CHECK bool sqlite_wal_renew(struct sqlite_wal *wal, struct err *err);

/* Extends the WAL with zeros to its maximum size. Call it after SQLite has opened the file for
 * writing. SQLite treats zeros as the end of the WAL. A sync takes a third less time if it changes
 * neither the size nor the blocks of a file. A lack of disk space is not an error: the WAL then
 * stays short. Fails with R0505 if an incomplete extension cannot be undone. */
enum { SQLITE_WAL_CHECKPOINT_FRAMES = 1000, SQLITE_WAL_FRAMES_AHEAD = 1250 };
MUST_CHECK bool sqlite_wal_lengthen(struct sqlite_wal *wal, struct err *err);

/* Records the number of frames in the WAL and their revision; call it after each commit. A failure
 * is harmless: the older note only describes fewer frames. */
void sqlite_wal_note(struct sqlite_wal *wal, uint32_t frames, uint64_t revision);

#endif
