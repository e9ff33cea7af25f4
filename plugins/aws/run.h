#ifndef AWS_RUN_H
#define AWS_RUN_H

#include "ec2.h"
#include "network.h"
#include "shape.h"

/* public names start with: run_ */

enum { RUN_TAGS_MAX = 50, RUN_TAG_VALUE_BYTES = 255 };

/* The data from which a RunInstances request is made. */
struct run {
    const struct shape *shape;
    const struct network *network;
    struct text zone; /* full name of the zone; empty: any */
    struct text image;
    /* device of the root volume, if its properties differ from the image */
    struct text root_device;
    struct text token;
    struct text user_data; /* in base64; empty: none */
    struct tag_codec_tags tags;
    bool is_dry; /* only check the rights and parameters */
};

/* Makes the body of the request. */
struct text run_format(struct arena *arena, const struct run *run);

/* Adds the tags for labels: reeve.labels with all labels, one tag for each label that EC2 accepts,
 * and Owner. Stops when the list has RUN_TAGS_MAX tags. */
void run_label_tags(struct arena *arena, struct text labels, struct tag_codec_tags *list);

/* Makes all tags of a new machine. */
void run_tags(struct aws_work *work, const struct shape *shape, const struct reeve_wish_v1 *request,
              struct tag_codec_tags *out);

#endif
