#include "ocean.h"

#include "codec/doc_child.h"
#include "codec/json.h"
#include "exchange.h"

#include <assert.h>
#include <stdio.h>

enum { OCEAN_TOKEN_BYTES = 512, OCEAN_PAGE = 200, OCEAN_PAGES_MAX = 500 };

static const struct classify_row ocean_rows[] = {
#define CLASSIFY_ROW(name, status, code, contains, result) { status, code, contains, result },
#include "answers.def"
#undef CLASSIFY_ROW
};
/* An enum with a name for each row, so that two rows with the same name do not compile. */
enum {
#define CLASSIFY_ROW(name, status, code, contains, result) OCEAN_ROW_##name,
#include "answers.def"
#undef CLASSIFY_ROW
};
static const struct classify_table ocean_table = { ocean_rows, ARRAY_COUNT(ocean_rows) };

/* One request in progress. */
struct ocean_sending {
    struct ocean_call *work;
    const struct ocean_request *request;
    struct ocean_answer *answer;
    char authorization[OCEAN_TOKEN_BYTES + 8];
};

/* Reads the body of an answer. An error has {"id": CODE, "message": TEXT}. */
static void ocean_read_body(struct ocean_sending *sending, const struct http_answer *answer,
                            struct classify_attempt *out)
{
    struct ocean_answer *into = sending->answer;
    struct err err;

    into->doc = (struct doc){ 0 };
    if (answer->status == 204) {
        return;
    }
    if (!json_parse_answer(sending->work->arena, answer->body, &into->doc, &err) ||
        !doc_is_map(&into->doc)) {
        into->doc = (struct doc){ 0 };
        out->is_broken = answer->body.length > 0 || answer->status < 300;
        out->message = TEXT("the answer is not JSON");
    } else if (answer->status >= 300) {
        out->code = doc_child_text(&into->doc, "id");
        out->message = doc_child_text(&into->doc, "message");
    }
}

static void ocean_attempt(void *arg, uint64_t ends_ms, struct classify_attempt *out)
{
    struct ocean_sending *sending = arg;
    struct ocean_call *work = sending->work;
    const struct ocean_request *request = sending->request;
    struct http_header headers[] = {
        { TEXT("authorization"), text_from(sending->authorization) },
        { TEXT("content-type"), TEXT("application/json") },
    };
    struct http_request send = {
        .method = text_from(request->method),
        .url = arena_printf(work->arena, "%.*s/v2%.*s", TEXT_ARG(work->ocean->settings.endpoint),
                            TEXT_ARG(request->path)),
        .headers = headers,
        .header_count = request->body.length > 0 ? 2 : 1,
        .body = request->body,
        .ends_ms = ends_ms,
        .priority = request->priority,
        .is_single = request->kind == CLASSIFY_TWICE,
    };
    struct http_answer answer;

    (void)http_send(work->ocean->http, work->arena, &send, &answer);
    out->outcome = answer.outcome;
    out->is_past_end = answer.is_past_end;
    out->status = answer.status;
    out->message = answer.why;
    sending->answer->status = answer.status;
    if (answer.outcome == HTTP_ANSWER) {
        out->retry_after_ms = http_answer_retry_after_ms(&answer);
        ocean_read_body(sending, &answer, out);
    }
}

/* Reads the access token from the secret. It must be one line that is valid in a header. */
static bool ocean_read_token(struct ocean_sending *sending)
{
    struct ocean_call *work = sending->work;
    struct text token = text_trim(plain_text(work->ocean->host->credential(work->call)));

    if (token.length == 0 || token.length > OCEAN_TOKEN_BYTES - 1 || !text_is_visible(token) ||
        text_find_byte(token, ' ') != SIZE_MAX) {
        return false;
    }
    (void)snprintf(sending->authorization, sizeof(sending->authorization), "Bearer %.*s",
                   TEXT_ARG(token));
    return true;
}

int32_t ocean_send(struct ocean_call *work, const struct ocean_request *request,
                   struct ocean_answer *out)
{
    struct ocean_sending sending = { .work = work, .request = request, .answer = out };
    struct classify_state state = { .kind = request->kind };
    struct exchange exchange = {
        .host = work->ocean->host,
        .call = work->call,
        .table = &ocean_table,
        .limit = work->ocean->limit,
        .rate_kind = request->rate,
        .send = ocean_attempt,
        .arg = &sending,
    };

    *out = (struct ocean_answer){ 0 };
    if (!ocean_read_token(&sending)) {
        out->last.message = TEXT("the account has no token: its secret is one line, a personal "
                                 "access token of DigitalOcean");
        out->result = REEVE_AUTH;
        return REEVE_AUTH;
    }
    out->result = exchange_run(&exchange, &state, &out->last);
    explicit_bzero(sending.authorization, sizeof(sending.authorization));
    return out->result;
}

int32_t ocean_get(struct ocean_call *work, struct text path, struct ocean_answer *out)
{
    struct ocean_request request = {
        .method = "GET", .path = path, .kind = CLASSIFY_READ, .priority = HTTP_READ
    };

    return ocean_send(work, &request, out);
}

int32_t ocean_refuse(struct ocean_call *work, const char *pointer, const char *what,
                     const struct ocean_answer *answer)
{
    assert(answer->result != REEVE_OK);
    exchange_fault(work->ocean->host, work->call, pointer, text_from(what), &answer->last);
    return answer->result;
}

int32_t ocean_fault(struct ocean_call *work, int32_t result, const char *pointer,
                    const char *format, ...)
{
    va_list args;

    assert(result != REEVE_OK);
    va_start(args, format);
    plain_fault(work->ocean->host, work->call, pointer, format, args);
    va_end(args);
    return result;
}

int32_t ocean_pages(struct ocean_call *work, const char *path, const char *key, size_t rate,
                    ocean_on_item *each, void *arg, struct ocean_answer *out)
{
    for (unsigned page = 1; page <= OCEAN_PAGES_MAX; page++) {
        struct ocean_request request = {
            .method = "GET",
            .path = arena_printf(work->arena, "%s%cpage=%u&per_page=%d", path,
                                 strchr(path, '?') == NULL ? '?' : '&', page, OCEAN_PAGE),
            .kind = CLASSIFY_READ,
            .priority = HTTP_READ,
            .rate = rate,
        };
        const struct doc *items;

        if (ocean_send(work, &request, out) != REEVE_OK) {
            return out->result;
        }
        items = doc_child(&out->doc, key);
        for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
            if (!each(arg, &items->items[i])) {
                return REEVE_OK;
            }
        }
        if (!doc_is_present(doc_child(doc_child(doc_child(&out->doc, "links"), "pages"), "next"))) {
            return REEVE_OK;
        }
    }
    return REEVE_OK;
}

struct text ocean_url(struct ocean_call *work, struct text text)
{
    return plain_url(work->arena, text, "-_.:");
}
