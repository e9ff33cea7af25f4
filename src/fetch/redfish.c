#include "fetch/redfish.h"

#include "base/buf.h"
#include "base/limits.h"
#include "codec/doc_child.h"
#include "codec/json.h"

#include <curl/curl.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* public names start with: redfish_ */

/* Normal case: the path of the system is read from /redfish/v1/Systems, unless the order has it.
 * `status` reads the system. `boot` changes Boot of the system, with the ETag that it was read
 * with. `on` and `off` post to the action that the system names.
 *
 * Failures: every answer may be hostile, because the BMC is another computer: its size is limited,
 * only paths below /redfish/v1/ are used, redirects are not followed, and the password is sent only
 * after the certificate was verified (libcurl verifies it before it sends a request). */

enum {
    REDFISH_DEADLINE_MS = 12 * 1000, /* of one request */
    REDFISH_CONNECT_MS = 6 * 1000,
    REDFISH_BODY_BYTES = 512 * 1024,
    REDFISH_PATH_BYTES = 300,
    REDFISH_ETAG_BYTES = 200,
    STATUS_BAD_LOGIN = 401,
    STATUS_FORBIDDEN = 403,
    STATUS_CHANGED = 412,
    STATUS_BUSY = 429,
    STATUS_UNAVAILABLE = 503,
};

struct redfish {
    struct arena *arena;
    const struct redfish_order *order;
    struct secret password;
    const char *authorities;
    CURL *curl;
    struct buf body;
    bool is_long; /* the answer is longer than the limit */
    char etag[REDFISH_ETAG_BYTES];
    long status;
    const char *fault; /* NULL: none so far */
    struct text why;
};

/* ---- answers ---- */

static struct text redfish_json(struct arena *arena, struct doc_builder *builder)
{
    struct doc doc = doc_builder_map(builder, NULL);
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

struct text redfish_refusal(struct arena *arena, const char *fault, const char *why)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "fault", doc_text(text_from(fault), NULL));
    doc_builder_put(&builder, "why", doc_text(text_from(why), NULL));
    return redfish_json(arena, &builder);
}

bool redfish_order_parse(struct arena *arena, struct text bytes, struct redfish_order *out,
                         struct err *err)
{
    struct doc doc;

    if (!json_parse(arena, bytes, NULL, &doc, err)) {
        return false;
    }
    *out = (struct redfish_order){
        .call = doc_child_text(&doc, "call"),
        .url = doc_child_text(&doc, "url"),
        .user = doc_child_text(&doc, "user"),
        .pin = doc_child_text(&doc, "pin"),
        .system = doc_child_text(&doc, "system"),
        .has_ca = text_is(doc_child_text(&doc, "ca"), "true"),
        .is_uefi = text_is(doc_child_text(&doc, "uefi"), "true"),
    };
    return (text_has_prefix(out->url, TEXT("https://")) && out->call.length > 0 &&
            out->user.length > 0) ||
           err_set(err, CODE_R0650, "an order for a BMC is not complete");
}

MUST_CHECK static bool redfish_fail(struct redfish *redfish, const char *fault, struct text why)
{
    redfish->fault = fault;
    redfish->why = why;
    return false;
}

/* ---- requests ---- */

static size_t redfish_body_came(char *data, size_t size, size_t count, void *arg)
{
    struct redfish *redfish = arg;

    if (size * count > REDFISH_BODY_BYTES - redfish->body.length) {
        redfish->is_long = true;
        return CURL_WRITEFUNC_ERROR;
    }
    buf_add(&redfish->body, (struct text){ data, size * count });
    return size * count;
}

static size_t redfish_head_came(char *data, size_t size, size_t count, void *arg)
{
    static const char name[] = "etag:";
    struct redfish *redfish = arg;
    struct text line = { data, size * count };

    if (line.length > strlen(name) && strncasecmp(line.data, name, strlen(name)) == 0) {
        struct text value = text_trim(text_slice(line, strlen(name), line.length));

        if (value.length < sizeof(redfish->etag) && text_is_visible(value)) {
            snprintf(redfish->etag, sizeof(redfish->etag), "%.*s", TEXT_ARG(value));
        }
    }
    return line.length;
}

static void redfish_prepare(struct redfish *redfish, struct text path)
{
    const struct redfish_order *order = redfish->order;
    CURL *curl = redfish->curl;

    curl_easy_reset(curl);
    curl_easy_setopt(
        curl, CURLOPT_URL,
        arena_string(redfish->arena, arena_printf(redfish->arena, "%.*s%.*s", TEXT_ARG(order->url),
                                                  TEXT_ARG(path))));
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
    curl_easy_setopt(curl, CURLOPT_USERNAME, arena_string(redfish->arena, order->user));
    curl_easy_setopt(curl, CURLOPT_PASSWORD,
                     arena_string(redfish->arena, secret_reveal(redfish->password)));
    curl_easy_setopt(curl, CURLOPT_HTTP09_ALLOWED, 0L);
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "reeve/" REEVE_VERSION);
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (order->pin.length > 0) {
        /* certificates of BMCs are self-signed, so the pinned key is what is verified */
        curl_easy_setopt(curl, CURLOPT_PINNEDPUBLICKEY, arena_string(redfish->arena, order->pin));
        curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
    } else {
        curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
        curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
        curl_easy_setopt(curl, CURLOPT_CAINFO, redfish->authorities);
        curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
    }
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)REDFISH_CONNECT_MS);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)REDFISH_DEADLINE_MS);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, redfish_body_came);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, redfish);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, redfish_head_came);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, redfish);
}

/* The message that the BMC gives with an error, as far as it is a line of text. */
static struct text redfish_message(struct redfish *redfish)
{
    enum { MESSAGE_BYTES = 200 };
    const struct doc *details;
    struct text text;
    struct doc doc;
    struct err err;

    if (!json_parse(redfish->arena, buf_text(&redfish->body), NULL, &doc, &err)) {
        return TEXT("");
    }
    details = doc_child(doc_child(&doc, "error"), "@Message.ExtendedInfo");
    text = doc_is_list(details) && details->item_count > 0
               ? doc_child_text(&details->items[0], "Message")
               : TEXT("");
    text = text.length > 0 ? text : doc_child_text(doc_child(&doc, "error"), "message");
    return text_slice(text, 0, MESSAGE_BYTES);
}

MUST_CHECK static bool redfish_status_judge(struct redfish *redfish, struct text path)
{
    struct text message = redfish_message(redfish);

    if (redfish->status >= 200 && redfish->status < 300) {
        return true;
    }
    switch (redfish->status) {
    case STATUS_BAD_LOGIN:
        return redfish_fail(redfish, "login",
                            arena_printf(redfish->arena,
                                         "does not accept the password of user '%.*s', or has "
                                         "locked that user",
                                         TEXT_ARG(redfish->order->user)));
    case STATUS_FORBIDDEN:
        return redfish_fail(redfish, "privilege",
                            arena_printf(redfish->arena, "does not let user '%.*s' switch power",
                                         TEXT_ARG(redfish->order->user)));
    case STATUS_BUSY:
    case STATUS_UNAVAILABLE:
    case STATUS_CHANGED:
        return redfish_fail(redfish, "busy",
                            arena_printf(redfish->arena, "is busy (%ld)%s%.*s", redfish->status,
                                         message.length > 0 ? ": " : "", TEXT_ARG(message)));
    default:
        return redfish_fail(redfish, "other",
                            arena_printf(redfish->arena, "answers %ld for %.*s%s%.*s",
                                         redfish->status, TEXT_ARG(path),
                                         message.length > 0 ? ": " : "", TEXT_ARG(message)));
    }
}

MUST_CHECK static bool redfish_failure_judge(struct redfish *redfish, CURLcode code,
                                             const char *words)
{
    const char *more = words[0] != '\0' ? words : curl_easy_strerror(code);

    if (redfish->is_long) {
        return redfish_fail(redfish, "other", TEXT("sends an answer that is too long"));
    }
    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_ISSUER_ERROR) {
        return redfish_fail(
            redfish, "certificate",
            arena_printf(redfish->arena,
                         "presents a certificate that no trusted CA has signed for its address: %s",
                         more));
    }
    if (code == CURLE_SSL_PINNEDPUBKEYNOTMATCH) {
        return redfish_fail(redfish, "certificate",
                            TEXT("presents another public key than the pinned one"));
    }
    if (code == CURLE_OPERATION_TIMEDOUT || code == CURLE_COULDNT_CONNECT ||
        code == CURLE_COULDNT_RESOLVE_HOST) {
        return redfish_fail(redfish, "silent",
                            arena_printf(redfish->arena, "does not answer: %s", more));
    }
    return redfish_fail(redfish, "other",
                        arena_printf(redfish->arena, "cannot be asked: %s", more));
}

/* Makes a request; `body` empty: GET. *out is the answer if it is JSON. */
MUST_CHECK static bool redfish_ask(struct redfish *redfish, const char *method, struct text path,
                                   struct text body, struct doc *out)
{
    char words[CURL_ERROR_SIZE] = "";
    struct curl_slist *heads = curl_slist_append(NULL, "Accept: application/json");
    bool is_patch = strcmp(method, "PATCH") == 0;
    CURLcode code;
    struct err err;

    redfish_prepare(redfish, path);
    buf_init(&redfish->body, redfish->arena);
    redfish->status = 0;
    if (body.length > 0) {
        heads = curl_slist_append(heads, "Content-Type: application/json");
        curl_easy_setopt(redfish->curl, CURLOPT_POSTFIELDSIZE, (long)body.length);
        curl_easy_setopt(redfish->curl, CURLOPT_COPYPOSTFIELDS, arena_string(redfish->arena, body));
        curl_easy_setopt(redfish->curl, CURLOPT_CUSTOMREQUEST, method);
    }
    if (is_patch && redfish->etag[0] != '\0') {
        heads = curl_slist_append(
            heads, arena_string(redfish->arena,
                                arena_printf(redfish->arena, "If-Match: %s", redfish->etag)));
    }
    redfish->etag[0] = '\0';
    curl_easy_setopt(redfish->curl, CURLOPT_HTTPHEADER, heads);
    curl_easy_setopt(redfish->curl, CURLOPT_ERRORBUFFER, words);
    code = curl_easy_perform(redfish->curl);
    curl_easy_getinfo(redfish->curl, CURLINFO_RESPONSE_CODE, &redfish->status);
    curl_easy_setopt(redfish->curl, CURLOPT_ERRORBUFFER, NULL);
    curl_easy_setopt(redfish->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(heads);
    if (code != CURLE_OK) {
        return redfish_failure_judge(redfish, code, words);
    }
    if (!redfish_status_judge(redfish, path)) {
        return false;
    }
    *out = (struct doc){ 0 };
    return body.length > 0 ||
           json_parse(redfish->arena, buf_text(&redfish->body), NULL, out, &err) ||
           redfish_fail(redfish, "other", TEXT("does not answer in JSON: is it a Redfish BMC?"));
}

/* ---- the system ---- */

/* A path that the BMC names, if it may be used. */
MUST_CHECK static bool redfish_path_check(struct redfish *redfish, struct text path)
{
    return (text_has_prefix(path, TEXT("/redfish/v1/")) && path.length <= REDFISH_PATH_BYTES &&
            text_is_visible(path)) ||
           redfish_fail(redfish, "other", TEXT("names a path that is not one of Redfish"));
}

/* Finds the path of the system, and reads the system. */
MUST_CHECK static bool redfish_system_read(struct redfish *redfish, struct text *out_path,
                                           struct doc *out)
{
    const struct doc *members;
    struct doc list;

    *out_path = redfish->order->system;
    if (out_path->length == 0) {
        if (!redfish_ask(redfish, "GET", TEXT("/redfish/v1/Systems"), TEXT(""), &list)) {
            return false;
        }
        members = doc_child(&list, "Members");
        if (!doc_is_list(members) || members->item_count == 0) {
            return redfish_fail(redfish, "other", TEXT("has no system"));
        }
        if (members->item_count > 1) {
            return redfish_fail(
                redfish, "other",
                arena_printf(
                    redfish->arena, "has %zu systems: name one in the address, such as %.*s",
                    members->item_count,
                    TEXT_ARG(text_slice(doc_child_text(&members->items[0], "@odata.id"), 0, 100))));
        }
        *out_path = doc_child_text(&members->items[0], "@odata.id");
    }
    return redfish_path_check(redfish, *out_path) &&
           redfish_ask(redfish, "GET", *out_path, TEXT(""), out);
}

/* ---- calls ---- */

MUST_CHECK static bool redfish_boot_set(struct redfish *redfish, struct text path,
                                        const struct doc *system)
{
    struct doc_builder builder;
    struct doc_builder boot;
    struct doc unused;
    bool has_mode = doc_child(doc_child(system, "Boot"), "BootSourceOverrideMode") != NULL;

    doc_builder_init(&boot, redfish->arena);
    doc_builder_put(&boot, "BootSourceOverrideEnabled", doc_text(TEXT("Once"), NULL));
    if (has_mode && redfish->order->is_uefi) {
        doc_builder_put(&boot, "BootSourceOverrideMode", doc_text(TEXT("UEFI"), NULL));
    }
    doc_builder_put(&boot, "BootSourceOverrideTarget", doc_text(TEXT("Pxe"), NULL));
    doc_builder_init(&builder, redfish->arena);
    doc_builder_put(&builder, "Boot", doc_builder_map(&boot, NULL));
    return redfish_ask(redfish, "PATCH", path, redfish_json(redfish->arena, &builder), &unused);
}

MUST_CHECK static bool redfish_reset(struct redfish *redfish, const struct doc *system,
                                     const char *type)
{
    const struct doc *action = doc_child(doc_child(system, "Actions"), "#ComputerSystem.Reset");
    struct text target = doc_child_text(action, "target");
    struct doc_builder builder;
    struct doc unused;

    if (target.length == 0) {
        return redfish_fail(redfish, "other", TEXT("has no action that resets the system"));
    }
    doc_builder_init(&builder, redfish->arena);
    doc_builder_put(&builder, "ResetType", doc_text(text_from(type), NULL));
    return redfish_path_check(redfish, target) &&
           redfish_ask(redfish, "POST", target, redfish_json(redfish->arena, &builder), &unused);
}

MUST_CHECK static bool redfish_carry_out(struct redfish *redfish, struct text *out_state)
{
    struct text call = redfish->order->call;
    struct doc system;
    struct text path;
    struct text state;

    *out_state = TEXT("unknown");
    if (!redfish_system_read(redfish, &path, &system)) {
        return false;
    }
    if (text_is(call, "boot")) {
        return redfish_boot_set(redfish, path, &system);
    }
    if (text_is(call, "on") || text_is(call, "off")) {
        return redfish_reset(redfish, &system, text_is(call, "on") ? "On" : "ForceOff");
    }
    state = doc_child_text(&system, "PowerState");
    if (text_is(state, "On")) {
        *out_state = TEXT("on");
    } else if (text_is(state, "Off")) {
        *out_state = TEXT("off");
    }
    return true;
}

struct text redfish_run(struct arena *arena, const struct redfish_order *order,
                        struct secret password, const char *authorities)
{
    struct redfish redfish = { .arena = arena,
                               .order = order,
                               .password = password,
                               .authorities = authorities,
                               .curl = curl_easy_init() };
    struct doc_builder builder;
    struct text state;
    bool is_done;

    assert(redfish.curl != NULL);
    is_done = redfish_carry_out(&redfish, &state);
    curl_easy_cleanup(redfish.curl);
    doc_builder_init(&builder, arena);
    if (is_done) {
        doc_builder_put(&builder, "state", doc_text(state, NULL));
    } else {
        doc_builder_put(&builder, "fault", doc_text(text_from(redfish.fault), NULL));
        doc_builder_put(&builder, "why", doc_text(redfish.why, NULL));
    }
    return redfish_json(arena, &builder);
}
