#ifndef REEVE_REMOTE_LOGS_PARTS_H
#define REEVE_REMOTE_LOGS_PARTS_H

#include "remote/bounds.h"
#include "remote/logs.h"

#include <time.h>

/* private to src/remote */
/* public names start with: logs_ LOGS_ */

/* Declarations that the files of the logs share.
 *
 * Each node has a folder, in which each attempt has one or more files, its pieces. STAGE.ATTEMPT is
 * the beginning. STAGE.ATTEMPT.START.OUT begins at byte START of the log, and after byte OUT of the
 * node's output. A piece that has a successor is never written again, so a follower with a byte
 * position never gets bytes of another piece. The names show how much was dropped between two
 * pieces. When a whole attempt is dropped, its last piece is left, without content. */

enum {
    LOGS_NODE_BYTES = 128,
    LOGS_NAME_BYTES = 80,
    LOGS_HEAD_BYTES = 64, /* maximum size of the fields before the text of a line */
    LOGS_LINE_BYTES = REMOTE_LINE_BYTES + LOGS_HEAD_BYTES,
    LOGS_TAIL_PIECES = 6, /* maximum number of pieces of an attempt after its beginning */
    /* The limit of an attempt is divided into this many parts: two for its first piece, and one for
     * each further piece. */
    LOGS_PARTS = 8,
};

/* One piece of a log, which is a file. */
struct logs_piece {
    uint32_t stage;
    uint32_t attempt;
    uint64_t start; /* position of the piece in the log; 0: it is the beginning */
    uint64_t out;   /* position of its beginning in the node's output */
    uint64_t bytes;
    struct timespec at; /* time of the last write */
};

/* A walk over the logs of all nodes, a few nodes at a time. It counts the bytes, and selects the
 * logs to drop first. */
struct logs_walk {
    struct arena *memory; /* NULL: no walk is active */
    struct text *names;   /* names of the nodes */
    size_t count;
    size_t at;                   /* index of the next node */
    uint64_t bytes;              /* total size of the nodes that were visited, plus later changes */
    struct logs_victim *victims; /* the attempts to drop first (logs_room.c) */
    size_t victim_count;
};

struct logs {
    int folder;
    struct logs_limits limits;
    /* The piece that was written last. */
    char node[LOGS_NODE_BYTES];
    struct logs_piece piece;
    int file;
    uint64_t end; /* position in the node's output after its last line */
    /* State of the limit for all logs. */
    struct logs_walk walk;
    bool is_counted;
    uint64_t bytes; /* total size; valid if is_counted and no walk is active */
    /* If the last walk could drop nothing: no further walk before `bytes` reaches this value. */
    uint64_t again;
};

/* Parses a line. Returns false if no line is left, or the line is invalid. */
bool logs_line_read(struct text *rest, struct logs_line *out);

/* Returns the position where the end of a log begins. The end consists of its two latest pieces,
 * and the position is the start of a line. 0: the log has no other pieces. */
uint64_t logs_tail(struct logs *logs, const struct logs_key *key);

/* Finds the last complete line of a file of this size, without its text. *out_end is the position
 * after it; 0: the file has no complete line. */
bool logs_last_find(int file, uint64_t size, struct logs_line *out, uint64_t *out_end);

/* ---- logs_pieces.c ---- */

void logs_piece_name(const struct logs_piece *piece, char out[static LOGS_NAME_BYTES]);

/* Calls `seen` for every name in a folder that does not begin with a dot. The walk ends if `seen`
 * returns false. */
void logs_names(int folder, bool (*seen)(void *arg, int folder, const char *name), void *arg);

/* Lists all pieces of a node by stage, attempt and start. The array lives in the arena. */
struct logs_piece *logs_pieces(struct arena *arena, int folder, size_t *out_count);

/* Finds the pieces of one attempt. Returns the first one, and sets their number. NULL if there are
 * none. */
const struct logs_piece *logs_pieces_of(const struct logs_piece *pieces, size_t count,
                                        const struct logs_key *key, size_t *out_count);

/* Returns the total size of the pieces. */
uint64_t logs_pieces_bytes(const struct logs_piece *pieces, size_t count);

/* Returns how many of the first pieces belong to the same attempt. */
size_t logs_pieces_alike(const struct logs_piece *pieces, size_t count);

/* Returns the position in the node's output at the end of this piece. */
uint64_t logs_piece_end(int folder, const struct logs_piece *piece);

/* ---- logs_room.c ---- */

/* Opens the folder of a node; creates it if it is missing. If there are too many nodes, an older
 * one is removed. */
MUST_CHECK bool logs_node_open(struct logs *logs, const char *node, int *out, struct err *err);

/* Makes room for another attempt of a node by dropping the oldest one, if necessary. */
void logs_room_attempts(struct logs *logs, int folder);

/* Adds a change of the stored size, in bytes, to the count. */
void logs_room_change(struct logs *logs, int64_t bytes);

/* Continues the walk, and drops logs beyond the limit. Called for every line. */
void logs_room_step(struct logs *logs);

/* Frees the walk over all logs. */
void logs_room_leave(struct logs *logs);

/* ---- logs_owner.c ---- */

/* Removes the record of a node's owner, because the node's folder is being removed. */
void logs_owner_forget(int folder, const char *node);

#endif
