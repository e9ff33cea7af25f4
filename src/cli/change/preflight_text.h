#ifndef REEVE_CLI_CHANGE_PREFLIGHT_TEXT_H
#define REEVE_CLI_CHANGE_PREFLIGHT_TEXT_H

#include "cli/args/command.h"
#include "codec/doc.h"

/* Write the providers' answers to the check of a plan: one line for each group, with the image and
 * other pinned values, the price and the remaining quota. */
void preflight_text_write(struct command *command, const struct doc *answer, bool is_full);

#endif
