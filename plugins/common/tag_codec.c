#include "tag_codec.h"

#include "base/sort.h"
#include "codec/json.h"

#include <assert.h>
#include <gnutls/crypto.h>
#include <stdlib.h>

enum { TAG_CODEC_SHA_BYTES = 32 };

static const char tag_codec_digits[] = "0123456789abcdef";

static struct text tag_codec_text(struct reeve_text text)
{
    return (struct text){ text.bytes, text.length };
}

static struct reeve_text tag_codec_answer(struct text text)
{
    return (struct reeve_text){ text.data, text.length };
}

struct text tag_codec_value(const struct reeve_tag *tags, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (text_is(tag_codec_text(tags[i].name), name)) {
            return tag_codec_text(tags[i].value);
        }
    }
    return TEXT("");
}

struct text tag_codec_hash(struct arena *arena, struct text cluster)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned char digest[TAG_CODEC_SHA_BYTES];
    char *out = arena_alloc(arena, TAG_CODEC_HASH_LETTERS + 1);
    unsigned bits = 0;
    unsigned held = 0;
    size_t next = 0;

    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, cluster.length == 0 ? "" : cluster.data, cluster.length,
                         digest) < 0) {
        abort(); /* without SHA-256, the plugin could not find its machines again */
    }
    for (size_t i = 0; i < TAG_CODEC_HASH_LETTERS; i++) {
        if (held < 5) {
            bits = (bits << 8) | digest[next++];
            held += 8;
        }
        held -= 5;
        out[i] = letters[(bits >> held) & 31];
    }
    return (struct text){ out, TAG_CODEC_HASH_LETTERS };
}

/* ---- escapes ---- */

static bool is_tag_plain(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-';
}

void tag_codec_escape(struct buf *out, struct text value)
{
    for (size_t i = 0; i < value.length; i++) {
        unsigned char byte = (unsigned char)value.data[i];

        if (is_tag_plain(value.data[i])) {
            buf_add_byte(out, value.data[i]);
        } else {
            buf_add_byte(out, '_');
            buf_add_byte(out, tag_codec_digits[byte >> 4]);
            buf_add_byte(out, tag_codec_digits[byte & 15]);
        }
    }
}

/* Returns the value of a lower-case hexadecimal digit, or 16 for any other byte. */
static unsigned tag_codec_digit(char byte)
{
    return byte >= '0' && byte <= '9'   ? (unsigned)(byte - '0')
           : byte >= 'a' && byte <= 'f' ? (unsigned)(byte - 'a' + 10)
                                        : 16;
}

static char tag_codec_lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

bool tag_codec_unescape(struct arena *arena, struct text value, struct text *out)
{
    char *bytes = arena_alloc(arena, value.length + 1);
    size_t length = 0;

    for (size_t i = 0; i < value.length; i++) {
        char byte = tag_codec_lower(value.data[i]);
        unsigned high;
        unsigned low;

        if (byte != '_') {
            if (!is_tag_plain(byte)) {
                return false;
            }
            bytes[length++] = byte;
            continue;
        }
        if (value.length - i < 3) {
            return false;
        }
        high = tag_codec_digit(tag_codec_lower(value.data[i + 1]));
        low = tag_codec_digit(tag_codec_lower(value.data[i + 2]));
        i += 2;
        if (high > 15 || low > 15 || is_tag_plain((char)(high << 4 | low))) {
            return false;
        }
        bytes[length++] = (char)(high << 4 | low);
    }
    *out = (struct text){ bytes, length };
    return true;
}

/* ---- pieces ---- */

static void tag_codec_push(struct arena *arena, struct tag_codec_tags *list, struct text name,
                           struct text value)
{
    list->items = arena_grow(arena, list->items, list->count * sizeof(*list->items),
                             (list->count + 1) * sizeof(*list->items));
    list->items[list->count++] =
        (struct reeve_tag){ .name = tag_codec_answer(name), .value = tag_codec_answer(value) };
}

/* Returns the length of the longest prefix of a value that has at most limit_bytes and ends between
 * two code points. */
static size_t tag_codec_cut(struct text value, size_t limit_bytes)
{
    size_t length = limit_bytes;

    if (value.length <= limit_bytes) {
        return value.length;
    }
    while (length > limit_bytes - 4 && ((unsigned char)value.data[length] & 0xc0) == 0x80) {
        length--;
    }
    /* bytes that are not UTF-8 may be divided anywhere */
    return length > limit_bytes - 4 ? length : limit_bytes;
}

void tag_codec_split(struct arena *arena, struct tag_codec_tags *list, struct text name,
                     char separator, struct text value, size_t limit_bytes)
{
    size_t length = tag_codec_cut(value, limit_bytes);

    assert(limit_bytes >= 4);
    tag_codec_push(arena, list, name, text_slice(value, 0, length));
    for (unsigned i = 1; length < value.length; i++) {
        value = text_slice(value, length, value.length);
        length = tag_codec_cut(value, limit_bytes);
        tag_codec_push(arena, list, arena_printf(arena, "%.*s%c%u", TEXT_ARG(name), separator, i),
                       text_slice(value, 0, length));
    }
}

static const struct reeve_tag *tag_codec_find(const struct tag_codec_tags *list, struct text name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (text_is_equal(tag_codec_text(list->items[i].name), name)) {
            return &list->items[i];
        }
    }
    return NULL;
}

bool tag_codec_join(struct arena *arena, const struct tag_codec_tags *list, struct text name,
                    char separator, struct text *out)
{
    const struct reeve_tag *piece = tag_codec_find(list, name);
    struct buf joined;

    if (piece == NULL) {
        return false;
    }
    buf_init(&joined, arena);
    for (unsigned i = 1; piece != NULL && i <= TAG_CODEC_PIECES_MAX; i++) {
        buf_add(&joined, tag_codec_text(piece->value));
        piece = tag_codec_find(list, arena_printf(arena, "%.*s%c%u", TEXT_ARG(name), separator, i));
    }
    *out = buf_text(&joined);
    return true;
}

/* ---- words ---- */

#define TAG_CODEC_PREFIX "reeve:"
#define TAG_CODEC_OWN    "gilmn"
enum { TAG_CODEC_OWN_COUNT = 5 };

/* The tags that have a separate letter. The first five share one word, in this order. */
static const struct {
    char letter;
    const char *name;
} tag_codec_letters[] = {
    { 'g', "reeve.group" }, { 'i', "reeve.cluster_id" },  { 'l', "reeve.logical_id" },
    { 'm', "reeve.mac" },   { 'n', "reeve.incarnation" }, { 't', "reeve.token" },
};

static const char *tag_codec_name_of(char letter)
{
    for (size_t i = 0; i < ARRAY_COUNT(tag_codec_letters); i++) {
        if (tag_codec_letters[i].letter == letter) {
            return tag_codec_letters[i].name;
        }
    }
    return NULL;
}

static void tag_codec_push_word(struct arena *arena, struct tag_codec_words *list, struct text word)
{
    assert(word.length <= TAG_CODEC_WORD_BYTES);
    list->items = arena_grow(arena, list->items, list->count * sizeof(*list->items),
                             (list->count + 1) * sizeof(*list->items));
    list->items[list->count++] = word;
}

/* Appends the words KEY:HEAD VALUE of one escaped value. `head` is empty or ends in a colon. */
static void tag_codec_put_words(struct arena *arena, struct tag_codec_words *list, char letter,
                                struct text head, struct text value)
{
    size_t at = 0;
    unsigned piece = 0;

    do {
        struct text start =
            piece == 0
                ? arena_printf(arena, TAG_CODEC_PREFIX "%c:%.*s", letter, TEXT_ARG(head))
                : arena_printf(arena, TAG_CODEC_PREFIX "%c%u:%.*s", letter, piece, TEXT_ARG(head));
        struct text part = text_slice(value, at, TAG_CODEC_WORD_BYTES - start.length);

        tag_codec_push_word(arena, list,
                            arena_printf(arena, "%.*s%.*s", TEXT_ARG(start), TEXT_ARG(part)));
        at += part.length;
        piece++;
    } while (at < value.length);
}

static struct text tag_codec_escaped(struct arena *arena, struct text value)
{
    struct buf out;

    buf_init(&out, arena);
    tag_codec_escape(&out, value);
    return buf_text(&out);
}

/* Appends the word that five tags share. Returns false if one of them is missing or if their values
 * do not fit into one word. Each tag then has a separate word. */
static bool tag_codec_put_own(struct arena *arena, struct tag_codec_words *list,
                              const struct reeve_tag *tags, uint32_t count)
{
    struct buf word;

    buf_init(&word, arena);
    buf_add_string(&word, TAG_CODEC_PREFIX TAG_CODEC_OWN);
    for (size_t i = 0; i < TAG_CODEC_OWN_COUNT; i++) {
        struct text value = tag_codec_value(tags, count, tag_codec_letters[i].name);

        if (value.length == 0) {
            return false;
        }
        buf_add_byte(&word, ':');
        tag_codec_escape(&word, value);
    }
    if (word.length > TAG_CODEC_WORD_BYTES) {
        return false;
    }
    tag_codec_push_word(arena, list, buf_text(&word));
    return true;
}

static char tag_codec_letter_of(struct text name)
{
    for (size_t i = 0; i < ARRAY_COUNT(tag_codec_letters); i++) {
        if (text_is(name, tag_codec_letters[i].name)) {
            return tag_codec_letters[i].letter;
        }
    }
    return 'x';
}

struct tag_codec_words tag_codec_to_words(struct arena *arena, const struct reeve_tag *tags,
                                          uint32_t count)
{
    struct tag_codec_words list = { 0 };
    bool is_common = tag_codec_put_own(arena, &list, tags, count);

    for (uint32_t i = 0; i < count; i++) {
        struct text name = tag_codec_text(tags[i].name);
        char letter = tag_codec_letter_of(name);
        struct text head = TEXT("");

        if (is_common && letter != 'x' && letter != 't') {
            continue;
        }
        if (letter == 'x') {
            head = arena_printf(arena, "%.*s:", TEXT_ARG(tag_codec_escaped(arena, name)));
            if (head.length > TAG_CODEC_WORD_BYTES / 2) {
                continue; /* reeve has no tag with this name */
            }
        }
        tag_codec_put_words(arena, &list, letter, head,
                            tag_codec_escaped(arena, tag_codec_text(tags[i].value)));
    }
    return list;
}

/* One piece of a long value, as read from a word. */
struct tag_codec_piece {
    struct text name;
    int64_t index;
    struct text value; /* still escaped */
};

/* Removes the text up to the next colon from the rest of a word. */
static bool tag_codec_take(struct text *rest, struct text *out)
{
    size_t colon = text_find_byte(*rest, ':');

    if (colon == SIZE_MAX) {
        return false;
    }
    *out = text_slice(*rest, 0, colon);
    *rest = text_slice(*rest, colon + 1, rest->length);
    return true;
}

/* Reads the common word of five tags: the part after its key. */
static uint32_t tag_codec_read_own(struct text rest,
                                   struct tag_codec_piece out[static TAG_CODEC_OWN_COUNT])
{
    for (size_t i = 0; i < TAG_CODEC_OWN_COUNT; i++) {
        struct text value = rest;

        if (i + 1 < TAG_CODEC_OWN_COUNT && !tag_codec_take(&rest, &value)) {
            return 0;
        }
        out[i] = (struct tag_codec_piece){ text_from(tag_codec_letters[i].name), 0, value };
    }
    return TAG_CODEC_OWN_COUNT;
}

/* Reads a word in lower case. Returns the number of its pieces; 0 if the word was not written by
 * reeve. */
static uint32_t tag_codec_read_word(struct arena *arena, struct text word,
                                    struct tag_codec_piece out[static TAG_CODEC_OWN_COUNT])
{
    struct text rest = text_slice(word, strlen(TAG_CODEC_PREFIX), word.length);
    struct text key;
    struct text name;
    int64_t index = 0;

    if (!text_has_prefix(word, text_from(TAG_CODEC_PREFIX)) || !tag_codec_take(&rest, &key) ||
        key.length == 0) {
        return 0;
    }
    if (text_is(key, TAG_CODEC_OWN)) {
        return tag_codec_read_own(rest, out);
    }
    if (key.length > 3 || (key.length > 1 && (!text_parse_int64(text_slice(key, 1, 2), &index) ||
                                              index <= 0 || key.data[1] == '0'))) {
        return 0;
    }
    if (key.data[0] == 'x') {
        if (!tag_codec_take(&rest, &name) || !tag_codec_unescape(arena, name, &name)) {
            return 0;
        }
    } else {
        name = text_from(tag_codec_name_of(key.data[0]));
    }
    out[0] = (struct tag_codec_piece){ name, index, rest };
    return name.length > 0 ? 1 : 0;
}

static int tag_codec_compare(const void *a, const void *b, void *arg)
{
    const struct tag_codec_piece *left = a;
    const struct tag_codec_piece *right = b;
    int order = text_compare(left->name, right->name);

    (void)arg;
    return order != 0 ? order : (left->index > right->index) - (left->index < right->index);
}

/* Adds the tag with the pieces [from, to), unless a piece is missing, occurs twice, or is
 * damaged. */
static void tag_codec_add_whole(struct arena *arena, struct tag_codec_tags *list,
                                const struct tag_codec_piece *from,
                                const struct tag_codec_piece *to)
{
    struct text name = from->name;
    struct text value;
    struct buf joined;

    buf_init(&joined, arena);
    for (int64_t i = 0; from + i < to; i++) {
        if (from[i].index != i) {
            return;
        }
        buf_add(&joined, from[i].value);
    }
    if (tag_codec_unescape(arena, buf_text(&joined), &value) &&
        text_find_bad_utf8(value) == SIZE_MAX) {
        tag_codec_push(arena, list, name, value);
    }
}

static struct text tag_codec_lowered(struct arena *arena, struct text word)
{
    char *bytes = arena_alloc(arena, word.length + 1);

    for (size_t i = 0; i < word.length; i++) {
        bytes[i] = tag_codec_lower(word.data[i]);
    }
    return (struct text){ bytes, word.length };
}

struct tag_codec_tags tag_codec_from_words(struct arena *arena, const struct text *words,
                                           uint32_t count)
{
    struct tag_codec_piece *pieces =
        arena_array(arena, struct tag_codec_piece, (size_t)count * TAG_CODEC_OWN_COUNT);
    struct tag_codec_tags list = { 0 };
    uint32_t piece_count = 0;

    for (uint32_t i = 0; i < count; i++) {
        piece_count +=
            tag_codec_read_word(arena, tag_codec_lowered(arena, words[i]), pieces + piece_count);
    }
    sort_stable(arena, pieces, piece_count, sizeof(*pieces), tag_codec_compare, NULL);
    for (uint32_t i = 0, end; i < piece_count; i = end) {
        for (end = i + 1; end < piece_count && text_is_equal(pieces[end].name, pieces[i].name);
             end++) {
        }
        tag_codec_add_whole(arena, &list, pieces + i, pieces + end);
    }
    return list;
}

/* ---- JSON ---- */

struct text tag_codec_to_json(struct arena *arena, const struct reeve_tag *tags, uint32_t count)
{
    struct doc_builder builder;
    struct doc map;
    struct buf out;

    doc_builder_init(&builder, arena);
    for (uint32_t i = 0; i < count; i++) {
        doc_builder_add(&builder, &(struct doc_entry){
                                      .key = tag_codec_text(tags[i].name),
                                      .value = doc_text(tag_codec_text(tags[i].value), NULL) });
    }
    map = doc_builder_map(&builder, NULL);
    buf_init(&out, arena);
    json_format(&out, &map);
    return buf_text(&out);
}

bool tag_codec_from_json(struct arena *arena, struct text json, struct tag_codec_tags *out)
{
    struct tag_codec_tags list = { 0 };
    struct doc doc;
    struct err err;

    if (!json_parse(arena, json, NULL, &doc, &err) || !doc_is_map(&doc)) {
        return false;
    }
    for (size_t i = 0; i < doc.entry_count; i++) {
        if (!doc_is_scalar(&doc.entries[i].value) ||
            doc_core_type(&doc.entries[i].value) != DOC_TYPE_TEXT) {
            return false;
        }
        tag_codec_push(arena, &list, doc.entries[i].key, doc.entries[i].value.text);
    }
    *out = list;
    return true;
}
