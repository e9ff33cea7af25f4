#ifndef REEVE_API_USERS_SESSION_H
#define REEVE_API_USERS_SESSION_H

#include "api/request/call.h"
#include "base/limits.h"
#include "sys/digest.h"

/* names: session_ */

/* Browsers. A session is a token of its own sort (IDENTITY_PAGE): made for a link or for a token,
 * returned to the browser once, in a cookie that no script can read, and good for nothing else. It
 * lies in the store as tokens do, by its hash, so that it outlives a manager, is listed, can be
 * revoked, and ends with the token or the user it came from. */

/* A login link to the page: the first browser that opens it becomes the user that requested it. */
struct session_link {
    char hash[DIGEST_TEXT_BYTES]; /* of its secret; empty: free */
    char tenant[LIMIT_TENANT_BYTES + 1];
    char user[LIMIT_TENANT_BYTES + 1];
    char parent[IDENTITY_TOKEN_ID + 1]; /* the token it was asked with; empty: none */
    uint64_t due_ms;                    /* it counts no more */
    uint64_t number;                    /* rises: the oldest has the lowest */
    bool is_owner;
};

/* Those that count. They end with the manager: one that is lost is asked for again. */
struct session_links {
    struct session_link items[LIMIT_PAGE_LINKS];
    uint64_t made; /* so many, ever */
};

/* Does the request have one of our cookies? */
bool session_is_there(const struct call *call);

/* Who asks, by the cookie: fills the call. What changes something must also show that our own page
 * sent it. R0410: it does not count (any more); R0760: a foreign page could have sent this. */
MUST_CHECK bool session_check(struct call *call, struct err *err);

/* Did our own page, or no page at all, send this? R0760. */
MUST_CHECK bool session_origin_check(const struct call *call, struct err *err);

/* What a page has to send with each change, so that it is known for ours; it can be read by our own
 * pages alone. */
struct text session_proof(const struct call *call, struct text secret);

/* The header that hands out a session, or (secret empty) takes it back. */
struct http_field session_cookie(const struct call *call, struct text secret);

/* The secret in the request's cookie; empty: there is none. */
struct text session_secret(const struct call *call);

#endif
