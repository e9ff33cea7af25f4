#ifndef REEVE_SQLITE_SQLITE_SALVAGE_H
#define REEVE_SQLITE_SQLITE_SALVAGE_H

#include "sqlite/sqlite_db.h"

#include <sqlite3.h>

/* names: sqlite_salvage */

/* Inside of the SQLite driver: what is sound in a damaged store, to be read.
 *
 * The file and what its write-ahead log holds are taken into memory, and nothing on disk is changed.
 * Every row that can be reached and has its checksum goes into a second database in memory, which a
 * connection reads like any other. A key is in it only where its newest row is proven: `current` and
 * `log` agree on it, or `log` as a whole is complete and `current` is what is damaged. Every other key
 * is left out and named, so an older value never passes for the newest one. Revisions before the newest
 * one cannot be read (R0503), for what is left of them is not complete.
 *
 * The first page of the file has the head and the names of the tables, both of which never change: a
 * damaged one is replaced by that of a new store. */

/* Salvage the store that could not be opened, as *err says (R0506 or R0508). The damage lives in the
 * arena. False: *err is R0508, and the store is one of a newer version. */
MUST_CHECK bool sqlite_salvage(const struct sqlite_opening *opening, struct arena *arena,
                               struct store_damage *out_damage, struct sqlite_db **out,
                               struct err *err);

#endif
