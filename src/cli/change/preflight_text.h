#ifndef REEVE_CLI_CHANGE_PREFLIGHT_TEXT_H
#define REEVE_CLI_CHANGE_PREFLIGHT_TEXT_H

#include "cli/args/command.h"
#include "codec/doc.h"

/* Write what the providers answered to the check of a plan: a line for each group with the image
 * and the other values that the plan pins, the price and the remaining quota. */
void preflight_text_write(struct command *command, const struct doc *answer, bool is_full);

#endif
