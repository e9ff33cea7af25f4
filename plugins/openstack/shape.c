#include "stack.h"

enum { STACK_DISK_MOST_GB = 65536 };

/* The provider's names may have any characters. Here a name must be one line that is not too
 * long. */
static struct text stack_name(struct property *property, const char *pointer, const char *initial)
{
    struct text name = property_text(property, pointer, initial);

    if (name.length > 255 || text_find_bad_utf8(name) != SIZE_MAX ||
        text_find_byte(name, '\n') != SIZE_MAX) {
        property_fault(property, pointer, "a name has at most 255 bytes on one line");
    }
    return name;
}

static void stack_read_network(struct property *property, struct stack_shape *out)
{
    struct text address = property_text(property, "/network/address", "private");

    if (property_is_given(property, "/network") &&
        property->host->value(property->call, REEVE_TEXT("/network")).type != REEVE_TYPE_MAP) {
        property_fault(property, "/network",
                       "network must be a mapping like {name: internal, address: public}");
    }
    out->is_public = text_is(address, "public");
    if (!out->is_public && !text_is(address, "private")) {
        property_fault(property, "/network/address", "address is private or public");
    }
    if (property_is_given(property, "/network/cidr")) {
        property_fault(property, "/network/cidr",
                       "the plugin makes no networks: give the name of one, or subnet");
    }
    out->network = stack_name(property, "/network/name", "");
    out->external = stack_name(property, "/externalNetwork", "");
    out->subnet = stack_name(property, "/subnet", "");
    if (out->subnet.length == 0) {
        out->subnet = stack_name(property, "/network/subnet", "");
    }
    out->is_portless = property_flag(property, "/portless", false);
    if (out->is_portless && (out->is_public || out->subnet.length > 0)) {
        property_fault(property, "/portless",
                       "without a port there is no subnet to choose and no floating address");
    }
    out->group_count = property_texts(property, "/securityGroups", out->groups, STACK_LIST_MAX);
}

static void stack_read_disk(struct property *property, struct stack_shape *out)
{
    if (property_is_given(property, "/bootVolume")) {
        out->boot_gb = property_integer(property, "/bootVolume/size", 0, 1, STACK_DISK_MOST_GB);
        out->boot_type = stack_name(property, "/bootVolume/type", "");
        if (out->boot_gb == 0 && !property->is_wrong) {
            property_fault(property, "/bootVolume",
                           "bootVolume needs a size in GB: {size: 20, type: ssd}");
        }
    }
    out->disk_count = disk_read(property, STACK_DISK_MOST_GB, out->disks);
}

int32_t stack_shape_read(struct stack_call *work, struct stack_shape *out)
{
    struct property property = { .host = work->stack->host,
                                 .call = work->call,
                                 .arena = work->arena };

    *out = (struct stack_shape){ 0 };
    out->flavor = stack_name(&property, "/flavor", "");
    if (out->flavor.length == 0 && !property.is_wrong) {
        property_fault(&property, "/flavor", "flavor is missing: the name or id of a flavor");
    }
    out->image = stack_name(&property, "/image", "debian");
    out->key = stack_name(&property, "/key", "");
    out->region = stack_name(&property, "/region", "");
    out->server_group = stack_name(&property, "/serverGroup", "");
    out->owner = property_text(&property, "/owner", "");
    out->user = property_user(&property, "");
    out->has_config_drive = property_flag(&property, "/configDrive", false);
    stack_read_network(&property, out);
    stack_read_disk(&property, out);
    return property.is_wrong ? REEVE_INVALID : REEVE_OK;
}
