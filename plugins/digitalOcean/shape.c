#include "ocean.h"

enum { OCEAN_MEMORY_MOST_GB = 4096, OCEAN_CPUS_MOST = 1024, OCEAN_VOLUME_MOST_GIB = 16384 };

/* Short names for families of sizes. */
static const struct {
    const char *name;
    const char *prefix;
} ocean_families[] = {
    { "standard", "s-" }, { "basic", "s-" }, { "general", "g-" }, { "cpu", "c-" }, { "ram", "m-" },
};

/* True if the text can be part of a path or a body of the provider without encoding. */
static bool is_ocean_slug(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.data[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' ||
              byte == '_' || byte == '.')) {
            return false;
        }
    }
    return text.length > 0 && text.length <= 128;
}

/* Reads the property instanceType, which is a family or a slug. */
static void ocean_read_type(struct property *property, struct ocean_shape *out)
{
    struct text type = property_text(property, "/instanceType", "");

    if (type.length == 0) {
        return;
    }
    for (size_t i = 0; i < ARRAY_COUNT(ocean_families); i++) {
        if (text_is(type, ocean_families[i].name)) {
            out->family = text_from(ocean_families[i].prefix);
            return;
        }
    }
    if (!is_ocean_slug(type) || text_find_byte(type, '-') == SIZE_MAX) {
        property_fault(property, "/instanceType",
                       "there is no instance type '%.*s': it is standard, basic, general, cpu, "
                       "ram, or the slug of a size like s-1vcpu-1gb",
                       TEXT_ARG(type));
        return;
    }
    out->size = type;
    out->size_pointer = "/instanceType";
}

static void ocean_read_size(struct property *property, struct ocean_shape *out)
{
    int64_t memory_milli = property_milli(property, "/memory", OCEAN_MEMORY_MOST_GB);
    struct text size = property_text(property, "/size", "");

    out->memory_mb = (memory_milli * 1024 + 999) / 1000;
    out->cpus = property_integer(property, "/cpus", 0, 1, OCEAN_CPUS_MOST);
    out->family = TEXT("s-");
    out->size_pointer = property_is_given(property, "/memory")         ? "/memory"
                        : property_is_given(property, "/cpus")         ? "/cpus"
                        : property_is_given(property, "/instanceType") ? "/instanceType"
                                                                       : "/size";
    ocean_read_type(property, out);
    if (size.length == 0) {
        return;
    }
    if (!is_ocean_slug(size)) {
        property_fault(property, "/size", "size must be a slug of DigitalOcean, like s-1vcpu-1gb");
    }
    if (property_is_given(property, "/instanceType")) {
        property_fault(property, "/size", "give either size or instanceType");
    }
    out->size_pointer = "/size";
    out->size = size;
}

static void ocean_read_network(struct property *property, struct ocean_shape *out)
{
    struct text address = property_text(property, "/network/address", "");
    struct text subnet = property_text(property, "/network/subnet", "");

    if (property_is_given(property, "/network") &&
        property->host->value(property->call, REEVE_TEXT("/network")).type != REEVE_TYPE_MAP) {
        property_fault(property, "/network", "network must be a mapping like {address: public}");
    }
    out->vpc = property_text(property, "/subnet", "");
    if (subnet.length > 0 && out->vpc.length > 0 && !text_is_equal(subnet, out->vpc)) {
        property_fault(property, "/network/subnet", "subnet is given twice, with two values");
    }
    out->vpc = out->vpc.length > 0 ? out->vpc : subnet;
    out->shows_public = text_is(address, "public");
    out->is_private = property_flag(property, "/privateOnly", false);
    if (address.length > 0 && !out->shows_public && !text_is(address, "private")) {
        property_fault(property, "/network/address", "address is private or public");
    }
    if (property_is_given(property, "/network/cidr")) {
        property_fault(property, "/network/cidr",
                       "DigitalOcean has no networks of a group's own: name a VPC as subnet");
    }
    if (out->is_private && out->shows_public) {
        property_fault(property, "/privateOnly",
                       "a droplet without a public network has no public address");
    }
}

static void ocean_read_rest(struct property *property, struct ocean_shape *out)
{
    out->image = property_text(property, "/image", "debian");
    if (!is_ocean_slug(out->image)) {
        property_fault(
            property, "/image",
            "image must be a symbolic name like debian-12, a slug like debian-12-x64, or the "
            "number of an image");
    }
    out->region = property_text(property, "/region", "");
    if (out->region.length > 0 && !is_ocean_slug(out->region)) {
        property_fault(property, "/region", "region must be a slug like fra1");
    }
    out->ssh_key = property_text(property, "/sshKey", "");
    out->owner = property_text(property, "/owner", "");
    out->user = property_user(property, "");
    out->firewall_count =
        property_texts(property, "/securityGroups", out->firewalls, OCEAN_LIST_MAX);
    out->disk_count = disk_read(property, OCEAN_VOLUME_MOST_GIB, out->disks);
    for (size_t i = 0; i < out->disk_count; i++) {
        if (out->disks[i].type.length > 0) {
            property_fault(property, arena_printf(property->arena, "/volumes/%zu/type", i).data,
                           "DigitalOcean volumes have no type");
        }
    }
}

int32_t ocean_shape_read(struct ocean_call *work, struct ocean_shape *out)
{
    struct property property = { .host = work->ocean->host,
                                 .call = work->call,
                                 .arena = work->arena };

    *out = (struct ocean_shape){ 0 };
    ocean_read_size(&property, out);
    ocean_read_network(&property, out);
    ocean_read_rest(&property, out);
    return property.is_wrong ? REEVE_INVALID : REEVE_OK;
}
