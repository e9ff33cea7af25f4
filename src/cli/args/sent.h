#ifndef REEVE_CLI_ARGS_SENT_H
#define REEVE_CLI_ARGS_SENT_H

#include "cli/args/command.h"
#include "codec/doc.h"

/* Documents that were sent to a manager, by which the manager's errors are mapped to places in the
 * user's files (UX.md 3.8). */
struct sent {
    const struct doc *documents;
    size_t count;
    const struct err_list *known; /* errors that this program found in them; may be NULL */
};

/* Add the errors of an answer that rejects the request to command->errors, each at its line of the
 * file. If consent is needed, *out_plan is the plan from the answer; otherwise it is absent. */
struct client_answer;
void sent_refused(struct command *command, const struct sent *sent,
                  const struct client_answer *answer, struct doc *out_plan);

/* Add the `warnings` of a successful answer, except warnings that this command has already
 * reported. */
void sent_warned(struct command *command, const struct sent *sent, const struct doc *answer);

#endif
