#ifndef REEVE_VAULT_VAULT_H
#define REEVE_VAULT_VAULT_H

#include "api/api.h"
#include "access/key_ring.h"
#include "access/reach.h"
#include "provider/hosted.h"
#include "sys/clock.h"
#include "sys/log.h"

/* The secrets of this manager (docs/decisions/0044). The stored form is
 *
 *     /TENANT/Secret/NAME/spec           the visible object: the digest of the value, and the id of
 *                                        the key
 *     /TENANT/Sealed/NAME.DIGEST/base    {"at":MS,"sealed":"1.KEYID..."}, which no route returns
 *
 * A value is written before the object that refers to it, so that every object has its value.
 * Values to which no object refers any more are removed. The key is in a file outside the store,
 * which is created with the first secret. If the key is missing, everything except secrets
 * works. */
struct vault;

struct vault_options {
    struct store *store;
    struct cache *cache;
    struct clock clock;
    struct log *log;
    const char *data; /* folder of the store; the key file is beside it */
    const char *key;  /* file with the key; NULL: DATA.key */
    bool is_reader;   /* read-only: creates no key and writes nothing */
};

/* Creates the vault. If an existing key is not usable, this is logged, and each request that needs
 * the key fails. */
struct vault *vault_open(const struct vault_options *options);

/* Frees the vault. NULL is allowed. */
void vault_close(struct vault *vault);

/* vault_api returns the port through which the API stores values. vault_hosted returns the port
 * through which plugins read them. */
struct api_vault vault_api(struct vault *vault);
struct hosted_vault vault_hosted(struct vault *vault);

/* Returns the port through which logins read the private keys of groups (sshKeySecret). It fails
 * with R0667 if the secret does not exist, and with R0672 if the secret is not a key. */
struct reach_keys vault_keys(struct vault *vault);

/* Reads the value of a secret that the manager's configuration names. `arg` is the vault. Fails
 * with R0667. */
MUST_CHECK bool vault_reveal(void *arg, struct text tenant, struct text name, char *out,
                             size_t *out_length, struct err *err);

/* Returns the state of the vault's key on this manager. */
struct key_ring_own vault_own_key(const struct vault *vault);

/* Returns the first LIMIT_ACCOUNTS_SHOWN accounts of a tenant: [{name, plugin, sha256, problem,
 * fix}]. `problem` is the reason why the account's credential is not available. */
struct doc vault_accounts_doc(struct vault *vault, struct arena *arena, struct text tenant);

/* Removes a limited number of values to which no secret refers any more. Call it every few
 * minutes. */
void vault_sweep(struct vault *vault);

/* Seals every value in the cache with the key in the file at `path`, which is created if it is
 * missing, and stores the result. Each value has a separate transaction, so the operation can be
 * interrupted and repeated at any time. `turn` is called to let the store continue. Afterwards the
 * manager must be configured to use the new file. */
MUST_CHECK bool vault_rewrap(struct vault *vault, const char *path, void (*turn)(void *arg),
                             void *arg, size_t *out_count, struct err *err);

#endif
