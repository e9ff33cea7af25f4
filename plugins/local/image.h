#ifndef LOCAL_IMAGE_H
#define LOCAL_IMAGE_H

#include "work.h"

#include <stdbool.h>

/* Root file systems of new machines: images/KEY/root, where KEY identifies the inputs. A folder
 * with that name is always complete, because it is created as .KEY.new and then renamed. */

/* Returns whether the plugin has an image of this name: debian, debian-12, debian-13, host. */
bool image_is_known(struct text image);

/* Returns whether the name is `host`, the host's own programs. */
bool image_is_host(struct text image);

/* On OK the image exists and *out_layer is its KEY. If the image is being created, the function
 * waits until the call's deadline. It then returns TRANSIENT with a message, and the creation
 * continues. */
int32_t image_ensure(struct work *work, struct text image, const char **out_layer);

/* Reserves space for `count` concurrent creations. The plugin's start calls it first. */
void image_begin(struct local *local, unsigned count);

/* Removes incomplete images that a killed process has left. */
void image_sweep(struct work *work);

/* Waits for running creations, which end because of local->is_stopping. */
void image_stop(struct local *local);

#endif
