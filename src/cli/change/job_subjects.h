#ifndef REEVE_CLI_CHANGE_JOB_SUBJECTS_H
#define REEVE_CLI_CHANGE_JOB_SUBJECTS_H

#include "cli/manager/session.h"

/* names: job_subjects_ */

/* Clusters and groups ("shop", "shop/web"). */
struct job_subjects {
    struct text *names;
    size_t count;
    bool is_whole; /* none of its groups has work left: it is the cluster */
};

/* Of what a word about a job is said. A cancel or a pause concerns those of its groups that have work left: the others are healed as
 * before. A cancel of a job that has only reboots left concerns nothing: none that has begun is stopped. A resume concerns what is paused of its cluster. Any other word concerns the cluster, as does one about a job whose groups
 * are not listed. False: an error was added. */
bool job_subjects_find(struct command *command, const struct session *session, const char *verb,
                       const struct doc *job, struct job_subjects *out);

#endif
