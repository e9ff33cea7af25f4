#ifndef REEVE_RECORDS_BUNDLE_OWNER_H
#define REEVE_RECORDS_BUNDLE_OWNER_H

#include "state/cache.h"

/* Ownership of bundles. All bundles are in one place under the digest of their bytes. Without
 * ownership, a user who knows a digest could run and read another tenant's bundle on their own
 * machines. So a tenant may use only the bundles that it has uploaded itself, or that an admin of
 * all tenants has shared with it:
 *
 *     /TENANT/Bundle/DIGEST/base     {"at","by"}
 *
 * A bundle that was uploaded by a version of reeve without this rule has no such record in any
 * tenant, so every tenant may use it. */
#define BUNDLE_OWNER_KIND "Bundle"

/* True if the tenant may use the bundle with this digest. Does not check that the bundle is
 * stored. */
bool bundle_owner_may_use(const struct cache *cache, struct text tenant, struct text digest);

/* True if the tenant has such a record for the bundle. */
bool bundle_owner_has(const struct cache *cache, struct text tenant, struct text digest);

#endif
