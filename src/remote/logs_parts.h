#ifndef REEVE_REMOTE_LOGS_PARTS_H
#define REEVE_REMOTE_LOGS_PARTS_H

#include "remote/bounds.h"
#include "remote/logs.h"

#include <time.h>

/* names: logs_ LOGS_ */

/* Inside of logs.h.
 *
 * A folder a node, and for each attempt files in it, its pieces: STAGE.ATTEMPT is its beginning, and STAGE.ATTEMPT.START.OUT is what
 * comes at byte START of the log, behind byte OUT of the node's output. A piece that a next one follows is never written again, so
 * whoever follows a log by a byte is never given another one's bytes. What was dropped between two pieces is seen by their names;
 * of an attempt that was dropped whole an empty last piece stays. */

enum {
    LOGS_NODE_BYTES = 128,
    LOGS_NAME_BYTES = 80,
    LOGS_HEAD_BYTES = 64, /* of a line, before its text */
    LOGS_LINE_BYTES = REMOTE_LINE_BYTES + LOGS_HEAD_BYTES,
    LOGS_TAIL_PIECES = 6, /* of one attempt, behind its beginning */
    LOGS_PARTS =
        8, /* of the bound of an attempt: its beginning has two of them, each piece behind it one */
};

/* One file. */
struct logs_piece {
    uint32_t stage;
    uint32_t attempt;
    uint64_t start; /* byte of the log; 0: it is the beginning */
    uint64_t out;   /* byte of the node's output */
    uint64_t bytes;
    struct timespec at; /* when it was written to last */
};

/* A look at all that is kept, a few nodes at a time: what it is in all, and what is to go first. */
struct logs_walk {
    struct arena *memory; /* NULL: nobody looks */
    struct text *names;   /* of nodes */
    size_t count;
    size_t at;                   /* of the next one */
    uint64_t bytes;              /* of those before it, and what has come since */
    struct logs_victim *victims; /* that may go; see logs_room.c */
    size_t victim_count;
};

struct logs {
    int folder;
    struct logs_limits limits;
    /* the piece that was written last */
    char node[LOGS_NODE_BYTES];
    struct logs_piece piece;
    int file;
    uint64_t end; /* byte of the node's output behind its last line */
    /* the bound of all */
    struct logs_walk walk;
    bool is_counted;
    uint64_t bytes; /* in all, where they are counted and nobody looks */
    uint64_t again; /* nothing could go: nobody looks again before there are so many */
};

/* A line as it is read; false: there is none, or what is there is no line of a log. */
bool logs_line_read(struct text *rest, struct logs_line *out);

/* The byte at which the end of a log begins, which is a line's: its two newest pieces. 0: they are all there is. */
uint64_t logs_tail(struct logs *logs, const struct logs_key *key);

/* The last whole line of a file of this size, without its text, and where it ends: 0 where there is none. */
bool logs_last_find(int file, uint64_t size, struct logs_line *out, uint64_t *out_end);

/* ---- logs_pieces.c ---- */

void logs_piece_name(const struct logs_piece *piece, char out[static LOGS_NAME_BYTES]);

/* Call back for every name in a folder but those that begin with a dot; false from it ends the walk. */
void logs_names(int folder, bool (*seen)(void *arg, int folder, const char *name), void *arg);

/* All pieces of a node, by stage, attempt and start; the array lives in the arena. */
struct logs_piece *logs_pieces(struct arena *arena, int folder, size_t *out_count);

/* Those of one attempt among them: the first, and how many; NULL where there are none. */
const struct logs_piece *logs_pieces_of(const struct logs_piece *pieces, size_t count,
                                        const struct logs_key *key, size_t *out_count);

/* Bytes of so many pieces. */
uint64_t logs_pieces_bytes(const struct logs_piece *pieces, size_t count);

/* How many from the first one on are of the same attempt. */
size_t logs_pieces_alike(const struct logs_piece *pieces, size_t count);

/* The byte of the node's output behind this piece. */
uint64_t logs_piece_end(int folder, const struct logs_piece *piece);

/* ---- logs_room.c ---- */

/* The folder of this node, made where it is missing: there is room for it then. */
MUST_CHECK bool logs_node_open(struct logs *logs, const char *node, int *out, struct err *err);

/* Make room for another attempt of a node: the oldest goes. */
void logs_room_attempts(struct logs *logs, int folder);

/* So many bytes more, or fewer, are kept. */
void logs_room_change(struct logs *logs, int64_t bytes);

/* Look on, and drop what is beyond the bound. Called with every line. */
void logs_room_step(struct logs *logs);

/* Nobody looks any more. */
void logs_room_leave(struct logs *logs);

/* ---- logs_owner.c ---- */

/* The folder of a node goes: so does its name. */
void logs_owner_forget(int folder, const char *node);

#endif
