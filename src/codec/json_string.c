#include "codec/json_string.h"

#include "codec/source.h"

#include <assert.h>
#include <string.h>

static bool fault_set(struct json_string_fault *fault, enum code code, size_t offset, size_t length)
{
    assert(code > CODE_NONE && code < CODE_COUNT);
    assert(length > 0);
    *fault = (struct json_string_fault){ .code = code, .offset = offset, .length = length };
    return false;
}

/* Find the closing quote, and whether there are escapes before it. */
static bool json_string_end_find(struct text bytes, size_t start, size_t *out_end,
                                 bool *out_has_escapes, struct json_string_fault *fault)
{
    bool has_escapes = false;
    size_t at = start + 1;

    assert(bytes.data[start] == '"');
    for (; at < bytes.length; at++) {
        unsigned char c;

        at += text_count_unescaped((struct text){ bytes.data + at, bytes.length - at });
        if (at == bytes.length) {
            break;
        }
        c = (unsigned char)bytes.data[at];
        if (c == '"') {
            *out_end = at;
            *out_has_escapes = has_escapes;
            return true;
        }
        if (c == '\n' || c == '\r') {
            break;
        }
        if (c < 0x20) {
            return fault_set(fault, CODE_R0101, at, 1);
        }
        assert(c == '\\');
        has_escapes = true;
        if (at + 1 < bytes.length && bytes.data[at + 1] >= ' ') {
            at++;
        }
    }
    return fault_set(fault, CODE_R0123, start, source_line_bytes(bytes, start, at));
}

/* Return the value of four hexadecimal digits, or -1. */
static int hex_parse(struct text bytes, size_t at)
{
    int value = 0;

    assert(at <= bytes.length);
    if (bytes.length - at < 4) {
        return -1;
    }
    for (size_t i = at; i < at + 4; i++) {
        char c = bytes.data[i];

        if (c >= '0' && c <= '9') {
            value = value * 16 + (c - '0');
        } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
            value = value * 16 + ((c | 0x20) - 'a' + 10);
        } else {
            return -1;
        }
    }
    return value;
}

/* Read \uXXXX, or a pair of them, at the backslash *at. */
static bool unicode_read(struct text bytes, size_t *at, unsigned *out_point,
                         struct json_string_fault *fault)
{
    int high = hex_parse(bytes, *at + 2);
    int low;

    assert(bytes.data[*at] == '\\');
    if (high < 0) {
        return fault_set(fault, CODE_R0124, *at, 2);
    }
    if (high == 0) {
        return fault_set(fault, CODE_R0104, *at, 6);
    }
    *out_point = (unsigned)high;
    if (high >= 0xd800 && high <= 0xdfff) {
        bool is_pair =
            *at + 12 <= bytes.length && bytes.data[*at + 6] == '\\' && bytes.data[*at + 7] == 'u';

        low = is_pair ? hex_parse(bytes, *at + 8) : -1;
        if (high > 0xdbff || low < 0xdc00 || low > 0xdfff) {
            return fault_set(fault, CODE_R0103, *at, 6);
        }
        *out_point = 0x10000 + ((unsigned)(high - 0xd800) << 10) + (unsigned)(low - 0xdc00);
        *at += 6;
    }
    *at += 6;
    return true;
}

/* Read the escape at the backslash *at. */
static bool json_string_escape_read(struct text bytes, size_t *at, unsigned *out_point,
                                    struct json_string_fault *fault)
{
    static const char names[] = "\"\\/bfnrt";
    static const char points[] = "\"\\/\b\f\n\r\t";
    char c;
    const char *name;

    assert(bytes.data[*at] == '\\');
    c = *at + 1 < bytes.length ? bytes.data[*at + 1] : '\0';
    if (c == 'u') {
        return unicode_read(bytes, at, out_point, fault);
    }
    name = c == '\0' ? NULL : strchr(names, c);
    if (name == NULL) {
        return fault_set(fault, CODE_R0124, *at, 2);
    }
    *out_point = (unsigned char)points[name - names];
    *at += 2;
    return true;
}

/* Set *out to the text of [start, end) with its escapes resolved; it is never longer than its
 * spelling. */
static bool text_decode(struct arena *arena, struct text bytes, size_t start, size_t end,
                        struct text *out, struct json_string_fault *fault)
{
    char *data = arena_alloc(arena, end - start);
    size_t used = 0;
    size_t at = start;

    assert(start <= end);
    assert(end <= bytes.length);
    while (at < end) {
        const char *from = bytes.data + at;
        const char *escape = memchr(from, '\\', end - at);
        size_t plain = escape == NULL ? end - at : (size_t)(escape - from);
        unsigned point = 0;

        memcpy(data + used, from, plain);
        used += plain;
        at += plain;
        if (at == end) {
            break;
        }
        if (!json_string_escape_read(bytes, &at, &point, fault)) {
            return false;
        }
        used += source_point_put(data + used, point);
    }
    assert(at == end);
    assert(used <= end - start);
    *out = (struct text){ data, used };
    return true;
}

bool json_string_parse(struct arena *arena, struct text bytes, size_t *at, struct text *out,
                       struct json_string_fault *fault)
{
    size_t start = *at + 1;
    size_t end = start;
    bool has_escapes = false;

    assert(*at < bytes.length);
    if (!json_string_end_find(bytes, *at, &end, &has_escapes, fault)) {
        return false;
    }
    assert(end >= start);
    if (!has_escapes) {
        *out = text_slice(bytes, start, end - start);
    } else if (!text_decode(arena, bytes, start, end, out, fault)) {
        return false;
    }
    *at = end + 1;
    return true;
}

void json_string_report(struct text bytes, size_t start, const struct json_string_fault *fault,
                        const struct origin *origin, struct err *err)
{
    const char *at = bytes.data + fault->offset;
    size_t end = fault->offset + fault->length;
    char found[SOURCE_FOUND_BYTES];
    size_t shown;

    assert(fault->code != CODE_NONE);
    assert(start <= fault->offset && end <= bytes.length);
    while (end < bytes.length && ((unsigned char)bytes.data[end] & 0xc0) == 0x80) {
        end++; /* include the whole code point */
    }
    shown = end - fault->offset;
    if (fault->code == CODE_R0123) {
        err_set(err, CODE_R0123, "expected '\"' that closes the string before the end of the line");
    } else if (fault->code == CODE_R0101) {
        err_set(err, CODE_R0101, "expected text in the string, found %s",
                source_found(bytes, fault->offset, found));
        err_hint(err, *at == '\t' ? "write it as \\t" : "write it as \\u%04x",
                 (unsigned)(unsigned char)*at);
    } else if (fault->code == CODE_R0104) {
        err_set(err, CODE_R0104, "expected text in the string, found the NUL character '\\u0000'");
    } else if (fault->code == CODE_R0103) {
        err_set(err, CODE_R0103, "expected two halves of a surrogate pair, found only '%.*s'",
                (int)shown, at);
        err_hint(err, "write the character itself");
    } else {
        err_set(err, CODE_R0124, "expected an escape such as \\n or \\u00e9, found '%.*s'",
                (int)shown, at);
        err_hint(err, "write \\\\ for a backslash");
    }
    err_place(err, source_place(bytes, fault->offset, source_count_points(at, shown), origin));
}
