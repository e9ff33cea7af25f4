/* Makes all checks that are possible before a machine is created: looks up each property at EC2,
 * and checks the rights with one RunInstances request with DryRun. A service that does not answer
 * causes a notice. */
#include "image.h"
#include "network.h"
#include "run.h"

#include "base/set.h"
#include "codec/doc_child.h"

#include <string.h>

/* Code of the quota for vCPUs of standard on-demand instances. */
#define PREFLIGHT_QUOTA "L-1216C47A"

struct preflight {
    struct aws_work *work;
    const struct reeve_need_v1 *need;
    struct shape shape;
    struct text architecture; /* empty: unknown */
    int64_t processors;       /* processors of one machine; 0: unknown */
    struct buf pin;           /* pin of the image, by region */
    size_t region_count;
};

static struct ec2_ask preflight_ask(const char *what, struct text region, struct ec2_query *query)
{
    return (struct ec2_ask){ .what = what,
                             .region = region,
                             .body = buf_text(&query->body),
                             .kind = CLASSIFY_READ,
                             .rate = AWS_RATE_DESCRIBE,
                             .priority = HTTP_READ };
}

/* Checks that EC2 accepts the account's keys. */
static int32_t preflight_identity(struct aws_work *work, struct text region)
{
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    buf_init(&query.body, work->arena);
    buf_add_string(&query.body, "Action=GetCallerIdentity&Version=2011-06-15");
    ask = preflight_ask("GetCallerIdentity", region, &query);
    ask.service = "sts";
    if (ec2_call(work, &ask, &answer) == REEVE_OK) {
        return REEVE_OK;
    }
    if (answer.result == REEVE_AUTH && answer.last.outcome == HTTP_ANSWER) {
        return aws_refuse(work, REEVE_AUTH, "", "EC2 rejects the keys of the account: %.*s: %.*s",
                          TEXT_ARG(answer.last.code), TEXT_ARG(answer.last.message));
    }
    return work->fault_count > 0 ? answer.result : ec2_refuse(work, "", &ask, &answer);
}

/* ---- the zone and the type ---- */

static bool preflight_zone(struct preflight *preflight, struct text region, struct text zone)
{
    struct aws_work *work = preflight->work;
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;
    struct buf names;

    ec2_query_init(&query, work->arena, "DescribeAvailabilityZones");
    ask = preflight_ask("DescribeAvailabilityZones", region, &query);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        (void)ec2_refuse(work, "", &ask, &answer);
        return true;
    }
    buf_init(&names, work->arena);
    for (const struct xml_node *item = xml_find(answer.root, "availabilityZoneInfo/item");
         item != NULL; item = item->next) {
        if (text_is_equal(xml_text(item, "zoneName"), zone)) {
            return true;
        }
        buf_printf(&names, " %.*s", TEXT_ARG(xml_text(item, "zoneName")));
    }
    (void)aws_refuse(work, REEVE_INVALID, "",
                     "there is no zone '%.*s' in the region %.*s; there are:%.*s", TEXT_ARG(zone),
                     TEXT_ARG(region), TEXT_ARG(buf_text(&names)));
    return false;
}

/* Checks that the instance type is offered in the zone. An empty zone means any zone. */
static void preflight_offering(struct preflight *preflight, struct text region, struct text zone)
{
    struct aws_work *work = preflight->work;
    struct text type = preflight->shape.instance_type;
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;
    struct buf places;

    ec2_query_init(&query, work->arena, "DescribeInstanceTypeOfferings");
    ec2_query_add(&query, "LocationType", TEXT("availability-zone"));
    ec2_query_filter(&query, 1, "instance-type", type);
    ask = preflight_ask("DescribeInstanceTypeOfferings", region, &query);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        (void)ec2_refuse(work, "/instanceType", &ask, &answer);
        return;
    }
    buf_init(&places, work->arena);
    for (const struct xml_node *item = xml_find(answer.root, "instanceTypeOfferingSet/item");
         item != NULL; item = item->next) {
        if (zone.length == 0 || text_is_equal(xml_text(item, "location"), zone)) {
            return;
        }
        buf_printf(&places, " %.*s", TEXT_ARG(xml_text(item, "location")));
    }
    if (places.length > 0) {
        (void)aws_refuse(work, REEVE_INVALID, "/instanceType",
                         "%.*s is not offered in the zone %.*s; it is in:%.*s", TEXT_ARG(type),
                         TEXT_ARG(zone), TEXT_ARG(buf_text(&places)));
    }
}

/* Gets the architecture and the number of processors of the type. Returns false if there is no such
 * type. */
static bool preflight_type(struct preflight *preflight, struct text region)
{
    struct aws_work *work = preflight->work;
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;
    const struct xml_node *item;

    ec2_query_init(&query, work->arena, "DescribeInstanceTypes");
    ec2_query_add(&query, "InstanceType.1", preflight->shape.instance_type);
    ask = preflight_ask("DescribeInstanceTypes", region, &query);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        if (ec2_is_refused_as(&answer, "InvalidInstanceType")) {
            (void)aws_refuse(work, REEVE_INVALID, "/instanceType",
                             "there is no instance type '%.*s' in %.*s: see `aws ec2 "
                             "describe-instance-types`",
                             TEXT_ARG(preflight->shape.instance_type), TEXT_ARG(region));
        } else {
            (void)ec2_refuse(work, "/instanceType", &ask, &answer);
        }
        return false;
    }
    item = xml_find(answer.root, "instanceTypeSet/item");
    if (!text_parse_int64(xml_text(item, "vCpuInfo/defaultVCpus"), &preflight->processors)) {
        preflight->processors = 0;
    }
    for (item = xml_find(item, "processorInfo/supportedArchitectures/item"); item != NULL;
         item = item->next) {
        if (text_is(item->text, "arm64") || text_is(item->text, "x86_64")) {
            preflight->architecture = item->text;
        }
    }
    return true;
}

/* ---- the image and the key ---- */

static bool preflight_image(struct preflight *preflight, struct text region, struct image *out)
{
    struct aws_work *work = preflight->work;
    struct text architecture =
        preflight->architecture.length > 0 ? preflight->architecture : TEXT("x86_64");
    struct text id;

    *out = (struct image){ 0 };
    if (image_resolve(work, region, preflight->shape.image, architecture, &id) != REEVE_OK ||
        image_describe(work, region, id, out) != REEVE_OK) {
        return false;
    }
    if (!text_is(out->state, "available")) {
        (void)aws_refuse(work, REEVE_INVALID, "/image", "the image %.*s is %.*s, not available",
                         TEXT_ARG(id), TEXT_ARG(out->state));
        return false;
    }
    if (preflight->architecture.length > 0 &&
        !text_is_equal(out->architecture, preflight->architecture)) {
        (void)aws_refuse(work, REEVE_INVALID, "/image",
                         "the image %.*s is for %.*s, and the type %.*s is %.*s", TEXT_ARG(id),
                         TEXT_ARG(out->architecture), TEXT_ARG(preflight->shape.instance_type),
                         TEXT_ARG(preflight->architecture));
        return false;
    }
    if (image_is_symbolic(preflight->shape.image)) {
        buf_printf(&preflight->pin, "%s%.*s=%.*s", preflight->pin.length == 0 ? "" : " ",
                   TEXT_ARG(region), TEXT_ARG(id));
        preflight->region_count++;
    }
    return true;
}

/* Checks one named object with an operation that rejects names that do not exist. */
static bool preflight_name(struct preflight *preflight, struct text region, const char *action,
                           const char *parameter, struct text name, const char *pointer,
                           const char *what)
{
    struct aws_work *work = preflight->work;
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    if (name.length == 0) {
        return true;
    }
    ec2_query_init(&query, work->arena, action);
    ec2_query_add(&query, parameter, name);
    ask = preflight_ask(action, region, &query);
    if (ec2_call(work, &ask, &answer) == REEVE_OK) {
        return true;
    }
    if (answer.result == REEVE_INVALID) {
        (void)aws_refuse(work, REEVE_INVALID, pointer, "there is no %s '%.*s' in %.*s", what,
                         TEXT_ARG(name), TEXT_ARG(region));
        return false;
    }
    (void)ec2_refuse(work, pointer, &ask, &answer);
    return true;
}

/* ---- rights and quota ---- */

/* Returns the pointer of the property to which a refusal of the dry run refers. */
static const char *preflight_pointer(const struct ec2_answer *answer)
{
    if (classify_contains(answer->last.message, "IAM Instance Profile") ||
        classify_contains(answer->last.message, "iamInstanceProfile")) {
        return "/instanceProfileName";
    }
    if (classify_contains(answer->last.message, "placement")) {
        return "/placementGroup";
    }
    if (classify_contains(answer->last.message, "ebs-optimized") ||
        classify_contains(answer->last.message, "EBS-optimized")) {
        return "/ebsOptimized";
    }
    return "";
}

static void preflight_dry_run(struct preflight *preflight, struct text region,
                              const struct run *run)
{
    struct aws_work *work = preflight->work;
    struct ec2_answer answer;
    struct ec2_ask ask = { .what = "RunInstances",
                           .region = region,
                           .body = run_format(work->arena, run),
                           .kind = CLASSIFY_READ,
                           .rate = AWS_RATE_RUN,
                           .priority = HTTP_READ };

    if (ec2_call(work, &ask, &answer) == REEVE_OK ||
        ec2_is_refused_as(&answer, "DryRunOperation")) {
        return;
    }
    if (ec2_is_refused_as(&answer, "UnauthorizedOperation")) {
        (void)aws_refuse(work, REEVE_AUTH, "",
                         "the account may not create such machines: UnauthorizedOperation: %.*s",
                         TEXT_ARG(answer.last.message));
        return;
    }
    if (answer.result == REEVE_TRANSIENT && answer.last.outcome == HTTP_ANSWER) {
        /* the refusal says that an instance profile is not visible yet */
        answer.result = REEVE_INVALID;
    }
    (void)ec2_refuse(work, preflight_pointer(&answer), &ask, &answer);
}

static void preflight_quota(struct preflight *preflight, struct text region)
{
    struct aws_work *work = preflight->work;
    int64_t needed = (int64_t)preflight->need->count * preflight->processors;
    struct ec2_answer answer;
    struct text value;
    int64_t most;
    struct ec2_ask ask = { .service = "servicequotas",
                           .target = "ServiceQuotasV20190624.GetServiceQuota",
                           .what = "GetServiceQuota",
                           .region = region,
                           .body = TEXT("{\"QuotaCode\":\"" PREFLIGHT_QUOTA
                                        "\",\"ServiceCode\":\"ec2\"}"),
                           .kind = CLASSIFY_READ,
                           .rate = AWS_RATE_DESCRIBE,
                           .priority = HTTP_READ };

    if (needed == 0 || preflight->shape.is_spot) {
        return;
    }
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        (void)ec2_refuse(work, "/instanceType", &ask, &answer);
        return;
    }
    value = doc_child_text(doc_child(&answer.json, "Quota"), "Value");
    value = text_slice(value, 0, text_find_byte(value, '.'));
    if (text_parse_int64(value, &most) && needed > most) {
        (void)aws_refuse(work, REEVE_QUOTA, "/instanceType",
                         "%llu machines need %lld vCPUs, and the quota of the region %.*s is %lld",
                         (unsigned long long)preflight->need->count, (long long)needed,
                         TEXT_ARG(region), (long long)most);
    }
}

/* ---- all together ---- */

static void preflight_addresses(struct preflight *preflight, const struct network *network)
{
    if (network->free_addresses >= 0 &&
        (uint64_t)network->free_addresses < preflight->need->count &&
        preflight->need->zone_count <= 1) {
        (void)aws_refuse(preflight->work, REEVE_CAPACITY, "/subnet",
                         "the subnet %.*s has %lld free addresses, and %llu machines need one each",
                         TEXT_ARG(network->subnet), (long long)network->free_addresses,
                         (unsigned long long)preflight->need->count);
    }
}

/* Checks everything that depends only on the region. Returns true if a dry run makes sense. */
static bool preflight_region(struct preflight *preflight, struct text region, struct image *image)
{
    const struct shape *shape = &preflight->shape;
    bool has_type = preflight_type(preflight, region);
    bool has_image = preflight_image(preflight, region, image);

    /* names that do not exist are left out of the dry run, so that it can find the remaining
     * faults */
    if (!preflight_name(preflight, region, "DescribePlacementGroups", "GroupName.1",
                        shape->placement_group, "/placementGroup", "placement group")) {
        preflight->shape.placement_group = TEXT("");
    }
    if (!preflight_name(preflight, region, "DescribeKeyPairs", "KeyName.1", shape->key, "/key",
                        "key pair")) {
        preflight->shape.key = TEXT("");
    }
    preflight_quota(preflight, region);
    return has_type && has_image;
}

static void preflight_place(struct preflight *preflight, struct text zone, struct set *regions)
{
    struct aws_work *work = preflight->work;
    size_t faults = work->fault_count;
    struct image image;
    struct network network;
    struct run run = { .shape = &preflight->shape, .network = &network, .is_dry = true };
    struct text region;
    bool is_new;
    bool can_run = true;

    if (!shape_place(work, &preflight->shape, zone, &region, &run.zone)) {
        return;
    }
    if (run.zone.length > 0 && !preflight_zone(preflight, region, run.zone)) {
        return;
    }
    is_new = set_add(regions, region);
    if (is_new) {
        can_run = preflight_region(preflight, region, &image);
    }
    preflight_offering(preflight, region, run.zone);
    if (network_resolve(work, &preflight->shape, region, run.zone, true, &network) == REEVE_OK) {
        preflight_addresses(preflight, &network);
    }
    if (!is_new) {
        return;
    }
    if (!can_run) {
        if (work->fault_count > faults) {
            work->aws->host->notice(
                work->call, aws_answer(TEXT("")),
                aws_answer(TEXT("the rights of the account were not checked, because the image or "
                                "the instance type is not usable")));
        }
        return;
    }
    run.image = image.id;
    run.root_device = preflight->shape.root_gib > 0 || preflight->shape.root_type.length > 0
                          ? image.root_device
                          : TEXT("");
    preflight_dry_run(preflight, region, &run);
}

static void preflight_report(struct preflight *preflight)
{
    const struct reeve_host_v1 *host = preflight->work->aws->host;
    struct reeve_call *call = preflight->work->call;
    struct text pin = buf_text(&preflight->pin);

    if (preflight->architecture.length > 0) {
        host->fact(call, aws_answer(TEXT("arch")), aws_answer(preflight->architecture));
    }
    if (preflight->region_count == 1) {
        pin = text_slice(pin, text_find_byte(pin, '=') + 1, pin.length);
    }
    if (pin.length > 0) {
        host->pin(call, aws_answer(TEXT("/image")), aws_answer(pin));
    }
}

int32_t aws_preflight(struct aws_work *work, const struct reeve_need_v1 *need)
{
    struct preflight *preflight = arena_one(work->arena, struct preflight);
    const struct aws_settings *settings = &work->aws->settings;
    struct set regions;
    int32_t result;

    preflight->work = work;
    preflight->need = need;
    buf_init(&preflight->pin, work->arena);
    set_init(&regions, work->arena);
    if (shape_read(work, &preflight->shape) != REEVE_OK) {
        return REEVE_INVALID;
    }
    result = preflight_identity(work, settings->region_count > 0 ? settings->regions[0]
                                                                 : TEXT("us-east-1"));
    if (result == REEVE_AUTH || work->fault_count > 0) {
        return result == REEVE_OK ? REEVE_INVALID : result;
    }
    if (result != REEVE_OK) {
        /* a notice has already reported that EC2 does not answer */
        return REEVE_OK;
    }
    for (uint32_t i = 0; i < need->zone_count || i == 0; i++) {
        preflight_place(preflight, need->zone_count == 0 ? TEXT("") : aws_text(need->zones[i]),
                        &regions);
    }
    preflight_report(preflight);
    return work->fault_count > 0 ? REEVE_INVALID : REEVE_OK;
}
