#include "api/request/call.h"

#include "api/request/body_yaml.h"
#include "api/request/problem.h"
#include "base/time.h"
#include "codec/json.h"
#include "http/squeeze.h"

#include <assert.h>
#include <string.h>

/* ---- parameters and headers ---- */

struct text call_parameter(const struct call *call, const char *name)
{
    const struct text *value = target_parameter_find(&call->request->target, name);

    return value == NULL ? TEXT("") : *value;
}

struct text call_header(const struct call *call, enum http_header header)
{
    struct text value = call->request->headers[header];

    return value.data == NULL ? TEXT("") : text_trim(value);
}

bool call_is_contiv(const struct http_request *request)
{
    return text_has_prefix(request->target.path, TEXT(CONTIV_PREFIX "/"));
}

bool call_is_bytes(const struct http_request *request)
{
    struct text type = request->headers[HTTP_CONTENT_TYPE];

    return type.data != NULL && text_is(text_trim(text_slice(type, 0, text_find_byte(type, ';'))),
                                        "application/octet-stream");
}

bool call_number(const struct call *call, const char *name, uint64_t *out, struct err *err)
{
    struct text text = call_parameter(call, name);
    int64_t number = 0;

    if (text.length > 0 && (!text_parse_int64(text, &number) || number < 0)) {
        return err_set(err, CODE_R0426, "%s is not a number of at least 0: '%.*s'", name,
                       TEXT_ARG(text));
    }
    *out = (uint64_t)number;
    return true;
}

bool call_switch(const struct call *call, const char *name, bool *out, struct err *err)
{
    const struct text *value = target_parameter_find(&call->request->target, name);

    if (value == NULL || text_is(*value, "0") || text_is(*value, "false")) {
        *out = false;
        return true;
    }
    if (value->length > 0 && !text_is(*value, "1") && !text_is(*value, "true")) {
        return err_set(err, CODE_R0426, "%s must be 1 or 0, not '%.*s'", name, TEXT_ARG(*value));
    }
    *out = true;
    return true;
}

/* ---- answers ---- */

/* OWN_FIELDS: maximum number of headers that this file adds to an answer. STORE_FIELD_BYTES:
 * maximum length of a reason in a header. SQUEEZE_MIN_BYTES: compressing a shorter body is not
 * worthwhile. */
enum { OWN_FIELDS = 10, STORE_FIELD_BYTES = 250, SQUEEZE_MIN_BYTES = 4096 };

/* Logs an answer. At the level `debug` all answers are logged, otherwise only errors of the manager
 * itself. */
static void answer_log(const struct call *call, unsigned status, uint64_t took_ns)
{
    struct log *log = call->api->options.log;
    const char *route = call->route == NULL ? "none" : call->route->path;
    bool is_fault = status == 500;

    if (is_fault) {
        log_error(log, "api", "failed", log_text("method", call->request->method),
                  log_string("route", route), log_int("status", status),
                  log_string("request", call->trace.id));
    } else {
        log_debug(log, "api", "answered", log_text("method", call->request->method),
                  log_string("route", route), log_int("status", status),
                  log_int("us", (int64_t)(took_ns / 1000)), log_text("user", call->actor.user),
                  log_text("from", call->request->client), log_string("request", call->trace.id));
    }
}

static bool has_field(const struct http_answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->field_count; i++) {
        if (strcmp(answer->fields[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Makes a text valid as the value of a header: each unprintable character becomes a space. */
static char *field_value(struct arena *arena, const char *said)
{
    struct text text = text_slice(text_from(said), 0, STORE_FIELD_BYTES);
    char *value = arena_alloc(arena, text.length + 1);

    for (size_t i = 0; i < text.length; i++) {
        value[i] = text.data[i] >= ' ' && text.data[i] <= '~' ? text.data[i] : ' ';
    }
    value[text.length] = '\0';
    return value;
}

/* Adds headers with the reason why the store accepts no changes, and with the remedy. While this is
 * so, returned data may be incomplete. Returns the number of fields. */
static size_t store_fields(const struct call *call, struct http_field out[static 2])
{
    struct store_status status;

    store_status(call->api->options.store, &status);
    if (status.is_writable) {
        return 0;
    }
    out[0] = (struct http_field){ "Reeve-Store", field_value(call->arena, status.problem.text) };
    out[1] =
        (struct http_field){ "Reeve-Store-Hint", field_value(call->arena, status.problem.hint) };
    return status.problem.hint[0] == '\0' ? 1 : 2;
}

/* Adds headers with the age of the answer if the manager is currently disconnected from its store.
 * Returns the number of fields. */
static size_t stale_fields(const struct call *call, struct http_field out[static 2])
{
    const struct api_options *options = &call->api->options;
    struct api_stale stale;

    if (!options->is_stale(options->arg, &stale)) {
        return 0;
    }
    out[0] = (struct http_field){
        "Reeve-Stale",
        arena_printf(call->arena, "%llus", (unsigned long long)(stale.age_ms / 1000)).data
    };
    out[1] =
        (struct http_field){ "Reeve-Stale-Reason",
                             field_value(call->arena, arena_string(call->arena, stale.reason)) };
    return 2;
}

struct text call_stale_json(const struct api *api, struct arena *arena)
{
    const struct api_options *options = &api->options;
    char since[TIME_TEXT_BYTES];
    struct doc_builder builder;
    struct api_stale stale;
    struct doc doc;
    struct buf buf;

    if (!options->is_stale(options->arg, &stale)) {
        return TEXT("");
    }
    time_format(clock_wall_ms(options->clock) - (int64_t)stale.age_ms, since);
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "reason", doc_text(stale.reason, NULL));
    doc_builder_put(&builder, "revision",
                    doc_int(arena, (int64_t)cache_revision(options->cache), NULL));
    doc_builder_put(&builder, "seconds", doc_int(arena, (int64_t)(stale.age_ms / 1000), NULL));
    doc_builder_put(&builder, "since", doc_text(text_from(since), NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* A streamed body with the member `stale` inserted before its other members. */
struct stale_body {
    struct http_stream rest;
    struct text member; /* unsent part of the inserted member */
    bool is_begun;      /* the first byte of `rest` was read; the inserted member replaces it */
};

static size_t stale_body_read(void *arg, char *out, size_t room, bool *is_end)
{
    struct stale_body *body = arg;
    size_t bytes;

    if (!body->is_begun) {
        char first;

        bytes = body->rest.read(body->rest.arg, &first, 1, is_end);
        body->is_begun = bytes == 1;
        if (bytes == 0) {
            return 0;
        }
    }
    if (body->member.length == 0) {
        return body->rest.read(body->rest.arg, out, room, is_end);
    }
    bytes = body->member.length < room ? body->member.length : room;
    memcpy(out, body->member.data, bytes);
    body->member = text_slice(body->member, bytes, SIZE_MAX);
    *is_end = false;
    return bytes;
}

static void stale_body_closed(void *arg)
{
    struct stale_body *body = arg;

    body->rest.closed(body->rest.arg);
}

/* Adds the member `stale` to the JSON of a successful answer if the manager is currently
 * disconnected from its store. If the body is already compressed, only the headers show the age. */
static void stale_add(struct call *call, struct http_answer *whole, struct http_stream *stream)
{
    bool is_json = whole->content_type != NULL &&
                   strcmp(whole->content_type, "application/json") == 0 &&
                   whole->status / 100 == 2 && !has_field(whole, "Content-Encoding");
    struct text stale = is_json ? call_stale_json(call->api, call->arena) : TEXT("");
    struct text member =
        stale.length == 0 ? stale : arena_printf(call->arena, "{\"stale\":%.*s,", TEXT_ARG(stale));

    if (member.length == 0) {
        return;
    }
    if (whole->stream != NULL) {
        struct stale_body *body = arena_one(call->arena, struct stale_body);

        *body = (struct stale_body){ .rest = *whole->stream, .member = member };
        *stream = *whole->stream;
        stream->read = stale_body_read;
        stream->closed = stale_body_closed;
        stream->arg = body;
        stream->bytes = stream->bytes == 0 ? 0 : stream->bytes - 1 + member.length;
        whole->stream = stream;
    } else if (text_has_prefix(whole->body, TEXT("{\""))) {
        whole->body = arena_printf(call->arena, "%.*s%.*s", TEXT_ARG(member),
                                   TEXT_ARG(text_slice(whole->body, 1, SIZE_MAX)));
    }
}

static size_t call_body_read(void *arg, char *out, size_t room, bool *is_end)
{
    struct text *rest = arg;
    size_t bytes = rest->length < room ? rest->length : room;

    memcpy(out, rest->data, bytes);
    *rest = text_slice(*rest, bytes, rest->length);
    *is_end = rest->length == 0;
    return bytes;
}

static void call_body_closed(void *arg)
{
    (void)arg; /* the arena frees this memory */
}

/* Compresses a long body with gzip if the client accepts it. An answer with an ETag is not
 * compressed, because each encoding would need its own tag. Returns the number of fields. */
static size_t body_squeeze(struct call *call, struct http_answer *whole, struct http_stream *stream,
                           struct http_field out[static 2])
{
    struct text *rest;

    if (whole->stream != NULL || whole->status != 200 || whole->body.length < SQUEEZE_MIN_BYTES ||
        strcmp(whole->content_type, "application/json") != 0 || has_field(whole, "ETag") ||
        !squeeze_is_wanted(call->request)) {
        return 0;
    }
    rest = arena_one(call->arena, struct text);
    *rest = whole->body;
    *stream = squeeze_stream(
        call->arena,
        &(struct http_stream){ .read = call_body_read, .closed = call_body_closed, .arg = rest });
    whole->body = TEXT("");
    whole->stream = stream;
    out[0] = (struct http_field){ "Content-Encoding", "gzip" };
    out[1] = (struct http_field){ "Vary", "Accept-Encoding" };
    return 2;
}

void call_answer_fields(struct call *call, const struct http_answer *answer)
{
    size_t count = answer->field_count;
    struct http_field *fields = arena_array(call->arena, struct http_field, count + OWN_FIELDS);
    struct http_answer whole = *answer;
    struct http_stream squeezed;
    struct http_stream marked;
    uint64_t revision = cache_revision(call->api->options.cache);
    uint64_t took_ns = clock_monotonic_ns(call->api->options.clock) - call->start_ns;
    char *trace;

    for (size_t i = 0; i < count; i++) {
        fields[i] = answer->fields[i];
    }
    fields[count++] =
        (struct http_field){ "Reeve-Revision", arena_number(call->arena, (int64_t)revision).data };
    if (!has_field(answer, "Cache-Control")) {
        fields[count++] = (struct http_field){ "Cache-Control", "no-store" };
    }
    fields[count++] = (struct http_field){ "X-Content-Type-Options", "nosniff" };
    count += store_fields(call, &fields[count]);
    count += stale_fields(call, &fields[count]);
    stale_add(call, &whole, &marked);
    count += body_squeeze(call, &whole, &squeezed, &fields[count]);
    trace = arena_alloc(call->arena, TRACE_TEXT_BYTES);
    trace_format(&call->trace, trace);
    fields[count++] = (struct http_field){ "traceparent", trace };
    metrics_count(&call->api->metrics, call->route, answer->status, took_ns);
    answer_log(call, answer->status, took_ns);
    whole.fields = fields;
    whole.field_count = count;
    http_answer_give(call->exchange, &whole);
}

void call_answer(struct call *call, unsigned status, const char *content_type, struct text body)
{
    call_answer_fields(call, &(struct http_answer){
                                 .status = status,
                                 .content_type = content_type,
                                 .body = body,
                             });
}

void call_report(struct call *call, unsigned status, const struct doc *body)
{
    struct buf buf;

    buf_init(&buf, call->arena);
    json_format(&buf, body);
    call_answer(call, status, "application/json", buf_text(&buf));
}

/* Adds the header that HTTP requires with some statuses. Returns the number of fields. */
static size_t refusal_field(struct call *call, unsigned status, struct http_field *out)
{
    if (status == 429 || status == 503) {
        *out = (struct http_field){ "Retry-After", "1" };
        return 1;
    }
    if (status == 401) {
        *out = (struct http_field){ "WWW-Authenticate", "Bearer realm=\"reeve\"" };
        return 1;
    }
    if (status == 405) {
        struct route_match match = route_find(call->request->method, call->request->target.path);
        struct buf buf;

        buf_init(&buf, call->arena);
        for (size_t i = 0; i < match.allowed_count; i++) {
            buf_printf(&buf, "%s%s", i == 0 ? "" : ", ", match.allowed[i]);
        }
        *out = (struct http_field){ "Allow", buf_text(&buf).data };
        return 1;
    }
    return 0;
}

void call_refuse_all(struct call *call, const struct err_list *errors, struct text plan)
{
    struct problem problem = {
        .errors = errors,
        .plan = plan,
        .is_file = body_is_yaml(call),
        .is_conditional = call_header(call, HTTP_IF_MATCH).length > 0,
    };
    struct http_answer answer = {
        .status = problem_status(&problem),
        .content_type = "application/problem+json",
    };
    struct http_field field;
    struct buf buf;

    problem.request = text_from(call->trace.id);
    buf_init(&buf, call->arena);
    if (call_is_contiv(call->request) && call->api->options.contiv != NULL) {
        answer.status = answer.status == 422 ? 400 : answer.status;
        answer.content_type = "text/plain; charset=utf-8";
        problem_line_format(&buf, &problem);
    } else {
        problem_format(&buf, &problem);
    }
    answer.body = buf_text(&buf);
    answer.fields = &field;
    answer.field_count = refusal_field(call, answer.status, &field);
    call_answer_fields(call, &answer);
}

void call_refuse(struct call *call, const struct err *err)
{
    struct err_list errors;

    err_list_init(&errors, call->arena);
    err_list_add(&errors, err);
    call_refuse_all(call, &errors, TEXT(""));
}

/* Returns whether If-None-Match contains this ETag. */
static bool is_known_etag(struct call *call, struct text etag)
{
    struct text known = call_header(call, HTTP_IF_NONE_MATCH);

    if (text_is(known, "*")) {
        return true;
    }
    while (known.length > 0) {
        struct text one = text_slice(known, 0, text_find_byte(known, ','));
        struct text trimmed = text_trim(one);

        if (text_has_prefix(trimmed, TEXT("W/"))) {
            trimmed = text_slice(trimmed, 2, trimmed.length);
        }
        if (text_is_equal(trimmed, etag)) {
            return true;
        }
        known = text_slice(known, one.length + 1, known.length);
    }
    return false;
}

void call_answered(void *arg, const struct service_answer *answer)
{
    struct call *call = arg;
    struct http_field fields[2];
    struct http_answer out = {
        .status = answer->is_made && call->location.length > 0 ? 201 : 200,
        .content_type = "application/json",
        .body = answer->body,
        .fields = fields,
    };

    if (answer->errors->errors > 0) {
        call_refuse_all(call, answer->errors, answer->body);
        return;
    }
    if (answer->etag > 0) {
        struct text etag = arena_printf(call->arena, "\"%llu\"", (unsigned long long)answer->etag);

        fields[out.field_count++] = (struct http_field){ "ETag", etag.data };
        if (is_known_etag(call, etag)) {
            out.status = 304;
            out.body = TEXT("");
            out.content_type = NULL;
        }
    }
    if (out.status == 201) {
        fields[out.field_count++] = (struct http_field){
            "Location", arena_printf(call->arena, "/v1/%.*s", TEXT_ARG(call->location)).data
        };
    }
    call_answer_fields(call, &out);
}
