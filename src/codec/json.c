#include "codec/json.h"

#include "base/macros.h"
#include "codec/json_string.h"
#include "codec/number.h"
#include "codec/source.h"
#include "codec/tree.h"

#include <assert.h>
#include <string.h>

/* Normal case: one pass over the bytes, one step per value, key or closing bracket; the tree tracks
 * the open containers. Failures: source_check() finds invalid bytes, UTF-8 and NUL before the pass.
 * This file finds errors of syntax, strings and numbers. The tree finds excess depth and nodes, and
 * duplicate keys. */

/* The permitted next tokens. */
enum expect {
    EXPECT_VALUE,      /* a value only */
    EXPECT_FIRST_ITEM, /* a value or ] */
    EXPECT_FIRST_KEY,  /* a key or } */
    EXPECT_KEY,        /* a key only, after a comma */
    EXPECT_MORE,       /* a comma or the closing bracket; at the top level the end */
};

struct reader {
    struct text bytes;
    size_t at;
    uint32_t line;
    uint32_t column; /* column of `counted`, in code points, so that no line is counted twice */
    size_t counted;
    bool is_ascii; /* all bytes are code points, so nothing must be counted */
    struct tree tree;
    struct err *err;
};

static void blanks_read(struct reader *reader)
{
    const char *data = reader->bytes.data;

    assert(reader->at <= reader->bytes.length);
    for (; reader->at < reader->bytes.length; reader->at++) {
        char c = data[reader->at];

        if (c == '\n') {
            reader->line++;
            reader->column = 1;
            reader->counted = reader->at + 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

/* Skip blanks. Canonical texts have none. */
static inline void json_blanks_skip(struct reader *reader)
{
    if (reader->at < reader->bytes.length && (unsigned char)reader->bytes.data[reader->at] <= ' ') {
        blanks_read(reader);
    }
}

/* Count the code points in [start, end). */
static uint32_t points_count(const struct reader *reader, size_t start, size_t end)
{
    assert(start <= end);
    return (uint32_t)(reader->is_ascii
                          ? end - start
                          : source_count_points(reader->bytes.data + start, end - start));
}

/* Return the position of [start, end) in the current line. */
static inline struct place reader_place(struct reader *reader, size_t start, size_t end)
{
    assert(reader->counted <= start && start <= end);
    reader->column += points_count(reader, reader->counted, start);
    reader->counted = start;
    return (struct place){
        .line = reader->line,
        .column = reader->column,
        .length = points_count(reader, start, end),
        .source = source_number(reader->tree.origin),
    };
}

static struct doc doc_at_place(const struct reader *reader, enum doc_style style, struct text text,
                               struct place place)
{
    assert(style == DOC_STYLE_PLAIN || style == DOC_STYLE_QUOTED);
    return (struct doc){
        .kind = DOC_KIND_SCALAR,
        .style = (uint8_t)style,
        .line = place.line,
        .column = place.column,
        .length = place.length,
        .origin = reader->tree.origin,
        .text = text,
    };
}

/* Fail with "expected X, found Y" at the current byte. */
static bool fail_expected(struct reader *reader, const char *expected)
{
    const struct tree_frame *top = tree_top(&reader->tree);
    char c = reader->at < reader->bytes.length ? reader->bytes.data[reader->at] : '\0';
    bool is_open = top != NULL && (c == '\0' || c == (top->doc.kind == DOC_KIND_LIST ? '}' : ']'));
    char found[SOURCE_FOUND_BYTES];

    assert(expected != NULL);
    assert(reader->at <= reader->bytes.length);
    err_set(reader->err, is_open ? CODE_R0122 : CODE_R0101, "expected %s, found %s", expected,
            source_found(reader->bytes, reader->at, found));
    err_place(reader->err, source_place(reader->bytes, reader->at, 1, reader->tree.origin));
    if (is_open) {
        err_note(reader->err, "the '%c' in line %u is not closed",
                 top->doc.kind == DOC_KIND_LIST ? '[' : '{', top->doc.line);
        reader->err->note_place = doc_place(&top->doc);
    }
    return false;
}

static const char *hint_of_word(struct text rest)
{
    static const struct {
        const char *start;
        const char *hint;
    } hints[] = {
        { "'", "strings are in double quotes in JSON" },
        { "//", "JSON has no comments; YAML has: name the file .yaml" },
        { "/*", "JSON has no comments; YAML has: name the file .yaml" },
        { "#", "JSON has no comments; YAML has: name the file .yaml" },
        { "True", "JSON writes true" },
        { "False", "JSON writes false" },
        { "None", "JSON writes null" },
        { "\xef\xbb\xbf", "save the file without a byte order mark" },
        { ",", "remove the comma" },
    };

    for (size_t i = 0; i < ARRAY_COUNT(hints); i++) {
        if (text_has_prefix(rest, text_from(hints[i].start))) {
            return hints[i].hint;
        }
    }
    return NULL;
}

static bool fail_value(struct reader *reader, const char *expected, bool is_after_comma)
{
    struct text rest = text_slice(reader->bytes, reader->at, reader->bytes.length);
    const char *hint = hint_of_word(rest);

    assert(expected != NULL);
    fail_expected(reader, expected);
    if (hint != NULL) {
        err_hint(reader->err, "%s", hint);
    } else if (is_after_comma && rest.length > 0 && (rest.data[0] == '}' || rest.data[0] == ']')) {
        err_hint(reader->err, "remove the comma before it");
    } else if (rest.length > 0 && (rest.data[0] | 0x20) >= 'a' && (rest.data[0] | 0x20) <= 'z') {
        err_hint(reader->err, "JSON needs double quotes around keys and strings");
    }
    return false;
}

/* Read the string that begins at the opening quote. */
static inline bool string_read(struct reader *reader, struct text *out, struct place *out_place)
{
    struct json_string_fault fault = { 0 };
    size_t start = reader->at;
    size_t plain;
    size_t end = start;

    assert(reader->bytes.data[start] == '"');
    *out = (struct text){ reader->bytes.data + start + 1, reader->bytes.length - start - 1 };
    plain = text_count_unescaped(*out);
    if (plain < out->length && out->data[plain] == '"') { /* most strings have no escape */
        out->length = plain;
        end = start + plain + 2;
    } else if (!json_string_parse(reader->tree.arena, reader->bytes, &end, out, &fault)) {
        json_string_report(reader->bytes, start, &fault, reader->tree.origin, reader->err);
        return false;
    }
    *out_place = reader_place(reader, start, end);
    reader->at = end;
    return true;
}

static size_t digits_skip(const struct reader *reader, size_t at)
{
    assert(at <= reader->bytes.length);
    while (at < reader->bytes.length && reader->bytes.data[at] >= '0' &&
           reader->bytes.data[at] <= '9') {
        at++;
    }
    return at;
}

/* Read digits from `at` on. If there are none, the reader fails at that byte. */
static bool json_digits_read(struct reader *reader, size_t *at, const char *expected)
{
    size_t end = digits_skip(reader, *at);

    assert(expected != NULL);
    if (end == *at) {
        reader->at = *at;
        return fail_expected(reader, expected);
    }
    *at = end;
    return true;
}

static char json_byte_at(const struct reader *reader, size_t at)
{
    return at < reader->bytes.length ? reader->bytes.data[at] : '\0';
}

static bool json_number_scan(struct reader *reader, size_t *out_end, bool *out_is_int)
{
    size_t at = reader->at + (json_byte_at(reader, reader->at) == '-' ? 1 : 0);
    size_t whole = at;
    bool is_int = true;

    assert(reader->at < reader->bytes.length);
    if (!json_digits_read(reader, &at, "a digit after '-'")) {
        return false;
    }
    if (at > whole + 1 && reader->bytes.data[whole] == '0') {
        fail_expected(reader, "a number without leading zeros");
        return err_hint(reader->err, "put it in quotes if it is not a quantity");
    }
    if (json_byte_at(reader, at) == '.') {
        is_int = false;
        at++;
        if (!json_digits_read(reader, &at, "a digit after the point")) {
            return false;
        }
    }
    if (json_byte_at(reader, at) == 'e' || json_byte_at(reader, at) == 'E') {
        is_int = false;
        at++;
        if (json_byte_at(reader, at) == '+' || json_byte_at(reader, at) == '-') {
            at++;
        }
        if (!json_digits_read(reader, &at, "a digit in the exponent")) {
            return false;
        }
    }
    *out_end = at;
    *out_is_int = is_int;
    return true;
}

static bool json_number_read(struct reader *reader)
{
    struct text spelling;
    struct place place;
    struct doc doc;
    size_t end = reader->at;
    bool is_int = false;

    if (!json_number_scan(reader, &end, &is_int)) {
        return false;
    }
    assert(end > reader->at);
    spelling = text_slice(reader->bytes, reader->at, end - reader->at);
    place = reader_place(reader, reader->at, end);
    if (is_int && !number_fits_int64(spelling)) {
        err_set(reader->err, CODE_R0105, "expected an integer of 64 bits, found '%.*s'",
                TEXT_ARG(spelling));
        err_hint(reader->err, "put it in quotes if it is not a quantity");
        err_place(reader->err, place);
        return tree_locate(&reader->tree, reader->err);
    }
    reader->at = end;
    doc = doc_at_place(reader, DOC_STYLE_PLAIN, spelling, place);
    return tree_add(&reader->tree, &doc, reader->err);
}

/* Read true, false or null. */
static bool json_word_read(struct reader *reader, bool is_after_comma)
{
    static const struct text words[] = { TEXT("true"), TEXT("false"), TEXT("null") };
    struct text rest = text_slice(reader->bytes, reader->at, reader->bytes.length);

    assert(reader->at <= reader->bytes.length);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (text_has_prefix(rest, words[i])) {
            size_t end = reader->at + words[i].length;
            struct place place = reader_place(reader, reader->at, end);
            struct doc doc =
                doc_at_place(reader, DOC_STYLE_PLAIN, text_slice(rest, 0, words[i].length), place);

            reader->at = end;
            return tree_add(&reader->tree, &doc, reader->err);
        }
    }
    return fail_value(reader, "a value", is_after_comma);
}

static bool json_value_read(struct reader *reader, bool is_after_comma, enum expect *next)
{
    char c = json_byte_at(reader, reader->at);

    assert(!tree_wants_key(&reader->tree));
    *next = EXPECT_MORE;
    if (c == '{' || c == '[') {
        *next = c == '{' ? EXPECT_FIRST_KEY : EXPECT_FIRST_ITEM;
        if (!tree_open(&reader->tree, c == '{' ? DOC_KIND_MAP : DOC_KIND_LIST,
                       reader_place(reader, reader->at, reader->at + 1), reader->err)) {
            return false;
        }
        reader->at++;
        return true;
    }
    if (c == '"') {
        struct text text = { 0 };
        struct place place = { 0 };
        struct doc doc;

        if (!string_read(reader, &text, &place)) {
            return false;
        }
        doc = doc_at_place(reader, DOC_STYLE_QUOTED, text, place);
        return tree_add(&reader->tree, &doc, reader->err);
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
        return json_number_read(reader);
    }
    return json_word_read(reader, is_after_comma);
}

static bool json_key_read(struct reader *reader, bool is_after_comma, enum expect *next)
{
    struct text key = { 0 };
    struct place place = { 0 };

    assert(tree_wants_key(&reader->tree));
    if (json_byte_at(reader, reader->at) != '"') {
        return fail_value(reader, is_after_comma ? "a key in double quotes" : "a key or '}'",
                          is_after_comma);
    }
    if (!string_read(reader, &key, &place)) {
        return false;
    }
    tree_key(&reader->tree, key, place);
    json_blanks_skip(reader);
    if (json_byte_at(reader, reader->at) != ':') {
        return fail_expected(reader, "':' after the key");
    }
    reader->at++;
    *next = EXPECT_VALUE;
    return true;
}

static bool container_end(struct reader *reader, enum expect *next)
{
    struct tree_branch branch;
    struct place end = reader_place(reader, reader->at, reader->at + 1);

    assert(tree_top(&reader->tree) != NULL);
    tree_stretch(&reader->tree, end.line, end.column + 1);
    reader->at++;
    *next = EXPECT_MORE;
    return tree_close(&reader->tree, &branch, reader->err);
}

/* Read the token after a value: a comma, or the bracket that ends the container. */
static bool more_read(struct reader *reader, enum expect *next)
{
    bool is_list = tree_top(&reader->tree)->doc.kind == DOC_KIND_LIST;
    char c = json_byte_at(reader, reader->at);

    assert(tree_top(&reader->tree) != NULL);
    assert(!tree_wants_key(&reader->tree) || reader->tree.depth > 0);
    if (c == (is_list ? ']' : '}')) {
        return container_end(reader, next);
    }
    if (c != ',') {
        return fail_expected(reader, is_list ? "',' or ']'" : "',' or '}'");
    }
    reader->at++;
    *next = is_list ? EXPECT_VALUE : EXPECT_KEY;
    return true;
}

static bool step(struct reader *reader, enum expect *expect)
{
    char c = json_byte_at(reader, reader->at);
    bool is_in_list =
        tree_top(&reader->tree) != NULL && tree_top(&reader->tree)->doc.kind == DOC_KIND_LIST;

    assert(reader->at <= reader->bytes.length);
    switch (*expect) {
    case EXPECT_FIRST_ITEM:
        return c == ']' ? container_end(reader, expect) : json_value_read(reader, false, expect);
    case EXPECT_FIRST_KEY:
        return c == '}' ? container_end(reader, expect) : json_key_read(reader, false, expect);
    case EXPECT_KEY:
        return json_key_read(reader, true, expect);
    case EXPECT_MORE:
        return more_read(reader, expect);
    case EXPECT_VALUE:
        break;
    }
    assert(*expect == EXPECT_VALUE);
    return json_value_read(reader, is_in_list, expect);
}

/* Read until the outermost value has ended, then check the rest of the text. */
static bool json_reader_run(struct reader *reader)
{
    enum expect expect = EXPECT_VALUE;

    assert(reader->at == 0);
    while (reader->tree.root.kind == DOC_KIND_NONE) {
        json_blanks_skip(reader);
        if (!step(reader, &expect)) {
            return false;
        }
    }
    assert(tree_top(&reader->tree) == NULL);
    json_blanks_skip(reader);
    return reader->at == reader->bytes.length || fail_expected(reader, "the end of the text");
}

/* The fields are set one by one, because the tree is large, and only the parts that it needs are
 * cleared. */
static void reader_init(struct reader *reader, struct text bytes, struct err *err)
{
    reader->bytes = bytes;
    reader->at = 0;
    reader->line = 1;
    reader->column = 1;
    reader->counted = 0;
    reader->is_ascii = text_is_ascii(bytes);
    reader->err = err;
}

/* Read bytes that source_check() has accepted. */
MUST_CHECK static bool checked_read(struct arena *arena, struct text bytes,
                                    const struct origin *origin, size_t nodes_max, struct doc *out,
                                    struct err_list *tolerated, struct err *err)
{
    NOT_CLEARED struct reader reader; /* tree_init() sets all fields that are read */
    bool is_read;

    reader_init(&reader, bytes, err);
    tree_init(&reader.tree, arena, origin);
    reader.tree.nodes_max = nodes_max;
    reader.tree.tolerated = tolerated;
    is_read = json_reader_run(&reader);
    if (is_read) {
        *out = reader.tree.root;
    }
    tree_fini(&reader.tree);
    return is_read;
}

bool json_parse_tolerant(struct arena *arena, struct text bytes, const struct origin *origin,
                         struct doc *out, struct err_list *tolerated, struct err *err)
{
    assert(out != NULL && err != NULL);
    return source_check(bytes, origin, err) &&
           checked_read(arena, bytes, origin, LIMIT_DOCUMENT_NODES, out, tolerated, err);
}

bool json_parse_answer(struct arena *arena, struct text bytes, struct doc *out, struct err *err)
{
    assert(out != NULL && err != NULL);
    return source_check_text(bytes, NULL, err) &&
           checked_read(arena, bytes, NULL, LIMIT_ANSWER_NODES, out, NULL, err);
}

bool json_parse(struct arena *arena, struct text bytes, const struct origin *origin,
                struct doc *out, struct err *err)
{
    return json_parse_tolerant(arena, bytes, origin, out, NULL, err);
}
