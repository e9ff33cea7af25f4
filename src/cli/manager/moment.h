#ifndef REEVE_CLI_MANAGER_MOMENT_H
#define REEVE_CLI_MANAGER_MOMENT_H

#include "cli/manager/session.h"
#include "cli/args/target.h"

/* names: moment_ */

/* A moment of the past as people name it: a revision, how long ago (10m), or a time of RFC 3339. */

/* What a word means: *out_revision, or -1 and *out_ms, a wall time. `flag` is named in the error
 * R0004. */
bool moment_read(struct command *command, const char *flag, const char *word, int64_t *out_revision,
                 int64_t *out_ms);

/* Put ?at= behind the path of an object. A time becomes the newest revision of the object that is
 * not younger. False: an error was added. */
bool moment_put(struct command *command, const struct session *session, const struct target *target,
                const char *word, struct text *path);

#endif
