#ifndef REEVE_NODES_EXEC_RUNS_H
#define REEVE_NODES_EXEC_RUNS_H

#include "access/reach.h"
#include "service/exec.h"

/* names: controller_ */

/* Commands on many machines over the session pool: implements the port of service/exec.h. */
struct exec_runs;

struct exec_runs *exec_runs_new(struct loop *loop, struct reach *reach);

/* Returns the port. It is valid as long as `execs`. */
const struct exec_port *exec_runs_port(struct exec_runs *execs);

/* Continues runs that wait for login data (reach_target): it is available now, or failed. */
void exec_runs_go_on(struct exec_runs *execs);

/* Returns whether nothing is active, including runs that end given-up commands. */
bool exec_runs_are_idle(const struct exec_runs *execs);

/* Starts no more commands. The callers of active ones have dropped them; their runs end with the
 * session pool. Call it before reach_close. */
void exec_runs_close(struct exec_runs *execs);

/* Frees it. Call it after reach_close. NULL is allowed. */
void exec_runs_free(struct exec_runs *execs);

#endif
