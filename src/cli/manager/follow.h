#ifndef REEVE_CLI_MANAGER_FOLLOW_H
#define REEVE_CLI_MANAGER_FOLLOW_H

#include "cli/manager/session.h"

/* names: follow_ */

/* Watching a job until it is done: on a terminal a picture that is drawn again, elsewhere a line
 * for each step (UX.md 3.7). Ctrl-C only stops watching. */
struct follow {
    uint64_t number; /* of the job: the revision of the change */
    bool stays;      /* continues even if the job waits for an operator */
    /* By the answer to a change: where no machine has to move it never begins, and that is well. */
    bool is_announced;
    /* With the answer: it is there, whatever the manager says while it begins again. */
    bool is_written;
    /* What the change plans: its job has ended when the groups that it changes are as wanted,
     * whatever other groups of the cluster wait for. NULL: all groups count. */
    const struct doc *plan;
    const char *left; /* an additional line when the user stops watching with Ctrl-C; NULL: none */
    uint64_t deadline_ms; /* of clock_monotonic_ms; UINT64_MAX = none */
};

/* 0 done, or announced and no machine has to move; 1 it waits and nothing is ready, 9 something is;
 * 5 another change took its place; 8 the deadline. Of a job of batches also where it has ended
 * (job_batches_end). */
enum exit_code follow_run(struct command *command, const struct session *session,
                          const struct follow *follow);

/* The jobs with this number as they are: a list. False: an error was added. */
bool follow_get(struct command *command, const struct session *session, uint64_t number,
                struct doc *out);

/* The same, of one that is to begin: waits until it has. */
bool follow_get_begun(struct command *command, const struct session *session, uint64_t number,
                      struct doc *out);

#endif
