#ifndef REEVE_CLI_ACT_DELETE_VOLUMES_H
#define REEVE_CLI_ACT_DELETE_VOLUMES_H

#include "cli/args/command.h"

/* True if the arguments of reeve delete are volumes. */
bool delete_volumes_is_meant(const struct command *command);

/* Request the deletion of these volumes, with consent. */
enum exit_code delete_volumes(struct command *command);

#endif
