#ifndef AWS_VOLUME_H
#define AWS_VOLUME_H

#include "ec2.h"
#include "first_start.h"
#include "instance.h"
#include "shape.h"

/* public names start with: volume_ */

/* A disk of a machine that is being created. */
struct volume {
    struct text id;     /* id: vol-... */
    struct text device; /* device such as "/dev/sdf" */
    bool is_node;       /* the disk is deleted with the machine */
    bool is_new;        /* this call created the disk */
    bool has_kept_tag;
};

struct volumes {
    struct volume items[SHAPE_VOLUMES_MAX];
    size_t count;
    struct first_start_volume mounts[SHAPE_VOLUMES_MAX]; /* data for the first-start script */
};

/* Finds or creates the disks in the zone. The same request always gets the same disks. */
int32_t volume_prepare(struct aws_work *work, const struct shape *shape,
                       const struct reeve_wish_v1 *request, struct text region, struct text zone,
                       struct volumes *out);

/* Waits until the instance runs, and attaches its disks. Disks that are already attached are
 * skipped. */
int32_t volume_attach(struct aws_work *work, struct text region, struct text instance,
                      const struct volumes *volumes);

/* Deletes the disks that this call created for a machine that EC2 then refused. */
void volume_drop(struct aws_work *work, struct text region, const struct volumes *volumes);

/* Called before a machine is destroyed: writes the time to a tag of the disks that are kept. */
int32_t volume_mark_kept(struct aws_work *work, struct text region,
                         const struct instance *instance);

#endif
