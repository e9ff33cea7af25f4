#include "client/address.h"

#include <sys/un.h>

#define PORT_HTTP  80
#define PORT_HTTPS 443

MUST_CHECK static bool address_refuse(struct text url, const char *why, struct err *err)
{
    err_set(err, CODE_R0019, "'%.*s' is not a valid address of a manager: %s", TEXT_ARG(url), why);
    return err_hint(err, "write unix:/run/reeve/reeved.sock, http://127.0.0.1:PORT or "
                         "https://HOST");
}

/* Returns whether the text has no byte that could end a line of a request or hide part of the text
 * from a reader. */
static bool is_address_plain(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char letter = (unsigned char)text.data[i];

        if (letter <= ' ' || letter >= 0x7f) {
            return false;
        }
    }
    return true;
}

static bool is_address_loopback(struct text host)
{
    return text_has_prefix(host, TEXT("127.")) || text_is(host, "::1") ||
           text_is(host, "localhost");
}

/* Reads the port after the last colon of HOST:PORT or [HOST]:PORT, and removes it from *host. */
static bool port_take(struct text *host, uint16_t standard, uint16_t *out)
{
    size_t close = text_find_byte(*host, ']');
    size_t colon = SIZE_MAX;
    int64_t port = 0;

    for (size_t i = close == SIZE_MAX ? 0 : close; i < host->length; i++) {
        colon = host->data[i] == ':' ? i : colon;
    }
    *out = standard;
    if (colon == SIZE_MAX) {
        return true;
    }
    if (!text_parse_int64(text_slice(*host, colon + 1, host->length), &port) || port < 1 ||
        port > UINT16_MAX) {
        return false;
    }
    *out = (uint16_t)port;
    host->length = colon;
    return true;
}

MUST_CHECK static bool unix_parse(struct text url, struct address *out, struct err *err)
{
    struct sockaddr_un limit;
    struct text path = text_slice(url, 5, url.length);

    if (path.length == 0 || path.data[0] != '/') {
        return address_refuse(url, "the path of a socket begins with /", err);
    }
    if (path.length >= sizeof(limit.sun_path)) {
        return address_refuse(url, "the path is too long for a socket", err);
    }
    *out = (struct address){ .kind = ADDRESS_UNIX, .path = path, .url = url };
    return true;
}

MUST_CHECK static bool address_read(struct text url, bool is_open, struct address *out,
                                    struct err *err)
{
    bool is_tls = text_has_prefix(url, TEXT("https://"));
    struct text host;
    uint16_t port;

    if (text_find_byte(url, '\0') != SIZE_MAX || text_has_prefix(url, TEXT("unix:"))) {
        return text_find_byte(url, '\0') == SIZE_MAX
                   ? unix_parse(url, out, err)
                   : address_refuse(url, "it contains a NUL", err);
    }
    if (!is_tls && !text_has_prefix(url, TEXT("http://"))) {
        return address_refuse(url, "it does not begin with unix:, http:// or https://", err);
    }
    while (text_has_suffix(url, TEXT("/"))) {
        url.length--;
    }
    host = text_slice(url, is_tls ? 8 : 7, url.length);
    if (host.length == 0 || !is_address_plain(host) || text_find_byte(host, '/') != SIZE_MAX ||
        text_find_byte(host, '@') != SIZE_MAX || text_find_byte(host, '?') != SIZE_MAX ||
        text_find_byte(host, '#') != SIZE_MAX) {
        return address_refuse(url, "only a host and a port may follow the scheme", err);
    }
    if (!port_take(&host, is_tls ? PORT_HTTPS : PORT_HTTP, &port)) {
        return address_refuse(url, "a port is a number from 1 to 65535", err);
    }
    if (!is_tls && host.length > 2 && host.data[0] == '[' && text_has_suffix(host, TEXT("]"))) {
        host = text_slice(host, 1, host.length - 2);
    }
    if (!is_tls && !is_open && !is_address_loopback(host)) {
        return address_refuse(url, "http:// would send the token in the clear over a network", err);
    }
    *out = (struct address){
        .kind = is_tls ? ADDRESS_TLS : ADDRESS_LOOPBACK, .host = host, .port = port, .url = url
    };
    return true;
}

bool address_parse(struct text url, struct address *out, struct err *err)
{
    return address_read(url, false, out, err);
}

bool address_parse_open(struct text url, struct address *out, struct err *err)
{
    return address_read(url, true, out, err);
}

bool address_is_equal(const struct address *a, const struct address *b)
{
    return a->kind == b->kind && a->port == b->port && text_is_equal(a->host, b->host) &&
           text_is_equal(a->path, b->path);
}
