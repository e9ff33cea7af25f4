#ifndef REEVE_MANAGED_STORE_MANAGED_STORE_H
#define REEVE_MANAGED_STORE_MANAGED_STORE_H

#include "base/err.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/secret.h"
#include "sys/random.h"

/* public names start with: managed_store_ */

/* The managed store as a manager uses it: with a member on this host, or as a client of the members
 * of other hosts (docs/spec/MANAGERS.md section 8).
 *
 * The manager reaches its own member by a unix socket, without TLS. So a member needs no
 * certificate at first: it listens for other hosts only when this manager has one. What it
 * advertises is the address that it will have then, so nothing in the store changes. */

/* name of the file in the data folder with the addresses of the members' clients: https://HOST:PORT
 * in lines. It is what a manager without a member knows before it has opened the store. */
#define MANAGED_STORE_MEMBERS "store.members"

struct managed_store_options {
    const char *data;    /* data folder of the manager */
    const char *manager; /* id of the manager; NULL: it has none yet */
    /* HOST:PORT of this host's member, for other members and for clients; empty: this manager has
     * no address for others, so its member listens on this host only */
    struct text address;
    struct text clients;
    struct random random;
    bool can_create; /* without a member and without other members, a new store is made */
};

struct managed_store_found {
    const char *endpoints[LIMIT_ETCD_ENDPOINTS];
    size_t endpoint_count;
    /* files of this manager's certificate; NULL: it has none yet */
    const char *ca;
    const char *certificate;
    const char *key;
    char manager[RANDOM_ID_BYTES]; /* id of the manager */
    bool has_member;               /* this host has a member */
};

/* Starts the member of this host, or makes one, and returns how the store is reached. Starts
 * reeve-store if it does not run. Blocks for at most a few seconds longer than etcd needs to read
 * its log. Texts live in the arena. Fails with the errors of member_call_wait(), and with R0582 if
 * the folder has neither a member nor addresses, and none may be made. */
MUST_CHECK bool managed_store_open(struct arena *arena, const struct managed_store_options *options,
                                   struct managed_store_found *out, struct err *err);

/* The certificate of this manager as PEM. */
struct managed_store_certificate {
    struct text authority;
    struct text certificate;
    struct secret key;
};

/* Writes the files with which the store knows this manager. Keeps the former ones if key and
 * certificate do not match. Fails with R0534. */
MUST_CHECK bool managed_store_certificate_write(int folder,
                                                const struct managed_store_certificate *certificate,
                                                struct err *err);

/* Removes the files of managed_store_certificate_write. */
void managed_store_certificate_remove(int folder);

/* Sets the files of the certificate, if the data folder has them. */
bool managed_store_certificate_find(struct arena *arena, const char *data, const char **ca,
                                    const char **certificate);

/* True if the member of this host must be started again, because the manager has a certificate by
 * now and it does not use it: managed_store_open() does it. */
bool managed_store_is_behind(const struct managed_store_options *options);

/* True if the folder has a member or addresses of members. */
bool managed_store_is_there(const char *data);

/* Writes the addresses of the members' clients, if they have changed. Fails with R0534. */
MUST_CHECK bool managed_store_members_write(int folder, const struct text *urls, size_t count,
                                            struct err *err);

#endif
