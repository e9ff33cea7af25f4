#include "codec/yaml.h"

#include <assert.h>
#include <string.h>

/* Writes block YAML. A text has three forms, of which the first safe one is used: plain, quoted on
 * one line, or, for several lines that need no escapes, a block after |. A form is safe by the
 * strictest reading of YAML 1.2, so that other readers agree. */

/* Maximum depth of a tree: see json_write.c. */
#define DEPTH_MAX (2 * LIMIT_DOCUMENT_DEPTH)

/* YAML permits `key: value` for keys up to 1,024 characters; longer ones are written as `? key`. */
#define KEY_BYTES ((size_t)1000)

/* The reader rejects a '!' that could begin a tag and is followed by more than 1,024 bytes without
 * a space, even within quotes (yaml_guard.c). So such a '!' is escaped. The limit is divided by 6
 * because an escaped character has up to six bytes (\u2028). */
#define TAG_BYTES ((size_t)1024 / 6)

/* The text that precedes a value on its line. */
enum lead {
    LEAD_NOTHING,
    LEAD_KEY,  /* `key:` */
    LEAD_DASH, /* `-` */
};

/* Decodes the code point at `at`. Returns its length in bytes. */
static size_t point_read(struct text text, size_t at, unsigned *out_point)
{
    unsigned char first = (unsigned char)text.data[at];
    size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    unsigned point = length == 1 ? first : first & (0x7fu >> length);

    assert(at < text.length);
    assert(at + length <= text.length);
    for (size_t i = 1; i < length; i++) {
        point = point << 6 | ((unsigned char)text.data[at + i] & 0x3f);
    }
    *out_point = point;
    return length;
}

/* True for visible characters that no YAML reader ignores or interprets as a line break or an
 * indicator. */
static bool is_printable(unsigned point)
{
    if (point < 0x20 || (point >= 0x7f && point <= 0xa0)) {
        return false;
    }
    return point != 0x2028 && point != 0x2029 && point != 0xfeff && point != 0xfffe &&
           point != 0xffff;
}

static bool text_is_printable(struct text text, bool has_breaks)
{
    for (size_t at = 0; at < text.length;) {
        unsigned point = 0;

        at += point_read(text, at, &point);
        if (!is_printable(point) && !(has_breaks && (point == '\n' || point == '\t'))) {
            return false;
        }
    }
    return true;
}

/* True if a '!' is followed by a run of bytes that the reader could reject as a tag. Whitespace
 * other than spaces is written as escapes, and does not end the run. */
static bool is_yaml_write_tag(struct text text, size_t at)
{
    size_t end = at + 1;

    assert(text.data[at] == '!');
    while (end < text.length && end - at <= TAG_BYTES && text.data[end] != ' ') {
        end++;
    }
    return end - at > TAG_BYTES;
}

static bool text_has_tag(struct text text)
{
    for (size_t at = 0; text.length > TAG_BYTES && at < text.length; at++) {
        if (text.data[at] == '!' && is_yaml_write_tag(text, at)) {
            return true;
        }
    }
    return false;
}

/* True if a plain text may begin like this. */
static bool start_is_plain(struct text text)
{
    assert(text.length > 0);
    if (text_has_prefix(text, TEXT("---")) || text_has_prefix(text, TEXT("..."))) {
        return false;
    }
    if (text.data[0] == '-') {
        return text.length > 1 && text.data[1] != ' ';
    }
    return strchr("?:,[]{}#&*!|>'\"%@` ", text.data[0]) == NULL;
}

static bool yaml_write_text_is_plain(struct text text)
{
    struct doc plain = { .kind = DOC_KIND_SCALAR, .style = DOC_STYLE_PLAIN, .text = text };

    assert(text.data != NULL || text.length == 0);
    if (text.length == 0 || text_has_tag(text) || !start_is_plain(text) ||
        doc_core_type(&plain) != DOC_TYPE_TEXT || text.data[text.length - 1] == ' ' ||
        text.data[text.length - 1] == ':') {
        return false;
    }
    for (size_t i = 0; i + 1 < text.length; i++) {
        if ((text.data[i] == ':' && text.data[i + 1] == ' ') ||
            (text.data[i] == ' ' && text.data[i + 1] == '#')) {
            return false;
        }
    }
    return text_is_printable(text, false);
}

/* True if the text can be written line by line after |, without an indentation number. */
static bool text_is_block(struct text text)
{
    if (text.length == 0 || text_find_byte(text, '\n') == SIZE_MAX || text.data[0] == '\n' ||
        text.data[0] == ' ' || text.data[0] == '\t' || text_has_tag(text)) {
        return false;
    }
    return text_is_printable(text, true);
}

static void yaml_write_escape_put(struct buf *buf, unsigned point)
{
    static const char points[] = "\"\\\b\t\n\f\r";
    static const char names[] = "\"\\btnfr";
    const char *at = point == 0 || point > 0x7f ? NULL : strchr(points, (int)point);

    assert(!is_printable(point) || point == '"' || point == '\\');
    assert(point <= 0xffff);
    if (at != NULL) {
        buf_printf(buf, "\\%c", names[at - points]);
    } else if (point <= 0xff) {
        buf_printf(buf, "\\x%02x", point);
    } else {
        buf_printf(buf, "\\u%04x", point);
    }
}

static void quoted_put(struct buf *buf, struct text text)
{
    bool has_tag = text_has_tag(text);
    bool is_easy = !has_tag && text_is_printable(text, false);
    bool has_specials =
        text_find_byte(text, '"') != SIZE_MAX || text_find_byte(text, '\\') != SIZE_MAX;
    char quote = is_easy && has_specials ? '\'' : '"';

    buf_add_bytes(buf, quote, 1);
    for (size_t at = 0; at < text.length;) {
        unsigned point = 0;
        size_t length = point_read(text, at, &point);

        if (has_tag && point == '!') {
            buf_add_string(buf, "\\x21");
        } else if (quote == '"' && (!is_printable(point) || point == '"' || point == '\\')) {
            yaml_write_escape_put(buf, point);
        } else {
            buf_add(buf, text_slice(text, at, length));
            if (quote == '\'' && point == '\'') {
                buf_add_bytes(buf, '\'', 1);
            }
        }
        at += length;
    }
    buf_add_bytes(buf, quote, 1);
}

/* Write | with its indicator for the trailing line ends, then the lines. */
static void block_put(struct buf *buf, struct text text, size_t depth)
{
    bool is_ending_in_break = text.data[text.length - 1] == '\n';
    bool is_ending_in_more =
        is_ending_in_break && text.length > 1 && text.data[text.length - 2] == '\n';
    size_t at = 0;

    assert(text.length > 1);
    assert(text_is_block(text));
    buf_add_string(buf, !is_ending_in_break ? "|-\n" : is_ending_in_more ? "|+\n" : "|\n");
    while (at < text.length) {
        struct text rest = text_slice(text, at, text.length);
        size_t end = text_find_byte(rest, '\n');
        size_t length = end == SIZE_MAX ? rest.length : end;

        if (length > 0) {
            buf_add_bytes(buf, ' ', 2 * (depth == 0 ? 1 : depth));
            buf_add(buf, text_slice(rest, 0, length));
        }
        buf_add_bytes(buf, '\n', 1);
        at += length + 1;
    }
}

static void yaml_write_text_put(struct buf *buf, struct text text)
{
    if (yaml_write_text_is_plain(text)) {
        buf_add(buf, text);
    } else {
        quoted_put(buf, text);
    }
}

/* Write a scalar and the end of its line. */
static void yaml_write_scalar_put(struct buf *buf, const struct doc *doc, size_t depth,
                                  enum lead lead)
{
    enum doc_type type = doc_core_type(doc);

    assert(doc_is_scalar(doc));
    if (doc->text.length == 0 && type == DOC_TYPE_NULL) {
        buf_add_string(buf, lead == LEAD_NOTHING ? "null\n" : "\n");
        return;
    }
    if (lead != LEAD_NOTHING) {
        buf_add_bytes(buf, ' ', 1);
    }
    if (type != DOC_TYPE_TEXT) {
        buf_add(buf, doc->text);
    } else if (text_is_block(doc->text)) {
        block_put(buf, doc->text, depth);
        return;
    } else {
        yaml_write_text_put(buf, doc->text);
    }
    buf_add_bytes(buf, '\n', 1);
}

static void key_put(struct buf *buf, struct text key, size_t depth)
{
    bool is_long = key.length > KEY_BYTES;

    assert(depth < DEPTH_MAX);
    buf_add_string(buf, is_long ? "? " : "");
    if (text_is(key, "<<")) {
        quoted_put(buf, key);
    } else {
        yaml_write_text_put(buf, key);
    }
    if (is_long) {
        buf_add_bytes(buf, '\n', 1);
        buf_add_bytes(buf, ' ', 2 * depth);
    }
    buf_add_bytes(buf, ':', 1);
}

/* Write a value after its key or dash, including the end of its last line; its content is at
 * `depth`. */
static void yaml_write_value_put(struct buf *buf, const struct doc *doc, size_t depth,
                                 enum lead lead)
{
    bool is_list = doc_is_list(doc);
    size_t count = is_list ? doc->item_count : doc->entry_count;

    assert(doc_is_present(doc));
    assert(depth < DEPTH_MAX);
    if (doc_is_scalar(doc)) {
        yaml_write_scalar_put(buf, doc, depth, lead);
        return;
    }
    if (count == 0) {
        buf_add_string(buf, lead == LEAD_NOTHING ? "" : " ");
        buf_add_string(buf, is_list ? "[]\n" : "{}\n");
        return;
    }
    if (lead != LEAD_NOTHING) {
        buf_add_bytes(buf, lead == LEAD_KEY ? '\n' : ' ', 1);
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0 || lead == LEAD_KEY) {
            buf_add_bytes(buf, ' ', 2 * depth);
        }
        if (is_list) {
            buf_add_bytes(buf, '-', 1);
            yaml_write_value_put(buf, &doc->items[i], depth + 1, LEAD_DASH);
        } else {
            key_put(buf, doc->entries[i].key, depth);
            yaml_write_value_put(buf, &doc->entries[i].value, depth + 1, LEAD_KEY);
        }
    }
}

void yaml_format(struct buf *buf, const struct doc *doc)
{
    assert(buf != NULL);
    assert(doc_is_present(doc));
    yaml_write_value_put(buf, doc, 0, LEAD_NOTHING);
}
