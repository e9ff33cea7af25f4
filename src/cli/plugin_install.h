#ifndef REEVE_CLI_PLUGIN_INSTALL_H
#define REEVE_CLI_PLUGIN_INSTALL_H

#include "cli/args/command.h"

/* names: plugin_ */

/* reeve plugin install FILE|NAME@sha256:DIGEST|URL. */
enum exit_code plugin_install(struct command *command, const char *word);

#endif
