#ifndef REEVE_API_USERS_ATTEMPTS_H
#define REEVE_API_USERS_ATTEMPTS_H

#include "base/err.h"
#include "base/limits.h"
#include "sys/address.h"

/* Tokens, cookies and login links that were wrong, counted for each address that sent them. Of IPv6
 * the network counts (64 bits): a client has as many addresses in it as it likes.
 *
 * An address that sends more than LIMIT_WRONG_TOKENS wrong ones in LIMIT_WRONG_TOKENS_MS gets 429
 * for each further one until that time is over. One that is right always counts, so nobody is
 * locked out by somebody else behind the same address. */
struct attempts_entry {
    char address[FETCH_IP_TEXT_BYTES]; /* empty: free */
    uint64_t since_ms;
    unsigned count;
};

struct attempts {
    struct attempts_entry entries[LIMIT_WRONG_TOKEN_ADDRESSES];
};

/* One more wrong one from there. How many there are in this stretch of time. */
unsigned attempts_count(struct attempts *attempts, struct text address, uint64_t now_ms);

#endif
