#include "fetch/url.h"

#include "base/limits.h"

#include <assert.h>
#include <string.h>

#define HTTPS        TEXT("https://")
#define FILE_HEAD    TEXT("file://")
#define RELEASE_PART "/releases/download/"

enum {
    PORT_HTTPS = 443,
    PORT_FREE_FIRST = 1024,
    PORT_LAST = 65535,
    NAME_BYTES = 253,
    LABEL_BYTES = 63
};

MUST_CHECK static bool url_refuse(const char *why, struct err *err)
{
    err_set(err, CODE_R0640, "%s", why);
    return err_hint(err, "write https://HOST/PATH, with an ordinary host name or IP address");
}

static bool is_url_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_url_hex(char c)
{
    return is_url_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_url_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same_name(struct text text, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < length && i < text.length; i++) {
        if (lower(text.data[i]) != name[i]) {
            return false;
        }
    }
    return text.length == length;
}

/* ---- characters ---- */

/* Rejects line ends, which would end a header; characters outside ASCII, some of which look like
 * dots and slashes; and backslashes, which some parsers treat as slashes. */
MUST_CHECK static bool url_bytes_check(struct text text, struct err *err)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (c <= 0x20 || c >= 0x7f) {
            return url_refuse(
                "an address has visible ASCII characters only, no blanks, no line ends", err);
        }
        if (strchr("\\\"<>^`{|}#", c) != NULL) {
            return url_refuse("an address has no \\ \" < > ^ ` { | } or # in it", err);
        }
    }
    return true;
}

static unsigned url_hex_value(char c)
{
    return is_url_digit(c) ? (unsigned)(c - '0') : (unsigned)(lower(c) - 'a') + 10;
}

/* Rejects escapes of characters that are not permitted in a URL, and of dots and slashes. */
MUST_CHECK static bool escapes_check(struct text path, struct err *err)
{
    for (size_t i = 0; i < path.length; i++) {
        unsigned value;

        if (path.data[i] != '%') {
            continue;
        }
        if (i + 2 >= path.length || !is_url_hex(path.data[i + 1]) ||
            !is_url_hex(path.data[i + 2])) {
            return url_refuse("a % must be followed by two hexadecimal digits", err);
        }
        value = url_hex_value(path.data[i + 1]) * 16 + url_hex_value(path.data[i + 2]);
        if (value < 0x20 || value == 0x7f || value == '.' || value == '/' || value == '\\' ||
            value == '%') {
            return url_refuse("the path has an escaped dot, slash, % or control character", err);
        }
    }
    return true;
}

MUST_CHECK static bool url_path_check(struct text path, struct err *err)
{
    size_t end = text_find_byte(path, '?');
    struct text steps = text_slice(path, 0, end);

    assert(path.length == 0 || path.data[0] == '/' || path.data[0] == '?');
    while (steps.length > 0) {
        struct text step;

        steps = text_slice(steps, 1, steps.length);
        step = text_slice(steps, 0, text_find_byte(steps, '/'));
        if (text_is(step, "..") || text_is(step, ".")) {
            return url_refuse("the path contains . or ..", err);
        }
        steps = text_slice(steps, step.length, steps.length);
    }
    return escapes_check(path, err);
}

/* ---- hosts ---- */

/* Returns whether the last part of the host is a number. Some parsers read 127.1, 0x7f.0.0.1,
 * 017700000001 or 2130706433 as an address. */
static bool ends_in_number(struct text host)
{
    size_t begin = host.length;
    struct text last;

    while (begin > 0 && host.data[begin - 1] != '.') {
        begin--;
    }
    last = text_slice(host, begin, host.length);
    if (last.length >= 2 && last.data[0] == '0' && lower(last.data[1]) == 'x') {
        return true;
    }
    for (size_t i = 0; i < last.length; i++) {
        if (!is_url_digit(last.data[i])) {
            return false;
        }
    }
    return last.length > 0;
}

MUST_CHECK static bool label_check(struct text label, struct err *err)
{
    if (label.length == 0) {
        return url_refuse(
            "the host has an empty part: a dot at the beginning or end, or two in a row", err);
    }
    if (label.length > LABEL_BYTES || label.data[0] == '-' || label.data[label.length - 1] == '-') {
        return url_refuse("a part of the host begins or ends with -, or is too long", err);
    }
    for (size_t i = 0; i < label.length; i++) {
        if (!is_url_letter(label.data[i]) && !is_url_digit(label.data[i]) && label.data[i] != '-') {
            return url_refuse(
                "the host may have only letters a to z, digits, - and dots; no % and no user name",
                err);
        }
    }
    return true;
}

MUST_CHECK static bool url_name_check(struct text host, struct err *err)
{
    struct text rest = host;

    if (host.length == 0 || host.length > NAME_BYTES) {
        return url_refuse("the host is missing or too long", err);
    }
    for (;;) {
        struct text label = text_slice(rest, 0, text_find_byte(rest, '.'));

        if (!label_check(label, err)) {
            return false;
        }
        if (label.length == rest.length) {
            break;
        }
        rest = text_slice(rest, label.length + 1, rest.length);
    }
    if (ends_in_number(host)) {
        return url_refuse("the host is a number that is not a plain address like 192.0.2.1", err);
    }
    return true;
}

MUST_CHECK static bool url_port_check(struct text port, uint16_t *out, struct err *err)
{
    uint32_t value = 0;

    if (port.length == 0 || port.length > 5 || port.data[0] == '0') {
        return url_refuse("the : after the host must be followed by a port without leading zeros",
                          err);
    }
    for (size_t i = 0; i < port.length; i++) {
        if (!is_url_digit(port.data[i])) {
            return url_refuse("the port is not a number", err);
        }
        value = value * 10 + (uint32_t)(port.data[i] - '0');
    }
    if (value > PORT_LAST || (value != PORT_HTTPS && value < PORT_FREE_FIRST)) {
        return url_refuse(
            "the port must be 443 or 1024 to 65535; other ports belong to other services", err);
    }
    *out = (uint16_t)value;
    return true;
}

/* Parses the part HOST[:PORT]: [2001:db8::1]:8443, host:8443, or host. */
MUST_CHECK static bool authority_check(struct text authority, struct fetch_url *url,
                                       struct err *err)
{
    bool is_bracketed = authority.length > 0 && authority.data[0] == '[';
    size_t end = text_find_byte(authority, is_bracketed ? ']' : ':');
    struct text rest;

    if (text_find_byte(authority, '@') != SIZE_MAX) {
        return url_refuse("the address contains a user name or password", err);
    }
    if (is_bracketed && end == SIZE_MAX) {
        return url_refuse("the host begins with [ but has no ]", err);
    }
    url->host = is_bracketed ? text_slice(authority, 1, end - 1) : text_slice(authority, 0, end);
    rest = end == SIZE_MAX ? TEXT("")
                           : text_slice(authority, is_bracketed ? end + 1 : end, authority.length);
    url->port = PORT_HTTPS;
    if (rest.length > 0 && (rest.data[0] != ':' ||
                            !url_port_check(text_slice(rest, 1, rest.length), &url->port, err))) {
        return rest.data[0] != ':' ? url_refuse("only a port may follow ]", err) : false;
    }
    url->is_literal = fetch_ip_find(url->host, &url->ip);
    if (is_bracketed) {
        return (url->is_literal && url->ip.is_six) ||
               url_refuse("between [ and ] there must be an IPv6 address without a zone", err);
    }
    return url->is_literal || url_name_check(url->host, err);
}

bool fetch_url_parse(struct text text, struct fetch_url *out, struct err *err)
{
    struct fetch_url url = { .whole = text };
    struct text rest;
    size_t end;

    if (text.length == 0 || text.length > LIMIT_FETCH_URL_BYTES) {
        return url_refuse("the address is empty, or too long", err);
    }
    if (!url_bytes_check(text, err)) {
        return false;
    }
    if (text_has_prefix(text, FILE_HEAD)) {
        url.scheme = FETCH_FILE;
        url.path = text_slice(text, FILE_HEAD.length, text.length);
        if (url.path.length < 2 || url.path.data[0] != '/' ||
            text_find_byte(url.path, '%') != SIZE_MAX ||
            text_find_byte(url.path, '?') != SIZE_MAX) {
            return url_refuse("a file must be file:///PATH, without a host, % or ?", err);
        }
        *out = url;
        return url_path_check(url.path, err);
    }
    if (!text_has_prefix(text, HTTPS)) {
        return url_refuse("it does not begin with https://", err);
    }
    rest = text_slice(text, HTTPS.length, text.length);
    for (end = 0; end < rest.length && rest.data[end] != '/' && rest.data[end] != '?'; end++) {
    }
    url.path = text_slice(rest, end, rest.length);
    if (!authority_check(text_slice(rest, 0, end), &url, err) || !url_path_check(url.path, err)) {
        return false;
    }
    *out = url;
    return true;
}

/* ---- names with a fixed address ---- */

const struct fetch_ip *fetch_name_meant(struct text host)
{
    static const struct fetch_ip here = { .bytes = { 127, 0, 0, 1 } };
    static const struct fetch_ip metadata = { .bytes = { 169, 254, 169, 254 } };
    static const char *const metadata_names[] = {
        "metadata",      "metadata.google.internal",   "metadata.goog",
        "instance-data", "instance-data.ec2.internal",
    };
    size_t begin = host.length;

    while (begin > 0 && host.data[begin - 1] != '.') {
        begin--;
    }
    if (is_same_name(text_slice(host, begin, host.length), "localhost") ||
        is_same_name(host, "localhost.localdomain") || is_same_name(host, "ip6-localhost") ||
        is_same_name(host, "ip6-loopback")) {
        return &here;
    }
    for (size_t i = 0; i < ARRAY_COUNT(metadata_names); i++) {
        if (is_same_name(host, metadata_names[i])) {
            return &metadata;
        }
    }
    return NULL;
}

struct text fetch_url_version(struct text url)
{
    const char *found = memmem(url.data, url.length, RELEASE_PART, strlen(RELEASE_PART));
    struct text rest;

    if (found == NULL) {
        return TEXT("");
    }
    found += strlen(RELEASE_PART);
    rest = (struct text){ found, url.length - (size_t)(found - url.data) };
    return text_find_byte(rest, '/') == SIZE_MAX ? TEXT("")
                                                 : text_slice(rest, 0, text_find_byte(rest, '/'));
}
