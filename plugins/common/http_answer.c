/* Makes the result of a request: the outcome, its reason, and headers. */
#include "http_parts.h"

#include <assert.h>
#include <strings.h>

enum { RETRY_AFTER_MAX_S = 24 * 3600 };

/* Returns the reason as text for users. It contains curl's text, which describes the error. */
static struct text http_why(struct arena *arena, const struct http_job *job,
                            const struct http_part *part)
{
    if (job->is_too_large || part->is_too_large) {
        return TEXT("the answer is longer than reeve accepts");
    }
    if (part->is_stopped) {
        return TEXT("the reader stopped");
    }
    if (job->code == CURLE_OPERATION_TIMEDOUT && http_now_ms() >= job->request->ends_ms) {
        return job->is_sent ? TEXT("no complete answer before the deadline")
                            : TEXT("no connection before the deadline");
    }
    if (job->code == CURLE_ABORTED_BY_CALLBACK) {
        return TEXT("the connection ended without an answer");
    }
    if (job->code == CURLE_OK) {
        return TEXT("the connection ended among the headers of the answer");
    }
    return job->error[0] != '\0' ? arena_text(arena, text_from(job->error))
                                 : text_from(curl_easy_strerror(job->code));
}

/* For curl, an answer whose connection ends among its headers is complete and has no body. */
bool http_is_whole(const struct http_job *job, const struct http_part *part)
{
    return job->code == CURLE_OK && job->has_headers && !part->is_stopped;
}

void http_answer_fill(struct arena *arena, const struct http_job *job, struct http_part *part,
                      struct http_answer *out)
{
    assert(job->state == HTTP_JOB_DONE);
    out->headers = arena_text(arena, (struct text){ job->headers, job->headers_length });
    if (http_is_whole(job, part)) {
        out->outcome = HTTP_ANSWER;
        out->status = (unsigned)job->status;
        out->body = buf_text(&part->body);
        return;
    }
    out->outcome = job->is_sent ? HTTP_NO_ANSWER : HTTP_NOT_SENT;
    out->is_past_end = http_now_ms() >= job->request->ends_ms;
    out->why = http_why(arena, job, part);
}

struct text http_answer_header(const struct http_answer *answer, const char *name)
{
    struct text rest = answer->headers;
    size_t length = strlen(name);

    while (rest.length > 0) {
        size_t end = text_find_byte(rest, '\n');
        struct text line = text_slice(rest, 0, end);

        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, rest.length);
        if (line.length > length && line.data[length] == ':' &&
            strncasecmp(line.data, name, length) == 0) {
            return text_trim(text_slice(line, length + 1, line.length));
        }
    }
    return TEXT("");
}

/* Parses a date such as "Fri, 27 Nov 2026 16:00:00 GMT" to seconds since 1970. Returns 0 if it is
 * not a date. */
static int64_t http_parse_date(struct text date)
{
    char room[64];
    time_t parsed;

    if (date.length == 0 || date.length >= sizeof(room)) {
        return 0;
    }
    memcpy(room, date.data, date.length);
    room[date.length] = '\0';
    parsed = curl_getdate(room, NULL);
    return parsed < 0 ? 0 : (int64_t)parsed;
}

int64_t http_answer_date_s(const struct http_answer *answer)
{
    return http_parse_date(http_answer_header(answer, "date"));
}

uint64_t http_answer_retry_after_ms(const struct http_answer *answer)
{
    struct text value = http_answer_header(answer, "retry-after");
    int64_t seconds = 0;

    if (value.length == 0) {
        return 0;
    }
    if (!text_parse_int64(value, &seconds)) {
        int64_t at = http_parse_date(value);
        int64_t now = http_answer_date_s(answer);

        seconds = at > 0 && now > 0 ? at - now : 0;
    }
    if (seconds < 0) {
        return 0;
    }
    return (uint64_t)(seconds > RETRY_AFTER_MAX_S ? RETRY_AFTER_MAX_S : seconds) * 1000;
}
