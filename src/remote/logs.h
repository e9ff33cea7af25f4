#ifndef REEVE_REMOTE_LOGS_H
#define REEVE_REMOTE_LOGS_H

#include "base/err.h"
#include "base/macros.h"
#include "remote/bounds.h"

/* Stores the output of stages by node, stage and attempt, in a folder of the manager. The output of
 * nodes that no longer exist is also kept. Each line has its time of arrival and the position after
 * it in the node's output. So a new run knows where to continue (node_stage.seen_bytes).
 *
 * A crash may lose the last lines of a log but never leaves half a line. The size of all logs is
 * bounded. If the output of an attempt is too long, its middle is dropped: a quarter of the limit
 * is kept from its beginning, the rest from its end. If the total is too large, whole attempts are
 * dropped: first those of nodes that no longer exist, then the oldest, but never the one that is
 * being written. Each gap is shown as a line in the output. Only one process may use the folder;
 * all calls run on one thread. */
struct logs;

struct logs_limits {
    uint64_t attempt_bytes; /* maximum bytes of one attempt */
    size_t attempts;        /* maximum number of attempts per node; beyond it, the oldest is
                             * dropped */
    size_t nodes; /* maximum number of nodes; beyond it, the node that had no output for the longest
                   * time is dropped */
    /* Maximum bytes of all logs together. Logs are counted while lines arrive, so the limit takes
     * effect some time after a start. */
    uint64_t bytes;
    /* returns whether a node still exists; NULL: all nodes exist */
    bool (*is_there)(void *arg, struct text node);
    void *arg;
};

/* Returns the defaults of bounds.h. */
struct logs_limits logs_limits_usual(void);

/* Opens the folder, creating it if missing. Fails with R0534 or R0536 if it cannot be used. */
MUST_CHECK bool logs_open(const char *path, struct logs_limits limits, struct logs **out,
                          struct err *err);

/* Closes the logs. NULL is allowed. */
void logs_close(struct logs *logs);

/* Identifies an attempt. The name of a node is an id that is never used again; it consists of
 * letters, digits and ._-. */
struct logs_key {
    struct text node;
    /* Number of the stage. From LOGS_HOOK on: number of a hook's playbook (logs_hook_find). */
    uint32_t stage;
    uint32_t attempt;
};

/* The first number of a hook, and the number after the last hook. */
enum { LOGS_HOOK = REMOTE_STAGES, LOGS_HOOK_END = LOGS_HOOK + 4 };

/* logs_hook_find returns the number of the hook with this name (cleanup, drain, undrain, verify);
 * LOGS_HOOK_END: there is no such hook. logs_hook_name returns the name for a number; NULL: it is
 * the number of a stage. */
uint32_t logs_hook_find(struct text name);
const char *logs_hook_name(uint32_t stage);

/* A line of output. */
struct logs_line {
    int64_t wall_ms;
    uint64_t end; /* position after the line in the node's output */
    struct text text;
};

/* Appends a line; the given secrets are masked in it. Fails with R0729 if the line cannot be
 * written; earlier lines are kept. */
MUST_CHECK bool logs_add(struct logs *logs, const struct logs_key *key,
                         const struct logs_line *line, const struct text *secrets,
                         size_t secret_count, struct err *err);

/* Creates the log of an attempt. For an attempt without output, the log only records that the
 * attempt existed. Fails with R0729 if the log cannot be created. */
MUST_CHECK bool logs_begin(struct logs *logs, const struct logs_key *key, struct err *err);

/* Reads at most `most` lines from `*offset` of the log on, and advances `*offset`. A dropped part
 * gives one line that shows the gap. To follow a log, call it repeatedly. The lines live in the
 * arena. *out_count is 0 if there are no further lines at present. A missing log is empty. Fails
 * with R0729 if the log cannot be read. */
MUST_CHECK bool logs_read(struct logs *logs, struct arena *arena, const struct logs_key *key,
                          uint64_t *offset, size_t most, struct logs_line **out, size_t *out_count,
                          struct err *err);

/* Returns the first line that reports an error. It is searched in the beginning of the log and then
 * in its end. If there is none, returns the last line; empty: there is no output. It is meant for
 * callers that have not read the whole output. The line lives in the arena. */
struct text logs_why(struct logs *logs, struct arena *arena, const struct logs_key *key);

/* Returns the position in the node's output after the last stored line; 0 if there is none. */
uint64_t logs_seen(struct logs *logs, const struct logs_key *key);

/* Lists the attempts that have a log, by stage and attempt. The array lives in the arena. */
MUST_CHECK bool logs_list(struct logs *logs, struct arena *arena, struct text node,
                          struct logs_key **out, size_t *out_count, struct err *err);

/* Records the owner of a node's output, in a format of the caller (TENANT/CLUSTER/NAME). With the
 * owner, the output can be found even after the node no longer exists. Fails with R0729 if that
 * cannot be written. */
MUST_CHECK bool logs_own(struct logs *logs, struct text node, struct text owner, struct err *err);

/* Finds the latest node of this owner that has output. *out lives in the arena. */
bool logs_owner_find(struct logs *logs, struct arena *arena, struct text owner, struct text *out);

/* Returns whether the text is a valid name of a node in the logs. */
bool logs_is_node(struct text node);

#endif
