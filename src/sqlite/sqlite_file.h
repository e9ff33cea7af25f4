#ifndef REEVE_SQLITE_SQLITE_FILE_H
#define REEVE_SQLITE_SQLITE_FILE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

/* Internal to the SQLite driver: a file that the driver itself reads or writes. It uses the same
 * VFS as SQLite, so that tests can inject errors and torn writes into all files of a store.
 *
 * It takes no locks. When a process closes any descriptor of a file, POSIX drops all of its locks
 * on that file. Therefore the database must not be opened here while SQLite has it open. */
struct sqlite_file;

/* Returns the VFS with this name (NULL: the system's), or NULL if it does not exist. */
sqlite3_vfs *sqlite_file_layer(const char *name);

/* Opens a file for reading or, with is_writable, also for writing, which creates a missing file.
 * Never returns NULL: a file that is missing or cannot be opened reads as empty. The caller closes
 * it. */
struct sqlite_file *sqlite_file_open(sqlite3_vfs *vfs, const char *path, bool is_writable);

/* Closes the file. NULL is allowed. */
void sqlite_file_close(struct sqlite_file *file);

/* Returns whether the file exists and is not empty. */
bool sqlite_file_is_there(const struct sqlite_file *file);

/* Returns whether a system call for opening, reading or writing failed. A missing or short file is
 * not a failure. */
bool sqlite_file_has_failed(const struct sqlite_file *file);

/* Returns the size in bytes; 0 if it is unknown. */
uint64_t sqlite_file_bytes(struct sqlite_file *file);

/* Reads `bytes` bytes. Returns false if the file is shorter or the read failed. */
MUST_CHECK bool sqlite_file_read(struct sqlite_file *file, void *out, size_t bytes,
                                 uint64_t offset);

/* sqlite_file_write writes bytes, sqlite_file_sync syncs the file. They return false on failure. */
MUST_CHECK bool sqlite_file_write(struct sqlite_file *file, const void *data, size_t bytes,
                                  uint64_t offset);
MUST_CHECK bool sqlite_file_sync(struct sqlite_file *file);

/* Rewrites the file with its own content and syncs it. After a failed write the kernel treats the
 * pages as written, so a sync alone would have no effect. Returns false on failure. */
MUST_CHECK bool sqlite_file_rewrite(struct sqlite_file *file);

/* Extends a file with zeros to this size, durably. A longer file is not changed. If it fails, the
 * file is truncated to its old size; returns false only if that fails too. */
MUST_CHECK bool sqlite_file_lengthen(struct sqlite_file *file, uint64_t bytes);

#endif
