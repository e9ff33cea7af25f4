#ifndef REEVE_CLI_MANAGER_BUNDLE_H
#define REEVE_CLI_MANAGER_BUNDLE_H

#include "cli/manager/session.h"

/* names: bundle_ */

/* doctor --bundle: one archive with the data that support needs. It has no secrets: only whether
 * tokens are set, and the metadata of objects without their contents. */

/* Gather and write it to `path`, which must not exist; - is standard output. `findings`: what doctor found.
 * session NULL: there is no manager to ask. False: an error was added. */
bool bundle_write(struct command *command, const struct session *session, const char *path,
                  struct text findings);

#endif
