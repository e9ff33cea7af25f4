#include "stack.h"

#include "base/buf.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "exchange.h"

#include <assert.h>
#include <stdio.h>

enum { STACK_POLL_MOST_MS = 5000, STACK_END_MS = 1000 };

static const struct classify_row stack_rows[] = {
#define CLASSIFY_ROW(name, status, code, contains, result) { status, code, contains, result },
#include "answers.def"
#undef CLASSIFY_ROW
};
/* An enum with a name for each row, so that two rows with the same name do not compile. */
enum {
#define CLASSIFY_ROW(name, status, code, contains, result) STACK_ROW_##name,
#include "answers.def"
#undef CLASSIFY_ROW
};
static const struct classify_table stack_table = { stack_rows, ARRAY_COUNT(stack_rows) };

/* The services by their names in the catalog, with the version that is part of their paths. */
static const struct {
    const char *type;
    const char *other_type;
    const char *version;
} stack_services[] = {
    [STACK_COMPUTE] = { "compute", "compute", "" },
    [STACK_NETWORK] = { "network", "network", "/v2.0" },
    [STACK_IMAGE] = { "image", "image", "/v2" },
    [STACK_VOLUME] = { "volumev3", "block-storage", "" },
};

/* One request in progress. */
struct stack_sending {
    struct stack_call *work;
    const struct stack_request *request;
    struct stack_answer *answer;
    struct text url;
    char token[STACK_TOKEN_BYTES];
};

/* Reads an error: {"badRequest": {"message"}} of nova and cinder, {"NeutronError": {"type",
 * "message"}} of neutron, {"error": {"title", "message"}} of keystone. */
static void stack_error_read(const struct doc *doc, struct classify_attempt *out)
{
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        const struct doc *error = &doc->entries[i].value;

        if (doc_is_map(error) && doc_child(error, "message") != NULL) {
            out->code = doc_child(error, "type") != NULL    ? doc_child_text(error, "type")
                        : doc_child(error, "title") != NULL ? doc_child_text(error, "title")
                                                            : doc->entries[i].key;
            out->message = doc_child_text(error, "message");
            return;
        }
    }
}

/* glance writes its errors as HTML. If another service returns a body that is not JSON, the body
 * comes from a proxy in front of the service, and does not show what happened to the request. */
static void stack_read_body(struct stack_sending *sending, const struct http_answer *answer,
                            struct classify_attempt *out)
{
    struct stack_answer *into = sending->answer;
    bool is_refusal = answer->status >= 400 && answer->status < 500;
    struct err err;

    into->doc = (struct doc){ 0 };
    if (answer->body.length == 0 &&
        (answer->status == 202 || answer->status == 204
             ? strcmp(sending->request->method, "GET") != 0
             : answer->status == 200 && strcmp(sending->request->method, "DELETE") == 0)) {
        /* the answer to a change may have no body; any other answer without a body was truncated */
        return;
    }
    if (json_parse_answer(sending->work->arena, answer->body, &into->doc, &err) &&
        doc_is_map(&into->doc)) {
        if (answer->status >= 300) {
            stack_error_read(&into->doc, out);
        }
        return;
    }
    into->doc = (struct doc){ 0 };
    out->message = TEXT("the answer is not JSON");
    out->is_broken = !(answer->status == 401 || answer->status == 413 || answer->status == 429 ||
                       (is_refusal && sending->request->service == STACK_IMAGE));
}

static void stack_attempt(void *arg, uint64_t ends_ms, struct classify_attempt *out)
{
    struct stack_sending *sending = arg;
    struct stack_call *work = sending->work;
    const struct stack_request *request = sending->request;
    struct http_header headers[] = {
        { TEXT("x-auth-token"), text_from(sending->token) },
        { TEXT("openstack-api-version"), TEXT("compute 2.79") },
        { TEXT("accept"), TEXT("application/json") },
        { TEXT("content-type"), TEXT("application/json") },
    };
    struct http_request send = {
        .method = text_from(request->method),
        .url =
            arena_printf(work->arena, "%.*s%.*s", TEXT_ARG(sending->url), TEXT_ARG(request->path)),
        .headers = headers,
        .header_count = request->body.length > 0 ? 4 : 3,
        .body = request->body,
        .ends_ms = ends_ms,
        .priority = request->priority,
        .is_single = request->kind == CLASSIFY_TWICE,
    };
    struct http_answer answer;

    (void)http_send(work->stack->http, work->arena, &send, &answer);
    out->outcome = answer.outcome;
    out->is_past_end = answer.is_past_end;
    out->status = answer.status;
    out->message = answer.why;
    sending->answer->status = answer.status;
    if (answer.outcome == HTTP_ANSWER) {
        out->retry_after_ms = http_answer_retry_after_ms(&answer);
        stack_read_body(sending, &answer, out);
        if (answer.status == 413 && out->retry_after_ms > 0) {
            /* this is a rate limit and not a quota, so it ends without an action of the user */
            out->status = 429;
        }
    }
}

/* Called after the provider has refused the token. Gets a new token after status 401. Any other
 * refusal has a reason in the cloud's policy, which a new token would not change. */
static int32_t stack_renew(void *arg)
{
    struct stack_sending *sending = arg;
    struct classify_attempt last;

    return sending->answer->status == 401
               ? stack_access_get(sending->work, true, sending->token, &last)
               : REEVE_AUTH;
}

/* Finds the URL of the service. Returns false if the catalog has none. */
static bool stack_service_url(struct stack_sending *sending)
{
    const struct stack_request *request = sending->request;
    struct stack_call *work = sending->work;
    const char *version = stack_services[request->service].version;

    sending->url = stack_endpoint(work, stack_services[request->service].type, request->region);
    if (sending->url.length == 0) {
        sending->url =
            stack_endpoint(work, stack_services[request->service].other_type, request->region);
    }
    if (sending->url.length == 0 || !http_url_is_allowed(sending->url)) {
        sending->answer->last.message = arena_printf(
            work->arena, "the catalog has no usable endpoint of the service '%s' in region '%.*s'",
            stack_services[request->service].type, TEXT_ARG(request->region));
        sending->answer->result = REEVE_INVALID;
        return false;
    }
    if (!text_has_suffix(sending->url, text_from(version))) {
        sending->url = arena_printf(work->arena, "%.*s%s", TEXT_ARG(sending->url), version);
    }
    return true;
}

int32_t stack_send(struct stack_call *work, const struct stack_request *request,
                   struct stack_answer *out)
{
    struct stack_sending sending = { .work = work, .request = request, .answer = out };
    struct classify_state state = { .kind = request->kind };
    struct exchange exchange = {
        .host = work->stack->host,
        .call = work->call,
        .table = &stack_table,
        .limit = work->stack->limit,
        .region = request->region,
        .send = stack_attempt,
        .renew = stack_renew,
        .arg = &sending,
    };

    *out = (struct stack_answer){ 0 };
    out->result = stack_access_get(work, false, sending.token, &out->last);
    if (out->result != REEVE_OK && out->last.retry_after_ms > 0) {
        stack_retry_after(work, out->last.retry_after_ms);
    }
    if (out->result == REEVE_OK && stack_service_url(&sending)) {
        out->result = exchange_run(&exchange, &state, &out->last);
    }
    explicit_bzero(sending.token, sizeof(sending.token));
    return out->result;
}

int32_t stack_get(struct stack_call *work, enum stack_service service, struct text region,
                  struct text path, struct stack_answer *out)
{
    struct stack_request request = {
        .method = "GET",
        .service = service,
        .region = region,
        .path = path,
        .kind = CLASSIFY_READ,
        .priority = HTTP_READ,
    };

    return stack_send(work, &request, out);
}

bool is_stack_missing(const struct stack_answer *answer)
{
    return answer->result == REEVE_INVALID && answer->status == 404;
}

int32_t stack_refuse(struct stack_call *work, const char *pointer, const char *what,
                     const struct stack_answer *answer)
{
    assert(answer->result != REEVE_OK);
    exchange_fault(work->stack->host, work->call, pointer, text_from(what), &answer->last);
    return answer->result;
}

int32_t stack_fault(struct stack_call *work, int32_t result, const char *pointer,
                    const char *format, ...)
{
    va_list args;

    assert(result != REEVE_OK);
    va_start(args, format);
    plain_fault(work->stack->host, work->call, pointer, format, args);
    va_end(args);
    return result;
}

int32_t stack_no_list(struct stack_call *work, const char *pointer, const char *key)
{
    return stack_fault(work, REEVE_TRANSIENT, pointer, "the answer has no list of %s", key);
}

int32_t stack_fault_class(struct text message)
{
    const struct classify_row *row = classify_find(&stack_table, 0, TEXT(""), message);

    /* the creation failed and the server is deleted, so the next attempt creates a new server */
    return row == NULL || row->result == CLASSIFY_SERVER ? REEVE_TRANSIENT : row->result;
}

void stack_retry_after(struct stack_call *work, uint64_t milliseconds)
{
    work->stack->host->retry_after(work->call, milliseconds);
}

bool stack_wait(struct stack_call *work, uint64_t *inout_ms)
{
    if (work->stack->host->left_ms(work->call) <= *inout_ms + STACK_END_MS) {
        return false;
    }
    exchange_rest(*inout_ms);
    *inout_ms = *inout_ms * 2 > STACK_POLL_MOST_MS ? STACK_POLL_MOST_MS : *inout_ms * 2;
    return true;
}

struct text stack_url(struct stack_call *work, struct text text)
{
    return plain_url(work->arena, text, "-_.");
}

struct text stack_json(struct stack_call *work, struct doc_builder *builder)
{
    struct doc map = doc_builder_map(builder, NULL);
    struct buf json;

    buf_init(&json, work->arena);
    json_format(&json, &map);
    return buf_text(&json);
}
