#include "codec/yaml_scan.h"

#include "codec/source.h"

#include <assert.h>
#include <string.h>

/* Longest tag handle (!name!) that libfyaml gets to see. */
#define HANDLE_BYTES ((size_t)1024)

static bool is_handle_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

MUST_CHECK static bool handles_check(struct text bytes, const struct origin *origin,
                                     struct err *err)
{
    size_t at = text_find_byte(bytes, '!');

    assert(err != NULL);
    while (at < bytes.length) {
        size_t end = at + 1;
        size_t next;

        while (end < bytes.length && is_handle_byte(bytes.data[end])) {
            end++;
        }
        if (end - at > HANDLE_BYTES && end < bytes.length && bytes.data[end] == '!') {
            err_set(err, CODE_R0110, "expected a value, found a tag of %zu bytes", end - at + 1);
            err_hint(err, "remove it: the schema decides the type");
            return err_place(err, source_place(bytes, at, 1, origin));
        }
        assert(end > at);
        next = text_find_byte(text_slice(bytes, end, bytes.length), '!');
        at = next == SIZE_MAX ? bytes.length : end + next;
    }
    return true;
}

MUST_CHECK static bool returns_check(struct text bytes, const struct origin *origin,
                                     struct err *err)
{
    size_t at = text_find_byte(bytes, '\r');

    assert(err != NULL);
    while (at < bytes.length) {
        size_t next;

        assert(bytes.data[at] == '\r');
        if (at + 1 == bytes.length || bytes.data[at + 1] != '\n') {
            err_set(err, CODE_R0116, "expected a line feed behind the carriage return");
            err_hint(err, "save the file with line ends of Unix or Windows");
            return err_place(err, source_place(bytes, at, 1, origin));
        }
        next = text_find_byte(text_slice(bytes, at + 1, bytes.length), '\r');
        at = next == SIZE_MAX ? bytes.length : at + 1 + next;
    }
    return true;
}

/* Is this line, without its end, `%YAML 1.2` with nothing but a comment behind it? */
static bool is_version_line(struct text line)
{
    struct text rest = text_slice(line, 9, line.length);

    assert(line.length > 0 && line.data[0] == '%');
    return text_has_prefix(line, TEXT("%YAML 1.2")) &&
           (text_trim(rest).length == 0 || text_trim(rest).data[0] == '#') &&
           (rest.length == 0 || rest.data[0] == ' ' || rest.data[0] == '\t');
}

MUST_CHECK static bool directives_check(struct text bytes, const struct origin *origin,
                                        struct err *err)
{
    size_t at = 0;

    assert(err != NULL);
    while (at < bytes.length) {
        size_t next;

        if (bytes.data[at] == '%') {
            struct text line = text_slice(bytes, at, source_line_bytes(bytes, at, bytes.length));

            if (!is_version_line(line)) {
                err_set(err, CODE_R0115, "expected '%%YAML 1.2' or no directive, found '%.*s'",
                        TEXT_ARG(text_trim(line)));
                err_hint(err, "remove the line");
                return err_place(
                    err,
                    source_place(bytes, at, source_count_points(line.data, line.length), origin));
            }
        }
        next = text_find_byte(text_slice(bytes, at, bytes.length), '\n');
        at = next == SIZE_MAX ? bytes.length : at + next + 1;
    }
    assert(at == bytes.length);
    return true;
}

static bool is_blank_at(struct text bytes, size_t at)
{
    return at >= bytes.length || strchr(" \t\r\n", bytes.data[at]) != NULL;
}

/* Where the first `? ` stands that may begin a key, or the end. */
static size_t complex_key_find(struct text bytes)
{
    assert(bytes.data != NULL || bytes.length == 0);
    for (size_t at = text_find_byte(bytes, '?'); at < bytes.length; at++) {
        if (bytes.data[at] == '?' && is_blank_at(bytes, at + 1) &&
            (at == 0 || is_blank_at(bytes, at - 1))) {
            return at;
        }
    }
    return bytes.length;
}

/* After a `? `, a tab between ':' and one of - ? : | > makes libfyaml free its simple key twice. */
MUST_CHECK static bool tabs_check(struct text bytes, const struct origin *origin, struct err *err)
{
    size_t at = complex_key_find(bytes);

    assert(err != NULL);
    while (at < bytes.length) {
        size_t tab = text_find_byte(text_slice(bytes, at, bytes.length), '\t');
        size_t start = at + tab;
        size_t end = start;

        if (tab == SIZE_MAX) {
            break;
        }
        while (start > 0 && (bytes.data[start - 1] == ' ' || bytes.data[start - 1] == '\t')) {
            start--;
        }
        while (end < bytes.length && (bytes.data[end] == ' ' || bytes.data[end] == '\t')) {
            end++;
        }
        if (start > 0 && bytes.data[start - 1] == ':' && end < bytes.length &&
            strchr("-?:|>", bytes.data[end]) != NULL) {
            err_set(err, CODE_R0121, "expected blanks behind ':', found a tab");
            err_hint(err, "replace the tab by blanks");
            return err_place(err, source_place(bytes, at + tab, 1, origin));
        }
        at = end;
    }
    return true;
}

/* Control characters, which YAML does not allow and a terminal may obey. */
MUST_CHECK static bool controls_check(struct text bytes, const struct origin *origin,
                                      struct err *err)
{
    char found[SOURCE_FOUND_BYTES];

    for (size_t at = 0; at < bytes.length; at++) {
        char c;

        at += text_count_unescaped((struct text){ bytes.data + at, bytes.length - at });
        c = at < bytes.length ? bytes.data[at] : ' ';
        assert(c != '\0');
        if (c > 0 && c < ' ' && c != '\n' && c != '\t' && c != '\r') {
            err_set(err, CODE_R0101, "expected text, found %s", source_found(bytes, at, found));
            err_hint(err, "in double quotes it is written \\x%02x", (unsigned)c);
            return err_place(err, source_place(bytes, at, 1, origin));
        }
    }
    return true;
}

bool yaml_guard(struct text bytes, const struct origin *origin, struct err *err)
{
    assert(bytes.data != NULL || bytes.length == 0);
    return controls_check(bytes, origin, err) && directives_check(bytes, origin, err) &&
           returns_check(bytes, origin, err) && handles_check(bytes, origin, err) &&
           tabs_check(bytes, origin, err);
}

/* Is [at, end) what may stand in a line from | or > on: a digit, a sign, a comment? */
static bool is_block_header(struct text bytes, size_t at, size_t end)
{
    assert(at < end && end <= bytes.length);
    if (bytes.data[at] != '|' && bytes.data[at] != '>') {
        return false;
    }
    at++;
    while (at < end && bytes.data[at] != '\0' && strchr("0123456789+-", bytes.data[at]) != NULL) {
        at++;
    }
    if (at < end && bytes.data[at] != ' ' && bytes.data[at] != '\t' && bytes.data[at] != '\r') {
        return false;
    }
    while (at < end &&
           (bytes.data[at] == ' ' || bytes.data[at] == '\t' || bytes.data[at] == '\r')) {
        at++;
    }
    return at == end || bytes.data[at] == '#';
}

size_t yaml_find_block_header(struct text bytes, size_t after, size_t start)
{
    size_t end = start;
    size_t at;

    assert(after <= bytes.length);
    assert(start <= bytes.length);
    while (end > 0 && bytes.data[end - 1] == ' ') {
        end--; /* indentation of the text */
    }
    if (end > 0 && bytes.data[end - 1] == '\n') {
        end--;
    } else {
        end = start; /* there is no text: the header ends the document */
    }
    at = end;
    while (at > 0 && bytes.data[at - 1] != '\n') {
        at--;
    }
    for (at = at < after ? after : at; at < end; at++) {
        if (is_block_header(bytes, at, end)) {
            return at;
        }
    }
    return SIZE_MAX;
}

size_t yaml_find_indicator(struct text bytes, size_t after, const char *any)
{
    bool is_comment = false;

    assert(any != NULL && any[0] != '\0');
    assert(after <= bytes.length);
    for (size_t at = after; at < bytes.length; at++) {
        char c = bytes.data[at];

        if (c == '\n') {
            is_comment = false;
        } else if (is_comment || c == ' ' || c == '\t' || c == '\r') {
            continue;
        } else if (c == '#') {
            is_comment = true;
        } else {
            return strchr(any, c) == NULL ? SIZE_MAX : at;
        }
    }
    return SIZE_MAX;
}

size_t yaml_find_tag(struct text bytes, size_t start)
{
    size_t at = start < bytes.length ? start : bytes.length;

    while (at > 0 && (at == bytes.length || bytes.data[at] != '!') && bytes.data[at - 1] != '\n') {
        at--;
    }
    assert(at <= start);
    return at;
}
