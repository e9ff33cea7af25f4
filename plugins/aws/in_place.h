#ifndef AWS_IN_PLACE_H
#define AWS_IN_PLACE_H

#include "codec/doc.h"
#include "instance.h"

/* names: in_place_ */

/* Changes the security groups and the instance profile of an instance to the values in the
 * properties. A missing property means the value that a new instance would get. */
int32_t in_place_apply(struct aws_work *work, struct text region, const struct instance *instance,
                       const struct doc *properties);

#endif
