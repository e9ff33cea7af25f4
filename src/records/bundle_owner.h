#ifndef REEVE_RECORDS_BUNDLE_OWNER_H
#define REEVE_RECORDS_BUNDLE_OWNER_H

#include "state/cache.h"

/* Whose bundles are whose. All lie in one place, by the digest of their bytes, and whoever knows a digest could have another tenant's
 * bundle run on own machines, and read it there. So a tenant may use those alone that it has sent itself, or that an admin of every
 * tenant has shared with it:
 *
 *     /TENANT/Bundle/DIGEST/base     {"at","by"}
 *
 * A bundle from before this has no such record in any tenant: it is everybody's, as it was. */
#define BUNDLE_OWNER_KIND "Bundle"

/* May a tenant use the bundle with this digest? Whether it is kept is another question. */
bool bundle_owner_may_use(const struct cache *cache, struct text tenant, struct text digest);

/* Has it such a record? */
bool bundle_owner_has(const struct cache *cache, struct text tenant, struct text digest);

#endif
