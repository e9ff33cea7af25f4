#include "stack.h"

#include "codec/doc_child.h"
#include "codec/json.h"
#include "exchange.h"

#include <stdio.h>
#include <time.h>

/* A token comes from keystone, together with the catalog of the cloud's services. Both are kept in
 * memory until shortly before the token expires. Its lifetime is the difference of two times in
 * keystone's answer, so a wrong clock of this computer has no effect. */

enum {
    STACK_RENEW_BEFORE_MS = 300000,
    STACK_CATALOG_BYTES = 16 * 1024 * 1024,
    STACK_CATALOG_BODY_BYTES = 4 * 1024 * 1024
};

/* ---- the request ---- */

/* Adds {"id": ID} or {"name": NAME, "domain": ...}, the format in which keystone identifies users
 * and projects. */
static void stack_put_named(struct arena *arena, struct doc_builder *into, struct text id,
                            struct text name, struct text domain_id, struct text domain_name)
{
    struct doc_builder domain;

    if (id.length > 0) {
        doc_builder_put(into, "id", doc_text(id, NULL));
        return;
    }
    doc_builder_init(&domain, arena);
    if (domain_id.length > 0) {
        doc_builder_put(&domain, "id", doc_text(domain_id, NULL));
    } else {
        doc_builder_put(&domain, "name",
                        doc_text(domain_name.length > 0 ? domain_name : TEXT("Default"), NULL));
    }
    doc_builder_put(into, "name", doc_text(name, NULL));
    doc_builder_put(into, "domain", doc_builder_map(&domain, NULL));
}

static struct doc stack_user_doc(struct arena *arena, const struct openrc *account,
                                 bool has_password)
{
    struct doc_builder user;

    doc_builder_init(&user, arena);
    stack_put_named(arena, &user, account->user_id, account->user_name, account->user_domain_id,
                    account->user_domain_name);
    if (has_password) {
        doc_builder_put(&user, "password", doc_text(account->password, NULL));
    }
    return doc_builder_map(&user, NULL);
}

/* Returns the member of the identity for the authentication method, and the name of the method. */
static struct doc stack_method(struct arena *arena, const struct openrc *account,
                               const char **out_method)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    if (account->credential_secret.length == 0) {
        *out_method = "password";
        doc_builder_put(&builder, "user", stack_user_doc(arena, account, true));
        return doc_builder_map(&builder, NULL);
    }
    *out_method = "application_credential";
    doc_builder_put(&builder, "secret", doc_text(account->credential_secret, NULL));
    if (account->credential_id.length > 0) {
        doc_builder_put(&builder, "id", doc_text(account->credential_id, NULL));
    } else {
        doc_builder_put(&builder, "name", doc_text(account->credential_name, NULL));
        doc_builder_put(&builder, "user", stack_user_doc(arena, account, false));
    }
    return doc_builder_map(&builder, NULL);
}

static struct text stack_auth_body(struct stack_call *work)
{
    const struct openrc *account = &work->account;
    struct doc_builder identity;
    struct doc_builder project;
    struct doc_builder scope;
    struct doc_builder auth;
    struct doc_builder body;
    const char *name = "";
    struct doc method = stack_method(work->arena, account, &name);
    struct doc listed = doc_text(text_from(name), NULL);

    doc_builder_init(&identity, work->arena);
    doc_builder_init(&auth, work->arena);
    doc_builder_init(&body, work->arena);
    doc_builder_put(&identity, "methods",
                    doc_list(arena_copy(work->arena, &listed, sizeof(listed)), 1, NULL));
    doc_builder_put(&identity, name, method);
    doc_builder_put(&auth, "identity", doc_builder_map(&identity, NULL));
    if (account->credential_secret.length == 0) {
        doc_builder_init(&project, work->arena);
        doc_builder_init(&scope, work->arena);
        stack_put_named(work->arena, &project, account->project_id, account->project_name,
                        account->project_domain_id, account->project_domain_name);
        doc_builder_put(&scope, "project", doc_builder_map(&project, NULL));
        doc_builder_put(&auth, "scope", doc_builder_map(&scope, NULL));
    }
    doc_builder_put(&body, "auth", doc_builder_map(&auth, NULL));
    return stack_json(work, &body);
}

/* Returns the URL of keystone, with its version. */
static struct text stack_auth_url(struct stack_call *work)
{
    struct text url = work->stack->settings.endpoint.length > 0 ? work->stack->settings.endpoint
                                                                : work->account.auth_url;

    while (text_has_suffix(url, TEXT("/"))) {
        url.length--;
    }
    return text_has_suffix(url, TEXT("/v3")) ? url
                                             : arena_printf(work->arena, "%.*s/v3", TEXT_ARG(url));
}

/* ---- the answer ---- */

/* Converts a time such as 2026-11-27T21:00:00.000000Z to seconds. Returns 0 if the text is not a
 * time. */
static int64_t stack_time_s(struct text text)
{
    char copy[32];
    struct tm parts = { 0 };

    (void)snprintf(copy, sizeof(copy), "%.*s", TEXT_ARG(text_slice(text, 0, 19)));
    return strptime(copy, "%Y-%m-%dT%H:%M:%S", &parts) == NULL ? 0 : (int64_t)timegm(&parts);
}

/* Stores a token and its catalog. Called with the mutex locked. */
static bool stack_token_keep(struct stack_access *access, const struct http_answer *answer,
                             uint64_t hash)
{
    struct text token = http_answer_header(answer, "x-subject-token");
    struct arena *arena = arena_new(STACK_CATALOG_BYTES);
    const struct doc *body;
    struct doc doc = { 0 };
    struct err err;
    int64_t life_ms;

    if (!json_parse_answer(arena, arena_text(arena, answer->body), &doc, &err)) {
        doc = (struct doc){ 0 };
    }
    body = doc_child(&doc, "token");
    life_ms = (stack_time_s(doc_child_text(body, "expires_at")) -
               stack_time_s(doc_child_text(body, "issued_at"))) *
              1000;
    if (token.length == 0 || token.length > STACK_TOKEN_BYTES - 1 || !text_is_visible(token) ||
        life_ms <= 0 || !doc_is_list(doc_child(body, "catalog"))) {
        arena_free(arena);
        return false;
    }
    (void)snprintf(access->token, sizeof(access->token), "%.*s", TEXT_ARG(token));
    if (access->arena != NULL) {
        arena_free(access->arena);
    }
    access->arena = arena;
    access->catalog = *doc_child(body, "catalog");
    access->credential_hash = hash;
    access->renew_at_ms = http_now_ms() + (uint64_t)(life_ms > 2 * STACK_RENEW_BEFORE_MS
                                                         ? life_ms - STACK_RENEW_BEFORE_MS
                                                         : life_ms / 2);
    return true;
}

/* Gets a new token. Called with the mutex locked. */
static int32_t stack_token_renew(struct stack_call *work, uint64_t hash,
                                 struct classify_attempt *last)
{
    struct stack_access *access = &work->stack->access;
    struct http_header header = { TEXT("content-type"), TEXT("application/json") };
    struct text body = stack_auth_body(work);
    struct http_request request = {
        .method = TEXT("POST"),
        .url = arena_printf(work->arena, "%.*s/auth/tokens", TEXT_ARG(stack_auth_url(work))),
        .headers = &header,
        .header_count = 1,
        .body = body,
        .ends_ms = exchange_ends_ms(work->stack->host, work->call),
        .priority = HTTP_CHANGE,
        .body_bytes_max = STACK_CATALOG_BODY_BYTES,
    };
    struct http_answer answer;

    access->token[0] = '\0';
    *last = (struct classify_attempt){ 0 };
    (void)http_send(work->stack->http, work->arena, &request, &answer);
    explicit_bzero((char *)(uintptr_t)body.data, body.length);
    last->outcome = answer.outcome;
    last->status = answer.status;
    last->message = answer.why;
    if (answer.outcome != HTTP_ANSWER) {
        return REEVE_TRANSIENT;
    }
    if (answer.status == 201 && stack_token_keep(access, &answer, hash)) {
        return REEVE_OK;
    }
    last->message = answer.status == 401 ? TEXT("keystone does not accept the account's credential")
                    : answer.status == 404 ? TEXT("there is no keystone v3 at OS_AUTH_URL")
                    : answer.status == 201 ? TEXT("the answer has no token, time or catalog")
                                           : TEXT("no token from keystone");
    last->retry_after_ms = http_answer_retry_after_ms(&answer);
    return answer.status == 429 || (answer.status == 413 && last->retry_after_ms > 0)
               ? REEVE_THROTTLED
           : answer.status >= 500 || answer.status == 201 ? REEVE_TRANSIENT
                                                          : REEVE_AUTH;
}

int32_t stack_access_get(struct stack_call *work, bool is_fresh, char out[static STACK_TOKEN_BYTES],
                         struct classify_attempt *last)
{
    struct stack_access *access = &work->stack->access;
    uint64_t hash = text_hash(plain_text(work->stack->host->credential(work->call)), 0);
    int32_t result = REEVE_OK;

    (void)pthread_mutex_lock(&access->mutex);
    if (is_fresh || access->token[0] == '\0' || access->credential_hash != hash ||
        http_now_ms() >= access->renew_at_ms) {
        result = stack_token_renew(work, hash, last);
    }
    (void)snprintf(out, STACK_TOKEN_BYTES, "%s", access->token);
    (void)pthread_mutex_unlock(&access->mutex);
    return result;
}

/* ---- the catalog ---- */

static struct text stack_interface(const struct stack_call *work)
{
    return work->stack->settings.interface.length > 0 ? work->stack->settings.interface
           : work->account.interface.length > 0       ? work->account.interface
                                                      : TEXT("public");
}

/* Returns the URL of an endpoint if it has this interface and region, otherwise an empty text. In
 * old files, OS_INTERFACE is written as publicURL. */
static struct text stack_endpoint_url(const struct doc *endpoint, struct text interface,
                                      struct text region)
{
    struct text own = doc_child_text(endpoint, "region_id");

    if (own.length == 0) {
        own = doc_child_text(endpoint, "region");
    }
    return text_has_prefix(interface, doc_child_text(endpoint, "interface")) &&
                   text_is_equal(own, region)
               ? doc_child_text(endpoint, "url")
               : TEXT("");
}

struct text stack_endpoint(struct stack_call *work, const char *type, struct text region)
{
    struct stack_access *access = &work->stack->access;
    struct text url = TEXT("");

    (void)pthread_mutex_lock(&access->mutex);
    for (size_t i = 0; doc_is_list(&access->catalog) && i < access->catalog.item_count; i++) {
        const struct doc *service = &access->catalog.items[i];
        const struct doc *list = doc_child(service, "endpoints");

        for (size_t k = 0; text_is(doc_child_text(service, "type"), type) && doc_is_list(list) &&
                           k < list->item_count && url.length == 0;
             k++) {
            url = stack_endpoint_url(&list->items[k], stack_interface(work), region);
        }
    }
    while (text_has_suffix(url, TEXT("/"))) {
        url.length--;
    }
    url = arena_text(work->arena, url);
    (void)pthread_mutex_unlock(&access->mutex);
    return url;
}

/* Collects the regions in which the catalog has a compute service; at most STACK_REGIONS_MAX. */
static void stack_catalog_regions(struct stack_call *work)
{
    struct stack_access *access = &work->stack->access;

    (void)pthread_mutex_lock(&access->mutex);
    for (size_t i = 0; doc_is_list(&access->catalog) && i < access->catalog.item_count; i++) {
        const struct doc *list = doc_child(&access->catalog.items[i], "endpoints");

        for (size_t k = 0;
             text_is(doc_child_text(&access->catalog.items[i], "type"), "compute") &&
             doc_is_list(list) && k < list->item_count && work->region_count < STACK_REGIONS_MAX;
             k++) {
            struct text region = doc_child_text(&list->items[k], "region_id");

            if (work->region_count == 0 || !text_is_equal(work->regions[0], region)) {
                work->regions[work->region_count++] = arena_text(work->arena, region);
            }
        }
    }
    (void)pthread_mutex_unlock(&access->mutex);
}

int32_t stack_begin(struct stack_call *work)
{
    const struct stack_settings *settings = &work->stack->settings;
    struct text secret = plain_text(work->stack->host->credential(work->call));
    struct stack_answer answer = { 0 };
    char token[STACK_TOKEN_BYTES];
    const char *why = "";

    if (!openrc_read(work->arena, secret, &work->account, &why)) {
        return stack_fault(work, REEVE_AUTH, "",
                           "the account's secret is not an openrc file of OpenStack: %s", why);
    }
    if (!http_url_is_allowed(stack_auth_url(work))) {
        return stack_fault(work, REEVE_AUTH, "",
                           "OS_AUTH_URL is not a URL with https, or with http of a loopback "
                           "address");
    }
    for (; work->region_count < settings->region_count; work->region_count++) {
        work->regions[work->region_count] = settings->regions[work->region_count];
    }
    if (work->region_count == 0 && work->account.region.length > 0) {
        work->regions[work->region_count++] = work->account.region;
    }
    if (work->region_count > 0) {
        return REEVE_OK;
    }
    answer.result = stack_access_get(work, false, token, &answer.last);
    explicit_bzero(token, sizeof(token));
    if (answer.result != REEVE_OK) {
        return stack_refuse(work, "", "get a token", &answer);
    }
    stack_catalog_regions(work);
    return work->region_count == 1
               ? REEVE_OK
               : stack_fault(work, REEVE_INVALID, "",
                             "the cloud has several regions, or none: state regions in the "
                             "account's settings, or OS_REGION_NAME");
}
