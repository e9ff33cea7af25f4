#ifndef AWS_NETWORK_H
#define AWS_NETWORK_H

#include "shape.h"

/* names: network_ */

/* Where a machine is attached, by ids. */
struct network {
    struct text subnet;     /* empty: the default one of the zone */
    struct text vpc;        /* empty: unknown */
    struct text zone;       /* of the subnet; empty: unknown */
    int64_t free_addresses; /* of the subnet; -1: unknown */
    struct text groups[SHAPE_GROUPS_MAX];
    size_t group_count;
};

/* Look up the subnet and the security groups of the properties. All that does not exist is reported
 * with its pointer. With `is_complete`, the subnet is described even if it is given by its id. */
int32_t network_resolve(struct aws_work *work, const struct shape *shape, struct text region,
                        struct text zone, bool is_complete, struct network *out);

#endif
