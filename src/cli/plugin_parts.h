#ifndef REEVE_CLI_PLUGIN_PARTS_H
#define REEVE_CLI_PLUGIN_PARTS_H

#include "cli/args/command.h"
#include "cli/term/output.h"
#include "conformance/conformance.h"

/* private to src/cli */
/* public names start with: plugin_ */

/* Internals of reeve plugin (verb_plugin.c): the report of a test, and the installation. */

/* Output of plugins as text and as documents. */

/* Write the findings of reeve plugin check as text, from the document that is the output with
 * -o. */
void plugin_check_text(struct command *command, const char *path, const struct doc *about);

/* The table of a plugin's properties, one row for each. In text output, the table follows the other
 * data of the plugin. */
const struct output_view *plugin_schema_view(void);
void plugin_schema_write(struct command *command, struct output *output, const struct doc *plugin);

/* Write the result of the conformance test. plugin_head_text writes the first line,
 * plugin_finding_text one tested rule, plugin_result_text the overall result. */
void plugin_head_text(struct command *command, const struct conformance_about *about,
                      const struct conformance_options *options);
void plugin_finding_text(struct command *command, const struct conformance_finding *finding);
void plugin_result_text(struct command *command, const struct conformance_result *result);

/* The columns of the results of a conformance test, for -o. */
const struct output_view *plugin_rules_view(void);
struct doc plugin_result_doc(struct arena *arena, const struct conformance_about *about,
                             const struct conformance_options *options,
                             const struct conformance_result *result);

/* Implements reeve plugin install FILE|NAME@sha256:DIGEST|URL. */
enum exit_code plugin_install(struct command *command, const char *word);

#endif
