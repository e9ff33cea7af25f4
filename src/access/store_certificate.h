#ifndef REEVE_ACCESS_STORE_CERTIFICATE_H
#define REEVE_ACCESS_STORE_CERTIFICATE_H

#include "base/err.h"
#include "base/macros.h"
#include "base/secret.h"
#include "state/store.h"
#include "sys/random.h"
#include "sys/seal.h"

/* Issues a certificate with which a host reaches the members of the managed store before its
 * manager runs there (docs/decisions/0189). It is signed by the managers' authority, without the
 * signer process: only a command that can read the file of the signer's key can do it, as root on
 * the host of a manager. */
struct store_certificate_options {
    const struct seal_key *key; /* the signer's key */
    struct text authority;      /* value of the object /_/Authority/managers in the store */
    struct text name;           /* name of the subject */
    /* Addresses from which it is valid. etcd verifies them. None: it is valid from every address,
     * as long as it lives. */
    const struct text *addresses;
    size_t address_count;
    struct random random;
    int64_t now_s; /* in s since 1970 */
    uint32_t ttl_s;
};

/* A certificate as PEM. */
struct store_certificate {
    struct text authority;
    struct text certificate;
    struct secret key;
};

/* Returns the key of the object with the managers' authority in the store. */
struct text store_certificate_authority_key(struct arena *arena);

/* Issues the certificate with a new key. Texts live in the arena; the caller wipes the key. Fails
 * with R0749 if the authority was sealed with another key, or is damaged. */
MUST_CHECK bool store_certificate_issue(struct arena *arena,
                                        const struct store_certificate_options *options,
                                        struct store_certificate *out, struct err *err);

#endif
