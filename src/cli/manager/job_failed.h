#ifndef REEVE_CLI_MANAGER_JOB_FAILED_H
#define REEVE_CLI_MANAGER_JOB_FAILED_H

#include "cli/args/command.h"
#include "codec/doc.h"

/* names: job_failed_ */

/* Nodes of a job whose stages failed: while a user watches, and in the last line. */

/* Nodes that were printed as lines; the oldest are forgotten, and printed again when they fail
 * again. */
enum { JOB_FAILED_SHOWN = 64 };
struct job_failed {
    uint64_t reported[JOB_FAILED_SHOWN];
    size_t count;
};

/* "  ! web-1  stage-1 fragile: E: no licence (exit 7)": a line of the picture, and of the end where
 * there is none. */
void job_failed_write(struct command *command, const struct doc *problem);

/* A line for each node that was not printed yet, for output that is not a terminal. */
void job_failed_lines(struct job_failed *failed, struct command *command, const struct doc *job,
                      uint64_t number, const char *time);

/* R0810: how many failed, of how many; the first ones by name, where to read more, and how to try
 * again. */
void job_failed_end(struct command *command, const struct doc *jobs, uint64_t number);

#endif
