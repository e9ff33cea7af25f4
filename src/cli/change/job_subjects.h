#ifndef REEVE_CLI_CHANGE_JOB_SUBJECTS_H
#define REEVE_CLI_CHANGE_JOB_SUBJECTS_H

#include "cli/args/target.h"
#include "cli/manager/session.h"

/* names: job_subjects_ rollout_ */

/* Clusters and groups ("shop", "shop/web"). */
struct job_subjects {
    struct text *names;
    size_t count;
    bool is_whole; /* none of its groups has work left: it is the cluster */
};

/* Of what a word about a job is said. A cancel or a pause concerns those of its groups that have
 * work left: the others are healed as before. A cancel of a job that has only reboots left concerns
 * nothing: none that has begun is stopped. A resume concerns what is paused of its cluster. Any
 * other word concerns the cluster, as does one about a job whose groups are not listed. False: an
 * error was added. */
bool job_subjects_find(struct command *command, const struct session *session, const char *verb,
                       const struct doc *job, struct job_subjects *out);

/* Requested reboots of a job that have not begun are dropped, in each of its groups. *out_count:
 * how many they were. False: an error was added. */
bool job_reboots_drop(struct command *command, const struct session *session, const struct doc *job,
                      struct text why, int64_t *out_count);

/* Does this group of a job have only reboots left? */
bool job_reboots_only(const struct doc *group);

/* Replace every machine of a group through its rollout, though nothing of the group changes. */
enum exit_code rollout_restart(struct command *command, const struct session *session,
                               const struct target *target);

#endif
