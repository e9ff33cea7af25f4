/* Addresses for fetching: no text breaks the check; an accepted address has an unambiguous host and
 * port; the decision about an IP address does not depend on its notation; and orders and answers
 * are either parsed or refused. */
#include "fetch/order.h"
#include "fetch/url.h"
#include "fuzz.h"

static void url_try(struct text text)
{
    struct fetch_url url;
    struct err err;

    if (!fetch_url_parse(text, &url, &err)) {
        FUZZ_CHECK(err.code == CODE_R0640 && err.text[0] != '\0' && err.hint[0] != '\0');
        return;
    }
    FUZZ_CHECK(text_is_ascii(text) && text.length <= LIMIT_FETCH_URL_BYTES);
    FUZZ_CHECK(text_has_prefix(text, TEXT("https://")) == (url.scheme == FETCH_HTTPS));
    FUZZ_CHECK(text_find_byte(text, '\\') == SIZE_MAX && text_find_byte(text, ' ') == SIZE_MAX);
    if (url.scheme != FETCH_HTTPS) {
        FUZZ_CHECK(url.host.length == 0 && url.path.data[0] == '/');
        return;
    }
    FUZZ_CHECK(url.host.length > 0 && url.port >= 443 && url.host.data[url.host.length - 1] != '.');
    FUZZ_CHECK(text_find_byte(url.host, '@') == SIZE_MAX &&
               text_find_byte(url.host, '%') == SIZE_MAX);
    FUZZ_CHECK(url.is_literal ||
               (url.host.data[0] != '[' && text_find_byte(url.host, ':') == SIZE_MAX));
}

static void ip_try(struct text text)
{
    char words[FETCH_IP_TEXT_BYTES];
    struct fetch_ip again;
    struct fetch_ip ip;

    if (fetch_ip_find(text, &ip)) {
        fetch_ip_format(&ip, words);
        FUZZ_CHECK(fetch_ip_find(text_from(words), &again) && fetch_ip_is_equal(&ip, &again));
        FUZZ_CHECK((fetch_ip_forbidden(&ip) == NULL) == (fetch_ip_forbidden(&again) == NULL));
    }
}

/* Checks that a non-public IPv4 address is never public in any IPv6 notation. */
static void clothes_try(const uint8_t *data)
{
    static const char *const prefixes[] = { "::", "::ffff:0:0", "64:ff9b::", "64:ff9b:1::" };

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        struct fetch_ip ip;

        FUZZ_CHECK(fetch_ip_find(text_from(prefixes[i]), &ip));
        for (size_t j = 0; j < 4; j++) {
            ip.bytes[12 + j] = data[j];
        }
        FUZZ_CHECK(fetch_ip_forbidden(&ip) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new((size_t)64 << 20);
    struct text text = { (const char *)data, size };
    struct fetch_answer answer;
    struct fetch_order order;
    struct fetch_net net;
    struct err err;

    url_try(text);
    ip_try(text);
    if (size >= 4) {
        clothes_try(data);
    }
    if (fetch_net_parse(text, &net, &err)) {
        FUZZ_CHECK(fetch_net_has(&net, &net.ip));
    }
    FUZZ_CHECK(fetch_order_parse(arena, text, &order, &err) || err.code == CODE_R0650);
    FUZZ_CHECK(fetch_answer_parse(arena, text, &answer, &err) || err.code == CODE_R0650);
    FUZZ_CHECK(fetch_url_version(text).length <= size);
    arena_free(arena);
    return 0;
}
