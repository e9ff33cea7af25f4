#include "gce.h"

enum { GCE_ROOT_MOST_GB = 65536, GCE_PD_GIB = 10 };

/* True if the text can be a name in a URL of the provider. */
static bool is_gce_name(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.data[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' ||
              byte == '.')) {
            return false;
        }
    }
    return text.length > 0 && text.length <= 63 && text.data[0] >= 'a' && text.data[0] <= 'z';
}

static void gce_read_type(struct property *property, struct gce_shape *out)
{
    struct text old = property_text(property, "/instanceType", "");

    out->type_pointer = old.length > 0 ? "/instanceType" : "/machineType";
    out->machine_type = property_text(property, "/machineType", "");
    if (old.length > 0 && out->machine_type.length > 0) {
        property_fault(property, "/instanceType", "give either machineType or instanceType");
    }
    out->machine_type = out->machine_type.length > 0 ? out->machine_type
                        : old.length > 0             ? old
                                                     : TEXT("e2-micro");
    if (!is_gce_name(out->machine_type)) {
        property_fault(property, out->type_pointer,
                       "a machine type must be a name like e2-medium or custom-2-4096");
    }
}

/* True for the path of an image, or a symbolic name or family. */
static bool is_gce_image(struct text image)
{
    for (size_t i = 0; i < image.length; i++) {
        char byte = image.data[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' ||
              byte == '.' || byte == ':' || byte == '/')) {
            return false;
        }
    }
    return image.length <= 255 && (is_gce_name(image) || text_has_prefix(image, TEXT("projects/")));
}

static void gce_read_disk(struct property *property, struct gce_shape *out)
{
    out->root_gb = property_integer(property, "/rootSize", 0, 1, GCE_ROOT_MOST_GB);
    out->root_type = property_text(property, "/rootType", "pd-balanced");
    if (text_is(out->root_type, "standard")) {
        out->root_type = TEXT("pd-standard");
    }
    if (!is_gce_name(out->root_type)) {
        property_fault(property, "/rootType", "a disk type must be a name like pd-balanced");
    }
}

static void gce_read_volumes(struct property *property, struct gce_shape *out)
{
    out->disk_count = disk_read(property, GCE_ROOT_MOST_GB, out->disks);
    for (size_t i = 0; i < out->disk_count; i++) {
        struct disk *disk = &out->disks[i];

        if (disk->type.length == 0 || text_is(disk->type, "standard")) {
            disk->type = disk->type.length == 0 ? TEXT("pd-balanced") : TEXT("pd-standard");
        }
        if (!is_gce_name(disk->type)) {
            property_fault(property, arena_printf(property->arena, "/volumes/%zu/type", i).data,
                           "a disk type is a name like pd-balanced");
        }
        if (text_has_prefix(disk->type, TEXT("pd-")) && disk->gib > 0 && disk->gib < GCE_PD_GIB) {
            property_fault(property, arena_printf(property->arena, "/volumes/%zu/size", i).data,
                           "a persistent disk has at least %d GiB", GCE_PD_GIB);
        }
    }
}

static void gce_read_network(struct property *property, struct gce_shape *out)
{
    struct text address = property_text(property, "/network/address", "private");

    if (property_is_given(property, "/network") &&
        property->host->value(property->call, REEVE_TEXT("/network")).type != REEVE_TYPE_MAP) {
        property_fault(property, "/network", "network must be a mapping like {address: public}");
    }
    out->is_public = text_is(address, "public");
    if (!out->is_public && !text_is(address, "private")) {
        property_fault(property, "/network/address", "address is private or public");
    }
    if (property_is_given(property, "/network/cidr")) {
        property_fault(property, "/network/cidr",
                       "the plugin makes no networks: name a subnetwork as subnet");
    }
    out->subnet = property_text(property, "/subnet", "");
    if (out->subnet.length == 0) {
        out->subnet = property_text(property, "/network/subnet", "");
    }
    if (out->subnet.length > 0 && !is_gce_name(out->subnet)) {
        property_fault(property, "/subnet", "subnet must be the name of a subnetwork");
    }
    out->tag_count = property_texts(property, "/securityGroups", out->tags, GCE_LIST_MAX);
    for (size_t i = 0; i < out->tag_count; i++) {
        if (!is_gce_name(out->tags[i])) {
            property_fault(
                property, arena_printf(property->arena, "/securityGroups/%zu", i).data,
                "a security group must be a network tag: lower-case letters, digits, dashes");
        }
    }
}

int32_t gce_shape_read(struct gce_call *work, struct gce_shape *out)
{
    struct property property = { .host = work->gce->host,
                                 .call = work->call,
                                 .arena = work->arena };

    *out = (struct gce_shape){ 0 };
    gce_read_type(&property, out);
    gce_read_disk(&property, out);
    gce_read_volumes(&property, out);
    gce_read_network(&property, out);
    out->image = property_text(&property, "/image", "debian");
    if (!is_gce_image(out->image)) {
        property_fault(&property, "/image",
                       "image must be a symbolic name like debian-12, or "
                       "projects/PROJECT/global/images/IMAGE");
    }
    out->key = property_text(&property, "/key", "");
    out->owner = property_text(&property, "/owner", "");
    out->user = property_user(&property, "");
    out->is_spot = property_flag(&property, "/preemptible", false);
    out->service_account = property_text(&property, "/serviceAccount", "");
    return property.is_wrong ? REEVE_INVALID : REEVE_OK;
}

struct text gce_region(struct text zone)
{
    for (size_t i = zone.length; i > 0; i--) {
        if (zone.data[i - 1] == '-') {
            return text_slice(zone, 0, i - 1);
        }
    }
    return zone;
}
