#ifndef AWS_NETWORK_H
#define AWS_NETWORK_H

#include "shape.h"

/* public names start with: network_ */

/* The ids of the network objects to which a machine is attached. */
struct network {
    struct text subnet;     /* subnet; empty: the default subnet of the zone */
    struct text vpc;        /* VPC; empty: unknown */
    struct text zone;       /* zone of the subnet; empty: unknown */
    int64_t free_addresses; /* free addresses of the subnet; -1: unknown */
    struct text groups[SHAPE_GROUPS_MAX];
    size_t group_count;
};

/* Looks up the subnet and the security groups of the properties. Each object that does not exist is
 * reported with its pointer. With `is_complete`, the subnet is described even if it is given by its
 * id. */
int32_t network_resolve(struct aws_work *work, const struct shape *shape, struct text region,
                        struct text zone, bool is_complete, struct network *out);

/* Looks up security groups of a VPC, by id or name. */
int32_t network_groups(struct aws_work *work, struct text region, struct text vpc,
                       const struct text *names, size_t count, struct network *out);

#endif
