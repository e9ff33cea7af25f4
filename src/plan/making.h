#ifndef REEVE_PLAN_MAKING_H
#define REEVE_PLAN_MAKING_H

#include <stdbool.h>

#include "base/text.h"

/* names: making_ */

/* The fields of a group that define its machines. A change of one of these needs another machine; a
 * change of any other field keeps the machine. The controller and the plan for people both use this
 * list. */

/* The fields in order, without resourcePlugin, of which only the name counts. Returns NULL behind
 * the last one. */
const char *making_field(unsigned index);

/* True if another value at this path needs another machine. */
bool making_is_path(struct text path);

#endif
