#ifndef REEVE_SQLITE_SQLITE_WAL_H
#define REEVE_SQLITE_SQLITE_WAL_H

#include "base/err.h"
#include "base/macros.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* names: sqlite_wal_ */

/* Inside of the SQLite driver: what was committed to the write-ahead log (WAL), and is it still there?
 *
 * SQLite takes the first frame of the WAL that does not fit its checksum for the end of it. That is
 * right after a power cut, and drops acknowledged commits in silence where a bit has flipped. To tell
 * the two apart, each commit is followed by a note in a small file beside the database: the header of
 * the WAL, its number of frames and the revision. The note is written after the sync of the commit
 * and not synced itself: it may claim less than there is, never more. */
struct sqlite_wal;

/* Look after the WAL of the database file at `path` in a layer of files. Opens nothing yet. */
struct sqlite_wal *sqlite_wal_new(sqlite3_vfs *vfs, const char *path);

/* Free it. NULL is allowed. */
void sqlite_wal_free(struct sqlite_wal *wal);

/* Before SQLite opens the file: is all that was noted still there? Changes nothing on disk. False is
 * R0506 with the last good revision, or R0521 where it cannot be read. On true *out_revision is one that the database must have reached
 * when it is open (0: nothing was noted); this covers a WAL that is gone. */
MUST_CHECK bool sqlite_wal_check(struct sqlite_wal *wal, uint64_t *out_revision, struct err *err);

/* The bytes of the database with what the WAL holds, as far as that is good, to be freed with sqlite3_free; what cannot be
 * read is zeros. Changes nothing on disk. NULL: there is no database of pages of 4 KiB, or no memory for it. */
unsigned char *sqlite_wal_image(struct sqlite_wal *wal, uint64_t *out_bytes);

/* Is there a WAL with something in it? */
bool sqlite_wal_is_there(struct sqlite_wal *wal);

/* After the check, before SQLite opens the file to write: make the WAL durable as it is seen now. After
 * the death of a process, or a sync that failed, SQLite would build on commits that stand nowhere but
 * in the memory of the system; and what the system could not write it takes for written, so a sync
 * alone is not enough. R0505. */
MUST_CHECK bool sqlite_wal_renew(struct sqlite_wal *wal, struct err *err);

/* After SQLite has opened the file to write: make the WAL as long as it gets before it is begun anew, in
 * zeros, which SQLite takes for its end. A sync that need not note a new length and new blocks of a file
 * takes two thirds of the time. A disk without room for it is no failure: the WAL stays as short as it
 * is. R0505 where what was begun cannot be taken back. */
enum { SQLITE_WAL_CHECKPOINT_FRAMES = 1000, SQLITE_WAL_FRAMES_AHEAD = 1250 };
MUST_CHECK bool sqlite_wal_lengthen(struct sqlite_wal *wal, struct err *err);

/* After a commit: note that the WAL has so many frames, and the revision they lead to. Failing is
 * harmless: an older note claims less. */
void sqlite_wal_note(struct sqlite_wal *wal, uint32_t frames, uint64_t revision);

#endif
