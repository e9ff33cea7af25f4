#ifndef REEVE_DAEMON_REFUSALS_H
#define REEVE_DAEMON_REFUSALS_H

#include "managers/roster.h"
#include "sys/loop.h"

/* Checks whether the hosts of other managers refuse connections. A refused connection shows that
 * the process of the manager has ended. */
struct refusals;

struct refusals *refusals_new(struct loop *loop);

/* Implements roster_options.refuses. A loopback address proves nothing about another host. */
void refusals_ask(struct refusals *refusals, struct text address, bool is_here,
                  roster_refused *done, void *done_arg);

/* Ends all checks; their `done` is not called. NULL is allowed. */
void refusals_free(struct refusals *refusals);

#endif
