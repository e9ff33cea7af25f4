#ifndef REEVE_NODES_EXEC_RUNS_H
#define REEVE_NODES_EXEC_RUNS_H

#include "access/reach.h"
#include "service/exec.h"

/* names: controller_ */

/* Commands on many machines, over the manager's hands: the port of service/exec.h as it is in earnest. */
struct exec_runs;

struct exec_runs *exec_runs_new(struct loop *loop, struct reach *reach);

/* The port; lives as long as this. */
const struct exec_port *exec_runs_port(struct exec_runs *execs);

/* What some of them wait for is there, or will not come (reach_target). */
void exec_runs_go_on(struct exec_runs *execs);

/* Is nothing under way, also not the end of what was given up? */
bool exec_runs_are_idle(const struct exec_runs *execs);

/* No more are begun. Those under way have been dropped by who asked; their runs end with the hands. Before reach_close. */
void exec_runs_close(struct exec_runs *execs);

/* After reach_close. NULL is allowed. */
void exec_runs_free(struct exec_runs *execs);

#endif
