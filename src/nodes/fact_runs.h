#ifndef REEVE_NODES_FACT_RUNS_H
#define REEVE_NODES_FACT_RUNS_H

#include "access/reach.h"
#include "records/discovered.h"

/* Logs in to machines of the inventory and reads their facts and identity. It changes nothing on a
 * machine (decision 0167). */
struct fact_runs;

struct fact_runs *fact_runs_new(struct reach *reach);

/* The data for the login to a machine. */
struct fact_login {
    struct text user;   /* empty: root */
    struct text secret; /* name of the secret with the private key */
};

typedef void fact_run_done(void *arg, const struct discovered_found *found);

/* Begins to read the facts of the machine of a row. The machine must present the host key of the
 * row. `done` is called once, possibly before this call returns; its arguments are valid during the
 * call. */
void fact_runs_start(struct fact_runs *runs, struct text tenant, const struct discovered *row,
                     const struct fact_login *login, fact_run_done *done, void *arg);

/* Ends the runs. Sessions in progress end with the pool of `reach`, which is closed later. NULL is
 * allowed. */
void fact_runs_free(struct fact_runs *runs);

#endif
