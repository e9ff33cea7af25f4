#ifndef REEVE_UPGRADES_UPGRADES_H
#define REEVE_UPGRADES_UPGRADES_H

#include "service/service.h"

/* public names start with: service_ */

/* Which groups are looked at. */
struct service_upgrades {
    struct text cluster; /* name or id; empty: all clusters of the tenant */
    struct text group;   /* path of a group; empty: all groups */
};

/* Asks the providers to what the pinned names of groups resolve (records/pins.h). Answers
 * {"items":[{choice, cluster, field, group, name, now, pinned, plugin, problem}],"revision"}: one
 * item for each pinned value of the desired generation. `now` differs from `pinned` where
 * `reeve upgrade --image` would move the group. `problem` is present where the provider did not
 * answer. Nothing is changed. R0403: there is no such cluster. */
void service_upgrades(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_upgrades *request,
                      service_done *done, void *arg);

#endif
