#ifndef REEVE_CLI_MANAGER_JOB_BATCHES_H
#define REEVE_CLI_MANAGER_JOB_BATCHES_H

#include "cli/args/command.h"
#include "codec/doc.h"

/* public names start with: job_batches_ */

/* Jobs that process machines in batches, as reeve bootstrap run starts them: their texts, and the
 * exit code at their end. */

/* True if the job processes machines in batches; other jobs carry out a change. */
bool job_batches_is(const struct doc *job);

/* True if the job is the rollout of changed stages in this group, which the manager starts by
 * itself. */
bool job_batches_is_rollout_of(const struct doc *job, struct text group);

/* Write the progress from the job's status: "24 of 120 bootstrapped again, 1 failed, 5 in progress,
 * 90 waiting; batch 3 of 24". Adds why no more machines are started, or until when the job pauses.
 * Ended jobs have a progress text too. */
void job_batches_text(struct buf *out, const struct doc *status);

/* Format the progress of a batch job: "bootstrap 3/24"; empty for a job of a change. */
struct text job_batches_short(struct arena *arena, const struct doc *job);

/* Write the fields that follow the cluster in a line for programs: " verb=bootstrap state=running
 * batch=3/24 ready=24 wanted=120 ...". */
void job_batches_fields(struct buf *out, const struct doc *status);

/* Write one line for each reason to wait that the manager reports. */
void job_batches_waits(struct buf *out, const struct doc *status);

/* Write the machines that were not started, on one line, which is shortened if there are many.
 * Writes nothing if there are none. */
void job_batches_skipped(struct buf *out, const struct doc *status);

/* True if the job makes no progress without an operator: the job or all its runnable parts are
 * paused, or its request cannot be read. */
bool job_batches_is_waiting(const struct doc *job);

/* True if the job's deadline has passed: no further machine is started, even if some still run. */
bool job_batches_is_late(const struct doc *job);

/* Return the exit code of a job that has ended or waits: 0 for success, 9 for success on only some
 * machines, 1 for success on none, 8 if its deadline passed first, 5 if its cluster was deleted.
 * Adds an error with the first failure of a machine, and with the command that repeats the job on
 * the remaining machines. */
enum exit_code job_batches_end(struct command *command, const struct doc *jobs, uint64_t number);

#endif
