#include "shape.h"

#include "image.h"

#include <assert.h>
#include <stdio.h>

enum { GIB = 1024 * 1024 * 1024, ROOT_MOST_GIB = 65536, USER_BYTES = 32, TEXT_MAX = 255 };

struct shape_reading {
    struct aws_work *work;
    struct shape *out;
    bool is_wrong;
};

static struct reeve_value_v1 shape_value(struct shape_reading *reading, const char *pointer)
{
    return reading->work->aws->host->value(reading->work->call, aws_answer(text_from(pointer)));
}

static void shape_wrong(struct shape_reading *reading, const char *pointer, const char *message)
{
    reading->is_wrong = true;
    (void)aws_refuse(reading->work, REEVE_INVALID, pointer, "%s", message);
}

static bool shape_is_absent(struct reeve_value_v1 value)
{
    return value.type == REEVE_TYPE_ANY &&
           (value.text.length == 0 || text_is(aws_text(value.text), "null"));
}

/* Reads a text without blanks and control characters. If it is absent, the value is unchanged. */
static void shape_text(struct shape_reading *reading, const char *pointer, const char *message,
                       struct text *inout)
{
    struct reeve_value_v1 value = shape_value(reading, pointer);
    struct text text = aws_text(value.text);

    if (shape_is_absent(value)) {
        return;
    }
    if (value.type != REEVE_TYPE_TEXT || text.length == 0 || text.length > TEXT_MAX ||
        text_find_byte(text, '\n') != SIZE_MAX) {
        shape_wrong(reading, pointer, message);
        return;
    }
    *inout = text;
}

static void shape_choice_read(struct shape_reading *reading, const char *pointer,
                              enum shape_choice *out)
{
    struct reeve_value_v1 value = shape_value(reading, pointer);

    if (shape_is_absent(value)) {
        return;
    }
    if (value.type != REEVE_TYPE_BOOLEAN) {
        shape_wrong(reading, pointer, "the value must be true or false");
        return;
    }
    *out = value.integer != 0 ? SHAPE_YES : SHAPE_NO;
}

static void shape_read_image(struct shape_reading *reading)
{
    struct shape *out = reading->out;

    out->image = TEXT("debian");
    shape_text(reading, "/image", "image must be a name like debian-12, an id, or ssm:/path",
               &out->image);
    if (!image_is_known(out->image)) {
        shape_wrong(reading, "/image",
                    "image is ami-..., ssm:/path, or one of debian, debian-12, debian-13, ubuntu, "
                    "ubuntu-22.04, ubuntu-24.04, amazonlinux, amazonlinux-2023, amazonlinux-2, "
                    "rocky, rocky-9");
    }
    shape_text(reading, "/instanceType", "instanceType must be a text like t3.small",
               &out->instance_type);
    if (out->instance_type.length == 0) {
        shape_wrong(reading, "/instanceType",
                    "instanceType is missing: the type of the machine, like t3.small");
    } else if (text_find_byte(out->instance_type, '.') == SIZE_MAX ||
               !text_is_visible(out->instance_type)) {
        shape_wrong(reading, "/instanceType",
                    "instanceType must be the name of a type of EC2, like t3.small or c6i.large");
    }
    shape_text(reading, "/key", "key must be the name of a key pair of EC2", &out->key);
}

static void shape_read_groups(struct shape_reading *reading)
{
    struct reeve_value_v1 list = shape_value(reading, "/securityGroups");
    struct shape *out = reading->out;

    if (shape_is_absent(list)) {
        return;
    }
    if (list.type != REEVE_TYPE_LIST || list.integer > SHAPE_GROUPS_MAX) {
        shape_wrong(reading, "/securityGroups",
                    "securityGroups must be a list of at most 16 names or ids");
        return;
    }
    for (int64_t i = 0; i < list.integer; i++) {
        const char *pointer =
            arena_printf(reading->work->arena, "/securityGroups/%lld", (long long)i).data;

        shape_text(reading, pointer, "an item must be the name or the id of a security group",
                   &out->groups[out->group_count]);
        out->group_count += out->groups[out->group_count].length > 0;
    }
}

static void shape_read_network(struct shape_reading *reading)
{
    struct reeve_value_v1 subnet = shape_value(reading, "/subnet");
    struct reeve_value_v1 network = shape_value(reading, "/network");
    struct text address = { 0 };

    if (subnet.type == REEVE_TYPE_MAP) {
        reading->out->has_zone_subnets = true;
    } else {
        shape_text(reading, "/subnet",
                   "subnet must be the id or the tag Name of a subnet, or a map from zones to them",
                   &reading->out->subnet);
    }
    shape_choice_read(reading, "/publicAddress", &reading->out->public_address);
    if (shape_is_absent(network)) {
        return;
    }
    if (network.type != REEVE_TYPE_MAP) {
        shape_wrong(reading, "/network", "network must be a map: {address: public}");
        return;
    }
    shape_text(reading, "/network/address", "address is public or private", &address);
    if (text_is(address, "public")) {
        reading->out->is_public = true;
        if (reading->out->public_address == SHAPE_NO) {
            shape_wrong(reading, "/publicAddress",
                        "publicAddress is false, and network.address is public");
        }
        reading->out->public_address = SHAPE_YES;
    } else if (address.length > 0 && !text_is(address, "private")) {
        shape_wrong(reading, "/network/address", "address is public or private");
    }
    if (!shape_is_absent(shape_value(reading, "/network/cidr"))) {
        shape_wrong(reading, "/network/cidr",
                    "this plugin creates no networks: name an existing one by subnet");
    }
}

static bool shape_is_volume_type(struct text type)
{
    static const char *const types[] = { "gp3", "gp2", "io1", "io2", "st1", "sc1", "standard" };

    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        if (text_is(type, types[i])) {
            return true;
        }
    }
    return false;
}

static void shape_read_root(struct shape_reading *reading)
{
    struct reeve_value_v1 size = shape_value(reading, "/rootSize");
    struct shape *out = reading->out;

    if (!shape_is_absent(size)) {
        if (size.type != REEVE_TYPE_INTEGER || size.integer < GIB ||
            size.integer > (int64_t)ROOT_MOST_GIB * GIB) {
            shape_wrong(reading, "/rootSize",
                        "rootSize must be a size from 1GiB to 64TiB, like 20GiB");
        } else {
            out->root_gib = ((uint64_t)size.integer + GIB - 1) / GIB;
        }
    }
    shape_text(reading, "/rootType", "rootType must be a type of volume, like gp3",
               &out->root_type);
    if (out->root_type.length > 0 && !shape_is_volume_type(out->root_type)) {
        shape_wrong(reading, "/rootType", "rootType is gp3, gp2, io1, io2, st1, sc1 or standard");
    }
}

/* Returns the pointer "/volumes/3/NAME". */
static const char *shape_volume_pointer(struct shape_reading *reading, size_t i, const char *name)
{
    return arena_printf(reading->work->arena, "/volumes/%zu/%s", i, name).data;
}

static void shape_read_volume_size(struct shape_reading *reading, size_t i,
                                   struct shape_volume *volume)
{
    struct reeve_value_v1 size = shape_value(reading, shape_volume_pointer(reading, i, "size"));
    struct reeve_value_v1 iops = shape_value(reading, shape_volume_pointer(reading, i, "iops"));

    if (size.type != REEVE_TYPE_INTEGER || size.integer < 1 ||
        size.integer > (int64_t)ROOT_MOST_GIB * GIB) {
        shape_wrong(reading, shape_volume_pointer(reading, i, "size"),
                    "size of a volume: up to 64TiB, like 20GB; EC2 rounds up to 1 GiB");
    } else {
        volume->gib = (size.integer + GIB - 1) / GIB;
    }
    if (text_is(volume->type, "io1") || text_is(volume->type, "io2")) {
        volume->iops = 100;
    }
    if (shape_is_absent(iops)) {
        return;
    }
    if (iops.type != REEVE_TYPE_INTEGER || iops.integer < 100 || iops.integer > 256000 ||
        (volume->iops == 0 && !text_is(volume->type, "gp3"))) {
        shape_wrong(reading, shape_volume_pointer(reading, i, "iops"),
                    "iops must be a number from 100 to 256000, for the types gp3, io1 and io2");
        return;
    }
    volume->iops = iops.integer;
}

static void shape_read_volume(struct shape_reading *reading, size_t i)
{
    struct shape_volume *volume = &reading->out->volumes[i];

    *volume = (struct shape_volume){ .name = arena_printf(reading->work->arena, "vol%zu", i),
                                     .type = TEXT("gp3"),
                                     .keep = TEXT("slot") };
    shape_text(reading, shape_volume_pointer(reading, i, "name"), "name of a volume must be a text",
               &volume->name);
    shape_text(reading, shape_volume_pointer(reading, i, "type"), "type of a volume must be a text",
               &volume->type);
    shape_text(reading, shape_volume_pointer(reading, i, "mount"), "mount must be an absolute path",
               &volume->mount);
    shape_text(reading, shape_volume_pointer(reading, i, "keep"),
               "keep must be slot, node or always", &volume->keep);
    if (!shape_is_volume_type(volume->type)) {
        shape_wrong(reading, shape_volume_pointer(reading, i, "type"),
                    "type is gp3, gp2, io1, io2, st1, sc1 or standard");
    }
    if (volume->mount.length > 0 &&
        (volume->mount.data[0] != '/' || volume->mount.length < 2 ||
         text_find_byte(volume->mount, ' ') != SIZE_MAX || !text_is_visible(volume->mount))) {
        shape_wrong(reading, shape_volume_pointer(reading, i, "mount"),
                    "mount must be an absolute path like /srv/data");
    }
    if (!text_is(volume->keep, "slot") && !text_is(volume->keep, "node") &&
        !text_is(volume->keep, "always")) {
        shape_wrong(reading, shape_volume_pointer(reading, i, "keep"),
                    "keep must be slot, node or always");
    }
    if (!shape_is_absent(shape_value(reading, shape_volume_pointer(reading, i, "snapshot")))) {
        shape_wrong(reading, shape_volume_pointer(reading, i, "snapshot"),
                    "volumes of this plugin cannot be made from a snapshot");
    }
    for (size_t k = 0; k < i; k++) {
        if (text_is_equal(reading->out->volumes[k].name, volume->name)) {
            shape_wrong(reading, shape_volume_pointer(reading, i, "name"),
                        "two volumes of a machine have the same name");
        }
    }
    shape_read_volume_size(reading, i, volume);
}

static void shape_read_volumes(struct shape_reading *reading)
{
    struct reeve_value_v1 list = shape_value(reading, "/volumes");

    if (shape_is_absent(list)) {
        return;
    }
    if (list.type != REEVE_TYPE_LIST || list.integer > SHAPE_VOLUMES_MAX) {
        shape_wrong(reading, "/volumes", "volumes must be a list of at most 11 volumes");
        return;
    }
    reading->out->volume_count = (size_t)list.integer;
    for (size_t i = 0; i < reading->out->volume_count; i++) {
        shape_read_volume(reading, i);
    }
}

static void shape_read_spot(struct shape_reading *reading)
{
    struct reeve_value_v1 spot = shape_value(reading, "/spot");
    struct reeve_value_v1 price = shape_value(reading, "/spot/maxPrice");
    struct text text = aws_text(price.text);
    size_t digits = 0;

    if (shape_is_absent(spot)) {
        return;
    }
    if (spot.type == REEVE_TYPE_BOOLEAN) {
        reading->out->is_spot = spot.integer != 0;
        return;
    }
    if (spot.type != REEVE_TYPE_MAP) {
        shape_wrong(reading, "/spot", "spot must be true, or a map: {maxPrice: 0.05}");
        return;
    }
    reading->out->is_spot = true;
    if (shape_is_absent(price)) {
        return;
    }
    for (size_t i = 0; i < text.length; i++) {
        digits += (text.data[i] >= '0' && text.data[i] <= '9') || text.data[i] == '.';
    }
    if (text.length == 0 || text.length > 16 || digits != text.length) {
        shape_wrong(reading, "/spot/maxPrice",
                    "maxPrice must be the most that an hour may cost in USD, like 0.05");
        return;
    }
    reading->out->spot_price = text;
}

static void shape_read_metadata(struct shape_reading *reading)
{
    struct reeve_value_v1 metadata = shape_value(reading, "/metadata");
    struct reeve_value_v1 hops = shape_value(reading, "/metadata/hops");
    struct text tokens = TEXT("required");

    reading->out->metadata_hops = 1;
    if (!shape_is_absent(metadata) && metadata.type != REEVE_TYPE_MAP) {
        shape_wrong(reading, "/metadata", "metadata must be a map: {tokens: required, hops: 1}");
        return;
    }
    shape_text(reading, "/metadata/tokens", "tokens is required or optional", &tokens);
    if (!text_is(tokens, "required") && !text_is(tokens, "optional")) {
        shape_wrong(reading, "/metadata/tokens", "tokens is required or optional");
    }
    reading->out->allows_metadata_v1 = text_is(tokens, "optional");
    if (shape_is_absent(hops)) {
        return;
    }
    if (hops.type != REEVE_TYPE_INTEGER || hops.integer < 1 || hops.integer > 64) {
        shape_wrong(reading, "/metadata/hops", "hops must be a number from 1 to 64");
        return;
    }
    reading->out->metadata_hops = hops.integer;
}

static bool shape_is_user(struct text name)
{
    for (size_t i = 0; i < name.length; i++) {
        char byte = name.data[i];

        if (!((byte >= 'a' && byte <= 'z') || byte == '_' ||
              (i > 0 && ((byte >= '0' && byte <= '9') || byte == '-')))) {
            return false;
        }
    }
    return name.length <= USER_BYTES;
}

static void shape_read_tags(struct shape_reading *reading)
{
    struct reeve_value_v1 map = shape_value(reading, "/tags");
    struct shape *out = reading->out;
    const struct reeve_host_v1 *host = reading->work->aws->host;

    if (shape_is_absent(map)) {
        return;
    }
    if (map.type != REEVE_TYPE_MAP || map.integer > SHAPE_TAGS_MAX) {
        shape_wrong(reading, "/tags", "tags must be a map of at most 20 names and values");
        return;
    }
    for (int64_t i = 0; i < map.integer; i++) {
        struct reeve_tag *tag = &out->tags[out->tag_count];
        struct reeve_value_v1 value =
            host->member(reading->work->call, aws_answer(TEXT("/tags")), (uint64_t)i, &tag->name);

        tag->value = value.text;
        if (value.type == REEVE_TYPE_MAP || value.type == REEVE_TYPE_LIST ||
            tag->name.length > 127 || tag->value.length > 255 ||
            text_has_prefix(aws_text(tag->name), TEXT("aws:")) ||
            text_has_prefix(aws_text(tag->name), TEXT("reeve."))) {
            shape_wrong(reading, "/tags",
                        "a tag has a name of at most 127 bytes that does not begin with aws: or "
                        "reeve., and a text of at most 255 bytes");
            return;
        }
        out->tag_count++;
    }
}

int32_t shape_read(struct aws_work *work, struct shape *out)
{
    struct shape_reading reading = { .work = work, .out = out };

    *out = (struct shape){ 0 };
    shape_read_image(&reading);
    shape_read_groups(&reading);
    shape_read_network(&reading);
    shape_read_root(&reading);
    shape_read_volumes(&reading);
    shape_read_spot(&reading);
    shape_read_metadata(&reading);
    shape_read_tags(&reading);
    shape_choice_read(&reading, "/ebsOptimized", &out->ebs_optimized);
    shape_text(&reading, "/owner", "owner must be a text", &out->owner);
    shape_text(&reading, "/instanceProfileName",
               "instanceProfileName must be the name or the ARN of an instance profile",
               &out->profile);
    shape_text(&reading, "/placementGroup", "placementGroup must be the name of a placement group",
               &out->placement_group);
    shape_text(&reading, "/region", "region must be the name of a region, like eu-west-1",
               &out->region);
    shape_text(&reading, "/user", "user must be a login name", &out->user);
    if (!shape_is_user(out->user)) {
        shape_wrong(
            &reading, "/user",
            "user must be a login name: lower-case letters, digits, '-' and '_', at most 32");
    }
    return reading.is_wrong ? REEVE_INVALID : REEVE_OK;
}

bool shape_place(struct aws_work *work, const struct shape *shape, struct text zone,
                 struct text *out_region, struct text *out_zone)
{
    const struct aws_settings *settings = &work->aws->settings;
    struct text region = shape->region;

    *out_zone = zone;
    if (region.length == 0 && zone.length > 1) {
        region = aws_zone_region(zone);
    }
    if (region.length == 0 && settings->region_count > 0) {
        region = settings->regions[0];
    }
    if (zone.length == 1 && region.length > 0) {
        *out_zone = arena_printf(work->arena, "%.*s%.*s", TEXT_ARG(region), TEXT_ARG(zone));
    }
    if (region.length == 0 || settings->region_count == 0) {
        (void)aws_refuse(work, REEVE_INVALID, "",
                         "the account's settings have no `regions`: list the regions in which "
                         "reeve looks for machines, like regions: [eu-west-1]");
        return false;
    }
    if (!aws_region_is_set(work->aws, region)) {
        (void)aws_refuse(work, REEVE_INVALID, shape->region.length > 0 ? "/region" : "",
                         "the region %.*s is not one of the account's settings.regions: add it, "
                         "or reeve would not see the machine",
                         TEXT_ARG(region));
        return false;
    }
    if (out_zone->length > 0 && !text_is_equal(aws_zone_region(*out_zone), region)) {
        (void)aws_refuse(work, REEVE_INVALID, shape->region.length > 0 ? "/region" : "",
                         "the zone %.*s is not a zone of the region %.*s", TEXT_ARG(*out_zone),
                         TEXT_ARG(region));
        return false;
    }
    *out_region = region;
    return true;
}

struct text shape_subnet(struct aws_work *work, const struct shape *shape, struct text zone)
{
    struct reeve_text name;

    if (!shape->has_zone_subnets) {
        return shape->subnet;
    }
    for (uint64_t i = 0;; i++) {
        struct reeve_value_v1 value =
            work->aws->host->member(work->call, aws_answer(TEXT("/subnet")), i, &name);

        if (value.type == REEVE_TYPE_ANY) {
            return TEXT("");
        }
        if (value.type == REEVE_TYPE_TEXT && text_is_equal(aws_text(name), zone)) {
            return aws_text(value.text);
        }
    }
}

struct text shape_user(const struct shape *shape)
{
    return shape->user.length > 0 ? shape->user : image_user(shape->image);
}
