#ifndef REEVE_DAEMON_KEEP_PROBE_H
#define REEVE_DAEMON_KEEP_PROBE_H

#include "daemon/reach.h"
#include "sys/log.h"
#include "sys/loop.h"

/* names: keep_ */

/* The probes of a manager: who knocks at the ports of machines, or runs commands on them, and gives it up when the manager
 * ends. */
struct keep_probes;

/* `wake` is called after each answer: what the reconciler does about it (another probe, a record that is written) is due at once,
 * and nothing else calls keep_run in time. */
struct keep_probes *keep_probes_new(struct loop *loop, struct log *log, struct reach *reach,
                                    void (*wake)(void *arg), void *arg);

/* As control_ports.probe. */
void keep_probe(struct keep_probes *probes, const struct control_probe *probe,
                control_probe_done *done, void *arg);

/* What some of them wait for is there, or will not come (reach_target). */
void keep_probes_go_on(struct keep_probes *probes);

/* Those under way are given up; their `done` is not called. Before reach_close, which ends their runs. NULL is allowed. */
void keep_probes_free(struct keep_probes *probes);

#endif
