#ifndef REEVE_SQLITE_SQLITE_AUDIT_H
#define REEVE_SQLITE_SQLITE_AUDIT_H

#include "sqlite/sqlite_db.h"
#include "sqlite/sqlite_row.h"

/* names: audit_ sqlite_db_audit_ */

/* Inside of the SQLite driver: the chain of events.
 *
 * Each event is hashed over its content and the link of the event that was written before it, of whatever cluster:
 *
 *     link = SHA-256(link before, id, number, time, cluster, body)
 *
 * Both links stand in the event's row, behind its checksum. The head of the chain (struct store_audit_head) stands
 * outside of the table: in meta, written by the transaction of the event, and so in every backup; and in a file beside the
 * database, AUDIT_FILE, written a moment later. So an event that was deleted, or changed by somebody who made the checksum fit,
 * is missed:
 *
 *     the newest one             the last row has another link than the head
 *     any one                    there are fewer rows than were written and not dropped
 *     one, and the numbers after it moved     the link of the next row fits no row before it
 *     one, and meta made to fit  the file names an event that is not there, or has another link
 *
 * Events of stores from before this have no links. They are not in the chain, and not counted.
 *
 * The head is not keyed: somebody who writes meta, the file and every row after the one that was changed leaves no trace
 * here, but in a copy of the head that lies elsewhere (reeve audit, backups). */

enum { AUDIT_BYTES = 8 + 2 * STORE_AUDIT_LINK_BYTES };

#define AUDIT_FILE "store.db-audit"

/* What stands in the column `checksum` of an event in the chain. */
struct audit_mark {
    uint64_t checksum;
    unsigned char before[STORE_AUDIT_LINK_BYTES];
    unsigned char link[STORE_AUDIT_LINK_BYTES];
};

/* The mark of an event that follows this head. */
struct audit_mark audit_mark_make(const struct store_audit_head *head,
                                  const struct store_event *event, uint64_t id);

/* What its checksum has to be: a bit that flips is damage (R0506), also one of the links. */
uint64_t audit_mark_checksum(const struct audit_mark *mark, const struct store_event *event,
                             uint64_t id);

/* Its bytes, and back; false: these are none. */
void audit_mark_format(const struct audit_mark *mark, unsigned char out[static AUDIT_BYTES]);
bool audit_mark_parse(struct text bytes, struct audit_mark *out);

/* Is the link what the content and the link before it make? */
bool audit_mark_fits(const struct audit_mark *mark, const struct store_event *event, uint64_t id);

/* The head as one line of text, for the file, for backups and for people, and back. The incarnation is that of the store. */
enum { AUDIT_TEXT_BYTES = 256 };
void audit_head_format(const struct store_audit_head *head, const unsigned char incarnation[16],
                       char out[static AUDIT_TEXT_BYTES]);
bool audit_head_parse(struct text text, struct store_audit_head *out,
                      unsigned char out_incarnation[16]);

/* The head in meta; one that is not there is that of an empty chain. False: SQLite failed, or it is not what was written. */
MUST_CHECK bool audit_head_get(sqlite3 *handle, struct store_audit_head *out);

/* The texts of SQL_AUDIT_GET and SQL_AUDIT_PUT. */
extern const char audit_get_sql[];
extern const char audit_put_sql[];

/* Within a transaction of the writer: read the head from meta into db->audit, and write it back. False: SQLite failed. */
MUST_CHECK bool sqlite_db_audit_begin(struct sqlite_db *db);
MUST_CHECK bool sqlite_db_audit_end(struct sqlite_db *db);

/* Compare the chain with its head, and with what the file beside the database says (text empty: there is none): *out_what is
 * what is wrong; empty: nothing. Where `is_deep`, every link is computed anew. False: SQLite failed. */
MUST_CHECK bool audit_check(sqlite3 *handle, struct text file, const unsigned char incarnation[16],
                            bool is_deep, char out_what[static 160]);

#endif
