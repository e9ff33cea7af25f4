#include "managers/lease.h"

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

struct text lease_session(const struct doc *lease)
{
    const struct doc *session = doc_child(lease, "session");

    return doc_is_scalar(session) ? session->text : TEXT("");
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
