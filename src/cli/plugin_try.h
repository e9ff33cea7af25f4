#ifndef REEVE_CLI_PLUGIN_TRY_H
#define REEVE_CLI_PLUGIN_TRY_H

#include "cli/args/command.h"
#include "cli/term/output.h"
#include "cli/manager/session.h"
#include "conformance/conformance.h"

/* public names start with: plugin_ */

/* Functions shared by the subcommands of reeve plugin, and the subcommands that have separate
 * files. */

/* The plugin that the conformance suite starts, and the suite's working directory. */
struct conformance_options plugin_conformance_options(struct command *command, const char *path);

/* Read what a plugin file reports about itself. False: an error was added. */
bool plugin_look(struct command *command, const char *path, struct conformance_about *out);

/* Read -o. False: an error was added. */
bool plugin_output(struct command *command, const struct output_view *view, struct output *out);

/* Send a request to the manager and write its answer: as text by the function `text`, or in the
 * format of -o. False: an error was added. */
bool plugin_answer(struct command *command, const struct session *session,
                   const struct client_request *request, struct output *output,
                   void (*text)(struct command *command, const struct doc *answer));

/* Get the document of a plugin: from a file, or from the manager by the plugin's name. False: an
 * error was added. */
bool plugin_doc_get(struct command *command, const char *word, struct doc *out);

/* Implements reeve plugin schema NAME|FILE and reeve explain plugin/NAME: shows the properties that
 * the plugin's machines can have. */
enum exit_code plugin_schema(struct command *command, const char *word);

/* Implements reeve plugin test FILE. */
enum exit_code plugin_try(struct command *command, const char *path);

#endif
