#ifndef REEVE_SQLITE_SQLITE_MOVE_H
#define REEVE_SQLITE_SQLITE_MOVE_H

#include "state/dump.h"

/* public names start with: sqlite_ */

/* Copies of a whole store to and from the embedded engine (docs/decisions/0191). All functions
 * block. */

/* ---- from a folder or a backup ---- */

struct sqlite_source;

/* Opens the store of a folder, which no other process may have open (R0507). It is checked like the
 * store of a manager. Fails with R0593 if the folder has no store, and with the errors of
 * sqlite_open. */
MUST_CHECK bool sqlite_source_open(const char *folder, struct sqlite_source **out, struct err *err);

/* Opens a backup. Fails with R0524, R0506 and R0508. */
MUST_CHECK bool sqlite_source_open_backup(const char *path, struct sqlite_source **out,
                                          struct err *err);

/* Closes the source. NULL is allowed. */
void sqlite_source_close(struct sqlite_source *source);

/* Passes the content to a sink, in order of revisions. */
MUST_CHECK bool sqlite_source_dump(struct sqlite_source *source, const struct store_dump_sink *sink,
                                   struct store_dump_head *out, struct err *err);

/* The new location of a store that was moved. */
enum { SQLITE_PLACE_BYTES = 512 };
struct sqlite_moved {
    bool is_moved;
    unsigned char move[16]; /* id of the move */
    char place[SQLITE_PLACE_BYTES];
};

/* Marks the store of a folder as moved, in one transaction, so that no process opens it again.
 * Versions of reeve that do not know the marker reject the file as a newer format (R0508). */
MUST_CHECK bool sqlite_source_mark(struct sqlite_source *source, const unsigned char move[16],
                                   struct text place, struct err *err);

/* Reads that marker. out->is_moved is false if there is no marker or no store. */
void sqlite_moved_read(const char *folder, struct sqlite_moved *out);

/* ---- to a file ---- */

struct sqlite_build;

/* Begins to write a store to a new file. The file has a temporary name until it is complete. */
MUST_CHECK bool sqlite_build_open(const char *path, const unsigned char incarnation[16],
                                  struct sqlite_build **out, struct err *err);

/* Returns the sink that receives the content. */
struct store_dump_sink sqlite_build_sink(struct sqlite_build *build);

/* Completes the file: it is checked like a store that is opened, and synced to the disk. */
MUST_CHECK bool sqlite_build_end(struct sqlite_build *build, uint64_t revision, struct err *err);

/* Frees the build, and removes the file unless it is complete. NULL is allowed. */
void sqlite_build_close(struct sqlite_build *build);

/* Makes such a file (on the same file system) the store of the folder. The files of an existing
 * store are kept in FOLDER/store.before-move. Atomic. The caller holds the lock of the folder. */
MUST_CHECK bool sqlite_arrive(const char *folder, const char *path, struct err *err);

#endif
