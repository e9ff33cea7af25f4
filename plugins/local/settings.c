#include "settings.h"

#include "codec/doc.h"
#include "codec/json.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

/* Reads a range such as "10.77.0.0/24". */
static bool read_range(struct arena *arena, struct text text, struct range *out)
{
    size_t slash = text_find_byte(text, '/');
    struct in_addr address;
    int64_t prefix;
    uint32_t mask;

    if (slash == SIZE_MAX ||
        inet_pton(AF_INET, arena_string(arena, text_slice(text, 0, slash)), &address) != 1 ||
        !text_parse_int64(text_slice(text, slash + 1, text.length), &prefix) || prefix < 8 ||
        prefix > 29) {
        return false;
    }
    mask = ~(uint32_t)0 << (32 - (unsigned)prefix);
    *out = (struct range){ .first = ntohl(address.s_addr), .prefix = (unsigned)prefix };
    out->last = out->first | ~mask;
    return (out->first & ~mask) == 0;
}

/* Returns whether the name is valid for an interface or namespace: not empty, and without blanks,
 * slashes and dots. */
static bool is_plain_name(struct text name, size_t most)
{
    if (name.length == 0 || name.length > most) {
        return false;
    }
    for (size_t i = 0; i < name.length; i++) {
        char byte = name.data[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
              (byte >= '0' && byte <= '9') || (byte == '-' && i > 0) || byte == '_')) {
            return false;
        }
    }
    return true;
}

/* Reads a text. If it is absent, *inout is unchanged. Returns false if the value is not a text. */
static bool read_text(const struct doc *doc, const char *key, struct text *inout)
{
    const struct doc *value = doc_child(doc, key);

    if (value == NULL || doc_is_null(value)) {
        return true;
    }
    if (!doc_is_scalar(value)) {
        return false;
    }
    *inout = value->text;
    return true;
}

static bool read_network(struct arena *arena, const struct doc *network, struct settings *out,
                         const char **out_why)
{
    struct text bridge = TEXT("reeve0");
    struct text cidr = TEXT("10.77.0.0/24");
    struct text namespace = { 0 };

    if (!read_text(network, "bridge", &bridge) || !is_plain_name(bridge, IFNAMSIZ - 1)) {
        *out_why =
            "settings: network.bridge is not a valid name of an interface: letters, digits and "
            "dashes, at most 15";
        return false;
    }
    if (!read_text(network, "cidr", &cidr) || !read_range(arena, cidr, &out->range)) {
        *out_why =
            "settings: network.cidr is not a range of IPv4 addresses like 10.77.0.0/24 (/8 to "
            "/29, the host's part zero)";
        return false;
    }
    if (!read_text(network, "namespace", &namespace) ||
        (namespace.length > 0 && !is_plain_name(namespace, 63))) {
        *out_why = "settings: network.namespace is not a name: letters, digits and dashes";
        return false;
    }
    out->bridge = arena_string(arena, bridge);
    out->namespace = namespace.length == 0 ? NULL : arena_string(arena, namespace);
    return true;
}

bool settings_read(struct arena *arena, struct text json, struct settings *out,
                   const char **out_why)
{
    struct text mirror = { 0 };
    struct text isolation = TEXT("auto");
    struct doc doc = { 0 };
    struct err err;

    if (json.length > 0 && !json_parse(arena, json, NULL, &doc, &err)) {
        *out_why = arena_printf(arena, "settings: %s", err.text).data;
        return false;
    }
    *out = (struct settings){ 0 };
    if (!read_network(arena, doc_child(&doc, "network"), out, out_why)) {
        return false;
    }
    if (!read_text(&doc, "mirror", &mirror) ||
        (mirror.length > 0 && !text_has_prefix(mirror, TEXT("http://")) &&
         !text_has_prefix(mirror, TEXT("https://")) && !text_has_prefix(mirror, TEXT("file:")))) {
        *out_why = "settings: mirror is not an address like http://deb.debian.org/debian";
        return false;
    }
    out->mirror = mirror.length == 0 ? NULL : arena_string(arena, mirror);
    if (!read_text(&doc, "isolation", &isolation)) {
        isolation = TEXT("?");
    }
    if (text_is(isolation, "lxc")) {
        out->isolation = SETTINGS_ISOLATION_LXC;
    } else if (text_is(isolation, "plain")) {
        out->isolation = SETTINGS_ISOLATION_PLAIN;
    } else if (!text_is(isolation, "auto")) {
        *out_why = "settings: isolation is auto, lxc or plain";
        return false;
    }
    return true;
}

const char *settings_address(struct arena *arena, uint32_t address)
{
    return arena_printf(arena, "%u.%u.%u.%u", address >> 24, address >> 16 & 255,
                        address >> 8 & 255, address & 255)
        .data;
}
