/* Additional disks. A disk is found by its key, a hash of its owner: of the slot, or with `keep:
 * node` of the token. The key is also the token of CreateVolume, so that each disk is created only
 * once.
 *
 * The steps of a create are: create the disks, start the machine, wait until it runs, attach the
 * disks. Each step detects work that is already done, so that an interrupted create can
 * continue. */
#include "volume.h"

#include "disk.h"
#include "exchange.h"
#include "run.h"

enum { POLL_MS = 1000 };

static struct ec2_ask volume_ask(const char *what, struct text region, struct ec2_query *query,
                                 bool is_change)
{
    return (struct ec2_ask){ .what = what,
                             .region = region,
                             .body = buf_text(&query->body),
                             .kind = is_change ? CLASSIFY_ONCE : CLASSIFY_READ,
                             .rate = is_change ? AWS_RATE_CHANGE : AWS_RATE_DESCRIBE,
                             .priority = is_change ? HTTP_CHANGE : HTTP_READ };
}

static const struct xml_node *volume_tag(const struct xml_node *item, const char *name)
{
    for (const struct xml_node *tag = xml_find(item, "tagSet/item"); tag != NULL; tag = tag->next) {
        if (text_is(xml_text(tag, "key"), name)) {
            return tag;
        }
    }
    return NULL;
}

/* ---- find or create ---- */

/* Looks for the disk; *out is NULL if there is none. */
static int32_t volume_find(struct aws_work *work, struct text region, struct text key,
                           const struct xml_node **out)
{
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    ec2_query_init(&query, work->arena, "DescribeVolumes");
    ec2_query_filter(&query, 1, "tag:reeve.volume", key);
    ask = volume_ask("DescribeVolumes", region, &query, false);
    *out = NULL;
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        return ec2_refuse(work, "/volumes", &ask, &answer);
    }
    for (const struct xml_node *item = xml_find(answer.root, "volumeSet/item"); item != NULL;
         item = item->next) {
        if (!text_is(xml_text(item, "status"), "deleting")) {
            *out = item;
        }
    }
    return REEVE_OK;
}

static int32_t volume_check(struct aws_work *work, size_t i, const struct shape_volume *volume,
                            struct text zone, const struct xml_node *item)
{
    const char *pointer = arena_printf(work->arena, "/volumes/%zu/size", i).data;
    int64_t gib = 0;

    if (!text_is_equal(xml_text(item, "availabilityZone"), zone)) {
        return aws_refuse(work, REEVE_INVALID, "/volumes",
                          "the kept volume %.*s (%.*s) is in the zone %.*s, and the machine is for "
                          "%.*s: disks do not move between zones",
                          TEXT_ARG(xml_text(item, "volumeId")), TEXT_ARG(volume->name),
                          TEXT_ARG(xml_text(item, "availabilityZone")), TEXT_ARG(zone));
    }
    if (text_parse_int64(xml_text(item, "size"), &gib) && gib != volume->gib) {
        return aws_refuse(work, REEVE_INVALID, pointer,
                          "the kept volume %.*s (%.*s) has %lld GiB, and %lld are requested: "
                          "change the size at EC2, or delete the volume",
                          TEXT_ARG(xml_text(item, "volumeId")), TEXT_ARG(volume->name),
                          (long long)gib, (long long)volume->gib);
    }
    return REEVE_OK;
}

static int32_t volume_create(struct aws_work *work, struct text region, struct text zone,
                             const struct shape_volume *volume, struct text key,
                             const struct reeve_wish_v1 *request, struct text *out_id)
{
    struct text names[][2] = {
        { TEXT("reeve.volume"), key },
        { TEXT("reeve.keep"), volume->keep },
        { TEXT("reeve.name"), volume->name },
        { TEXT("Name"), arena_printf(work->arena, "%.*s-%.*s", TEXT_ARG(aws_text(request->name)),
                                     TEXT_ARG(volume->name)) },
    };
    struct tag_codec_tags tags = { 0 };
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    ec2_query_init(&query, work->arena, "CreateVolume");
    ec2_query_add(&query, "AvailabilityZone", zone);
    ec2_query_add(&query, "Size", arena_number(work->arena, volume->gib));
    ec2_query_add(&query, "VolumeType", volume->type);
    ec2_query_add(&query, "ClientToken", key);
    if (volume->iops > 0) {
        ec2_query_add(&query, "Iops", arena_number(work->arena, volume->iops));
    }
    ec2_query_add(&query, "TagSpecification.1.ResourceType", TEXT("volume"));
    for (uint32_t i = 0; i < request->tag_count; i++) {
        tag_codec_split(work->arena, &tags, aws_text(request->tags[i].name), '.',
                        aws_text(request->tags[i].value), RUN_TAG_VALUE_BYTES);
    }
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        tag_codec_split(work->arena, &tags, names[i][0], '.', names[i][1], RUN_TAG_VALUE_BYTES);
    }
    for (uint32_t i = 0; i < tags.count; i++) {
        ec2_query_addf(&query, aws_text(tags.items[i].name), "TagSpecification.1.Tag.%u.Key",
                       i + 1);
        ec2_query_addf(&query, aws_text(tags.items[i].value), "TagSpecification.1.Tag.%u.Value",
                       i + 1);
    }
    ask = volume_ask("CreateVolume", region, &query, true);
    ask.has_token = true;
    if (ec2_call(work, &ask, &answer) == REEVE_OK) {
        *out_id = xml_text(answer.root, "volumeId");
        return REEVE_OK;
    }
    if (ec2_is_refused_as(&answer, "InvalidVolume.NotFound")) {
        /* a disk with this key was deleted, but EC2 still remembers its token */
        answer.result = REEVE_TRANSIENT;
    }
    return ec2_refuse(work, "/volumes", &ask, &answer);
}

/* Finds out whether instances of the type have their disks as NVMe devices. */
static int32_t volume_is_nvme(struct aws_work *work, struct text region, struct text type,
                              bool *out)
{
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    ec2_query_init(&query, work->arena, "DescribeInstanceTypes");
    ec2_query_add(&query, "InstanceType.1", type);
    ask = volume_ask("DescribeInstanceTypes", region, &query, false);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        return ec2_refuse(work, "/instanceType", &ask, &answer);
    }
    *out = !text_is(xml_text(answer.root, "instanceTypeSet/item/hypervisor"), "xen");
    return REEVE_OK;
}

static struct text volume_path(struct arena *arena, const struct volume *volume, bool is_nvme)
{
    if (!is_nvme) {
        return arena_printf(arena, "/dev/xvd%c", volume->device.data[volume->device.length - 1]);
    }
    /* the serial number of the device is the disk's id without the dash */
    return arena_printf(arena, "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol%.*s",
                        TEXT_ARG(text_slice(volume->id, 4, volume->id.length)));
}

int32_t volume_prepare(struct aws_work *work, const struct shape *shape,
                       const struct reeve_wish_v1 *request, struct text region, struct text zone,
                       struct volumes *out)
{
    bool is_nvme = false;
    int32_t result = REEVE_OK;

    *out = (struct volumes){ 0 };
    if (shape->volume_count == 0) {
        return REEVE_OK;
    }
    if (zone.length == 0) {
        return aws_refuse(work, REEVE_INVALID, "/volumes",
                          "volumes need a zone: list the zones of the group, or name a subnet");
    }
    result = volume_is_nvme(work, region, shape->instance_type, &is_nvme);
    for (size_t i = 0; i < shape->volume_count && result == REEVE_OK; i++) {
        const struct shape_volume *wanted = &shape->volumes[i];
        struct volume *volume = &out->items[i];
        const struct xml_node *item;
        struct text key;

        volume->is_node = text_is(wanted->keep, "node");
        key = disk_key(work->arena, wanted->name, volume->is_node, request);
        volume->device = arena_printf(work->arena, "/dev/sd%c", (char)('e' + i));
        result = volume_find(work, region, key, &item);
        if (result == REEVE_OK && item != NULL) {
            volume->id = xml_text(item, "volumeId");
            volume->has_kept_tag = volume_tag(item, "reeve.kept") != NULL;
            result = volume_check(work, i, wanted, zone, item);
        } else if (result == REEVE_OK) {
            volume->is_new = true;
            result = volume_create(work, region, zone, wanted, key, request, &volume->id);
        }
        out->mounts[i] = (struct first_start_volume){
            .device = result == REEVE_OK ? volume_path(work->arena, volume, is_nvme) : TEXT(""),
            .mount = wanted->mount,
        };
        out->count += result == REEVE_OK;
    }
    if (result != REEVE_OK && result != REEVE_UNKNOWN) {
        volume_drop(work, region, out);
    }
    return result;
}

void volume_drop(struct aws_work *work, struct text region, const struct volumes *volumes)
{
    for (size_t i = 0; i < volumes->count; i++) {
        struct ec2_query query;
        struct ec2_answer answer;
        struct ec2_ask ask;

        if (!volumes->items[i].is_new && !volumes->items[i].is_node) {
            continue;
        }
        ec2_query_init(&query, work->arena, "DeleteVolume");
        ec2_query_add(&query, "VolumeId", volumes->items[i].id);
        ask = volume_ask("DeleteVolume", region, &query, true);
        if (ec2_call(work, &ask, &answer) != REEVE_OK) {
            aws_log(work->aws, REEVE_LOG_WARNING,
                    "event=aws.volume_left id=%.*s why=the machine was refused, and the volume "
                    "could not be deleted: %.*s",
                    TEXT_ARG(volumes->items[i].id), TEXT_ARG(answer.last.code));
        }
    }
}

/* ---- attach ---- */

/* Describes the instance repeatedly until it runs. *out is its element. */
static int32_t volume_wait_running(struct aws_work *work, struct text region, struct text instance,
                                   const struct xml_node **out)
{
    uint64_t ends_ms = exchange_ends_ms(work->aws->host, work->call);

    for (;;) {
        struct arena_mark mark = arena_mark(work->arena);
        struct ec2_query query;
        struct ec2_answer answer;
        struct ec2_ask ask;
        struct text state;

        ec2_query_init(&query, work->arena, "DescribeInstances");
        ec2_query_add(&query, "InstanceId.1", instance);
        ask = volume_ask("DescribeInstances", region, &query, false);
        if (ec2_call(work, &ask, &answer) != REEVE_OK &&
            !ec2_is_refused_as(&answer, "InvalidInstanceID.NotFound")) {
            (void)ec2_refuse(work, "", &ask, &answer);
            return REEVE_UNKNOWN;
        }
        *out = xml_find(answer.root, "reservationSet/item/instancesSet/item");
        state = xml_text(*out, "instanceState/name");
        if (text_is(state, "running") || text_is(state, "stopped")) {
            return REEVE_OK;
        }
        if (text_is(state, "terminated") || text_is(state, "shutting-down")) {
            return aws_refuse(work, REEVE_GONE, "", "the machine has ended: %.*s",
                              TEXT_ARG(xml_text(*out, "stateReason/message")));
        }
        if (http_now_ms() + 2 * POLL_MS > ends_ms) {
            return aws_refuse(work, REEVE_UNKNOWN, "", "the machine does not run yet");
        }
        arena_rewind(work->arena, mark);
        exchange_rest(POLL_MS);
    }
}

static bool volume_is_attached(const struct xml_node *instance, struct text id)
{
    for (const struct xml_node *item = xml_find(instance, "blockDeviceMapping/item"); item != NULL;
         item = item->next) {
        if (text_is_equal(xml_text(item, "ebs/volumeId"), id)) {
            return true;
        }
    }
    return false;
}

/* Attaches a disk. Waits if the disk is still being created, or is in use by a machine that is
 * ending. */
static int32_t volume_attach_one(struct aws_work *work, struct text region, struct text instance,
                                 const struct volume *volume)
{
    uint64_t ends_ms = exchange_ends_ms(work->aws->host, work->call);
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    ec2_query_init(&query, work->arena, "AttachVolume");
    ec2_query_add(&query, "VolumeId", volume->id);
    ec2_query_add(&query, "InstanceId", instance);
    ec2_query_add(&query, "Device", volume->device);
    ask = volume_ask("AttachVolume", region, &query, true);
    while (ec2_call(work, &ask, &answer) == REEVE_TRANSIENT && answer.last.outcome == HTTP_ANSWER &&
           http_now_ms() + 2 * POLL_MS < ends_ms) {
        exchange_rest(POLL_MS);
    }
    if (answer.result != REEVE_OK) {
        /* the machine exists; only the result UNKNOWN makes reeve repeat the create */
        (void)ec2_refuse(work, "/volumes", &ask, &answer);
        return REEVE_UNKNOWN;
    }
    return REEVE_OK;
}

/* Makes EC2 delete a disk with `keep: node` together with its machine. */
static int32_t volume_settle(struct aws_work *work, struct text region, struct text instance,
                             const struct volume *volume)
{
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    if (volume->is_node) {
        ec2_query_init(&query, work->arena, "ModifyInstanceAttribute");
        ec2_query_add(&query, "InstanceId", instance);
        ec2_query_add(&query, "BlockDeviceMapping.1.DeviceName", volume->device);
        ec2_query_add(&query, "BlockDeviceMapping.1.Ebs.DeleteOnTermination", TEXT("true"));
        ask = volume_ask("ModifyInstanceAttribute", region, &query, true);
    } else if (volume->has_kept_tag) {
        ec2_query_init(&query, work->arena, "DeleteTags");
        ec2_query_add(&query, "ResourceId.1", volume->id);
        ec2_query_add(&query, "Tag.1.Key", TEXT("reeve.kept"));
        ask = volume_ask("DeleteTags", region, &query, true);
    } else {
        return REEVE_OK;
    }
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        (void)ec2_refuse(work, "/volumes", &ask, &answer);
        return REEVE_UNKNOWN;
    }
    return REEVE_OK;
}

int32_t volume_attach(struct aws_work *work, struct text region, struct text instance,
                      const struct volumes *volumes)
{
    const struct xml_node *item = NULL;
    int32_t result =
        volumes->count == 0 ? REEVE_OK : volume_wait_running(work, region, instance, &item);

    for (size_t i = 0; i < volumes->count && result == REEVE_OK; i++) {
        if (!volume_is_attached(item, volumes->items[i].id)) {
            result = volume_attach_one(work, region, instance, &volumes->items[i]);
        }
        if (result == REEVE_OK) {
            result = volume_settle(work, region, instance, &volumes->items[i]);
        }
    }
    return result;
}

/* ---- when the machine goes ---- */

int32_t volume_mark_kept(struct aws_work *work, struct text region, const struct instance *instance)
{
    const struct xml_node *mapping = xml_find(instance->item, "blockDeviceMapping/item");
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    if (mapping == NULL || mapping->next == NULL) {
        return REEVE_OK;
    }
    ec2_query_init(&query, work->arena, "DescribeVolumes");
    ec2_query_filter(&query, 1, "attachment.instance-id", instance->id);
    ask = volume_ask("DescribeVolumes", region, &query, false);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        return ec2_refuse(work, "", &ask, &answer);
    }
    ec2_query_init(&query, work->arena, "CreateTags");
    ec2_query_add(&query, "Tag.1.Key", TEXT("reeve.kept"));
    ec2_query_add(&query, "Tag.1.Value", arena_number(work->arena, ec2_now_s(work->aws)));
    size_t count = 0;
    for (const struct xml_node *item = xml_find(answer.root, "volumeSet/item"); item != NULL;
         item = item->next) {
        bool is_node = text_is(xml_text(volume_tag(item, "reeve.keep"), "value"), "node");

        if (volume_tag(item, "reeve.volume") != NULL && is_node) {
            /* an earlier create may have attached the disk and ended before this step */
            struct volume volume = { .id = xml_text(item, "volumeId"),
                                     .device = xml_text(item, "attachmentSet/item/device"),
                                     .is_node = true };

            if (volume_settle(work, region, instance->id, &volume) != REEVE_OK) {
                return REEVE_TRANSIENT;
            }
        } else if (volume_tag(item, "reeve.volume") != NULL) {
            ec2_query_addf(&query, xml_text(item, "volumeId"), "ResourceId.%zu", ++count);
        }
    }
    if (count == 0) {
        return REEVE_OK;
    }
    ask = volume_ask("CreateTags", region, &query, true);
    return ec2_call(work, &ask, &answer) == REEVE_OK ? REEVE_OK
                                                     : ec2_refuse(work, "", &ask, &answer);
}
