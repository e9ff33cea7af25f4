#ifndef REEVE_CLI_ARGS_FIELDS_H
#define REEVE_CLI_ARGS_FIELDS_H

#include <stdbool.h>

#include "cli/args/command.h"
#include "codec/doc.h"

/* Fields of the command line: PATH=VALUE. */

/* Set one field in a document, which is a map: groups.web.size=4, groups.outer/inner.size=4. The
 * value is YAML. The argument becomes a source of the command, and keys and value have positions in
 * it, so that an error can point its caret at them. False: an error was added. */
bool fields_set(struct command *command, struct doc *document, const char *argument);

/* Put the values of a flag --var K=V into `vars` of a document, below the prefix, which ends with a
 * dot or is empty. `use` is an example of the verb for the hint. False: an error was added. */
bool fields_set_vars(struct command *command, enum flag_id flag, const char *use,
                     struct text prefix, struct doc *out);

/* Set a value at a path. False: an error was added. */
bool fields_put(struct command *command, struct doc *document, struct text path, uint16_t source,
                struct doc value);

/* Read the only document of a YAML file, which becomes a source of the command. False: an error was
 * added. */
bool fields_read_file(struct command *command, const char *path, struct doc *out);

#endif
