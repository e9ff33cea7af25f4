#ifndef COMMON_IMAGES_H
#define COMMON_IMAGES_H

#include "base/macros.h"
#include "base/mem.h"

#include <stdbool.h>

/* public names start with: images_ image_ */

/* Symbolic names of images: debian, debian-12, ubuntu-24.04 and so on. The table of each provider
 * has their meaning for that provider. Pure. */

struct image_release {
    const char *name;         /* "debian-12" */
    const char *distribution; /* "debian" */
    const char *version;      /* "12" */
    const char *user;         /* default login user of the release's images at most providers */
    bool is_newest;           /* the name of the distribution alone means this release */
};

/* Returns the release of a symbolic name. NULL: the name is not symbolic. */
const struct image_release *images_find(struct text name);

/* All releases, in the order of the table. */
extern const struct image_release images_releases[];
extern const size_t images_release_count;

#endif
