#include "client/answer_reader.h"

#include "unit.h"

/* The result of parsing an answer. */
struct got {
    struct answer_reader reader;
    char body[4096];
    size_t length;
    struct err err;
    bool is_read;
};

static bool body_take(void *arg, struct text piece)
{
    struct got *got = arg;

    assert_true(piece.length <= sizeof(got->body) - got->length);
    memcpy(got->body + got->length, piece.data, piece.length);
    got->length += piece.length;
    return true;
}

/* Parses an answer in pieces of this many bytes, and then the end of the connection. */
static struct got *answer_read(const char *bytes, size_t length, size_t step)
{
    static struct got got;
    size_t at = 0;

    memset(&got, 0, sizeof(got));
    answer_reader_init(&got.reader, 1000, body_take, &got);
    got.is_read = true;
    while (got.is_read && at < length) {
        struct text piece = text_slice((struct text){ bytes, length }, at, step);

        got.is_read = answer_reader_feed(&got.reader, piece, &got.err);
        at += piece.length;
    }
    got.is_read = got.is_read && answer_reader_end(&got.reader, &got.err);
    return &got;
}

/* Checks that an answer is parsed with this result for all sizes of pieces. */
static void good(const char *bytes, int status, const char *body)
{
    for (size_t step = 1; step <= strlen(bytes); step++) {
        struct got *got = answer_read(bytes, strlen(bytes), step);

        assert_true(got->is_read);
        assert_true(answer_reader_is_done(&got->reader));
        assert_int_equal(got->reader.head.status, status);
        assert_text(((struct text){ got->body, got->length }), body);
    }
}

static void bad(const char *bytes, enum code code)
{
    for (size_t step = 1; step <= strlen(bytes); step++) {
        struct got *got = answer_read(bytes, strlen(bytes), step);

        assert_false(got->is_read);
        assert_int_equal(got->err.code, code);
    }
}

static void test_bodies(void **state)
{
    (void)state;
    good("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello");
    good("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, "");
    good("HTTP/1.1 204 No Content\r\n\r\n", 204, "");
    good("HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", 304, "");
    good("HTTP/1.0 200 OK\r\n\r\nto the end", 200, "to the end");
    good(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n",
        200, "hello!");
    good(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
        200, "0123456789");
    good("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}", 201,
         "{}");
}

static void test_fields(void **state)
{
    static const char bytes[] = "HTTP/1.1 409 Conflict\r\n"
                                "content-type: Application/Problem+JSON; charset=utf-8\r\n"
                                "ETag: \"12\"\r\nLocation: /v1/clusters/shop\r\n"
                                "Reeve-Revision: 42\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n";
    struct got *got = answer_read(bytes, strlen(bytes), 64);

    (void)state;
    assert_true(got->is_read);
    assert_string_equal(got->reader.head.content_type, "application/problem+json");
    assert_string_equal(got->reader.head.etag, "\"12\"");
    assert_string_equal(got->reader.head.location, "/v1/clusters/shop");
    assert_int_equal(got->reader.head.revision, 42);
    assert_int_equal(got->reader.head.retry_after, 3);
}

/* An answer that two parsers could understand differently is refused. */
static void test_what_is_no_answer(void **state)
{
    (void)state;
    bad("SSH-2.0-OpenSSH_9.2p1\r\n", CODE_R0017);
    bad("HTTP/2.0 200 OK\r\n\r\n", CODE_R0017);
    bad("HTTP/1.1 2000 OK\r\n\r\n", CODE_R0017);
    bad("HTTP/1.1 +20 OK\r\n\r\n", CODE_R0017);
    bad("HTTP/1.1 200 OK\nContent-Length: 0\n\n", CODE_R0017);
    bad("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", CODE_R0017);
    bad("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", CODE_R0017);
    bad("HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx", CODE_R0017);
    bad("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        CODE_R0017);
    bad("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", CODE_R0017);
    bad("HTTP/1.1 200 OK\r\n folded: x\r\n\r\n", CODE_R0017);
    bad("HTTP/1.1 200 OK\r\nX : y\r\n\r\n", CODE_R0017);
    bad("HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n", CODE_R0017);
    bad("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n", CODE_R0017);
    bad("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", CODE_R0017);
    bad("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", CODE_R0017);
    bad("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", CODE_R0017);
    bad("HTTP/1.1 101 Switching Protocols\r\n\r\n", CODE_R0017);
    bad("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy", CODE_R0017);
}

static void test_too_early_and_too_large(void **state)
{
    static char bytes[20000];

    (void)state;
    bad("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", CODE_R0018);
    bad("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", CODE_R0018);
    bad("HTTP/1.1 200", CODE_R0018);
    bad("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", CODE_R0020);
    strcpy(bytes, "HTTP/1.1 200 OK\r\nX: ");
    memset(bytes + strlen(bytes), 'a', LIMIT_ANSWER_LINE_BYTES);
    assert_int_equal(answer_read(bytes, strlen(bytes), 1000)->err.code, CODE_R0017);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_what_is_no_answer),
        cmocka_unit_test(test_too_early_and_too_large),
    };

    return cmocka_run_group_tests_name("client/answer_reader", tests, NULL, NULL);
}
