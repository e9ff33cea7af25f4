#include "codec/json.h"
#include "codec/number.h"

#include <assert.h>
#include <string.h>

/* Maximum depth of the recursion. Readers stop at LIMIT_DOCUMENT_DEPTH, and the program adds only a
 * few levels around their trees. */
#define DEPTH_MAX (2 * LIMIT_DOCUMENT_DEPTH)

/* Return the number of bytes that each byte takes inside a string: 1, 2 (\n), or 6 (\u001f). */
static size_t escape_bytes(unsigned char c)
{
    if (c >= 0x20) {
        return c == '"' || c == '\\' ? 2 : 1;
    }
    return c == '\b' || c == '\t' || c == '\n' || c == '\f' || c == '\r' ? 2 : 6;
}

static void json_write_escape_put(struct buf *buf, unsigned char c)
{
    /* letters of the escapes of 0x08 to 0x0d; 0x0b has none */
    static const char names[] = "btn.fr";
    char escape[2] = { '\\', (char)c };

    assert(c < 0x20 || c == '"' || c == '\\');
    assert(escape_bytes(c) > 1);
    if (escape_bytes(c) == 6) {
        buf_printf(buf, "\\u%04x", (unsigned)c);
        return;
    }
    if (c < 0x20) {
        escape[1] = names[c - '\b'];
    }
    buf_add(buf, (struct text){ escape, 2 });
}

/* Write the part of a string from its first escape on. */
static void escaped_put(struct buf *buf, struct text text)
{
    for (size_t at = 0; at < text.length;) {
        struct text rest;

        json_write_escape_put(buf, (unsigned char)text.data[at++]);
        rest = text_slice(text, at, text.length);
        rest.length = text_count_unescaped(rest);
        buf_add(buf, rest);
        at += rest.length;
    }
}

/* Copy a text to a buffer of at least its size. Returns false if a byte of it needs an escape. */
static inline bool plain_copy(char *out, struct text text)
{
    uint64_t word;
    uint32_t half;
    size_t at = 0;

    for (; text.length - at >= sizeof(word); at += sizeof(word)) {
        memcpy(&word, text.data + at, sizeof(word));
        if (text_specials(word) != 0) {
            return false;
        }
        memcpy(out + at, &word, sizeof(word));
    }
    if (at == text.length) {
        return true;
    }
    if (at > 0) { /* copy the last eight bytes, which may overlap the bytes before */
        at = text.length - sizeof(word);
        memcpy(&word, text.data + at, sizeof(word));
        memcpy(out + at, &word, sizeof(word));
        return text_specials(word) == 0;
    }
    if (text.length >= sizeof(half)) { /* copy four bytes from either end */
        size_t last = text.length - sizeof(half);

        memcpy(&half, text.data, sizeof(half));
        memcpy(out, &half, sizeof(half));
        word = (uint64_t)half << 32;
        memcpy(&half, text.data + last, sizeof(half));
        memcpy(out + last, &half, sizeof(half));
        return text_specials(word | half) == 0;
    }
    for (at = 0; at < text.length; at++) {
        if ((unsigned char)text.data[at] < 0x20 || text.data[at] == '"' || text.data[at] == '\\') {
            return false;
        }
        out[at] = text.data[at];
    }
    return true;
}

/* Write a string between `before` (a comma, or NUL for nothing) and `behind` (a colon, or NUL).
 * Most strings need no escape and are written in one step. */
static inline void json_write_string_put(struct buf *buf, char before, struct text text,
                                         char behind)
{
    char *start = buf_reserve(buf, text.length + 4);
    char *at = start;

    if (before != '\0') {
        *at++ = before;
    }
    *at++ = '"';
    if (plain_copy(at, text)) {
        at += text.length;
    } else {
        size_t plain = text_count_unescaped(text);

        assert(plain < text.length);
        buf->length += (size_t)(at - start);
        buf_add(buf, text_slice(text, 0, plain));
        escaped_put(buf, text_slice(text, plain, text.length));
        start = at = buf_reserve(buf, 2);
    }
    *at++ = '"';
    *at = behind;
    buf->length += (size_t)(at - start) + (behind != '\0');
}

static size_t string_count(struct text text)
{
    size_t count = 2;

    for (size_t at = text_count_unescaped(text); at < text.length;) {
        struct text rest = text_slice(text, at, text.length);

        count += escape_bytes((unsigned char)rest.data[0]) - 1;
        rest = text_slice(rest, 1, rest.length);
        at += 1 + text_count_unescaped(rest);
    }
    count += text.length;
    assert(count >= text.length + 2);
    return count;
}

/* Return the JSON word for a scalar that is neither text nor number (true, false, null); empty for
 * texts and numbers. */
static struct text json_write_word_of(const struct doc *doc, enum doc_type type)
{
    assert(doc_is_scalar(doc));
    if (type == DOC_TYPE_NULL) {
        return TEXT("null");
    }
    if (type == DOC_TYPE_BOOL) {
        return (doc->text.data[0] | 0x20) == 't' ? TEXT("true") : TEXT("false");
    }
    return TEXT("");
}

/* True if JSON can represent the scalar as a number. JSON has no .inf and .nan, which end in a
 * letter. A hexadecimal number beyond 64 bits, which a text with tolerated faults may contain, has
 * no decimal form here. */
static bool is_json_write_number(const struct doc *doc, enum doc_type type)
{
    if (type == DOC_TYPE_INT) {
        return doc->text.data[0] != '0' || number_fits_int64(doc->text);
    }
    assert(type != DOC_TYPE_FLOAT || doc->text.length > 0);
    return type == DOC_TYPE_FLOAT && (doc->text.data[doc->text.length - 1] | 0x20) < 'a';
}

static void json_write_scalar_put(struct buf *buf, const struct doc *doc)
{
    enum doc_type type;
    struct text word;

    assert(doc_is_scalar(doc));
    if (doc->style == DOC_STYLE_QUOTED) {
        json_write_string_put(buf, '\0', doc->text, '\0');
        return;
    }
    type = doc_core_type(doc);
    word = json_write_word_of(doc, type);
    if (word.length > 0) {
        buf_add(buf, word);
    } else if (is_json_write_number(doc, type)) {
        struct number number;

        number_to_json(doc->text, &number);
        for (size_t i = 0; i < number.part_count; i++) {
            buf_add(buf, number.parts[i]);
        }
    } else {
        json_write_string_put(buf, '\0', doc->text, '\0');
    }
}

static size_t scalar_count(const struct doc *doc)
{
    enum doc_type type = doc_core_type(doc);
    struct text word = json_write_word_of(doc, type);
    struct number number;
    size_t count = 0;

    assert(doc_is_scalar(doc));
    if (word.length > 0) {
        return word.length;
    }
    if (!is_json_write_number(doc, type)) {
        return string_count(doc->text);
    }
    number_to_json(doc->text, &number);
    for (size_t i = 0; i < number.part_count; i++) {
        count += number.parts[i].length;
    }
    return count;
}

static void json_write_value_put(struct buf *buf, const struct doc *doc, size_t depth)
{
    assert(doc_is_present(doc));
    assert(depth < DEPTH_MAX);
    if (doc->kind == DOC_KIND_SCALAR) {
        json_write_scalar_put(buf, doc);
    } else if (doc->kind == DOC_KIND_LIST) {
        buf_add_byte(buf, '[');
        for (size_t i = 0; i < doc->item_count; i++) {
            if (i > 0) {
                buf_add_byte(buf, ',');
            }
            json_write_value_put(buf, &doc->items[i], depth + 1);
        }
        buf_add_byte(buf, ']');
    } else {
        buf_add_byte(buf, '{');
        for (size_t i = 0; i < doc->entry_count; i++) {
            json_write_string_put(buf, i > 0 ? ',' : '\0', doc->entries[i].key, ':');
            json_write_value_put(buf, &doc->entries[i].value, depth + 1);
        }
        buf_add_byte(buf, '}');
    }
}

void json_format(struct buf *buf, const struct doc *doc)
{
    assert(buf != NULL);
    assert(doc_is_present(doc));
    json_write_value_put(buf, doc, 0);
}

static void line_start(struct buf *buf, size_t depth)
{
    assert(depth <= DEPTH_MAX);
    buf_add_bytes(buf, '\n', 1);
    buf_add_bytes(buf, ' ', 2 * depth);
}

static void pretty_put(struct buf *buf, const struct doc *doc, size_t depth)
{
    bool is_list = doc_is_list(doc);
    size_t count = is_list ? doc->item_count : doc->entry_count;

    assert(doc_is_present(doc));
    assert(depth < DEPTH_MAX);
    if (doc->kind == DOC_KIND_SCALAR) {
        json_write_scalar_put(buf, doc);
        return;
    }
    buf_add_bytes(buf, is_list ? '[' : '{', 1);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            buf_add_bytes(buf, ',', 1);
        }
        line_start(buf, depth + 1);
        if (!is_list) {
            json_write_string_put(buf, '\0', doc->entries[i].key, ':');
            buf_add_bytes(buf, ' ', 1);
        }
        pretty_put(buf, is_list ? &doc->items[i] : &doc->entries[i].value, depth + 1);
    }
    if (count > 0) {
        line_start(buf, depth);
    }
    buf_add_bytes(buf, is_list ? ']' : '}', 1);
}

void json_format_pretty(struct buf *buf, const struct doc *doc)
{
    assert(buf != NULL);
    assert(doc_is_present(doc));
    pretty_put(buf, doc, 0);
    buf_add_bytes(buf, '\n', 1);
}

static size_t value_count(const struct doc *doc, size_t depth)
{
    size_t count = 2; /* counts the brackets */

    assert(doc_is_present(doc));
    assert(depth < DEPTH_MAX);
    if (doc->kind == DOC_KIND_SCALAR) {
        return scalar_count(doc);
    }
    if (doc->kind == DOC_KIND_LIST) {
        for (size_t i = 0; i < doc->item_count; i++) {
            count += (i > 0) + value_count(&doc->items[i], depth + 1);
        }
        return count;
    }
    for (size_t i = 0; i < doc->entry_count; i++) {
        count += (i > 0) + string_count(doc->entries[i].key) + 1;
        count += value_count(&doc->entries[i].value, depth + 1);
    }
    return count;
}

size_t json_count_bytes(const struct doc *doc)
{
    assert(doc_is_present(doc));
    return value_count(doc, 0);
}

/* Return an upper bound of the bytes of a text: six for each byte, quotes, and a colon or comma. A
 * number in another base has fewer than twice its digits. */
static size_t text_most(struct text text)
{
    return 6 * text.length + 4;
}

/* Return an upper bound of the length of the canonical form. */
static size_t value_most(const struct doc *doc, size_t depth)
{
    size_t count = 3; /* counts the brackets, and a comma after them */

    assert(doc_is_present(doc));
    assert(depth < DEPTH_MAX);
    if (doc->kind == DOC_KIND_SCALAR) {
        return text_most(doc->text) + sizeof("null");
    }
    for (size_t i = 0; doc->kind == DOC_KIND_LIST && i < doc->item_count; i++) {
        count += value_most(&doc->items[i], depth + 1);
    }
    for (size_t i = 0; doc->kind == DOC_KIND_MAP && i < doc->entry_count; i++) {
        count += text_most(doc->entries[i].key) + value_most(&doc->entries[i].value, depth + 1);
    }
    return count;
}

bool json_is_longer(const struct doc *doc, size_t bytes)
{
    return value_most(doc, 0) > bytes && json_count_bytes(doc) > bytes;
}
