/* HTTP requests to a server in this process: requests that were certainly not sent, missing
 * answers, headers and limits. A request is never repeated without the caller. */
#include "unit.h"

#include "base/buf.h"
#include "http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

/* A server that handles one connection after the other: it reads a request, and sends `answer` or
 * closes. */
struct server {
    int listener;
    unsigned port;
    pthread_t thread;
    const char *answer; /* NULL: close without an answer */
    unsigned per_connection;
    unsigned requests;
    unsigned connections;
    char last[4096];
};

static bool request_read(struct server *server, int fd)
{
    size_t length = 0;

    while (length + 1 < sizeof(server->last)) {
        ssize_t got = read(fd, server->last + length, sizeof(server->last) - length - 1);

        if (got <= 0) {
            return false;
        }
        length += (size_t)got;
        server->last[length] = '\0';
        if (strstr(server->last, "\r\n\r\n") != NULL) {
            return true;
        }
    }
    return false;
}

static void *server_run(void *arg)
{
    struct server *server = arg;

    for (;;) {
        int fd = accept(server->listener, NULL, NULL);

        if (fd < 0) {
            return NULL;
        }
        server->connections++;
        for (unsigned i = 0; i < server->per_connection && request_read(server, fd); i++) {
            const char *answer = server->answer;

            if (strstr(server->last, "GET /first ") != NULL) {
                answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
            }
            server->requests++;
            if (answer == NULL || write(fd, answer, strlen(answer)) < 0) {
                break;
            }
        }
        (void)close(fd);
    }
}

static void server_start(struct server *server)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof(address);

    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(server->listener, 16), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &length), 0);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server->thread, NULL, server_run, server), 0);
}

static void server_stop(struct server *server)
{
    (void)shutdown(server->listener, SHUT_RDWR);
    (void)pthread_join(server->thread, NULL);
    (void)close(server->listener);
}

static struct http *client_new(void)
{
    const char *why = "";
    struct http *http =
        http_new(&(struct http_settings){ .user_agent = TEXT("reeve-test/1") }, &why);

    assert_non_null(http);
    return http;
}

static bool client_get(struct http *http, struct arena *arena, struct server *server,
                       const char *path, struct http_request request, struct http_answer *out)
{
    request.method = request.method.length > 0 ? request.method : TEXT("GET");
    request.url = arena_printf(arena, "http://127.0.0.1:%u%s", server->port, path);
    request.ends_ms = http_now_ms() + 10000;
    return http_send(http, arena, &request, out);
}

static void answers_have_headers_and_body(void **state)
{
    struct server server = { .per_connection = 8,
                             .answer = "HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nX-Some: thing \r\n"
                                       "Date: Fri, 27 Nov 2026 16:00:00 GMT\r\n"
                                       "Content-Length: 5\r\n\r\nhello" };
    AUTO(arena) arena = arena_new_small(1 << 20);
    struct http *http = client_new();
    struct http_header header = { TEXT("x-key"), TEXT("value") };
    struct http_answer answer;

    (void)state;
    server_start(&server);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(client_get(http, arena, &server, "/a?b=c",
                               (struct http_request){ .headers = &header, .header_count = 1 },
                               &answer));
        assert_int_equal(answer.outcome, HTTP_ANSWER);
        assert_int_equal(answer.status, 429);
        assert_text(answer.body, "hello");
        assert_text(http_answer_header(&answer, "x-some"), "thing");
        assert_text(http_answer_header(&answer, "x-none"), "");
        assert_int_equal(http_answer_retry_after_ms(&answer), 7000);
        assert_int_equal(http_answer_date_s(&answer), 1795795200);
        assert_non_null(strstr(server.last, "GET /a?b=c HTTP/1.1\r\n"));
        assert_non_null(strstr(server.last, "User-Agent: reeve-test/1\r\n"));
        assert_non_null(strstr(server.last, "x-key: value\r\n"));
        assert_non_null(strstr(server.last, "Accept-Encoding: gzip\r\n"));
    }
    http_free(http);
    server_stop(&server);
    assert_int_equal(server.connections, 1);
}

static void nothing_is_sent_twice(void **state)
{
    /* the server keeps the connection after the first request, and closes it without an answer at
     * the second */
    struct server server = { .per_connection = 8 };
    AUTO(arena) arena = arena_new_small(1 << 20);
    struct http *http = client_new();
    struct http_answer answer;

    (void)state;
    server_start(&server);
    assert_true(client_get(http, arena, &server, "/first", (struct http_request){ 0 }, &answer));
    assert_false(client_get(http, arena, &server, "/second",
                            (struct http_request){ .method = TEXT("POST"), .body = TEXT("x") },
                            &answer));
    assert_int_equal(answer.outcome, HTTP_NO_ANSWER);
    assert_int_equal(server.requests, 2);
    assert_false(client_get(http, arena, &server, "/third",
                            (struct http_request){ .method = TEXT("POST"), .is_single = true },
                            &answer));
    assert_int_equal(answer.outcome, HTTP_NO_ANSWER);
    assert_int_equal(server.requests, 3);
    http_free(http);
    server_stop(&server);
}

static void unsent_and_cut(void **state)
{
    struct server server = { .per_connection = 1,
                             .answer = "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort" };
    AUTO(arena) arena = arena_new_small(1 << 20);
    struct http *http = client_new();
    struct http_answer answer;
    struct http_request request = { .method = TEXT("GET"), .ends_ms = http_now_ms() + 5000 };

    (void)state;
    request.url = TEXT("http://127.0.0.1:1/");
    assert_false(http_send(http, arena, &request, &answer));
    assert_int_equal(answer.outcome, HTTP_NOT_SENT);
    assert_false(answer.is_past_end);
    request.url = TEXT("http://example.com/");
    assert_false(http_send(http, arena, &request, &answer));
    assert_int_equal(answer.outcome, HTTP_NOT_SENT);
    server_start(&server);
    assert_false(client_get(http, arena, &server, "/", (struct http_request){ 0 }, &answer));
    assert_int_equal(answer.outcome, HTTP_NO_ANSWER);
    assert_int_equal(answer.status, 0);
    server_stop(&server);
    http_free(http);
}

/* The status of such an answer proves nothing, because the body that explains it is missing. */
static void answers_that_end_among_their_headers_are_none(void **state)
{
    static const char *const cut[] = { "HTTP/1.1 400 Bad Request\r\nDate: Mon, 30",
                                       "HTTP/1.1 200 OK\r\n",
                                       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n" };
    AUTO(arena) arena = arena_new_small(1 << 20);
    struct http *http = client_new();
    struct http_answer answer;

    (void)state;
    for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
        struct server server = { .per_connection = 1, .answer = cut[i] };

        server_start(&server);
        assert_false(client_get(http, arena, &server, "/", (struct http_request){ 0 }, &answer));
        assert_int_equal(answer.outcome, HTTP_NO_ANSWER);
        assert_int_equal(answer.status, 0);
        server_stop(&server);
    }
    http_free(http);
}

static bool part_count(void *arg, struct text part)
{
    *(size_t *)arg += part.length;
    return *(size_t *)arg < 8;
}

static void bodies_are_bounded(void **state)
{
    struct server server = { .per_connection = 1,
                             .answer = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789" };
    AUTO(arena) arena = arena_new_small(1 << 20);
    struct http *http = client_new();
    struct http_answer answer;
    size_t count = 0;

    (void)state;
    server_start(&server);
    assert_true(client_get(http, arena, &server, "/", (struct http_request){ .body_bytes_max = 10 },
                           &answer));
    assert_false(client_get(http, arena, &server, "/", (struct http_request){ .body_bytes_max = 9 },
                            &answer));
    assert_int_equal(answer.outcome, HTTP_NO_ANSWER);
    assert_false(client_get(http, arena, &server, "/",
                            (struct http_request){ .on_body = part_count, .arg = &count },
                            &answer));
    assert_int_equal(count, 10);
    http_free(http);
    server_stop(&server);
}

/* Calls repeat requests, so the received part of an answer that is too long or incomplete is not
 * kept in memory. */
static void parts_of_answers_are_not_kept(void **state)
{
    enum { PART_BYTES = 200 * 1024, TRIES = 20 };
    struct server server = { .per_connection = 1 };
    AUTO(arena) arena = arena_new_small(1 << 20);
    struct http *http = client_new();
    struct http_answer answer;
    struct buf cut;

    (void)state;
    buf_init(&cut, arena);
    buf_add_string(&cut, "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n");
    buf_add_bytes(&cut, 'x', PART_BYTES);
    server.answer = buf_text(&cut).data;
    server_start(&server);
    for (unsigned i = 0; i < TRIES; i++) {
        struct http_request request = { .body_bytes_max = i % 2 == 0 ? 0 : PART_BYTES / 2 };

        assert_false(client_get(http, arena, &server, "/", request, &answer));
        assert_int_equal(answer.outcome, HTTP_NO_ANSWER);
        assert_true(arena_used(arena) < 3 * PART_BYTES);
    }
    http_free(http);
    server_stop(&server);
}

static void deadlines_end_requests(void **state)
{
    AUTO(arena) arena = arena_new_small(1 << 20);
    struct http *http = client_new();
    struct http_answer answer;
    /* the kernel accepts the connection, but no process reads from it */
    struct server server = { .listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
    struct http_request request = { .method = TEXT("GET") };
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof(address);

    (void)state;
    assert_int_equal(bind(server.listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(server.listener, 4), 0);
    assert_int_equal(getsockname(server.listener, (struct sockaddr *)&address, &length), 0);
    request.url = arena_printf(arena, "http://127.0.0.1:%u/", ntohs(address.sin_port));
    request.ends_ms = http_now_ms() + 300;
    assert_false(http_send(http, arena, &request, &answer));
    assert_int_equal(answer.outcome, HTTP_NO_ANSWER);
    assert_true(answer.is_past_end);
    http_free(http);
    (void)close(server.listener);
}

static void urls(void **state)
{
    (void)state;
    assert_true(http_url_is_allowed(TEXT("https://ec2.eu-west-1.amazonaws.com/")));
    assert_true(http_url_is_allowed(TEXT("http://127.0.0.1:4000/x")));
    assert_true(http_url_is_allowed(TEXT("http://127.8.8.8")));
    assert_true(http_url_is_allowed(TEXT("http://localhost:80/")));
    assert_true(http_url_is_allowed(TEXT("http://[::1]:80/")));
    assert_false(http_url_is_allowed(TEXT("http://127.0.0.1.example.com/")));
    assert_false(http_url_is_allowed(TEXT("http://localhost.example.com/")));
    assert_false(http_url_is_allowed(TEXT("http://[::1].example.com/")));
    assert_false(http_url_is_allowed(TEXT("http://10.0.0.1/")));
    assert_false(http_url_is_allowed(TEXT("http://127.0.0.1@example.com/")));
    assert_false(http_url_is_allowed(TEXT("http://127.0.0.1:80@example.com/")));
    assert_false(http_url_is_allowed(TEXT("ftp://127.0.0.1/")));
    assert_false(http_url_is_allowed(TEXT("https://")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_have_headers_and_body),
        cmocka_unit_test(nothing_is_sent_twice),
        cmocka_unit_test(unsent_and_cut),
        cmocka_unit_test(answers_that_end_among_their_headers_are_none),
        cmocka_unit_test(bodies_are_bounded),
        cmocka_unit_test(parts_of_answers_are_not_kept),
        cmocka_unit_test(deadlines_end_requests),
        cmocka_unit_test(urls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
