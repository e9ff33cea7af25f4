#ifndef REEVE_CLI_DOCTOR_ACCOUNTS_H
#define REEVE_CLI_DOCTOR_ACCOUNTS_H

#include "cli/manager/session.h"

/* names: doctor_ */

/* Somebody who takes down what was found; `fix` is a command, or empty. */
struct doctor_ear {
    void (*add)(void *arg, bool is_wrong, struct text what, struct text fix);
    void *arg;
};

/* How the accounts of the tenant stand, of the answer that also lists the plugins: which are
 * broken, and which nothing names. False: the manager could not be asked, an error was added. */
bool doctor_accounts(struct command *command, const struct session *session,
                     const struct doc *plugins, struct doctor_ear ear);

/* Does a cluster or a group name this plugin, or is a machine left that it made? False: as
 * above. */
bool doctor_plugin_use(struct command *command, const struct session *session, struct text plugin,
                       bool *out_is_used);

#endif
