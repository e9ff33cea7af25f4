#ifndef REEVE_MANAGING_MANAGING_PARTS_H
#define REEVE_MANAGING_MANAGING_PARTS_H

#include "query/query_parts.h"

/* private to src/managing */
/* public names start with: service_ */

/* Finds a manager by its name or id. NULL: there is none. */
const struct cache_object *service_manager_find(const struct service *service, struct arena *arena,
                                                struct text name);

/* Reads a part of a manager's object. Returns an empty map if the object does not have the part. */
struct doc service_manager_part(struct arena *arena, const struct cache_object *object,
                                enum cache_part part);

/* True if the process of a manager is known to have ended. */
bool service_manager_has_ended(struct arena *arena, const struct cache_object *object);

/* Fails with R0581 if the manager is the last one that reconciles clusters. */
MUST_CHECK bool service_manager_others_check(struct service *service, struct arena *arena,
                                             struct text tenant, struct text id, struct text name,
                                             struct err *err);

/* Writes an operator's command about a manager, and its event. The caller has checked `order`. */
void service_manager_order(struct service *service, struct arena *arena,
                           const struct service_actor *actor,
                           const struct service_manager_drain *order,
                           const struct cache_object *object, service_done *done, void *arg);

#endif
