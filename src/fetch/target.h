#ifndef REEVE_FETCH_TARGET_H
#define REEVE_FETCH_TARGET_H

#include <sys/socket.h>

#include "base/limits.h"
#include "base/mem.h"
#include "fetch/order.h"
#include "fetch/url.h"

/* public names start with: fetch_ */

/* Permitted addresses of a connection: those of a host, resolved once and each validated. The name
 * is not resolved again, so a later answer of the resolver has no effect. */
struct fetch_target {
    struct fetch_url url;
    struct fetch_ip ips[LIMIT_FETCH_ADDRESSES];
    size_t count;
};

/* Resolves names. */
struct fetch_resolver {
    /* Writes at most `most` addresses of a host. Fails with R0642 if it has none or cannot be
     * resolved. */
    bool (*resolve)(void *arg, const char *host, struct fetch_ip *out, size_t most, size_t *count,
                    struct err *err);
    void *arg;
};

/* Returns the machine's resolver. */
struct fetch_resolver fetch_resolver_system(void);

/* Resolves a URL. If one of several addresses is forbidden, all are rejected (R0641), because a
 * host with both kinds is assumed to target the forbidden one. */
MUST_CHECK bool fetch_target_find(const struct fetch_order *order, struct text url,
                                  struct fetch_resolver resolver, struct fetch_target *out,
                                  struct err *err);

/* Returns whether the address is one of the validated ones, at the requested port. */
bool fetch_target_has(const struct fetch_target *target, const struct sockaddr *address,
                      socklen_t length);

/* Returns HOST:PORT:ADDRESS,... for the transfer. */
const char *fetch_target_words(struct arena *arena, const struct fetch_target *target);

#endif
