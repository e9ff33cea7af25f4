#ifndef REEVE_ACCESS_KEY_RING_H
#define REEVE_ACCESS_KEY_RING_H

#include "base/macros.h"
#include "state/cache.h"
#include "state/store.h"

/* public names start with: key_ring_ */

/* The keys that seal values in the store. Their files are outside the store, one of each kind on
 * every manager (docs/spec/MANAGERS.md section 6, docs/decisions/0160). The store has the ids:
 *
 *     /_/KeyRing/secrets/base    {"current":ID}
 *     /_/KeyRing/signer/base
 *
 * The id is stored by the transaction that stores the first value under the key. So if two managers
 * generate a key at the same time, only one of the keys is used: the other transaction is rejected.
 * A store of an earlier version has no such objects; its sealed values have the id of their key. */

enum key_ring_kind { KEY_RING_SECRETS, KEY_RING_SIGNER, KEY_RING_KINDS };

/* Returns "secrets" or "signer". */
const char *key_ring_name(enum key_ring_kind kind);

/* Returns the id of the key with which values of the store are sealed; empty: no value is sealed
 * yet. The id lives in the arena. */
struct text key_ring_current(struct arena *arena, struct cache *cache, enum key_ring_kind kind);

/* Additions to a transaction that seals a value. */
struct key_ring_use {
    struct store_compare compare; /* compare: the id has not changed since */
    struct store_op op;
    bool has_op; /* put: the store does not have this id yet */
};

/* Prepares the use of the key with this id. Texts live in the arena. Fails with R0673 if values of
 * the store are sealed with another key. If no sealed value is left, this key replaces the previous
 * one, which may be lost. */
MUST_CHECK bool key_ring_use(struct arena *arena, struct cache *cache, enum key_ring_kind kind,
                             struct text id, struct key_ring_use *out, struct err *err);

/* Returns the write that makes the key with this id the current one. It belongs into a transaction
 * that follows after all values were sealed with this key. A write without a key: the store keeps
 * no id. It lives in the arena. */
struct store_op key_ring_replace(struct arena *arena, struct cache *cache, enum key_ring_kind kind,
                                 struct text id);

/* The state of a key at a manager. */
struct key_ring_own {
    bool is_there;  /* the file of the key exists */
    struct text id; /* id of the key; empty: still unknown */
};

/* Returns the key that a manager lacks: "secrets 1a2b3c4d". Empty: no missing key is known. The
 * text lives in the arena. */
struct text key_ring_missing(struct arena *arena, struct cache *cache, enum key_ring_kind kind,
                             const struct key_ring_own *own);

/* Kind of the objects with which a host gets the keys of another host (daemon/maintenance.h). */
#define KEY_RING_TOKEN_KIND "JoinToken"

/* Removes an expired object of this kind. Call it every few minutes. */
void key_ring_sweep(struct cache *cache, struct store *store, int64_t wall_ms);

#endif
