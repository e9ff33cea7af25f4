#ifndef REEVE_HOST_RELAY_H
#define REEVE_HOST_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "sys/address.h"

/* The way out of a plugin's network namespace: an HTTP proxy that knows CONNECT alone, and only to endpoints that were
 * allowed when the plugin was started. It runs outside of the namespace, in the process that waits for the plugin.
 *
 * What an endpoint allows:
 *   public:PORT        every public address
 *   NAME:PORT          this name, or with *.NAME every name below it, at addresses that are neither loopback nor link-local
 *   ADDRESS[/BITS]:PORT  these addresses, whatever they are, by whatever name they are reached
 * Without a PORT it is 443. Where nothing is named, it is public:443. */

enum { RELAY_ENDPOINTS_MAX = 64, RELAY_PORT = 3128, RELAY_NAME_BYTES = 256 };

struct relay_endpoint {
    enum { RELAY_PUBLIC, RELAY_NAME, RELAY_NET } kind;
    char name[RELAY_NAME_BYTES]; /* in small letters; *.NAME without the asterisk */
    struct fetch_net net;
    uint16_t port;
};

struct relay_policy {
    struct relay_endpoint endpoints[RELAY_ENDPOINTS_MAX];
    size_t count;
};

/* Add what the text allows. R0314: it is no endpoint. R0320: there are too many. */
MUST_CHECK bool relay_policy_add(struct relay_policy *policy, struct text endpoint,
                                 struct err *err);

/* May this name at this address and port be connected to? For a name that is an address itself both are the same. */
bool relay_policy_allows(const struct relay_policy *policy, struct text name,
                         const struct fetch_ip *ip, uint16_t port);

/* Could any address of this name and port be allowed? A name that could not is not looked up. */
bool relay_policy_may_look_up(const struct relay_policy *policy, struct text name, uint16_t port);

/* Serve one client to its end: read its CONNECT, look the name up, connect, and pass bytes on. */
void relay_serve(int client, const struct relay_policy *policy);

#endif
