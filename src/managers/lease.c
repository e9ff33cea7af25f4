#include "managers/lease.h"

#include "base/macros.h"
#include "codec/json.h"

const struct cache_object *lease_find(const struct cache *cache,
                                      const struct fleet_cluster *cluster)
{
    return cache_find(cache, cluster->tenant, TEXT("Lease"), cluster->id);
}

const struct doc *lease_read(struct arena *arena, const struct cache_object *lease)
{
    struct doc *doc = arena_one(arena, struct doc);
    struct err err;

    return lease != NULL && lease->parts[CACHE_STATUS].bytes != NULL &&
                   json_parse(arena, blob_text(lease->parts[CACHE_STATUS].bytes), NULL, doc, &err)
               ? doc
               : NULL;
}

static struct text lease_child(const struct doc *lease, const char *name)
{
    const struct doc *child = doc_child(lease, name);

    return doc_is_scalar(child) ? child->text : TEXT("");
}

struct text lease_session(const struct doc *lease)
{
    return lease_child(lease, "session");
}

struct text lease_format(struct arena *arena, int64_t ahead, struct text clock, struct text manager,
                         struct text session)
{
    struct text holder = manager.length == 0
                             ? TEXT("")
                             : arena_printf(arena, "\"manager\":\"%.*s\",", TEXT_ARG(manager));

    return arena_printf(arena, "{\"ahead\":%lld,\"clock\":\"%.*s\",%.*s\"session\":\"%.*s\"}",
                        (long long)ahead, TEXT_ARG(clock), TEXT_ARG(holder), TEXT_ARG(session));
}

static bool is_host_plugin(struct text plugin)
{
    static const char *const names[] = { "file", "libvirt", "local", "sim" };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (text_is(plugin, names[i])) {
            return true;
        }
    }
    return false;
}

bool lease_is_bound_elsewhere(const struct fleet_cluster *cluster, const struct doc *lease,
                              struct text manager)
{
    struct text holder = lease == NULL ? TEXT("") : lease_child(lease, "manager");

    if (manager.length == 0 || holder.length == 0 || text_is_equal(holder, manager)) {
        return false;
    }
    for (size_t i = 0; i < cluster->count; i++) {
        if (is_host_plugin(fleet_machine_plugin(cluster->machines[i]))) {
            return true;
        }
    }
    return false;
}

bool lease_is_named(const struct cache *cache, struct fleet *fleet, struct text session)
{
    struct fleet_cluster *cluster = NULL;

    while ((cluster = fleet_next(fleet, cluster)) != NULL) {
        AUTO(arena) arena = arena_new_small(SIZE_MAX);

        if ((cluster->is_there || cluster->count > 0) &&
            text_is_equal(lease_session(lease_read(arena, lease_find(cache, cluster))), session)) {
            return true;
        }
    }
    return false;
}
