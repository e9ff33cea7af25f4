#ifndef REEVE_MEMBERSHIP_SERF_FRAME_H
#define REEVE_MEMBERSHIP_SERF_FRAME_H

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "records/membership.h"

/* public names start with: serf_ */

/* The messages of a serf agent's RPC: MessagePack items, one after the other, without a length. A
 * request is a header {Command, Seq} and, for most commands, a body. An answer or an event is a
 * header {Seq, Error} and in some cases a body, depending on the command with this Seq. These
 * functions are pure: they do no I/O.
 *
 * An agent is an external process: its texts may have any bytes and any length. A member or tag
 * that exceeds a limit is left out and counted. */

/* The commands that reeve sends. Each is sent once per connection, or again only after its answer,
 * so that the number of the command can serve as its Seq. */
enum serf_command {
    SERF_COMMAND_HANDSHAKE,
    SERF_COMMAND_AUTH,
    SERF_COMMAND_STATS,
    SERF_COMMAND_STREAM, /* later frames with this Seq are events */
    SERF_COMMAND_MEMBERS,
    SERF_COMMAND_COUNT,
};

/* Appends a request. `key` is the key for SERF_COMMAND_AUTH. */
void serf_request_add(struct buf *buf, enum serf_command command, struct text key);

/* Finds the ends of items in bytes that arrive in pieces. It takes linear time, because it examines
 * each byte once, however often it is called. */
struct serf_scan {
    size_t at;       /* bytes of complete items so far */
    size_t items;    /* number of nested items that are still missing in the current item */
    bool is_started; /* the present item has begun */
};

enum serf_scan_end {
    SERF_SCAN_COMPLETE, /* the item ends at scan->at, and the scan is ready for the next one */
    SERF_SCAN_PARTIAL,
    SERF_SCAN_INVALID, /* not MessagePack, or longer than max_bytes */
};
enum serf_scan_end serf_scan_next(struct serf_scan *scan, struct text bytes, size_t max_bytes);

/* A header. `error` is empty if the request succeeded. */
struct serf_header {
    enum serf_command command;
    struct text error;
};

/* Reads the header of an answer or event. Returns false if it is not a map, has no Seq, or has a
 * Seq that no request had. */
MUST_CHECK bool serf_header_read(struct text item, struct serf_header *out);

/* True if a body follows this header. `is_answered`: the answer to SERF_COMMAND_STREAM was read, so
 * that a header with the Seq of that command belongs to an event. */
bool serf_has_body(const struct serf_header *header, bool is_answered);

/* Reads the members of an answer to SERF_COMMAND_MEMBERS, or of an event, into the arena. An event
 * that is not about members (a query, a user event, or a kind that a later serf adds) has no
 * members and the change MEMBERSHIP_CHANGE_COUNT. *skipped counts members and tags that were left
 * out. Returns false if the body has another structure, or does not fit in the arena
 * (LIMIT_SERF_ARENA_BYTES). Texts are borrowed from the item. */
MUST_CHECK bool serf_members_read(struct arena *arena, struct text item, bool is_event,
                                  struct membership_report *out, size_t *skipped);

/* Reads the name of the agent's own member from an answer to SERF_COMMAND_STATS. Returns an empty
 * text if there is none. The text is borrowed from the item. */
struct text serf_own_read(struct text item);

#endif
