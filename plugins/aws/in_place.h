#ifndef AWS_IN_PLACE_H
#define AWS_IN_PLACE_H

#include "codec/doc.h"
#include "instance.h"

/* names: in_place_ */

/* Gives an instance the security groups and the instance profile of the properties, if it has
 * others. A property that is missing has the value that a new instance would get. */
int32_t in_place_apply(struct aws_work *work, struct text region, const struct instance *instance,
                       const struct doc *properties);

#endif
