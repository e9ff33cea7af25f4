#ifndef REEVE_CLI_TERM_GET_VIEWS_H
#define REEVE_CLI_TERM_GET_VIEWS_H

#include "cli/term/output.h"
#include "model/schema.h"

/* public names start with: get_ */

/* Return the view of reeve get for objects of a kind. For groups, `.effective` has the effective
 * values (get_parts.h). The view is static and never freed. */
const struct output_view *get_view_of(const struct schema_kind *kind);

#endif
