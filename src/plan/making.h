#ifndef REEVE_PLAN_MAKING_H
#define REEVE_PLAN_MAKING_H

#include <stdbool.h>

#include "base/text.h"

/* public names start with: making_ */

/* The fields of a group that define its machines. A change of one of these replaces the machine; a
 * change of any other field keeps the machine. The controller and the plan that operators see both
 * use this list. */

/* The field with this index. The list lacks resourcePlugin, because only its name counts
 * (making_is_path). Returns NULL after the last field. */
const char *making_field(unsigned index);

/* True if a changed value at this path needs another machine. */
bool making_is_path(struct text path);

#endif
