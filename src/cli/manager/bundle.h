#ifndef REEVE_CLI_MANAGER_BUNDLE_H
#define REEVE_CLI_MANAGER_BUNDLE_H

#include "base/buf.h"
#include "cli/manager/session.h"

/* public names start with: bundle_ tar_ */

/* doctor --bundle: one archive with the data that support needs. It contains no secrets: only
 * whether tokens are set, and the metadata of objects without their contents. */

/* Collect the data and write the archive to `path`, which must not exist; "-" is standard output.
 * `findings` is the report of doctor. `session` is NULL if no manager is available. False: an error
 * was added. */
bool bundle_write(struct command *command, const struct session *session, const char *path,
                  struct text findings);

/* An archive in the format of POSIX ustar, in memory. */

/* Append a file with mode 0600: its name (up to 99 bytes), its content, and its time in seconds
 * since 1970. */
void tar_add(struct buf *tar, const char *name, struct text bytes, int64_t time_s);

/* End the archive. */
void tar_end(struct buf *tar);

#endif
