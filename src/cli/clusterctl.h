#ifndef REEVE_CLI_CLUSTERCTL_H
#define REEVE_CLI_CLUSTERCTL_H

#include "cli/manager/session.h"

/* public names start with: clusterctl_ */

/* Parts of reeve clusterctl. */
struct clusterctl {
    struct command *command;
    struct session session;
    const char *prefix; /* prefix of the paths of the API */
};

/* GET a document. False: an error was added. */
bool clusterctl_get(const struct clusterctl *ctl, const char *path, struct doc *out);

/* Read a JSON file, or with `-` standard input. False: an error was added. */
bool clusterctl_file_read(struct command *command, const char *path, struct doc *out);

/* clusterctl import FILE|URL: prints a cluster file that corresponds to the settings of Contiv's
 * cluster manager, or to the state of a running cluster manager. Also prints the commands to run
 * next. */
enum exit_code clusterctl_import(struct command *command);

#endif
