#ifndef REEVE_NODES_EXEC_RUNS_H
#define REEVE_NODES_EXEC_RUNS_H

#include "access/reach.h"
#include "service/exec.h"

/* public names start with: controller_ */

/* Runs commands on many machines over the session pool. Implements the port of service/exec.h. */
struct exec_runs;

struct exec_runs *exec_runs_new(struct loop *loop, struct reach *reach);

/* Returns the port, which is valid as long as `execs`. */
const struct exec_port *exec_runs_port(struct exec_runs *execs);

/* Continues runs that wait for login data (reach_target), after the data has arrived or the request
 * for it has failed. */
void exec_runs_go_on(struct exec_runs *execs);

/* Returns whether no run is active, including runs that end abandoned commands. */
bool exec_runs_are_idle(const struct exec_runs *execs);

/* Starts no more commands, and reports no more results to callers of active commands. These
 * commands end with the session pool. Call it before reach_close. */
void exec_runs_close(struct exec_runs *execs);

/* Frees the runs. Call it after reach_close. NULL is allowed. */
void exec_runs_free(struct exec_runs *execs);

#endif
