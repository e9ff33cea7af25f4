#ifndef REEVE_DAEMON_KEEP_EXEC_H
#define REEVE_DAEMON_KEEP_EXEC_H

#include "daemon/reach.h"
#include "engine/exec.h"

/* names: keep_ */

/* Commands on many machines, over the manager's hands: the port of engine/exec.h as it is in earnest. */
struct keep_execs;

struct keep_execs *keep_execs_new(struct loop *loop, struct reach *reach);

/* The port; lives as long as this. */
const struct exec_port *keep_execs_port(struct keep_execs *execs);

/* What some of them wait for is there, or will not come (reach_target). */
void keep_execs_go_on(struct keep_execs *execs);

/* Is nothing under way, also not the end of what was given up? */
bool keep_execs_are_idle(const struct keep_execs *execs);

/* No more are begun. Those under way have been dropped by who asked; their runs end with the hands. Before reach_close. */
void keep_execs_close(struct keep_execs *execs);

/* After reach_close. NULL is allowed. */
void keep_execs_free(struct keep_execs *execs);

#endif
