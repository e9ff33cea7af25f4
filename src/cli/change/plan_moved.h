#ifndef REEVE_CLI_CHANGE_PLAN_MOVED_H
#define REEVE_CLI_CHANGE_PLAN_MOVED_H

#include "cli/manager/session.h"

/* public names start with: plan_moved_ */

/* plan --rebase: the differences between a recomputed plan and the saved plan that it comes
 * from. */

/* Get a saved plan by its id. False: an error was added. */
bool plan_moved_get(struct command *command, const struct session *session, struct text id,
                    struct doc *out);

/* Write the differences between two plans (the lists `plan` of their answers) for users. */
void plan_moved_write(struct command *command, struct text old_id, const struct doc *old_plan,
                      const struct doc *new_plan);

#endif
