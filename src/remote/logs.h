#ifndef REEVE_REMOTE_LOGS_H
#define REEVE_REMOTE_LOGS_H

#include "base/err.h"
#include "base/macros.h"

/* Output of stages, by node, stage and attempt, in a folder of the manager's; also of nodes that are gone. A line has the time at
 * which it came, and the byte of the node's output behind it: who starts anew knows from where to go on (node_stage.seen_bytes).
 *
 * A log may lose its last lines to a kill, never gets half a line, and has bounds. Of an attempt that is too long the middle is dropped: a
 * quarter of the bound is its beginning, the rest its end. Where all of them are too much, whole attempts are dropped: first those of
 * nodes that are gone, then the oldest; never the one that lines come to. Either way a line says so where the others were, in words,
 * to whoever reads it. One process at a time; all calls on one thread. */
struct logs;

struct logs_limits {
    uint64_t attempt_bytes; /* of one attempt */
    size_t attempts;        /* of one node; the oldest goes */
    size_t nodes;           /* the one that was silent for longest goes */
    uint64_t
        bytes; /* of all; they are counted while lines come, so it holds a while after a start */
    bool (*is_there)(void *arg, struct text node); /* is it none that is gone? NULL: all are */
    void *arg;
};

/* As in bounds.h. */
struct logs_limits logs_limits_usual(void);

/* Open the folder, made where it is missing. R0534, R0536: it cannot be used. */
MUST_CHECK bool logs_open(const char *path, struct logs_limits limits, struct logs **out,
                          struct err *err);

/* NULL is allowed. */
void logs_close(struct logs *logs);

/* Whose output. Nodes have names that are unique for ever (an id), of letters, digits and ._-. */
struct logs_key {
    struct text node;
    uint32_t stage;
    uint32_t attempt;
};

/* One line. */
struct logs_line {
    int64_t wall_ms;
    uint64_t end; /* byte of the node's output behind it */
    struct text text;
};

/* Keep a line; secrets in it, if any are given, are masked. R0729: it cannot be written; what was kept stays. */
MUST_CHECK bool logs_add(struct logs *logs, const struct logs_key *key,
                         const struct logs_line *line, const struct text *secrets,
                         size_t secret_count, struct err *err);

/* Have a log, also of an attempt that has written nothing: it is known that this was seen. R0729: it cannot be had. */
MUST_CHECK bool logs_begin(struct logs *logs, const struct logs_key *key, struct err *err);

/* Read lines from `*offset` of the log on, and move it behind them, also over what was dropped, in whose place comes a line: what follows a log calls it again and again. They live in the
 * arena; at most `most`. *out_count 0: there are none now. R0729: it cannot be read. A log that is not there is empty. */
MUST_CHECK bool logs_read(struct logs *logs, struct arena *arena, const struct logs_key *key,
                          uint64_t *offset, size_t most, struct logs_line **out, size_t *out_count,
                          struct err *err);

/* The first line that tells of an error, in the beginning of the log or else in its end; where there is none the last one; empty: nothing
 * was written. For who has not seen all of an attempt himself. Lives in the arena. */
struct text logs_why(struct logs *logs, struct arena *arena, const struct logs_key *key);

/* The byte of the node's output behind the last line that is kept: 0 where there is none. */
uint64_t logs_seen(struct logs *logs, const struct logs_key *key);

/* Attempts of which a log is kept, by stage and attempt; the array lives in the arena. */
MUST_CHECK bool logs_list(struct logs *logs, struct arena *arena, struct text node,
                          struct logs_key **out, size_t *out_count, struct err *err);

/* Write down whose output it is, in words of the caller (TENANT/CLUSTER/NAME), by which it is found when nobody else knows the node
 * any more. R0729: it cannot be written. */
MUST_CHECK bool logs_own(struct logs *logs, struct text node, struct text owner, struct err *err);

/* The node that was written down last for these words, and of which output is kept; lives in the arena. */
bool logs_owner_find(struct logs *logs, struct arena *arena, struct text owner, struct text *out);

/* Can it be the name of a node here? */
bool logs_is_node(struct text node);

#endif
