#ifndef REEVE_CLI_TERM_GET_VIEWS_H
#define REEVE_CLI_TERM_GET_VIEWS_H

#include "cli/term/output.h"
#include "model/schema.h"

/* names: get_ */

/* How reeve get shows objects of a kind in rows; of groups `.effective` is what is in force
 * (get_groups.h). Lives forever. */
const struct output_view *get_view_of(const struct schema_kind *kind);

#endif
