#ifndef REEVE_NODES_PROBE_RUNS_H
#define REEVE_NODES_PROBE_RUNS_H

#include "access/reach.h"
#include "sys/log.h"
#include "sys/loop.h"

/* names: controller_ */

/* The probes of a manager: who probes at the ports of machines, or runs commands on them, and gives it up when the manager
 * ends. */
struct probe_runs;

/* `wake` is called after each answer: what the reconciler does about it (another probe, a record that is written) is due at once,
 * and nothing else calls node_run in time. */
struct probe_runs *probe_runs_new(struct loop *loop, struct log *log, struct reach *reach,
                                  void (*wake)(void *arg), void *arg);

/* As control_ports.probe. */
void probe_runs_start(struct probe_runs *probes, const struct control_probe *probe,
                      control_probe_done *done, void *arg);

/* What some of them wait for is there, or will not come (reach_target). */
void probe_runs_go_on(struct probe_runs *probes);

/* Those under way are given up; their `done` is not called. Before reach_close, which ends their runs. NULL is allowed. */
void probe_runs_free(struct probe_runs *probes);

#endif
