/* Where the relay of a plugin leads to, and where never. */

#include "host/relay.h"

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
    /* a name that is allowed leads neither to this computer nor to the metadata of a cloud */
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

/* What a client that sends this is answered, the first line. */
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
        { "CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n", "HTTP/1.1 502" }, /* nobody listens there */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_public_addresses_and_nothing_near),
        cmocka_unit_test(test_names_are_compared_whole),
        cmocka_unit_test(test_an_address_that_is_named_is_allowed),
        cmocka_unit_test(test_what_is_no_endpoint_is_refused),
        cmocka_unit_test(test_requests_that_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
