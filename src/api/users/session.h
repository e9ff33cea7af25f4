#ifndef REEVE_API_USERS_SESSION_H
#define REEVE_API_USERS_SESSION_H

#include "api/request/call.h"
#include "sys/digest.h"

/* public names start with: session_ */

/* Sessions of browsers. A session is a special kind of token (IDENTITY_PAGE), created from a login
 * link or a token. The browser receives its secret once, in a cookie that no script can read, and
 * can use it only in this cookie. The store keeps the session by its hash, like other tokens. So it
 * survives a restart of the manager, is listed, and can be revoked. It ends with the token or user
 * that it was created from. */

/* Login links to the page: the first browser that opens one becomes the user that requested it. The
 * store keeps a link by its hash, so that every manager of the store accepts it:
 *
 *     /_/Link/SHA256/spec   {due, owner, parent, tenant, user}
 *
 * The transaction that writes the session removes it. */

/* Finds a valid link by its secret. Sets the user of the link, and the token that requested it
 * (empty: none). Returns NULL if there is no valid link. */
const struct cache_object *session_link_find(const struct call *call, struct text secret,
                                             struct identity *out, struct text *out_parent);

/* Returns the store key of the link with this secret. */
struct text session_link_key(struct arena *arena, struct text secret);

/* Sets R0762: the link is not valid. */
void session_link_refuse(struct err *err);

/* Returns whether the request has a session cookie of this manager. */
bool session_is_there(const struct call *call);

/* Authenticates the sender by the cookie and fills the call. A request that changes something must
 * also prove that the manager's own page sent it. R0410: the session is invalid or has ended;
 * R0760: a foreign page could have sent the request. */
MUST_CHECK bool session_check(struct call *call, struct err *err);

/* Checks that the manager's own page sent the request, or a client that is not a browser.
 * Fails with R0760. */
MUST_CHECK bool session_origin_check(const struct call *call, struct err *err);

/* Returns the CSRF value that the page must send with each change. Only the manager's own pages can
 * read it. */
struct text session_proof(const struct call *call, struct text secret);

/* Returns the header that sets the session cookie, or deletes it if `secret` is empty. */
struct http_field session_cookie(const struct call *call, struct text secret);

/* Returns the secret in the request's cookie; empty: there is no cookie. */
struct text session_secret(const struct call *call);

#endif
