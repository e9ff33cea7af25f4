#ifndef REEVE_MANAGING_MANAGING_PARTS_H
#define REEVE_MANAGING_MANAGING_PARTS_H

#include "query/query_parts.h"

/* private to src/managing */
/* public names start with: service_ */

/* Finds a manager by its name or id. NULL: there is none. */
const struct cache_object *service_manager_find(const struct service *service, struct arena *arena,
                                                struct text name);

#endif
