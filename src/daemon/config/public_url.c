#include "daemon/config/public_url.h"

#include <string.h>

/* Parses the address at which browsers reach a manager. Parsing is strict, because the address is
 * compared with header fields of browsers, and links are built from it. */

enum { PORT_HTTP = 80, PORT_HTTPS = 443, PORT_LAST = 65535, HOST_BYTES = 253 };

MUST_CHECK static bool public_url_refuse(struct text url, const char *why, struct err *err)
{
    err_set(err, CODE_R0790, "'%.*s' is not a public URL of the page: %s", TEXT_ARG(url), why);
    return err_hint(err, "write https://HOST or https://HOST:PORT");
}

/* Returns the text in lower case, as browsers send host names. */
static struct text lowered(struct arena *arena, struct text text)
{
    char *copy = arena_string(arena, text);

    for (size_t i = 0; i < text.length; i++) {
        if (copy[i] >= 'A' && copy[i] <= 'Z') {
            copy[i] = (char)(copy[i] - 'A' + 'a');
        }
    }
    return text_from(copy);
}

static bool is_public_url_of(struct text text, const char *letters)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] == '\0' || strchr(letters, text.data[i]) == NULL) {
            return false;
        }
    }
    return text.length > 0;
}

/* Returns true if the host is a name or a numeric address; IPv6 needs brackets. */
static bool is_public_url_host(struct text host)
{
    if (host.length > 2 && host.data[0] == '[') {
        return host.data[host.length - 1] == ']' &&
               is_public_url_of(text_slice(host, 1, host.length - 2), "0123456789abcdef:");
    }
    return host.length <= HOST_BYTES && host.data[0] != '.' && host.data[0] != '-' &&
           is_public_url_of(host, "abcdefghijklmnopqrstuvwxyz0123456789-.");
}

static bool is_public_url_loopback(struct text host)
{
    return text_is(host, "localhost") || text_is(host, "[::1]") ||
           (text_has_prefix(host, TEXT("127.")) && is_public_url_of(host, "0123456789."));
}

bool public_url_parse(struct arena *arena, struct text url, struct text *out, struct err *err)
{
    struct text whole = lowered(arena, url);
    bool is_tls = text_has_prefix(whole, TEXT("https://"));
    struct text host;
    size_t behind;
    int64_t port = is_tls ? PORT_HTTPS : PORT_HTTP;

    if (!is_tls && !text_has_prefix(whole, TEXT("http://"))) {
        return public_url_refuse(url, "it begins with https://", err);
    }
    if (text_has_suffix(whole, TEXT("/"))) {
        whole = text_slice(whole, 0, whole.length - 1);
    }
    host = text_slice(whole, is_tls ? strlen("https://") : strlen("http://"), whole.length);
    behind = host.length > 0 && host.data[0] == '[' ? text_find_byte(host, ']') : 0;
    behind = behind == SIZE_MAX ? 0 : behind;
    for (size_t i = behind; i < host.length; i++) {
        if (host.data[i] == ':') {
            struct text number = text_slice(host, i + 1, host.length);

            if (!is_public_url_of(number, "0123456789") || !text_parse_int64(number, &port) ||
                port < 1 || port > PORT_LAST) {
                return public_url_refuse(url, "only a port may follow the ':'", err);
            }
            host = text_slice(host, 0, i);
        }
    }
    if (host.length == 0 || !is_public_url_host(host)) {
        return public_url_refuse(url, "only a host and an optional port may follow the //", err);
    }
    if (!is_tls && !is_public_url_loopback(host)) {
        return public_url_refuse(url, "http:// is allowed on loopback only", err);
    }
    *out = port == (is_tls ? PORT_HTTPS : PORT_HTTP)
               ? arena_printf(arena, "%s://%.*s", is_tls ? "https" : "http", TEXT_ARG(host))
               : arena_printf(arena, "%s://%.*s:%lld", is_tls ? "https" : "http", TEXT_ARG(host),
                              (long long)port);
    return true;
}
