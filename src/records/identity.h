#ifndef REEVE_RECORDS_IDENTITY_H
#define REEVE_RECORDS_IDENTITY_H

#include "base/buf.h"
#include "state/cache.h"

/* Who there is, and what they may: tenants, users, tokens, grants. They are objects like others, but of the
 * system's own tenant, so that nothing that a tenant can name reaches them:
 *
 *     /_/Tenant/TENANT            a tenant; `default` is there without a record
 *     /_/User/TENANT/USER         a user, at home in a tenant
 *     /_/Token/SHA256             a token, by its hash alone; the first IDENTITY_TOKEN_ID signs are its id
 *     /_/Grant/TENANT/USER/ID     what a user may, in his tenant or (everywhere) in all
 *
 * each with /spec behind it. */

#define IDENTITY_TENANT_DEFAULT "default"

enum { IDENTITY_TOKEN_ID = 16 };

enum identity_kind {
    IDENTITY_TENANT,
    IDENTITY_USER,
    IDENTITY_TOKEN,
    IDENTITY_GRANT,
    IDENTITY_KIND_COUNT,
};

/* What a token is for: one of the second sort is in the cookie of a browser, and counts nowhere else. */
enum identity_use { IDENTITY_PROGRAM, IDENTITY_PAGE };

/* Somebody who has shown who he is. */
struct identity {
    struct text tenant; /* where he is at home */
    struct text user;
    enum identity_use use;
    bool is_owner; /* a session that the socket has vouched for: of no user, and may everything */
};

/* One of his rights. Borrowed from the arena. */
struct identity_grant {
    struct text role;      /* viewer, operator, admin */
    struct text cluster;   /* only in this one, by name; empty = the whole tenant */
    struct text nodegroup; /* only at or below this path of it; empty = all of it */
    bool is_everywhere;    /* in every tenant */
};

/* "Tenant", "User", ... */
const char *identity_kind_name(enum identity_kind kind);

/* Whose token has this hash, if it still counts? */
bool identity_find_token(struct arena *arena, const struct cache *cache, struct text hash,
                         int64_t now_ms, struct identity *out);

/* The token that a session ends with, and every session made with it, by its id: what it was made with, else itself. Empty:
 * there is no such token. */
struct text identity_parent(struct arena *arena, const struct cache *cache, struct text hash);

/* When the token with this hash ends, at the latest: its own end, or that of a token that it was made with, directly or not
 * (RFC 3339; empty: none of them has an end). How many tokens that are, itself included, is returned. */
size_t identity_token_end(struct arena *arena, const struct cache *cache, struct text hash,
                          struct text *out_end);

/* Everything he may. The count is returned; they live in the arena. */
size_t identity_grants(struct arena *arena, const struct cache *cache,
                       const struct identity *identity, struct identity_grant **out);

/* Is there such a tenant? */
bool identity_has_tenant(const struct cache *cache, struct text tenant);

/* A record: its id behind /_/KIND/, and the object of the cache; NULL: there is none. */
const struct cache_object *identity_find(const struct cache *cache, enum identity_kind kind,
                                         struct text id);

/* The first record whose id begins with this, and the one behind a record. NULL at the end. */
const struct cache_object *identity_first(struct arena *arena, const struct cache *cache,
                                          enum identity_kind kind, struct text id_prefix);
const struct cache_object *identity_next(struct arena *arena, const struct cache *cache,
                                         enum identity_kind kind, struct text id_prefix,
                                         const struct cache_object *object);

/* Does a tenant have anything in it: objects, users? */
bool identity_is_empty(struct arena *arena, const struct cache *cache, struct text tenant);

/* A record to write, or (value empty) to delete, with the event that tells it. */
struct identity_write {
    enum identity_kind kind;
    struct text id;
    struct text value;
    uint64_t revision;                      /* that it has now; 0: it must not be there */
    const struct cache_object *needed;      /* must still be as it is; NULL = nothing */
    const struct cache_object *const *gone; /* go with it, at most LIMIT_IDENTITY_GONE */
    size_t gone_count;
    struct text mark; /* key of the mark of a request that may be repeated; empty: none */
    struct text mark_value;
    struct text tenant; /* whose event it is */
    struct text actor;
    struct text name; /* for people, in the event */
    int64_t now_ms;
};

/* Write it, with its event, in one transaction. */
void identity_write(struct arena *arena, struct store *store, const struct identity_write *write,
                    store_done *done, void *arg);

#endif
