#ifndef REEVE_SQLITE_SQLITE_AUDIT_H
#define REEVE_SQLITE_SQLITE_AUDIT_H

#include "sqlite/sqlite_db.h"
#include "sqlite/sqlite_row.h"

/* public names start with: audit_ sqlite_db_audit_ */

/* Internal to the SQLite driver: the chain of events.
 *
 * Each event is hashed over its content and the link of the event that was written before it,
 * whatever its cluster:
 *
 *     link = SHA-256(link before, id, number, time, cluster, body)
 *
 * Both links are in the event's row, after its checksum. The head of the chain (struct
 * store_audit_head) is stored outside of the table, in two places. It is in meta, where the
 * transaction of the event writes it, and thus in every backup. It is also in the file AUDIT_FILE
 * beside the database, which is written a moment later. So the check detects deleted events, and
 * events that were changed together with their checksum:
 *
 *     change                   how it is detected
 *     the newest event         the link of the last row differs from the head
 *     any event                there are fewer rows than were written and not dropped
 *     an event, and all later  the link of the next row does not follow from the row before it
 *     events were renumbered
 *     an event, and meta was   the file names a missing event, or one with another link
 *     changed accordingly
 *
 * Events of older stores have no links. They are not part of the chain and are not counted.
 *
 * The head has no key. An attacker can rewrite meta, the file and every row after the changed row.
 * The database then shows no trace of this, but copies of the head elsewhere do (reeve audit,
 * backups). */

enum { AUDIT_BYTES = 8 + 2 * STORE_AUDIT_LINK_BYTES };

#define AUDIT_FILE "store.db-audit"

/* Content of the column `checksum` of an event in the chain. */
struct audit_mark {
    uint64_t checksum;
    unsigned char before[STORE_AUDIT_LINK_BYTES];
    unsigned char link[STORE_AUDIT_LINK_BYTES];
};

/* Returns the checksum and the links of an event that is appended to the chain with this head. */
struct audit_mark audit_mark_make(const struct store_audit_head *head,
                                  const struct store_event *event, uint64_t id);

/* Returns the checksum that the mark should have. If it differs, a bit has flipped in the row or
 * its links, which is damage (R0506). */
uint64_t audit_mark_checksum(const struct audit_mark *mark, const struct store_event *event,
                             uint64_t id);

/* Convert a mark to its bytes and back. Parsing returns false if the bytes are invalid. */
void audit_mark_format(const struct audit_mark *mark, unsigned char out[static AUDIT_BYTES]);
bool audit_mark_parse(struct text bytes, struct audit_mark *out);

/* Returns whether the link matches the content and the previous link. */
bool audit_mark_fits(const struct audit_mark *mark, const struct store_event *event, uint64_t id);

/* Convert the head to one line of text, for the file, backups and display, and back. `incarnation`
 * is the incarnation of the store. */
enum { AUDIT_TEXT_BYTES = 256 };
void audit_head_format(const struct store_audit_head *head, const unsigned char incarnation[16],
                       char out[static AUDIT_TEXT_BYTES]);
bool audit_head_parse(struct text text, struct store_audit_head *out,
                      unsigned char out_incarnation[16]);

/* Reads the head from meta. A missing head means an empty chain. Returns false if SQLite failed or
 * the row is damaged. */
MUST_CHECK bool audit_head_get(sqlite3 *handle, struct store_audit_head *out);

/* The SQL texts of SQL_AUDIT_GET and SQL_AUDIT_PUT. */
extern const char audit_get_sql[];
extern const char audit_put_sql[];

/* Within a transaction of the writer, sqlite_db_audit_begin reads the head from the table meta into
 * db->audit, and sqlite_db_audit_end writes it back. They return false if SQLite failed. */
MUST_CHECK bool sqlite_db_audit_begin(struct sqlite_db *db);
MUST_CHECK bool sqlite_db_audit_end(struct sqlite_db *db);

/* Compares the chain with its head and with the file beside the database (`file`; empty: there is
 * no file). *out_what describes the error; empty: none. With `is_deep` every link is recomputed.
 * Returns false if SQLite failed. */
MUST_CHECK bool audit_check(sqlite3 *handle, struct text file, const unsigned char incarnation[16],
                            bool is_deep, char out_what[static 160]);

#endif
