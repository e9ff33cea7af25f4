/* Decides which volumes are images, and which image is used for a symbolic name. Pure. */
#include "virt.h"

#include "images.h"

bool virt_is_image_name(struct text name)
{
    return !text_has_prefix(name, TEXT(VIRT_PREFIX)) &&
           (text_has_suffix(name, TEXT(".qcow2")) || text_has_suffix(name, TEXT(".img")) ||
            text_has_suffix(name, TEXT(".raw")));
}

/* True for "debian-12.qcow2" and "debian-12-generic.qcow2", but not for "debian-120.qcow2". */
static bool is_virt_image_of(struct text name, struct text release)
{
    return virt_is_image_name(name) && text_has_prefix(name, release) &&
           name.length > release.length && strchr("-_.", name.data[release.length]) != NULL;
}

struct text virt_image_choose(const struct text *names, size_t count, struct text release)
{
    struct text best = TEXT("");

    for (size_t i = 0; i < count; i++) {
        if (is_virt_image_of(names[i], release) &&
            (best.length == 0 || text_compare(names[i], best) > 0)) {
            best = names[i];
        }
    }
    return best;
}

struct text virt_image_user(struct text image)
{
    const struct image_release *release = images_find(image);

    for (size_t i = 0; i < images_release_count && release == NULL; i++) {
        if (is_virt_image_of(image, text_from(images_releases[i].name))) {
            release = &images_releases[i];
        }
    }
    return release == NULL ? TEXT("root") : text_from(release->user);
}
