#ifndef REEVE_CLI_DOCTOR_INSTALLATION_H
#define REEVE_CLI_DOCTOR_INSTALLATION_H

#include "cli/doctor_accounts.h"

/* public names start with: doctor_ */

/* Report the state of the installation on this computer: the check of reeved, the parts of a
 * plugin's sandbox that the computer does not support, and plugins that cannot be loaded. Reports
 * nothing if the manager does not run on this computer, or if reeved is not in the folder of this
 * program. */
void doctor_installation(struct command *command, const struct session *session,
                         struct doctor_ear ear);

#endif
