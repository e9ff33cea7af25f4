#include "http/guard.h"

#include <assert.h>
#include <strings.h>

static const char *const header_names[HTTP_HEADER_COUNT] = {
    [HTTP_ACCEPT] = "Accept",
    [HTTP_ACCEPT_ENCODING] = "Accept-Encoding",
    [HTTP_AUTHORIZATION] = "Authorization",
    [HTTP_CONTENT_LENGTH] = "Content-Length",
    [HTTP_CONTENT_TYPE] = "Content-Type",
    [HTTP_COOKIE] = "Cookie",
    [HTTP_EXPECT] = "Expect",
    [HTTP_HOST] = "Host",
    [HTTP_IDEMPOTENCY_KEY] = "Idempotency-Key",
    [HTTP_IF_MATCH] = "If-Match",
    [HTTP_IF_NONE_MATCH] = "If-None-Match",
    [HTTP_LAST_EVENT_ID] = "Last-Event-ID",
    [HTTP_ORIGIN] = "Origin",
    [HTTP_RANGE] = "Range",
    [HTTP_REEVE_CSRF] = "Reeve-Csrf",
    [HTTP_REEVE_FORWARDED] = "Reeve-Forwarded",
    [HTTP_REEVE_TENANT] = "Reeve-Tenant",
    [HTTP_TRACEPARENT] = "traceparent",
    [HTTP_TRANSFER_ENCODING] = "Transfer-Encoding",
    [HTTP_X_FORWARDED_FOR] = "X-Forwarded-For",
};

static void guard_fault_keep(struct guard *guard, const struct err *err)
{
    if (!guard->has_fault) {
        guard->has_fault = true;
        guard->fault = *err;
    }
}

/* Returns whether a header has a control character. Some parsers, for example, end a line at a lone
 * CR. */
static bool has_guard_control(const char *value)
{
    for (; value != NULL && *value != '\0'; value++) {
        unsigned char byte = (unsigned char)*value;

        if ((byte < ' ' && byte != '\t') || byte == 0x7f) {
            return true;
        }
    }
    return false;
}

void guard_torn(struct guard *guard)
{
    struct err err;

    err_set(&err, CODE_R0420,
            "a line of the request does not end with CR LF, or has a control character in it");
    guard_fault_keep(guard, &err);
    guard->closes = true;
}

bool guard_header(struct guard *guard, const char *name, const char *value)
{
    struct http_request *request = guard->request;
    struct err err;

    if (++guard->count > LIMIT_HTTP_HEADERS) {
        err_set(&err, CODE_R0420, "the request has more than %d headers", LIMIT_HTTP_HEADERS);
        guard_fault_keep(guard, &err);
        return false;
    }
    if (has_guard_control(name) || has_guard_control(value)) {
        guard_torn(guard);
        return false;
    }
    for (size_t i = 0; i < HTTP_HEADER_COUNT; i++) {
        if (strcasecmp(name, header_names[i]) != 0) {
            continue;
        }
        if (request->headers[i].data != NULL && i != HTTP_X_FORWARDED_FOR) {
            err_set(&err, CODE_R0420, "the header %s appears twice", header_names[i]);
            guard_fault_keep(guard, &err);
            guard->closes = true;
        }
        request->headers[i] =
            arena_text(request->arena, value == NULL ? TEXT("") : text_from(value));
        assert(request->headers[i].data != NULL);
        break;
    }
    return true;
}

/* Finds the client. Each proxy appends its peer's address to X-Forwarded-For. So the rightmost
 * address that is not a trusted proxy is the client. */
struct text guard_client(const struct http_request *request, const struct http_crowd *crowd)
{
    struct text rest = request->headers[HTTP_X_FORWARDED_FOR];
    struct text client = text_from(request->peer->address);

    while (request->peer->is_proxy && rest.data != NULL && rest.length > 0) {
        size_t start = rest.length;
        struct text one;

        while (start > 0 && rest.data[start - 1] != ',') {
            start--;
        }
        one = text_trim(text_slice(rest, start, rest.length));
        if (one.length == 0 || one.length >= HTTP_ADDRESS_BYTES) {
            break;
        }
        client = one;
        if (!crowd->is_proxy(crowd->arg, one)) {
            break;
        }
        rest = text_slice(rest, 0, start > 0 ? start - 1 : 0);
    }
    return client;
}

void guard_framing(struct guard *guard)
{
    const struct text *headers = guard->request->headers;
    struct text encoding = headers[HTTP_TRANSFER_ENCODING];
    struct err err;

    if (encoding.data == NULL) {
        return;
    }
    if (headers[HTTP_CONTENT_LENGTH].data != NULL) {
        err_set(&err, CODE_R0420, "the request has both Content-Length and Transfer-Encoding");
    } else if (encoding.length != 7 || strncasecmp(encoding.data, "chunked", 7) != 0) {
        err_set(&err, CODE_R0420, "the request has a Transfer-Encoding other than chunked");
    } else {
        return;
    }
    guard_fault_keep(guard, &err);
    guard->closes = true;
}
