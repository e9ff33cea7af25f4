#ifndef REEVE_CLI_MANAGER_REPLAY_H
#define REEVE_CLI_MANAGER_REPLAY_H

#include "cli/manager/session.h"
#include "plan/ledger.h"

/* Repeats a recorded decision from the manager's ledger, with the planner of this program. */

struct replay {
    struct ledger_head head;
    size_t decision_bytes;
    bool is_same;
    /* if the decisions differ: the first differing line, in the recorded and in the new decision */
    struct text was;
    struct text now;
};

/* Fetch a pass of a cluster and decide it again. False: an error was added (R0435, R0436, R0558, or
 * an error of the manager). A different decision is not an error; see is_same. */
bool replay_pass(struct command *command, const struct session *session, struct text cluster,
                 int64_t number, struct replay *out);

#endif
