#ifndef REEVE_CLI_READ_GET_FORMS_H
#define REEVE_CLI_READ_GET_FORMS_H

#include "cli/args/command.h"

/* names: get_ */

/* Does the command ask for machines in the form of another tool, by -o or by a flag of such a form? */
bool get_forms_is(const struct command *command);

/* Print them as the manager writes them: for Ansible, OpenSSH, /etc/hosts, Prometheus, Terraform. */
enum exit_code get_forms(struct command *command);

#endif
