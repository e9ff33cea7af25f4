#include "image_requests/image_requests.h"

#include "base/map.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/check.h"
#include "query/query_parts.h"
#include "records/discovered.h"

#include <string.h>

/* public names start with: image_ */

struct image_request {
    struct service *service;
    struct arena *arena;
    struct doc answer;
    service_done *done;
    void *arg;
};

static void image_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    const struct image_request *request = arg;
    struct err err = answer->err;

    if (outcome != OUTCOME_OK) {
        if (err.code == CODE_R0502) {
            err_hint(&err, "another change of this image was made first: repeat the command");
        }
        service_refuse(request->service, request->arena, &err, request->done, request->arg);
        return;
    }
    service_report(request->service, request->arena, &request->answer, request->done, request->arg);
}

static void image_write(struct image_request *request, const struct service_actor *actor,
                        const struct image *image, const char *type, struct text fact)
{
    struct image_request *kept = arena_one(request->arena, struct image_request);
    struct service_actor *sender = arena_one(request->arena, struct service_actor);
    struct store_op op = { .key = image_key(request->arena, actor->tenant, image->name),
                           .value = image_format(request->arena, image),
                           .is_delete = image->version_count == 0 };
    struct store_compare compare = { .key = op.key, .revision = image->revision };
    struct store_event event = service_event(request->service, request->arena, actor,
                                             &(struct service_event){ .type = type, .fact = fact });

    *kept = *request;
    *sender = *actor;
    service_txn(request->service, request->arena, sender,
                &(struct store_txn){ &compare, 1, &op, 1, &event, 1 }, image_written, kept);
}

/* ---- which groups and machines use a version ---- */

static void image_use_add(struct arena *arena, struct map *uses, struct text digest,
                          struct text name)
{
    struct buf *names = map_find(uses, digest);

    if (names == NULL) {
        names = arena_one(arena, struct buf);
        buf_init(names, arena);
        map_put(uses, arena_text(arena, digest), names);
    }
    buf_printf(names, "%s%.*s", names->length > 0 ? " " : "", TEXT_ARG(name));
}

/* The reference in the specification of a group, of a cluster's defaults or of a template; empty:
 * none. Most specifications have no image and are not parsed. */
static struct text image_reference_of(struct arena *arena, const struct cache_object *object)
{
    static const char member[] = "\"image\"";
    struct text bytes = object->parts[CACHE_SPEC].bytes == NULL
                            ? TEXT("")
                            : blob_text(object->parts[CACHE_SPEC].bytes);
    const struct doc *spec;
    struct doc doc;
    struct err err;
    struct text own;

    if (memmem(bytes.data, bytes.length, member, sizeof(member) - 1) == NULL ||
        !json_parse(arena, arena_text(arena, bytes), NULL, &doc, &err)) {
        return TEXT("");
    }
    spec = doc_is_map(doc_child(&doc, "spec")) ? doc_child(&doc, "spec") : &doc;
    own = doc_child_text(spec, "image");
    return own.length > 0 ? own : doc_child_text(doc_child(spec, "defaults"), "image");
}

static void image_groups_add(const struct service *service, struct arena *arena, struct text tenant,
                             const char *kind, struct map *uses)
{
    struct text prefix = arena_printf(arena, "/%.*s/%s/", TEXT_ARG(tenant), kind);

    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        struct text id = arena_text(arena, cache_id(object));
        struct text cluster = text_slice(id, 0, text_find_byte(id, '/'));
        struct text reference = image_reference_of(arena, object);
        struct image_version version;
        struct err err;

        if (reference.length == 0 ||
            !image_resolve(arena, service->cache, tenant, reference, &version, &err)) {
            continue;
        }
        image_use_add(arena, uses, version.digest,
                      strcmp(kind, "NodeGroup") == 0
                          ? arena_printf(arena, "%.*s/%.*s",
                                         TEXT_ARG(objects_cluster_name(service->cache, arena,
                                                                       tenant, cluster)),
                                         TEXT_ARG(objects_group_path(object)))
                      : strcmp(kind, "Cluster") == 0
                          ? objects_cluster_name(service->cache, arena, tenant, cluster)
                          : id);
    }
}

/* Versions by digest: a map to a struct buf with the names of what uses them. */
static struct map image_uses(const struct service *service, struct arena *arena, struct text tenant)
{
    static const char *const kinds[] = { "Cluster", "NodeGroup", "ClusterTemplate",
                                         "NodeGroupTemplate" };
    struct text prefix = arena_printf(arena, "/%.*s/" DISCOVERED_KIND "/", TEXT_ARG(tenant));
    struct map uses;

    map_init(&uses, arena);
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        image_groups_add(service, arena, tenant, kinds[i], &uses);
    }
    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        struct discovered row;

        if (discovered_read(arena, object, &row) && row.claim.token.length > 0 &&
            row.install.digest.length > 0) {
            image_use_add(arena, &uses, row.install.digest, row.id);
        }
    }
    return uses;
}

static struct doc image_names_show(struct arena *arena, const struct map *uses, struct text digest)
{
    struct buf *names = map_find(uses, digest);
    struct text rest = names == NULL ? TEXT("") : buf_text(names);
    size_t count = rest.length > 0;
    struct doc *items;

    for (size_t i = 0; i < rest.length; i++) {
        count += rest.data[i] == ' ';
    }
    items = arena_array(arena, struct doc, count);
    for (size_t i = 0; i < count; i++) {
        size_t end = text_find_byte(rest, ' ');

        items[i] = doc_text(text_slice(rest, 0, end), NULL);
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, SIZE_MAX);
    }
    return doc_list(items, count, NULL);
}

/* ---- lists ---- */

static struct doc image_version_show(struct arena *arena, const struct image *image,
                                     const struct image_version *version, const struct map *uses)
{
    struct doc *tags = arena_array(arena, struct doc, IMAGE_TAGS_MAX);
    struct doc_builder map;
    size_t count = 0;

    for (size_t i = 0; i < image->tag_count; i++) {
        if (text_is_equal(image->tags[i].digest, version->digest)) {
            tags[count++] = doc_text(image->tags[i].name, NULL);
        }
    }
    doc_builder_init(&map, arena);
    doc_builder_put(&map, "at", doc_text(version->at, NULL));
    doc_builder_put(&map, "by", doc_text(version->by, NULL));
    doc_builder_put(&map, "bytes", doc_int(arena, (int64_t)version->bytes, NULL));
    doc_builder_put(&map, "digest", doc_text(version->digest, NULL));
    doc_builder_put(&map, "format", doc_text(version->format, NULL));
    doc_builder_put(&map, "tags", doc_list(tags, count, NULL));
    doc_builder_put(&map, "usedBy", image_names_show(arena, uses, version->digest));
    return doc_builder_map(&map, NULL);
}

static struct doc image_show(struct arena *arena, const struct image *image, const struct map *uses)
{
    struct doc *versions = arena_array(arena, struct doc, image->version_count);
    struct doc_builder map;

    for (size_t i = 0; i < image->version_count; i++) {
        versions[i] = image_version_show(arena, image, &image->versions[i], uses);
    }
    doc_builder_init(&map, arena);
    doc_builder_put(&map, "name", doc_text(image->name, NULL));
    doc_builder_put(&map, "versions", doc_list(versions, image->version_count, NULL));
    return doc_builder_map(&map, NULL);
}

void image_list(struct service *service, struct arena *arena, const struct service_actor *actor,
                service_done *done, void *arg)
{
    struct text prefix = arena_printf(arena, "/%.*s/" IMAGE_KIND "/", TEXT_ARG(actor->tenant));
    struct map uses = image_uses(service, arena, actor->tenant);
    struct doc *items = arena_array(arena, struct doc, IMAGE_NAMES_MAX);
    struct image *image = arena_one(arena, struct image);
    struct doc_builder builder;
    size_t count = 0;
    struct doc body;

    for (const struct cache_object *object = cache_first(service->cache, prefix);
         object != NULL && count < IMAGE_NAMES_MAX;
         object = cache_next(service->cache, prefix, object)) {
        if (image_object_read(arena, object, image)) {
            items[count++] = image_show(arena, image, &uses);
        }
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "items", doc_list(items, count, NULL));
    doc_builder_put(&builder, "revision",
                    doc_int(arena, (int64_t)cache_revision(service->cache), NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(service, arena, &body, done, arg);
}

bool image_is_owned(const struct service *service, struct arena *arena, struct text tenant,
                    struct text digest)
{
    struct text prefix = arena_printf(arena, "/%.*s/" IMAGE_KIND "/", TEXT_ARG(tenant));
    struct image *image = arena_one(arena, struct image);

    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        if (!image_object_read(arena, object, image)) {
            continue;
        }
        for (size_t i = 0; i < image->version_count; i++) {
            if (text_is_equal(image->versions[i].digest, digest)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- changes ---- */

static bool image_tag_put(struct image *image, struct text name, struct text digest)
{
    for (size_t i = 0; i < image->tag_count; i++) {
        if (text_is_equal(image->tags[i].name, name)) {
            image->tags[i].digest = digest;
            return true;
        }
    }
    if (image->tag_count == IMAGE_TAGS_MAX) {
        return false;
    }
    image->tags[image->tag_count++] = (struct image_tag){ name, digest };
    return true;
}

static struct doc image_answer(struct arena *arena, const struct image *image, struct text digest,
                               bool is_new)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "digest", doc_text(digest, NULL));
    doc_builder_put(&builder, "name", doc_text(image->name, NULL));
    doc_builder_put(&builder, "new", doc_bool(is_new, NULL));
    return doc_builder_map(&builder, NULL);
}

/* Adds the version unless the image has it. False with R0320: there are too many. */
MUST_CHECK static bool image_version_add(struct image *image, const struct image_version *version,
                                         bool *out_is_new, struct err *err)
{
    *out_is_new = true;
    for (size_t i = 0; i < image->version_count; i++) {
        if (text_is_equal(image->versions[i].digest, version->digest)) {
            *out_is_new = false;
            return true;
        }
    }
    if (image->version_count == IMAGE_VERSIONS_MAX) {
        err_set(err, CODE_R0320, "image '%.*s' already has %d versions", TEXT_ARG(image->name),
                IMAGE_VERSIONS_MAX);
        return err_hint(err, "reeve image gc %.*s removes those that nothing uses",
                        TEXT_ARG(image->name));
    }
    image->versions[image->version_count++] = *version;
    return true;
}

MUST_CHECK static bool image_push_check(const struct service *service, struct arena *arena,
                                        struct text tenant, const struct image_push *push,
                                        struct err *err)
{
    if (!check_object_name(push->name, err)) {
        return false;
    }
    if (push->tag.length > 0 && !image_is_tag(push->tag)) {
        return err_set(err, CODE_R0426, "'%.*s' is not a tag: letters, digits and -_.",
                       TEXT_ARG(push->tag));
    }
    return cache_find(service->cache, tenant, TEXT(IMAGE_KIND), push->name) != NULL ||
           images_count(service->cache, arena, tenant) < IMAGE_NAMES_MAX ||
           err_set(err, CODE_R0320, "the tenant already has %d images", IMAGE_NAMES_MAX);
}

void image_push(struct service *service, struct arena *arena, const struct service_actor *actor,
                const struct image_push *push, service_done *done, void *arg)
{
    struct image_request request = { .service = service, .arena = arena, .done = done, .arg = arg };
    struct image *image = arena_one(arena, struct image);
    struct image_version version = push->version;
    bool is_new;
    struct err err;

    version.at = service_now(service, arena);
    version.by = actor->user;
    if (!image_push_check(service, arena, actor->tenant, push, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (!image_read(arena, service->cache, actor->tenant, push->name, image)) {
        *image = (struct image){ .name = push->name };
    }
    if (!image_version_add(image, &version, &is_new, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (!image_tag_put(image, TEXT(IMAGE_LATEST), version.digest) ||
        (push->tag.length > 0 && !image_tag_put(image, push->tag, version.digest))) {
        err_set(&err, CODE_R0320, "image '%.*s' already has %d tags", TEXT_ARG(image->name),
                IMAGE_TAGS_MAX);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    request.answer = image_answer(arena, image, version.digest, is_new);
    image_write(
        &request, actor, image, "image.pushed",
        arena_printf(arena, "%.*s@sha256:%.*s", TEXT_ARG(image->name), TEXT_ARG(version.digest)));
}

/* Finds the version of a reference in the image that it names. */
MUST_CHECK static bool image_find(const struct service *service, struct arena *arena,
                                  struct text tenant, struct text reference, struct image *image,
                                  struct image_version *version, struct err *err)
{
    struct image_reference parsed;

    return image_resolve(arena, service->cache, tenant, reference, version, err) &&
           image_reference_parse(reference, &parsed, err) &&
           image_read(arena, service->cache, tenant, parsed.name, image);
}

void image_tag_set(struct service *service, struct arena *arena, const struct service_actor *actor,
                   struct text reference, struct text tag, service_done *done, void *arg)
{
    struct image_request request = { .service = service, .arena = arena, .done = done, .arg = arg };
    struct image *image = arena_one(arena, struct image);
    struct image_version version;
    struct err err;

    if (!image_is_tag(tag)) {
        err_set(&err, CODE_R0426, "'%.*s' is not a tag: letters, digits and -_.",
                TEXT_ARG(text_slice(tag, 0, 63)));
    } else if (image_find(service, arena, actor->tenant, reference, image, &version, &err)) {
        if (image_tag_put(image, tag, version.digest)) {
            request.answer = image_answer(arena, image, version.digest, false);
            image_write(&request, actor, image, "image.tagged",
                        arena_printf(arena, "%.*s:%.*s is sha256:%.*s", TEXT_ARG(image->name),
                                     TEXT_ARG(tag), TEXT_ARG(version.digest)));
            return;
        }
        err_set(&err, CODE_R0320, "image '%.*s' already has %d tags", TEXT_ARG(image->name),
                IMAGE_TAGS_MAX);
    }
    service_refuse(service, arena, &err, done, arg);
}

/* True if a tag names the version. `latest` does not count if no version is to be kept. */
static bool image_is_tagged(const struct image *image, struct text digest, uint64_t keep)
{
    for (size_t i = 0; i < image->tag_count; i++) {
        if (text_is_equal(image->tags[i].digest, digest) &&
            (keep > 0 || !text_is(image->tags[i].name, IMAGE_LATEST))) {
            return true;
        }
    }
    return false;
}

/* Removes the versions that nothing needs, and the tag `latest` of a removed one. Returns their
 * digests. */
static struct doc image_sweep(struct arena *arena, struct image *image, uint64_t keep,
                              const struct map *uses)
{
    struct doc *removed = arena_array(arena, struct doc, image->version_count);
    size_t count = 0;
    size_t left = 0;
    size_t tags = 0;

    for (size_t i = 0; i < image->version_count; i++) {
        struct image_version version = image->versions[i];

        if (i + keep >= image->version_count || image_is_tagged(image, version.digest, keep) ||
            map_find(uses, version.digest) != NULL) {
            image->versions[left++] = version;
        } else {
            removed[count++] = doc_text(version.digest, NULL);
        }
    }
    image->version_count = left;
    for (size_t i = 0; i < image->tag_count; i++) {
        bool is_kept = false;

        for (size_t j = 0; j < left; j++) {
            is_kept = is_kept || text_is_equal(image->versions[j].digest, image->tags[i].digest);
        }
        if (is_kept) {
            image->tags[tags++] = image->tags[i];
        }
    }
    image->tag_count = tags;
    return doc_list(removed, count, NULL);
}

void image_gc(struct service *service, struct arena *arena, const struct service_actor *actor,
              struct text name, uint64_t keep, bool is_dry, service_done *done, void *arg)
{
    struct image_request request = { .service = service, .arena = arena, .done = done, .arg = arg };
    struct image *image = arena_one(arena, struct image);
    struct image_version unused;
    struct doc_builder builder;
    struct map uses;
    struct doc removed;
    struct err err;

    if (!image_read(arena, service->cache, actor->tenant, name, image)) {
        if (image_resolve(arena, service->cache, actor->tenant, name, &unused, &err)) {
            err_set(&err, CODE_R0426, "name the image without a tag or a digest");
        }
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    uses = image_uses(service, arena, actor->tenant);
    removed = image_sweep(arena, image, keep, &uses);
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "name", doc_text(image->name, NULL));
    doc_builder_put(&builder, "removed", removed);
    request.answer = doc_builder_map(&builder, NULL);
    if (is_dry || removed.item_count == 0) {
        service_report(service, arena, &request.answer, done, arg);
        return;
    }
    image_write(
        &request, actor, image, "image.removed",
        arena_printf(arena, "%zu versions of %.*s", removed.item_count, TEXT_ARG(image->name)));
}
