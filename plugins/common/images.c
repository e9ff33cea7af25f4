#include "images.h"

/* A new stable release needs a row. Move is_newest to that row when all providers have its
 * images. */
const struct image_release images_releases[] = {
    { "debian-12", "debian", "12", "admin", true },
    { "debian-13", "debian", "13", "admin", false },
    { "ubuntu-22.04", "ubuntu", "22.04", "ubuntu", false },
    { "ubuntu-24.04", "ubuntu", "24.04", "ubuntu", true },
    { "amazonlinux-2023", "amazonlinux", "2023", "ec2-user", true },
    { "amazonlinux-2", "amazonlinux", "2", "ec2-user", false },
    { "rocky-9", "rocky", "9", "rocky", true },
};
const size_t images_release_count = ARRAY_COUNT(images_releases);

const struct image_release *images_find(struct text name)
{
    for (size_t i = 0; i < images_release_count; i++) {
        const struct image_release *release = &images_releases[i];

        if (text_is(name, release->name) ||
            (release->is_newest && text_is(name, release->distribution))) {
            return release;
        }
    }
    return NULL;
}
