#include "api/users/session.h"

#include "api/users/access.h"

#include <assert.h>
#include <string.h>

/* A browser sends the cookie with requests from any page. These mechanisms protect it from pages of
 * other sites:
 *
 *     SameSite=Strict    the browser does not send the cookie with requests from other sites
 *     Origin             names the page that sends the request, and a page cannot forge it; another
 *                        port of this host is another origin
 *     Reeve-Csrf         a header with a secret value, which a page of another site cannot know; it
 *                        also makes the browser send a preflight request first
 *
 * The browser prevents such pages from reading answers, because no answer allows another origin. */

enum { COOKIE_NAME_BYTES = 24, INCARNATION_SHOWN = 4 };

/* Writes the name of the cookie. A browser sends a cookie to all ports of a host, so the name
 * contains the incarnation of the store. */
static void cookie_name(const struct call *call, char out[static COOKIE_NAME_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    struct store_status status;
    size_t length = 6;

    store_status(call->api->options.store, &status);
    memcpy(out, "reeve-", length);
    for (size_t i = 0; i < INCARNATION_SHOWN; i++) {
        out[length++] = digits[status.incarnation[i] >> 4];
        out[length++] = digits[status.incarnation[i] & 15];
    }
    out[length] = '\0';
    assert(length < COOKIE_NAME_BYTES);
}

struct text session_secret(const struct call *call)
{
    struct text rest = call_header(call, HTTP_COOKIE);
    char name[COOKIE_NAME_BYTES];

    cookie_name(call, name);
    while (rest.length > 0) {
        struct text one = text_slice(rest, 0, text_find_byte(rest, ';'));
        struct text pair = text_trim(one);
        size_t equals = text_find_byte(pair, '=');

        if (equals != SIZE_MAX && text_is(text_slice(pair, 0, equals), name)) {
            return text_slice(pair, equals + 1, pair.length);
        }
        rest = text_slice(rest, one.length + 1, rest.length);
    }
    return TEXT("");
}

bool session_is_there(const struct call *call)
{
    return call_header(call, HTTP_COOKIE).length > 0 && session_secret(call).length > 0;
}

/* Returns whether the origin is the public origin of the configuration. */
static bool is_session_public(const struct call *call, struct text origin)
{
    struct text known = call->api->options.public_origin;

    return known.length > 0 && text_is_equal(origin, known);
}

/* Returns whether the browser uses TLS, to this manager or to a proxy. The cookie is then sent only
 * over TLS. */
static bool is_secure(const struct call *call)
{
    struct text origin = call_header(call, HTTP_ORIGIN);

    return call->request->peer->is_tls ||
           (is_session_public(call, origin) && text_has_prefix(origin, TEXT("https:")));
}

struct http_field session_cookie(const struct call *call, struct text secret)
{
    char name[COOKIE_NAME_BYTES];
    struct text value;

    cookie_name(call, name);
    value = arena_printf(call->arena, "%s=%.*s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s",
                         name, TEXT_ARG(secret), secret.length == 0 ? 0 : LIMIT_PAGE_SESSION_S,
                         is_secure(call) ? "; Secure" : "");
    return (struct http_field){ "Set-Cookie", value.data };
}

struct text session_proof(const struct call *call, struct text secret)
{
    char stamp[DIGEST_STAMP_BYTES];

    digest_stamp(secret, TEXT("Reeve-Csrf"), stamp);
    return arena_text(call->arena, text_from(stamp));
}

MUST_CHECK static bool foreign_refuse(const char *what, struct err *err)
{
    err_set(err, CODE_R0760, "%s", what);
    return err_hint(err, "open the page at this manager's own address; programs send "
                         "Authorization: Bearer TOKEN and no cookie");
}

/* Returns whether the origin is this scheme with the host of the request. */
static bool is_host_by(const struct call *call, struct text origin, const char *scheme)
{
    return text_is_equal(origin, arena_printf(call->arena, "%s://%.*s", scheme,
                                              TEXT_ARG(call_header(call, HTTP_HOST))));
}

bool session_origin_check(const struct call *call, struct err *err)
{
    struct text origin = call_header(call, HTTP_ORIGIN);
    bool is_tls = call->request->peer->is_tls;

    if (origin.length == 0 || is_host_by(call, origin, is_tls ? "https" : "http") ||
        is_session_public(call, origin)) {
        return true;
    }
    if (is_tls || !is_host_by(call, origin, "https")) {
        return foreign_refuse("the page that sent this request is not a page of this manager", err);
    }
    /* the host is correct, but a proxy probably terminates TLS, which the request cannot prove */
    err_set(err, CODE_R0760,
            "the page was opened at %.*s, which is not a configured address of this manager",
            TEXT_ARG(origin));
    return err_hint(err,
                    "if a proxy in front of the manager ends TLS, start the manager with "
                    "--public-url %.*s, or set publicUrl in its configuration",
                    TEXT_ARG(origin));
}

/* Checks that the manager's own page sent the request. GET and HEAD are exempt, because they change
 * nothing. */
MUST_CHECK static bool own_page_check(const struct call *call, struct text secret, struct err *err)
{
    struct text method = call->request->method;

    if (text_is(method, "GET") || text_is(method, "HEAD")) {
        return true;
    }
    if (call_header(call, HTTP_ORIGIN).length == 0) {
        return foreign_refuse("the request does not contain the page that sent it", err);
    }
    if (!session_origin_check(call, err)) {
        return false;
    }
    return text_is_equal(call_header(call, HTTP_REEVE_CSRF), session_proof(call, secret)) ||
           foreign_refuse("the header Reeve-Csrf does not have the value that the page sends", err);
}

bool session_check(struct call *call, struct err *err)
{
    const struct api_options *options = &call->api->options;
    struct text secret = session_secret(call);
    char hash[DIGEST_TEXT_BYTES];
    struct identity identity;

    digest_sha256(secret, hash);
    if (!identity_find_token(call->arena, options->cache, text_from(hash),
                             clock_wall_ms(options->clock), &identity) ||
        identity.use != IDENTITY_PAGE) {
        err_set(err, CODE_R0410, "this browser is no longer logged in");
        err_hint(err, "log in again: reeve ui makes a link");
        return access_wrong(call, err);
    }
    if (!own_page_check(call, secret, err)) {
        return false;
    }
    call->token_hash = arena_text(call->arena, text_from(hash));
    call->actor.user = identity.user;
    if (identity.is_owner) {
        call->role = ROUTE_OWNER;
        return true;
    }
    call->identity = identity;
    call->grant_count = identity_grants(call->arena, options->cache, &call->identity,
                                        (struct identity_grant **)(uintptr_t)&call->grants);
    return true;
}
