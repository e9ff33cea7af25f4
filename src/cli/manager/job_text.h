#ifndef REEVE_CLI_MANAGER_JOB_TEXT_H
#define REEVE_CLI_MANAGER_JOB_TEXT_H

#include "cli/args/command.h"
#include "cli/manager/listing.h"

/* names: job_text_ */

/* Jobs and holds in words, the same wherever they are shown. */

/* "3 of 5 as wanted, 1 being made or starting, 1 to be replaced" */
/* Machines of such counts that are ready and not outdated; of a job of batches those that are
 * done. */
int64_t job_text_updated(const struct doc *counts);

void job_text_counts(struct buf *out, const struct doc *counts);

/* The same of a whole job, from its status; of one that works off batches in its own words
 * (job_batches.h). */
void job_text_progress(struct buf *out, const struct doc *status);

/* Below a problem that a job names: when it is tried next, and what helps; nothing where that is
 * not known. */
void job_text_help(struct buf *out, const struct doc *problem);

/* Has it ended, done or overtaken? */
bool job_text_is_ended(const struct doc *job);

/* "job/12  shop  running: 3 of 5 as wanted": a line. */
void job_text_line(struct buf *out, const struct doc *job);

/* "approved by anna, 5 min ago: it was me"; empty: not answered. */
struct text job_text_answer(struct command *command, const struct doc *hold);

/* What it is held for: its fact, and of a pause who has set it, when, why and until when. */
struct text job_text_fact(struct command *command, const struct doc *hold);

/* "  ! hold/shop/web:bake  for 600 s (begun 5 s ago)", and below it what can be done, or what was
 * answered: then its mark is '~'. */
void job_text_hold(struct command *command, const struct doc *hold);

/* {"advice","answer","fact","name","pauses":[{at,by,of,until,why}],"since"}: the same for
 * programs. */
struct doc job_text_hold_doc(struct command *command, const struct doc *hold);

/* The holds of a cluster, of one group of it where `group` is not empty: those of the whole cluster
 * are its holds as well. False: an error was added. */
bool job_text_holds_get(struct command *command, const struct session *session, struct text cluster,
                        struct text group, struct listing *out);

#endif
