#include "gce.h"

#include "codec/doc_child.h"
#include "codec/json.h"
#include "exchange.h"

#include <assert.h>
#include <stdio.h>

enum {
    GCE_RATE_READ,
    GCE_RATE_CHANGE,
    GCE_POLL_FIRST_MS = 200,
    GCE_POLL_MOST_MS = 3000,
    /* Waiting ends this time before the deadline of the call, in ms. */
    GCE_POLL_END_MS = 500
};

static const struct classify_row gce_rows[] = {
#define CLASSIFY_ROW(name, status, code, contains, result) { status, code, contains, result },
#include "answers.def"
#undef CLASSIFY_ROW
};
/* An enum with a name for each row, so that two rows with the same name do not compile. */
enum {
#define CLASSIFY_ROW(name, status, code, contains, result) GCE_ROW_##name,
#include "answers.def"
#undef CLASSIFY_ROW
};
static const struct classify_table gce_table = { gce_rows, ARRAY_COUNT(gce_rows) };

struct gce_sending {
    struct gce_call *work;
    const struct gce_request *request;
    struct gce_answer *answer;
    char authorization[GCE_TOKEN_BYTES];
};

void gce_error_read(const struct doc *doc, struct classify_attempt *out)
{
    const struct doc *error = doc_child(doc, "error");
    const struct doc *list = doc_child(error, "errors");
    const struct doc *first = doc_is_list(list) && list->item_count > 0 ? &list->items[0] : NULL;

    out->code = doc_child_text(first, "reason");
    if (out->code.length == 0) {
        out->code = doc_child_text(first, "code");
    }
    if (out->code.length == 0) {
        out->code = doc_child_text(error, "status");
    }
    out->message = doc_child_text(first, "message");
    if (out->message.length == 0) {
        out->message = doc_child_text(error, "message");
    }
}

static void gce_read_body(struct gce_sending *sending, const struct http_answer *answer,
                          struct classify_attempt *out)
{
    struct gce_answer *into = sending->answer;
    struct err err;

    into->doc = (struct doc){ 0 };
    if (!json_parse_answer(sending->work->arena, answer->body, &into->doc, &err) ||
        !doc_is_map(&into->doc)) {
        into->doc = (struct doc){ 0 };
        out->is_broken = true;
        out->message = TEXT("the answer is not JSON");
    } else if (answer->status >= 300) {
        gce_error_read(&into->doc, out);
    }
}

static struct text gce_request_url(struct gce_call *work, struct text url)
{
    return url.length > 0 && url.data[0] != '/'
               ? url
               : arena_printf(work->arena, "%.*s/compute/v1/projects/%.*s%.*s",
                              TEXT_ARG(work->gce->settings.endpoint), TEXT_ARG(work->project),
                              TEXT_ARG(url));
}

static void gce_attempt(void *arg, uint64_t ends_ms, struct classify_attempt *out)
{
    struct gce_sending *sending = arg;
    struct gce_call *work = sending->work;
    const struct gce_request *request = sending->request;
    struct http_header headers[] = {
        { TEXT("authorization"), text_from(sending->authorization) },
        { TEXT("content-type"), TEXT("application/json") },
    };
    struct http_request send = {
        .method = text_from(request->method),
        .url = gce_request_url(work, request->url),
        .headers = headers,
        .header_count = request->body.length > 0 ? 2 : 1,
        .body = request->body,
        .ends_ms = ends_ms,
        .priority = request->priority,
    };
    struct http_answer answer;

    (void)http_send(work->gce->http, work->arena, &send, &answer);
    out->outcome = answer.outcome;
    out->is_past_end = answer.is_past_end;
    out->status = answer.status;
    out->message = answer.why;
    sending->answer->status = answer.status;
    if (answer.outcome == HTTP_ANSWER) {
        out->retry_after_ms = http_answer_retry_after_ms(&answer);
        gce_read_body(sending, &answer, out);
    }
}

/* Gets a new access token. Called after the provider has refused the token. */
static int32_t gce_renew(void *arg)
{
    struct gce_sending *sending = arg;
    struct classify_attempt last;

    return gce_access_get(sending->work, true, sending->authorization, &last);
}

int32_t gce_send(struct gce_call *work, const struct gce_request *request, struct gce_answer *out)
{
    struct gce_sending sending = { .work = work, .request = request, .answer = out };
    struct classify_state state = { .kind = request->kind,
                                    .has_token = request->kind == CLASSIFY_ONCE };
    struct exchange exchange = {
        .host = work->gce->host,
        .call = work->call,
        .table = &gce_table,
        .limit = work->gce->limit,
        .rate_kind = request->kind == CLASSIFY_READ ? GCE_RATE_READ : GCE_RATE_CHANGE,
        .send = gce_attempt,
        .renew = gce_renew,
        .arg = &sending,
    };

    *out = (struct gce_answer){ 0 };
    out->result = gce_access_get(work, false, sending.authorization, &out->last);
    if (out->result == REEVE_OK) {
        out->result = exchange_run(&exchange, &state, &out->last);
    }
    explicit_bzero(sending.authorization, sizeof(sending.authorization));
    return out->result;
}

int32_t gce_get(struct gce_call *work, struct text path, struct gce_answer *out)
{
    struct gce_request request = {
        .method = "GET", .url = path, .kind = CLASSIFY_READ, .priority = HTTP_READ
    };

    return gce_send(work, &request, out);
}

int32_t gce_answer_class(const struct classify_attempt *attempt)
{
    const struct classify_row *row =
        classify_find(&gce_table, attempt->status, attempt->code, attempt->message);

    return row == NULL || row->result == CLASSIFY_SERVER ? REEVE_TRANSIENT : row->result;
}

int32_t gce_operation_class(struct text code, struct text message)
{
    const struct classify_row *row = classify_find(&gce_table, 0, code, message);

    if (row == NULL) {
        return REEVE_TRANSIENT; /* the operation has failed; the next attempt is a new operation */
    }
    return row->result == CLASSIFY_SERVER ? REEVE_UNKNOWN : row->result;
}

/* The operation is polled, because a request that waits for its end would occupy one of the few
 * connections for minutes. */
int32_t gce_operation_wait(struct gce_call *work, struct text zone, struct gce_answer *inout)
{
    struct text name = doc_child_text(&inout->doc, "name");
    struct text path = arena_printf(work->arena, "/zones/%.*s/operations/%.*s", TEXT_ARG(zone),
                                    TEXT_ARG(gce_url(work, name)));
    uint64_t wait_ms = GCE_POLL_FIRST_MS;

    while (!text_is(doc_child_text(&inout->doc, "status"), "DONE")) {
        if (work->gce->host->left_ms(work->call) <= wait_ms + GCE_POLL_END_MS) {
            inout->last.message = TEXT("the operation continues beyond the deadline of the call");
            inout->result = REEVE_UNKNOWN;
            return REEVE_UNKNOWN;
        }
        exchange_rest(wait_ms);
        wait_ms = wait_ms * 2 > GCE_POLL_MOST_MS ? GCE_POLL_MOST_MS : wait_ms * 2;
        if (gce_get(work, path, inout) != REEVE_OK) {
            inout->result = REEVE_UNKNOWN; /* the change was accepted, but its end was not
                                            * observed */
            return REEVE_UNKNOWN;
        }
    }
    if (doc_child(&inout->doc, "error") != NULL) {
        gce_error_read(&inout->doc, &inout->last);
        inout->result = gce_operation_class(inout->last.code, inout->last.message);
    }
    return inout->result;
}

int32_t gce_refuse(struct gce_call *work, const char *pointer, const char *what,
                   const struct gce_answer *answer)
{
    assert(answer->result != REEVE_OK);
    exchange_fault(work->gce->host, work->call, pointer, text_from(what), &answer->last);
    return answer->result;
}

int32_t gce_fault(struct gce_call *work, int32_t result, const char *pointer, const char *format,
                  ...)
{
    va_list args;

    assert(result != REEVE_OK);
    va_start(args, format);
    plain_fault(work->gce->host, work->call, pointer, format, args);
    va_end(args);
    return result;
}

struct text gce_url(struct gce_call *work, struct text text)
{
    return plain_url(work->arena, text, "-_.");
}

struct text gce_last_part(struct text url)
{
    for (size_t i = url.length; i > 0; i--) {
        if (url.data[i - 1] == '/') {
            return text_slice(url, i, url.length);
        }
    }
    return url;
}
