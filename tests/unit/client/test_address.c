#include "client/address.h"

#include "unit.h"

static void good(const char *url, enum address_kind kind, const char *host, unsigned port)
{
    struct address address;
    struct err err;

    assert_true(address_parse(text_from(url), &address, &err));
    assert_int_equal(address.kind, kind);
    assert_text(kind == ADDRESS_UNIX ? address.path : address.host, host);
    assert_int_equal(address.port, port);
}

static void bad(const char *url)
{
    struct address address;
    struct err err;

    assert_false(address_parse(text_from(url), &address, &err));
    assert_int_equal(err.code, CODE_R0019);
    assert_true(err.hint[0] != '\0');
}

static void test_addresses(void **state)
{
    (void)state;
    good("unix:/run/reeve/reeved.sock", ADDRESS_UNIX, "/run/reeve/reeved.sock", 0);
    good("http://127.0.0.1", ADDRESS_LOOPBACK, "127.0.0.1", 80);
    good("http://127.0.0.1:8080/", ADDRESS_LOOPBACK, "127.0.0.1", 8080);
    good("http://[::1]:8080", ADDRESS_LOOPBACK, "::1", 8080);
    good("http://localhost:1", ADDRESS_LOOPBACK, "localhost", 1);
    good("https://reeve.example.org", ADDRESS_TLS, "reeve.example.org", 443);
    good("https://reeve.example.org:8443", ADDRESS_TLS, "reeve.example.org", 8443);
}

/* An address is refused if it could send a token unencrypted, or inject a line into a request. */
static void test_what_is_none(void **state)
{
    static const char *const urls[] = { "",
                                        "reeve",
                                        "unix:",
                                        "unix:relative",
                                        "ftp://127.0.0.1",
                                        "http://",
                                        "http://reeve.example.org",
                                        "http://10.0.0.1",
                                        "http://127.0.0.1:0",
                                        "http://127.0.0.1:65536",
                                        "http://127.0.0.1:x",
                                        "http://ana@127.0.0.1",
                                        "http://127.0.0.1/path",
                                        "https://host/path",
                                        "https://host?x",
                                        "https://a b",
                                        "https://a\r\nX: y" };
    char path[300] = "unix:/";

    (void)state;
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        bad(urls[i]);
    }
    memset(path + 6, 'a', 200);
    bad(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_what_is_none),
    };

    return cmocka_run_group_tests_name("client/address", tests, NULL, NULL);
}
