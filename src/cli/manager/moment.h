#ifndef REEVE_CLI_MANAGER_MOMENT_H
#define REEVE_CLI_MANAGER_MOMENT_H

#include "cli/manager/session.h"
#include "cli/args/target.h"

/* public names start with: moment_ */

/* Parses a past point in time as users write it: a revision, an age (10m), or an RFC 3339 time. */

/* Read a point in time: a revision into *out_revision; or set *out_revision to -1 and *out_ms to a
 * wall time. The error R0004 contains `flag`. */
bool moment_read(struct command *command, const char *flag, const char *word, int64_t *out_revision,
                 int64_t *out_ms);

/* Append ?at= to the path of an object. A time is converted to the object's newest revision that is
 * not later. False: an error was added. */
bool moment_put(struct command *command, const struct session *session, const struct target *target,
                const char *word, struct text *path);

#endif
