/* Requests to EC2 and related services: signs and sends them, reads the answers and classifies
 * them. */
#include "ec2.h"

#include "account.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "exchange.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum { CLOCK_WRONG_S = 240, JSON_BYTES_MAX = 4 * 1024 * 1024, NOTICE_BYTES = 500 };

/* An enum with a name for each row of the table, so that two rows with the same name do not
 * compile. */
enum ec2_row {
#define CLASSIFY_ROW(name, status, code, contains, result) EC2_ROW_##name,
#include "ec2_errors.def"
#undef CLASSIFY_ROW
    EC2_ROW_COUNT
};

static const struct classify_row ec2_rows[EC2_ROW_COUNT] = {
#define CLASSIFY_ROW(name, of_status, of_code, of_contains, gives) \
    [EC2_ROW_##name] = { of_status, of_code, of_contains, gives },
#include "ec2_errors.def"
#undef CLASSIFY_ROW
};

const struct classify_table ec2_table = { ec2_rows, EC2_ROW_COUNT };

/* ---- the query protocol ---- */

static void ec2_encode(struct buf *out, struct text value)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < value.length; i++) {
        unsigned char byte = (unsigned char)value.data[i];

        if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
            (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.' ||
            byte == '~') {
            buf_add_byte(out, (char)byte);
        } else {
            buf_add_byte(out, '%');
            buf_add_byte(out, digits[byte >> 4]);
            buf_add_byte(out, digits[byte & 15]);
        }
    }
}

void ec2_query_init(struct ec2_query *query, struct arena *arena, const char *action)
{
    buf_init(&query->body, arena);
    buf_printf(&query->body, "Action=%s&Version=2016-11-15", action);
}

void ec2_query_add(struct ec2_query *query, const char *name, struct text value)
{
    buf_printf(&query->body, "&%s=", name);
    ec2_encode(&query->body, value);
}

void ec2_query_addf(struct ec2_query *query, struct text value, const char *format, ...)
{
    char name[128];
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    assert(length > 0 && length < (int)sizeof(name));
    (void)length;
    ec2_query_add(query, name, value);
}

void ec2_query_filter(struct ec2_query *query, size_t i, const char *name, struct text value)
{
    struct buf literal;

    buf_init(&literal, query->body.arena);
    for (size_t k = 0; k < value.length; k++) {
        if (value.data[k] == '*' || value.data[k] == '?' || value.data[k] == '\\') {
            buf_add_byte(&literal, '\\');
        }
        buf_add_byte(&literal, value.data[k]);
    }
    ec2_query_addf(query, text_from(name), "Filter.%zu.Name", i);
    ec2_query_addf(query, buf_text(&literal), "Filter.%zu.Value.1", i);
}

/* ---- one attempt ---- */

struct ec2_sending {
    struct aws_work *work;
    const struct ec2_ask *ask;
    struct ec2_answer *out;
    struct xml_reader *xml;
    struct buf json;
    bool has_failed; /* the answer is not XML */
};

int64_t ec2_now_s(struct aws *aws)
{
    int64_t now_s = (int64_t)time(NULL);

    (void)pthread_mutex_lock(&aws->mutex);
    now_s += aws->clock_offset_s;
    (void)pthread_mutex_unlock(&aws->mutex);
    return now_s;
}

static void ec2_offset_set(struct aws *aws, int64_t offset)
{
    (void)pthread_mutex_lock(&aws->mutex);
    aws->clock_offset_s = offset;
    (void)pthread_mutex_unlock(&aws->mutex);
    aws_log(aws, REEVE_LOG_WARNING,
            "event=aws.clock_corrected offset_s=%lld why=the provider's clock differs from this "
            "computer's",
            (long long)offset);
}

static bool ec2_on_body(void *arg, struct text part)
{
    struct ec2_sending *sending = arg;

    if (sending->xml == NULL) {
        buf_add(&sending->json, part);
    } else if (!sending->has_failed && !xml_reader_add(sending->xml, part)) {
        /* the HTTP status of the answer may still show the result */
        sending->has_failed = true;
    }
    return true;
}

static const char *ec2_service(const struct ec2_ask *ask)
{
    return ask->service == NULL ? "ec2" : ask->service;
}

/* Returns the URL of the service. *out_host is its host name, for the signature. */
static struct text ec2_url(struct ec2_sending *sending, struct text *out_host)
{
    const struct aws_settings *settings = &sending->work->aws->settings;
    struct arena *arena = sending->work->arena;
    const struct ec2_ask *ask = sending->ask;

    if (settings->endpoint.length > 0) {
        size_t start = text_find_byte(settings->endpoint, '/') + 2;

        *out_host = text_slice(settings->endpoint, start, settings->endpoint.length);
        return arena_printf(arena, "%.*s/", TEXT_ARG(settings->endpoint));
    }
    *out_host = arena_printf(arena, "%s.%.*s.%.*s", ec2_service(ask), TEXT_ARG(ask->region),
                             TEXT_ARG(settings->suffix));
    return arena_printf(arena, "https://%.*s/", TEXT_ARG(*out_host));
}

static bool ec2_transmit(struct ec2_sending *sending, uint64_t ends_ms, int64_t at_s,
                         struct http_answer *answer)
{
    struct aws_work *work = sending->work;
    const struct ec2_ask *ask = sending->ask;
    const struct aws_keys *keys = ask->keys != NULL ? ask->keys : &work->keys;
    struct sign_aws_keys texts = { text_from(keys->id), text_from(keys->secret),
                                   text_from(keys->session) };
    struct http_header headers[2] = {
        { TEXT("content-type"), ask->target == NULL
                                    ? TEXT("application/x-www-form-urlencoded; charset=utf-8")
                                    : TEXT("application/x-amz-json-1.1") },
        { TEXT("x-amz-target"), text_from(ask->target) },
    };
    struct sign_aws_request to_sign = { .method = TEXT("POST"),
                                        .path = TEXT("/"),
                                        .headers = headers,
                                        .header_count = ask->target == NULL ? 1 : 2,
                                        .body = ask->body,
                                        .region = ask->region,
                                        .service = text_from(ec2_service(ask)),
                                        .at_s = at_s };
    struct http_header signed_headers[SIGN_AWS_HEADERS_MAX];
    struct http_request request = { .method = TEXT("POST"),
                                    .headers = signed_headers,
                                    .body = ask->body,
                                    .ends_ms = ends_ms,
                                    .priority = ask->priority,
                                    .body_bytes_max = ask->target == NULL ? 0 : JSON_BYTES_MAX,
                                    .on_body = ec2_on_body,
                                    .arg = sending };

    request.url = ec2_url(sending, &to_sign.host);
    request.header_count = sign_aws(work->arena, &texts, &to_sign, signed_headers);
    return http_send(work->aws->http, work->arena, &request, answer);
}

static void ec2_read_xml_error(struct ec2_sending *sending, struct classify_attempt *out)
{
    const struct xml_node *root = sending->out->root;
    const struct xml_node *error = xml_find(root, "Errors/Error");

    if (error == NULL) {
        error = xml_find(root, "Error");
    }
    out->code = xml_text(error, "Code");
    out->message = xml_text(error, "Message");
    if (root == NULL || (out->status / 100 == 2 && error != NULL)) {
        out->is_broken = true;
    }
}

static void ec2_read_json(struct ec2_sending *sending, struct classify_attempt *out)
{
    struct doc *json = &sending->out->json;
    struct text kind;
    size_t hash;
    struct err err;

    *json = (struct doc){ 0 };
    if (!json_parse_answer(sending->work->arena, buf_text(&sending->json), json, &err) ||
        !doc_is_map(json)) {
        *json = (struct doc){ 0 };
        out->is_broken = true;
        return;
    }
    if (out->status / 100 != 2) {
        kind = doc_child_text(json, "__type");
        hash = text_find_byte(kind, '#');
        out->code = hash == SIZE_MAX ? kind : text_slice(kind, hash + 1, kind.length);
        out->message = doc_child_text(json, "message").length > 0 ? doc_child_text(json, "message")
                                                                  : doc_child_text(json, "Message");
    }
}

static void ec2_attempt(struct ec2_sending *sending, uint64_t ends_ms, int64_t at_s,
                        struct classify_attempt *out, int64_t *out_date_s)
{
    const struct ec2_ask *ask = sending->ask;
    struct http_answer answer;

    sending->has_failed = false;
    sending->xml = ask->target != NULL ? NULL
                                       : xml_reader_new(sending->work->arena, text_from(ask->rows),
                                                        ask->on_row, ask->arg);
    if (sending->xml != NULL && ask->kept != NULL) {
        xml_reader_keep(sending->xml, ask->kept);
    }
    buf_init(&sending->json, sending->work->arena);
    (void)ec2_transmit(sending, ends_ms, at_s, &answer);
    *out = (struct classify_attempt){ .outcome = answer.outcome,
                                      .is_past_end = answer.is_past_end,
                                      .status = answer.status,
                                      .message = answer.why,
                                      .retry_after_ms = http_answer_retry_after_ms(&answer) };
    *out_date_s = http_answer_date_s(&answer);
    sending->out->root = NULL;
    if (answer.outcome == HTTP_ANSWER && sending->xml == NULL) {
        ec2_read_json(sending, out);
    } else if (answer.outcome == HTTP_ANSWER) {
        sending->out->root = sending->has_failed ? NULL : xml_reader_end(sending->xml);
        ec2_read_xml_error(sending, out);
    }
    xml_reader_free(sending->xml);
    if (out->is_broken && out->message.length == 0) {
        out->message = TEXT("the answer is not one of this service");
    }
}

static bool ec2_is_clock_refusal(const struct classify_attempt *attempt)
{
    return attempt->outcome == HTTP_ANSWER &&
           (text_is(attempt->code, "RequestExpired") ||
            text_is(attempt->code, "RequestInTheFuture") ||
            ((text_is(attempt->code, "SignatureDoesNotMatch") ||
              text_is(attempt->code, "InvalidSignatureException") ||
              text_is(attempt->code, "AuthFailure")) &&
             (classify_contains(attempt->message, "expired") ||
              classify_contains(attempt->message, "not yet current"))));
}

/* If a request is refused because of its time, the clock is corrected and the request is sent
 * again. */
static void ec2_send(void *arg, uint64_t ends_ms, struct classify_attempt *out)
{
    struct ec2_sending *sending = arg;
    struct aws *aws = sending->work->aws;
    int64_t at_s = ec2_now_s(aws);
    int64_t date_s;

    ec2_attempt(sending, ends_ms, at_s, out, &date_s);
    if (ec2_is_clock_refusal(out) && date_s > 0 &&
        (date_s > at_s + CLOCK_WRONG_S || date_s < at_s - CLOCK_WRONG_S)) {
        ec2_offset_set(aws, date_s - (int64_t)time(NULL));
        ec2_attempt(sending, ends_ms, date_s, out, &date_s);
    }
}

static int32_t ec2_renew(void *arg)
{
    return account_keys_renew(((struct ec2_sending *)arg)->work);
}

int32_t ec2_call(struct aws_work *work, const struct ec2_ask *ask, struct ec2_answer *out)
{
    struct ec2_sending sending = { .work = work, .ask = ask, .out = out };
    struct exchange exchange = { .host = work->aws->host,
                                 .call = work->call,
                                 .table = &ec2_table,
                                 .limit = work->aws->limit,
                                 .region = ask->region,
                                 .rate_kind = ask->rate,
                                 .ends_ms = ask->ends_ms,
                                 .send = ec2_send,
                                 .arg = &sending };

    *out = (struct ec2_answer){ 0 };
    out->state.kind = ask->kind;
    out->state.has_token = ask->has_token;
    if (ask->keys == NULL && !work->has_keys) {
        out->result = account_keys_get(work);
        if (out->result != REEVE_OK) {
            out->last.outcome = HTTP_NOT_SENT;
            out->last.message = TEXT("there are no keys for the request");
            return out->result;
        }
    }
    if (ask->keys == NULL && work->has_renewable_keys) {
        exchange.renew = ec2_renew;
    }
    out->result = exchange_run(&exchange, &out->state, &out->last);
    return out->result;
}

int32_t ec2_refuse(struct aws_work *work, const char *pointer, const struct ec2_ask *ask,
                   const struct ec2_answer *answer)
{
    char line[EXCHANGE_LINE_BYTES];

    assert(answer->result != REEVE_OK);
    if (work->is_preflight && answer->result != REEVE_INVALID) {
        struct text message =
            arena_printf(work->arena, "%s did not answer: %.*s%s%.*s", ask->what,
                         TEXT_ARG(answer->last.code), answer->last.code.length > 0 ? ": " : "",
                         TEXT_ARG(text_slice(answer->last.message, 0, NOTICE_BYTES)));

        work->aws->host->notice(work->call, aws_answer(text_from(pointer)), aws_answer(message));
        return answer->result;
    }
    work->fault_count++;
    work->last_fault =
        arena_text(work->arena,
                   (struct text){ line, exchange_line(line, text_from(ask->what), &answer->last) });
    exchange_fault(work->aws->host, work->call, pointer, text_from(ask->what), &answer->last);
    return answer->result;
}

bool ec2_is_refused_as(const struct ec2_answer *answer, const char *code)
{
    return answer->last.outcome == HTTP_ANSWER && text_is(answer->last.code, code);
}
