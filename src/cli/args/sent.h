#ifndef REEVE_CLI_ARGS_SENT_H
#define REEVE_CLI_ARGS_SENT_H

#include "cli/args/command.h"
#include "codec/doc.h"

/* Documents that were sent to a manager. They map the manager's errors to places in the user's
 * files (UX.md 3.8). */
struct sent {
    const struct doc *documents;
    size_t count;
    const struct err_list *known; /* errors that this program found in them; may be NULL */
};

/* Add the errors of an answer that rejects the request to command->errors, each at its line of the
 * file. *out_plan: the plan that the manager adds when consent is needed; absent if there is
 * none. */
struct client_answer;
void sent_refused(struct command *command, const struct sent *sent,
                  const struct client_answer *answer, struct doc *out_plan);

/* Add the `warnings` of an answer that is a success, except those that this command has reported
 * itself. */
void sent_warned(struct command *command, const struct sent *sent, const struct doc *answer);

#endif
