#ifndef REEVE_FETCH_TARGET_H
#define REEVE_FETCH_TARGET_H

#include <sys/socket.h>

#include "base/limits.h"
#include "base/mem.h"
#include "fetch/order.h"
#include "fetch/url.h"

/* names: fetch_ */

/* Where a connection may go: the addresses of a host, asked for once and each of them judged. What a resolver would say the
 * next time does not matter, for it is not asked again. */
struct fetch_target {
    struct fetch_url url;
    struct fetch_ip ips[LIMIT_FETCH_ADDRESSES];
    size_t count;
};

/* Who knows the addresses of names. */
struct fetch_resolver {
    /* At most `most` addresses of a host; R0642: it has none, or nobody can tell. */
    bool (*resolve)(void *arg, const char *host, struct fetch_ip *out, size_t most, size_t *count,
                    struct err *err);
    void *arg;
};

/* The machine's own. */
struct fetch_resolver fetch_resolver_system(void);

/* Find out where an address leads. One forbidden address among several refuses all of them (R0641): whoever mixes them
 * means the forbidden one. */
MUST_CHECK bool fetch_target_find(const struct fetch_order *order, struct text url,
                                  struct fetch_resolver resolver, struct fetch_target *out,
                                  struct err *err);

/* Is this one of the addresses that were judged, at the port that was asked for? */
bool fetch_target_has(const struct fetch_target *target, const struct sockaddr *address,
                      socklen_t length);

/* HOST:PORT:ADDRESS,... as the transfer is told it. */
const char *fetch_target_words(struct arena *arena, const struct fetch_target *target);

#endif
