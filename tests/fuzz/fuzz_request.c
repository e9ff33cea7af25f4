/* HTTP requests before the API passes them to the engine: target, headers, an empty line, a body.
 * No input breaks the parser. A request that two parsers could read differently is refused, and its
 * connection is closed. A refusal has a reason, and an accepted request is within the limits. */
#include "api/request/body.h"
#include "api/users/people.h"
#include "api/request/trace.h"
#include "base/limits.h"
#include "fuzz.h"
#include "http/guard.h"

#include <string.h>

static int64_t wall_ms(void *arg)
{
    (void)arg;
    return 1700000000000;
}

static uint64_t monotonic_ns(void *arg)
{
    (void)arg;
    return 1;
}

static void fill(void *arg, void *out, size_t bytes)
{
    (void)arg;
    memset(out, 7, bytes);
}

/* Returns the next line, without its line end. */
static struct text line_take(struct text *rest)
{
    struct text line = text_slice(*rest, 0, text_find_byte(*rest, '\n'));

    *rest = text_slice(*rest, line.length + 1, rest->length);
    return line;
}

static void guard_check(const struct guard *guard)
{
    const struct text *headers = guard->request->headers;

    FUZZ_CHECK(!guard->has_fault ||
               (guard->fault.code == CODE_R0420 && guard->fault.text[0] != '\0'));
    FUZZ_CHECK(!guard->closes || guard->has_fault);
    FUZZ_CHECK(guard->has_fault || guard->count <= LIMIT_HTTP_HEADERS);
    FUZZ_CHECK(headers[HTTP_CONTENT_LENGTH].data == NULL ||
               headers[HTTP_TRANSFER_ENCODING].data == NULL || guard->closes ||
               guard->count > LIMIT_HTTP_HEADERS);
}

static void headers_take(struct arena *arena, struct text *rest, struct guard *guard)
{
    for (;;) {
        struct text line = line_take(rest);
        size_t colon = text_find_byte(line, ':');
        bool has_value = colon != SIZE_MAX;

        if (line.length == 0 ||
            !guard_header(
                guard, arena_string(arena, text_slice(line, 0, colon)),
                has_value ? arena_string(arena, text_trim(text_slice(line, colon + 1, line.length)))
                          : NULL)) {
            break;
        }
    }
    guard_framing(guard);
    guard_check(guard);
}

static void errors_check(const struct err_list *errors)
{
    FUZZ_CHECK(errors->errors > 0);
    for (size_t i = 0; i < errors->count; i++) {
        FUZZ_CHECK(errors->items[i].code != CODE_NONE && errors->items[i].text[0] != '\0');
    }
}

static void apply_check(struct call *call)
{
    struct service_change change = { 0 };
    struct err_list errors;

    err_list_init(&errors, call->arena);
    if (!body_apply(call, &change, &errors)) {
        errors_check(&errors);
        return;
    }
    FUZZ_CHECK(errors.errors == 0);
    FUZZ_CHECK(change.document_count > 0 && change.document_count <= LIMIT_DOCUMENTS_PER_SET);
    FUZZ_CHECK(change.why.length <= LIMIT_WHY_BYTES);
    FUZZ_CHECK(text_find_byte(change.idempotency_key, '/') == SIZE_MAX);
}

/* Checks only tenants and users, because the objects to which tokens and grants refer do not exist
 * here. */
static void people_check(struct call *call, enum identity_kind kind)
{
    struct people_record record;
    struct err err;

    if (people_read(call, kind, &record, &err)) {
        FUZZ_CHECK(record.name.length > 0 && record.name.length <= LIMIT_TENANT_BYTES);
        FUZZ_CHECK(text_find_byte(record.name, '/') == SIZE_MAX);
        FUZZ_CHECK(record.value.length > 0);
    } else {
        FUZZ_CHECK(err.code != CODE_NONE && err.text[0] != '\0');
    }
}

static void trace_check(struct text header)
{
    struct random random = { fill, NULL };
    struct trace sent;
    struct trace ours = trace_begin(header, random);
    struct trace again;
    char text[TRACE_TEXT_BYTES];

    trace_format(&ours, text);
    FUZZ_CHECK(trace_parse(text_from(text), &again));
    FUZZ_CHECK(strcmp(again.id, ours.id) == 0 && strcmp(again.span, ours.span) == 0);
    FUZZ_CHECK(!trace_parse(header, &sent) || strcmp(sent.id, ours.id) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new((size_t)256 << 20);
    struct text rest = { (const char *)data, size };
    struct api api = { .options = { .clock = { .wall_ms = wall_ms, .monotonic_ns = monotonic_ns },
                                    .random = { fill, NULL } } };
    struct http_request request = { .arena = arena };
    struct guard guard = { .request = &request };
    struct call call = { .api = &api, .request = &request, .arena = arena };
    struct text target = line_take(&rest);
    struct err err;

    call.actor.tenant = TEXT("default");
    call.actor.user = TEXT("ana");
    if (target_parse(arena, target, &request.target, &err)) {
        headers_take(arena, &rest, &guard);
        request.body = rest;
        apply_check(&call);
        people_check(&call, IDENTITY_TENANT);
        people_check(&call, IDENTITY_USER);
        trace_check(call_header(&call, HTTP_TRACEPARENT));
    }
    arena_free(arena);
    return 0;
}
