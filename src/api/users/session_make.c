#include "api/request/body.h"
#include "api/request/handlers.h"
#include "api/users/access.h"
#include "api/users/people.h"
#include "api/users/session.h"
#include "base/time.h"
#include "codec/json.h"
#include "page/page.h"

/* Login and logout. A user logs in with a link that an authenticated user has requested (reeve ui),
 * or with a token that is typed into the page. Both create a session in the store. */

/* The session that a login creates, and its user. */
struct login {
    struct call *call;
    char secret[RANDOM_TOKEN_BYTES];
    char hash[DIGEST_TEXT_BYTES];
    struct identity identity;
    struct text parent;
    const struct cache_object *link; /* link that the login uses; NULL: none */
    bool has_asked_store;            /* the store was queried for a link that the cache lacks */
};

/* ---- login ---- */

/* Answers with the user of the session and the data that the page needs. */
static void session_make_session_report(struct call *call, unsigned status, struct text secret,
                                        const struct identity *identity)
{
    const struct api_options *options = &call->api->options;
    struct http_field cookie = session_cookie(call, secret);
    struct doc_builder builder;
    struct doc body;
    struct buf buf;

    doc_builder_init(&builder, call->arena);
    if (secret.length > 0) {
        doc_builder_put(&builder, "csrf", doc_text(session_proof(call, secret), NULL));
    }
    doc_builder_put(&builder, "folder", doc_text(text_from(page_folder()), NULL));
    if (status == 200 && identity->user.length > 0) {
        doc_builder_put(&builder, "role", doc_text(text_from(route_who_name(call->role)), NULL));
    }
    doc_builder_put(&builder, "tenant", doc_text(identity->tenant, NULL));
    doc_builder_put(&builder, "user", doc_text(identity->user, NULL));
    doc_builder_put(&builder, "version", doc_text(text_from(options->version), NULL));
    body = doc_builder_map(&builder, NULL);
    buf_init(&buf, call->arena);
    json_format(&buf, &body);
    call_answer_fields(call, &(struct http_answer){
                                 .status = status,
                                 .content_type = "application/json",
                                 .body = buf_text(&buf),
                                 .fields = &cookie,
                                 .field_count = status == 201,
                             });
}

/* Authenticates the sender, as on a route that requires an authenticated user. */
static bool is_session_make_known(struct call *call)
{
    const struct route *own = call->route;
    struct route asking = *own;
    struct err err;
    bool is_good;

    asking.who = ROUTE_KNOWN;
    call->route = &asking;
    is_good = access_check(call, &err);
    call->route = own;
    return is_good;
}

/* Describes the session. A request without a user is not an error: the answer then shows that a
 * login is required. */
void api_session(struct call *call)
{
    struct identity who = { .tenant = TEXT(""), .user = TEXT("") };
    struct err err;

    if (!service_is_ready(call->api->options.service)) {
        err_set(&err, CODE_R0428, "this manager is still reading its store");
        call_refuse(call, &err);
        return;
    }
    if (!is_session_make_known(call)) {
        session_make_session_report(call, 200, TEXT(""), &who);
        return;
    }
    who = (struct identity){ .tenant = call->actor.tenant, .user = call->actor.user };
    session_make_session_report(call, 200, session_secret(call), &who);
}

/* Answers a login. The cache has the session, so the cookie is valid from now on. */
static void login_report(struct call *call)
{
    struct login *login = call->state;

    session_make_session_report(call, 201, text_from(login->secret), &login->identity);
}

static void login_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct login *login = arg;
    struct call *call = login->call;
    struct err err = answer->err;

    if (outcome == OUTCOME_OK) {
        call->wanted = answer->revision;
        call->run = login_report;
        call_wait(call);
        return;
    }
    if (outcome == OUTCOME_UNKNOWN) {
        err_set(&err, CODE_R0542, "the result of the login is unknown: try again");
    } else if (login->link != NULL && err.code == CODE_R0401) {
        session_link_refuse(&err); /* another browser used the link first */
    }
    call_refuse(call, &err);
}

/* Returns the record in the format of tokens (people_body.c), with the members that only sessions
 * have. */
static struct text session_make_record_make(const struct login *login)
{
    struct call *call = login->call;
    int64_t now_ms = clock_wall_ms(call->api->options.clock);
    char expires[TIME_TEXT_BYTES];
    struct doc_builder builder;
    struct doc spec;

    time_format(now_ms + (int64_t)LIMIT_PAGE_SESSION_S * 1000, expires);
    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "expires", doc_text(text_from(expires), NULL));
    doc_builder_put(&builder, "note", doc_text(TEXT("web page"), NULL));
    if (login->identity.is_owner) {
        doc_builder_put(&builder, "owner", doc_bool(true, NULL));
    }
    if (login->parent.length > 0) {
        doc_builder_put(&builder, "parent", doc_text(login->parent, NULL));
    }
    doc_builder_put(&builder, "tenant", doc_text(login->identity.tenant, NULL));
    doc_builder_put(&builder, "use", doc_text(TEXT("page"), NULL));
    doc_builder_put(&builder, "user", doc_text(login->identity.user, NULL));
    spec = doc_builder_map(&builder, NULL);
    return people_value(call, IDENTITY_TOKEN,
                        text_slice(text_from(login->hash), 0, IDENTITY_TOKEN_ID), TEXT(""), &spec);
}

static void login_write(struct login *login)
{
    struct call *call = login->call;
    const struct api_options *options = &call->api->options;
    struct identity_write write = { .kind = IDENTITY_TOKEN };

    random_token(options->random, login->secret);
    digest_sha256(text_from(login->secret), login->hash);
    call->actor.tenant = login->identity.tenant;
    call->actor.user = login->identity.user;
    write.id = text_from(login->hash);
    write.name = text_slice(write.id, 0, IDENTITY_TOKEN_ID);
    write.value = session_make_record_make(login);
    write.tenant = login->identity.tenant;
    write.actor = login->identity.user;
    write.now_ms = clock_wall_ms(options->clock);
    /* a link is used only once: by the first commit that removes it */
    if (login->link != NULL) {
        write.gone = &login->link;
        write.gone_count = 1;
    }
    identity_write(call->arena, options->store, &write, login_written, login);
}

static struct text session_make_member(const struct doc *body, const char *key)
{
    const struct doc *value = doc_child(body, key);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

/* Checks a token that a user typed in. The secret of a session is rejected, so a cookie cannot
 * create a second session. */
static bool token_take(struct login *login, struct text token)
{
    struct call *call = login->call;
    const struct api_options *options = &call->api->options;
    char hash[DIGEST_TEXT_BYTES];

    digest_sha256(text_trim(token), hash);
    login->parent = arena_text(call->arena, text_slice(text_from(hash), 0, IDENTITY_TOKEN_ID));
    return identity_find_token(call->arena, options->cache, text_from(hash),
                               clock_wall_ms(options->clock), &login->identity) &&
           login->identity.use == IDENTITY_PROGRAM;
}

/* Reads a login. Returns false if the request was rejected, or if the cache lacks the link and the
 * store was not queried yet; then `out_missing` is the secret of that link. */
MUST_CHECK static bool login_read(struct login *login, struct text *out_missing, struct err *err)
{
    struct call *call = login->call;
    struct err_list errors;
    struct doc body;

    *out_missing = TEXT("");
    err_list_init(&errors, call->arena);
    if (!service_is_ready(call->api->options.service)) {
        return err_set(err, CODE_R0428, "this manager is still reading its store");
    }
    if (!session_origin_check(call, err)) {
        return false;
    }
    if (!body_read(call, &body, &errors)) {
        *err = errors.items[0];
        return false;
    }
    if (session_make_member(&body, "link").length > 0) {
        login->link = session_link_find(call, session_make_member(&body, "link"), &login->identity,
                                        &login->parent);
        if (login->link != NULL) {
            return true;
        }
        if (!login->has_asked_store) {
            *out_missing = session_make_member(&body, "link");
            return false;
        }
        session_link_refuse(err);
        return access_wrong(call, err);
    }
    if (token_take(login, session_make_member(&body, "token"))) {
        return true;
    }
    err_set(err, CODE_R0410, "the token is not known");
    err_hint(err, "a token is shown only when it is created: reeve api POST /v1/tokens");
    return access_wrong(call, err);
}

static void login_run(struct login *login);

/* Continues the login when the cache has reached the revision at which the store was read. */
static void login_again(struct call *call)
{
    login_run(call->state);
}

static void login_link_read(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct login *login = arg;
    struct call *call = login->call;

    login->has_asked_store = true;
    if (outcome == OUTCOME_OK && answer->count > 0) {
        call->wanted = answer->revision;
        call->run = login_again;
        call_wait(call);
        return;
    }
    login_run(login);
}

/* Logs in. A link that another manager just created may not have reached this cache yet. So a link
 * that the cache lacks is looked up in the store. */
static void login_run(struct login *login)
{
    struct call *call = login->call;
    struct text missing;
    struct err err;

    if (login_read(login, &missing, &err)) {
        login_write(login);
    } else if (missing.length > 0) {
        store_get(call->api->options.store, session_link_key(call->arena, missing), 0,
                  login_link_read, login);
    } else {
        call_refuse(call, &err);
    }
}

void api_session_make(struct call *call)
{
    struct login *login = arena_one(call->arena, struct login);

    *login = (struct login){ .call = call };
    call->state = login;
    login_run(login);
}

/* ---- logout ---- */

static void logout_answer(struct call *call)
{
    struct http_field cookie = session_cookie(call, TEXT(""));

    call_answer_fields(call, &(struct http_answer){ .status = 200,
                                                    .content_type = "application/json",
                                                    .body = TEXT("{\"changed\":true}"),
                                                    .fields = &cookie,
                                                    .field_count = 1 });
}

static void logout_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct call *call = arg;
    struct err err = answer->err;

    if (outcome == OUTCOME_OK) {
        call->wanted = answer->revision;
        call->run = logout_answer;
        call_wait(call);
        return;
    }
    if (outcome == OUTCOME_UNKNOWN) {
        err_set(&err, CODE_R0542, "the result of the logout is unknown: try again");
    }
    call_refuse(call, &err);
}

void api_session_end(struct call *call)
{
    const struct api_options *options = &call->api->options;
    const struct cache_object *object =
        session_is_there(call) && call->token_hash.length > 0
            ? identity_find(options->cache, IDENTITY_TOKEN, call->token_hash)
            : NULL;
    struct identity_write write = { .kind = IDENTITY_TOKEN };

    if (object == NULL) {
        logout_answer(call);
        return;
    }
    write.id = call->token_hash;
    write.name = text_slice(write.id, 0, IDENTITY_TOKEN_ID);
    write.revision = object->parts[CACHE_SPEC].revision;
    write.tenant =
        call->identity.tenant.length > 0 ? call->identity.tenant : TEXT(IDENTITY_TENANT_DEFAULT);
    write.actor = call->actor.user;
    write.now_ms = clock_wall_ms(options->clock);
    identity_write(call->arena, options->store, &write, logout_written, call);
}
