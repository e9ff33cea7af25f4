#include "model/check.h"

#include "base/limits.h"
#include "model/naming.h"
#include "model/scalar.h"
#include "model/schema.h"
#include "selector/selector.h"

#include <assert.h>

static bool is_check_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_check_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_check_hex(char c)
{
    return is_check_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* True if the text has only letters, digits and these bytes. */
static bool is_check_made_of(struct text value, const char *others)
{
    for (size_t i = 0; i < value.length; i++) {
        if (!is_check_letter(value.data[i]) && !is_check_digit(value.data[i]) &&
            text_find_byte(text_from(others), value.data[i]) == SIZE_MAX) {
            return false;
        }
    }
    return true;
}

static bool is_check_name(struct text value)
{
    return value.length > 0 && is_check_letter(value.data[0]) && is_check_made_of(value, "_.-");
}

MUST_CHECK static bool check_name_check(struct text value, const char *what, size_t bytes_max,
                                        struct err *err)
{
    if (!is_check_name(value)) {
        err_set(err, CODE_R0310, "'%.*s' is not a valid name of %s", TEXT_ARG(value), what);
        return err_hint(err, "a name has letters, digits, '_', '.', '-' and begins with a letter");
    }
    if (value.length > bytes_max) {
        return err_set(err, CODE_R0310, "the name of %s has %zu bytes, at most %zu are allowed",
                       what, value.length, bytes_max);
    }
    return true;
}

bool check_cluster_name(struct text value, struct err *err)
{
    if (!check_name_check(value, "a cluster", LIMIT_CLUSTER_NAME_BYTES, err)) {
        return false;
    }
    if (schema_kind_of_word(value) != NULL) {
        err_set(err, CODE_R0311, "'%.*s' is the name of a kind and cannot be the name of a cluster",
                TEXT_ARG(value));
        return err_hint(err, "choose another name, for example my-%.*s", TEXT_ARG(value));
    }
    return true;
}

bool check_group_name(struct text value, struct err *err)
{
    return check_name_check(value, "a group or volume", LIMIT_GROUP_NAME_BYTES, err);
}

bool check_role(struct text value, struct err *err)
{
    return check_name_check(value, "a role", LIMIT_GROUP_NAME_BYTES, err);
}

bool check_object_name(struct text value, struct err *err)
{
    return check_name_check(value, "an object", LIMIT_CLUSTER_NAME_BYTES, err);
}

bool check_zone(struct text value, struct err *err)
{
    bool is_plain = value.length > 0;

    for (size_t i = 0; i < value.length; i++) {
        is_plain = is_plain && value.data[i] > ' ' && value.data[i] <= '~' &&
                   value.data[i] != '"' && value.data[i] != '\\';
    }
    if (!is_plain) {
        err_set(err, CODE_R0310, "'%.*s' cannot be the name of a zone", TEXT_ARG(value));
        return err_hint(err, "a zone is printable ASCII without blanks, quotes and backslashes");
    }
    return value.length <= LIMIT_ROW_ZONE_BYTES ||
           err_set(err, CODE_R0310, "the name of a zone has %zu bytes, at most %d are allowed",
                   value.length, LIMIT_ROW_ZONE_BYTES);
}

bool check_owner(struct text value, struct err *err)
{
    return value.length <= LIMIT_OWNER_BYTES ||
           err_set(err, CODE_R0310, "an owner has %zu bytes, at most %d are allowed", value.length,
                   LIMIT_OWNER_BYTES);
}

bool check_plugin_name(struct text value, struct err *err)
{
    if (text_is(value, "plugin")) { /* every default download address contains the word (K10) */
        err_set(err, CODE_R0310, "'plugin' is reserved and cannot name a plugin");
        return err_hint(err, "name it after the provider or tool with which it makes machines");
    }
    return check_name_check(value, "a plugin", LIMIT_GROUP_NAME_BYTES, err);
}

bool check_id(struct text value, struct err *err)
{
    if (value.length == 0 || value.length > LIMIT_ID_BYTES || !is_check_made_of(value, "_-")) {
        err_set(err, CODE_R0310, "'%.*s' is not an id", TEXT_ARG(value));
        return err_hint(err, "an id has 1 to %d letters, digits, '_', '-'", LIMIT_ID_BYTES);
    }
    return true;
}

/* Check a path of names_min to names_max names separated by '/'. If names_max exceeds the permitted
 * nesting of groups, the first name is that of an object. */
MUST_CHECK static bool check_path_check(struct text value, size_t names_min, size_t names_max,
                                        const char *form, struct err *err)
{
    size_t objects = names_max > LIMIT_GROUP_NESTING ? 1 : 0;
    struct text rest = value;
    size_t names = 0;
    bool is_good = true;

    assert(names_min > 0);
    while (is_good) {
        size_t end = text_find_byte(rest, '/');

        struct text name = text_slice(rest, 0, end);
        size_t bytes_max = names < objects ? LIMIT_CLUSTER_NAME_BYTES : LIMIT_GROUP_NAME_BYTES;

        is_good = is_check_name(name) && ++names <= names_max;
        if (is_good && name.length > bytes_max) {
            return err_set(err, CODE_R0310,
                           "a name in this path has %zu bytes, at most %zu are allowed",
                           name.length, bytes_max);
        }
        if (end == SIZE_MAX) {
            break;
        }
        rest = text_slice(rest, end + 1, rest.length);
    }
    if (!is_good || names < names_min) {
        return err_set(err, CODE_R0310, "'%.*s' is not of the form %s", TEXT_ARG(value), form);
    }
    return true;
}

bool check_group_path(struct text value, struct err *err)
{
    return check_path_check(value, 1, LIMIT_GROUP_NESTING, "GROUP or OUTER/INNER", err);
}

bool check_template_path(struct text value, struct err *err)
{
    return check_path_check(value, 1, 1 + LIMIT_GROUP_NESTING, "TEMPLATE or CLUSTERTEMPLATE/GROUP",
                            err);
}

bool check_group_reference(struct text value, struct err *err)
{
    return check_path_check(value, 2, 1 + LIMIT_GROUP_NESTING, "CLUSTER/GROUP", err);
}

bool check_slot(struct text value, struct err *err)
{
    if (value.length == 0 || !is_check_letter(value.data[0]) || !is_check_made_of(value, "_.-")) {
        err_set(err, CODE_R0310, "'%.*s' cannot be the name of a member", TEXT_ARG(value));
        return err_hint(err, "the field naming determines the names of members, such as web-0");
    }
    return true;
}

bool check_label_key(struct text value, struct err *err)
{
    if (value.length == 0 || value.length > LIMIT_LABEL_KEY_BYTES ||
        !(is_check_letter(value.data[0]) || is_check_digit(value.data[0])) ||
        !is_check_made_of(value, "_.-/")) {
        err_set(err, CODE_R0313, "'%.*s' cannot be the key of a label", TEXT_ARG(value));
        return err_hint(err,
                        "1 to %d bytes: a letter or digit, then letters, digits, '_', '.', "
                        "'-', '/'",
                        LIMIT_LABEL_KEY_BYTES);
    }
    return true;
}

bool check_label_value(struct text value, struct err *err)
{
    if (value.length > LIMIT_LABEL_VALUE_BYTES) {
        return err_set(err, CODE_R0313,
                       "the value of a label has %zu bytes, at most %d are allowed", value.length,
                       LIMIT_LABEL_VALUE_BYTES);
    }
    for (size_t i = 0; i < value.length; i++) {
        if ((unsigned char)value.data[i] < 0x20 || value.data[i] == 0x7f) {
            return err_set(err, CODE_R0313, "the value of a label has a control character in it");
        }
    }
    return true;
}

bool check_naming(struct text value, struct err *err)
{
    struct naming naming;

    return naming_parse(value, &naming, err);
}

bool check_fixed_path(struct text value, struct err *err)
{
    if (value.length == 0 || !is_check_made_of(value, "_.-/") || value.data[0] == '.' ||
        value.data[value.length - 1] == '.') {
        err_set(err, CODE_R0310, "'%.*s' is not a path of fields", TEXT_ARG(value));
        return err_hint(err, "write names separated by dots, as in defaults.network.cidr");
    }
    return true;
}

bool check_user(struct text value, struct err *err)
{
    if (value.length == 0 || value.length > 32 ||
        !(is_check_letter(value.data[0]) || value.data[0] == '_') ||
        !is_check_made_of(value, "_.-")) {
        err_set(err, CODE_R0310, "'%.*s' is not a user name", TEXT_ARG(value));
        return err_hint(
            err, "a user name has 1 to 32 letters, digits, '_', '.', '-' and begins with a letter");
    }
    return true;
}

/* True for four decimal numbers up to 255 without leading zeros. */
static bool is_ipv4(struct text value)
{
    size_t parts = 0;

    while (true) {
        size_t end = text_find_byte(value, '.');
        struct text part = text_slice(value, 0, end);
        int64_t number;

        if (part.length == 0 || part.length > 3 || !is_check_digit(part.data[0]) ||
            (part.length > 1 && part.data[0] == '0') || !text_parse_int64(part, &number) ||
            number > 255) {
            return false;
        }
        parts++;
        if (end == SIZE_MAX) {
            return parts == 4;
        }
        value = text_slice(value, end + 1, value.length);
    }
}

/* True for eight groups of up to four hexadecimal digits, or fewer groups with one `::`. */
static bool is_ipv6(struct text value)
{
    size_t groups = 0;
    bool has_gap = text_has_prefix(value, TEXT("::"));

    if (has_gap) {
        value = text_slice(value, 2, value.length);
    }
    while (value.length > 0) {
        size_t digits = 0;

        while (digits < value.length && is_check_hex(value.data[digits])) {
            digits++;
        }
        if (digits == value.length || value.data[digits] == ':') {
            if (digits == 0 || digits > 4) {
                return false;
            }
            groups++;
        } else {
            return groups <= 6 && (has_gap || groups == 6) && is_ipv4(value);
        }
        value = text_slice(value, digits, value.length);
        if (text_has_prefix(value, TEXT("::"))) {
            if (has_gap) {
                return false;
            }
            has_gap = true;
            value = text_slice(value, 2, value.length);
        } else if (value.length > 0) {
            value = text_slice(value, 1, value.length);
            if (value.length == 0) {
                /* A single colon at the end. */
                return false;
            }
        }
    }
    return has_gap ? groups < 8 : groups == 8;
}

bool check_address(struct text value, struct err *err)
{
    if (!is_ipv4(value) && !is_ipv6(value)) {
        err_set(err, CODE_R0314, "'%.*s' is not a valid address", TEXT_ARG(value));
        return err_hint(err, "an address looks like 10.20.0.1 or fd00::1");
    }
    return true;
}

bool check_cidr(struct text value, struct err *err)
{
    size_t slash = text_find_byte(value, '/');
    struct text address = text_slice(value, 0, slash);
    struct text prefix = slash == SIZE_MAX ? TEXT("") : text_slice(value, slash + 1, value.length);
    int64_t bits;

    if (prefix.length == 0 || prefix.length > 3 || !is_check_digit(prefix.data[0]) ||
        !text_parse_int64(prefix, &bits) ||
        !((is_ipv4(address) && bits <= 32) || (is_ipv6(address) && bits <= 128))) {
        err_set(err, CODE_R0314, "'%.*s' is not a CIDR", TEXT_ARG(value));
        return err_hint(err, "a network looks like 10.20.0.0/22 or fd00::/64");
    }
    return true;
}

bool check_auto_commission(struct text value, struct err *err)
{
    if (text_is(value, "off") || text_is(value, "listed") || check_cidr(value, err)) {
        return true;
    }
    err_set(err, CODE_R0314, "'%.*s' is neither 'off' nor 'listed' nor a CIDR", TEXT_ARG(value));
    return err_hint(err,
                    "write listed for all approved machines, 10.20.0.0/22 for those of a network");
}

bool check_selector(struct text value, struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct selector selector;

    return selector_parse(arena, value, &selector, err);
}

bool check_url(struct text value, struct err *err)
{
    bool is_https = text_has_prefix(value, TEXT("https://"));
    bool is_file = text_has_prefix(value, TEXT("file:///"));
    struct text host = text_slice(value, 8, value.length);

    host = text_slice(host, 0, text_find_byte(host, '/'));
    if (!(is_https && host.length > 0) && !(is_file && value.length > 8)) {
        err_set(err, CODE_R0315, "'%.*s' is not a valid address of a plugin", TEXT_ARG(value));
        return err_hint(err, "write https://HOST/PATH or file:///PATH");
    }
    if (is_https && text_find_byte(host, '@') != SIZE_MAX) {
        return err_set(err, CODE_R0315, "an address must not carry a user name or password");
    }
    for (size_t i = 0; i < value.length; i++) {
        if ((unsigned char)value.data[i] <= 0x20 || value.data[i] == 0x7f) {
            return err_set(err, CODE_R0315, "an address must not have blanks in it");
        }
    }
    return true;
}

static bool is_check_digest(struct text value)
{
    for (size_t i = 0; i < value.length; i++) {
        if (!is_check_hex(value.data[i])) {
            return false;
        }
    }
    return value.length == 64;
}

bool check_sha256(struct text value, struct err *err)
{
    if (!is_check_digest(value)) {
        err_set(err, CODE_R0316, "'%.*s' is not a sha256 digest", TEXT_ARG(value));
        return err_hint(err, "64 hexadecimal digits, as sha256sum prints them");
    }
    return true;
}

bool check_bundle(struct text value, struct err *err)
{
    size_t at = text_find_byte(value, '@');
    struct text name = text_slice(value, 0, at);
    struct text revision = at == SIZE_MAX ? TEXT("") : text_slice(value, at + 1, value.length);
    bool is_good = text_has_prefix(revision, TEXT("sha256:"))
                       ? is_check_digest(text_slice(revision, 7, revision.length))
                       : revision.length > 0 && is_check_made_of(revision, "_.-");

    if (!is_check_name(name) || !is_good) {
        err_set(err, CODE_R0317, "'%.*s' is not a revision of a bundle", TEXT_ARG(value));
        return err_hint(err, "write NAME@REV, or NAME@sha256: and 64 hexadecimal digits");
    }
    return true;
}

/* True for the number of a revision: r1, r17. */
static bool is_check_revision(struct text value)
{
    int64_t number;

    return value.length > 1 && value.data[0] == 'r' && value.data[1] != '0' &&
           is_check_digit(value.data[1]) &&
           text_parse_int64(text_slice(value, 1, value.length), &number);
}

bool check_configuration(struct text value, struct err *err)
{
    size_t at = text_find_byte(value, '@');

    if (!check_object_name(text_slice(value, 0, at), err)) {
        return false;
    }
    if (at != SIZE_MAX && !is_check_revision(text_slice(value, at + 1, value.length))) {
        err_set(err, CODE_R0317, "'%.*s' is not a revision of a configuration", TEXT_ARG(value));
        return err_hint(err, "write NAME for the newest revision, or NAME@r and its number: "
                             "web@r17");
    }
    return true;
}

bool check_absolute_path(struct text value, struct err *err)
{
    struct text rest = value;
    bool is_good = value.length > 0 && value.data[0] == '/';

    while (is_good && rest.length > 0) {
        struct text step;

        rest = text_slice(rest, 1, rest.length);
        step = text_slice(rest, 0, text_find_byte(rest, '/'));
        is_good =
            !text_is(step, ".") && !text_is(step, "..") && text_find_bad_utf8(step) == SIZE_MAX;
        rest = text_slice(rest, step.length, rest.length);
    }
    if (!is_good) {
        err_set(err, CODE_R0318, "'%.*s' is not an absolute path", TEXT_ARG(value));
        return err_hint(err, "a path begins with / and has no component '.' or '..'");
    }
    return true;
}

bool check_verified_path(struct text value, struct err *err)
{
    if (!check_absolute_path(value, err)) {
        return false;
    }
    for (size_t i = 0; i < value.length; i++) {
        if ((unsigned char)value.data[i] < ' ') {
            return err_set(err, CODE_R0318, "a path of a file has a control character");
        }
    }
    if (text_is(value, "/")) {
        err_set(err, CODE_R0318, "'/' would include every file of the node");
        return err_hint(err, "name the folders that the configuration writes");
    }
    return true;
}

bool check_verify_every(struct text value, struct err *err)
{
    uint64_t ms;

    if (text_is(value, "off")) {
        return true;
    }
    if (!scalar_parse_duration(value, &ms) || ms < LIMIT_VERIFY_EVERY_MS) {
        err_set(err, CODE_R0319, "'%.*s' is not an interval of verifications", TEXT_ARG(value));
        return err_hint(err, "write off, or a duration of at least a second: 1d");
    }
    return true;
}
