/* Formats the parameters of RunInstances. The same input gives the same bytes. */
#include "run.h"

#include "codec/doc_child.h"
#include "codec/json.h"

#include <assert.h>

/* ---- tags ---- */

static void run_tag_add(struct arena *arena, struct tag_codec_tags *list, struct text name,
                        struct text value)
{
    struct text old;

    if (list->count < RUN_TAGS_MAX && !tag_codec_join(arena, list, name, '.', &old)) {
        tag_codec_split(arena, list, name, '.', value, RUN_TAG_VALUE_BYTES);
    }
}

/* True if EC2 accepts the label as a tag that users may set. */
static bool run_is_tag(struct text name, struct text value)
{
    return name.length > 0 && name.length <= 127 && value.length <= RUN_TAG_VALUE_BYTES &&
           !text_has_prefix(name, TEXT("aws:")) && !text_has_prefix(name, TEXT("reeve.")) &&
           !text_is(name, "Name") && !text_is(name, "Owner");
}

void run_label_tags(struct arena *arena, struct text labels, struct tag_codec_tags *list)
{
    struct doc doc = { 0 };
    const struct doc *map;
    struct err err;

    run_tag_add(arena, list, TEXT("reeve.labels"), labels);
    if (labels.length == 0 || !json_parse(arena, labels, NULL, &doc, &err)) {
        return;
    }
    if (doc_child_text(&doc, "owner").length > 0) {
        run_tag_add(arena, list, TEXT("Owner"),
                    text_slice(doc_child_text(&doc, "owner"), 0, RUN_TAG_VALUE_BYTES));
    }
    map = doc_child(&doc, "labels");
    for (size_t i = 0; doc_is_map(map) && i < map->entry_count; i++) {
        const struct doc_entry *entry = &map->entries[i];

        if (doc_is_scalar(&entry->value) && run_is_tag(entry->key, entry->value.text)) {
            run_tag_add(arena, list, entry->key, entry->value.text);
        }
    }
}

void run_tags(struct aws_work *work, const struct shape *shape, const struct reeve_wish_v1 *request,
              struct tag_codec_tags *out)
{
    struct arena *arena = work->arena;

    *out = (struct tag_codec_tags){ 0 };
    for (uint32_t i = 0; i < request->tag_count; i++) {
        run_tag_add(arena, out, aws_text(request->tags[i].name), aws_text(request->tags[i].value));
    }
    run_tag_add(arena, out, TEXT("Name"), aws_text(request->name));
    run_tag_add(arena, out, TEXT("reeve.user"), shape_user(shape));
    if (shape->is_public) {
        run_tag_add(arena, out, TEXT("reeve.address"), TEXT("public"));
    }
    for (uint32_t i = 0; i < shape->tag_count; i++) {
        run_tag_add(arena, out, aws_text(shape->tags[i].name), aws_text(shape->tags[i].value));
    }
    if (shape->owner.length > 0) {
        run_tag_add(arena, out, TEXT("Owner"), shape->owner);
    }
    run_label_tags(arena, aws_text(request->labels), out);
}

static void run_add_tags(struct ec2_query *query, const struct run *run)
{
    static const char *const kinds[] = { "instance", "volume", "network-interface",
                                         "spot-instances-request" };
    size_t count = run->shape->is_spot ? 4 : 3;

    for (size_t k = 1; k <= count; k++) {
        ec2_query_addf(query, text_from(kinds[k - 1]), "TagSpecification.%zu.ResourceType", k);
        for (uint32_t i = 0; i < run->tags.count && i < RUN_TAGS_MAX; i++) {
            ec2_query_addf(query, aws_text(run->tags.items[i].name),
                           "TagSpecification.%zu.Tag.%u.Key", k, i + 1);
            ec2_query_addf(query, aws_text(run->tags.items[i].value),
                           "TagSpecification.%zu.Tag.%u.Value", k, i + 1);
        }
    }
}

/* ---- other parameters ---- */

static struct text run_boolean(bool value)
{
    return value ? TEXT("true") : TEXT("false");
}

/* Adds subnet and security groups. In a request with a network interface, they are parameters of
 * the interface. */
static void run_add_network(struct ec2_query *query, const struct run *run)
{
    const struct network *network = run->network;
    bool is_interface = run->shape->public_address != SHAPE_UNSET;

    if (is_interface) {
        ec2_query_add(query, "NetworkInterface.1.DeviceIndex", TEXT("0"));
        ec2_query_add(query, "NetworkInterface.1.AssociatePublicIpAddress",
                      run_boolean(run->shape->public_address == SHAPE_YES));
    }
    if (network->subnet.length > 0) {
        ec2_query_add(query, is_interface ? "NetworkInterface.1.SubnetId" : "SubnetId",
                      network->subnet);
    }
    for (size_t i = 0; i < network->group_count; i++) {
        ec2_query_addf(query, network->groups[i], "%sSecurityGroupId.%zu",
                       is_interface ? "NetworkInterface.1." : "", i + 1);
    }
}

static void run_add_place(struct ec2_query *query, const struct run *run)
{
    const struct shape *shape = run->shape;

    /* a subnet already determines the zone */
    if (run->zone.length > 0 && run->network->subnet.length == 0) {
        ec2_query_add(query, "Placement.AvailabilityZone", run->zone);
    }
    if (shape->placement_group.length > 0) {
        ec2_query_add(query, "Placement.GroupName", shape->placement_group);
    }
    if (shape->profile.length > 0) {
        ec2_query_add(query,
                      text_has_prefix(shape->profile, TEXT("arn:")) ? "IamInstanceProfile.Arn"
                                                                    : "IamInstanceProfile.Name",
                      shape->profile);
    }
    if (shape->ebs_optimized != SHAPE_UNSET) {
        ec2_query_add(query, "EbsOptimized", run_boolean(shape->ebs_optimized == SHAPE_YES));
    }
}

static void run_add_root(struct ec2_query *query, const struct run *run)
{
    struct arena *arena = query->body.arena;
    const struct shape *shape = run->shape;

    if (run->root_device.length == 0) {
        return;
    }
    ec2_query_add(query, "BlockDeviceMapping.1.DeviceName", run->root_device);
    ec2_query_add(query, "BlockDeviceMapping.1.Ebs.DeleteOnTermination", TEXT("true"));
    if (shape->root_gib > 0) {
        ec2_query_add(query, "BlockDeviceMapping.1.Ebs.VolumeSize",
                      arena_number(arena, (int64_t)shape->root_gib));
    }
    if (shape->root_type.length > 0) {
        ec2_query_add(query, "BlockDeviceMapping.1.Ebs.VolumeType", shape->root_type);
    }
    if (text_is(shape->root_type, "io1") || text_is(shape->root_type, "io2")) {
        ec2_query_add(query, "BlockDeviceMapping.1.Ebs.Iops", TEXT("100"));
    }
}

static void run_add_market(struct ec2_query *query, const struct run *run)
{
    const struct shape *shape = run->shape;

    if (!shape->is_spot) {
        ec2_query_add(query, "InstanceInitiatedShutdownBehavior", TEXT("stop"));
        return;
    }
    ec2_query_add(query, "InstanceMarketOptions.MarketType", TEXT("spot"));
    ec2_query_add(query, "InstanceMarketOptions.SpotOptions.SpotInstanceType", TEXT("one-time"));
    ec2_query_add(query, "InstanceMarketOptions.SpotOptions.InstanceInterruptionBehavior",
                  TEXT("terminate"));
    if (shape->spot_price.length > 0) {
        ec2_query_add(query, "InstanceMarketOptions.SpotOptions.MaxPrice", shape->spot_price);
    }
}

struct text run_format(struct arena *arena, const struct run *run)
{
    const struct shape *shape = run->shape;
    struct ec2_query query;

    ec2_query_init(&query, arena, "RunInstances");
    ec2_query_add(&query, "MinCount", TEXT("1"));
    ec2_query_add(&query, "MaxCount", TEXT("1"));
    ec2_query_add(&query, "ImageId", run->image);
    ec2_query_add(&query, "InstanceType", shape->instance_type);
    if (run->token.length > 0) {
        ec2_query_add(&query, "ClientToken", run->token);
    }
    if (run->is_dry) {
        ec2_query_add(&query, "DryRun", TEXT("true"));
    }
    if (shape->key.length > 0) {
        ec2_query_add(&query, "KeyName", shape->key);
    }
    if (run->user_data.length > 0) {
        ec2_query_add(&query, "UserData", run->user_data);
    }
    ec2_query_add(&query, "MetadataOptions.HttpEndpoint", TEXT("enabled"));
    ec2_query_add(&query, "MetadataOptions.HttpTokens",
                  shape->allows_metadata_v1 ? TEXT("optional") : TEXT("required"));
    ec2_query_add(&query, "MetadataOptions.HttpPutResponseHopLimit",
                  arena_number(arena, shape->metadata_hops));
    run_add_place(&query, run);
    run_add_network(&query, run);
    run_add_root(&query, run);
    run_add_market(&query, run);
    run_add_tags(&query, run);
    return buf_text(&query.body);
}
