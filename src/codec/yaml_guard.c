#include "codec/yaml_guard.h"

#include "base/limits.h"
#include "codec/source.h"

#include <assert.h>
#include <string.h>

/* Maximum length of a tag that libfyaml gets. */
#define TAG_BYTES ((size_t)1024)

/* Limit of open brackets. A text with more is rejected before libfyaml queues them. */
#define OPEN_BRACKETS ((size_t)10000)

/* Limit of the steps that libfyaml takes over the blanks after a ':'. The steps grow with the
 * square of the number of blanks. */
#define GAP_STEPS ((size_t)1000 * 1000 * 1000)

/* ---- input that libfyaml handles too slowly ---- */

/* Return the number of bytes from a '!' to the next blank, at most one more than the limit for a
 * tag. */
static size_t tag_bytes(struct text bytes, size_t at)
{
    size_t end = at + 1;

    assert(bytes.data[at] == '!');
    while (end < bytes.length && end - at <= TAG_BYTES && (unsigned char)bytes.data[end] > ' ') {
        end++;
    }
    return end - at;
}

/* True if a '!' may begin a tag here. After a letter or digit it is a part of a plain or quoted
 * text. */
static bool is_yaml_guard_tag(struct text bytes, size_t at)
{
    unsigned char before = at == 0 ? ' ' : (unsigned char)bytes.data[at - 1];

    return !((before >= '0' && before <= '9') ||
             ((before | 0x20) >= 'a' && (before | 0x20) <= 'z'));
}

/* Rejects a long run of bytes after '!' that libfyaml would read as !<...>, !name!... or
 * !...%41.... libfyaml needs quadratic time for such a run, or as many bytes on the stack for a
 * message. */
MUST_CHECK static bool yaml_guard_tags_check(struct text bytes, const struct origin *origin,
                                             struct err *err)
{
    size_t at = text_find_byte(bytes, '!');

    assert(err != NULL);
    while (at < bytes.length) {
        size_t length = is_yaml_guard_tag(bytes, at) ? tag_bytes(bytes, at) : 1;
        struct text tag = text_slice(bytes, at + 1, length - 1);
        size_t next;

        if (length > TAG_BYTES &&
            (tag.data[0] == '<' || memchr(tag.data, '!', tag.length) != NULL ||
             memchr(tag.data, '%', tag.length) != NULL)) {
            err_set(err, CODE_R0110,
                    "expected a value without a tag, found one of more than %zu bytes", TAG_BYTES);
            err_hint(err, "remove it: the schema decides the type; quotes make a text");
            return err_place(err, source_place(bytes, at, 1, origin));
        }
        next = text_find_byte(text_slice(bytes, at + length, bytes.length), '!');
        at = next == SIZE_MAX ? bytes.length : at + length + next;
    }
    return true;
}

/* The state of crowd_find(). */
struct crowd {
    size_t indicators; /* indicators on this line */
    size_t open;       /* number of open brackets minus closed brackets */
    size_t gap_steps;
};

/* The class of a byte for crowd_find(). */
enum crowd_class { CROWD_NOTHING, CROWD_BREAK, CROWD_OPEN, CROWD_CLOSE, CROWD_COLON, CROWD_OTHER };

static const unsigned char crowd_classes[256] = {
    ['\n'] = CROWD_BREAK, ['['] = CROWD_OPEN,  ['{'] = CROWD_OPEN,  [']'] = CROWD_CLOSE,
    ['}'] = CROWD_CLOSE,  [':'] = CROWD_COLON, [','] = CROWD_OTHER, ['&'] = CROWD_OTHER,
    ['*'] = CROWD_OTHER,  ['!'] = CROWD_OTHER, ['?'] = CROWD_OTHER, ['"'] = CROWD_OTHER,
    ['\''] = CROWD_OTHER,
};

/* Return the number of blanks and line ends after a byte. */
static size_t gap_steps(struct text bytes, size_t at)
{
    size_t end = at + 1;

    assert(at < bytes.length);
    while (end < bytes.length && memchr(" \t\r\n", bytes.data[end], 4) != NULL) {
        end++;
    }
    return end - at > 256 ? (end - at) * (end - at) : 0;
}

/* Return the first byte that exceeds a limit, or SIZE_MAX; *out shows which limit. */
static size_t crowd_find(struct text bytes, struct crowd *out)
{
    struct crowd crowd = { 0 };

    assert(out != NULL);
    for (size_t at = 0; at < bytes.length; at++) {
        unsigned class = crowd_classes[(unsigned char)bytes.data[at]];

        if (class == CROWD_NOTHING) {
            continue;
        }
        crowd.indicators = class == CROWD_BREAK ? 0 : crowd.indicators + 1;
        if (class == CROWD_OPEN) {
            crowd.open++;
        } else if (class == CROWD_CLOSE) {
            crowd.open -= crowd.open > 0;
        } else if (class == CROWD_COLON) {
            crowd.gap_steps += gap_steps(bytes, at);
        }
        if (crowd.indicators > LIMIT_LINE_INDICATORS || crowd.open > OPEN_BRACKETS ||
            crowd.gap_steps > GAP_STEPS) {
            *out = crowd;
            return at;
        }
    }
    return SIZE_MAX;
}

/* Rejects lines with too many brackets. Before libfyaml classifies a bracket, it queues the whole
 * line, or all open brackets, at about 400 bytes each. */
MUST_CHECK static bool crowd_check(struct text bytes, const struct origin *origin, struct err *err)
{
    struct crowd crowd = { 0 };
    size_t at = bytes.length > OPEN_BRACKETS ? crowd_find(bytes, &crowd) : SIZE_MAX;

    if (at == SIZE_MAX) {
        return true;
    }
    assert(at < bytes.length);
    if (crowd.open > OPEN_BRACKETS) {
        err_set(err, CODE_R0107, "expected at most %d lists and maps inside each other, found more",
                LIMIT_DOCUMENT_DEPTH);
    } else if (crowd.gap_steps > GAP_STEPS) {
        err_set(err, CODE_R0118, "expected a value near its ':', found only spaces");
        err_hint(err, "remove the spaces");
    } else {
        err_set(err, CODE_R0118,
                "expected at most %d brackets, commas and colons in a line, found more",
                LIMIT_LINE_INDICATORS);
        err_hint(err, "break the line; or name the file .json if it is JSON");
    }
    return err_place(err, source_place(bytes, at, 1, origin));
}

bool yaml_is_crowded(struct text bytes)
{
    struct crowd crowd = { 0 };

    return bytes.length > LIMIT_LINE_INDICATORS && crowd_find(bytes, &crowd) != SIZE_MAX &&
           crowd.indicators > LIMIT_LINE_INDICATORS;
}

/* ---- input that reeve does not read ---- */

MUST_CHECK static bool returns_check(struct text bytes, const struct origin *origin,
                                     struct err *err)
{
    size_t at = text_find_byte(bytes, '\r');

    assert(err != NULL);
    while (at < bytes.length) {
        size_t next;

        assert(bytes.data[at] == '\r');
        if (at + 1 == bytes.length || bytes.data[at + 1] != '\n') {
            err_set(err, CODE_R0116, "expected a line feed after the carriage return");
            err_hint(err, "save the file with Unix or Windows line endings");
            return err_place(err, source_place(bytes, at, 1, origin));
        }
        next = text_find_byte(text_slice(bytes, at + 1, bytes.length), '\r');
        at = next == SIZE_MAX ? bytes.length : at + 1 + next;
    }
    return true;
}

/* True if this line, without its end, is `%YAML 1.2` with at most a comment after it. */
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

/* Return the offset of the first `? ` that may begin a key, or of the end. */
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

/* Rejects certain tabs. After a `? `, a tab between ':' and one of - ? : | > makes libfyaml free
 * its simple key twice. */
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
            err_set(err, CODE_R0121, "expected spaces after ':', found a tab");
            err_hint(err, "replace the tab with spaces");
            return err_place(err, source_place(bytes, at + tab, 1, origin));
        }
        at = end;
    }
    return true;
}

/* Rejects control characters, which YAML does not permit and a terminal may interpret. */
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
           returns_check(bytes, origin, err) && yaml_guard_tags_check(bytes, origin, err) &&
           crowd_check(bytes, origin, err) && tabs_check(bytes, origin, err);
}
