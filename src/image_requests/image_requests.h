#ifndef REEVE_IMAGE_REQUESTS_IMAGE_REQUESTS_H
#define REEVE_IMAGE_REQUESTS_IMAGE_REQUESTS_H

#include "images/images.h"
#include "service/service.h"

/* public names start with: image_ */

/* Requests about the image repository. Each is answered once, now or later. */

/* Answers {items}: the images with their versions, tags, and the groups and machines that use
 * each. */
void image_list(struct service *service, struct arena *arena, const struct service_actor *actor,
                service_done *done, void *arg);

/* Makes a version of an image of a file that this tenant has sent: `version` has its digest, bytes
 * and format. The tag `latest` moves to it, and the tag `tag` if it is not empty. */
struct image_push {
    struct text name;
    struct text tag;
    struct image_version version;
};
void image_push(struct service *service, struct arena *arena, const struct service_actor *actor,
                const struct image_push *push, service_done *done, void *arg);

/* Lets a tag name the version of a reference (NAME, NAME:TAG or NAME@sha256:DIGEST). */
void image_tag_set(struct service *service, struct arena *arena, const struct service_actor *actor,
                   struct text reference, struct text tag, service_done *done, void *arg);

/* Removes the versions of an image, except the newest `keep`, those that a tag names, and those
 * that a group or a machine uses. With `keep` 0 the tag `latest` does not count. */
void image_gc(struct service *service, struct arena *arena, const struct service_actor *actor,
              struct text name, uint64_t keep, bool is_dry, service_done *done, void *arg);

/* True if an image of the tenant has a version with this digest. */
bool image_is_owned(const struct service *service, struct arena *arena, struct text tenant,
                    struct text digest);

#endif
