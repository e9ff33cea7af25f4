#include "ocean.h"

#include "base/buf.h"
#include "codec/doc_child.h"
#include "codec/json.h"

/* Block storage. A volume is named after its key, which is unique in its region, so that each
 * volume is created only once. Its description has the tags of the request that created it; tags of
 * DigitalOcean are not used, because they are objects of the account that outlive volumes. A
 * description cannot be changed, so it does not state since when a volume is kept. Volumes are
 * created before their droplet and are part of its request.
 *
 * The journal has an entry `disks` for a key from before the creation of the volume until the
 * droplet exists. So a volume with an entry has never held data. Before a droplet is destroyed, an
 * entry `volumes` records the volumes to delete after it. */

enum { OCEAN_VOLUME_RETRY_MS = 5000, OCEAN_VOLUME_TRIES = 3 };

/* Reads the tags of a volume. If there are none, the volume does not belong to reeve. */
static void ocean_volume_tags(struct arena *arena, const struct doc *volume,
                              struct tag_codec_tags *out)
{
    if (!tag_codec_from_json(arena, doc_child_text(volume, "description"), out)) {
        *out = (struct tag_codec_tags){ 0 };
    }
}

static struct text ocean_volume_tag(struct arena *arena, const struct doc *volume, const char *name)
{
    struct tag_codec_tags tags;

    ocean_volume_tags(arena, volume, &tags);
    return tag_codec_value(tags.items, tags.count, name);
}

static struct text ocean_volume_droplet(const struct doc *volume)
{
    const struct doc *ids = doc_child(volume, "droplet_ids");

    return doc_is_list(ids) && ids->item_count > 0 ? ids->items[0].text : TEXT("");
}

static struct text ocean_volume_region(const struct doc *volume)
{
    return doc_child_text(doc_child(volume, "region"), "slug");
}

/* Deletes a volume. A missing volume is not a fault. A volume that is still attached to a deleted
 * droplet is detached after a while. */
static int32_t ocean_volume_delete(struct ocean_call *work, struct text id, bool is_patient)
{
    uint64_t wait_ms = ocean_first_wait(work->ocean);
    struct ocean_request request = {
        .method = "DELETE",
        .path = arena_printf(work->arena, "/volumes/%.*s", TEXT_ARG(ocean_url(work, id))),
        .kind = CLASSIFY_ONCE,
        .priority = HTTP_CHANGE,
    };
    struct ocean_answer answer;

    for (;;) {
        if (ocean_send(work, &request, &answer) == REEVE_OK || answer.status == 404) {
            return REEVE_OK;
        }
        if (!is_patient || answer.status != 409 || !ocean_wait(work, &wait_ms)) {
            return ocean_refuse(work, "", "delete the volume", &answer);
        }
    }
}

/* ---- create ---- */

/* The volumes with a key: the volume of the region, and a volume of another region. */
struct ocean_volume_lookup {
    struct ocean_call *work;
    struct text key;
    struct text region;
    struct doc volume;
    bool is_found;
    struct text elsewhere;
};

static bool ocean_volume_match(void *arg, const struct doc *item)
{
    struct ocean_volume_lookup *lookup = arg;
    struct arena *arena = lookup->work->arena;

    if (!text_is_equal(ocean_volume_tag(arena, item, "reeve.volume"), lookup->key)) {
        return true;
    }
    if (text_is_equal(ocean_volume_region(item), lookup->region)) {
        lookup->volume = *item;
        lookup->is_found = true;
    } else {
        lookup->elsewhere = ocean_volume_region(item);
    }
    return true;
}

static int32_t ocean_volume_find(struct ocean_call *work, struct text key, struct text region,
                                 struct ocean_volume_lookup *out)
{
    const char *path = arena_printf(work->arena, "/volumes?name=%.*s", TEXT_ARG(key)).data;
    struct ocean_answer answer;

    *out = (struct ocean_volume_lookup){ .work = work, .key = key, .region = region };
    return ocean_pages(work, path, "volumes", OCEAN_RATE_ALL, ocean_volume_match, out, &answer) ==
                   REEVE_OK
               ? REEVE_OK
               : ocean_refuse(work, "/volumes", "look the volume up", &answer);
}

static struct text ocean_volume_body(struct ocean_call *work, const struct disk *disk,
                                     const struct reeve_wish_v1 *wanted, struct text region,
                                     struct text key)
{
    struct reeve_tag *tags = arena_array(work->arena, struct reeve_tag, wanted->tag_count + 4);
    struct doc_builder builder;
    uint32_t count = 0;
    struct doc map;
    struct buf json;

    for (; count < wanted->tag_count; count++) {
        tags[count] = wanted->tags[count];
    }
    tags[count++] = (struct reeve_tag){ REEVE_TEXT("reeve.keep"), plain_answer(disk->keep) };
    tags[count++] = (struct reeve_tag){ REEVE_TEXT("reeve.name"), plain_answer(disk->name) };
    tags[count++] = (struct reeve_tag){ REEVE_TEXT("reeve.node"), wanted->name };
    tags[count++] = (struct reeve_tag){ REEVE_TEXT("reeve.volume"), plain_answer(key) };
    doc_builder_init(&builder, work->arena);
    doc_builder_put(&builder, "name", doc_text(key, NULL));
    doc_builder_put(&builder, "region", doc_text(region, NULL));
    doc_builder_put(&builder, "size_gigabytes", doc_int(work->arena, disk->gib, NULL));
    doc_builder_put(&builder, "description",
                    doc_text(tag_codec_to_json(work->arena, tags, count), NULL));
    map = doc_builder_map(&builder, NULL);
    buf_init(&json, work->arena);
    json_format(&json, &map);
    return buf_text(&json);
}

/* Creates a volume. If the name already exists, an earlier request has created the volume, and a
 * lookup will show it later. */
static int32_t ocean_volume_create(struct ocean_call *work, const struct disk *disk,
                                   const struct reeve_wish_v1 *wanted, struct text region,
                                   struct text key, struct text *out_id)
{
    struct journal *journal = &work->ocean->journal;
    struct ocean_request request = {
        .method = "POST",
        .path = TEXT("/volumes"),
        .body = ocean_volume_body(work, disk, wanted, region, key),
        .kind = CLASSIFY_ONCE,
        .priority = HTTP_CHANGE,
    };
    struct ocean_answer answer;

    if (!journal_put(journal, "disks", key, TEXT(""))) {
        return ocean_fault(work, REEVE_TRANSIENT, "", "the journal cannot be written: %m");
    }
    if (ocean_send(work, &request, &answer) == REEVE_OK) {
        *out_id = doc_child_text(doc_child(&answer.doc, "volume"), "id");
        return out_id->length > 0 ? REEVE_OK
                                  : ocean_fault(work, REEVE_UNKNOWN, "/volumes",
                                                "create the volume: the answer has no id");
    }
    if (answer.status == 409) {
        work->ocean->host->retry_after(work->call, OCEAN_VOLUME_RETRY_MS);
        return ocean_fault(work, REEVE_UNKNOWN, "/volumes",
                           "the volume %.*s exists and is not shown yet", TEXT_ARG(disk->name));
    }
    if (answer.result != REEVE_UNKNOWN) {
        journal_delete(journal, "disks", key);
    }
    return ocean_refuse(work, "/volumes", "create the volume", &answer);
}

static int32_t ocean_volume_check(struct ocean_call *work, const struct disk *disk, size_t i,
                                  const struct reeve_wish_v1 *wanted,
                                  const struct ocean_volume_lookup *found)
{
    struct text droplet = ocean_volume_droplet(&found->volume);
    int64_t gib = doc_child_number(&found->volume, "size_gigabytes");

    if (!text_is_equal(ocean_volume_tag(work->arena, &found->volume, "reeve.cluster_id"),
                       plain_text(wanted->cluster))) {
        return ocean_fault(work, REEVE_INVALID, "/volumes",
                           "a volume with the name %.*s exists and is not one of this cluster",
                           TEXT_ARG(found->key));
    }
    if (gib != disk->gib) {
        return ocean_fault(
            work, REEVE_INVALID, arena_printf(work->arena, "/volumes/%zu/size", i).data,
            "the kept volume %.*s (%.*s) has %lld GiB, and %lld are requested: "
            "change the size at DigitalOcean, or delete the volume",
            TEXT_ARG(found->key), TEXT_ARG(disk->name), (long long)gib, (long long)disk->gib);
    }
    if (droplet.length > 0) {
        work->ocean->host->retry_after(work->call, OCEAN_VOLUME_RETRY_MS);
        return ocean_fault(work, REEVE_TRANSIENT, "/volumes",
                           "the volume %.*s is still attached to the droplet %.*s",
                           TEXT_ARG(disk->name), TEXT_ARG(droplet));
    }
    return REEVE_OK;
}

static int32_t ocean_volume_prepare(struct ocean_call *work, const struct disk *disk, size_t i,
                                    const struct reeve_wish_v1 *wanted, struct text region,
                                    struct ocean_volume *out)
{
    struct ocean_volume_lookup lookup;
    int32_t result = ocean_volume_find(work, out->key, region, &lookup);

    if (result != REEVE_OK) {
        return result;
    }
    if (lookup.is_found) {
        out->id = doc_child_text(&lookup.volume, "id");
        return ocean_volume_check(work, disk, i, wanted, &lookup);
    }
    if (lookup.elsewhere.length > 0) {
        return ocean_fault(work, REEVE_INVALID, "/volumes",
                           "the kept volume %.*s (%.*s) is in the region %.*s, and the machine is "
                           "for %.*s: disks do not move between zones",
                           TEXT_ARG(out->key), TEXT_ARG(disk->name), TEXT_ARG(lookup.elsewhere),
                           TEXT_ARG(region));
    }
    return ocean_volume_create(work, disk, wanted, region, out->key, &out->id);
}

int32_t ocean_volumes_prepare(struct ocean_call *work, const struct ocean_shape *shape,
                              const struct reeve_wish_v1 *wanted, struct text region,
                              struct ocean_volume out[static DISK_MAX])
{
    int32_t result = REEVE_OK;

    for (size_t i = 0; i < shape->disk_count && result == REEVE_OK; i++) {
        const struct disk *disk = &shape->disks[i];

        out[i] = (struct ocean_volume){ .key = disk_key(work->arena, disk->name, disk->is_node,
                                                        wanted) };
        result = ocean_volume_prepare(work, disk, i, wanted, region, &out[i]);
    }
    return result;
}

void ocean_volumes_settle(struct ocean_call *work, const struct ocean_shape *shape,
                          const struct reeve_wish_v1 *wanted)
{
    for (size_t i = 0; i < shape->disk_count; i++) {
        const struct disk *disk = &shape->disks[i];

        journal_delete(&work->ocean->journal, "disks",
                       disk_key(work->arena, disk->name, disk->is_node, wanted));
    }
}

int32_t ocean_volumes_drop(struct ocean_call *work, const struct ocean_shape *shape,
                           const struct reeve_wish_v1 *wanted, struct text region)
{
    struct journal *journal = &work->ocean->journal;
    int32_t result = REEVE_OK;

    for (size_t i = 0; i < shape->disk_count && result == REEVE_OK; i++) {
        const struct disk *disk = &shape->disks[i];
        struct text key = disk_key(work->arena, disk->name, disk->is_node, wanted);
        struct ocean_volume_lookup lookup;
        struct text entry;

        if (!journal_find(work->arena, journal, "disks", key, &entry, NULL) && !disk->is_node) {
            continue;
        }
        result = ocean_volume_find(work, key, region, &lookup);
        if (result == REEVE_OK && lookup.is_found) {
            result = ocean_volume_delete(work, doc_child_text(&lookup.volume, "id"), true);
        }
        if (result == REEVE_OK) {
            journal_delete(journal, "disks", key);
        }
    }
    return result;
}

/* ---- destroy ---- */

int32_t ocean_volumes_going(struct ocean_call *work, struct text droplet, const struct doc *shown)
{
    const struct doc *ids = doc_child(shown, "volume_ids");
    struct buf lines;

    buf_init(&lines, work->arena);
    for (size_t i = 0; doc_is_list(ids) && i < ids->item_count; i++) {
        struct text id = ids->items[i].text;
        struct ocean_answer answer;

        if (ocean_get(work,
                      arena_printf(work->arena, "/volumes/%.*s", TEXT_ARG(ocean_url(work, id))),
                      &answer) != REEVE_OK) {
            if (answer.status == 404) {
                continue;
            }
            return ocean_refuse(work, "", "get a volume", &answer);
        }
        if (text_is(ocean_volume_tag(work->arena, doc_child(&answer.doc, "volume"), "reeve.keep"),
                    "node")) {
            buf_add(&lines, id);
            buf_add_byte(&lines, '\n');
        }
    }
    return lines.length == 0 ||
                   journal_put(&work->ocean->journal, "volumes", droplet, buf_text(&lines))
               ? REEVE_OK
               : ocean_fault(work, REEVE_TRANSIENT, "", "the journal cannot be written: %m");
}

int32_t ocean_volumes_end(struct ocean_call *work, struct text droplet)
{
    struct text rest;

    if (!journal_find(work->arena, &work->ocean->journal, "volumes", droplet, &rest, NULL)) {
        return REEVE_OK;
    }
    while (rest.length > 0) {
        size_t end = text_find_byte(rest, '\n');

        if (ocean_volume_delete(work, text_slice(rest, 0, end), true) != REEVE_OK) {
            /* the droplet is gone; after a refusal, reeve would not repeat the call */
            return REEVE_UNKNOWN;
        }
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, rest.length);
    }
    journal_delete(&work->ocean->journal, "volumes", droplet);
    return REEVE_OK;
}

/* ---- resources ---- */

struct ocean_volume_listing {
    struct ocean_call *work;
    struct text cluster;
    struct doc *rows;
    size_t count; /* number of reported rows of the cluster */
    size_t all;
};

static bool ocean_volume_add(void *arg, const struct doc *item)
{
    struct ocean_volume_listing *listing = arg;
    struct arena *arena = listing->work->arena;

    listing->all++;
    if (text_is_equal(ocean_volume_tag(arena, item, "reeve.cluster_id"), listing->cluster)) {
        listing->rows = arena_grow(arena, listing->rows, listing->count * sizeof(*listing->rows),
                                   (listing->count + 1) * sizeof(*listing->rows));
        listing->rows[listing->count++] = *item;
    }
    return true;
}

static void ocean_volume_report(struct ocean_call *work, const struct doc *volume)
{
    struct tag_codec_tags tags;
    struct reeve_resource_v1 row = {
        .struct_size = sizeof(row),
        .kind = REEVE_TEXT("volume"),
        .id = plain_answer(doc_child_text(volume, "id")),
        .zone = plain_answer(ocean_volume_region(volume)),
        .attached = plain_answer(ocean_volume_droplet(volume)),
        .bytes = (uint64_t)doc_child_number(volume, "size_gigabytes") << 30,
    };

    ocean_volume_tags(work->arena, volume, &tags);
    row.tags = tags.items;
    row.tag_count = tags.count;
    work->ocean->host->resource(work->call, &row);
}

/* Lists the volumes of the cluster. Pages shift when volumes are deleted, so all pages are read
 * again if the number of volumes differs from the stated total. */
int32_t ocean_resources(struct ocean_call *work, struct text cluster)
{
    for (unsigned i = 0; i < OCEAN_VOLUME_TRIES; i++) {
        struct ocean_volume_listing listing = { .work = work, .cluster = cluster };
        struct ocean_answer answer;

        if (ocean_pages(work, "/volumes", "volumes", OCEAN_RATE_ALL, ocean_volume_add, &listing,
                        &answer) != REEVE_OK) {
            return ocean_refuse(work, "", "list the volumes", &answer);
        }
        if (doc_child_number(doc_child(&answer.doc, "meta"), "total") != (int64_t)listing.all) {
            continue;
        }
        for (size_t k = 0; k < listing.count; k++) {
            ocean_volume_report(work, &listing.rows[k]);
        }
        return REEVE_OK;
    }
    return ocean_fault(work, REEVE_TRANSIENT, "",
                       "the listing of volumes changes while it is read");
}

int32_t ocean_resource_destroy(struct ocean_call *work, struct text cluster, struct text kind,
                               struct text id)
{
    struct ocean_answer answer;

    if (!text_is(kind, "volume")) {
        return REEVE_OK;
    }
    if (ocean_get(work, arena_printf(work->arena, "/volumes/%.*s", TEXT_ARG(ocean_url(work, id))),
                  &answer) != REEVE_OK) {
        return answer.status == 404 ? REEVE_OK : ocean_refuse(work, "", "get the volume", &answer);
    }
    return text_is_equal(
               ocean_volume_tag(work->arena, doc_child(&answer.doc, "volume"), "reeve.cluster_id"),
               cluster)
               ? ocean_volume_delete(work, id, false)
               : REEVE_OK;
}
