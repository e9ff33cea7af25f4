#ifndef REEVE_DISCOVERY_SHRINK_H
#define REEVE_DISCOVERY_SHRINK_H

#include "query/query_parts.h"

/* public names start with: shrink_ */

/* Changes by which reeve itself reduces the size of a group, without a request of an operator. */

/* A group of a cluster. */
struct shrink_group {
    struct text tenant;
    struct text cluster; /* id */
    struct text path;
};

/* Returns the number of machines of the group, except machines that are leaving. */
uint64_t shrink_alive(const struct service *service, struct arena *arena,
                      const struct shrink_group *group);

/* Find the current size of the group, and the revision of its specification. Returns false if the
 * group does not exist. */
bool shrink_size_find(const struct service *service, struct arena *arena,
                      const struct shrink_group *group, uint64_t *out_size, uint64_t *out_revision);

/* Creates a change of the group to this size. The caller fills in the machines to remove, the
 * allowance and the reason. The change is rejected if the group is protected. */
struct service_patch *shrink_patch_make(const struct service *service, struct arena *arena,
                                        const struct shrink_group *group, uint64_t size,
                                        uint64_t revision);

/* Returns the error with which a change was rejected. NULL: the change was made. */
const struct err *shrink_error_of(const struct service_answer *answer);

/* True if a change that was rejected with this error may be accepted later. */
bool shrink_is_passing(const struct err *err);

#endif
