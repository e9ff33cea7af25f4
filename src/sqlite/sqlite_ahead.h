#ifndef REEVE_SQLITE_SQLITE_AHEAD_H
#define REEVE_SQLITE_SQLITE_AHEAD_H

#include <sqlite3.h>

/* public names start with: sqlite_ahead_ */

/* Internal to the SQLite driver: a VFS that reads a database sequentially in large pieces, for a
 * check of the whole file. SQLite reads single pages, and each call takes more time than copying
 * the page.
 *
 * It may be used only for read-only connections while no process writes. Each connection is used by
 * one thread. If reading a large piece fails, the original read is repeated as SQLite requested it,
 * so errors are the same as without this layer. */
struct sqlite_ahead;

/* Creates the layer on top of another VFS. The caller frees it after the last connection was
 * closed. Returns NULL on failure. */
struct sqlite_ahead *sqlite_ahead_new(sqlite3_vfs *base);

/* Frees the layer. NULL is allowed. */
void sqlite_ahead_free(struct sqlite_ahead *ahead);

/* Returns the VFS name for opening a connection. For a NULL layer it returns NULL, which means the
 * system's VFS. */
const char *sqlite_ahead_name(const struct sqlite_ahead *ahead);

#endif
