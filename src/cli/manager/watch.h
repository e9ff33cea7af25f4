#ifndef REEVE_CLI_MANAGER_WATCH_H
#define REEVE_CLI_MANAGER_WATCH_H

#include "cli/manager/session.h"

/* How long an unavailable manager is retried before the watch fails. */
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

/* Follow until `change` returns false (returns true), the deadline passes (returns true and sets
 * *out_is_over), or the manager refuses (returns false: an error was added). An unavailable manager
 * is retried until the deadline; without a deadline for a minute. */
bool watch_run(struct command *command, const struct session *session, const struct watch *watch,
               bool *out_is_over);

/* Wait before the next attempt to reach a manager that does not answer (reason: `err`), and report
 * the first failure. *away_since_ms is 0 while the manager answers. False: it has been unavailable
 * for too long, and the error was added. */
bool watch_wait_away(struct command *command, uint64_t deadline_ms, uint64_t *away_since_ms,
                     const struct err *err);

/* True if the only new error is that the caller has no right to the whole tenant. A right to one
 * cluster is enough to follow that cluster. */
bool watch_is_refused(const struct command *command, const struct err_list *before);

#endif
