#ifndef REEVE_NODES_PROBE_RUNS_H
#define REEVE_NODES_PROBE_RUNS_H

#include "access/reach.h"
#include "sys/log.h"
#include "sys/loop.h"

/* public names start with: controller_ */

/* Active probes of a manager. They connect to ports of machines or run commands on them, and are
 * dropped when the manager ends. */
struct probe_runs;

/* Creates the probes. `wake` is called after each answer, so that the reconciler immediately
 * continues with the next probe, or writes a record. No other event wakes it in time. */
struct probe_runs *probe_runs_new(struct loop *loop, struct log *log, struct reach *reach,
                                  void (*wake)(void *arg), void *arg);

/* Starts a probe. Callback of control_ports.probe. */
void probe_runs_start(struct probe_runs *probes, const struct control_probe *probe,
                      control_probe_done *done, void *arg);

/* Continues probes that wait for login data (reach_target), after the data has arrived or the
 * request for it has failed. */
void probe_runs_go_on(struct probe_runs *probes);

/* Drops active probes; their `done` is not called. Call it before reach_close, which ends their
 * runs. NULL is allowed. */
void probe_runs_free(struct probe_runs *probes);

#endif
