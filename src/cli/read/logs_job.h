#ifndef REEVE_CLI_READ_LOGS_JOB_H
#define REEVE_CLI_READ_LOGS_JOB_H

#include "cli/args/command.h"

/* Implements reeve logs job/N: prints the output of all stages that began during the job on its
 * machines. */
enum exit_code logs_job(struct command *command, uint64_t number);

#endif
