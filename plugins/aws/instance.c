/* Converts an instance to a row, and finds one instance by its id. */
#include "instance.h"

#include "codec/doc.h"
#include "codec/json.h"

#include <string.h>

/* Why an instance ended, by StateReason.Code. */
static const struct {
    const char *code; /* prefix of the code */
    const char *reason;
} instance_ends[] = {
    { "Server.SpotInstance", "spot" },
    { "Server.InsufficientInstanceCapacity", "capacity" },
    { "Client.VolumeLimitExceeded", "quota" },
    { "Client.UserInitiatedShutdown", "user" },
    { "Client.InstanceInitiatedShutdown", "user" },
    { "Server.ScheduledStop", "host" },
    { "Server.InternalError", "host" },
    { "Client.InternalError", "broken" },
    { "Client.InvalidSnapshot", "broken" },
};

static const struct {
    const char *name;
    int32_t state;
} instance_states[] = {
    { "pending", REEVE_PENDING },        { "running", REEVE_RUNNING },
    { "shutting-down", REEVE_STOPPING }, { "stopping", REEVE_STOPPING },
    { "stopped", REEVE_STOPPED },        { "terminated", REEVE_ENDED },
};

static struct text instance_end_reason(struct text code)
{
    for (size_t i = 0; i < ARRAY_COUNT(instance_ends); i++) {
        if (text_has_prefix(code, text_from(instance_ends[i].code))) {
            return text_from(instance_ends[i].reason);
        }
    }
    return text_has_prefix(code, TEXT("Server.")) ? TEXT("host") : TEXT("user");
}

static int32_t instance_state(struct text name)
{
    for (size_t i = 0; i < ARRAY_COUNT(instance_states); i++) {
        if (text_is(name, instance_states[i].name)) {
            return instance_states[i].state;
        }
    }
    return REEVE_PENDING;
}

void instance_read(struct arena *arena, const struct xml_node *item, struct instance *out)
{
    struct tag_codec_tags raw = { .items =
                                      arena_array(arena, struct reeve_tag, INSTANCE_TAGS_MAX) };

    *out = (struct instance){ .item = item,
                              .id = xml_text(item, "instanceId"),
                              .state = xml_text(item, "instanceState/name"),
                              .zone = xml_text(item, "placement/availabilityZone") };
    for (const struct xml_node *tag = xml_find(item, "tagSet/item");
         tag != NULL && raw.count < INSTANCE_TAGS_MAX; tag = tag->next) {
        raw.items[raw.count++] = (struct reeve_tag){ aws_answer(xml_text(tag, "key")),
                                                     aws_answer(xml_text(tag, "value")) };
    }
    for (uint32_t i = 0; i < raw.count; i++) {
        struct text name = aws_text(raw.items[i].name);
        struct text whole;

        /* further pieces of a long value are skipped, because they are read together with the first
         * piece */
        if (text_has_prefix(name, TEXT("reeve.group.")) ||
            text_has_prefix(name, TEXT("reeve.labels.")) ||
            !tag_codec_join(arena, &raw, name, '.', &whole)) {
            continue;
        }
        out->tags[out->tag_count++] = (struct reeve_tag){ raw.items[i].name, aws_answer(whole) };
    }
    out->cluster = tag_codec_value(out->tags, out->tag_count, "reeve.cluster_id");
}

static void instance_put(struct doc_builder *builder, const char *name, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, name, doc_text(value, NULL));
    }
}

/* Adds the ids of additional disks. */
static void instance_put_volumes(struct arena *arena, struct doc_builder *builder,
                                 const struct xml_node *item)
{
    struct doc *ids = arena_array(arena, struct doc, INSTANCE_VOLUMES_MAX);
    struct text root = xml_text(item, "rootDeviceName");
    size_t count = 0;

    for (const struct xml_node *mapping = xml_find(item, "blockDeviceMapping/item");
         mapping != NULL && count < INSTANCE_VOLUMES_MAX; mapping = mapping->next) {
        if (!text_is_equal(xml_text(mapping, "deviceName"), root)) {
            ids[count++] = doc_text(xml_text(mapping, "ebs/volumeId"), NULL);
        }
    }
    if (count > 0) {
        doc_builder_put(builder, "volumes", doc_list(ids, count, NULL));
    }
}

static struct text instance_properties(struct arena *arena, const struct instance *instance,
                                       struct text host_key)
{
    const struct xml_node *item = instance->item;
    struct doc_builder builder;
    struct doc properties;
    struct buf buf;

    doc_builder_init(&builder, arena);
    instance_put(&builder, "user",
                 tag_codec_value(instance->tags, instance->tag_count, "reeve.user"));
    instance_put(&builder, "hostKey", host_key);
    instance_put(&builder, "image", xml_text(item, "imageId"));
    instance_put(&builder, "size", xml_text(item, "instanceType"));
    instance_put(&builder, "privateAddress", xml_text(item, "privateIpAddress"));
    instance_put(&builder, "publicAddress", xml_text(item, "ipAddress"));
    instance_put(&builder, "lifecycle", xml_text(item, "instanceLifecycle"));
    instance_put_volumes(arena, &builder, item);
    if (text_is(instance->state, "terminated") || text_is(instance->state, "stopped")) {
        struct text code = xml_text(item, "stateReason/code");
        struct text message = xml_text(item, "stateReason/message");

        instance_put(&builder, "endReason", instance_end_reason(code));
        instance_put(&builder, "endMessage",
                     message.length > 0 ? message : xml_text(item, "reason"));
    }
    properties = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &properties);
    return buf_text(&buf);
}

static struct text instance_address(const struct instance *instance)
{
    struct text wanted = tag_codec_value(instance->tags, instance->tag_count, "reeve.address");

    return xml_text(instance->item, text_is(wanted, "public") ? "ipAddress" : "privateIpAddress");
}

void instance_row(struct aws_work *work, struct text region, const struct instance *instance,
                  struct reeve_row_v1 *out)
{
    struct text id =
        arena_printf(work->arena, "%.*s/%.*s", TEXT_ARG(region), TEXT_ARG(instance->id));
    struct text host_key = { 0 };

    *out = (struct reeve_row_v1){ .struct_size = sizeof(*out),
                                  .tag_count = instance->tag_count,
                                  .tags = instance->tags,
                                  .id = aws_answer(id),
                                  .state = instance_state(instance->state),
                                  .zone = aws_answer(instance->zone),
                                  .address = aws_answer(instance_address(instance)) };
    if (!journal_find(work->arena, &work->aws->journal, "hostkey", id, &host_key, NULL)) {
        host_key = TEXT("");
    }
    out->properties = aws_answer(instance_properties(work->arena, instance, host_key));
}

void instance_report(struct aws_work *work, struct text region, const struct instance *instance)
{
    struct arena_mark mark = arena_mark(work->arena);
    struct reeve_row_v1 row;

    instance_row(work, region, instance, &row);
    work->aws->host->row(work->call, &row);
    arena_rewind(work->arena, mark);
}

enum instance_found instance_find(struct aws_work *work, struct text cluster, struct text id,
                                  struct text *out_region, struct instance *out,
                                  int32_t *out_result)
{
    struct ec2_query query;
    struct ec2_answer answer;
    const struct xml_node *item;
    struct text instance;
    struct ec2_ask ask = { .what = "DescribeInstances",
                           .kind = CLASSIFY_READ,
                           .rate = AWS_RATE_DESCRIBE,
                           .priority = HTTP_READ };

    if (!aws_id_split(id, &ask.region, &instance)) {
        return INSTANCE_GONE;
    }
    *out_region = ask.region;
    ec2_query_init(&query, work->arena, "DescribeInstances");
    ec2_query_add(&query, "InstanceId.1", instance);
    ask.body = buf_text(&query.body);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        if (ec2_is_refused_as(&answer, "InvalidInstanceID.NotFound") ||
            ec2_is_refused_as(&answer, "InvalidInstanceID.Malformed")) {
            return aws_is_young(work, id) ? INSTANCE_YOUNG : INSTANCE_GONE;
        }
        *out_result = ec2_refuse(work, "", &ask, &answer);
        return INSTANCE_FAILED;
    }
    item = xml_find(answer.root, "reservationSet/item/instancesSet/item");
    if (item == NULL) {
        return aws_is_young(work, id) ? INSTANCE_YOUNG : INSTANCE_GONE;
    }
    instance_read(work->arena, item, out);
    return text_is_equal(out->cluster, cluster) ? INSTANCE_FOUND : INSTANCE_GONE;
}
