#include "sys/address.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

bool fetch_ip_find(struct text text, struct fetch_ip *out)
{
    struct fetch_ip ip = { .is_six = text_find_byte(text, ':') != SIZE_MAX };
    char string[FETCH_IP_TEXT_BYTES];

    if (text.length == 0 || text.length >= sizeof(string) ||
        text_find_byte(text, '\0') != SIZE_MAX) {
        return false;
    }
    memcpy(string, text.data, text.length);
    string[text.length] = '\0';
    if (inet_pton(ip.is_six ? AF_INET6 : AF_INET, string, ip.bytes) != 1) {
        return false;
    }
    *out = ip;
    return true;
}

void fetch_ip_format(const struct fetch_ip *ip, char out[static FETCH_IP_TEXT_BYTES])
{
    const char *made =
        inet_ntop(ip->is_six ? AF_INET6 : AF_INET, ip->bytes, out, FETCH_IP_TEXT_BYTES);

    assert(made == out); /* cannot fail: the buffer fits the longest address */
    (void)made;
}

bool fetch_ip_is_equal(const struct fetch_ip *a, const struct fetch_ip *b)
{
    return a->is_six == b->is_six && memcmp(a->bytes, b->bytes, a->is_six ? 16 : 4) == 0;
}

/* ---- networks ---- */

/* True if the first `bits` bits of the address are those of the network. */
static bool is_under(const unsigned char *net, const unsigned char *ip, unsigned bits)
{
    unsigned bytes = bits / 8;
    unsigned rest = bits % 8;

    return memcmp(net, ip, bytes) == 0 &&
           (rest == 0 || ((net[bytes] ^ ip[bytes]) >> (8 - rest)) == 0);
}

bool fetch_net_parse(struct text text, struct fetch_net *out, struct err *err)
{
    size_t slash = text_find_byte(text, '/');
    struct fetch_net net;
    unsigned most;
    int64_t bits;

    if (!fetch_ip_find(text_slice(text, 0, slash), &net.ip)) {
        err_set(err, CODE_R0314, "'%.*s' is not a network", TEXT_ARG(text));
        return err_hint(err, "write 10.1.0.0/16 or 2001:db8:5::/48");
    }
    most = net.ip.is_six ? 128 : 32;
    bits = most;
    if (slash != SIZE_MAX && (!text_parse_int64(text_slice(text, slash + 1, text.length), &bits) ||
                              bits < 0 || bits > most)) {
        return err_set(err, CODE_R0314, "'%.*s': a network has 0 to %u bits", TEXT_ARG(text), most);
    }
    net.bits = (unsigned)bits;
    for (unsigned i = net.bits; i < most; i++) {
        if ((net.ip.bytes[i / 8] >> (7 - i % 8) & 1) != 0) {
            err_set(err, CODE_R0314, "'%.*s' is an address in a network, not the network",
                    TEXT_ARG(text));
            return err_hint(err, "all bits after the first %u must be zero", net.bits);
        }
    }
    *out = net;
    return true;
}

bool fetch_net_has(const struct fetch_net *net, const struct fetch_ip *ip)
{
    assert(net->bits <= (net->ip.is_six ? 128 : 32));
    return net->ip.is_six == ip->is_six && is_under(net->ip.bytes, ip->bytes, net->bits);
}

/* ---- public addresses ---- */

const char *fetch_ip_forbidden(const struct fetch_ip *ip)
{
    static const struct {
        const char *net;
        const char *what;
    } rows[] = {
#define NET(net, what) { net, what },
#include "sys/networks.def"
#undef NET
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct fetch_net net;
        struct err err;
        bool is_net = fetch_net_parse(text_from(rows[i].net), &net, &err);

        assert(is_net);
        if (is_net && fetch_net_has(&net, ip)) {
            return rows[i].what;
        }
    }
    return ip->is_six && ip->bytes[0] >> 5 != 1 ? "not a public address" : NULL;
}

bool fetch_ip_judge(const struct fetch_ip *ip, struct text host, const struct fetch_net *allowed,
                    size_t allowed_count, struct err *err)
{
    const char *what = fetch_ip_forbidden(ip);
    char words[FETCH_IP_TEXT_BYTES];

    if (what == NULL) {
        return true;
    }
    for (size_t i = 0; i < allowed_count; i++) {
        if (fetch_net_has(&allowed[i], ip)) {
            return true;
        }
    }
    fetch_ip_format(ip, words);
    err_set(err, CODE_R0641, "%.*s is at %s: %s", TEXT_ARG(host), words, what);
    return err_hint(
        err,
        "to allow your own server, set fetch: {allow: [NETWORK]} in the configuration of the manager");
}
