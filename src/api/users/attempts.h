#ifndef REEVE_API_USERS_ATTEMPTS_H
#define REEVE_API_USERS_ATTEMPTS_H

#include "base/err.h"
#include "base/limits.h"
#include "sys/address.h"

/* Counts wrong tokens, cookies and login links per source address. IPv6 addresses count per network
 * (64 bits), because a client may use any number of addresses in its network.
 *
 * After LIMIT_WRONG_TOKENS wrong attempts within LIMIT_WRONG_TOKENS_MS, each further wrong attempt
 * of the address gets 429 until that time is over. Correct credentials are always accepted, so a
 * user cannot lock out other users of the same address. */
struct attempts_entry {
    char address[FETCH_IP_TEXT_BYTES]; /* source of the attempts; empty: the entry is free */
    uint64_t since_ms;
    unsigned count;
};

struct attempts {
    struct attempts_entry entries[LIMIT_WRONG_TOKEN_ADDRESSES];
};

/* Counts one more wrong attempt from this address. Returns the number in the current period. */
unsigned attempts_count(struct attempts *attempts, struct text address, uint64_t now_ms);

#endif
