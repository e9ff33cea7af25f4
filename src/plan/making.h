#ifndef REEVE_PLAN_MAKING_H
#define REEVE_PLAN_MAKING_H

#include <stdbool.h>

#include "base/text.h"

/* public names start with: making_ */

/* The fields of a group that define its machines. A change of one of these replaces the machine; a
 * change of any other field keeps the machine. The controller and the plan that operators see both
 * use this list. */

/* Return the field with this index; NULL after the last field. The list does not contain
 * resourcePlugin, because only the name of the plugin counts (making_is_path). */
const char *making_field(unsigned index);

/* True if a machine must be replaced when the value at this path changes. */
bool making_is_path(struct text path);

#endif
