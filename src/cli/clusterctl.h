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

/* clusterctl import FILE|URL: prints the file of a cluster that corresponds to the settings of
 * Contiv's cluster manager or to the state of a running one. Also prints the commands to run next;
 * with --apply it runs them. */
enum exit_code clusterctl_import(struct command *command);

/* Nodes of a host group that a running cluster manager has in service. */
struct clusterctl_group {
    struct text name;
    const struct text *addresses;
    size_t count;
};

/* What import has found. Empty texts are not known. */
struct clusterctl_found {
    struct command *command;
    struct text user;
    struct text key_file; /* private key for logins to the nodes, on this computer */
    struct text location; /* folder of the playbooks, on this computer */
    struct text file;     /* the file of the cluster */
    struct text settings; /* lines for the configuration of the manager */
    const struct clusterctl_group *groups;
    size_t group_count;
};

/* Take over what import has found, after the user's consent: the secret, the configuration, the
 * cluster, and the nodes. What exists is left as it is, so a failed run can be repeated. With
 * --config the settings are added to that file. */
enum exit_code clusterctl_apply(const struct clusterctl_found *found);

#endif
