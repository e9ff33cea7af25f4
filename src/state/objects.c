#include "state/objects.h"

#include "base/limits.h"
#include "base/sort.h"
#include "codec/json_member.h"
#include "model/nest.h"
#include "state/batches.h"

#include <assert.h>
#include <string.h>

const struct schema_kind *objects_kind(const char *name)
{
    const struct schema_kind *kind = schema_kind_find(text_from(name));

    assert(kind != NULL);
    return kind;
}

struct text objects_group_id(struct arena *arena, struct text cluster_id, struct text path)
{
    return arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster_id), TEXT_ARG(path));
}

struct text objects_key(struct arena *arena, struct text tenant, struct text kind, struct text id,
                        enum cache_part part)
{
    static const char *const parts[CACHE_PART_COUNT] = { "spec", "status", "base" };

    assert(part < CACHE_PART_COUNT && tenant.length > 0 && id.length > 0);
    return arena_printf(arena, "/%.*s/%.*s/%.*s/%s", TEXT_ARG(tenant), TEXT_ARG(kind), TEXT_ARG(id),
                        parts[part]);
}

bool objects_group_is_below(struct text path, struct text outer)
{
    return outer.length == 0 || text_is_equal(path, outer) ||
           (text_has_prefix(path, outer) && path.data[outer.length] == '/');
}

static bool has_spec(const struct cache_object *object)
{
    return object != NULL && object->parts[CACHE_SPEC].bytes != NULL;
}

/* Join two texts in `room`. Returns an empty text if the result is longer than any key. */
static struct text objects_ids_join(char room[static LIMIT_STORE_KEY_BYTES], struct text head,
                                    struct text tail)
{
    if (head.length + tail.length > LIMIT_STORE_KEY_BYTES) {
        return TEXT("");
    }
    memcpy(room, head.data, head.length);
    if (tail.length > 0) {
        memcpy(room + head.length, tail.data, tail.length);
    }
    return (struct text){ room, head.length + tail.length };
}

/* Return the id of the cluster with this name or id; empty if there is none. */
static struct text cluster_id_find(const struct cache *cache, struct text tenant, struct text name)
{
    char key[LIMIT_STORE_KEY_BYTES];
    const struct cache_object *entry;
    const struct cache_object *object;
    struct text id = objects_ids_join(key, TEXT("Cluster/"), name);

    if (id.length == 0) {
        return TEXT("");
    }
    entry = cache_find(cache, tenant, TEXT("Name"), id);
    if (entry != NULL && entry->parts[CACHE_BASE].bytes != NULL) {
        return blob_text(entry->parts[CACHE_BASE].bytes);
    }
    object = cache_find(cache, tenant, TEXT("Cluster"), name);
    return has_spec(object) ? cache_id(object) : TEXT("");
}

static const struct cache_object *objects_group_find(const struct cache *cache, struct text tenant,
                                                     struct text name)
{
    size_t slash = text_find_byte(name, '/');
    struct text cluster = text_slice(name, 0, slash);
    struct text path = slash == SIZE_MAX ? TEXT("") : text_slice(name, slash, name.length);
    struct text id = cluster_id_find(cache, tenant, cluster);
    char key[LIMIT_STORE_KEY_BYTES];

    if (id.length == 0 || path.length <= 1) { /* the path has at least a slash and one character */
        return NULL;
    }
    id = objects_ids_join(key, id, path);
    return id.length == 0 ? NULL : cache_find(cache, tenant, TEXT("NodeGroup"), id);
}

const struct cache_object *objects_find(const struct cache *cache, struct text tenant,
                                        const struct schema_kind *kind, struct text name)
{
    const struct cache_object *object = NULL;

    if (name.length == 0 || text_find_byte(name, '\0') != SIZE_MAX) {
        return NULL;
    }
    if (kind->owner == OWNER_CLUSTER) {
        struct text id = cluster_id_find(cache, tenant, name);

        object = id.length == 0 ? NULL : cache_find(cache, tenant, TEXT("Cluster"), id);
    } else if (kind->owner == OWNER_NODEGROUP) {
        object = objects_group_find(cache, tenant, name);
    } else {
        object = cache_find(cache, tenant, text_from(kind->name), name);
    }
    return has_spec(object) ? object : NULL;
}

struct text objects_group_prefix(struct arena *arena, struct text tenant, struct text cluster_id)
{
    return arena_printf(arena, "/%.*s/NodeGroup/%.*s/", TEXT_ARG(tenant), TEXT_ARG(cluster_id));
}

struct text objects_group_path(const struct cache_object *group)
{
    size_t slash = text_find_byte(cache_id(group), '/');

    assert(slash != SIZE_MAX);
    return text_slice(cache_id(group), slash + 1, cache_id(group).length);
}

static struct text objects_bytes_of(const struct cache_object *object, enum cache_part part)
{
    return object->parts[part].bytes == NULL ? TEXT("") : blob_text(object->parts[part].bytes);
}

/* Parses a part of an object. The bytes are copied, because they are valid only until the callback
 * returns. */
MUST_CHECK static bool objects_part_read(struct arena *arena, const struct cache_object *object,
                                         enum origin_kind kind, struct stored_part *out,
                                         struct err *err)
{
    struct origin *origin = arena_one(arena, struct origin);

    origin->kind = kind;
    return stored_part_parse(arena, arena_text(arena, objects_bytes_of(object, CACHE_SPEC)),
                             arena_text(arena, objects_bytes_of(object, CACHE_BASE)), origin, out,
                             err);
}

static const struct origin *objects_origin_give(const struct origin *origin, void *arg)
{
    (void)origin;
    return arg;
}

/* Sets the origin of the values in `defaults`, so that they are not attributed to the cluster
 * itself. */
static void defaults_stamp(struct arena *arena, struct doc *doc)
{
    const struct doc *defaults = doc_child(doc, "defaults");

    if (doc_is_map(defaults)) {
        struct origin *origin = arena_one(arena, struct origin);

        origin->kind = ORIGIN_DEFAULTS;
        *doc = nest_put(arena, doc, "defaults",
                        doc_with_origins(arena, defaults, objects_origin_give, origin));
    }
}

static int objects_group_sort(const void *a, const void *b, void *arg)
{
    (void)arg;
    return nest_compare(((const struct stored_group *)a)->path,
                        ((const struct stored_group *)b)->path);
}

MUST_CHECK static bool objects_group_read(struct arena *arena, const struct cache_object *group,
                                          struct stored_object *out, struct err *err)
{
    struct stored_group *stored = &out->groups[out->group_count];

    if (!has_spec(group)) {
        return true;
    }
    if (!objects_part_read(arena, group, ORIGIN_GROUP, &stored->part, err)) {
        return err_note(err, "key %.*s", TEXT_ARG(blob_text(group->key)));
    }
    stored->path = arena_text(arena, objects_group_path(group));
    out->group_count++;
    return true;
}

MUST_CHECK static bool objects_groups_read(struct arena *arena, const struct cache *cache,
                                           const struct cache_object *cluster,
                                           struct stored_object *out, struct err *err)
{
    struct text prefix = objects_group_prefix(arena, cache_tenant(cluster), cache_id(cluster));
    const struct cache_object *group;
    size_t count = 0;

    for (group = cache_first(cache, prefix); group != NULL;
         group = cache_next(cache, prefix, group)) {
        count++;
    }
    out->groups = arena_array(arena, struct stored_group, count);
    for (group = cache_first(cache, prefix); group != NULL;
         group = cache_next(cache, prefix, group)) {
        if (!objects_group_read(arena, group, out, err)) {
            return false;
        }
    }
    return true;
}

MUST_CHECK static bool own_read(struct arena *arena, const struct cache_object *object,
                                struct stored_object *read, struct err *err)
{
    /* In a damaged store an object may exist without its specification. */
    if (!has_spec(object)) {
        err_set(err, CODE_R0541, "the specification of %.*s is not in the store",
                TEXT_ARG(blob_text(object->key)));
        return err_hint(err, "reeve doctor lists the lost data; restore a backup");
    }
    if (!objects_part_read(arena, object, ORIGIN_FILE, &read->part, err)) {
        return err_note(err, "key %.*s", TEXT_ARG(blob_text(object->key)));
    }
    defaults_stamp(arena, &read->part.own);
    return true;
}

bool objects_read_some(struct arena *arena, const struct cache *cache,
                       const struct cache_object *object, const struct text *paths, size_t count,
                       struct stored_object *out, struct err *err)
{
    struct stored_object read = { .kind = objects_kind("Cluster") };

    if (!own_read(arena, object, &read, err)) {
        return false;
    }
    read.groups = arena_array(arena, struct stored_group, count);
    for (size_t i = 0; i < count; i++) {
        struct text id = objects_group_id(arena, cache_id(object), paths[i]);
        const struct cache_object *group =
            cache_find(cache, cache_tenant(object), TEXT("NodeGroup"), id);

        if (!objects_group_read(arena, group, &read, err)) {
            return false;
        }
    }
    sort_stable(arena, read.groups, read.group_count, sizeof(*read.groups), objects_group_sort,
                NULL);
    *out = read;
    return true;
}

bool objects_read(struct arena *arena, const struct cache *cache, const struct schema_kind *kind,
                  const struct cache_object *object, struct stored_object *out, struct err *err)
{
    struct stored_object read = { .kind = kind };

    if (!own_read(arena, object, &read, err) ||
        (kind->owner == OWNER_CLUSTER && !objects_groups_read(arena, cache, object, &read, err))) {
        return false;
    }
    sort_stable(arena, read.groups, read.group_count, sizeof(*read.groups), objects_group_sort,
                NULL);
    *out = read;
    return true;
}

struct text objects_cluster_name(const struct cache *cache, struct arena *arena, struct text tenant,
                                 struct text id)
{
    const struct cache_object *object = cache_find(cache, tenant, TEXT("Cluster"), id);
    struct stored_part part;
    struct err err;

    if (object == NULL || object->parts[CACHE_SPEC].bytes == NULL ||
        !stored_part_parse(arena, blob_text(object->parts[CACHE_SPEC].bytes), TEXT(""), NULL, &part,
                           &err)) {
        return TEXT("");
    }
    return arena_text(arena, part.meta.name);
}

static bool has_member(const struct cache_object *job, const char *name)
{
    const struct cache_bytes *status = &job->parts[CACHE_STATUS];
    struct text value;

    return status->bytes != NULL &&
           json_member_find(blob_text(status->bytes), text_from(name), &value);
}

bool objects_is_change(const struct cache_object *job)
{
    return !has_member(job, BATCHES_VERB);
}

int64_t objects_job_ended(const struct cache_object *job)
{
    const struct cache_bytes *status = &job->parts[CACHE_STATUS];
    int64_t ended_ms = 0;
    struct text value;

    return status->bytes != NULL &&
                   json_member_find(blob_text(status->bytes), TEXT("ended"), &value) &&
                   text_parse_int64(value, &ended_ms)
               ? ended_ms
               : 0;
}

const struct cache_object *objects_job_of(const struct cache *cache, struct arena *arena,
                                          struct text prefix, struct text request)
{
    struct text quoted = arena_printf(arena, "\"%.*s\"", TEXT_ARG(request));
    const struct cache_object *row = cache_first(cache, prefix);

    for (; row != NULL; row = cache_next(cache, prefix, row)) {
        struct text progress;
        struct text value;

        if (!objects_is_change(row) &&
            json_member_find(blob_text(row->parts[CACHE_STATUS].bytes), TEXT("progress"),
                             &progress) &&
            json_member_find(progress, TEXT("request"), &value) && text_is_equal(value, quoted)) {
            return row;
        }
    }
    return NULL;
}

bool objects_author_find(struct arena *arena, const struct cache *cache, struct text tenant,
                         struct text cluster_id, uint64_t revision, struct stored_meta *out)
{
    static const char *const kinds[] = { "Cluster", "NodeGroup" };
    struct stored_part part;
    struct err err;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct text prefix =
            arena_printf(arena, "/%.*s/%s/%.*s", TEXT_ARG(tenant), kinds[i], TEXT_ARG(cluster_id));

        for (const struct cache_object *row = cache_first(cache, prefix); row != NULL;
             row = cache_next(cache, prefix, row)) {
            const struct cache_bytes *spec = &row->parts[CACHE_SPEC];

            if (spec->bytes != NULL && spec->revision == revision &&
                stored_part_parse(arena, arena_text(arena, blob_text(spec->bytes)), TEXT(""), NULL,
                                  &part, &err)) {
                *out = part.meta;
                return true;
            }
        }
    }
    return false;
}
