#ifndef REEVE_SQLITE_SQLITE_FILE_H
#define REEVE_SQLITE_SQLITE_FILE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

/* Inside of the SQLite driver: a file that the driver reads or writes by itself, through the layer of
 * files that SQLite uses (its VFS), so that tests can fail, cut and tear all that a store does.
 *
 * No locks are taken. POSIX drops all locks of a process on a file when it closes any descriptor of
 * it: while SQLite has the database open, it is not opened here. */
struct sqlite_file;

/* The layer of files with this name; NULL = the system's. NULL where there is none. */
sqlite3_vfs *sqlite_file_layer(const char *name);

/* Open a file to read it, or (is_writable) to write it too, made where it is missing. Never NULL; of a
 * file that is missing or empty, or cannot be opened, nothing is read. Closed by the caller. */
struct sqlite_file *sqlite_file_open(sqlite3_vfs *vfs, const char *path, bool is_writable);

/* Close it. NULL is allowed. */
void sqlite_file_close(struct sqlite_file *file);

/* Is there a file that is not empty? */
bool sqlite_file_is_there(const struct sqlite_file *file);

/* Did the system fail to open, read or write it? A file that is missing or shorter is no failure. */
bool sqlite_file_has_failed(const struct sqlite_file *file);

/* Its length; 0 where it cannot be told. */
uint64_t sqlite_file_bytes(struct sqlite_file *file);

/* Read so many bytes. False: the file has not so many, or it failed. */
MUST_CHECK bool sqlite_file_read(struct sqlite_file *file, void *out, size_t bytes,
                                 uint64_t offset);

/* Write so many bytes; make all that was written durable. False: it failed. */
MUST_CHECK bool sqlite_file_write(struct sqlite_file *file, const void *data, size_t bytes,
                                  uint64_t offset);
MUST_CHECK bool sqlite_file_sync(struct sqlite_file *file);

/* Write all of a file's own bytes to it once more and make them durable: what the system failed to write
 * it takes for written, so that a sync alone does nothing. False: it failed. */
MUST_CHECK bool sqlite_file_rewrite(struct sqlite_file *file);

/* Make a file so long with zeros, durably; a longer one stays as it is. Where that fails it is cut back
 * to what it was. False: neither could be done. */
MUST_CHECK bool sqlite_file_lengthen(struct sqlite_file *file, uint64_t bytes);

#endif
