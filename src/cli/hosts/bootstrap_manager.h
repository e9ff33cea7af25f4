#ifndef REEVE_CLI_HOSTS_BOOTSTRAP_MANAGER_H
#define REEVE_CLI_HOSTS_BOOTSTRAP_MANAGER_H

#include "cli/args/command.h"

/* reeve bootstrap manager: make a bare Debian the first manager (LIFECYCLE.md 12). */
enum exit_code bootstrap_manager(struct command *command);

#endif
