#ifndef REEVE_RECORDS_IDENTITY_H
#define REEVE_RECORDS_IDENTITY_H

#include "base/buf.h"
#include "state/cache.h"

/* Identities and their rights: tenants, users, tokens, grants. They are ordinary objects, but
 * belong to the system's own tenant, so that no request of another tenant can access their keys:
 *
 *     /_/Tenant/TENANT            a tenant; `default` exists without a record
 *     /_/User/TENANT/USER         a user, of one tenant
 *     /_/Token/SHA256             a token, by its hash; its id is the first IDENTITY_TOKEN_ID signs
 *     /_/Grant/TENANT/USER/ID     a right of a user, in one tenant or (everywhere) in all
 *
 * each followed by /spec. */

#define IDENTITY_TENANT_DEFAULT "default"

enum { IDENTITY_TOKEN_ID = 16 };

enum identity_kind {
    IDENTITY_TENANT,
    IDENTITY_USER,
    IDENTITY_TOKEN,
    IDENTITY_GRANT,
    IDENTITY_KIND_COUNT,
};

/* The use of a token. A page token is in the cookie of a browser and is valid only in a cookie. */
enum identity_use { IDENTITY_PROGRAM, IDENTITY_PAGE };

/* An authenticated user or session. */
struct identity {
    struct text tenant; /* tenant of the user */
    struct text user;
    enum identity_use use;
    bool is_owner; /* The Unix socket authenticated the session. It has no user and all rights. */
};

/* One right of an identity. Lives in the arena. */
struct identity_grant {
    struct text role; /* viewer, operator, admin */
    /* name of the only cluster to which the right applies; empty: the whole tenant */
    struct text cluster;
    /* Path of the only group to which the right applies, including the groups below it; empty: the
     * whole cluster. */
    struct text nodegroup;
    bool is_everywhere; /* the grant applies in all tenants */
};

/* Return the name of a kind: "Tenant", "User", ... */
const char *identity_kind_name(enum identity_kind kind);

/* Find the identity whose token has this hash. Returns false if there is no such token, or if the
 * token is no longer valid. */
bool identity_find_token(struct arena *arena, const struct cache *cache, struct text hash,
                         int64_t now_ms, struct identity *out);

/* Return the id of the token whose revocation ends a session and all sessions made from the same
 * token: the token from which the session was made, or else the session's own token. Empty if the
 * session has no token. */
struct text identity_parent(struct arena *arena, const struct cache *cache, struct text hash);

/* Sets *out_end to the latest time at which the token with this hash is valid (RFC 3339). That is
 * the earliest end among the token and the tokens from which it was made, directly or indirectly;
 * empty: none of them expires. Returns the number of these tokens, including the token
 * itself. */
size_t identity_token_end(struct arena *arena, const struct cache *cache, struct text hash,
                          struct text *out_end);

/* Find all rights of an identity. Returns their number; they live in the arena. */
size_t identity_grants(struct arena *arena, const struct cache *cache,
                       const struct identity *identity, struct identity_grant **out);

/* True if this tenant exists. */
bool identity_has_tenant(const struct cache *cache, struct text tenant);

/* Find a record by its id, which is the part of the key after /_/KIND/. Returns the object of the
 * cache, NULL if there is none. */
const struct cache_object *identity_find(const struct cache *cache, enum identity_kind kind,
                                         struct text id);

/* identity_first returns the first record whose id has this prefix, identity_next the record that
 * follows `object`. NULL: there is none. */
const struct cache_object *identity_first(struct arena *arena, const struct cache *cache,
                                          enum identity_kind kind, struct text id_prefix);
const struct cache_object *identity_next(struct arena *arena, const struct cache *cache,
                                         enum identity_kind kind, struct text id_prefix,
                                         const struct cache_object *object);

/* True if a tenant has no objects and no users. */
bool identity_is_empty(struct arena *arena, const struct cache *cache, struct text tenant);

/* A record to be written, together with its event. If the value is empty, the record is deleted. */
struct identity_write {
    enum identity_kind kind;
    struct text id;
    struct text value;
    uint64_t revision;                 /* its current revision; 0: the record must not exist */
    const struct cache_object *needed; /* an object that must be unchanged; NULL: none */
    /* objects that are deleted with it, at most LIMIT_IDENTITY_GONE */
    const struct cache_object *const *gone;
    size_t gone_count;
    struct text mark; /* key of the marker by which a repeated request is recognized; empty: none */
    struct text mark_value;
    struct text tenant; /* tenant of the event */
    struct text actor;
    struct text name; /* name of the operator in the event, for display */
    int64_t now_ms;
};

/* Write the record and its event in one transaction. */
void identity_write(struct arena *arena, struct store *store, const struct identity_write *write,
                    store_done *done, void *arg);

#endif
