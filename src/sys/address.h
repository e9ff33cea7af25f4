#ifndef REEVE_SYS_ADDRESS_H
#define REEVE_SYS_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* public names start with: fetch_ */

/* The addresses to which a fetch on behalf of a manager may connect (SAFETY.md I26). Pure: this
 * code resolves no names. An address that is not public is rejected, unless it is in a network that
 * the manager's settings permit. */

/* An address. An IPv4 address uses the first four bytes. */
struct fetch_ip {
    bool is_six;
    unsigned char bytes[16];
};

struct fetch_net {
    struct fetch_ip ip;
    unsigned bits;
};

/* Parse a numeric address in its strict form: 192.0.2.1 or 2001:db8::1, without zone or blanks, and
 * without octal or hexadecimal parts of an IPv4 address. */
MUST_CHECK bool fetch_ip_find(struct text text, struct fetch_ip *out);

/* Write an address in text form with its NUL. */
enum { FETCH_IP_TEXT_BYTES = 46 };
void fetch_ip_format(const struct fetch_ip *ip, char out[static FETCH_IP_TEXT_BYTES]);

bool fetch_ip_is_equal(const struct fetch_ip *a, const struct fetch_ip *b);

/* Parse ADDRESS/BITS, or an address alone. All bits after BITS must be 0. Fails with R0314. */
MUST_CHECK bool fetch_net_parse(struct text text, struct fetch_net *out, struct err *err);

/* True if the network contains the address. An IPv4 address is never in an IPv6 network. */
bool fetch_net_has(const struct fetch_net *net, const struct fetch_ip *ip);

/* Return the kind of an address that is not public, as text; NULL if the address is public. */
const char *fetch_ip_forbidden(const struct fetch_ip *ip);

/* Check whether a fetch may connect to the address. Fails with R0641; the message names `host`. */
MUST_CHECK bool fetch_ip_judge(const struct fetch_ip *ip, struct text host,
                               const struct fetch_net *allowed, size_t allowed_count,
                               struct err *err);

#endif
