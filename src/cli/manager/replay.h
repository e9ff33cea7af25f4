#ifndef REEVE_CLI_MANAGER_REPLAY_H
#define REEVE_CLI_MANAGER_REPLAY_H

#include "cli/manager/session.h"
#include "plan/ledger.h"

/* A decision made again from what the manager has kept of it, with the planner of this very
 * program. */

struct replay {
    struct ledger_head head;
    size_t decision_bytes;
    bool is_same;
    struct text
        was; /* not the same: the first line that differs, as it was decided then, and now */
    struct text now;
};

/* Fetch a pass of a cluster and decide it again. False: an error was added (R0435, R0436, R0558,
 * those of the manager). That it is not the same is not an error of this. */
bool replay_pass(struct command *command, const struct session *session, struct text cluster,
                 int64_t number, struct replay *out);

#endif
