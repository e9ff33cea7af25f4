#ifndef REEVE_CLI_CHANGE_ARCHIVE_SEND_H
#define REEVE_CLI_CHANGE_ARCHIVE_SEND_H

#include "cli/args/command.h"
#include "cli/manager/session.h"
#include "remote/bundle.h"

/* Send an archive to a route in pieces, so that neither side needs memory for a whole large
 * archive. Continues at the offset that the manager reports. `what` is its description in errors.
 * False: an error was added. */
bool archive_send(struct command *command, const struct session *session, const char *route,
                  const char *what, const struct bundle *bundle);

#endif
