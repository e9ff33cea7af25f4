#ifndef REEVE_CLI_MANAGER_WATCH_H
#define REEVE_CLI_MANAGER_WATCH_H

#include "cli/manager/session.h"

/* A manager that went away is tried again for so long, before it counts as gone. */
#define WATCH_AWAY_MS (60 * 1000)

/* Following what happens: the stream of changes, taken up again where it broke, at this manager or
 * at another one (UX.md 3.7). */

/* One change. `type` is put, del, reset or hello; the document lives until the call returns. False:
 * enough. */
typedef bool watch_change_fn(void *arg, struct text type, const struct doc *doc);

struct watch {
    const char *kinds;    /* "cluster,nodegroup" */
    const char *selector; /* may be NULL */
    struct text cluster;  /* of this one alone; empty: of all of the tenant */
    uint64_t from;        /* revision to resume behind; 0 = from now */
    uint64_t deadline_ms; /* of clock_monotonic_ms; UINT64_MAX = none */
    watch_change_fn *change;
    void (*tick)(void *arg); /* called every tick_ms, whatever comes; may be NULL */
    uint64_t tick_ms;
    void *arg;
};

/* Follow until `change` says enough (true), the deadline is over (true, *out_is_over), or the
 * manager refuses (false: an error was added). One that stays away is tried again until the
 * deadline; where there is none, for a minute. */
bool watch_run(struct command *command, const struct session *session, const struct watch *watch,
               bool *out_is_over);

/* The manager does not answer, for this reason: wait before the next try, and say so the first
 * time. *away_since_ms is 0 while it answers. False: it has been away for too long, and the error
 * was added. */
bool watch_wait_away(struct command *command, uint64_t deadline_ms, uint64_t *away_since_ms,
                     const struct err *err);

/* Was it refused, and nothing before it, for want of a right to all of the tenant? One to a cluster
 * is enough to follow that. */
bool watch_is_refused(const struct command *command, const struct err_list *before);

#endif
