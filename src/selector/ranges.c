#include "selector/ranges.h"

#include "base/macros.h"

#include <assert.h>

/* A name in three parts: the text before its last number, the number, the text after it. */
struct parts {
    struct text prefix;
    struct text digits;
    struct text suffix;
    int64_t number; /* -1: the name has no usable number */
};

static bool is_ranges_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static struct parts ranges_parts_of(struct text name)
{
    struct parts parts = { .prefix = name, .number = -1 };
    size_t end = name.length;
    size_t begin;

    while (end > 0 && !is_ranges_digit(name.data[end - 1])) {
        end--;
    }
    begin = end;
    while (begin > 0 && is_ranges_digit(name.data[begin - 1])) {
        begin--;
    }
    parts.digits = text_slice(name, begin, end - begin);
    if (parts.digits.length == 0 || !text_parse_int64(parts.digits, &parts.number)) {
        return (struct parts){ .prefix = name, .number = -1 };
    }
    parts.prefix = text_slice(name, 0, begin);
    parts.suffix = text_slice(name, end, name.length);
    return parts;
}

static bool is_filled(struct text digits)
{
    return digits.length > 1 && digits.data[0] == '0';
}

/* ---- reading ---- */

bool ranges_next(struct text *rest, struct text *out)
{
    size_t begin = 0;
    size_t end;
    bool is_inside = false;

    while (begin < rest->length &&
           (rest->data[begin] == ',' || rest->data[begin] == ' ' || rest->data[begin] == '\t' ||
            rest->data[begin] == '\r' || rest->data[begin] == '\n')) {
        begin++;
    }
    for (end = begin; end < rest->length; end++) {
        char byte = rest->data[end];

        if (byte == '\n' || byte == '\r' ||
            (!is_inside && (byte == ',' || byte == ' ' || byte == '\t'))) {
            break;
        }
        is_inside = byte == '[' || (is_inside && byte != ']');
    }
    *out = text_slice(*rest, begin, end - begin);
    *rest = text_slice(*rest, end, rest->length);
    return out->length > 0;
}

/* Read one range of a list such as 1-4,7. Sets its two ends. */
static bool span_next(struct text *inner, struct text *first, struct text *last)
{
    struct text span = text_slice(*inner, 0, text_find_byte(*inner, ','));
    size_t dash = text_find_byte(span, '-');

    *inner = text_slice(*inner, span.length + 1, inner->length);
    *first = text_slice(span, 0, dash);
    *last = dash == SIZE_MAX ? *first : text_slice(span, dash + 1, span.length);
    return span.length > 0;
}

static bool is_ranges_number(struct text text)
{
    int64_t number;

    return text.length > 0 && is_ranges_digit(text.data[0]) && text_parse_int64(text, &number);
}

/* Find the bracket of a pattern. Returns false if it has none, or more than one pair. */
static bool bracket_find(struct text pattern, struct text *prefix, struct text *inner,
                         struct text *suffix)
{
    size_t open = text_find_byte(pattern, '[');
    size_t close = text_find_byte(pattern, ']');

    if (open == SIZE_MAX || close == SIZE_MAX || close < open) {
        return false;
    }
    *prefix = text_slice(pattern, 0, open);
    *inner = text_slice(pattern, open + 1, close - open - 1);
    *suffix = text_slice(pattern, close + 1, pattern.length);
    return text_find_byte(*suffix, '[') == SIZE_MAX && text_find_byte(*suffix, ']') == SIZE_MAX;
}

bool ranges_is_pattern(struct text pattern)
{
    struct text prefix;
    struct text inner;
    struct text suffix;
    struct text first;
    struct text last;

    if (!bracket_find(pattern, &prefix, &inner, &suffix)) {
        return text_find_byte(pattern, '[') == SIZE_MAX && text_find_byte(pattern, ']') == SIZE_MAX;
    }
    if (inner.length == 0 || inner.data[inner.length - 1] == ',') {
        return false;
    }
    while (inner.length > 0) {
        if (!span_next(&inner, &first, &last) || !is_ranges_number(first) ||
            !is_ranges_number(last)) {
            return false;
        }
    }
    return true;
}

static bool span_has(struct text first, struct text last, struct text digits)
{
    int64_t low;
    int64_t high;
    int64_t number;

    return text_parse_int64(first, &low) && text_parse_int64(last, &high) &&
           text_parse_int64(digits, &number) && number >= low && number <= high &&
           (is_filled(first) ? digits.length == first.length : !is_filled(digits));
}

bool ranges_has(struct text pattern, struct text name)
{
    struct text prefix;
    struct text inner;
    struct text suffix;
    struct text digits;

    if (!ranges_is_pattern(pattern) || !bracket_find(pattern, &prefix, &inner, &suffix)) {
        return text_is_equal(pattern, name);
    }
    if (name.length <= prefix.length + suffix.length || !text_has_prefix(name, prefix) ||
        !text_has_suffix(name, suffix)) {
        return false;
    }
    digits = text_slice(name, prefix.length, name.length - prefix.length - suffix.length);
    for (size_t i = 0; i < digits.length; i++) {
        if (!is_ranges_digit(digits.data[i])) {
            return false;
        }
    }
    while (inner.length > 0) {
        struct text first;
        struct text last;

        if (span_next(&inner, &first, &last) && span_has(first, last, digits)) {
            return true;
        }
    }
    return false;
}

/* ---- writing ---- */

/* True if `value` occurs as a value in the JSON text, with exactly this spelling. */
static bool ranges_is_written(struct text json, struct text value)
{
    const char *rest = json.data;
    size_t left = json.length;

    while (left > value.length + 1) {
        const char *found = memmem(rest, left, value.data, value.length);

        if (found == NULL) {
            return false;
        }
        if (found > json.data && found[-1] == '"' &&
            found + value.length < json.data + json.length && found[value.length] == '"') {
            return true;
        }
        left -= (size_t)(found - rest) + 1;
        rest = found + 1;
    }
    return false;
}

/* True if JSON writes the text without escapes, and the text is not a range. */
static bool ranges_is_simple(struct text pattern)
{
    for (size_t i = 0; i < pattern.length; i++) {
        unsigned char byte = (unsigned char)pattern.data[i];

        if (byte <= ' ' || byte >= 0x7f || byte == '"' || byte == '\\' || byte == '[') {
            return false;
        }
    }
    return pattern.length > 0;
}

bool ranges_may_have(struct text patterns, struct text token, struct text json)
{
    struct text pattern;

    while (ranges_next(&patterns, &pattern)) {
        if (!ranges_is_simple(pattern) || text_is_equal(pattern, token) ||
            ranges_is_written(json, pattern)) {
            return true;
        }
    }
    return false;
}

int ranges_compare(struct text a, struct text b)
{
    struct parts left = ranges_parts_of(a);
    struct parts right = ranges_parts_of(b);
    int order = text_compare(left.prefix, right.prefix);

    if (order == 0) {
        order = text_compare(left.suffix, right.suffix);
    }
    if (order == 0) {
        order = (left.number > right.number) - (left.number < right.number);
    }
    return order != 0 ? order : text_compare(a, b);
}

/* True if `next` continues the range that begins with `first` and ends with `last`. */
static bool goes_on(const struct parts *first, const struct parts *last, const struct parts *next)
{
    return next->number == last->number + 1 &&
           (is_filled(first->digits) ? next->digits.length == first->digits.length
                                     : !is_filled(next->digits));
}

static bool is_family(const struct parts *a, const struct parts *b)
{
    return b->number >= 0 && text_is_equal(a->prefix, b->prefix) &&
           text_is_equal(a->suffix, b->suffix);
}

/* Write all names from the first one on that differ only in their number. Returns how many names
 * were written. */
static size_t family_write(struct buf *buf, const struct text *names, size_t count)
{
    struct parts first = ranges_parts_of(names[0]);
    size_t members = 1;

    while (first.number >= 0 && members < count) {
        struct parts next = ranges_parts_of(names[members]);

        if (!is_family(&first, &next)) {
            break;
        }
        members++;
    }
    if (members == 1) {
        buf_add(buf, names[0]);
        return 1;
    }
    buf_add(buf, first.prefix);
    buf_add_string(buf, "[");
    for (size_t i = 0; i < members;) {
        struct parts begin = ranges_parts_of(names[i]);
        struct parts end = begin;
        size_t span = 1;

        for (; i + span < members; span++) {
            struct parts next = ranges_parts_of(names[i + span]);

            if (!goes_on(&begin, &end, &next)) {
                break;
            }
            end = next;
        }
        buf_add_string(buf, i == 0 ? "" : ",");
        buf_add(buf, begin.digits);
        if (span > 1) {
            buf_add_string(buf, "-");
            buf_add(buf, end.digits);
        }
        i += span;
    }
    buf_add_string(buf, "]");
    buf_add(buf, first.suffix);
    return members;
}

void ranges_format(struct buf *buf, const struct text *names, size_t count)
{
    for (size_t i = 0; i < count;) {
        assert(i == 0 || ranges_compare(names[i - 1], names[i]) <= 0);
        buf_add_string(buf, i == 0 ? "" : ",");
        i += family_write(buf, names + i, count - i);
    }
}
