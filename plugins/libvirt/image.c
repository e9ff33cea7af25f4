/* Finds images, which are volumes of the image pool, by name. */
#include "virt.h"

#include "images.h"

#include <stdlib.h>
enum { VIRT_IMAGES_SHOWN = 8 };

/* Appends the names of images, for a fault. */
static struct text virt_image_list(struct arena *arena, const struct virt_volumes *volumes)
{
    size_t shown = 0;
    struct buf out;

    buf_init(&out, arena);
    for (size_t i = 0; i < volumes->count && shown < VIRT_IMAGES_SHOWN; i++) {
        if (virt_is_image_name(volumes->names[i])) {
            buf_add_string(&out, shown++ == 0 ? "" : ", ");
            buf_add(&out, volumes->names[i]);
        }
    }
    return shown == 0 ? TEXT("no images") : buf_text(&out);
}

/* Returns the format of the volume from libvirt's XML: the first format after <target>. */
static struct text virt_image_format(const char *xml)
{
    const char *target = strstr(xml, "<target>");
    const char *format = target == NULL ? NULL : strstr(target, "<format type='");
    struct text rest = text_from(format == NULL ? "" : format + strlen("<format type='"));

    return text_slice(rest, 0, text_find_byte(rest, '\''));
}

/* Reads the path, format and size of an image. */
static int32_t virt_image_read(struct virt_call *work, virStorageVolPtr volume,
                               struct virt_image *out)
{
    const struct virt_api *api = &work->virt->api;
    char *path = api->virStorageVolGetPath(volume);
    char *xml = api->virStorageVolGetXMLDesc(volume, 0);
    virStorageVolInfo info = { 0 };
    bool is_read = path != NULL && xml != NULL && api->virStorageVolGetInfo(volume, &info) == 0;

    if (is_read) {
        out->path = arena_text(work->arena, text_from(path));
        out->bytes = (int64_t)info.capacity;
        out->format = text_is(virt_image_format(xml), "qcow2") ? "qcow2" : "raw";
    }
    free(path);
    free(xml);
    return is_read ? REEVE_OK : virt_refuse(work, "/image", "read the image", false);
}

/* Chooses the name of the volume, and reports a missing one. */
static int32_t virt_image_name(struct virt_call *work, struct text image, virStoragePoolPtr pool,
                               struct text *out)
{
    const struct image_release *release = images_find(image);
    const char *pool_name = work->virt->settings.image_pool;
    struct virt_volumes volumes;
    int32_t result = virt_volume_names(work, "/image", pool, &volumes);

    if (result != REEVE_OK) {
        return result;
    }
    if (release != NULL) {
        *out = virt_image_choose(volumes.names, volumes.count, text_from(release->name));
        if (out->length > 0) {
            return REEVE_OK;
        }
        return virt_fault(work, REEVE_INVALID, "/image",
                          "the pool '%s' has no volume %s*.qcow2 for the image '%.*s'; it has "
                          "%.*s: store the distribution's cloud image there (virsh vol-upload), "
                          "reeve downloads none",
                          pool_name, release->name, TEXT_ARG(image),
                          TEXT_ARG(virt_image_list(work->arena, &volumes)));
    }
    for (size_t i = 0; i < volumes.count; i++) {
        if (text_is_equal(volumes.names[i], image) && virt_is_image_name(image)) {
            *out = image;
            return REEVE_OK;
        }
    }
    return virt_fault(work, REEVE_INVALID, "/image",
                      "the pool '%s' has no image '%.*s'; it has %.*s: give the name of a volume "
                      "that ends in .qcow2, .img or .raw, or a symbolic name like debian-12",
                      pool_name, TEXT_ARG(image), TEXT_ARG(virt_image_list(work->arena, &volumes)));
}

int32_t virt_image_find(struct virt_call *work, struct text image, struct virt_image *out)
{
    const struct virt_api *api = &work->virt->api;
    virStorageVolPtr volume = NULL;
    virStoragePoolPtr pool;
    int32_t result = virt_pool_open(work, "/image", work->virt->settings.image_pool, &pool);

    *out = (struct virt_image){ 0 };
    if (result != REEVE_OK) {
        return result;
    }
    result = virt_image_name(work, image, pool, &out->name);
    if (result == REEVE_OK) {
        volume = api->virStorageVolLookupByName(pool, arena_string(work->arena, out->name));
        result = volume == NULL ? virt_refuse(work, "/image", "find the image", false)
                                : virt_image_read(work, volume, out);
    }
    if (volume != NULL) {
        (void)api->virStorageVolFree(volume);
    }
    (void)api->virStoragePoolFree(pool);
    return result;
}
