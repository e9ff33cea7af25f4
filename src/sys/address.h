#ifndef REEVE_SYS_ADDRESS_H
#define REEVE_SYS_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* names: fetch_ */

/* Which addresses may be connected to when something is fetched for a manager (SAFETY.md I26). Pure: nothing is resolved
 * here. What is not public is refused, unless a network of the manager's settings has it. */

/* An address; of IPv4 the first four bytes. */
struct fetch_ip {
    bool is_six;
    unsigned char bytes[16];
};

struct fetch_net {
    struct fetch_ip ip;
    unsigned bits;
};

/* 192.0.2.1, 2001:db8::1: strictly as such. No zone, no blanks, no other base. */
MUST_CHECK bool fetch_ip_find(struct text text, struct fetch_ip *out);

/* As people write it, with its NUL. */
enum { FETCH_IP_TEXT_BYTES = 46 };
void fetch_ip_format(const struct fetch_ip *ip, char out[static FETCH_IP_TEXT_BYTES]);

bool fetch_ip_is_equal(const struct fetch_ip *a, const struct fetch_ip *b);

/* ADDRESS/BITS, or an address alone, with no bit behind BITS. R0314. */
MUST_CHECK bool fetch_net_parse(struct text text, struct fetch_net *out, struct err *err);

/* Does the network have this address? One of IPv4 is never in one of IPv6. */
bool fetch_net_has(const struct fetch_net *net, const struct fetch_ip *ip);

/* What kind of address it is that is not public, in words; NULL: it is public. */
const char *fetch_ip_forbidden(const struct fetch_ip *ip);

/* May it be connected to? R0641: it may not. `host` is for the message. */
MUST_CHECK bool fetch_ip_judge(const struct fetch_ip *ip, struct text host,
                               const struct fetch_net *allowed, size_t allowed_count,
                               struct err *err);

#endif
