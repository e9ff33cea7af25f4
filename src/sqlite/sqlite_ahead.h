#ifndef REEVE_SQLITE_SQLITE_AHEAD_H
#define REEVE_SQLITE_SQLITE_AHEAD_H

#include <sqlite3.h>

/* names: sqlite_ahead_ */

/* Inside of the SQLite driver: a layer of files that reads a database from front to back in large pieces, for who looks at
 * all of it. SQLite asks for one page at a time, and asking costs more than the page.
 *
 * For connections that only read, while nobody writes; each is used by one thread. What fails is read once more as SQLite
 * asked for it, so it is told what it would be told without this layer. */
struct sqlite_ahead;

/* Above a layer of files. The caller frees it after the last connection was closed. NULL: it could not be made. */
struct sqlite_ahead *sqlite_ahead_new(sqlite3_vfs *base);

/* Free it. NULL is allowed. */
void sqlite_ahead_free(struct sqlite_ahead *ahead);

/* The name to open a connection with; NULL's is NULL, the system's layer. */
const char *sqlite_ahead_name(const struct sqlite_ahead *ahead);

#endif
