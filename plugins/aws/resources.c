/* Lists the resources of a cluster besides its machines: disks and network interfaces with its tag.
 * The root disk and the interface of a machine are deleted with the machine, so they are reported
 * only if they were left behind. */
#include "ec2.h"
#include "instance.h"

#include <string.h>

enum { RESOURCE_PAGES_MAX = 1000 };

/* A kind of resource as EC2 lists it. */
static const struct resource_kind {
    const char *name;
    const char *prefix; /* prefix of its ids */
    const char *list;
    const char *items;
    const char *id;
    const char *tags;
    const char *attached;
    const char *erase;
    const char *parameter;
    const char *not_found;
} resource_kinds[] = {
    { "volume", "vol-", "DescribeVolumes", "volumeSet/item", "volumeId", "tagSet/item",
      "attachmentSet/item/instanceId", "DeleteVolume", "VolumeId", "InvalidVolume.NotFound" },
    { "port", "eni-", "DescribeNetworkInterfaces", "networkInterfaceSet/item", "networkInterfaceId",
      "tagSet/item", "attachment/instanceId", "DeleteNetworkInterface", "NetworkInterfaceId",
      "InvalidNetworkInterfaceID.NotFound" },
};

static struct ec2_ask resource_ask(const char *what, struct text region, struct ec2_query *query)
{
    return (struct ec2_ask){ .what = what,
                             .region = region,
                             .body = buf_text(&query->body),
                             .kind = CLASSIFY_READ,
                             .rate = AWS_RATE_DESCRIBE,
                             .priority = HTTP_LISTING };
}

/* Replaces the first piece of a long group by the whole group. */
static void resource_group_join(struct arena *arena, struct reeve_tag *tags, uint32_t count)
{
    const struct tag_codec_tags raw = { tags, count };
    struct text group;

    for (uint32_t i = 0; i < count; i++) {
        if (text_is(aws_text(tags[i].name), "reeve.group") &&
            tag_codec_join(arena, &raw, TEXT("reeve.group"), '.', &group)) {
            tags[i].value = aws_answer(group);
            return;
        }
    }
}

static void resource_report(struct aws_work *work, const struct resource_kind *kind,
                            struct text region, const struct xml_node *item)
{
    struct reeve_tag tags[INSTANCE_TAGS_MAX];
    struct reeve_resource_v1 row = { .struct_size = sizeof(row), .tags = tags };
    struct text attached = xml_text(item, kind->attached);
    bool has_key = false;
    int64_t gib = 0;

    for (const struct xml_node *tag = xml_find(item, kind->tags);
         tag != NULL && row.tag_count < INSTANCE_TAGS_MAX; tag = tag->next) {
        has_key = has_key || text_is(xml_text(tag, "key"), "reeve.volume");
        tags[row.tag_count++] = (struct reeve_tag){ aws_answer(xml_text(tag, "key")),
                                                    aws_answer(xml_text(tag, "value")) };
    }
    resource_group_join(work->arena, tags, row.tag_count);
    if (attached.length > 0 && !has_key) {
        return;
    }
    row.kind = aws_answer(text_from(kind->name));
    row.id = aws_answer(arena_printf(work->arena, "%.*s/%.*s", TEXT_ARG(region),
                                     TEXT_ARG(xml_text(item, kind->id))));
    row.zone = aws_answer(xml_text(item, "availabilityZone"));
    if (attached.length > 0) {
        row.attached = aws_answer(
            arena_printf(work->arena, "%.*s/%.*s", TEXT_ARG(region), TEXT_ARG(attached)));
    }
    if (text_parse_int64(xml_text(item, "size"), &gib) && gib > 0) {
        row.bytes = (uint64_t)gib << 30;
    }
    work->aws->host->resource(work->call, &row);
}

static int32_t resource_list(struct aws_work *work, const struct resource_kind *kind,
                             struct text region, struct text cluster)
{
    struct text token = { 0 };

    for (size_t page = 0; page < RESOURCE_PAGES_MAX; page++) {
        struct ec2_query query;
        struct ec2_answer answer;
        struct ec2_ask ask;

        ec2_query_init(&query, work->arena, kind->list);
        ec2_query_filter(&query, 1, "tag:reeve.cluster_id", cluster);
        ec2_query_add(&query, "MaxResults", TEXT("500"));
        if (token.length > 0) {
            ec2_query_add(&query, "NextToken", token);
        }
        ask = resource_ask(kind->list, region, &query);
        if (ec2_call(work, &ask, &answer) != REEVE_OK) {
            return ec2_refuse(work, "", &ask, &answer);
        }
        for (const struct xml_node *item = xml_find(answer.root, kind->items); item != NULL;
             item = item->next) {
            resource_report(work, kind, region, item);
        }
        token = xml_text(answer.root, "nextToken");
        if (token.length == 0) {
            return REEVE_OK;
        }
    }
    return REEVE_TRANSIENT;
}

int32_t aws_resources(struct aws_work *work, struct text cluster)
{
    const struct aws_settings *settings = &work->aws->settings;
    int32_t result = REEVE_OK;

    for (size_t i = 0; i < settings->region_count && result == REEVE_OK; i++) {
        for (size_t k = 0; k < ARRAY_COUNT(resource_kinds) && result == REEVE_OK; k++) {
            result = resource_list(work, &resource_kinds[k], settings->regions[i], cluster);
        }
    }
    return result;
}

/* Splits REGION/vol-0123. Returns false if the text is not an id of this kind. */
static bool resource_split(const struct resource_kind *kind, struct text id,
                           struct text *out_region, struct text *out_id)
{
    size_t slash = text_find_byte(id, '/');

    if (slash == SIZE_MAX || !text_is_visible(id)) {
        return false;
    }
    *out_region = text_slice(id, 0, slash);
    *out_id = text_slice(id, slash + 1, id.length);
    for (size_t i = 0; i < out_region->length; i++) {
        if (strchr("abcdefghijklmnopqrstuvwxyz0123456789-", out_region->data[i]) == NULL) {
            return false;
        }
    }
    return out_region->length > 0 && text_has_prefix(*out_id, text_from(kind->prefix));
}

/* True if the resource exists and belongs to the cluster. If that is unknown, *out_result is the
 * result of the call. */
static bool resource_is_own(struct aws_work *work, const struct resource_kind *kind,
                            struct text region, struct text id, struct text cluster,
                            int32_t *out_result)
{
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    ec2_query_init(&query, work->arena, kind->list);
    ec2_query_addf(&query, id, "%s.1", kind->parameter);
    ec2_query_filter(&query, 1, "tag:reeve.cluster_id", cluster);
    ask = resource_ask(kind->list, region, &query);
    *out_result = REEVE_OK;
    if (ec2_call(work, &ask, &answer) == REEVE_OK) {
        return xml_find(answer.root, kind->items) != NULL;
    }
    if (answer.result != REEVE_INVALID) {
        *out_result = ec2_refuse(work, "", &ask, &answer);
    }
    return false;
}

int32_t aws_resource_destroy(struct aws_work *work, struct text cluster, struct text name,
                             struct text id)
{
    for (size_t k = 0; k < ARRAY_COUNT(resource_kinds); k++) {
        const struct resource_kind *kind = &resource_kinds[k];
        struct text region;
        struct text own;
        struct ec2_query query;
        struct ec2_answer answer;
        struct ec2_ask ask;
        int32_t result;

        if (!text_is(name, kind->name) || !resource_split(kind, id, &region, &own)) {
            continue;
        }
        if (!resource_is_own(work, kind, region, own, cluster, &result)) {
            return result;
        }
        ec2_query_init(&query, work->arena, kind->erase);
        ec2_query_add(&query, kind->parameter, own);
        ask = resource_ask(kind->erase, region, &query);
        ask.kind = CLASSIFY_ONCE;
        ask.rate = AWS_RATE_CHANGE;
        ask.priority = HTTP_CHANGE;
        if (ec2_call(work, &ask, &answer) == REEVE_OK ||
            ec2_is_refused_as(&answer, kind->not_found)) {
            return REEVE_OK;
        }
        return ec2_refuse(work, "", &ask, &answer);
    }
    return REEVE_OK;
}
