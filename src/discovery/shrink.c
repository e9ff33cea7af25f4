#include "discovery/shrink.h"

/* public names start with: shrink_ */

uint64_t shrink_alive(const struct service *service, struct arena *arena,
                      const struct shrink_group *group)
{
    const struct cache *cache = service->cache;
    struct text prefix = arena_printf(arena, "/%.*s/Resource/%.*s/", TEXT_ARG(group->tenant),
                                      TEXT_ARG(group->cluster));
    uint64_t alive = 0;

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct arena_mark mark = arena_mark(arena);
        struct record record;
        struct err err;

        alive += object->parts[CACHE_STATUS].bytes != NULL &&
                 record_parse(arena, cache_id(object), blob_text(object->parts[CACHE_STATUS].bytes),
                              &record, &err) &&
                 record.plan.state != PLAN_RECORD_DELETE &&
                 text_is_equal(record.plan.group, group->path);
        arena_rewind(arena, mark);
    }
    return alive;
}

bool shrink_size_find(const struct service *service, struct arena *arena,
                      const struct shrink_group *group, uint64_t *out_size, uint64_t *out_revision)
{
    const struct cache *cache = service->cache;
    const struct cache_object *object =
        cache_find(cache, group->tenant, TEXT("NodeGroup"),
                   objects_group_id(arena, group->cluster, group->path));
    const struct cache_object *cluster =
        cache_find(cache, group->tenant, TEXT("Cluster"), group->cluster);
    struct fleet_cluster groups = { .memory = arena };
    struct stored_object stored;
    struct err err;

    if (object == NULL || cluster == NULL ||
        !objects_read_some(arena, cache, cluster, &group->path, 1, &stored, &err) ||
        !fleet_groups_read(arena, &stored, &groups)) {
        return false;
    }
    for (size_t i = 0; i < groups.group_count; i++) {
        if (text_is_equal(groups.groups[i].plan.path, group->path)) {
            *out_size = groups.groups[i].plan.size;
            *out_revision = object->parts[CACHE_SPEC].revision;
            return true;
        }
    }
    return false;
}

struct service_patch *shrink_patch_make(const struct service *service, struct arena *arena,
                                        const struct shrink_group *group, uint64_t size,
                                        uint64_t revision)
{
    struct service_patch *patch = arena_one(arena, struct service_patch);
    struct doc *doc = arena_one(arena, struct doc);
    struct text cluster =
        objects_cluster_name(service->cache, arena, group->tenant, group->cluster);
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "size", doc_int(arena, (int64_t)size, NULL));
    *doc = doc_builder_map(&builder, NULL);
    *patch = (struct service_patch){
        .kind = objects_kind("NodeGroup"),
        .name = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(group->path)),
        .patch_kind = CHANGE_PATCH_MERGE,
        .patch = doc,
        /* a protected object is not changed automatically */
        .change = { .is_unpinned = true, .if_match = revision },
    };
    return patch;
}

const struct err *shrink_error_of(const struct service_answer *answer)
{
    for (size_t i = 0; answer->errors != NULL && i < answer->errors->count; i++) {
        if (answer->errors->items[i].severity == ERR_SEVERITY_ERROR) {
            return &answer->errors->items[i];
        }
    }
    return NULL;
}

bool shrink_is_passing(const struct err *err)
{
    return err_kind(err) == ERR_KIND_UNAVAILABLE || err_kind(err) == ERR_KIND_TIMEOUT ||
           err->code == CODE_R0401 || err->code == CODE_R0502;
}
