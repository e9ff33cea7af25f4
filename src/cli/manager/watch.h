#ifndef REEVE_CLI_MANAGER_WATCH_H
#define REEVE_CLI_MANAGER_WATCH_H

#include "cli/manager/session.h"

/* How long an unavailable manager is retried before the watch fails, in ms. */
#define WATCH_AWAY_MS (60 * 1000)

/* Follows the stream of changes. A broken stream is resumed at the same manager or at another one
 * (UX.md 3.7). */

/* Called for one change. `type` is put, del, reset or hello; the document lives until the call
 * returns. False: stop watching. */
typedef bool watch_change_fn(void *arg, struct text type, const struct doc *doc);

struct watch {
    const char *kinds;    /* kinds of objects to watch: "cluster,nodegroup" */
    const char *selector; /* may be NULL */
    struct text cluster;  /* follow this cluster only; empty: all clusters of the tenant */
    uint64_t from;        /* resume after this revision; 0 = from now */
    uint64_t deadline_ms; /* deadline by clock_monotonic_ms; UINT64_MAX = none */
    watch_change_fn *change;
    void (*tick)(void *arg); /* called every tick_ms, with or without changes; may be NULL */
    uint64_t tick_ms;
    void *arg;
};

/* Follow the changes. Returns true when `change` returns false, and at the deadline, where
 * *out_is_over is set. Returns false if the manager refuses the request; an error was added. An
 * unavailable manager is retried until the deadline, or without a deadline for WATCH_AWAY_MS. */
bool watch_run(struct command *command, const struct session *session, const struct watch *watch,
               bool *out_is_over);

/* Wait before the next attempt to reach an unavailable manager, and report the first failure with
 * the reason in `err`. *away_since_ms is the time of the first failure, 0 while the manager
 * answers. False: the manager was unavailable for too long; the error was added. */
bool watch_wait_away(struct command *command, uint64_t deadline_ms, uint64_t *away_since_ms,
                     const struct err *err);

/* True if the only new error is that the caller has no right to the whole tenant. A right to one
 * cluster is enough to follow that cluster. */
bool watch_is_refused(const struct command *command, const struct err_list *before);

#endif
