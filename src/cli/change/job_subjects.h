#ifndef REEVE_CLI_CHANGE_JOB_SUBJECTS_H
#define REEVE_CLI_CHANGE_JOB_SUBJECTS_H

#include "cli/args/target.h"
#include "cli/manager/session.h"

/* public names start with: job_subjects_ rollout_ */

/* The clusters and groups ("shop", "shop/web") that a command about a job applies to. */
struct job_subjects {
    struct text *names;
    size_t count;
    /* true: no group of the job has unfinished work, and the command applies to the cluster */
    bool is_whole;
};

/* Find the subjects of a command about a job. A cancel or a pause applies to the job's groups with
 * unfinished work; in the other groups, failed machines are still replaced. A cancel of a job with
 * only reboots left applies to nothing, because a reboot that has begun is not stopped. A resume
 * applies to all pauses in the cluster of the job. Any other command applies to the cluster, and so
 * does a command about a job whose groups are not listed. False: an error was added. */
bool job_subjects_find(struct command *command, const struct session *session, const char *verb,
                       const struct doc *job, struct job_subjects *out);

/* Drop the requested reboots of a job that have not begun, in each of its groups. *out_count is the
 * number of dropped reboots. False: an error was added. */
bool job_reboots_drop(struct command *command, const struct session *session, const struct doc *job,
                      struct text why, int64_t *out_count);

/* True if this group of a job has only reboots left. */
bool job_reboots_only(const struct doc *group);

/* Replace every machine of a group through its rollout, although nothing in the group changes. */
enum exit_code rollout_restart(struct command *command, const struct session *session,
                               const struct target *target);

#endif
