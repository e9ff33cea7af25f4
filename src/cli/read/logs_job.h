#ifndef REEVE_CLI_READ_LOGS_JOB_H
#define REEVE_CLI_READ_LOGS_JOB_H

#include "cli/args/command.h"

/* reeve logs job/N: the output of all stages that began during a job, of all its machines. */
enum exit_code logs_job(struct command *command, uint64_t number);

#endif
