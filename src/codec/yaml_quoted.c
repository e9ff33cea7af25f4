#include "codec/yaml_quoted.h"

#include "codec/source.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* libfyaml 0.7.12 reads 'a''''b' as a''', so quoted text is decoded here (docs/decisions/0010). */

struct unquoting {
    struct text inside;
    size_t at;
    char *out;
    size_t used;
    size_t solid; /* length of `used` up to the last character that a line break may not strip */
};

static char yaml_quoted_byte_at(const struct unquoting *unquoting, size_t at)
{
    return at < unquoting->inside.length ? unquoting->inside.data[at] : '\0';
}

static bool is_break(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_yaml_quoted_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Skip one line break, LF or CR LF. */
static void break_skip(struct unquoting *unquoting)
{
    assert(is_break(yaml_quoted_byte_at(unquoting, unquoting->at)));
    unquoting->at += yaml_quoted_byte_at(unquoting, unquoting->at) == '\r' ? 2 : 1;
}

/* Fold a line break with the blanks and empty lines after it. One line break becomes a space, or
 * nothing if it is escaped; each empty line becomes a line feed. */
static void break_fold(struct unquoting *unquoting, bool is_escaped)
{
    size_t empty_lines = 0;

    assert(unquoting->solid <= unquoting->used);
    unquoting->used = unquoting->solid;
    break_skip(unquoting);
    for (;;) {
        while (is_yaml_quoted_blank(yaml_quoted_byte_at(unquoting, unquoting->at))) {
            unquoting->at++;
        }
        if (!is_break(yaml_quoted_byte_at(unquoting, unquoting->at))) {
            break;
        }
        break_skip(unquoting);
        empty_lines++;
    }
    if (empty_lines == 0 && !is_escaped) {
        unquoting->out[unquoting->used++] = ' ';
    }
    memset(unquoting->out + unquoting->used, '\n', empty_lines);
    unquoting->used += empty_lines;
    unquoting->solid = unquoting->used;
}

/* Read digits that libfyaml has checked already. */
static unsigned hex_read(struct unquoting *unquoting, size_t digits)
{
    unsigned value = 0;

    assert(digits == 2 || digits == 4 || digits == 8);
    for (size_t i = 0; i < digits; i++) {
        char c = yaml_quoted_byte_at(unquoting, unquoting->at++);

        assert((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'));
        value = value * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

/* Read the number after \x, \u or \U; two halves of a surrogate pair are one character. */
static unsigned yaml_quoted_number_read(struct unquoting *unquoting, char kind)
{
    unsigned point = hex_read(unquoting, kind == 'x' ? 2 : kind == 'u' ? 4 : 8);

    assert(kind == 'x' || kind == 'u' || kind == 'U');
    if (kind == 'u' && point >= 0xd800 && point <= 0xdbff) {
        unsigned low;

        assert(yaml_quoted_byte_at(unquoting, unquoting->at) == '\\');
        unquoting->at += 2;
        low = hex_read(unquoting, 4);
        assert(low >= 0xdc00 && low <= 0xdfff);
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    }
    return point;
}

/* Return the character of the escape \c. */
static unsigned letter_point(char c)
{
    static const char letters[] = "0abtnvfre\t \"/\\N_LP";
    static const unsigned points[] = { 0,    0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d,   0x1b,
                                       0x09, ' ',  '"',  '/',  '\\', 0x85, 0xa0, 0x2028, 0x2029 };
    const char *at = strchr(letters, c);

    assert(c != '\0' && at != NULL);
    return points[at - letters];
}

static void yaml_quoted_escape_read(struct unquoting *unquoting)
{
    char c = yaml_quoted_byte_at(unquoting, unquoting->at + 1);

    assert(unquoting->solid <= unquoting->used);
    assert(yaml_quoted_byte_at(unquoting, unquoting->at) == '\\');
    if (is_break(c)) {
        unquoting->at++;
        unquoting->solid = unquoting->used;
        break_fold(unquoting, true);
        return;
    }
    unquoting->at += 2;
    unquoting->used += source_point_put(
        unquoting->out + unquoting->used,
        c == 'x' || c == 'u' || c == 'U' ? yaml_quoted_number_read(unquoting, c) : letter_point(c));
    unquoting->solid = unquoting->used;
}

static void plain_read(struct unquoting *unquoting)
{
    char c = unquoting->inside.data[unquoting->at++];

    assert(unquoting->at <= unquoting->inside.length);
    unquoting->out[unquoting->used++] = c;
    if (!is_yaml_quoted_blank(c)) {
        unquoting->solid = unquoting->used;
    }
}

static struct text unquote(struct arena *arena, struct text inside, char special)
{
    struct unquoting unquoting = { .inside = inside };
    /* an escape of two bytes like \L becomes three bytes */
    size_t room = inside.length + inside.length / 2 + 1;

    assert(inside.data != NULL || inside.length == 0);
    if (text_find_byte(inside, special) == SIZE_MAX && text_find_byte(inside, '\n') == SIZE_MAX) {
        return inside;
    }
    unquoting.out = arena_alloc(arena, room);
    while (unquoting.at < inside.length) {
        char c = inside.data[unquoting.at];

        if (is_break(c)) {
            break_fold(&unquoting, false);
        } else if (c == special && c == '\\') {
            yaml_quoted_escape_read(&unquoting);
        } else {
            plain_read(&unquoting);
            unquoting.at += c == special && c == '\''; /* skip the second quote of '' */
        }
    }
    assert(unquoting.at == inside.length);
    assert(unquoting.used <= room);
    return (struct text){ unquoting.out, unquoting.used };
}

struct text yaml_unquote_single(struct arena *arena, struct text inside)
{
    return unquote(arena, inside, '\'');
}

struct text yaml_fold_plain(struct arena *arena, struct text text)
{
    return unquote(arena, text, '\0');
}

struct text yaml_unquote_double(struct arena *arena, struct text inside)
{
    return unquote(arena, inside, '\\');
}
