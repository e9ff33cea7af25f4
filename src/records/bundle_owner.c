#include "records/bundle_owner.h"

#include "base/limits.h"
#include "records/identity.h"

bool bundle_owner_has(const struct cache *cache, struct text tenant, struct text digest)
{
    const struct cache_object *object = cache_find(cache, tenant, TEXT(BUNDLE_OWNER_KIND), digest);

    return object != NULL && object->parts[CACHE_BASE].bytes != NULL;
}

/* True if any tenant has a record for the bundle. */
static bool is_anybodys(const struct cache *cache, struct text digest)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

    for (const struct cache_object *object =
             identity_first(arena, cache, IDENTITY_TENANT, TEXT(""));
         object != NULL; object = identity_next(arena, cache, IDENTITY_TENANT, TEXT(""), object)) {
        if (bundle_owner_has(cache, cache_id(object), digest)) {
            return true;
        }
    }
    return bundle_owner_has(cache, TEXT(IDENTITY_TENANT_DEFAULT), digest);
}

bool bundle_owner_may_use(const struct cache *cache, struct text tenant, struct text digest)
{
    return bundle_owner_has(cache, tenant, digest) || !is_anybodys(cache, digest);
}
