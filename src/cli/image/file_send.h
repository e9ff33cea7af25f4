#ifndef REEVE_CLI_IMAGE_FILE_SEND_H
#define REEVE_CLI_IMAGE_FILE_SEND_H

#include "cli/args/command.h"
#include "cli/manager/session.h"

/* public names start with: file_send_ */

/* A file that is sent to a manager. */
struct file_send {
    const char *path;
    int fd;
    uint64_t bytes;
    char digest[65];
};

/* Opens a file, and reads it once for its digest. False: an error was added. The caller closes the
 * descriptor. */
bool file_send_open(struct command *command, const char *path, struct file_send *out);

/* Sends the file in pieces, from the offset on that the manager reports, so that neither side has
 * it in memory, and an upload that was interrupted continues. A terminal shows the progress. False:
 * an error was added. */
bool file_send_run(struct command *command, const struct session *session,
                   const struct file_send *file);

#endif
