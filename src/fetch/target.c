#include "fetch/target.h"

#include "base/buf.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

/* ---- resolving ---- */

static void ip_take(const struct sockaddr *address, struct fetch_ip *out)
{
    *out = (struct fetch_ip){ .is_six = address->sa_family == AF_INET6 };
    if (out->is_six) {
        memcpy(out->bytes, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
    } else {
        memcpy(out->bytes, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
    }
}

MUST_CHECK static bool system_resolve(void *arg, const char *host, struct fetch_ip *out,
                                      size_t most, size_t *count, struct err *err)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC };
    struct addrinfo *found = NULL;
    int failure = getaddrinfo(host, NULL, &hints, &found);

    (void)arg;
    *count = 0;
    if (failure != 0) {
        err_set(err, CODE_R0642, "%s has no address: %s", host, gai_strerror(failure));
        return err_hint(err, "check the name, and that this machine can resolve it");
    }
    for (const struct addrinfo *one = found; one != NULL; one = one->ai_next) {
        if ((one->ai_family == AF_INET || one->ai_family == AF_INET6) && *count < most) {
            ip_take(one->ai_addr, &out[(*count)++]);
        }
    }
    freeaddrinfo(found);
    return *count > 0 || err_set(err, CODE_R0642, "%s has no address", host);
}

struct fetch_resolver fetch_resolver_system(void)
{
    return (struct fetch_resolver){ system_resolve, NULL };
}

/* ---- validating ---- */

bool fetch_target_find(const struct fetch_order *order, struct text url,
                       struct fetch_resolver resolver, struct fetch_target *out, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct fetch_target target = { .count = 0 };
    const struct fetch_ip *meant;

    if (!fetch_url_parse(url, &target.url, err)) {
        return false;
    }
    assert(target.url.scheme == FETCH_HTTPS || target.url.host.length == 0);
    meant = fetch_name_meant(target.url.host);
    if (target.url.scheme != FETCH_HTTPS) {
        return err_set(err, CODE_R0647, "file:// addresses are not fetched over the network: %.*s",
                       TEXT_ARG(url));
    }
    if (target.url.is_literal || meant != NULL) {
        target.ips[0] = meant != NULL ? *meant : target.url.ip;
        target.count = 1;
    } else if (!resolver.resolve(resolver.arg, arena_string(arena, target.url.host), target.ips,
                                 LIMIT_FETCH_ADDRESSES, &target.count, err)) {
        return false;
    }
    for (size_t i = 0; i < target.count; i++) {
        if (!fetch_ip_judge(&target.ips[i], target.url.host, order->allowed, order->allowed_count,
                            err)) {
            return false;
        }
    }
    *out = target;
    return true;
}

bool fetch_target_has(const struct fetch_target *target, const struct sockaddr *address,
                      socklen_t length)
{
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)address;
    const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)address;
    struct fetch_ip ip;
    in_port_t port;

    if (address->sa_family == AF_INET && length >= sizeof(*four)) {
        port = four->sin_port;
    } else if (address->sa_family == AF_INET6 && length >= sizeof(*six)) {
        port = six->sin6_port;
    } else {
        return false;
    }
    ip_take(address, &ip);
    for (size_t i = 0; i < target->count; i++) {
        if (fetch_ip_is_equal(&target->ips[i], &ip)) {
            return ntohs(port) == target->url.port;
        }
    }
    return false;
}

const char *fetch_target_words(struct arena *arena, const struct fetch_target *target)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_printf(&buf, "%.*s:%u:", TEXT_ARG(target->url.host), target->url.port);
    for (size_t i = 0; i < target->count; i++) {
        char words[FETCH_IP_TEXT_BYTES];

        fetch_ip_format(&target->ips[i], words);
        buf_printf(&buf, target->ips[i].is_six ? "%s[%s]" : "%s%s", i == 0 ? "" : ",", words);
    }
    return arena_string(arena, buf_text(&buf));
}
