#ifndef REEVE_CLI_LEAVING_H
#define REEVE_CLI_LEAVING_H

#include "cli/manager/session.h"

/* public names start with: leaving_ */

/* Waits until a manager that was ordered to leave its store has left, and prints the reasons why it
 * has not left yet. Ctrl-C and --timeout only end the waiting. */
enum exit_code leaving_wait(struct command *command, const struct session *session,
                            struct text name);

#endif
