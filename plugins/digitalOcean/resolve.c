#include "ocean.h"

#include "base/buf.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "images.h"
#include "tag_codec.h"

enum { OCEAN_CACHE_MS = 600000, OCEAN_UUID_BYTES = 36 };

/* Finds a result in the cache. Names rarely change their meaning, so results are cached for 10
 * minutes, even across restarts. */
static bool ocean_cache_find(struct ocean_call *work, bool is_fresh, const char *what,
                             struct text name, struct text *out)
{
    uint64_t age_ms = 0;
    struct text key =
        tag_codec_hash(work->arena, arena_printf(work->arena, "%s %.*s", what, TEXT_ARG(name)));

    return !is_fresh &&
           journal_find(work->arena, &work->ocean->journal, "cache", key, out, &age_ms) &&
           age_ms < OCEAN_CACHE_MS;
}

static void ocean_cache_put(struct ocean_call *work, const char *what, struct text name,
                            struct text value)
{
    struct text key =
        tag_codec_hash(work->arena, arena_printf(work->arena, "%s %.*s", what, TEXT_ARG(name)));

    /* a failure is harmless: without the entry, the next call looks up the name again */
    (void)!journal_put(&work->ocean->journal, "cache", key, value);
}

/* One lookup of a name in a collection. */
struct ocean_lookup {
    struct ocean_call *work;
    struct text wanted;
    const struct text *regions;
    size_t region_count;
    struct text found;  /* empty: not found */
    struct text dates;  /* date of the newest image so far */
    struct buf names;   /* existing names, for faults */
    bool is_elsewhere;  /* the object was found, but is not available in every region */
    bool is_incomplete; /* the object was found, but is not usable */
};

static void ocean_lookup_note(struct ocean_lookup *lookup, struct text name)
{
    if (lookup->names.length < 300) {
        buf_add_string(&lookup->names, lookup->names.length == 0 ? "" : ", ");
        buf_add(&lookup->names, name);
    }
}

/* ---- size ---- */

/* Collects all pages into one list. */
struct ocean_items {
    struct arena *arena;
    struct doc *items;
    size_t count;
};

static bool ocean_collect(void *arg, const struct doc *item)
{
    struct ocean_items *items = arg;

    items->items = arena_grow(items->arena, items->items, items->count * sizeof(struct doc),
                              (items->count + 1) * sizeof(struct doc));
    items->items[items->count++] = *item;
    return true;
}

static int32_t ocean_resolve_size(struct ocean_call *work, const struct ocean_shape *shape,
                                  const struct text *regions, size_t region_count, bool is_fresh,
                                  struct ocean_found *out)
{
    struct ocean_items items = { .arena = work->arena };
    struct ocean_answer answer;
    const struct doc *size;
    struct doc list;

    out->size = is_fresh ? TEXT("")
                         : plain_text(work->ocean->host->pinned(work->call, REEVE_TEXT("/size")));
    if (out->size.length == 0 && !is_fresh) {
        out->size = shape->size;
    }
    if (out->size.length > 0) {
        return REEVE_OK;
    }
    if (ocean_pages(work, "/sizes", "sizes", OCEAN_RATE_ALL, ocean_collect, &items, &answer) !=
        REEVE_OK) {
        return ocean_refuse(work, shape->size_pointer, "list the sizes", &answer);
    }
    list = doc_list(items.items, items.count, NULL);
    size = ocean_size_choose(&list, shape, regions, region_count);
    if (size == NULL && shape->size.length > 0) {
        return ocean_fault(
            work, REEVE_INVALID, shape->size_pointer,
            "DigitalOcean has no size '%.*s' in the region; it has for example %.*s",
            TEXT_ARG(shape->size),
            TEXT_ARG(ocean_size_nearest(work->arena, &list, shape, regions, region_count)));
    }
    if (size == NULL) {
        return ocean_fault(work, REEVE_INVALID, shape->size_pointer,
                           "DigitalOcean has no size of the family '%.*s' with %lld MiB of memory "
                           "and %lld cpus or more in the region",
                           TEXT_ARG(shape->family), (long long)shape->memory_mb,
                           (long long)shape->cpus);
    }
    out->size = doc_child_text(size, "slug");
    out->price = doc_child_text(size, "price_hourly");
    return REEVE_OK;
}

/* ---- image ---- */

static bool is_in_ocean_regions(const struct doc *image, const struct ocean_lookup *lookup)
{
    const struct doc *regions = doc_child(image, "regions");

    for (size_t i = 0; i < lookup->region_count; i++) {
        bool is_there = false;

        for (size_t k = 0; doc_is_list(regions) && k < regions->item_count; k++) {
            is_there |= text_is_equal(regions->items[k].text, lookup->regions[i]);
        }
        if (!is_there) {
            return false;
        }
    }
    return true;
}

/* Collects the newest image with the slug that is available in every region. */
static bool ocean_on_image(void *arg, const struct doc *image)
{
    struct ocean_lookup *lookup = arg;
    struct text slug = doc_child_text(image, "slug");
    struct text created_at = doc_child_text(image, "created_at");

    if (slug.length > 0) {
        ocean_lookup_note(lookup, slug);
    }
    if (!text_is_equal(slug, lookup->wanted) ||
        !text_is(doc_child_text(image, "status"), "available")) {
        return true;
    }
    if (!is_in_ocean_regions(image, lookup)) {
        lookup->is_elsewhere = true;
        return true;
    }
    if (lookup->found.length == 0 || text_compare(created_at, lookup->dates) > 0) {
        lookup->found = doc_child_text(image, "id");
        lookup->dates = created_at;
    }
    return true;
}

/* Finds an image by its number or its slug. */
static int32_t ocean_resolve_named_image(struct ocean_call *work, struct ocean_lookup *lookup,
                                         struct ocean_found *out)
{
    struct ocean_answer answer;
    const struct doc *image;

    if (ocean_get(work, arena_printf(work->arena, "/images/%.*s", TEXT_ARG(lookup->wanted)),
                  &answer) != REEVE_OK) {
        return answer.status == 404
                   ? ocean_fault(work, REEVE_INVALID, "/image", "DigitalOcean has no image '%.*s'",
                                 TEXT_ARG(lookup->wanted))
                   : ocean_refuse(work, "/image", "get the image", &answer);
    }
    image = doc_child(&answer.doc, "image");
    if (!is_in_ocean_regions(image, lookup)) {
        return ocean_fault(work, REEVE_INVALID, "/image",
                           "the image '%.*s' is not in the region: transfer it there",
                           TEXT_ARG(lookup->wanted));
    }
    out->image = doc_child_text(image, "id");
    return REEVE_OK;
}

/* Returns the slug of a release: ubuntu-24-04-x64 for ubuntu 24.04. */
static struct text ocean_image_slug(struct arena *arena, const struct image_release *release)
{
    struct buf out;

    buf_init(&out, arena);
    buf_add_string(&out, release->distribution);
    buf_add_string(&out, strcmp(release->distribution, "rocky") == 0 ? "linux-" : "-");
    for (const char *byte = release->version; *byte != '\0'; byte++) {
        buf_add_byte(&out, *byte == '.' ? '-' : *byte);
    }
    buf_add_string(&out, "-x64");
    return buf_text(&out);
}

static int32_t ocean_resolve_image(struct ocean_call *work, const struct ocean_shape *shape,
                                   const struct text *regions, size_t region_count, bool is_fresh,
                                   struct ocean_found *out)
{
    const struct image_release *release = images_find(shape->image);
    struct ocean_lookup lookup = {
        .work = work, .wanted = shape->image, .regions = regions, .region_count = region_count
    };
    struct ocean_answer answer;

    out->image = is_fresh ? TEXT("")
                          : plain_text(work->ocean->host->pinned(work->call, REEVE_TEXT("/image")));
    if (out->image.length > 0 ||
        ocean_cache_find(work, is_fresh, "image", shape->image, &out->image)) {
        return REEVE_OK;
    }
    if (release == NULL) {
        return ocean_resolve_named_image(work, &lookup, out);
    }
    lookup.wanted = ocean_image_slug(work->arena, release);
    buf_init(&lookup.names, work->arena);
    if (ocean_pages(work, "/images?type=distribution", "images", OCEAN_RATE_ALL, ocean_on_image,
                    &lookup, &answer) != REEVE_OK) {
        return ocean_refuse(work, "/image", "list the images", &answer);
    }
    if (lookup.found.length == 0) {
        return ocean_fault(work, REEVE_INVALID, "/image",
                           "DigitalOcean has no image '%.*s' in the region; it has %.*s",
                           TEXT_ARG(shape->image), TEXT_ARG(buf_text(&lookup.names)));
    }
    out->image = lookup.found;
    if (region_count == 1) {
        ocean_cache_put(work, "image", shape->image, out->image);
    }
    return REEVE_OK;
}

/* ---- key, VPC, firewalls ---- */

static bool ocean_on_key(void *arg, const struct doc *key)
{
    struct ocean_lookup *lookup = arg;

    ocean_lookup_note(lookup, doc_child_text(key, "name"));
    if (text_is_equal(doc_child_text(key, "name"), lookup->wanted) ||
        text_is_equal(doc_child_text(key, "fingerprint"), lookup->wanted) ||
        text_is_equal(doc_child_text(key, "id"), lookup->wanted)) {
        lookup->found = doc_child_text(key, "id");
        return false;
    }
    return true;
}

static bool ocean_on_vpc(void *arg, const struct doc *vpc)
{
    struct ocean_lookup *lookup = arg;

    if (!text_is_equal(doc_child_text(vpc, "name"), lookup->wanted) &&
        !text_is_equal(doc_child_text(vpc, "id"), lookup->wanted)) {
        ocean_lookup_note(lookup, doc_child_text(vpc, "name"));
        return true;
    }
    for (size_t i = 0; i < lookup->region_count; i++) {
        if (!text_is_equal(doc_child_text(vpc, "region"), lookup->regions[i])) {
            lookup->is_elsewhere = true;
            return true;
        }
    }
    lookup->found = doc_child_text(vpc, "id");
    return false;
}

static bool ocean_on_firewall(void *arg, const struct doc *firewall)
{
    struct ocean_lookup *lookup = arg;
    const struct doc *tags = doc_child(firewall, "tags");

    if (!text_is_equal(doc_child_text(firewall, "name"), lookup->wanted) &&
        !text_is_equal(doc_child_text(firewall, "id"), lookup->wanted)) {
        ocean_lookup_note(lookup, doc_child_text(firewall, "name"));
        return true;
    }
    if (!doc_is_list(tags) || tags->item_count == 0 || !doc_is_scalar(&tags->items[0])) {
        lookup->is_incomplete = true;
        return false;
    }
    lookup->found = tags->items[0].text;
    return false;
}

/* Finds a name in a collection, and caches the answer. Returns OK with an empty lookup->found if
 * there is no match. */
static int32_t ocean_look_up(struct ocean_call *work, struct ocean_lookup *lookup, bool is_fresh,
                             const char *path, const char *key, ocean_on_item *each,
                             const char *pointer)
{
    struct ocean_answer answer;
    struct text scope =
        arena_printf(work->arena, "%.*s %.*s", TEXT_ARG(lookup->wanted),
                     TEXT_ARG(lookup->region_count > 0 ? lookup->regions[0] : TEXT("")));

    buf_init(&lookup->names, work->arena);
    if (ocean_cache_find(work, is_fresh, key, scope, &lookup->found)) {
        return REEVE_OK;
    }
    if (ocean_pages(work, path, key,
                    text_is(text_from(key), "ssh_keys") ? OCEAN_RATE_KEYS : OCEAN_RATE_ALL, each,
                    lookup, &answer) != REEVE_OK) {
        return ocean_refuse(work, pointer, "look the name up", &answer);
    }
    if (lookup->found.length > 0) {
        ocean_cache_put(work, key, scope, lookup->found);
    }
    return REEVE_OK;
}

static int32_t ocean_resolve_key(struct ocean_call *work, const struct ocean_shape *shape,
                                 bool is_fresh, struct ocean_found *out)
{
    struct ocean_lookup lookup = { .work = work, .wanted = shape->ssh_key };
    int32_t result;

    if (shape->ssh_key.length == 0) {
        return REEVE_OK;
    }
    result = ocean_look_up(work, &lookup, is_fresh, "/account/keys", "ssh_keys", ocean_on_key,
                           "/sshKey");
    if (result == REEVE_OK && lookup.found.length == 0) {
        return ocean_fault(work, REEVE_INVALID, "/sshKey",
                           "the account has no key '%.*s'; its keys are: %.*s",
                           TEXT_ARG(shape->ssh_key), TEXT_ARG(buf_text(&lookup.names)));
    }
    out->ssh_key = lookup.found;
    return result;
}

static int32_t ocean_resolve_vpc(struct ocean_call *work, const struct ocean_shape *shape,
                                 const struct text *regions, size_t region_count, bool is_fresh,
                                 struct ocean_found *out)
{
    struct ocean_lookup lookup = {
        .work = work, .wanted = shape->vpc, .regions = regions, .region_count = region_count
    };
    int32_t result;

    if (shape->vpc.length == 0) {
        return REEVE_OK;
    }
    result = ocean_look_up(work, &lookup, is_fresh, "/vpcs", "vpcs", ocean_on_vpc, "/subnet");
    if (result == REEVE_OK && lookup.found.length == 0) {
        return ocean_fault(work, REEVE_INVALID, "/subnet",
                           lookup.is_elsewhere
                               ? "the VPC '%.*s' is in another region%.*s"
                               : "the account has no VPC '%.*s'; its VPCs are: %.*s",
                           TEXT_ARG(shape->vpc),
                           TEXT_ARG(lookup.is_elsewhere ? TEXT("") : buf_text(&lookup.names)));
    }
    out->vpc = lookup.found;
    return result;
}

static int32_t ocean_resolve_firewall(struct ocean_call *work, struct text name, size_t index,
                                      bool is_fresh, struct ocean_found *out)
{
    struct ocean_lookup lookup = { .work = work, .wanted = name };
    const char *pointer = arena_printf(work->arena, "/securityGroups/%zu", index).data;
    int32_t result = ocean_look_up(work, &lookup, is_fresh, "/firewalls", "firewalls",
                                   ocean_on_firewall, pointer);

    if (result != REEVE_OK) {
        return result;
    }
    if (lookup.is_incomplete) {
        return ocean_fault(work, REEVE_INVALID, pointer,
                           "the firewall '%.*s' has no tag: add a tag to it, so that it applies to "
                           "a droplet from its first minute",
                           TEXT_ARG(name));
    }
    if (lookup.found.length == 0) {
        return ocean_fault(work, REEVE_INVALID, pointer,
                           "the account has no firewall '%.*s'; its firewalls are: %.*s",
                           TEXT_ARG(name), TEXT_ARG(buf_text(&lookup.names)));
    }
    out->firewall_tags[out->firewall_tag_count++] = lookup.found;
    return REEVE_OK;
}

int32_t ocean_resolve(struct ocean_call *work, const struct ocean_shape *shape,
                      const struct text *regions, size_t region_count, bool is_fresh,
                      struct ocean_found *out)
{
    int32_t results[4 + OCEAN_LIST_MAX];
    size_t count = 0;

    *out = (struct ocean_found){ 0 };
    results[count++] = ocean_resolve_size(work, shape, regions, region_count, is_fresh, out);
    results[count++] = ocean_resolve_image(work, shape, regions, region_count, is_fresh, out);
    results[count++] = ocean_resolve_key(work, shape, is_fresh, out);
    results[count++] = ocean_resolve_vpc(work, shape, regions, region_count, is_fresh, out);
    for (size_t i = 0; i < shape->firewall_count; i++) {
        results[count++] = ocean_resolve_firewall(work, shape->firewalls[i], i, is_fresh, out);
    }
    /* the result is INVALID only if no lookup failed for another reason, because other failures may
     * be temporary */
    for (size_t i = 0; i < count; i++) {
        if (results[i] != REEVE_OK && results[i] != REEVE_INVALID) {
            return results[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (results[i] != REEVE_OK) {
            return results[i];
        }
    }
    return REEVE_OK;
}
