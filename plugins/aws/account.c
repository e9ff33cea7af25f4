/* Gets the keys of an account: the keys in its secret, the keys of a role that they may assume, or
 * the keys of this computer's instance role. */
#include "account.h"

#include "base/time.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "ec2.h"
#include "exchange.h"

#include <assert.h>
#include <gnutls/crypto.h>
#include <string.h>

enum { RENEW_EARLY_S = 300, METADATA_BYTES_MAX = 65536 };

/* ---- the secret ---- */

/* Removes quotes around a value. */
static struct text account_unquote(struct text value)
{
    if (value.length >= 2 && (value.data[0] == '"' || value.data[0] == '\'') &&
        value.data[value.length - 1] == value.data[0]) {
        return text_slice(value, 1, value.length - 2);
    }
    return value;
}

static struct text account_line(struct text *rest)
{
    size_t end = text_find_byte(*rest, '\n');
    struct text line = text_slice(*rest, 0, end);

    *rest = end == SIZE_MAX ? TEXT("") : text_slice(*rest, end + 1, rest->length);
    return text_trim(line);
}

static void account_parse_ini(struct text bytes, struct account_secret *out)
{
    while (bytes.length > 0) {
        struct text line = account_line(&bytes);
        size_t sign = text_find_byte(line, '=');
        struct text name = text_trim(text_slice(line, 0, sign));
        struct text value = sign == SIZE_MAX
                                ? TEXT("")
                                : account_unquote(text_trim(text_slice(line, sign + 1, SIZE_MAX)));

        if (text_has_prefix(name, TEXT("export "))) {
            name = text_trim(text_slice(name, 7, name.length));
        }
        if (text_is(name, "aws_access_key_id") || text_is(name, "AWS_ACCESS_KEY_ID")) {
            out->id = value;
        } else if (text_is(name, "aws_secret_access_key") ||
                   text_is(name, "AWS_SECRET_ACCESS_KEY")) {
            out->secret = value;
        } else if (text_is(name, "aws_session_token") || text_is(name, "AWS_SESSION_TOKEN")) {
            out->session = value;
        } else if (text_is(name, "role_arn")) {
            out->role = value;
        } else if (text_is(name, "external_id")) {
            out->external = value;
        }
    }
}

static bool account_parse_json(struct arena *arena, struct text bytes, struct account_secret *out,
                               const char **out_why)
{
    struct doc doc = { 0 };
    struct err err;

    if (!json_parse(arena, bytes, NULL, &doc, &err)) {
        *out_why = "the account's secret begins like JSON and is not valid JSON";
        return false;
    }
    out->id = doc_child_text(&doc, "accessKeyId");
    out->secret = doc_child_text(&doc, "secretAccessKey");
    out->session = doc_child_text(&doc, "sessionToken");
    out->role = doc_child_text(&doc, "roleArn");
    out->external = doc_child_text(&doc, "externalId");
    out->is_instance = text_is(doc_child_text(&doc, "from"), "instance");
    return true;
}

bool account_secret_parse(struct arena *arena, struct text bytes, struct account_secret *out,
                          const char **out_why)
{
    struct text rest = text_trim(bytes);

    *out = (struct account_secret){ 0 };
    if (rest.length == 0) {
        *out_why = "the account has no secret: store an access key with 'reeve account'";
        return false;
    }
    if (rest.data[0] == '{') {
        if (!account_parse_json(arena, rest, out, out_why)) {
            return false;
        }
    } else if (text_find_byte(rest, '=') != SIZE_MAX &&
               (rest.data[0] == '[' || rest.data[0] == '#' ||
                text_find_byte(rest, '=') < text_find_byte(rest, '\n'))) {
        account_parse_ini(rest, out);
    } else {
        out->id = account_line(&rest);
        out->secret = account_line(&rest);
    }
    if (out->is_instance) {
        return true;
    }
    if (out->id.length == 0 || out->secret.length == 0) {
        *out_why = "the account's secret has no access key: it is two lines (access key, secret "
                   "key), an ini file with aws_access_key_id and aws_secret_access_key, or JSON "
                   "with accessKeyId and secretAccessKey";
        return false;
    }
    if (!text_is_visible(out->id) || !text_is_visible(out->secret) ||
        !text_is_visible(out->session) || !text_is_visible(out->role) ||
        out->id.length >= AWS_KEY_BYTES || out->secret.length >= AWS_KEY_BYTES ||
        out->session.length >= AWS_SESSION_BYTES) {
        *out_why = "the account's access key has characters or a length that no access key has";
        return false;
    }
    return true;
}

/* ---- keys ---- */

static bool account_put(char *out, size_t room, struct text text)
{
    if (text.length >= room) {
        return false;
    }
    memcpy(out, text.length == 0 ? "" : text.data, text.length);
    out[text.length] = '\0';
    return true;
}

static bool account_fill(struct aws_keys *out, struct text id, struct text secret,
                         struct text session, struct text expiration)
{
    int64_t expires_ms = 0;

    *out = (struct aws_keys){ 0 };
    if (id.length == 0 || secret.length == 0 || !account_put(out->id, sizeof(out->id), id) ||
        !account_put(out->secret, sizeof(out->secret), secret) ||
        !account_put(out->session, sizeof(out->session), session)) {
        return false;
    }
    if (expiration.length > 0) {
        if (!time_parse(expiration, &expires_ms)) {
            return false;
        }
        out->expires_s = expires_ms / 1000;
    }
    return true;
}

/* Calls AssumeRole, in a request signed with the keys of the secret. */
static int32_t account_assume(struct aws_work *work, const struct account_secret *secret,
                              const struct aws_keys *base, struct aws_keys *out)
{
    struct aws *aws = work->aws;
    struct ec2_query query;
    struct ec2_answer answer;
    const struct xml_node *keys;
    struct ec2_ask ask = { .service = "sts",
                           .what = "AssumeRole",
                           .region = aws->settings.region_count > 0 ? aws->settings.regions[0]
                                                                    : TEXT("us-east-1"),
                           .kind = CLASSIFY_READ,
                           .rate = AWS_RATE_DESCRIBE,
                           .priority = HTTP_CHANGE,
                           .keys = base };

    buf_init(&query.body, work->arena);
    buf_add_string(&query.body, "Action=AssumeRole&Version=2011-06-15");
    ec2_query_add(&query, "RoleArn", secret->role);
    ec2_query_add(&query, "RoleSessionName", TEXT("reeve"));
    ec2_query_add(&query, "DurationSeconds", TEXT("3600"));
    if (secret->external.length > 0) {
        ec2_query_add(&query, "ExternalId", secret->external);
    }
    ask.body = buf_text(&query.body);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        return ec2_refuse(work, "", &ask, &answer);
    }
    keys = xml_find(answer.root, "AssumeRoleResult/Credentials");
    if (!account_fill(out, xml_text(keys, "AccessKeyId"), xml_text(keys, "SecretAccessKey"),
                      xml_text(keys, "SessionToken"), xml_text(keys, "Expiration"))) {
        return aws_refuse(work, REEVE_TRANSIENT, "", "AssumeRole: the answer has no keys");
    }
    return REEVE_OK;
}

/* Sends a request to the metadata service (IMDSv2). */
static bool account_metadata(struct aws_work *work, const char *method, const char *path,
                             struct text token, struct text *out)
{
    const struct aws_settings *settings = &work->aws->settings;
    struct http_answer answer;
    struct http_header header = { TEXT("x-aws-ec2-metadata-token"), token };
    struct http_request request = {
        .method = text_from(method),
        .url =
            arena_printf(work->arena, "%.*s%s",
                         TEXT_ARG(settings->endpoint.length > 0 ? settings->endpoint
                                                                : TEXT("http://169.254.169.254")),
                         path),
        .headers = &header,
        .header_count = 1,
        .ends_ms = exchange_ends_ms(work->aws->host, work->call),
        .priority = HTTP_CHANGE,
        .is_metadata = true,
        .body_bytes_max = METADATA_BYTES_MAX,
    };

    if (token.length == 0) {
        header = (struct http_header){ TEXT("x-aws-ec2-metadata-token-ttl-seconds"), TEXT("300") };
    }
    if (!http_send(work->aws->http, work->arena, &request, &answer) || answer.status != 200) {
        return false;
    }
    *out = text_trim(answer.body);
    return out->length > 0;
}

static int32_t account_of_instance(struct aws_work *work, struct aws_keys *out)
{
    static const char path[] = "/latest/meta-data/iam/security-credentials/";
    struct text token;
    struct text role;
    struct text json;
    struct doc doc = { 0 };
    struct err err;

    if (!account_metadata(work, "PUT", "/latest/api/token", TEXT(""), &token) ||
        !account_metadata(work, "GET", path, token, &role)) {
        return aws_refuse(work, REEVE_AUTH, "",
                          "the metadata service gives no role for this computer: attach an "
                          "instance profile, and allow 169.254.169.254:80 in the manager's "
                          "endpoints for aws");
    }
    role = text_slice(role, 0, text_find_byte(role, '\n'));
    if (!account_metadata(work, "GET",
                          arena_printf(work->arena, "%s%.*s", path, TEXT_ARG(role)).data, token,
                          &json) ||
        !json_parse_answer(work->arena, json, &doc, &err) ||
        !account_fill(out, doc_child_text(&doc, "AccessKeyId"),
                      doc_child_text(&doc, "SecretAccessKey"), doc_child_text(&doc, "Token"),
                      doc_child_text(&doc, "Expiration"))) {
        return aws_refuse(work, REEVE_TRANSIENT, "",
                          "the metadata service gives no keys for the role %.*s", TEXT_ARG(role));
    }
    return REEVE_OK;
}

/* ---- roles that are kept ---- */

/* Returns the slot for a secret. If the secret has none, reuses the least recently used slot.
 * Called with role_mutex locked. */
static struct aws_role *account_role_get(struct aws *aws, struct text secret)
{
    unsigned char hash[32];
    struct aws_role *oldest = &aws->roles[0];
    int code = gnutls_hash_fast(GNUTLS_DIG_SHA256, secret.data, secret.length, hash);

    assert(code == 0);
    (void)code;
    for (size_t i = 0; i < AWS_ROLES_MAX; i++) {
        struct aws_role *role = &aws->roles[i];

        if (role->used > 0 && memcmp(role->hash, hash, sizeof(hash)) == 0) {
            role->used = ++aws->role_uses;
            return role;
        }
        oldest = role->used < oldest->used ? role : oldest;
    }
    explicit_bzero(oldest, sizeof(*oldest));
    memcpy(oldest->hash, hash, sizeof(hash));
    oldest->used = ++aws->role_uses;
    return oldest;
}

static int32_t account_role_renew(struct aws_work *work, const struct account_secret *secret,
                                  struct aws_keys *out)
{
    struct aws_keys base;
    int32_t result;

    if (secret->is_instance) {
        return account_of_instance(work, out);
    }
    (void)account_fill(&base, secret->id, secret->secret, secret->session, TEXT(""));
    result = account_assume(work, secret, &base, out);
    explicit_bzero(&base, sizeof(base));
    return result;
}

/* Gets keys of a role. `refused` are keys that the provider has rejected; NULL: none. */
static int32_t account_role_take(struct aws_work *work, struct text bytes,
                                 const struct account_secret *secret,
                                 const struct aws_keys *refused)
{
    struct aws *aws = work->aws;
    struct aws_role *role;
    struct aws_keys renewed = { 0 };
    int32_t result = REEVE_OK;

    (void)pthread_mutex_lock(&aws->role_mutex);
    role = account_role_get(aws, bytes);
    if (role->keys.id[0] == '\0' || role->keys.expires_s - RENEW_EARLY_S < ec2_now_s(aws) ||
        (refused != NULL && strcmp(refused->id, role->keys.id) == 0)) {
        result = account_role_renew(work, secret, &renewed);
        if (result == REEVE_OK) {
            role->keys = renewed;
        }
        explicit_bzero(&renewed, sizeof(renewed));
    }
    if (result == REEVE_OK) {
        work->keys = role->keys;
        work->has_keys = true;
        work->has_renewable_keys = true;
    }
    (void)pthread_mutex_unlock(&aws->role_mutex);
    return result;
}

int32_t account_keys_get(struct aws_work *work)
{
    struct text bytes = aws_text(work->aws->host->credential(work->call));
    struct account_secret secret;
    const char *why = "";

    if (!account_secret_parse(work->arena, bytes, &secret, &why)) {
        return aws_refuse(work, REEVE_AUTH, "", "%s", why);
    }
    if (secret.is_instance || secret.role.length > 0) {
        return account_role_take(work, bytes, &secret, NULL);
    }
    (void)account_fill(&work->keys, secret.id, secret.secret, secret.session, TEXT(""));
    work->has_keys = true;
    return REEVE_OK;
}

int32_t account_keys_renew(struct aws_work *work)
{
    struct text bytes = aws_text(work->aws->host->credential(work->call));
    struct account_secret secret;
    struct aws_keys refused = work->keys;
    const char *why;
    int32_t result;

    if (!work->has_renewable_keys || !account_secret_parse(work->arena, bytes, &secret, &why)) {
        return REEVE_AUTH;
    }
    result = account_role_take(work, bytes, &secret, &refused);
    explicit_bzero(&refused, sizeof(refused));
    return result;
}

void account_keys_wipe(struct aws_work *work)
{
    explicit_bzero(&work->keys, sizeof(work->keys));
    work->has_keys = false;
}
