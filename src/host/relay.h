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

/* The only way out of a plugin's network namespace: an HTTP proxy that supports only CONNECT, to
 * endpoints that were permitted when the plugin was started. It runs outside the namespace, in the
 * process that waits for the plugin.
 *
 * An endpoint permits:
 *   public:PORT        every public address
 *   NAME:PORT          this name, or with *.NAME every name below it, at addresses that are neither
 *                      loopback nor link-local
 *   ADDRESS[/BITS]:PORT  these addresses, including local ones, by any name
 * The default PORT is 443. The default endpoint is public:443. */

enum { RELAY_ENDPOINTS_MAX = 64, RELAY_PORT = 3128, RELAY_NAME_BYTES = 256 };

struct relay_endpoint {
    enum { RELAY_PUBLIC, RELAY_NAME, RELAY_NET } kind;
    char name[RELAY_NAME_BYTES]; /* host name in lower case; for *.NAME without the asterisk and
                                  * with the dot */
    struct fetch_net net;
    uint16_t port;
};

struct relay_policy {
    struct relay_endpoint endpoints[RELAY_ENDPOINTS_MAX];
    size_t count;
};

/* Adds an endpoint. Fails with R0314 if the text is invalid, and with R0320 if there are too many
 * endpoints. */
MUST_CHECK bool relay_policy_add(struct relay_policy *policy, struct text endpoint,
                                 struct err *err);

/* Returns whether a connection to this name, address and port is permitted. If the name itself is
 * an address, pass it as both. */
bool relay_policy_allows(const struct relay_policy *policy, struct text name,
                         const struct fetch_ip *ip, uint16_t port);

/* Returns whether any address of this name and port could be permitted. If not, the name need not
 * be resolved. */
bool relay_policy_may_look_up(const struct relay_policy *policy, struct text name, uint16_t port);

/* Serves one client until it disconnects: reads its CONNECT request, resolves the name, connects,
 * and relays bytes. */
void relay_serve(int client, const struct relay_policy *policy);

#endif
