#include "daemon/blob_files.h"

#include "base/limits.h"
#include "daemon/configurations.h"
#include "plugin_fetch/plugin_fetch.h"
#include "sys/fd.h"

static struct depot *blob_files_depot(const struct blob_files *files, enum blobs_kind kind)
{
    return kind == BLOBS_BUNDLE          ? files->bundles
           : kind == BLOBS_CONFIGURATION ? files->archives
                                         : NULL;
}

bool blob_files_has(void *arg, enum blobs_kind kind, struct text digest)
{
    const struct blob_files *files = arg;
    const struct depot *depot = blob_files_depot(files, kind);
    const struct plugin_fetch *fetch = controller_plugin_fetch(*files->controller);
    struct image_file image;

    if (kind == BLOBS_IMAGE) {
        return files->images != NULL && image_files_find(files->images, digest, &image);
    }
    return kind == BLOBS_PLUGIN ? fetch != NULL && plugin_fetch_blob_has(fetch, digest)
                                : depot != NULL && depot_has(depot, digest);
}

MUST_CHECK static bool blob_files_image_read(const struct blob_files *files, struct arena *arena,
                                             struct text digest, uint64_t offset, uint64_t length,
                                             struct blobs_part *out, struct err *err)
{
    AUTO(fd) fd = FD_NONE;
    struct image_file image;
    char *bytes;
    size_t count;

    if (!image_files_read_begin(files->images, digest, &fd, err)) {
        return false;
    }
    if (!image_files_find(files->images, digest, &image)) {
        return err_set(err, CODE_R0854, "the image was removed");
    }
    bytes = arena_room(arena, (size_t)length + 1);
    if (!image_files_read(fd, offset, bytes, (size_t)length, &count, err)) {
        return false;
    }
    *out = (struct blobs_part){ image.bytes, { bytes, count } };
    return true;
}

bool blob_files_read(void *arg, struct arena *arena, enum blobs_kind kind, struct text digest,
                     uint64_t offset, uint64_t length, struct blobs_part *out, struct err *err)
{
    const struct blob_files *files = arg;
    struct depot *depot = blob_files_depot(files, kind);
    uint64_t size;
    char *bytes;

    if (kind == BLOBS_PLUGIN) {
        return plugin_fetch_blob_read(controller_plugin_fetch(*files->controller), arena, digest,
                                      offset, length, &out->bytes, &out->size, err);
    }
    if (kind == BLOBS_IMAGE) {
        return blob_files_image_read(files, arena, digest, offset, length, out, err);
    }
    if (!depot_check(depot, digest, &size, err)) {
        return false;
    }
    length = offset >= size ? 0 : length < size - offset ? length : size - offset;
    bytes = arena_room(arena, (size_t)length + 1);
    if (!depot_read(depot, digest, offset, bytes, (size_t)length, err)) {
        return false;
    }
    *out = (struct blobs_part){ size, { bytes, (size_t)length } };
    return true;
}

/* Stores the bundles of an archive that was received from another manager, as for a pushed archive.
 * Errors are ignored, because such an archive has no revision. */
static void blob_files_unpack(const struct blob_files *files, struct text digest)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct configurations configurations = { files->archives, files->bundles };
    struct err_list errors;
    struct doc unused;

    err_list_init(&errors, arena);
    (void)!configurations_read(&configurations, digest, arena, &unused, &errors);
}

bool blob_files_put(void *arg, const struct blobs_piece *piece, uint64_t *out_have, struct err *err)
{
    const struct blob_files *files = arg;
    struct depot *depot = blob_files_depot(files, piece->kind);
    struct plugin_fetch *fetch = controller_plugin_fetch(*files->controller);
    struct depot_piece taken = { .digest = piece->digest,
                                 .size = piece->size,
                                 .offset = piece->offset,
                                 .bytes = piece->bytes,
                                 .now_ms = clock_wall_ms(files->clock) };

    if (piece->kind == BLOBS_PLUGIN) {
        *out_have = piece->bytes.length;
        return fetch == NULL ? err_set(err, CODE_R0428, "this manager is still starting")
                             : plugin_fetch_blob_put(fetch, piece->digest, piece->bytes, err);
    }
    if (piece->kind == BLOBS_IMAGE) {
        return files->images == NULL
                   ? err_set(err, CODE_R0726,
                             "this manager cannot store images: its log has the reason")
                   : image_files_take(
                         files->images,
                         &(struct image_piece){ .digest = piece->digest,
                                                .size = piece->size,
                                                .offset = piece->offset,
                                                .bytes = piece->bytes,
                                                .now_ms = clock_monotonic_ms(files->clock) },
                         out_have, err);
    }
    if (depot == NULL) {
        return err_set(err, CODE_R0726,
                       "this manager cannot store bundles: its log has the reason");
    }
    if (!depot_take(depot, &taken, out_have, err)) {
        return false;
    }
    if (piece->kind == BLOBS_CONFIGURATION && *out_have == piece->size) {
        blob_files_unpack(files, piece->digest);
    }
    return true;
}
