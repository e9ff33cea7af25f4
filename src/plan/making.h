#ifndef REEVE_PLAN_MAKING_H
#define REEVE_PLAN_MAKING_H

#include <stdbool.h>

#include "base/text.h"

/* names: making_ */

/* Which fields of a group make its machines what they are: other values of these make another machine; of all
 * others the machine that is there stays. Both the controller and the plan that people see read it here. */

/* The fields but for resourcePlugin, of which the name alone counts, in order. NULL behind the last one. */
const char *making_field(unsigned index);

/* Does another value at this path make another machine? */
bool making_is_path(struct text path);

#endif
