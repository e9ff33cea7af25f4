#include "gce.h"

#include "base/buf.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "exchange.h"

#include <time.h>

/* Additional disks. A disk is named after its key, which is unique in its zone, so that each disk
 * is created only once. Its description has the tags of the request that created it. Disks exist
 * before their instance and are part of its request, so there is no instance without its disks.
 *
 * The journal has an entry `disks` for a key from before the creation of the disk until the
 * instance exists. So a disk with an entry has never held data. */

enum { GCE_VOLUME_POLL_MS = 500, GCE_VOLUME_RETRY_MS = 5000, GCE_VOLUME_PAGES_MAX = 100 };

static struct text gce_volume_path(struct gce_call *work, struct text zone, struct text name)
{
    return arena_printf(work->arena, "/zones/%.*s/disks/%.*s", TEXT_ARG(zone),
                        TEXT_ARG(gce_url(work, name)));
}

/* Makes a change and waits for its end. Each call has a new request id, because a deleted disk may
 * be created again. */
static int32_t gce_volume_change(struct gce_call *work, struct text zone, const char *method,
                                 struct text path, struct text body, struct gce_answer *out)
{
    uint32_t random[4] = { exchange_random(), exchange_random(), exchange_random(),
                           exchange_random() };
    struct text seed = { (const char *)random, sizeof(random) };
    struct gce_request request = {
        .method = method,
        .url = arena_printf(work->arena, "%.*s?requestId=%.*s", TEXT_ARG(path),
                            TEXT_ARG(gce_uuid(work->arena, seed))),
        .body = body,
        .kind = CLASSIFY_ONCE,
        .priority = HTTP_CHANGE,
    };

    return gce_send(work, &request, out) == REEVE_OK ? gce_operation_wait(work, zone, out)
                                                     : out->result;
}

static int32_t gce_volume_delete(struct gce_call *work, struct text zone, struct text name)
{
    struct gce_answer answer;

    return gce_volume_change(work, zone, "DELETE", gce_volume_path(work, zone, name), TEXT(""),
                             &answer) == REEVE_OK ||
                   answer.status == 404
               ? REEVE_OK
               : gce_refuse(work, "", "delete the disk", &answer);
}

/* Reads the tags of a disk. If there are none, the disk does not belong to reeve. */
static void gce_volume_tags(struct arena *arena, const struct doc *disk, struct tag_codec_tags *out)
{
    if (!tag_codec_from_json(arena, doc_child_text(disk, "description"), out)) {
        *out = (struct tag_codec_tags){ 0 };
    }
}

static struct text gce_volume_user(const struct doc *disk)
{
    const struct doc *users = doc_child(disk, "users");

    return doc_is_list(users) && users->item_count > 0 ? gce_last_part(users->items[0].text)
                                                       : TEXT("");
}

/* ---- lists ---- */

/* Called for each disk of a listing. */
typedef void gce_volume_each(struct gce_call *work, const struct doc *disk, void *arg);

/* Reads one page. Returns false if a zone could not be read. */
static bool gce_volume_page(struct gce_call *work, const struct doc *answer, gce_volume_each *each,
                            void *arg)
{
    const struct doc *items = doc_child(answer, "items");
    bool is_complete = doc_child_count(answer, "unreachables") == 0;

    for (size_t i = 0; doc_is_map(items) && i < items->entry_count; i++) {
        const struct doc *scope = &items->entries[i].value;
        const struct doc *disks = doc_child(scope, "disks");
        struct text warning = doc_child_text(doc_child(scope, "warning"), "code");

        is_complete &= warning.length == 0 || text_is(warning, "NO_RESULTS_ON_PAGE");
        for (size_t k = 0; doc_is_list(disks) && k < disks->item_count; k++) {
            each(work, &disks->items[k], arg);
        }
    }
    return is_complete;
}

/* Lists the disks of all zones that a filter selects. A failure is reported. */
static int32_t gce_volume_list(struct gce_call *work, struct text filter, gce_volume_each *each,
                               void *arg)
{
    struct text page = TEXT("");

    for (unsigned i = 0; i < GCE_VOLUME_PAGES_MAX; i++) {
        struct gce_request request = {
            .method = "GET",
            .url = arena_printf(work->arena,
                                "/aggregated/disks?filter=%.*s&maxResults=500"
                                "&returnPartialSuccess=true%s%.*s",
                                TEXT_ARG(filter), page.length > 0 ? "&pageToken=" : "",
                                TEXT_ARG(page)),
            .kind = CLASSIFY_READ,
            .priority = HTTP_LISTING,
        };
        struct gce_answer answer;

        if (gce_send(work, &request, &answer) != REEVE_OK) {
            return gce_refuse(work, "", "list the disks", &answer);
        }
        if (!gce_volume_page(work, &answer.doc, each, arg)) {
            break;
        }
        page = gce_url(work, doc_child_text(&answer.doc, "nextPageToken"));
        if (page.length == 0) {
            return REEVE_OK;
        }
    }
    return gce_fault(work, REEVE_TRANSIENT, "", "the listing of disks is incomplete");
}

/* ---- create ---- */

static struct text gce_volume_body(struct gce_call *work, const struct disk *disk,
                                   const struct reeve_wish_v1 *wanted, struct text zone,
                                   struct text key)
{
    struct reeve_tag *tags = arena_array(work->arena, struct reeve_tag, wanted->tag_count + 3);
    struct text whole = arena_printf(work->arena, "%.*s-%.*s", TEXT_ARG(plain_text(wanted->name)),
                                     TEXT_ARG(disk->name));
    struct doc_builder labels;
    struct doc_builder builder;
    uint32_t count = 0;
    struct doc map;
    struct buf json;

    for (; count < wanted->tag_count; count++) {
        tags[count] = wanted->tags[count];
    }
    tags[count++] = (struct reeve_tag){ REEVE_TEXT("reeve.keep"), plain_answer(disk->keep) };
    tags[count++] = (struct reeve_tag){ REEVE_TEXT("reeve.name"), plain_answer(disk->name) };
    tags[count++] = (struct reeve_tag){ REEVE_TEXT("reeve.volume"), plain_answer(key) };
    doc_builder_init(&labels, work->arena);
    doc_builder_put(&labels, "reeve-cluster",
                    doc_text(tag_codec_hash(work->arena, plain_text(wanted->cluster)), NULL));
    doc_builder_put(&labels, "reeve-disk",
                    doc_text(property_dns_name(work->arena, whole, GCE_LABEL_MOST), NULL));
    doc_builder_init(&builder, work->arena);
    doc_builder_put(&builder, "name", doc_text(key, NULL));
    doc_builder_put(&builder, "description",
                    doc_text(tag_codec_to_json(work->arena, tags, count), NULL));
    doc_builder_put(&builder, "sizeGb", doc_text(arena_number(work->arena, disk->gib), NULL));
    doc_builder_put(&builder, "type",
                    doc_text(arena_printf(work->arena, "zones/%.*s/diskTypes/%.*s", TEXT_ARG(zone),
                                          TEXT_ARG(disk->type)),
                             NULL));
    doc_builder_put(&builder, "labels", doc_builder_map(&labels, NULL));
    map = doc_builder_map(&builder, NULL);
    buf_init(&json, work->arena);
    json_format(&json, &map);
    return buf_text(&json);
}

/* Collects a disk of another zone with the same key. */
static void gce_volume_elsewhere(struct gce_call *work, const struct doc *disk, void *arg)
{
    struct text *out_zone = arg;

    *out_zone = arena_text(work->arena, gce_last_part(doc_child_text(disk, "zone")));
}

static int32_t gce_volume_create(struct gce_call *work, const struct disk *disk,
                                 const struct reeve_wish_v1 *wanted, struct text zone,
                                 struct text key)
{
    struct journal *journal = &work->gce->journal;
    struct text other = TEXT("");
    struct gce_answer answer;
    int32_t result =
        disk->is_node
            ? REEVE_OK
            : gce_volume_list(work, arena_printf(work->arena, "name%%3D%.*s", TEXT_ARG(key)),
                              gce_volume_elsewhere, &other);

    if (result != REEVE_OK) {
        return result;
    }
    if (other.length > 0 && !text_is_equal(other, zone)) {
        return gce_fault(work, REEVE_INVALID, "/volumes",
                         "the kept volume %.*s (%.*s) is in the zone %.*s, and the machine is for "
                         "%.*s: disks do not move between zones",
                         TEXT_ARG(key), TEXT_ARG(disk->name), TEXT_ARG(other), TEXT_ARG(zone));
    }
    if (!journal_put(journal, "disks", key, TEXT(""))) {
        return gce_fault(work, REEVE_TRANSIENT, "", "the journal cannot be written: %m");
    }
    result = gce_volume_change(work, zone, "POST",
                               arena_printf(work->arena, "/zones/%.*s/disks", TEXT_ARG(zone)),
                               gce_volume_body(work, disk, wanted, zone, key), &answer);
    if (result == REEVE_OK ||
        (answer.status == 409 && text_is(answer.last.code, "alreadyExists"))) {
        return REEVE_OK;
    }
    if (result != REEVE_UNKNOWN) {
        journal_delete(journal, "disks", key);
    }
    return gce_refuse(work, "/volumes", "create the disk", &answer);
}

/* Checks that an existing disk matches the request. */
static int32_t gce_volume_check(struct gce_call *work, const struct disk *disk, size_t i,
                                const struct reeve_wish_v1 *wanted, struct text instance,
                                const struct doc *found)
{
    struct text user = gce_volume_user(found);
    struct tag_codec_tags tags;
    int64_t gib = 0;

    gce_volume_tags(work->arena, found, &tags);
    if (!text_is_equal(tag_codec_value(tags.items, tags.count, "reeve.cluster_id"),
                       plain_text(wanted->cluster))) {
        return gce_fault(work, REEVE_INVALID, "/volumes",
                         "a disk with the name %.*s exists and is not one of this cluster",
                         TEXT_ARG(doc_child_text(found, "name")));
    }
    if (text_parse_int64(doc_child_text(found, "sizeGb"), &gib) && gib != disk->gib) {
        return gce_fault(work, REEVE_INVALID,
                         arena_printf(work->arena, "/volumes/%zu/size", i).data,
                         "the kept volume %.*s (%.*s) has %lld GiB, and %lld are requested: "
                         "change the size at Google, or delete the volume",
                         TEXT_ARG(doc_child_text(found, "name")), TEXT_ARG(disk->name),
                         (long long)gib, (long long)disk->gib);
    }
    if (user.length > 0 && !text_is_equal(user, instance)) {
        work->gce->host->retry_after(work->call, GCE_VOLUME_RETRY_MS);
        return gce_fault(work, REEVE_TRANSIENT, "/volumes",
                         "the volume %.*s is still attached to %.*s", TEXT_ARG(disk->name),
                         TEXT_ARG(user));
    }
    return REEVE_OK;
}

/* Finds or creates a disk, and waits until it is ready. */
static int32_t gce_volume_prepare(struct gce_call *work, const struct disk *disk, size_t i,
                                  const struct reeve_wish_v1 *wanted, const struct gce_id *id,
                                  struct gce_volume *out)
{
    bool is_asked = false;

    for (;;) {
        struct gce_answer answer;
        struct text status;
        int32_t result = REEVE_OK;

        if (gce_get(work, gce_volume_path(work, id->zone, out->key), &answer) == REEVE_OK) {
            status = doc_child_text(&answer.doc, "status");
            out->has_kept = doc_find(doc_child(&answer.doc, "labels"), TEXT("reeve-kept")) != NULL;
            result = gce_volume_check(work, disk, i, wanted, id->name, &answer.doc);
            if (result != REEVE_OK || text_is(status, "READY")) {
                return result;
            }
        } else if (answer.status != 404) {
            return gce_refuse(work, "/volumes", "get the disk", &answer);
        } else if (!is_asked) {
            is_asked = true;
            result = gce_volume_create(work, disk, wanted, id->zone, out->key);
            if (result != REEVE_OK) {
                return result;
            }
            continue;
        }
        if (work->gce->host->left_ms(work->call) < 4 * GCE_VOLUME_POLL_MS) {
            work->gce->host->retry_after(work->call, GCE_VOLUME_RETRY_MS);
            return gce_fault(work, REEVE_UNKNOWN, "/volumes",
                             "the volume %.*s is still being created", TEXT_ARG(disk->name));
        }
        exchange_rest(GCE_VOLUME_POLL_MS);
    }
}

int32_t gce_volumes_prepare(struct gce_call *work, const struct gce_shape *shape,
                            const struct reeve_wish_v1 *wanted, const struct gce_id *id,
                            struct gce_volume out[static DISK_MAX])
{
    int32_t result = REEVE_OK;

    for (size_t i = 0; i < shape->disk_count && result == REEVE_OK; i++) {
        const struct disk *disk = &shape->disks[i];

        out[i] =
            (struct gce_volume){ .key = disk_key(work->arena, disk->name, disk->is_node, wanted) };
        result = gce_volume_prepare(work, disk, i, wanted, id, &out[i]);
    }
    return result;
}

struct doc gce_volume_attached(struct gce_call *work, const struct disk *disk, struct text zone,
                               const struct gce_volume *volume)
{
    struct doc_builder builder;

    doc_builder_init(&builder, work->arena);
    doc_builder_put(
        &builder, "source",
        doc_text(arena_printf(work->arena, "projects/%.*s/zones/%.*s/disks/%.*s",
                              TEXT_ARG(work->project), TEXT_ARG(zone), TEXT_ARG(volume->key)),
                 NULL));
    doc_builder_put(&builder, "deviceName", doc_text(volume->key, NULL));
    doc_builder_put(&builder, "autoDelete", doc_bool(disk->is_node, NULL));
    return doc_builder_map(&builder, NULL);
}

/* ---- the label of the time ---- */

/* Sets the label reeve-kept of a disk, or removes it with an empty value. */
static int32_t gce_volume_label(struct gce_call *work, struct text zone, struct text name,
                                struct text value)
{
    struct text path = gce_volume_path(work, zone, name);
    struct gce_answer answer;
    struct doc_builder labels;
    struct doc_builder builder;
    const struct doc *now;
    struct doc map;
    struct buf json;

    if (gce_get(work, path, &answer) != REEVE_OK) {
        return answer.status == 404 ? REEVE_OK : gce_refuse(work, "", "get the disk", &answer);
    }
    now = doc_child(&answer.doc, "labels");
    doc_builder_init(&labels, work->arena);
    for (size_t i = 0; doc_is_map(now) && i < now->entry_count; i++) {
        if (!text_is(now->entries[i].key, "reeve-kept")) {
            doc_builder_add(&labels, &now->entries[i]);
        }
    }
    if (value.length > 0) {
        doc_builder_put(&labels, "reeve-kept", doc_text(value, NULL));
    }
    doc_builder_init(&builder, work->arena);
    doc_builder_put(&builder, "labels", doc_builder_map(&labels, NULL));
    doc_builder_put(&builder, "labelFingerprint",
                    doc_text(doc_child_text(&answer.doc, "labelFingerprint"), NULL));
    map = doc_builder_map(&builder, NULL);
    buf_init(&json, work->arena);
    json_format(&json, &map);
    return gce_volume_change(work, zone, "POST",
                             arena_printf(work->arena, "%.*s/setLabels", TEXT_ARG(path)),
                             buf_text(&json), &answer) == REEVE_OK
               ? REEVE_OK
               : gce_refuse(work, "", "label the disk", &answer);
}

int32_t gce_volumes_settle(struct gce_call *work, const struct gce_shape *shape, struct text zone,
                           const struct gce_volume *volumes)
{
    for (size_t i = 0; i < shape->disk_count; i++) {
        if (volumes[i].has_kept &&
            gce_volume_label(work, zone, volumes[i].key, TEXT("")) != REEVE_OK) {
            return REEVE_UNKNOWN; /* the instance exists; the next create continues with it */
        }
        journal_delete(&work->gce->journal, "disks", volumes[i].key);
    }
    return REEVE_OK;
}

int32_t gce_volumes_keep(struct gce_call *work, struct text zone, const struct doc *instance)
{
    const struct doc *list = doc_child(instance, "disks");
    int32_t result = REEVE_OK;

    for (size_t i = 0; doc_is_list(list) && i < list->item_count && result == REEVE_OK; i++) {
        const struct doc *disk = &list->items[i];

        if (!text_is(doc_child_text(disk, "autoDelete"), "true") &&
            text_has_prefix(doc_child_text(disk, "deviceName"), TEXT("reeve-"))) {
            result = gce_volume_label(work, zone, gce_last_part(doc_child_text(disk, "source")),
                                      arena_number(work->arena, (int64_t)time(NULL)));
        }
    }
    return result;
}

int32_t gce_volumes_drop(struct gce_call *work, const struct gce_shape *shape,
                         const struct reeve_wish_v1 *wanted, struct text zone)
{
    struct journal *journal = &work->gce->journal;
    int32_t result = REEVE_OK;

    for (size_t i = 0; i < shape->disk_count && result == REEVE_OK; i++) {
        const struct disk *disk = &shape->disks[i];
        struct text key = disk_key(work->arena, disk->name, disk->is_node, wanted);
        struct text entry;

        if (!journal_find(work->arena, journal, "disks", key, &entry, NULL) && !disk->is_node) {
            continue;
        }
        result = gce_volume_delete(work, zone, key);
        if (result == REEVE_OK) {
            journal_delete(journal, "disks", key);
        }
    }
    return result;
}

/* ---- resources ---- */

static void gce_volume_report(struct gce_call *work, const struct doc *disk, void *arg)
{
    struct text zone = gce_last_part(doc_child_text(disk, "zone"));
    struct text user = gce_volume_user(disk);
    const struct text *cluster = arg;
    struct tag_codec_tags tags;
    int64_t gib = 0;
    struct reeve_resource_v1 row = {
        .struct_size = sizeof(row),
        .kind = REEVE_TEXT("volume"),
        .id = plain_answer(arena_printf(work->arena, "%.*s/%.*s/%.*s", TEXT_ARG(work->project),
                                        TEXT_ARG(zone), TEXT_ARG(doc_child_text(disk, "name")))),
        .zone = plain_answer(zone),
    };

    gce_volume_tags(work->arena, disk, &tags);
    if (!text_is_equal(tag_codec_value(tags.items, tags.count, "reeve.cluster_id"), *cluster)) {
        return;
    }
    row.tags = tags.items;
    row.tag_count = tags.count;
    if (text_parse_int64(doc_child_text(disk, "sizeGb"), &gib) && gib > 0) {
        row.bytes = (uint64_t)gib << 30;
    }
    if (user.length > 0) {
        row.attached =
            plain_answer(arena_printf(work->arena, "%.*s/%.*s/%.*s", TEXT_ARG(work->project),
                                      TEXT_ARG(zone), TEXT_ARG(user)));
    }
    work->gce->host->resource(work->call, &row);
}

int32_t gce_resources(struct gce_call *work, struct text cluster)
{
    return gce_volume_list(work,
                           arena_printf(work->arena, "labels.reeve-cluster%%3D%.*s",
                                        TEXT_ARG(tag_codec_hash(work->arena, cluster))),
                           gce_volume_report, &cluster);
}

int32_t gce_resource_destroy(struct gce_call *work, struct text cluster, struct text kind,
                             struct text id)
{
    struct tag_codec_tags tags;
    struct gce_answer answer;
    struct gce_id place;

    if (!text_is(kind, "volume") || !gce_id_parse(work, id, &place)) {
        return REEVE_OK;
    }
    if (gce_get(work, gce_volume_path(work, place.zone, place.name), &answer) != REEVE_OK) {
        return answer.status == 404 ? REEVE_OK : gce_refuse(work, "", "get the disk", &answer);
    }
    gce_volume_tags(work->arena, &answer.doc, &tags);
    return text_is_equal(tag_codec_value(tags.items, tags.count, "reeve.cluster_id"), cluster)
               ? gce_volume_delete(work, place.zone, place.name)
               : REEVE_OK;
}
