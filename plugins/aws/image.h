#ifndef AWS_IMAGE_H
#define AWS_IMAGE_H

#include "aws.h"

/* public names start with: image_ */

/* An image as EC2 describes it. */
struct image {
    struct text id;
    struct text root_device;  /* such as "/dev/xvda" */
    struct text architecture; /* "x86_64" or "arm64" */
    struct text state;
    struct text name;
};

/* True if the value is a symbolic name, an id or the path of a parameter. */
bool image_is_known(struct text image);

/* True if the value is a symbolic name or a path, whose meaning changes with time. */
bool image_is_symbolic(struct text image);

/* Returns the default login user of the image. */
struct text image_user(struct text image);

/* Returns the image of a region from a pin. The pin is an id, or "REGION=ID REGION=ID" for a group
 * in several regions. Empty: the pin has no image for the region. */
struct text image_pinned(struct text pin, struct text region);

/* Finds the present image for the value of the property and an architecture. Reports a fault at
 * /image. */
int32_t image_resolve(struct aws_work *work, struct text region, struct text image,
                      struct text architecture, struct text *out_id);

/* Gets the image to which a symbolic name resolves for an instance type. Results are cached for ten
 * minutes. Reports a fault at /image or /instanceType. */
int32_t image_of_type(struct aws_work *work, struct text region, struct text image,
                      struct text instance_type, struct text *out_id);

/* Empties the cache of results. Called when EC2 refused a request, because one of the images may be
 * gone. */
void image_forget(struct aws *aws);

/* Describe an image by its id. Reports a fault at /image. */
int32_t image_describe(struct aws_work *work, struct text region, struct text id,
                       struct image *out);

/* Gets the architecture of an instance type. Reports a fault at /instanceType. */
int32_t image_architecture(struct aws_work *work, struct text region, struct text instance_type,
                           struct text *out);

#endif
