#ifndef REEVE_CLI_READ_GET_BARE_H
#define REEVE_CLI_READ_GET_BARE_H

#include "cli/manager/session.h"
#include "cli/args/target.h"

/* names: get_ */

/* May --bare stand with these objects and flags? False: an error was added. */
bool get_bare_check(struct command *command, const struct targets *targets);

/* Print the file of each object, without its id: applying it changes nothing. No names: all of the kind. */
enum exit_code get_bare(struct command *command, const struct session *session,
                        struct targets *targets);

#endif
