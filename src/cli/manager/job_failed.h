#ifndef REEVE_CLI_MANAGER_JOB_FAILED_H
#define REEVE_CLI_MANAGER_JOB_FAILED_H

#include "cli/manager/session.h"

/* public names start with: job_failed_ */

/* Writes the nodes of a job whose stages failed, while a user watches the job and at its end. */

/* How many printed nodes are remembered, so that each is printed once. The oldest are dropped; a
 * dropped node is printed again if it fails again. */
enum { JOB_FAILED_SHOWN = 64 };
struct job_failed {
    uint64_t reported[JOB_FAILED_SHOWN];
    size_t count;
};

/* Write "  ! web-1  stage-1 fragile: E: no licence (exit 7)": a line of the redrawn picture;
 * without a picture, a line at the end of the job. */
void job_failed_write(struct command *command, const struct doc *problem);

/* Write a line for each failed node that was not printed yet, if the output is not a terminal. */
void job_failed_lines(struct job_failed *failed, struct command *command, const struct doc *job,
                      uint64_t number, const char *time);

/* Add R0810 with the number of failed nodes and of all nodes, the names of the first failed nodes,
 * where to read more, and how to retry. */
void job_failed_end(struct command *command, const struct doc *jobs, uint64_t number);

/* Add R0830 for a job that has ended because commissions failed: the machines are in the inventory
 * again, and their groups have their previous sizes. Returns the exit code. */
enum exit_code job_failed_returned(struct command *command, const struct session *session,
                                   const struct doc *jobs, uint64_t number);

#endif
