#ifndef REEVE_CLI_TERM_GET_VIEWS_H
#define REEVE_CLI_TERM_GET_VIEWS_H

#include "cli/term/output.h"
#include "model/schema.h"

/* public names start with: get_ */

/* The view of reeve get for objects of a kind; for groups, `.effective` has the effective values
 * (get_groups.h). Never freed. */
const struct output_view *get_view_of(const struct schema_kind *kind);

#endif
