#include "disk.h"

#include "tag_codec.h"

#include <gnutls/crypto.h>

enum { DISK_KEY_DIGITS = 20, DISK_SHA256_BYTES = 32 };

static const int64_t disk_gib = INT64_C(1) << 30;

static const char *disk_pointer(struct property *property, size_t i, const char *name)
{
    return arena_printf(property->arena, "/volumes/%zu/%s", i, name).data;
}

/* Reads the size, in GiB, rounded up. */
static int64_t disk_read_size(struct property *property, size_t i, int64_t most_gib)
{
    const char *pointer = disk_pointer(property, i, "size");
    struct reeve_value_v1 size =
        property->host->value(property->call, plain_answer(text_from(pointer)));

    if (size.type != REEVE_TYPE_INTEGER || size.integer < 1 || size.integer > most_gib * disk_gib) {
        property_fault(property, pointer,
                       "size of a volume: up to %lld TiB, like 20GB; it is rounded up to 1 GiB",
                       (long long)(most_gib >> 10));
        return 0;
    }
    return (size.integer + disk_gib - 1) / disk_gib;
}

static void disk_check(struct property *property, size_t i, const struct disk *disk)
{
    if (disk->mount.length > 0 &&
        (disk->mount.data[0] != '/' || disk->mount.length < 2 || !text_is_visible(disk->mount))) {
        property_fault(property, disk_pointer(property, i, "mount"),
                       "mount is an absolute path like /srv/data");
    }
    if (!text_is(disk->keep, "slot") && !disk->is_node && !text_is(disk->keep, "always")) {
        property_fault(property, disk_pointer(property, i, "keep"), "keep is slot, node or always");
    }
    if (property_is_given(property, disk_pointer(property, i, "snapshot"))) {
        property_fault(property, disk_pointer(property, i, "snapshot"),
                       "volumes of this plugin cannot be made from a snapshot");
    }
    if (property_is_given(property, disk_pointer(property, i, "iops"))) {
        property_fault(property, disk_pointer(property, i, "iops"),
                       "this provider takes the iops from the type or the size of a volume");
    }
}

size_t disk_read(struct property *property, int64_t most_gib, struct disk out[static DISK_MAX])
{
    struct reeve_value_v1 list = property->host->value(property->call, REEVE_TEXT("/volumes"));

    if (!property_is_given(property, "/volumes")) {
        return 0;
    }
    if (list.type != REEVE_TYPE_LIST || list.integer > DISK_MAX) {
        property_fault(property, "/volumes", "volumes is a list of at most %d volumes", DISK_MAX);
        return 0;
    }
    for (size_t i = 0; i < (size_t)list.integer; i++) {
        struct disk *disk = &out[i];

        *disk = (struct disk){
            .name = property_text(property, disk_pointer(property, i, "name"),
                                  arena_printf(property->arena, "vol%zu", i).data),
            .gib = disk_read_size(property, i, most_gib),
            .type = property_text(property, disk_pointer(property, i, "type"), ""),
            .mount = property_text(property, disk_pointer(property, i, "mount"), ""),
            .keep = property_text(property, disk_pointer(property, i, "keep"), "slot"),
        };
        disk->is_node = text_is(disk->keep, "node");
        disk_check(property, i, disk);
        for (size_t k = 0; k < i; k++) {
            if (text_is_equal(out[k].name, disk->name)) {
                property_fault(property, disk_pointer(property, i, "name"),
                               "two volumes of a machine have the same name");
            }
        }
    }
    return (size_t)list.integer;
}

struct text disk_key(struct arena *arena, struct text name, bool is_node,
                     const struct reeve_wish_v1 *request)
{
    struct text group = tag_codec_value(request->tags, request->tag_count, "reeve.group");
    struct text slot = tag_codec_value(request->tags, request->tag_count, "reeve.logical_id");
    struct text of = is_node ? arena_printf(arena, "%.*s\n%.*s",
                                            TEXT_ARG(plain_text(request->token)), TEXT_ARG(name))
                             : arena_printf(arena, "%.*s\n%.*s\n%.*s\n%.*s",
                                            TEXT_ARG(plain_text(request->cluster)), TEXT_ARG(group),
                                            TEXT_ARG(slot), TEXT_ARG(name));
    unsigned char hash[DISK_SHA256_BYTES];
    char hex[DISK_SHA256_BYTES * 2 + 1];

    (void)gnutls_hash_fast(GNUTLS_DIG_SHA256, of.data, of.length, hash);
    text_format_hex(hash, DISK_SHA256_BYTES, hex);
    return arena_printf(arena, "reeve-%.*s", DISK_KEY_DIGITS, hex);
}
