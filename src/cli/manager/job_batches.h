#ifndef REEVE_CLI_MANAGER_JOB_BATCHES_H
#define REEVE_CLI_MANAGER_JOB_BATCHES_H

#include "cli/args/command.h"
#include "codec/doc.h"

/* names: job_batches_ */

/* Jobs that work off machines in batches, as reeve bootstrap run begins them: in words, and how
 * they end. */

/* Is it one? Others carry out a change. */
bool job_batches_is(const struct doc *job);

/* Is it the rollout of changed stages in this group, which the manager began by itself? */
bool job_batches_is_rollout_of(const struct doc *job, struct text group);

/* "24 of 120 bootstrapped again, 1 failed, 5 in their stages, 90 to come; batch 3 of 24", from its
 * status; and why no more are begun, or until when it pauses. Jobs that have ended have such a text
 * as well. */
void job_batches_text(struct buf *out, const struct doc *status);

/* "bootstrap 3/24"; of a job of a change nothing. */
struct text job_batches_short(struct arena *arena, const struct doc *job);

/* " verb=bootstrap state=running batch=3/24 ready=24 wanted=120 ...": what a line for programs has
 * after the cluster. */
void job_batches_fields(struct buf *out, const struct doc *status);

/* What it waits for, as the manager reports it: one line each. */
void job_batches_waits(struct buf *out, const struct doc *status);

/* The machines that were not begun, on one line, cut if they are many; nothing if there are none.
 */
void job_batches_skipped(struct buf *out, const struct doc *status);

/* It makes no progress without an operator: it or all its runnable parts are paused, or its request
 * cannot be read. */
bool job_batches_is_waiting(const struct doc *job);

/* Its deadline has passed: nothing more is begun, whether something still runs or not. */
bool job_batches_is_late(const struct doc *job);

/* How one ended, or what it waits for: 0 well, 9 not on all, 1 on none, 8 its deadline came first,
 * 5 its cluster was deleted. What went wrong is said with the first error of a machine, and how the
 * rest is said once more. */
enum exit_code job_batches_end(struct command *command, const struct doc *jobs, uint64_t number);

#endif
