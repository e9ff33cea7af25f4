#ifndef REEVE_API_IMAGES_IMAGES_RUN_H
#define REEVE_API_IMAGES_IMAGES_RUN_H

#include "api/request/call.h"

/* public names start with: images_ */

/* Continue the checks of images that requests wait for. */
void images_run(struct api *api);

/* Answer the requests that wait for a check: the manager stops. */
void images_end(struct api *api);

#endif
