#ifndef REEVE_NODES_CLEANUP_RUNS_H
#define REEVE_NODES_CLEANUP_RUNS_H

#include "records/discovered.h"
#include "records/nodes.h"

/* Cleans up machines of the inventory that were unreachable when they left their group, or whose
 * cleanup failed (struct discovered_cleanup): runs the hooks `cleanup`, and removes the files that
 * reeve has written. */
struct cleanup_runs;

/* Creates the runs. The port and the cache must outlive them. */
struct cleanup_runs *cleanup_runs_new(const struct nodes_port *port, const struct cache *cache);

typedef void cleanup_run_done(void *arg, bool is_done, struct text why);

/* Begins a cleanup. `secret` is the secret with the private key for the login; empty: the authority
 * of the previous cluster is used. `done` is called once, possibly immediately. */
void cleanup_runs_start(struct cleanup_runs *runs, struct text tenant, const struct discovered *row,
                        struct text secret, cleanup_run_done *done, void *arg);

/* Ends all cleanups with the result "not done". Call it after the runs of the port have ended. NULL
 * is allowed. */
void cleanup_runs_free(struct cleanup_runs *runs);

#endif
