#ifndef REEVE_CLI_JOB_FAILED_H
#define REEVE_CLI_JOB_FAILED_H

#include "cli/command.h"
#include "codec/doc.h"

/* names: job_failed_ */

/* Nodes of a job whose stages failed: while somebody watches, and when he is told the end of it. */

/* Those that were told as lines; the oldest are forgotten, and told again when they come back. */
enum { JOB_FAILED_SHOWN = 64 };
struct job_failed {
    uint64_t reported[JOB_FAILED_SHOWN];
    size_t count;
};

/* "  ! web-1  stage-1 fragile: E: no licence (exit 7)": a line of the picture, and of the end where there is none. */
void job_failed_write(struct command *command, const struct doc *problem);

/* A line for each that was not told yet, for those who read no pictures. */
void job_failed_lines(struct job_failed *failed, struct command *command, const struct doc *job,
                      uint64_t number, const char *time);

/* R0810: how many failed, of how many; the first ones by name, where to read more, and how to try again. */
void job_failed_end(struct command *command, const struct doc *jobs, uint64_t number);

#endif
