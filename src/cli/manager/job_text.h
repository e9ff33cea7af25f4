#ifndef REEVE_CLI_MANAGER_JOB_TEXT_H
#define REEVE_CLI_MANAGER_JOB_TEXT_H

#include "cli/args/command.h"
#include "cli/manager/listing.h"

/* public names start with: job_text_ */

/* Formats jobs and holds as text, in the same way for all outputs. */

/* Write "3 of 5 as wanted, 1 being created or starting, 1 to be replaced". */
/* Return how many machines in these counts are ready and not outdated. For a batch job, return how
 * many are done. */
int64_t job_text_updated(const struct doc *counts);

void job_text_counts(struct buf *out, const struct doc *counts);

/* Write these counts for a whole job, from its status; a batch job has its own text
 * (job_batches.h). */
void job_text_progress(struct buf *out, const struct doc *status);

/* Write the lines below a problem of a job: the time of the next attempt, and the action that
 * helps. Writes nothing if neither is known. */
void job_text_help(struct buf *out, const struct doc *problem);

/* True if the job has ended: it is done, or another change superseded it. */
bool job_text_is_ended(const struct doc *job);

/* Write one line: "job/12  shop  running: 3 of 5 as wanted". */
void job_text_line(struct buf *out, const struct doc *job);

/* Format the answer to a hold: "approved by anna, 5 min ago: it was me"; empty if the hold has not
 * been answered. */
struct text job_text_answer(struct command *command, const struct doc *hold);

/* Return the reason for a hold: its fact, or for a pause the user that set it, the time, the reason
 * and the end. */
struct text job_text_fact(struct command *command, const struct doc *hold);

/* Write "  ! hold/shop/web:bake  for 600 s (began 5 s ago)" and below it the possible actions. If
 * the hold is answered, write the answer instead, with '~' as the mark. */
void job_text_hold(struct command *command, const struct doc *hold);

/* Return a hold as a document for -o:
 * {"advice","answer","fact","name","pauses":[{at,by,of,until,why}],"since"}. */
struct doc job_text_hold_doc(struct command *command, const struct doc *hold);

/* Get the holds of a cluster, or of one of its groups if `group` is not empty. The holds of the
 * whole cluster also apply to each of its groups, and are included. False: an error was added. */
bool job_text_holds_get(struct command *command, const struct session *session, struct text cluster,
                        struct text group, struct listing *out);

/* Warn that the subject ("job/3", "cluster/shop") waits for the holds of a cluster, with the advice
 * of each. Holds that cannot be read are left out. */
void job_text_holds_warn(struct command *command, const struct session *session,
                         struct text cluster, struct text subject);

#endif
