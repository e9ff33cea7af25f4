#ifndef LOCAL_IMAGE_H
#define LOCAL_IMAGE_H

#include "work.h"

#include <stdbool.h>

/* Root file systems that machines begin with: images/KEY/root, where KEY tells what it was made from. A folder of
 * that name is whole: it is made as .KEY.new and renamed. */

/* Is it a name that this plugin knows: debian, debian-12, debian-13, host? */
bool image_is_known(struct text image);

/* `host`: the host's own programs? */
bool image_is_host(struct text image);

/* The image is there when this answers OK; *out_layer is its KEY. One that is being made is waited for as long as
 * anybody waits for the call; then TRANSIENT, with words, and the making goes on. */
int32_t image_ensure(struct work *work, struct text image, const char **out_layer);

/* Room for so many images that are made at once. Called by start, before anything else. */
void image_begin(struct local *local, unsigned count);

/* Remove what a killed process has left half made. */
void image_sweep(struct work *work);

/* Wait for the makers that run, told to end by local->is_stopping. */
void image_stop(struct local *local);

#endif
