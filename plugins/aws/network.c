/* Resolves names of subnets and security groups to ids. */
#include "network.h"

#include "ec2.h"

static struct ec2_ask network_ask(const char *what, struct text region, struct ec2_query *query)
{
    return (struct ec2_ask){ .what = what,
                             .region = region,
                             .body = buf_text(&query->body),
                             .kind = CLASSIFY_READ,
                             .rate = AWS_RATE_DESCRIBE,
                             .priority = HTTP_READ };
}

static int32_t network_find_subnet(struct aws_work *work, struct text region, struct text zone,
                                   struct text subnet, struct network *out)
{
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;
    const struct xml_node *item;
    bool is_id = text_has_prefix(subnet, TEXT("subnet-"));

    ec2_query_init(&query, work->arena, "DescribeSubnets");
    if (is_id) {
        ec2_query_add(&query, "SubnetId.1", subnet);
    } else {
        ec2_query_filter(&query, 1, "tag:Name", subnet);
        if (zone.length > 0) {
            ec2_query_filter(&query, 2, "availability-zone", zone);
        }
    }
    ask = network_ask("DescribeSubnets", region, &query);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        return ec2_refuse(work, "/subnet", &ask, &answer);
    }
    item = xml_find(answer.root, "subnetSet/item");
    if (item == NULL) {
        return aws_refuse(work, REEVE_INVALID, "/subnet",
                          "there is no subnet with the tag Name '%.*s'%s%.*s in %.*s",
                          TEXT_ARG(subnet), zone.length > 0 ? " in the zone " : "", TEXT_ARG(zone),
                          TEXT_ARG(region));
    }
    if (!is_id && item->next != NULL) {
        return aws_refuse(work, REEVE_INVALID, "/subnet",
                          "several subnets have the tag Name '%.*s'%s%.*s: name one by its id "
                          "(subnet-...), or give a map from zones to subnets",
                          TEXT_ARG(subnet), zone.length > 0 ? " in the zone " : "", TEXT_ARG(zone));
    }
    out->subnet = xml_text(item, "subnetId");
    out->vpc = xml_text(item, "vpcId");
    out->zone = xml_text(item, "availabilityZone");
    if (!text_parse_int64(xml_text(item, "availableIpAddressCount"), &out->free_addresses)) {
        out->free_addresses = -1;
    }
    return REEVE_OK;
}

static int32_t network_default_vpc(struct aws_work *work, struct text region, struct text *out)
{
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    ec2_query_init(&query, work->arena, "DescribeVpcs");
    ec2_query_filter(&query, 1, "is-default", TEXT("true"));
    ask = network_ask("DescribeVpcs", region, &query);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        return ec2_refuse(work, "/subnet", &ask, &answer);
    }
    *out = xml_text(answer.root, "vpcSet/item/vpcId");
    if (out->length == 0) {
        return aws_refuse(work, REEVE_INVALID, "/subnet",
                          "the region %.*s has no default VPC: name a subnet", TEXT_ARG(region));
    }
    return REEVE_OK;
}

/* Finds the id of one security group of the VPC, by its name or id. */
static int32_t network_find_group(struct aws_work *work, struct text region, size_t i,
                                  struct text group, struct network *out)
{
    const char *pointer = arena_printf(work->arena, "/securityGroups/%zu", i).data;
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    ec2_query_init(&query, work->arena, "DescribeSecurityGroups");
    ec2_query_filter(&query, 1, text_has_prefix(group, TEXT("sg-")) ? "group-id" : "group-name",
                     group);
    ec2_query_filter(&query, 2, "vpc-id", out->vpc);
    ask = network_ask("DescribeSecurityGroups", region, &query);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        return ec2_refuse(work, pointer, &ask, &answer);
    }
    out->groups[out->group_count] = xml_text(answer.root, "securityGroupInfo/item/groupId");
    if (out->groups[out->group_count].length == 0) {
        return aws_refuse(work, REEVE_INVALID, pointer,
                          "there is no security group '%.*s' in the VPC %.*s of the subnet",
                          TEXT_ARG(group), TEXT_ARG(out->vpc));
    }
    out->group_count++;
    return REEVE_OK;
}

/* True if every group is given by its id, so that no lookup is needed. */
static bool network_has_ids_only(const struct shape *shape)
{
    for (size_t i = 0; i < shape->group_count; i++) {
        if (!text_has_prefix(shape->groups[i], TEXT("sg-"))) {
            return false;
        }
    }
    return true;
}

int32_t network_resolve(struct aws_work *work, const struct shape *shape, struct text region,
                        struct text zone, bool is_complete, struct network *out)
{
    struct text subnet = shape_subnet(work, shape, zone);
    bool needs_vpc = !network_has_ids_only(shape) || (is_complete && shape->group_count > 0);
    int32_t result = REEVE_OK;

    *out = (struct network){ .subnet = subnet, .free_addresses = -1 };
    if (shape->has_zone_subnets && subnet.length == 0) {
        return aws_refuse(work, REEVE_INVALID, "/subnet",
                          "the map has no subnet for the zone '%.*s'", TEXT_ARG(zone));
    }
    if (subnet.length > 0 &&
        (is_complete || needs_vpc || !text_has_prefix(subnet, TEXT("subnet-")))) {
        result = network_find_subnet(work, region, zone, subnet, out);
    } else if (subnet.length == 0 && needs_vpc) {
        result = network_default_vpc(work, region, &out->vpc);
    }
    if (result != REEVE_OK) {
        return result;
    }
    if (zone.length > 0 && out->zone.length > 0 && !text_is_equal(zone, out->zone)) {
        return aws_refuse(work, REEVE_INVALID, "/subnet",
                          "the subnet %.*s is in the zone %.*s, and the machine is for %.*s",
                          TEXT_ARG(out->subnet), TEXT_ARG(out->zone), TEXT_ARG(zone));
    }
    for (size_t i = 0; i < shape->group_count; i++) {
        int32_t found = REEVE_OK;

        if (!needs_vpc) {
            out->groups[out->group_count++] = shape->groups[i];
        } else {
            found = network_find_group(work, region, i, shape->groups[i], out);
        }
        result = result == REEVE_OK ? found : result;
    }
    return result;
}

int32_t network_groups(struct aws_work *work, struct text region, struct text vpc,
                       const struct text *names, size_t count, struct network *out)
{
    int32_t result = REEVE_OK;

    *out = (struct network){ .vpc = vpc, .free_addresses = -1 };
    for (size_t i = 0; i < count && result == REEVE_OK; i++) {
        result = network_find_group(work, region, i, names[i], out);
    }
    return result;
}
