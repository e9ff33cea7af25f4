#ifndef REEVE_CLI_MANAGER_FOLLOW_H
#define REEVE_CLI_MANAGER_FOLLOW_H

#include "cli/manager/session.h"

/* public names start with: follow_ */

/* Watches a job until it has ended: on a terminal as a picture that is redrawn, elsewhere as one
 * line for each step (UX.md 3.7). Ctrl-C only stops the watching. */
struct follow {
    uint64_t number; /* number of the job: the revision of the change */
    bool stays;      /* watching continues even if the job waits for an operator */
    /* The number comes from the answer to a change. If no machine has to change, the job never
     * starts; that is a success. */
    bool is_announced;
    /* The job is already stored, so requests are retried while the manager restarts. */
    bool is_written;
    /* The plan of the change. The job counts as ended when the groups that the plan changes are in
     * the desired state, even if other groups of the cluster still wait. NULL: all groups count. */
    const struct doc *plan;
    const char *left;     /* added to the line that Ctrl-C prints; NULL: none */
    uint64_t deadline_ms; /* deadline by clock_monotonic_ms; UINT64_MAX = none */
};

/* Returns 0 if the job is done, or if no machine has to change. Returns 1 if the job waits and no
 * machine is ready, and 9 if it waits and some are ready. Returns 5 if another change superseded
 * the job, and 8 if the deadline has passed. For a batch job that has ended, returns the code of
 * job_batches_end. */
enum exit_code follow_run(struct command *command, const struct session *session,
                          const struct follow *follow);

/* Watches a job that was just written. With is_detached, only prints how to watch it later, and
 * returns EXIT_CODE_DONE. */
enum exit_code follow_job(struct command *command, const struct session *session, int64_t number,
                          bool is_detached);

/* Get the jobs with this number in their present state, as a list. False: an error was added. */
bool follow_get(struct command *command, const struct session *session, uint64_t number,
                struct doc *out);

/* Same as follow_get, for jobs that may be about to start: waits until they have started. */
bool follow_get_begun(struct command *command, const struct session *session, uint64_t number,
                      struct doc *out);

#endif
