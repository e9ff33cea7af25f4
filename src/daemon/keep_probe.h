#ifndef REEVE_DAEMON_KEEP_PROBE_H
#define REEVE_DAEMON_KEEP_PROBE_H

#include "engine/control.h"
#include "sys/loop.h"

/* names: keep_ */

/* The probes of a manager: who knocks at the ports of machines, and gives it up when the manager ends. */
struct keep_probes;

struct keep_probes *keep_probes_new(struct loop *loop);

/* As control_ports.probe. */
void keep_probe(struct keep_probes *probes, const struct control_probe *probe,
                control_probe_done *done, void *arg);

/* Those under way are given up; their `done` is not called. NULL is allowed. */
void keep_probes_free(struct keep_probes *probes);

#endif
