/* Permitted and forbidden targets of a plugin's relay. */

#include "host/relay.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static bool allows(const struct relay_policy *policy, const char *name, const char *address,
                   uint16_t port)
{
    struct fetch_ip ip;

    assert_true(fetch_ip_find(text_from(address), &ip));
    return relay_policy_allows(policy, text_from(name), &ip, port);
}

static struct relay_policy policy_of(const char *endpoint)
{
    struct relay_policy policy = { .count = 0 };
    struct err err;

    if (!relay_policy_add(&policy, text_from(endpoint), &err)) {
        fail_msg("%s", err.text);
    }
    return policy;
}

static void test_public_addresses_and_nothing_near(void **state)
{
    static const char *const near[] = {
        "127.0.0.1", "169.254.169.254", "10.0.0.1",         "192.168.1.1", "::1",
        "fe80::1",   "fd00::1",         "::ffff:127.0.0.1", "0.0.0.0"
    };
    struct relay_policy policy = policy_of("public");

    (void)state;
    assert_true(allows(&policy, "api.example.com", "93.184.216.34", 443));
    assert_true(allows(&policy, "api.example.com", "2606:2800:220:1::1", 443));
    assert_false(allows(&policy, "api.example.com", "93.184.216.34", 22));
    for (size_t i = 0; i < ARRAY_COUNT(near); i++) {
        assert_false(allows(&policy, "api.example.com", near[i], 443));
    }
}

static void test_names_are_compared_whole(void **state)
{
    struct relay_policy policy = policy_of("API.Example.com:8443");
    struct relay_policy below = policy_of("*.example.com");

    (void)state;
    assert_true(allows(&policy, "api.example.COM", "10.0.0.1", 8443));
    assert_false(allows(&policy, "api.example.com", "10.0.0.1", 443));
    assert_false(allows(&policy, "xapi.example.com", "10.0.0.1", 8443));
    assert_false(allows(&policy, "api.example.com.evil.org", "10.0.0.1", 8443));
    /* a permitted name must lead neither to this computer nor to the metadata service of a cloud */
    assert_false(allows(&policy, "api.example.com", "127.0.0.1", 8443));
    assert_false(allows(&policy, "api.example.com", "169.254.169.254", 8443));
    assert_true(allows(&below, "a.example.com", "10.0.0.1", 443));
    assert_true(allows(&below, "a.b.example.com", "10.0.0.1", 443));
    assert_false(allows(&below, "example.com", "10.0.0.1", 443));
    assert_false(allows(&below, "evilexample.com", "10.0.0.1", 443));
    assert_true(relay_policy_may_look_up(&below, TEXT("a.example.com"), 443));
    assert_false(relay_policy_may_look_up(&below, TEXT("evil.org"), 443));
}

static void test_an_address_that_is_named_is_allowed(void **state)
{
    struct relay_policy net = policy_of("10.1.0.0/16:5000");
    struct relay_policy six = policy_of("[2001:db8::]/32:8443");
    struct relay_policy metadata = policy_of("169.254.169.254:80");

    (void)state;
    assert_true(allows(&net, "keystone", "10.1.2.3", 5000));
    assert_false(allows(&net, "keystone", "10.2.2.3", 5000));
    assert_true(allows(&six, "x", "2001:db8::5", 8443));
    assert_true(allows(&metadata, "169.254.169.254", "169.254.169.254", 80));
}

static void test_what_is_no_endpoint_is_refused(void **state)
{
    static const char *const wrong[] = { "",
                                         "api.example.com:0",
                                         "api.example.com:65536",
                                         "api example.com",
                                         "http://api.example.com",
                                         "*",
                                         "a:b" };
    struct relay_policy policy = { .count = 0 };
    struct err err;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        if (relay_policy_add(&policy, text_from(wrong[i]), &err)) {
            fail_msg("'%s' was taken", wrong[i]);
        }
    }
    policy.count = RELAY_ENDPOINTS_MAX;
    assert_false(relay_policy_add(&policy, TEXT("public"), &err));
}

/* Gets the first line of the answer to a client that sends this request. */
static void answer_to(const char *request, size_t length, char out[static 128])
{
    struct relay_policy policy = policy_of("127.0.0.1:1");
    int pair[2];
    ssize_t got;
    pid_t pid;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    pid = fork();
    if (pid == 0) {
        close(pair[0]);
        relay_serve(pair[1], &policy);
        _exit(0);
    }
    close(pair[1]);
    assert_int_equal(send(pair[0], request, length, MSG_NOSIGNAL), length);
    shutdown(pair[0], SHUT_WR);
    got = recv(pair[0], out, 127, 0);
    out[got > 0 ? got : 0] = '\0';
    out[strcspn(out, "\r")] = '\0';
    close(pair[0]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_requests_that_are_none(void **state)
{
    static const struct {
        const char *request;
        const char *answer;
    } cases[] = {
        { "GET http://127.0.0.1/ HTTP/1.1\r\n\r\n", "HTTP/1.1 405" },
        { "CONNECT \r\n\r\n", "HTTP/1.1 405" },
        { "CONNECT :1 HTTP/1.1\r\n\r\n", "HTTP/1.1 405" },
        { "CONNECT a:99999 HTTP/1.1\r\n\r\n", "HTTP/1.1 405" },
        { "CONNECT 127.0.0.2:1 HTTP/1.1\r\n\r\n", "HTTP/1.1 403" },
        { "CONNECT 127.0.0.1:2 HTTP/1.1\r\n\r\n", "HTTP/1.1 403" },
        /* no process listens on this port */
        { "CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n", "HTTP/1.1 502" },
        { "CONNECT 127.0.0.1:1 HTTP/1.1\r\n", "" },
    };
    char line[128];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        answer_to(cases[i].request, strlen(cases[i].request), line);
        line[strlen(cases[i].answer)] = '\0';
        assert_string_equal(line, cases[i].answer);
    }
}

/* ---- connections that end ---- */

enum { END_MS = 20 * 1000 };

/* A relay in a separate process, with a connection to each of its sides. */
struct relayed {
    pid_t pid;
    int client;
    int server;
};

/* Opens both connections. The policy permits only the port where a server listens. */
static struct relayed relayed_open(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t length = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct relay_policy policy;
    struct relayed out = { 0 };
    char text[128];
    int pair[2];

    assert_int_equal(bind(listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(address.sin_port));
    policy = policy_of(text);
    out.pid = fork();
    if (out.pid == 0) {
        close(pair[0]);
        close(listener);
        relay_serve(pair[1], &policy);
        _exit(0);
    }
    close(pair[1]);
    snprintf(text, sizeof(text), "CONNECT 127.0.0.1:%u HTTP/1.1\r\n\r\n", ntohs(address.sin_port));
    assert_int_equal(send(pair[0], text, strlen(text), MSG_NOSIGNAL), strlen(text));
    out.client = pair[0];
    out.server = accept(listener, NULL, NULL);
    close(listener);
    assert_true(out.server >= 0);
    assert_int_equal(recv(out.client, text, strlen("HTTP/1.1 200 connected\r\n\r\n"), MSG_WAITALL),
                     strlen("HTTP/1.1 200 connected\r\n\r\n"));
    return out;
}

/* Waits until there is something to receive: bytes, or the end. */
static bool can_receive(int fd)
{
    struct pollfd wait = { .fd = fd, .events = POLLIN };

    return poll(&wait, 1, END_MS) == 1;
}

/* Checks that the relay ends by itself. Otherwise it is killed, so that the test ends. */
static void relayed_expect_end(const struct relayed *relayed)
{
    int status = 0;

    for (int i = 0; i < END_MS / 10; i++) {
        if (waitpid(relayed->pid, &status, WNOHANG) == relayed->pid) {
            assert_int_equal(status, 0);
            return;
        }
        (void)poll(NULL, 0, 10);
    }
    kill(relayed->pid, SIGKILL);
    waitpid(relayed->pid, NULL, 0);
    fail_msg("the relay goes on without its client or server");
}

/* A client that abandons an answer closes while bytes of it are unread, which resets the
 * connection. */
static void test_a_client_that_gives_up_ends_its_relay(void **state)
{
    struct relayed relayed = relayed_open();
    char byte;

    (void)state;
    assert_int_equal(send(relayed.server, "answer", 6, MSG_NOSIGNAL), 6);
    assert_true(can_receive(relayed.client));
    close(relayed.client);
    relayed_expect_end(&relayed);
    assert_true(can_receive(relayed.server));
    assert_true(recv(relayed.server, &byte, 1, 0) <= 0);
    close(relayed.server);
}

static void test_a_server_that_resets_ends_its_relay(void **state)
{
    struct linger reset = { .l_onoff = 1 };
    struct relayed relayed = relayed_open();
    char byte;

    (void)state;
    setsockopt(relayed.server, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    close(relayed.server);
    relayed_expect_end(&relayed);
    assert_true(can_receive(relayed.client));
    assert_true(recv(relayed.client, &byte, 1, 0) <= 0);
    close(relayed.client);
}

/* The end of one direction is passed on, and data of the other direction still arrives. */
static void test_an_end_in_order_is_passed_on(void **state)
{
    struct relayed relayed = relayed_open();
    char bytes[8];

    (void)state;
    assert_int_equal(send(relayed.client, "ask", 3, MSG_NOSIGNAL), 3);
    shutdown(relayed.client, SHUT_WR);
    assert_int_equal(recv(relayed.server, bytes, 3, MSG_WAITALL), 3);
    assert_true(can_receive(relayed.server));
    assert_int_equal(recv(relayed.server, bytes, 1, 0), 0);
    assert_int_equal(send(relayed.server, "answer", 6, MSG_NOSIGNAL), 6);
    close(relayed.server);
    assert_int_equal(recv(relayed.client, bytes, 6, MSG_WAITALL), 6);
    assert_int_equal(recv(relayed.client, bytes, 1, 0), 0);
    relayed_expect_end(&relayed);
    close(relayed.client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_public_addresses_and_nothing_near),
        cmocka_unit_test(test_names_are_compared_whole),
        cmocka_unit_test(test_an_address_that_is_named_is_allowed),
        cmocka_unit_test(test_what_is_no_endpoint_is_refused),
        cmocka_unit_test(test_requests_that_are_none),
        cmocka_unit_test(test_a_client_that_gives_up_ends_its_relay),
        cmocka_unit_test(test_a_server_that_resets_ends_its_relay),
        cmocka_unit_test(test_an_end_in_order_is_passed_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
