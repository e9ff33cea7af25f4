#ifndef REEVE_DISCOVERY_SHRINK_H
#define REEVE_DISCOVERY_SHRINK_H

#include "query/query_parts.h"

/* public names start with: shrink_ */

/* Changes by which the service itself makes a group smaller. */

/* A group of a cluster. */
struct shrink_group {
    struct text tenant;
    struct text cluster; /* id */
    struct text path;
};

/* The number of machines of the group, without those that are leaving. */
uint64_t shrink_alive(const struct service *service, struct arena *arena,
                      const struct shrink_group *group);

/* Find the present size of the group, and the revision of its specification. False: it does not
 * exist. */
bool shrink_size_find(const struct service *service, struct arena *arena,
                      const struct shrink_group *group, uint64_t *out_size, uint64_t *out_revision);

/* A change of the group to this size. Its victims, allowance and reason are filled in by the
 * caller. A protected group refuses it. */
struct service_patch *shrink_patch_make(const struct service *service, struct arena *arena,
                                        const struct shrink_group *group, uint64_t size,
                                        uint64_t revision);

/* The error with which a change was refused. NULL: the change was made. */
const struct err *shrink_error_of(const struct service_answer *answer);

/* True if a change that was refused with this error may be accepted a little later. */
bool shrink_is_passing(const struct err *err);

#endif
