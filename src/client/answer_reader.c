#include "client/answer_reader.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

void answer_reader_init(struct answer_reader *reader, uint64_t body_bytes_max, answer_body_fn *body,
                        void *arg)
{
    assert(body != NULL);
    memset(reader, 0, sizeof(*reader));
    reader->body = body;
    reader->arg = arg;
    reader->body_bytes_max = body_bytes_max;
}

bool answer_reader_is_done(const struct answer_reader *reader)
{
    return reader->state == ANSWER_DONE || reader->is_enough;
}

MUST_CHECK static bool answer_reader_refuse(const char *what, struct err *err)
{
    err_set(err, CODE_R0017, "the answer is not from a manager: %s", what);
    return err_hint(err, "check that no other program listens at this address: reeve context "
                         "show");
}

MUST_CHECK static bool answer_reader_too_large(const char *what, struct err *err)
{
    err_set(err, CODE_R0020, "the answer is too large: %s", what);
    return err_hint(err, "request less: one object, a selector, or -o name");
}

/* ---- the head ---- */

static bool is_answer_reader_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* Parses a status line such as HTTP/1.1 200 OK. */
MUST_CHECK static bool status_read(struct answer_reader *reader, struct text line, struct err *err)
{
    struct text code = text_slice(line, 9, 3);
    int64_t status;

    if (line.length < 12 || (line.length > 12 && line.data[12] != ' ') ||
        !(text_has_prefix(line, TEXT("HTTP/1.1 ")) || text_has_prefix(line, TEXT("HTTP/1.0 "))) ||
        !is_answer_reader_digit(code.data[0]) || !text_parse_int64(code, &status) || status < 100 ||
        status > 599) {
        return answer_reader_refuse("it does not begin with a status line of HTTP/1.1", err);
    }
    reader->head = (struct answer_head){ .status = (int)status };
    reader->has_length = false;
    reader->is_chunked = false;
    reader->state = ANSWER_FIELDS;
    return true;
}

static bool name_is_token(struct text name)
{
    for (size_t i = 0; i < name.length; i++) {
        char letter = name.data[i];
        bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');

        if (letter == '\0' || (!is_letter && !is_answer_reader_digit(letter) &&
                               strchr("!#$%&'*+-.^_`|~", letter) == NULL)) {
            return false;
        }
    }
    return name.length > 0;
}

static bool name_is(struct text name, const char *wanted)
{
    return name.length == strlen(wanted) && strncasecmp(name.data, wanted, name.length) == 0;
}

static void field_keep(char out[LIMIT_ANSWER_FIELD_BYTES], struct text value)
{
    if (value.length < LIMIT_ANSWER_FIELD_BYTES) {
        memcpy(out, value.data, value.length);
        out[value.length] = '\0';
    }
}

static void content_type_keep(struct answer_head *head, struct text value)
{
    field_keep(head->content_type, text_trim(text_slice(value, 0, text_find_byte(value, ';'))));
    for (char *letter = head->content_type; *letter != '\0'; letter++) {
        *letter = (char)(*letter >= 'A' && *letter <= 'Z' ? *letter - 'A' + 'a' : *letter);
    }
}

static bool answer_reader_number_read(struct text value, uint64_t *out)
{
    int64_t number;

    if (value.length == 0 || !is_answer_reader_digit(value.data[0]) ||
        !text_parse_int64(value, &number)) {
        return false;
    }
    *out = (uint64_t)number;
    return true;
}

MUST_CHECK static bool framing_read(struct answer_reader *reader, struct text name,
                                    struct text value, struct err *err)
{
    uint64_t length;

    if (name_is(name, "content-length")) {
        if (reader->has_length || !answer_reader_number_read(value, &length)) {
            return answer_reader_refuse("its Content-Length is not one number", err);
        }
        reader->has_length = true;
        reader->left = length;
    } else if (name_is(name, "transfer-encoding")) {
        if (reader->is_chunked || !name_is(value, "chunked")) {
            return answer_reader_refuse("its Transfer-Encoding is not chunked", err);
        }
        reader->is_chunked = true;
    }
    if (reader->is_chunked && reader->has_length) {
        return answer_reader_refuse("it has two lengths", err);
    }
    return true;
}

MUST_CHECK static bool answer_reader_field_read(struct answer_reader *reader, struct text line,
                                                struct err *err)
{
    size_t colon = text_find_byte(line, ':');
    struct text name = text_slice(line, 0, colon);
    struct text value =
        colon == SIZE_MAX ? TEXT("") : text_trim(text_slice(line, colon + 1, line.length));
    struct answer_head *head = &reader->head;

    if (colon == SIZE_MAX || !name_is_token(name)) {
        return answer_reader_refuse("a line of its header has no name", err);
    }
    if (name_is(name, "content-type")) {
        content_type_keep(head, value);
    } else if (name_is(name, "etag")) {
        field_keep(head->etag, value);
    } else if (name_is(name, "location")) {
        field_keep(head->location, value);
    } else if (name_is(name, "content-range")) {
        field_keep(head->content_range, value);
    } else if (name_is(name, "reeve-revision")) {
        (void)!answer_reader_number_read(value, &head->revision);
    } else if (name_is(name, "reeve-store")) {
        field_keep(head->store, value);
    } else if (name_is(name, "reeve-stale")) {
        field_keep(head->stale, value);
    } else if (name_is(name, "reeve-stale-reason")) {
        field_keep(head->stale_reason, value);
    } else if (name_is(name, "retry-after")) {
        (void)!answer_reader_number_read(value, &head->retry_after);
    }
    return framing_read(reader, name, value, err);
}

/* Handles the end of the head: determines how the body ends. */
MUST_CHECK static bool answer_reader_head_end(struct answer_reader *reader, struct err *err)
{
    int status = reader->head.status;

    if (status < 200) { /* an interim answer such as 100 Continue: the final answer follows */
        if (status == 101 || reader->is_chunked || reader->has_length) {
            return answer_reader_refuse("it switches to another protocol", err);
        }
        reader->state = ANSWER_STATUS_LINE;
    } else if (reader->is_head_only || status == 204 || status == 304 ||
               (reader->has_length && reader->left == 0)) {
        reader->state = ANSWER_DONE;
    } else if (reader->is_chunked) {
        reader->state = ANSWER_CHUNK_SIZE;
    } else {
        reader->state = reader->has_length ? ANSWER_BODY_COUNTED : ANSWER_BODY_TO_END;
    }
    if (reader->state == ANSWER_BODY_COUNTED && reader->left > reader->body_bytes_max) {
        return answer_reader_too_large("it is longer than the limit", err);
    }
    return true;
}

/* Parses SIZE[;extensions]; the size is hexadecimal. */
MUST_CHECK static bool chunk_size_read(struct answer_reader *reader, struct text line,
                                       struct err *err)
{
    struct text digits = text_trim(text_slice(line, 0, text_find_byte(line, ';')));
    uint64_t size = 0;

    if (digits.length == 0 || digits.length > 15) {
        return answer_reader_refuse("a chunk has no size", err);
    }
    for (size_t i = 0; i < digits.length; i++) {
        char letter = (char)(digits.data[i] | 0x20);

        if (is_answer_reader_digit(digits.data[i])) {
            size = size * 16 + (uint64_t)(digits.data[i] - '0');
        } else if (letter >= 'a' && letter <= 'f') {
            size = size * 16 + (uint64_t)(letter - 'a' + 10);
        } else {
            return answer_reader_refuse("the size of a chunk is not a number", err);
        }
    }
    reader->left = size;
    reader->state = size == 0 ? ANSWER_TRAILER : ANSWER_CHUNK;
    return true;
}

MUST_CHECK static bool answer_reader_line_read(struct answer_reader *reader, struct text line,
                                               struct err *err)
{
    switch (reader->state) {
    case ANSWER_STATUS_LINE:
        return status_read(reader, line, err);
    case ANSWER_FIELDS:
        return line.length == 0 ? answer_reader_head_end(reader, err)
                                : answer_reader_field_read(reader, line, err);
    case ANSWER_CHUNK_SIZE:
        return chunk_size_read(reader, line, err);
    case ANSWER_CHUNK_END:
        reader->state = ANSWER_CHUNK_SIZE;
        return line.length == 0 || answer_reader_refuse("a chunk is longer than its size", err);
    case ANSWER_TRAILER:
        reader->state = line.length == 0 ? ANSWER_DONE : ANSWER_TRAILER;
        return true;
    case ANSWER_BODY_COUNTED:
    case ANSWER_BODY_TO_END:
    case ANSWER_CHUNK:
    case ANSWER_DONE:
        break;
    }
    assert(false && "only these states read lines");
    return false;
}

/* ---- bytes ---- */

/* Consumes bytes up to the end of a line. Returns their number; SIZE_MAX: invalid. */
static size_t answer_reader_line_take(struct answer_reader *reader, struct text bytes,
                                      struct err *err)
{
    size_t end = text_find_byte(bytes, '\n');
    size_t count = end == SIZE_MAX ? bytes.length : end + 1;
    struct text line;

    if (count > sizeof(reader->line) - reader->line_length) {
        (void)!answer_reader_refuse("a line of its header is too long", err);
        return SIZE_MAX;
    }
    memcpy(reader->line + reader->line_length, bytes.data, count);
    reader->line_length += count;
    if (reader->state != ANSWER_CHUNK_SIZE && reader->state != ANSWER_CHUNK_END) {
        reader->head_bytes += count;
    }
    if (reader->head_bytes > LIMIT_ANSWER_HEAD_BYTES) {
        (void)!answer_reader_refuse("its header is too long", err);
        return SIZE_MAX;
    }
    if (end == SIZE_MAX) {
        return count;
    }
    line = (struct text){ reader->line, reader->line_length };
    reader->line_length = 0;
    if (!text_has_suffix(line, TEXT("\r\n"))) {
        (void)!answer_reader_refuse("a line of its header does not end in CR LF", err);
        return SIZE_MAX;
    }
    line.length -= 2;
    if (text_find_byte(line, '\r') != SIZE_MAX || text_find_byte(line, '\0') != SIZE_MAX) {
        (void)!answer_reader_refuse("a line of its header contains a control character", err);
        return SIZE_MAX;
    }
    return answer_reader_line_read(reader, line, err) ? count : SIZE_MAX;
}

/* Consumes bytes of the body. Returns their number; SIZE_MAX: invalid. */
static size_t answer_reader_body_take(struct answer_reader *reader, struct text bytes,
                                      struct err *err)
{
    bool is_bounded = reader->state != ANSWER_BODY_TO_END;
    size_t count = is_bounded && reader->left < bytes.length ? (size_t)reader->left : bytes.length;

    reader->body_bytes += count;
    if (reader->body_bytes > reader->body_bytes_max) {
        (void)!answer_reader_too_large("it is longer than the limit", err);
        return SIZE_MAX;
    }
    if (!reader->body(reader->arg, text_slice(bytes, 0, count))) {
        reader->is_enough = true;
    }
    if (is_bounded) {
        reader->left -= count;
        if (reader->left == 0) {
            reader->state = reader->state == ANSWER_CHUNK ? ANSWER_CHUNK_END : ANSWER_DONE;
        }
    }
    return count;
}

bool answer_reader_feed(struct answer_reader *reader, struct text bytes, struct err *err)
{
    while (bytes.length > 0 && !reader->is_enough) {
        bool is_body = reader->state == ANSWER_BODY_COUNTED ||
                       reader->state == ANSWER_BODY_TO_END || reader->state == ANSWER_CHUNK;
        size_t count;

        if (reader->state == ANSWER_DONE) {
            return answer_reader_refuse("unexpected bytes follow it", err);
        }
        count = is_body ? answer_reader_body_take(reader, bytes, err)
                        : answer_reader_line_take(reader, bytes, err);
        if (count == SIZE_MAX) {
            return false;
        }
        bytes = text_slice(bytes, count, bytes.length);
    }
    return true;
}

bool answer_reader_end(struct answer_reader *reader, struct err *err)
{
    if (reader->state == ANSWER_BODY_TO_END) {
        reader->state = ANSWER_DONE;
    }
    if (answer_reader_is_done(reader)) {
        return true;
    }
    return err_set(err, CODE_R0018, "the connection ended in the middle of the answer");
}
