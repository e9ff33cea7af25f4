/* Creates a machine with one RunInstances request that has the token of the record.
 *
 * EC2 makes one instance per token, and refuses a different request for the same token. The request
 * is therefore stored before it is sent. A later create with that token sends the same bytes, even
 * if names, images or reeve itself have changed. If another manager sent the request, it is not
 * stored here; a refusal because of the token is then resolved by looking up the token. */
#include "ec2.h"
#include "first_start.h"
#include "image.h"
#include "run.h"
#include "volume.h"

#include <assert.h>
#include <string.h>

struct create_place {
    struct text region;
    struct text zone; /* full name of the zone; empty: any */
};

enum { PROFILE_LATE_MS = 60000, MISMATCH_RETRY_MS = 5000 };

/* Returns standard base64 with padding. */
static struct text create_base64(struct arena *arena, struct text bytes)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = arena_alloc(arena, (bytes.length + 2) / 3 * 4 + 1);
    size_t length = 0;

    for (size_t i = 0; i < bytes.length; i += 3) {
        size_t count = bytes.length - i < 3 ? bytes.length - i : 3;
        uint32_t group = 0;

        for (size_t k = 0; k < 3; k++) {
            group = group << 8 | (k < count ? (unsigned char)bytes.data[i + k] : 0);
        }
        for (size_t k = 0; k < 4; k++) {
            out[length++] = k <= count ? alphabet[group >> (18 - 6 * k) & 63] : '=';
        }
    }
    return (struct text){ out, length };
}

static int32_t create_user_data(struct aws_work *work, const struct shape *shape,
                                const struct reeve_wish_v1 *request, const struct volumes *volumes,
                                struct text *out)
{
    struct first_start start = { .token = aws_text(request->token),
                                 .host_name = aws_text(request->name),
                                 .user = shape_user(shape),
                                 .keys = aws_text(request->keys),
                                 .init = aws_text(request->init),
                                 .volumes = volumes->mounts,
                                 .volume_count = volumes->count };
    struct text script = first_start_format(work->arena, &start);

    if (script.length > FIRST_START_AWS_BYTES) {
        return aws_refuse(work, REEVE_INVALID, "",
                          "the first-start script has %zu bytes, and EC2 accepts %d: shorten the "
                          "init script or the list of keys",
                          script.length, FIRST_START_AWS_BYTES);
    }
    *out = create_base64(work->arena, script);
    return REEVE_OK;
}

/* Gets the id of the image: pinned, given, or resolved now. */
static int32_t create_image(struct aws_work *work, struct text region, const struct shape *shape,
                            struct run *run)
{
    struct text pinned = aws_text(work->aws->host->pinned(work->call, aws_answer(TEXT("/image"))));
    struct image image;
    int32_t result = REEVE_OK;

    run->image = image_pinned(pinned, region);
    run->image = run->image.length > 0 ? run->image : shape->image;
    if (image_is_symbolic(run->image)) {
        result = image_of_type(work, region, run->image, shape->instance_type, &run->image);
    }
    if (result == REEVE_OK && (shape->root_gib > 0 || shape->root_type.length > 0)) {
        result = image_describe(work, region, run->image, &image);
        run->root_device = image.root_device;
    }
    return result;
}

/* Makes the body of the request from the properties. */
static int32_t create_format(struct aws_work *work, const struct reeve_wish_v1 *request,
                             const struct shape *shape, const struct network *network,
                             const struct volumes *volumes, struct create_place place,
                             struct text *out)
{
    struct run run = {
        .shape = shape, .network = network, .zone = place.zone, .token = aws_text(request->token)
    };
    int32_t result = create_user_data(work, shape, request, volumes, &run.user_data);

    if (result == REEVE_OK) {
        result = create_image(work, place.region, shape, &run);
    }
    if (result == REEVE_OK) {
        run_tags(work, shape, request, &run.tags);
        *out = run_format(work->arena, &run);
    }
    return result;
}

/* ---- the stored request: the region, a newline, the body ---- */

static bool create_load(struct aws_work *work, struct text token, struct text *out_region,
                        struct text *out_body, uint64_t *out_age_ms)
{
    struct text entry;
    size_t end;

    if (!journal_find(work->arena, &work->aws->journal, "requests", token, &entry, out_age_ms)) {
        return false;
    }
    end = text_find_byte(entry, '\n');
    if (end == SIZE_MAX) {
        return false;
    }
    *out_region = text_slice(entry, 0, end);
    *out_body = text_slice(entry, end + 1, entry.length);
    return true;
}

static int32_t create_store(struct aws_work *work, struct text token, struct text region,
                            struct text body)
{
    struct text entry = arena_printf(work->arena, "%.*s\n%.*s", TEXT_ARG(region), TEXT_ARG(body));

    if (!journal_put(&work->aws->journal, "requests", token, entry)) {
        return aws_refuse(work, REEVE_TRANSIENT, "",
                          "the request cannot be stored in the plugin's folder: %m");
    }
    return REEVE_OK;
}

/* ---- sending ---- */

static int32_t create_made(struct aws_work *work, struct text region,
                           const struct xml_node *instance, struct text *out_instance)
{
    struct text id = arena_printf(work->arena, "%.*s/%.*s", TEXT_ARG(region),
                                  TEXT_ARG(xml_text(instance, "instanceId")));
    struct text room[2];

    if (!aws_id_split(id, &room[0], &room[1])) {
        return aws_refuse(work, REEVE_UNKNOWN, "", "RunInstances: the answer has no instance");
    }
    /* without this entry, "not found" within the lag of listings would count as proof that the
     * machine is gone */
    if (!journal_put(&work->aws->journal, "created", id, TEXT("1"))) {
        aws_log(work->aws, REEVE_LOG_WARNING, "event=aws.journal_failed id=%.*s why=%m",
                TEXT_ARG(id));
    }
    *out_instance = room[1];
    work->aws->host->made(work->call, aws_answer(id));
    return REEVE_OK;
}

/* Handles a token that a different request has used: looks up the machine of the token. */
static int32_t create_look_up(struct aws_work *work, struct text region, struct text token,
                              uint64_t age_ms, const struct ec2_ask *run,
                              const struct ec2_answer *refused, struct text *out_instance)
{
    struct ec2_query query;
    struct ec2_answer answer;
    const struct xml_node *instance;
    struct ec2_ask ask = { .what = "DescribeInstances",
                           .region = region,
                           .kind = CLASSIFY_READ,
                           .rate = AWS_RATE_DESCRIBE,
                           .priority = HTTP_READ };

    ec2_query_init(&query, work->arena, "DescribeInstances");
    ec2_query_filter(&query, 1, "client-token", token);
    ask.body = buf_text(&query.body);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        (void)ec2_refuse(work, "", &ask, &answer);
        return REEVE_UNKNOWN;
    }
    instance = xml_find(answer.root, "reservationSet/item/instancesSet/item");
    if (instance != NULL && text_is(xml_text(instance, "instanceState/name"), "terminated")) {
        return aws_refuse(work, REEVE_GONE, "", "the machine of this token has ended");
    }
    if (instance != NULL) {
        return create_made(work, region, instance, out_instance);
    }
    if (age_ms >= AWS_LAG_MS) {
        return ec2_refuse(work, "", run, refused);
    }
    (void)ec2_refuse(work, "", run, refused);
    work->aws->host->retry_after(work->call, MISMATCH_RETRY_MS);
    return REEVE_UNKNOWN;
}

static int32_t create_send(struct aws_work *work, struct text region, struct text token,
                           struct text body, uint64_t age_ms, struct text *out_instance)
{
    struct ec2_answer answer;
    struct ec2_ask ask = { .what = "RunInstances",
                           .region = region,
                           .body = body,
                           .kind = CLASSIFY_ONCE,
                           .has_token = true,
                           .rate = AWS_RATE_RUN,
                           .priority = HTTP_CHANGE };

    if (ec2_call(work, &ask, &answer) == REEVE_OK) {
        return create_made(work, region, xml_find(answer.root, "instancesSet/item"), out_instance);
    }
    if (ec2_is_refused_as(&answer, "IdempotentParameterMismatch")) {
        return create_look_up(work, region, token, age_ms, &ask, &answer, out_instance);
    }
    if (answer.result == REEVE_TRANSIENT && age_ms >= PROFILE_LATE_MS &&
        ec2_is_refused_as(&answer, "InvalidParameterValue")) {
        answer.result = REEVE_INVALID;
    }
    if (answer.result == REEVE_INVALID) {
        /* no machine was created, so the next create may send a different request */
        journal_delete(&work->aws->journal, "requests", token);
        image_forget(work->aws);
    }
    return ec2_refuse(work, "", &ask, &answer);
}

/* Looks up the ids of all objects in the properties: location, network and disks. A stored request
 * without disks needs no lookup. */
static int32_t create_prepare(struct aws_work *work, const struct reeve_wish_v1 *request,
                              struct shape *shape, struct create_place *place,
                              struct network *network, struct volumes *volumes)
{
    bool is_complete;
    int32_t result = shape_read(work, shape);

    if (result != REEVE_OK) {
        return result;
    }
    if (!shape_place(work, shape, aws_text(request->zone), &place->region, &place->zone)) {
        return REEVE_INVALID;
    }
    /* the zone of the subnet is needed, because disks must be in the same zone */
    is_complete = shape->volume_count > 0 && place->zone.length == 0;
    result = network_resolve(work, shape, place->region, place->zone, is_complete, network);
    if (result != REEVE_OK) {
        return result;
    }
    return volume_prepare(work, shape, request, place->region,
                          place->zone.length > 0 ? place->zone : network->zone, volumes);
}

int32_t aws_create(struct aws_work *work, const struct reeve_wish_v1 *request)
{
    struct text token = aws_text(request->token);
    struct shape *shape = arena_one(work->arena, struct shape);
    struct network *network = arena_one(work->arena, struct network);
    struct volumes *volumes = arena_one(work->arena, struct volumes);
    struct create_place place = { 0 };
    struct text region = { 0 };
    struct text instance = { 0 };
    struct text body = { 0 };
    uint64_t age_ms = 0;
    bool is_stored = create_load(work, token, &region, &body, &age_ms);
    int32_t result = REEVE_OK;

    if (!is_stored ||
        work->aws->host->value(work->call, aws_answer(TEXT("/volumes"))).type == REEVE_TYPE_LIST) {
        result = create_prepare(work, request, shape, &place, network, volumes);
    }
    if (result == REEVE_OK && !is_stored) {
        region = place.region;
        result = create_format(work, request, shape, network, volumes, place, &body);
    }
    if (result == REEVE_OK && !is_stored) {
        result = create_store(work, token, region, body);
    }
    if (result == REEVE_OK) {
        result = create_send(work, region, token, body, age_ms, &instance);
    }
    if (result == REEVE_OK) {
        return volume_attach(work, region, instance, volumes);
    }
    if (result != REEVE_UNKNOWN && result != REEVE_TRANSIENT && result != REEVE_THROTTLED) {
        volume_drop(work, region.length > 0 ? region : place.region, volumes);
    }
    return result;
}
