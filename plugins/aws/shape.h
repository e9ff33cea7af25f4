#ifndef AWS_SHAPE_H
#define AWS_SHAPE_H

#include "aws.h"
#include "tag_codec.h"

/* public names start with: shape_ */

enum { SHAPE_GROUPS_MAX = 16, SHAPE_TAGS_MAX = 20, SHAPE_VOLUMES_MAX = 11 };

enum shape_choice { SHAPE_UNSET, SHAPE_NO, SHAPE_YES };

/* An additional disk. */
struct shape_volume {
    struct text name;
    int64_t gib;
    struct text type;
    int64_t iops; /* 0: 0: the default of the disk type */
    struct text mount;
    struct text keep; /* property `keep`: slot, node or always */
};

/* The properties of a machine, read and checked. Texts point into memory of the host. */
struct shape {
    struct text image;
    struct text instance_type;
    struct text key;
    struct text subnet;    /* subnet: an id or a tag Name; empty: the default */
    bool has_zone_subnets; /* `subnet` is a map by zone */
    struct text groups[SHAPE_GROUPS_MAX];
    size_t group_count;
    struct text owner;
    bool is_public; /* reeve connects to the machine's public address */
    enum shape_choice public_address;
    struct text profile;
    struct text placement_group;
    enum shape_choice ebs_optimized;
    uint64_t root_gib; /* size; 0: the size of the image */
    struct text root_type;
    bool is_spot;
    struct text spot_price; /* spot price; empty: the price on demand */
    bool allows_metadata_v1;
    int64_t metadata_hops;
    struct text user;   /* login user; empty: the user of the image */
    struct text region; /* region; empty: the region of the zone, or else the default region */
    struct reeve_tag tags[SHAPE_TAGS_MAX];
    uint32_t tag_count;
    struct shape_volume volumes[SHAPE_VOLUMES_MAX];
    size_t volume_count;
};

/* Reads the properties of the call, and reports all faults with their pointers. Returns INVALID if
 * there are faults. */
int32_t shape_read(struct aws_work *work, struct shape *out);

/* Gets the region of a machine in this zone, and the zone's full name ("eu-west-1a" for "a").
 * Reports a fault and returns false if zone and region contradict each other. */
bool shape_place(struct aws_work *work, const struct shape *shape, struct text zone,
                 struct text *out_region, struct text *out_zone);

/* Returns the subnet for a zone, from the property. Empty: none is given. */
struct text shape_subnet(struct aws_work *work, const struct shape *shape, struct text zone);

/* Returns the login user: the given user, or the user of the image. */
struct text shape_user(const struct shape *shape);

#endif
