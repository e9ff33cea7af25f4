#ifndef REEVE_CLI_PLUGIN_TRY_H
#define REEVE_CLI_PLUGIN_TRY_H

#include "cli/args/command.h"
#include "cli/term/output.h"
#include "cli/manager/session.h"
#include "conformance/conformance.h"

/* names: plugin_ */

/* What the subcommands of reeve plugin share, and the longest of them. */

/* Whom the kit starts, and where it works. */
struct conformance_options plugin_conformance_options(struct command *command, const char *path);

/* Look at a file. False: an error was added. */
bool plugin_look(struct command *command, const char *path, struct conformance_about *out);

/* Read -o. False: an error was added. */
bool plugin_output(struct command *command, const struct output_view *view, struct output *out);

/* Ask the manager and write its answer: for people by `text`, else as -o says. False: an error was
 * added. */
bool plugin_answer(struct command *command, const struct session *session,
                   const struct client_request *request, struct output *output,
                   void (*text)(struct command *command, const struct doc *answer));

/* A plugin as programs see it: of a file, or of a manager's by its name. False: an error was
 * added. */
bool plugin_doc_get(struct command *command, const char *word, struct doc *out);

/* reeve plugin schema NAME|FILE, reeve explain plugin/NAME: what may be said of its machines. */
enum exit_code plugin_schema(struct command *command, const char *word);

/* reeve plugin test FILE. */
enum exit_code plugin_try(struct command *command, const char *path);

#endif
