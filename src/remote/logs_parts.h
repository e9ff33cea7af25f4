#ifndef REEVE_REMOTE_LOGS_PARTS_H
#define REEVE_REMOTE_LOGS_PARTS_H

#include "remote/bounds.h"
#include "remote/logs.h"

#include <time.h>

/* private to src/remote */
/* public names start with: logs_ LOGS_ */

/* Internals of logs.h.
 *
 * Each node has a folder, in which each attempt has one or more files, its pieces. STAGE.ATTEMPT is
 * the beginning. STAGE.ATTEMPT.START.OUT begins at byte START of the log, and after byte OUT of the
 * node's output. A piece that has a successor is never written again, so a follower with a byte
 * position never gets bytes of another piece. The names show what was dropped between two pieces.
 * An attempt that was dropped as a whole leaves an empty last piece. */

enum {
    LOGS_NODE_BYTES = 128,
    LOGS_NAME_BYTES = 80,
    LOGS_HEAD_BYTES = 64, /* maximum size of the fields before the text of a line */
    LOGS_LINE_BYTES = REMOTE_LINE_BYTES + LOGS_HEAD_BYTES,
    LOGS_TAIL_PIECES = 6, /* maximum number of pieces of an attempt after its beginning */
    /* The limit of an attempt is divided into this many parts: two for its beginning, and one for
     * each further piece. */
    LOGS_PARTS = 8,
};

/* One file. */
struct logs_piece {
    uint32_t stage;
    uint32_t attempt;
    uint64_t start; /* position in the log; 0: the beginning */
    uint64_t out;   /* position in the node's output */
    uint64_t bytes;
    struct timespec at; /* time of the last write */
};

/* A walk over all logs, a few nodes at a time. It counts the bytes and finds the logs to drop
 * first. */
struct logs_walk {
    struct arena *memory; /* NULL: no walk is active */
    struct text *names;   /* names of the nodes */
    size_t count;
    size_t at;                   /* index of the next node */
    uint64_t bytes;              /* total size of the nodes before it, plus later changes */
    struct logs_victim *victims; /* candidates to drop; see logs_room.c */
    size_t victim_count;
};

struct logs {
    int folder;
    struct logs_limits limits;
    /* the piece that was written last */
    char node[LOGS_NODE_BYTES];
    struct logs_piece piece;
    int file;
    uint64_t end; /* position in the node's output after its last line */
    /* the limit of all logs */
    struct logs_walk walk;
    bool is_counted;
    uint64_t bytes; /* total, valid if counted and no walk is active */
    /* if no log could be dropped: no further walk until `bytes` reaches this total */
    uint64_t again;
};

/* Parses a line. Returns false if there is none or it is invalid. */
bool logs_line_read(struct text *rest, struct logs_line *out);

/* Returns the position where the end of a log begins. The end is its two newest pieces, and the
 * position is the start of a line. 0: the log has no other pieces. */
uint64_t logs_tail(struct logs *logs, const struct logs_key *key);

/* Finds the last whole line of a file of this size, without its text, and where it ends. *out_end
 * is 0 if there is none. */
bool logs_last_find(int file, uint64_t size, struct logs_line *out, uint64_t *out_end);

/* ---- logs_pieces.c ---- */

void logs_piece_name(const struct logs_piece *piece, char out[static LOGS_NAME_BYTES]);

/* Calls `seen` for every name in a folder that does not begin with a dot. The walk ends if `seen`
 * returns false. */
void logs_names(int folder, bool (*seen)(void *arg, int folder, const char *name), void *arg);

/* Lists all pieces of a node by stage, attempt and start. The array lives in the arena. */
struct logs_piece *logs_pieces(struct arena *arena, int folder, size_t *out_count);

/* Finds the pieces of one attempt: returns the first one and sets the count. NULL: there are
 * none. */
const struct logs_piece *logs_pieces_of(const struct logs_piece *pieces, size_t count,
                                        const struct logs_key *key, size_t *out_count);

/* Returns the total size of the pieces. */
uint64_t logs_pieces_bytes(const struct logs_piece *pieces, size_t count);

/* Returns how many pieces, from the first one on, belong to the same attempt. */
size_t logs_pieces_alike(const struct logs_piece *pieces, size_t count);

/* Returns the position in the node's output after this piece. */
uint64_t logs_piece_end(int folder, const struct logs_piece *piece);

/* ---- logs_room.c ---- */

/* Opens the folder of a node, creating it if missing. A new node may displace an older one. */
MUST_CHECK bool logs_node_open(struct logs *logs, const char *node, int *out, struct err *err);

/* Makes room for another attempt of a node; the oldest is dropped. */
void logs_room_attempts(struct logs *logs, int folder);

/* Records that the stored bytes have grown or shrunk. */
void logs_room_change(struct logs *logs, int64_t bytes);

/* Continues the walk and drops logs beyond the limit. Called with every line. */
void logs_room_step(struct logs *logs);

/* Ends the walk over all logs. */
void logs_room_leave(struct logs *logs);

/* ---- logs_owner.c ---- */

/* Removes the owner record of a node whose folder is removed. */
void logs_owner_forget(int folder, const char *node);

#endif
