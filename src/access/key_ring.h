#ifndef REEVE_ACCESS_KEY_RING_H
#define REEVE_ACCESS_KEY_RING_H

#include "base/macros.h"
#include "state/cache.h"
#include "state/store.h"

/* public names start with: key_ring_ */

/* The keys that seal values in the store. Every manager has a file with each key; the files are
 * outside the store (docs/spec/MANAGERS.md section 6, docs/decisions/0160). The store has only the
 * ids of the keys:
 *
 *     /_/KeyRing/secrets/base    {"current":ID}
 *     /_/KeyRing/signer/base
 *
 * The transaction that stores the first value under a key also stores the id of the key. So if two
 * managers generate a key at the same time, one transaction is rejected, and its key is not used. A
 * store of an earlier version has no such objects; its sealed values contain the id of their
 * key. */

enum key_ring_kind { KEY_RING_SECRETS, KEY_RING_SIGNER, KEY_RING_KINDS };

/* Returns "secrets" or "signer". */
const char *key_ring_name(enum key_ring_kind kind);

/* Returns the id of the key with which values of the store are sealed; empty: no value is sealed
 * yet. The id lives in the arena. */
struct text key_ring_current(struct arena *arena, struct cache *cache, enum key_ring_kind kind);

/* What a transaction that seals a value must also compare and write. */
struct key_ring_use {
    struct store_compare compare; /* compare: the id has not changed since */
    struct store_op op;
    bool has_op; /* put: the store does not have this id yet */
};

/* Prepares the use of the key with this id. Texts live in the arena. Fails with R0673 if another
 * key seals values of the store. If the store has no sealed value, this key replaces the previous
 * key, which may have been lost. */
MUST_CHECK bool key_ring_use(struct arena *arena, struct cache *cache, enum key_ring_kind kind,
                             struct text id, struct key_ring_use *out, struct err *err);

/* Returns the write that makes the key with this id the current one. Commit it after all values
 * have been sealed with this key. If its key is empty, the store needs no write. It lives in the
 * arena. */
struct store_op key_ring_replace(struct arena *arena, struct cache *cache, enum key_ring_kind kind,
                                 struct text id);

/* The state of a key file on one manager. */
struct key_ring_own {
    bool is_there;  /* the file of the key exists */
    struct text id; /* id of the key; empty: still unknown */
};

/* Returns the kind and id of the key that a manager lacks: "secrets 1a2b3c4d". Empty: no missing
 * key is known. The text lives in the arena. */
struct text key_ring_missing(struct arena *arena, struct cache *cache, enum key_ring_kind kind,
                             const struct key_ring_own *own);

/* Kind of the objects by which a joining host receives the keys of another host
 * (daemon/maintenance.h). */
#define KEY_RING_TOKEN_KIND "JoinToken"

/* Removes at most one expired object of this kind. Call it every few minutes. */
void key_ring_sweep(struct cache *cache, struct store *store, int64_t wall_ms);

#endif
