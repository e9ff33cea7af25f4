#ifndef REEVE_CLI_CHANGE_JOB_REBOOTS_H
#define REEVE_CLI_CHANGE_JOB_REBOOTS_H

#include "cli/manager/session.h"

/* Requested reboots of a job that have not begun are dropped, in each of its groups. *out_count: how many they were. False: an error
 * was added. */
bool job_reboots_drop(struct command *command, const struct session *session, const struct doc *job,
                      struct text why, int64_t *out_count);

/* Does this group of a job have only reboots left? */
bool job_reboots_only(const struct doc *group);

#endif
