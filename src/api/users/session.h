#ifndef REEVE_API_USERS_SESSION_H
#define REEVE_API_USERS_SESSION_H

#include "api/request/call.h"
#include "base/limits.h"
#include "sys/digest.h"

/* names: session_ */

/* Sessions of browsers. A session is a special kind of token (IDENTITY_PAGE), created from a login
 * link or a token. The browser receives it once, in a cookie that no script can read; it is valid
 * only as such a cookie. The store keeps it by its hash, like other tokens. Therefore it survives a
 * restart of the manager, is listed, can be revoked, and ends with the token or user that it was
 * created from. */

/* A login link to the page: the first browser that opens it becomes the user that requested it. */
struct session_link {
    char hash[DIGEST_TEXT_BYTES]; /* hash of the session's secret; empty: the slot is free */
    char tenant[LIMIT_TENANT_BYTES + 1];
    char user[LIMIT_TENANT_BYTES + 1];
    char parent[IDENTITY_TOKEN_ID + 1]; /* the token that requested it; empty: none */
    uint64_t due_ms;                    /* time from which the session is invalid */
    uint64_t number;                    /* increases: the oldest link has the lowest */
    bool is_owner;
};

/* The valid links. They end with the manager; users then request a new one. */
struct session_links {
    struct session_link items[LIMIT_PAGE_LINKS];
    uint64_t made; /* total number created */
};

/* Returns whether the request has a session cookie of this manager. */
bool session_is_there(const struct call *call);

/* Authenticates the sender by the cookie and fills the call. A request that changes something must
 * also prove that the manager's own page sent it. R0410: the session is invalid or has ended;
 * R0760: a foreign page could have sent the request. */
MUST_CHECK bool session_check(struct call *call, struct err *err);

/* Checks that the manager's own page, or no page at all, sent the request. R0760 otherwise. */
MUST_CHECK bool session_origin_check(const struct call *call, struct err *err);

/* Returns the value that the page must send with each change as a proof of its origin. Only the
 * manager's own pages can read it. */
struct text session_proof(const struct call *call, struct text secret);

/* Returns the header that sets the session cookie, or deletes it if `secret` is empty. */
struct http_field session_cookie(const struct call *call, struct text secret);

/* Returns the secret in the request's cookie; empty: there is no cookie. */
struct text session_secret(const struct call *call);

#endif
