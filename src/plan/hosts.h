#ifndef REEVE_PLAN_HOSTS_H
#define REEVE_PLAN_HOSTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* public names start with: plan_host_ */

/* Chooses the host for a new machine of a plugin that creates machines on the hosts of managers.
 * Pure: the same input gives the same answer. */

/* A manager whose host can get the machine. */
struct plan_host {
    struct text id;
    uint64_t members;  /* machines of the group on this host */
    uint64_t machines; /* machines of the cluster on this host */
};

/* Return the host with the fewest machines of the group, then with the fewest of the cluster. Hosts
 * with equal counts are ranked by a hash of `seed` and their ids. SIZE_MAX: there is no host. */
size_t plan_host_choose(const struct plan_host *hosts, size_t count, struct text seed);

#endif
