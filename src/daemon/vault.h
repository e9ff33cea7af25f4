#ifndef REEVE_DAEMON_VAULT_H
#define REEVE_DAEMON_VAULT_H

#include "api/api.h"
#include "access/reach.h"
#include "provider/hosted.h"
#include "sys/clock.h"
#include "sys/log.h"

/* private to src/daemon */

/* The secrets of this manager (docs/decisions/0044). The stored form is
 *
 *     /TENANT/Secret/NAME/spec           the object that people see: no value, a digest of it, the
 *                                        id of the key
 *     /TENANT/Sealed/NAME.DIGEST/base    {"at":MS,"sealed":"1.KEYID..."}, shown by no route
 *
 * A value is written before the object that names it, so that an object always has one; what no
 * object names any more is swept. The key is in a file outside of the store. It is made with the
 * first secret; without it everything but secrets goes on. */
struct vault;

struct vault_options {
    struct store *store;
    struct cache *cache;
    struct clock clock;
    struct log *log;
    const char *data; /* folder of the store; the key is beside it */
    const char *key;  /* file of the key; NULL: DATA.key */
    bool is_reader;   /* makes no key and writes nothing */
};

/* Make it. A key that exists and cannot be used is reported in the log, and again to each request
 * that needs it. */
struct vault *vault_open(const struct vault_options *options);

/* NULL is allowed. */
void vault_close(struct vault *vault);

/* Where the API puts values, and plugins get them from. */
struct api_vault vault_api(struct vault *vault);
struct hosted_vault vault_hosted(struct vault *vault);

/* Where logins get the private keys that groups name (sshKeySecret). R0667: there is no such
 * secret, R0672: it is not a key. */
struct reach_keys vault_keys(struct vault *vault);

/* The accounts of a tenant, the first LIMIT_ACCOUNTS_SHOWN: [{name, plugin, sha256, problem, fix}];
 * problem is why the credential of one cannot be had. */
struct doc vault_accounts_doc(struct vault *vault, struct arena *arena, struct text tenant);

/* Remove values that no secret names any more, a bounded number; to be called every few minutes. */
void vault_sweep(struct vault *vault);

/* Seal every value that is in the cache under the key in this file, which is made where it is not
 * there, and put it into the store: one transaction each, so that it may be ended and begun again
 * at any time. `turn` lets the store go on. The manager is given the new file afterwards. */
MUST_CHECK bool vault_rewrap(struct vault *vault, const char *path, void (*turn)(void *arg),
                             void *arg, size_t *out_count, struct err *err);

#endif
