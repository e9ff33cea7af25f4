#include "gce.h"

#include "base/buf.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "exchange.h"
#include "first_start.h"
#include "images.h"

#include <gnutls/crypto.h>
#include <stdlib.h>

/* Names contain the token, so two machines never have the same name, and a conflict means that the
 * machine of this token exists. The id of a request is derived from the token, so a repeated
 * request returns the same operation. After a failed operation, the next attempt has another
 * request id. */

enum {
    GCE_NAME_BYTES = 46,
    GCE_NAME_TOKEN = 16,
    GCE_DESCRIPTION_BYTES = 2048,
    GCE_TRIES_MAX = 1000,
    GCE_LABEL_TRIES = 3,
    GCE_CONSOLE_BYTES = 65536,
    GCE_LOOK_MS = 1000,
    GCE_RETRY_MS = 5000
};

#define GCE_GUEST_ATTRIBUTE \
    "http://metadata.google.internal/computeMetadata/v1/instance/guest-attributes/reeve/hostkey"

static struct text gce_name(struct arena *arena, struct text node, struct text token)
{
    return arena_printf(arena, "%.*s-%.*s",
                        TEXT_ARG(property_dns_name(arena, node, GCE_NAME_BYTES)),
                        TEXT_ARG(property_token_part(token, GCE_NAME_TOKEN)));
}

struct text gce_uuid(struct arena *arena, struct text text)
{
    unsigned char bytes[32];

    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, text.data, text.length, bytes) < 0) {
        abort(); /* without SHA-256 a request cannot have an id */
    }
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    return arena_printf(
        arena, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", bytes[0],
        bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
        bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]);
}

/* ---- by id ---- */

static bool is_gce_part(struct text part)
{
    for (size_t i = 0; i < part.length; i++) {
        char byte = part.data[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-')) {
            return false;
        }
    }
    return part.length > 0 && part.length <= 63;
}

bool gce_id_parse(struct gce_call *work, struct text id, struct gce_id *out)
{
    size_t first = text_find_byte(id, '/');
    struct text rest = first == SIZE_MAX ? TEXT("") : text_slice(id, first + 1, id.length);
    size_t second = text_find_byte(rest, '/');

    if (first == SIZE_MAX || second == SIZE_MAX) {
        return false;
    }
    *out = (struct gce_id){ .zone = text_slice(rest, 0, second),
                            .name = text_slice(rest, second + 1, rest.length) };
    return text_is_equal(text_slice(id, 0, first), work->project) && is_gce_part(out->zone) &&
           is_gce_part(out->name);
}

static struct text gce_instance_path(struct gce_call *work, const struct gce_id *id)
{
    return arena_printf(work->arena, "/zones/%.*s/instances/%.*s", TEXT_ARG(id->zone),
                        TEXT_ARG(id->name));
}

/* Returns the result for "not found", which for a new machine does not prove that it is gone. */
static int32_t gce_not_found(struct gce_call *work, struct text id)
{
    uint64_t age_ms = work->gce->host->age_ms(work->call);
    uint64_t left_ms = 0;

    if (journal_is_young(&work->gce->journal, "ended", id, GCE_LATE_MS, NULL)) {
        return REEVE_GONE;
    }
    if (journal_is_young(&work->gce->journal, "created", id, GCE_LAG_MS, &left_ms) ||
        age_ms < GCE_LAG_MS) {
        work->gce->host->retry_after(work->call, left_ms > 0 ? left_ms : GCE_LAG_MS - age_ms);
        return gce_fault(work, REEVE_TRANSIENT, "",
                         "the instance %.*s is not shown; it is young, and may be shown later",
                         TEXT_ARG(id));
    }
    return REEVE_GONE;
}

int32_t gce_instance_get(struct gce_call *work, struct text cluster, struct text id,
                         struct doc *out, struct gce_machine *machine)
{
    struct gce_answer answer;
    struct gce_id place;

    if (!gce_id_parse(work, id, &place)) {
        return REEVE_GONE;
    }
    if (gce_get(work, gce_instance_path(work, &place), &answer) != REEVE_OK) {
        /* a zone that does not exist gives status 400 */
        return answer.status == 404 ? gce_not_found(work, id)
               : answer.status == 400 && classify_contains(answer.last.message, "zone")
                   ? REEVE_GONE
                   : gce_refuse(work, "", "get the instance", &answer);
    }
    if (doc_child_text(&answer.doc, "name").length == 0) {
        return gce_fault(work, REEVE_TRANSIENT, "", "get the instance: the answer has none");
    }
    *out = answer.doc;
    gce_machine_read(work->arena, out, machine);
    return text_is_equal(machine->cluster, cluster) ? REEVE_OK : REEVE_GONE;
}

/* ---- the request ---- */

static struct doc gce_one(struct arena *arena, struct doc item)
{
    return doc_list(arena_copy(arena, &item, sizeof(item)), 1, NULL);
}

static struct doc gce_item(struct arena *arena, const char *key, struct text value)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "key", doc_text(text_from(key), NULL));
    doc_builder_put(&builder, "value", doc_text(value, NULL));
    return doc_builder_map(&builder, NULL);
}

static struct doc gce_metadata(struct gce_call *work, struct text script)
{
    struct doc *items = arena_array(work->arena, struct doc, 3);
    struct doc_builder builder;

    items[0] = gce_item(work->arena, "startup-script", script);
    items[1] = gce_item(work->arena, "enable-guest-attributes", TEXT("TRUE"));
    items[2] = gce_item(work->arena, "block-project-ssh-keys", TEXT("TRUE"));
    doc_builder_init(&builder, work->arena);
    doc_builder_put(&builder, "items", doc_list(items, 3, NULL));
    return doc_builder_map(&builder, NULL);
}

static struct doc gce_disk(struct gce_call *work, const struct gce_shape *shape, struct text zone,
                           struct text image)
{
    struct doc_builder parameters;
    struct doc_builder disk;

    doc_builder_init(&parameters, work->arena);
    doc_builder_put(&parameters, "sourceImage", doc_text(image, NULL));
    doc_builder_put(&parameters, "diskType",
                    doc_text(arena_printf(work->arena, "zones/%.*s/diskTypes/%.*s", TEXT_ARG(zone),
                                          TEXT_ARG(shape->root_type)),
                             NULL));
    if (shape->root_gb > 0) {
        doc_builder_put(&parameters, "diskSizeGb",
                        doc_text(arena_number(work->arena, shape->root_gb), NULL));
    }
    doc_builder_init(&disk, work->arena);
    doc_builder_put(&disk, "boot", doc_bool(true, NULL));
    doc_builder_put(&disk, "autoDelete", doc_bool(true, NULL));
    doc_builder_put(&disk, "initializeParams", doc_builder_map(&parameters, NULL));
    return doc_builder_map(&disk, NULL);
}

static struct doc gce_interface(struct gce_call *work, const struct gce_shape *shape,
                                struct text zone)
{
    struct doc_builder access;
    struct doc_builder builder;

    doc_builder_init(&builder, work->arena);
    if (shape->subnet.length > 0) {
        doc_builder_put(&builder, "subnetwork",
                        doc_text(arena_printf(work->arena, "regions/%.*s/subnetworks/%.*s",
                                              TEXT_ARG(gce_region(zone)), TEXT_ARG(shape->subnet)),
                                 NULL));
    } else {
        doc_builder_put(&builder, "network", doc_text(TEXT("global/networks/default"), NULL));
    }
    if (shape->is_public) {
        doc_builder_init(&access, work->arena);
        doc_builder_put(&access, "type", doc_text(TEXT("ONE_TO_ONE_NAT"), NULL));
        doc_builder_put(&access, "name", doc_text(TEXT("External NAT"), NULL));
        doc_builder_put(&builder, "accessConfigs",
                        gce_one(work->arena, doc_builder_map(&access, NULL)));
    }
    return doc_builder_map(&builder, NULL);
}

static void gce_put_options(struct gce_call *work, struct doc_builder *into,
                            const struct gce_shape *shape)
{
    struct doc_builder builder;

    doc_builder_init(&builder, work->arena);
    if (shape->is_spot) {
        doc_builder_put(&builder, "provisioningModel", doc_text(TEXT("SPOT"), NULL));
        doc_builder_put(&builder, "automaticRestart", doc_bool(false, NULL));
        doc_builder_put(&builder, "onHostMaintenance", doc_text(TEXT("TERMINATE"), NULL));
        doc_builder_put(into, "scheduling", doc_builder_map(&builder, NULL));
    }
    if (shape->service_account.length > 0) {
        doc_builder_init(&builder, work->arena);
        doc_builder_put(&builder, "email", doc_text(shape->service_account, NULL));
        doc_builder_put(
            &builder, "scopes",
            gce_one(work->arena,
                    doc_text(TEXT("https://www.googleapis.com/auth/cloud-platform"), NULL)));
        doc_builder_put(into, "serviceAccounts",
                        gce_one(work->arena, doc_builder_map(&builder, NULL)));
    }
    if (shape->tag_count > 0) {
        struct doc *items = arena_array(work->arena, struct doc, shape->tag_count);

        for (size_t i = 0; i < shape->tag_count; i++) {
            items[i] = doc_text(shape->tags[i], NULL);
        }
        doc_builder_init(&builder, work->arena);
        doc_builder_put(&builder, "items", doc_list(items, shape->tag_count, NULL));
        doc_builder_put(into, "tags", doc_builder_map(&builder, NULL));
    }
}

/* Returns the login user: the user in the properties, or the user of the image. */
static struct text gce_user(const struct gce_shape *shape)
{
    const struct image_release *release = images_find(shape->image);

    return shape->user.length > 0 ? shape->user
                                  : text_from(release != NULL ? release->user : "admin");
}

static int32_t gce_script(struct gce_call *work, const struct reeve_wish_v1 *wanted,
                          const struct gce_shape *shape, const struct gce_volume *volumes,
                          struct text *out)
{
    struct first_start_volume mounts[DISK_MAX];
    struct text keys;
    int32_t result = gce_resolve_key(work, shape->key, &keys);
    struct first_start start = {
        .token = plain_text(wanted->token),
        .host_name = property_dns_name(work->arena, plain_text(wanted->name), GCE_NAME_BYTES),
        .user = shape->user,
        .init = plain_text(wanted->init),
        .guest_attribute = TEXT(GCE_GUEST_ATTRIBUTE),
        .volumes = mounts,
        .volume_count = shape->disk_count,
    };

    if (result != REEVE_OK) {
        return result;
    }
    for (size_t i = 0; i < shape->disk_count; i++) {
        mounts[i] = (struct first_start_volume){
            .device =
                arena_printf(work->arena, "/dev/disk/by-id/google-%.*s", TEXT_ARG(volumes[i].key)),
            .mount = shape->disks[i].mount,
        };
    }
    start.keys = keys.length == 0
                     ? plain_text(wanted->keys)
                     : arena_printf(work->arena, "%.*s\n%.*s", TEXT_ARG(text_trim(keys)),
                                    TEXT_ARG(plain_text(wanted->keys)));
    *out = first_start_format(work->arena, &start);
    if (out->length > FIRST_START_GCD_BYTES) {
        return gce_fault(work, REEVE_INVALID, "",
                         "the first-start script has %zu bytes; Google accepts %d: make init "
                         "shorter",
                         out->length, FIRST_START_GCD_BYTES);
    }
    return REEVE_OK;
}

/* Gets the image: the pinned image, or the current image for the name. */
static int32_t gce_image(struct gce_call *work, const struct gce_shape *shape, struct text *out)
{
    *out = plain_text(work->gce->host->pinned(work->call, REEVE_TEXT("/image")));
    return out->length > 0 ? REEVE_OK
                           : gce_resolve_image(work, shape->image,
                                               gce_type_architecture(shape->machine_type), out);
}

static int32_t gce_body(struct gce_call *work, const struct reeve_wish_v1 *wanted,
                        struct gce_shape *shape, struct text zone, struct text name,
                        const struct gce_volume *volumes, struct text *out)
{
    struct doc *disks = arena_array(work->arena, struct doc, shape->disk_count + 1);
    struct doc_builder builder;
    struct text description;
    struct text script;
    struct text image;
    struct doc labels;
    struct doc map;
    struct buf json;
    int32_t result = gce_image(work, shape, &image);

    shape->user = gce_user(shape);
    if (result == REEVE_OK) {
        result = gce_script(work, wanted, shape, volumes, &script);
    }
    if (result != REEVE_OK) {
        return result;
    }
    description = gce_description(work->arena, wanted, shape, image);
    if (description.length > GCE_DESCRIPTION_BYTES ||
        !gce_labels(work->arena, plain_text(wanted->cluster), plain_text(wanted->token),
                    plain_text(wanted->labels), &labels)) {
        return gce_fault(work, REEVE_INVALID, "",
                         "the labels do not fit: Google accepts 64 labels of 63 characters");
    }
    doc_builder_init(&builder, work->arena);
    doc_builder_put(&builder, "name", doc_text(name, NULL));
    doc_builder_put(&builder, "description", doc_text(description, NULL));
    doc_builder_put(&builder, "machineType",
                    doc_text(arena_printf(work->arena, "zones/%.*s/machineTypes/%.*s",
                                          TEXT_ARG(zone), TEXT_ARG(shape->machine_type)),
                             NULL));
    doc_builder_put(&builder, "labels", labels);
    doc_builder_put(&builder, "metadata", gce_metadata(work, script));
    disks[0] = gce_disk(work, shape, zone, image);
    for (size_t i = 0; i < shape->disk_count; i++) {
        disks[i + 1] = gce_volume_attached(work, &shape->disks[i], zone, &volumes[i]);
    }
    doc_builder_put(&builder, "disks", doc_list(disks, shape->disk_count + 1, NULL));
    doc_builder_put(&builder, "networkInterfaces",
                    gce_one(work->arena, gce_interface(work, shape, zone)));
    gce_put_options(work, &builder, shape);
    map = doc_builder_map(&builder, NULL);
    buf_init(&json, work->arena);
    json_format(&json, &map);
    *out = buf_text(&json);
    return REEVE_OK;
}

/* ---- create ---- */

/* Returns the number of failed operations for a token. */
static int64_t gce_tries(struct gce_call *work, struct text token)
{
    struct text bytes;
    int64_t tries = 0;

    return journal_find(work->arena, &work->gce->journal, "tries", token, &bytes, NULL) &&
                   text_parse_int64(bytes, &tries) && tries > 0 && tries < GCE_TRIES_MAX
               ? tries
               : 0;
}

static int32_t gce_made(struct gce_call *work, const struct gce_id *id)
{
    struct text whole = arena_printf(work->arena, "%.*s/%.*s/%.*s", TEXT_ARG(work->project),
                                     TEXT_ARG(id->zone), TEXT_ARG(id->name));

    if (!journal_put(&work->gce->journal, "created", whole, TEXT(""))) {
        return gce_fault(work, REEVE_UNKNOWN, "", "the journal cannot be written: %m");
    }
    journal_delete(&work->gce->journal, "ended", whole);
    journal_delete(&work->gce->journal, "going", whole);
    work->gce->host->made(work->call, plain_answer(whole));
    return REEVE_OK;
}

/* Handles an existing name: the instance is the machine of this token. It may still be in
 * creation. */
static int32_t gce_adopt(struct gce_call *work, const struct reeve_wish_v1 *wanted,
                         const struct gce_id *id)
{
    for (;;) {
        struct gce_machine machine;
        struct gce_answer answer;
        struct text status;

        if (gce_get(work, gce_instance_path(work, id), &answer) != REEVE_OK) {
            work->gce->host->retry_after(work->call, GCE_RETRY_MS);
            (void)gce_refuse(work, "", "get the instance whose name exists", &answer);
            return REEVE_UNKNOWN;
        }
        gce_machine_read(work->arena, &answer.doc, &machine);
        if (!text_is_equal(machine.token, plain_text(wanted->token)) ||
            !text_is_equal(machine.cluster, plain_text(wanted->cluster))) {
            return gce_fault(work, REEVE_INVALID, "",
                             "an instance with the name %.*s exists and is not one of this cluster",
                             TEXT_ARG(id->name));
        }
        status = doc_child_text(&answer.doc, "status");
        if (!text_is(status, "PROVISIONING") && !text_is(status, "STAGING")) {
            return gce_made(work, id);
        }
        if (work->gce->host->left_ms(work->call) < 2 * GCE_LOOK_MS) {
            work->gce->host->retry_after(work->call, GCE_LOOK_MS);
            return gce_fault(work, REEVE_UNKNOWN, "", "the instance is still being created");
        }
        exchange_rest(GCE_LOOK_MS / 4);
    }
}

/* A request with the requestId of an earlier request returns the operation of that request, which
 * has succeeded, even if the instance was deleted since then. Only a read of the instance shows
 * whether it exists; without an answer to this read the result is unknown. */
static int32_t gce_insert_read(struct gce_call *work, const struct gce_id *id)
{
    struct gce_answer answer;

    if (gce_get(work, gce_instance_path(work, id), &answer) == REEVE_OK) {
        return gce_made(work, id);
    }
    if (answer.status == 404) {
        return gce_fault(work, REEVE_GONE, "", "the instance %.*s existed and was deleted",
                         TEXT_ARG(id->name));
    }
    work->gce->host->retry_after(work->call, GCE_RETRY_MS);
    (void)gce_refuse(work, "", "get the created instance", &answer);
    return REEVE_UNKNOWN;
}

/* Determines the result of an insert that the provider has accepted. */
static int32_t gce_insert_end(struct gce_call *work, const struct reeve_wish_v1 *wanted,
                              const struct gce_id *id, struct gce_answer *answer, int64_t tries)
{
    int32_t result = gce_operation_wait(work, id->zone, answer);
    bool is_failed = result != REEVE_OK && text_is(doc_child_text(&answer->doc, "status"), "DONE");

    if (is_failed && !journal_put(&work->gce->journal, "tries", plain_text(wanted->token),
                                  arena_number(work->arena, tries + 1))) {
        return gce_fault(work, REEVE_UNKNOWN, "", "the journal cannot be written: %m");
    }
    if (result == REEVE_OK) {
        return gce_insert_read(work, id);
    }
    if (result == REEVE_UNKNOWN) {
        work->gce->host->retry_after(work->call, GCE_LOOK_MS);
    }
    return gce_refuse(work, "", "create the instance", answer);
}

static int32_t gce_insert(struct gce_call *work, const struct reeve_wish_v1 *wanted,
                          const struct gce_id *id, struct text body)
{
    struct text token = plain_text(wanted->token);
    int64_t tries = gce_tries(work, token);
    struct gce_request request = {
        .method = "POST",
        .url = arena_printf(
            work->arena, "/zones/%.*s/instances?requestId=%.*s", TEXT_ARG(id->zone),
            TEXT_ARG(gce_uuid(work->arena, arena_printf(work->arena, "%.*s %lld", TEXT_ARG(token),
                                                        (long long)tries)))),
        .body = body,
        .kind = CLASSIFY_ONCE,
        .priority = HTTP_CHANGE,
    };
    struct gce_answer answer;

    if (gce_send(work, &request, &answer) == REEVE_OK) {
        return gce_insert_end(work, wanted, id, &answer, tries);
    }
    if (answer.status == 409 && text_is(answer.last.code, "alreadyExists")) {
        return gce_adopt(work, wanted, id);
    }
    return gce_refuse(work, "", "create the instance", &answer);
}

int32_t gce_create(struct gce_call *work, const struct reeve_wish_v1 *wanted)
{
    struct text token = plain_text(wanted->token);
    struct gce_volume volumes[DISK_MAX];
    struct gce_shape shape;
    struct gce_id id;
    struct text body;
    int32_t result;

    if (token.length < GCE_NAME_TOKEN || token.length > GCE_NAME_BYTES || !is_gce_part(token)) {
        return gce_fault(work, REEVE_INVALID, "", "the token was not created by reeve");
    }
    id.name = gce_name(work->arena, plain_text(wanted->name), token);
    id.zone = wanted->zone.length > 0              ? plain_text(wanted->zone)
              : work->gce->settings.zone_count > 0 ? work->gce->settings.zones[0]
                                                   : TEXT("");
    result = gce_shape_read(work, &shape);
    if (result != REEVE_OK) {
        return result;
    }
    if (!is_gce_part(id.zone)) {
        return gce_fault(work, REEVE_INVALID, "",
                         "no zone: state zones of the group, or of the account's settings");
    }
    result = gce_volumes_prepare(work, &shape, wanted, &id, volumes);
    if (result == REEVE_OK) {
        result = gce_body(work, wanted, &shape, id.zone, id.name, volumes, &body);
    }
    if (result == REEVE_OK) {
        result = gce_insert(work, wanted, &id, body);
    }
    if (result == REEVE_OK) {
        return gce_volumes_settle(work, &shape, id.zone, volumes);
    }
    /* after all other results, the token will never have an instance */
    if (result != REEVE_UNKNOWN && result != REEVE_TRANSIENT && result != REEVE_THROTTLED &&
        gce_volumes_drop(work, &shape, wanted, id.zone) != REEVE_OK) {
        return REEVE_UNKNOWN;
    }
    return result;
}

/* ---- changes of an instance ---- */

/* Makes a change with a new request id, and waits for its end. */
static int32_t gce_change(struct gce_call *work, const struct gce_id *id, const char *method,
                          const char *what, struct text body, struct gce_answer *out)
{
    uint32_t random[4] = { exchange_random(), exchange_random(), exchange_random(),
                           exchange_random() };
    struct text seed = { (const char *)random, sizeof(random) };
    struct gce_request request = {
        .method = method,
        .url = arena_printf(work->arena, "%.*s%s?requestId=%.*s",
                            TEXT_ARG(gce_instance_path(work, id)), what,
                            TEXT_ARG(gce_uuid(work->arena, seed))),
        .body = body,
        .kind = CLASSIFY_ONCE,
        .priority = HTTP_CHANGE,
    };

    if (gce_send(work, &request, out) != REEVE_OK) {
        return out->result;
    }
    return gce_operation_wait(work, id->zone, out);
}

/* Deletes an instance. An instance that is being stopped can be deleted only after the stop has
 * ended. */
static int32_t gce_delete(struct gce_call *work, const struct gce_id *place)
{
    struct gce_answer answer;
    int32_t result;

    for (;;) {
        result = gce_change(work, place, "DELETE", "", TEXT(""), &answer);
        if (result == REEVE_OK || answer.status == 404) {
            return REEVE_OK;
        }
        if (!text_is(answer.last.code, "resourceNotReady") ||
            work->gce->host->left_ms(work->call) < 2 * GCE_LOOK_MS) {
            return gce_refuse(work, "", "delete the instance", &answer);
        }
        exchange_rest(GCE_LOOK_MS / 2);
    }
}

int32_t gce_destroy(struct gce_call *work, struct text cluster, struct text id)
{
    struct journal *journal = &work->gce->journal;
    struct gce_machine machine;
    struct gce_id place;
    struct doc instance;
    struct text token;
    int32_t result;

    if (!gce_id_parse(work, id, &place)) {
        return REEVE_OK;
    }
    /* an interrupted destroy wrote this entry after it had checked the owner */
    if (!journal_find(work->arena, journal, "going", id, &token, NULL)) {
        result = gce_instance_get(work, cluster, id, &instance, &machine);
        if (result != REEVE_OK) {
            return result == REEVE_GONE ? REEVE_OK : result;
        }
        token = machine.token;
        result = gce_volumes_keep(work, place.zone, &instance);
        if (result != REEVE_OK) {
            return result;
        }
        if (!journal_put(journal, "going", id, token)) {
            return gce_fault(work, REEVE_TRANSIENT, "", "the journal cannot be written: %m");
        }
    }
    result = gce_delete(work, &place);
    if (result == REEVE_OK) {
        (void)!journal_put(journal, "ended", id, TEXT(""));
        journal_delete(journal, "created", id);
        journal_delete(journal, "hostkey", id);
        journal_delete(journal, "tries", token);
        journal_delete(journal, "going", id);
    }
    return result;
}

int32_t gce_label(struct gce_call *work, struct text cluster, struct text id, struct text labels)
{
    struct gce_machine machine;
    struct gce_answer answer = { 0 };
    struct gce_id place;
    struct doc instance;

    for (unsigned i = 0; i < GCE_LABEL_TRIES; i++) {
        int32_t result = gce_instance_get(work, cluster, id, &instance, &machine);
        struct doc_builder builder;
        struct doc map;
        struct buf json;

        if (result != REEVE_OK || !gce_id_parse(work, id, &place)) {
            return result;
        }
        if (!gce_labels(work->arena, cluster, machine.token, labels, &map)) {
            return gce_fault(work, REEVE_INVALID, "",
                             "the labels do not fit: Google accepts 64 labels of 63 characters");
        }
        doc_builder_init(&builder, work->arena);
        doc_builder_put(&builder, "labels", map);
        doc_builder_put(&builder, "labelFingerprint",
                        doc_text(doc_child_text(&instance, "labelFingerprint"), NULL));
        map = doc_builder_map(&builder, NULL);
        buf_init(&json, work->arena);
        json_format(&json, &map);
        result = gce_change(work, &place, "POST", "/setLabels", buf_text(&json), &answer);
        if (result == REEVE_OK || answer.status != 412) {
            return result == REEVE_OK ? result : gce_refuse(work, "", "change the labels", &answer);
        }
    }
    return gce_refuse(work, "", "change the labels", &answer);
}

int32_t gce_reboot(struct gce_call *work, struct text cluster, struct text id)
{
    struct gce_machine machine;
    struct gce_answer answer;
    struct gce_id place;
    struct doc instance;
    struct text status;
    int32_t result = gce_instance_get(work, cluster, id, &instance, &machine);

    if (result != REEVE_OK || !gce_id_parse(work, id, &place)) {
        return result;
    }
    status = doc_child_text(&instance, "status");
    result = gce_change(work, &place, "POST",
                        text_is(status, "TERMINATED") || text_is(status, "STOPPED") ? "/start"
                                                                                    : "/reset",
                        TEXT(""), &answer);
    return result == REEVE_OK ? result : gce_refuse(work, "", "reboot the instance", &answer);
}

int32_t gce_console(struct gce_call *work, struct text cluster, struct text id)
{
    struct gce_machine machine;
    struct gce_answer answer;
    struct gce_id place;
    struct doc instance;
    struct text all;
    int32_t result = gce_instance_get(work, cluster, id, &instance, &machine);

    if (result != REEVE_OK || !gce_id_parse(work, id, &place)) {
        return result;
    }
    if (gce_get(work,
                arena_printf(work->arena, "%.*s/serialPort?port=1",
                             TEXT_ARG(gce_instance_path(work, &place))),
                &answer) != REEVE_OK) {
        return gce_refuse(work, "", "get the console", &answer);
    }
    all = doc_child_text(&answer.doc, "contents");
    if (all.length > GCE_CONSOLE_BYTES) {
        all = text_slice(all, all.length - GCE_CONSOLE_BYTES, all.length);
    }
    work->gce->host->text(work->call, plain_answer(all));
    return REEVE_OK;
}
