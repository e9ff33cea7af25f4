#ifndef REEVE_FETCH_TARGET_H
#define REEVE_FETCH_TARGET_H

#include <sys/socket.h>

#include "base/limits.h"
#include "base/mem.h"
#include "fetch/order.h"
#include "fetch/url.h"

/* public names start with: fetch_ */

/* The permitted addresses of a connection. The name of the host is resolved once, and each address
 * is validated. The name is not resolved again, so later answers of the resolver have no effect. */
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

/* Resolves the host of a URL. If one of its addresses is forbidden, all are rejected (R0641): a
 * host with both kinds of addresses probably targets the forbidden one. */
MUST_CHECK bool fetch_target_find(const struct fetch_order *order, struct text url,
                                  struct fetch_resolver resolver, struct fetch_target *out,
                                  struct err *err);

/* Returns whether the address is one of the validated addresses, with the requested port. */
bool fetch_target_has(const struct fetch_target *target, const struct sockaddr *address,
                      socklen_t length);

/* Returns the text HOST:PORT:ADDRESS,... by which libcurl uses only these addresses. */
const char *fetch_target_words(struct arena *arena, const struct fetch_target *target);

#endif
