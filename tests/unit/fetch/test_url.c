/* Addresses for fetching (I26, F25): the refused forms one by one, and the permitted forms; and the
 * messages between the manager and the fetch process. */
#include "unit.h"

#include "base/hex.h"
#include "fetch/order.h"
#include "fetch/url.h"
#include "sys/file.h"

static const char *table; /* table of forbidden forms: CODE URL */

/* Replaces the escapes \xNN, \r, LF, \t and \\ by their bytes. */
static struct text unescape(struct arena *arena, struct text written)
{
    char *out = arena_string(arena, written);
    size_t length = 0;

    for (size_t i = 0; i < written.length; i++) {
        char next = i + 1 < written.length ? written.data[i + 1] : '\0';

        if (written.data[i] != '\\') {
            out[length++] = written.data[i];
        } else if (next == 'x') {
            hex_parse(text_slice(written, i + 2, 2), &out[length++]);
            i += 3;
        } else {
            out[length++] = (char)(next == 'r'   ? '\r'
                                   : next == 'n' ? '\n'
                                   : next == 't' ? '\t'
                                                 : next);
            i++;
        }
    }
    return (struct text){ out, length };
}

/* Returns the code with which an address is refused without a resolver, or none. */
static enum code judge(struct text url)
{
    const struct fetch_ip *meant;
    struct fetch_url read;
    struct err err;

    if (!fetch_url_parse(url, &read, &err)) {
        assert_true(err.text[0] != '\0' && err.hint[0] != '\0');
        return err.code;
    }
    meant = fetch_name_meant(read.host);
    if (meant == NULL && !read.is_literal) {
        return CODE_NONE;
    }
    return fetch_ip_judge(meant != NULL ? meant : &read.ip, read.host, NULL, 0, &err) ? CODE_NONE
                                                                                      : err.code;
}

static void forbidden_forms(void **state)
{
    AUTO(arena) arena = arena_new(1 << 22);
    struct text rest;
    struct err err;
    size_t count = 0;

    (void)state;
    assert_true(file_read(arena, table, 1 << 20, &rest, &err));
    while (rest.length > 0) {
        struct text line = text_slice(rest, 0, text_find_byte(rest, '\n'));

        rest = text_slice(rest, line.length + 1, rest.length);
        if (line.length > 6 && line.data[0] == 'R') {
            struct text url = unescape(arena, text_slice(line, 6, line.length));
            enum code code = judge(url);

            if (code != code_find(text_slice(line, 0, 5))) {
                fail_msg("%.*s: %s", TEXT_ARG(line),
                         code == CODE_NONE ? "taken" : code_get(code)->name);
            }
            count++;
        }
    }
    assert_true(count >= 100);
}

static void ordinary_forms(void **state)
{
    static const struct {
        const char *url;
        const char *host;
        uint16_t port;
        const char *path;
    } rows[] = {
        { "https://github.com/a/b/releases/download/0.0.1/plugin.so", "github.com", 443,
          "/a/b/releases/download/0.0.1/plugin.so" },
        { "https://example.com", "example.com", 443, "" },
        { "https://example.com:8443/p?X-Amz=1%2B2&b=%20", "example.com", 8443,
          "/p?X-Amz=1%2B2&b=%20" },
        { "https://[2606:4700::1111]:443/p", "2606:4700::1111", 443, "/p" },
        { "https://8.8.8.8/p", "8.8.8.8", 443, "/p" },
        { "https://xn--exmple-cua.com/~me/p..so", "xn--exmple-cua.com", 443, "/~me/p..so" },
        { "https://a-b.c0/...", "a-b.c0", 443, "/..." },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fetch_url url;
        struct err err;

        assert_true(fetch_url_parse(text_from(rows[i].url), &url, &err));
        assert_int_equal(url.scheme, FETCH_HTTPS);
        assert_text(url.host, rows[i].host);
        assert_int_equal(url.port, rows[i].port);
        assert_text(url.path, rows[i].path);
        assert_int_equal(judge(text_from(rows[i].url)), CODE_NONE);
    }
}

/* The first and last address of a network are in the network, and their neighbours are not. */
static void networks(void **state)
{
    static const struct {
        const char *net;
        const char *in[2];
        const char *out[2];
    } rows[] = {
        { "10.1.0.0/16", { "10.1.0.0", "10.1.255.255" }, { "10.0.255.255", "10.2.0.0" } },
        { "192.0.2.128/25", { "192.0.2.128", "192.0.2.255" }, { "192.0.2.127", "192.0.3.0" } },
        { "192.0.2.7", { "192.0.2.7", "192.0.2.7" }, { "192.0.2.6", "192.0.2.8" } },
        { "0.0.0.0/0", { "0.0.0.0", "255.255.255.255" }, { "::", "::ffff:1.2.3.4" } },
        { "2001:db8:5::/48",
          { "2001:db8:5::", "2001:db8:5:ffff::1" },
          { "2001:db8:4::", "1.2.3.4" } },
    };
    static const char *const wrong[] = { "",           "10.1.0.0/33", "10.1.0.1/16", "10.1/16",
                                         "::1/129",    "a.b.c.d",     "10.0.0.0/-1", "10.0.0.0/",
                                         "fe80::%1/10" };
    struct fetch_net net;
    struct fetch_ip ip;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(fetch_net_parse(text_from(rows[i].net), &net, &err));
        for (size_t j = 0; j < 2; j++) {
            assert_true(fetch_ip_find(text_from(rows[i].in[j]), &ip));
            assert_true(fetch_net_has(&net, &ip));
            assert_true(fetch_ip_find(text_from(rows[i].out[j]), &ip));
            assert_false(fetch_net_has(&net, &ip));
        }
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_false(fetch_net_parse(text_from(wrong[i]), &net, &err));
        assert_int_equal(err.code, CODE_R0314);
    }
}

static void versions(void **state)
{
    (void)state;
    assert_text(fetch_url_version(TEXT("https://h/a/releases/download/v1.2/plugin.so")), "v1.2");
    assert_text(fetch_url_version(TEXT("https://h/a/releases/download/v1.2")), "");
    assert_text(fetch_url_version(TEXT("https://h/a/releases/latest/download/plugin.so")), "");
}

static void orders_and_answers(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct fetch_order order = {
        .url = TEXT("https://h/\"x"), .deadline_ms = 5, .slow_ms = 6, .has_ca = true
    };
    struct fetch_answer answer = {
        .is_good = true, .bytes = 7, .url = TEXT("u"), .version = TEXT("v")
    };
    struct fetch_order read;
    struct fetch_answer heard;
    struct err err;

    (void)state;
    memset(answer.digest, 'a', 64);
    assert_true(fetch_net_parse(TEXT("10.0.0.0/8"), &order.allowed[order.allowed_count++], &err));
    assert_true(fetch_order_parse(arena, fetch_order_format(arena, &order), &read, &err));
    assert_text(read.url, "https://h/\"x");
    assert_int_equal(read.allowed_count, 1);
    assert_true(read.has_ca && !read.has_file && read.deadline_ms == 5 && read.slow_ms == 6);
    assert_true(fetch_answer_parse(arena, fetch_answer_format(arena, &answer), &heard, &err));
    assert_true(heard.is_good && heard.bytes == 7);
    assert_text(heard.version, "v");
    answer.is_good = false;
    err_set(&answer.err, CODE_R0645, "it is larger");
    assert_true(fetch_answer_parse(arena, fetch_answer_format(arena, &answer), &heard, &err));
    assert_true(!heard.is_good && heard.err.code == CODE_R0645);
    assert_false(fetch_answer_parse(arena, TEXT(""), &heard, &err));
    assert_false(fetch_answer_parse(arena, TEXT("{\"digest\":\"AA\"}"), &heard, &err));
    assert_false(fetch_order_parse(arena, TEXT("{\"url\":\"x\"}"), &read, &err));
    assert_int_equal(err.code, CODE_R0650);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forbidden_forms),    cmocka_unit_test(ordinary_forms),
        cmocka_unit_test(networks),           cmocka_unit_test(versions),
        cmocka_unit_test(orders_and_answers),
    };

    table = argc > 1 ? argv[1] : "tests/e2e/forbidden-urls.txt";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
