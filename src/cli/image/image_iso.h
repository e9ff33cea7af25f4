#ifndef REEVE_CLI_IMAGE_IMAGE_ISO_H
#define REEVE_CLI_IMAGE_IMAGE_ISO_H

#include "cli/args/command.h"

/* public names start with: image_ */

/* Runs `reeve image iso FILE`: makes an ISO by tools/netboot-image. */
enum exit_code image_iso_run(struct command *command);

#endif
