#ifndef REEVE_CLI_DOCTOR_ACCOUNTS_H
#define REEVE_CLI_DOCTOR_ACCOUNTS_H

#include "cli/manager/session.h"

/* public names start with: doctor_ */

/* Receives the findings; `fix` is a command, or empty. */
struct doctor_ear {
    void (*add)(void *arg, bool is_wrong, struct text what, struct text fix);
    void *arg;
};

/* Report the state of the tenant's accounts, from the answer that also lists the plugins: broken
 * accounts, and accounts that nothing refers to. False: the manager did not answer, and an error
 * was added. */
bool doctor_accounts(struct command *command, const struct session *session,
                     const struct doc *plugins, struct doctor_ear ear);

/* Find out whether a plugin is used: *out_is_used is true if a cluster or a group uses it, or if a
 * machine exists that it created. False: the manager did not answer, and an error was added. */
bool doctor_plugin_use(struct command *command, const struct session *session, struct text plugin,
                       bool *out_is_used);

#endif
