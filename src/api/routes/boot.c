#include "api/request/body.h"
#include "api/request/form.h"
#include "api/request/handlers.h"
#include "api/request/take.h"
#include "api/users/access.h"
#include "base/limits.h"
#include "base/macros.h"
#include "service/service_command.h"
#include "ssh/host_key.h"
#include "sys/digest.h"
#include "sys/random.h"

#include <string.h>

/* public names start with: api_ boot_ */

/* Receives the reports of machines at their first boot. The module phone_home of cloud-init sends a
 * form; other programs send JSON. The sender has no login, only the token in the path, so all of
 * its data may be hostile. Unneeded values are ignored. */

enum {
    BOOT_NAME_LENGTH = 24, /* digits of a token's digest, by which the token is found */
    BOOT_HOST_NAME_MAX = 253,
    BOOT_USES_MAX = 1000,
    BOOT_SECONDS_MAX = 7 * 24 * 3600,
    BOOT_SECONDS = 3600, /* default lifetime of a token, in s */
};

/* The values of a report. If it has several host keys, the first one of this list is used. */
enum {
    BOOT_KEY_ED25519,
    BOOT_KEY_ECDSA,
    BOOT_KEY_RSA,
    BOOT_KEYS,
    BOOT_HOST = BOOT_KEYS,
    BOOT_FIELDS
};
static const char *const boot_names[BOOT_FIELDS] = { "pub_key_ed25519", "pub_key_ecdsa",
                                                     "pub_key_rsa", "hostname" };
static const char *const boot_types[BOOT_KEYS] = { "ssh-ed25519 ", "ecdsa-sha2-", "ssh-rsa " };

struct boot_body {
    struct text values[BOOT_FIELDS];
};

static struct text *boot_field_find(struct boot_body *body, struct text name)
{
    for (size_t i = 0; i < BOOT_FIELDS; i++) {
        if (text_is(name, boot_names[i])) {
            return &body->values[i];
        }
    }
    return NULL;
}

/* ---- bodies ---- */

/* Reads the body of a report. Returns false if the request was rejected. */
MUST_CHECK static bool boot_body_take(struct call *call, struct boot_body *out)
{
    struct text type = call_header(call, HTTP_CONTENT_TYPE);
    struct doc body;
    struct err err;

    *out = (struct boot_body){ 0 };
    if (text_has_prefix(type, TEXT("application/x-www-form-urlencoded"))) {
        if (!form_read(call->arena, call->request->body, boot_names, BOOT_FIELDS, out->values,
                       &err)) {
            call_refuse(call, &err);
            return false;
        }
        return true;
    }
    if (!body_take(call, &body)) {
        return false;
    }
    for (size_t i = 0; doc_is_map(&body) && i < body.entry_count; i++) {
        struct text *field = boot_field_find(out, body.entries[i].key);

        if (field != NULL && doc_is_scalar(&body.entries[i].value)) {
            *field = body.entries[i].value.text;
        }
    }
    return true;
}

/* ---- reports ---- */

/* Finds the first host key of the report. cloud-init writes N/A for a key that does not exist. */
MUST_CHECK static bool boot_key_take(struct call *call, const struct boot_body *body,
                                     struct text *out, struct err *err)
{
    for (size_t i = 0; i < BOOT_KEYS; i++) {
        struct text line = text_trim(body->values[i]);

        if (line.length == 0 || text_is(line, "N/A")) {
            continue;
        }
        if (!text_has_prefix(line, text_from(boot_types[i])) ||
            text_find_byte(line, '\n') != SIZE_MAX) {
            return err_set(err, CODE_R0715, "%s is not a host key of that type", boot_names[i]);
        }
        return ssh_host_key_parse(call->arena, line, out, err);
    }
    return err_set(err, CODE_R0715,
                   "the report has no host key: pub_key_ed25519, pub_key_ecdsa "
                   "or pub_key_rsa");
}

MUST_CHECK static bool boot_host_take(const struct boot_body *body, struct text *out,
                                      struct err *err)
{
    struct text name = text_trim(body->values[BOOT_HOST]);
    bool is_good = name.length <= BOOT_HOST_NAME_MAX && !text_has_prefix(name, TEXT("-"));

    for (size_t i = 0; is_good && i < name.length; i++) {
        char byte = name.data[i];

        is_good = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                  (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_';
    }
    *out = name;
    return is_good || err_set(err, CODE_R0426, "hostname is not a valid host name");
}

/* Finds the token in the path, TENANT-SECRET. A wrong token counts as a failed login attempt
 * (attempts.h). */
MUST_CHECK static bool boot_token_take(struct call *call, struct service_boot_report *out,
                                       struct err *err)
{
    char digest[DIGEST_TEXT_BYTES];
    size_t dash = call->name.length;

    while (dash > 0 && call->name.data[dash - 1] != '-') {
        dash--;
    }
    digest_sha256(text_slice(call->name, dash, SIZE_MAX), digest);
    out->tenant = text_slice(call->name, 0, dash > 0 ? dash - 1 : 0);
    out->token = arena_printf(call->arena, "%.*s", BOOT_NAME_LENGTH, digest);
    if (out->tenant.length > 0 &&
        service_boot_token_has(call->api->options.service, call->arena, out->tenant, out->token)) {
        return true;
    }
    err_set(err, CODE_R0846, "this token for boot reports is not valid");
    return access_wrong(call, err);
}

void api_boot_report(struct call *call)
{
    struct service *service = call->api->options.service;
    struct service_boot_report report = { .address = call->request->client };
    struct boot_body body;
    struct err err;

    if (!service_is_ready(service)) {
        err_set(&err, CODE_R0428, "this manager is still reading its store");
        call_refuse(call, &err);
        return;
    }
    if (!boot_token_take(call, &report, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (!boot_body_take(call, &body)) {
        return;
    }
    if (!boot_key_take(call, &body, &report.host_key, &err) ||
        !boot_host_take(&body, &report.host_name, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (call->request->peer->is_local || report.address.length == 0) {
        err_set(
            &err, CODE_R0426,
            "a boot report must come from the address of the machine, not through a local connection");
        call_refuse(call, &err);
        return;
    }
    service_boot_report(service, call->arena, &report, call_answered, call);
}

/* ---- tokens ---- */

void api_boot_token_make(struct call *call)
{
    struct service_boot_token token = { .uses = 1 };
    uint64_t seconds = 0;
    uint64_t uses = 0;
    char secret[RANDOM_TOKEN_BYTES];
    char digest[DIGEST_TEXT_BYTES];
    struct doc body;
    struct err err;

    if (!body_take(call, &body)) {
        return;
    }
    if (!take_number(&body, "uses", BOOT_USES_MAX, &uses, &err) ||
        !take_number(&body, "seconds", BOOT_SECONDS_MAX, &seconds, &err) ||
        !take_short(&body, "note", &token.note, &err)) {
        call_refuse(call, &err);
        return;
    }
    random_token(call->api->options.random, secret);
    digest_sha256(text_from(secret), digest);
    token.name = arena_printf(call->arena, "%.*s", BOOT_NAME_LENGTH, digest);
    token.secret = arena_printf(call->arena, "%.*s-%s", TEXT_ARG(call->actor.tenant), secret);
    token.uses = uses > 0 ? uses : 1;
    token.for_ms = (seconds > 0 ? seconds : BOOT_SECONDS) * 1000;
    service_boot_token_make(call->api->options.service, call->arena, &call->actor, &token,
                            call_answered, call);
}

void api_boot_tokens(struct call *call)
{
    service_boot_tokens(call->api->options.service, call->arena, &call->actor, call_answered, call);
}

void api_boot_token_delete(struct call *call)
{
    service_boot_token_delete(call->api->options.service, call->arena, &call->actor, call->name,
                              call_answered, call);
}
