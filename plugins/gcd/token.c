#include "gce.h"

#include "codec/doc_child.h"
#include "codec/json.h"
#include "exchange.h"
#include "jwt.h"

#include <stdio.h>
#include <time.h>

/* An access token is obtained with a JWT that the service account signs, or from the metadata
 * service of this computer. It is kept in memory until shortly before it expires. */

enum { GCE_JWT_S = 3600, GCE_RENEW_BEFORE_MS = 300000, GCE_SKEW_LEAST_S = 60 };

#define GCE_SCOPE \
    "https://www.googleapis.com/auth/compute https://www.googleapis.com/auth/cloud-platform"

/* A service account. All texts point into the document of the credential. */
struct gce_account {
    bool is_instance; /* {"from": "instance"} */
    struct text email;
    struct text key;
    struct text key_id;
    struct text token_uri;
    struct text project;
};

static bool gce_account_read(struct gce_call *work, struct gce_account *out)
{
    struct text secret = plain_text(work->gce->host->credential(work->call));
    struct doc doc;
    struct err err;

    if (secret.length == 0 || !json_parse(work->arena, secret, NULL, &doc, &err) ||
        !doc_is_map(&doc)) {
        return false;
    }
    *out = (struct gce_account){ .is_instance = text_is(doc_child_text(&doc, "from"), "instance"),
                                 .email = doc_child_text(&doc, "client_email"),
                                 .key = doc_child_text(&doc, "private_key"),
                                 .key_id = doc_child_text(&doc, "private_key_id"),
                                 .token_uri = doc_child_text(&doc, "token_uri"),
                                 .project = doc_child_text(&doc, "project_id") };
    return out->is_instance ||
           (out->email.length > 0 && out->key.length > 0 && http_url_is_allowed(out->token_uri));
}

static int32_t gce_account_refuse(struct gce_call *work)
{
    return gce_fault(work, REEVE_AUTH, "",
                     "the account's secret is not the JSON key of a service account (client_email, "
                     "private_key, token_uri), and not {\"from\": \"instance\"}");
}

/* ---- requests without a token ---- */

static bool gce_fetch(struct gce_call *work, struct http_request *request, struct doc *out,
                      struct http_answer *answer)
{
    struct err err;

    request->ends_ms = exchange_ends_ms(work->gce->host, work->call);
    request->priority = HTTP_CHANGE;
    request->body_bytes_max = 65536;
    *out = (struct doc){ 0 };
    return http_send(work->gce->http, work->arena, request, answer) &&
           json_parse(work->arena, answer->body, NULL, out, &err) && doc_is_map(out);
}

static struct http_request gce_metadata_request(struct gce_call *work, struct http_header *flavor,
                                                const char *path)
{
    *flavor = (struct http_header){ TEXT("metadata-flavor"), TEXT("Google") };
    return (struct http_request){
        .method = TEXT("GET"),
        .url = arena_printf(work->arena, "%.*s/computeMetadata/v1/%s",
                            TEXT_ARG(work->gce->settings.metadata), path),
        .headers = flavor,
        .header_count = 1,
        .is_metadata = true,
    };
}

/* Gets the project to which this computer belongs. */
static bool gce_instance_project(struct gce_call *work, struct text *out)
{
    struct http_header flavor;
    struct http_request request = gce_metadata_request(work, &flavor, "project/project-id");
    struct http_answer answer;

    request.ends_ms = exchange_ends_ms(work->gce->host, work->call);
    if (!http_send(work->gce->http, work->arena, &request, &answer) || answer.status != 200) {
        return false;
    }
    *out = text_trim(answer.body);
    return out->length > 0;
}

/* True if the text is a valid project: letters, digits, dashes, colons and dots, so that it can be
 * part of a path. */
static bool is_gce_project(struct text project)
{
    for (size_t i = 0; i < project.length; i++) {
        char byte = project.data[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' ||
              byte == ':' || byte == '.')) {
            return false;
        }
    }
    return project.length > 0 && project.length <= 63;
}

int32_t gce_begin(struct gce_call *work)
{
    struct gce_account account = { 0 };

    if (!gce_account_read(work, &account)) {
        return gce_account_refuse(work);
    }
    work->project =
        work->gce->settings.project.length > 0 ? work->gce->settings.project : account.project;
    if (work->project.length == 0 && account.is_instance &&
        !gce_instance_project(work, &work->project)) {
        return gce_fault(work, REEVE_TRANSIENT, "", "the metadata service does not answer");
    }
    if (!is_gce_project(work->project)) {
        return gce_fault(work, REEVE_AUTH, "",
                         "the account has no project: set it in its settings");
    }
    return REEVE_OK;
}

/* ---- the token ---- */

/* Makes the JWT of the service account, at the provider's time. */
static bool gce_sign(struct gce_call *work, const struct gce_account *account, int64_t now_s,
                     struct text *out, const char **out_why)
{
    struct doc_builder claims;
    struct doc map;
    struct buf json;

    doc_builder_init(&claims, work->arena);
    doc_builder_put(&claims, "iss", doc_text(account->email, NULL));
    doc_builder_put(&claims, "scope", doc_text(TEXT(GCE_SCOPE), NULL));
    doc_builder_put(&claims, "aud", doc_text(account->token_uri, NULL));
    doc_builder_put(&claims, "iat", doc_int(work->arena, now_s, NULL));
    doc_builder_put(&claims, "exp", doc_int(work->arena, now_s + GCE_JWT_S, NULL));
    map = doc_builder_map(&claims, NULL);
    buf_init(&json, work->arena);
    json_format(&json, &map);
    return jwt_sign(work->arena, account->key, account->key_id, buf_text(&json), out, out_why);
}

/* Sends one request for a token. */
static bool gce_token_request(struct gce_call *work, const struct gce_account *account,
                              struct doc *out, struct http_answer *answer,
                              struct classify_attempt *last)
{
    struct http_header header = { TEXT("content-type"), TEXT("application/x-www-form-urlencoded") };
    struct http_request request;
    const char *why = "";
    struct text jwt;

    if (account->is_instance) {
        request = gce_metadata_request(work, &header, "instance/service-accounts/default/token");
        return gce_fetch(work, &request, out, answer);
    }
    if (!gce_sign(work, account, (int64_t)time(NULL) + work->gce->access.clock_offset_s, &jwt,
                  &why)) {
        *answer = (struct http_answer){ .outcome = HTTP_NOT_SENT, .why = text_from(why) };
        last->code = TEXT("invalid_client");
        return false;
    }
    request = (struct http_request){
        .method = TEXT("POST"),
        .url = account->token_uri,
        .headers = &header,
        .header_count = 1,
        .body = arena_printf(work->arena,
                             "grant_type=urn%%3Aietf%%3Aparams%%3Aoauth%%3Agrant-type%%3Ajwt-"
                             "bearer&assertion=%.*s",
                             TEXT_ARG(jwt)),
    };
    return gce_fetch(work, &request, out, answer);
}

/* Stores a token. Called with the mutex locked. */
static bool gce_token_keep(struct gce_access *access, const struct doc *doc, uint64_t hash)
{
    struct text token = doc_child_text(doc, "access_token");
    int64_t life_ms = doc_child_number(doc, "expires_in") * 1000;

    if (token.length == 0 || token.length > GCE_TOKEN_BYTES - 16 || !text_is_visible(token) ||
        life_ms <= 0) {
        return false;
    }
    (void)snprintf(access->token, sizeof(access->token), "Bearer %.*s", TEXT_ARG(token));
    access->credential_hash = hash;
    access->renew_at_ms =
        http_now_ms() +
        (uint64_t)(life_ms > 2 * GCE_RENEW_BEFORE_MS ? life_ms - GCE_RENEW_BEFORE_MS : life_ms / 2);
    return true;
}

/* Determines the result if there is no token. It is AUTH only for a refused credential, not for a
 * rate limit or an incomplete answer. */
static int32_t gce_token_refusal(const struct gce_account *account, const struct doc *doc,
                                 struct http_answer *answer, struct classify_attempt *last)
{
    last->outcome = answer->outcome;
    last->status = answer->status;
    last->message = answer->why;
    if (answer->outcome != HTTP_ANSWER) {
        return last->code.length > 0 ? REEVE_AUTH : REEVE_TRANSIENT;
    }
    last->code = doc_child_text(doc, "error");
    last->message = doc_child_text(doc, "error_description");
    last->retry_after_ms = http_answer_retry_after_ms(answer);
    if (last->code.length == 0) {
        gce_error_read(doc, last); /* in the same format as errors of other services */
    }
    if (answer->status == 429) {
        return REEVE_THROTTLED;
    }
    if (answer->status >= 500 || answer->status < 300 ||
        (last->code.length == 0 && !account->is_instance)) {
        last->message = TEXT("the answer has neither a token nor a reason");
        return REEVE_TRANSIENT;
    }
    return gce_answer_class(last) == REEVE_THROTTLED ? REEVE_THROTTLED : REEVE_AUTH;
}

/* Gets a new token. If the provider refuses it because this computer's clock is wrong, the request
 * is repeated with the provider's time from the answer. Called with the mutex locked. */
static int32_t gce_token_renew(struct gce_call *work, uint64_t hash, struct classify_attempt *last)
{
    struct gce_access *access = &work->gce->access;
    struct gce_account account = { 0 };
    struct http_answer answer;
    struct doc doc;

    access->token[0] = '\0';
    *last = (struct classify_attempt){ 0 };
    if (!gce_account_read(work, &account)) {
        last->message = TEXT("the secret is not the key of a service account");
        return REEVE_AUTH;
    }
    for (unsigned tries = 0; tries < 2; tries++) {
        int32_t result;
        int64_t offset_s;

        if (gce_token_request(work, &account, &doc, &answer, last) && answer.status == 200) {
            return gce_token_keep(access, &doc, hash) ? REEVE_OK : REEVE_TRANSIENT;
        }
        result = gce_token_refusal(&account, &doc, &answer, last);
        if (result != REEVE_AUTH || answer.outcome != HTTP_ANSWER) {
            return result;
        }
        offset_s = http_answer_date_s(&answer) - (int64_t)time(NULL);
        if (http_answer_date_s(&answer) == 0 ||
            (offset_s - access->clock_offset_s < GCE_SKEW_LEAST_S &&
             access->clock_offset_s - offset_s < GCE_SKEW_LEAST_S)) {
            return REEVE_AUTH;
        }
        access->clock_offset_s = offset_s;
    }
    return REEVE_AUTH;
}

int32_t gce_access_get(struct gce_call *work, bool is_fresh, char out[static GCE_TOKEN_BYTES],
                       struct classify_attempt *last)
{
    struct gce_access *access = &work->gce->access;
    uint64_t hash = text_hash(plain_text(work->gce->host->credential(work->call)), 0);
    int32_t result = REEVE_OK;

    (void)pthread_mutex_lock(&access->mutex);
    if (is_fresh || access->token[0] == '\0' || access->credential_hash != hash ||
        http_now_ms() >= access->renew_at_ms) {
        result = gce_token_renew(work, hash, last);
    }
    memcpy(out, access->token, GCE_TOKEN_BYTES);
    (void)pthread_mutex_unlock(&access->mutex);
    return result;
}
