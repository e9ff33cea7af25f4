#include "selector/selector.h"

#include "base/limits.h"

#include <assert.h>
#include <string.h>

struct reader {
    struct arena *arena;
    struct text text;
    size_t at;
    struct err *err;
};

/* ---- characters ---- */

static bool is_key_letter(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || (letter != '\0' && strchr("_./-", letter) != NULL) ||
           (unsigned char)letter >= 0x80;
}

static bool is_value_letter(char letter)
{
    return is_key_letter(letter) || (letter != '\0' && strchr(":@+*%", letter) != NULL);
}

static char selector_letter_now(const struct reader *reader)
{
    return reader->at < reader->text.length ? reader->text.data[reader->at] : '\0';
}

static void selector_blanks_skip(struct reader *reader)
{
    while (selector_letter_now(reader) == ' ' || selector_letter_now(reader) == '\t') {
        reader->at++;
    }
}

static bool selector_letter_take(struct reader *reader, char letter)
{
    if (reader->at == reader->text.length || reader->text.data[reader->at] != letter) {
        return false;
    }
    reader->at++;
    return true;
}

/* Set an error with its caret under [start, end). Always returns false. */
MUST_CHECK static bool part_error(struct reader *reader, size_t start, size_t end, const char *what,
                                  const char *hint)
{
    size_t points = text_count_points(text_slice(reader->text, start, end - start));

    assert(start <= end);
    err_set(reader->err, CODE_R0531, "%s", what);
    err_place(reader->err,
              (struct place){
                  .line = 1,
                  .column = (uint32_t)text_count_points(text_slice(reader->text, 0, start)) + 1,
                  .length = points == 0 ? 1 : (uint32_t)points,
              });
    return err_hint(reader->err, "%s", hint);
}

/* Set an error with its caret under the character at the current position. */
MUST_CHECK static bool here_error(struct reader *reader, const char *what, const char *hint)
{
    size_t end = reader->at < reader->text.length ? reader->at + 1 : reader->at;

    while (end < reader->text.length && ((unsigned char)reader->text.data[end] & 0xc0) == 0x80) {
        end++; /* the mark covers the whole character */
    }
    return part_error(reader, reader->at, end, what, hint);
}

/* ---- numbers ---- */

static const struct {
    const char *name;
    double bytes;
} units[] = {
    { "", 1 },
    { "B", 1 },
    { "kB", 1e3 },
    { "MB", 1e6 },
    { "GB", 1e9 },
    { "TB", 1e12 },
    { "Ki", 1024.0 },
    { "Mi", 1048576.0 },
    { "Gi", 1073741824.0 },
    { "Ti", 1099511627776.0 },
    { "KiB", 1024.0 },
    { "MiB", 1048576.0 },
    { "GiB", 1073741824.0 },
    { "TiB", 1099511627776.0 },
};

enum { NUMBER_DIGITS_MAX = 18 };

/* Read digits from *at on into *out. Returns the number of digits. */
static size_t selector_digits_read(struct text text, size_t *at, double *out)
{
    size_t first = *at;

    while (*at < text.length && text.data[*at] >= '0' && text.data[*at] <= '9') {
        *out = *out * 10 + (text.data[*at] - '0');
        (*at)++;
    }
    return *at - first;
}

/* Parse the whole text as `-?DIGITS[.DIGITS][UNIT]`. */
static bool number_parse(struct text text, double *out)
{
    bool is_negative = text_has_prefix(text, TEXT("-"));
    size_t at = is_negative ? 1 : 0;
    double value = 0;
    size_t digits = selector_digits_read(text, &at, &value);
    struct text unit;

    if (digits == 0 || digits > NUMBER_DIGITS_MAX) {
        return false;
    }
    if (at < text.length && text.data[at] == '.') {
        double fraction = 0;

        at++;
        digits = selector_digits_read(text, &at, &fraction);
        if (digits == 0 || digits > NUMBER_DIGITS_MAX) {
            return false;
        }
        while (digits-- > 0) {
            fraction /= 10;
        }
        value += fraction;
    }
    unit = text_slice(text, at, text.length);
    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        if (text_is(unit, units[i].name)) {
            *out = (is_negative ? -value : value) * units[i].bytes;
            return true;
        }
    }
    return false;
}

/* ---- reading ---- */

static bool selector_key_read(struct reader *reader, struct text *out)
{
    size_t start = reader->at;

    while (is_key_letter(selector_letter_now(reader))) {
        reader->at++;
    }
    if (reader->at == start) {
        return here_error(reader, "expected the name of a label, a fact or 'state'",
                          "write conditions as in 'role=web, zone in (a,b), mem>=64Gi'");
    }
    if (reader->at - start > LIMIT_SELECTOR_KEY_BYTES) {
        return part_error(reader, start, reader->at, "this name is too long",
                          "names have at most 253 bytes");
    }
    *out = arena_text(reader->arena, text_slice(reader->text, start, reader->at - start));
    return true;
}

static bool quoted_read(struct reader *reader, char quote, struct text *out)
{
    size_t start = reader->at++;
    char *value = arena_alloc(reader->arena, reader->text.length - start);
    size_t length = 0;

    while (reader->at < reader->text.length && selector_letter_now(reader) != quote) {
        if (selector_letter_now(reader) == '\\' && reader->at + 1 < reader->text.length) {
            reader->at++;
        }
        value[length++] = reader->text.data[reader->at++];
    }
    if (!selector_letter_take(reader, quote)) {
        return part_error(reader, start, reader->text.length, "this quote is never closed",
                          "put the same quote after the value");
    }
    *out = (struct text){ value, length };
    return true;
}

static bool selector_value_read(struct reader *reader, struct text *out)
{
    size_t start;

    selector_blanks_skip(reader);
    start = reader->at;
    if (selector_letter_now(reader) == '"' || selector_letter_now(reader) == '\'') {
        return quoted_read(reader, selector_letter_now(reader), out);
    }
    while (is_value_letter(selector_letter_now(reader))) {
        reader->at++;
    }
    if (reader->at == start) {
        return here_error(reader, "expected a value",
                          "put an empty value, or one with other characters, in quotes: role=''");
    }
    *out = arena_text(reader->arena, text_slice(reader->text, start, reader->at - start));
    return true;
}

/* Read `(a, b)`, a list of at least one value. */
static bool values_read(struct reader *reader, struct selector_clause *clause)
{
    struct text values[LIMIT_SELECTOR_VALUES];
    size_t count = 0;
    struct text *kept;

    selector_blanks_skip(reader);
    if (!selector_letter_take(reader, '(')) {
        return here_error(reader, "expected '(' and the values", "as in: zone in (a,b)");
    }
    do {
        if (count == ARRAY_COUNT(values)) {
            return here_error(reader, "this condition has too many values",
                              "use fewer values, or a label that the objects have in common");
        }
        if (!selector_value_read(reader, &values[count])) {
            return false;
        }
        count++;
        selector_blanks_skip(reader);
    } while (selector_letter_take(reader, ','));
    if (!selector_letter_take(reader, ')')) {
        return here_error(reader, "expected ',' or ')' after a value", "as in: zone in (a,b)");
    }
    kept = arena_array(reader->arena, struct text, count);
    memcpy(kept, values, count * sizeof(*kept));
    clause->values = kept;
    clause->value_count = count;
    return true;
}

static bool value_one_read(struct reader *reader, struct selector_clause *clause)
{
    struct text *value = arena_one(reader->arena, struct text);
    size_t start;

    selector_blanks_skip(reader);
    start = reader->at;
    if (!selector_value_read(reader, value)) {
        return false;
    }
    if (clause->op >= SELECTOR_ABOVE && !number_parse(*value, &clause->number)) {
        return part_error(reader, start, reader->at, "only numbers can be compared",
                          "a number with or without a unit of size: 4, 64Gi, 1.5TB");
    }
    clause->values = value;
    clause->value_count = 1;
    return true;
}

/* Read a word (`in`, `notin`) that is not part of a longer one. */
static bool selector_word_take(struct reader *reader, const char *word)
{
    struct text rest = text_slice(reader->text, reader->at, reader->text.length);
    size_t length = strlen(word);

    if (!text_has_prefix(rest, text_from(word)) ||
        (rest.length > length && is_key_letter(rest.data[length]))) {
        return false;
    }
    reader->at += length;
    return true;
}

static bool condition_read(struct reader *reader, struct selector_clause *clause)
{
    selector_blanks_skip(reader);
    if (selector_letter_take(reader, '=')) {
        selector_letter_take(reader, '=');
        clause->op = SELECTOR_IN;
        return value_one_read(reader, clause);
    }
    if (selector_letter_now(reader) == '!') {
        reader->at++;
        if (!selector_letter_take(reader, '=')) {
            return here_error(reader, "expected '=' after '!'", "the operator for unequal is '!='");
        }
        clause->op = SELECTOR_NOT_IN;
        return value_one_read(reader, clause);
    }
    if (selector_letter_take(reader, '>')) {
        clause->op = selector_letter_take(reader, '=') ? SELECTOR_AT_LEAST : SELECTOR_ABOVE;
        return value_one_read(reader, clause);
    }
    if (selector_letter_take(reader, '<')) {
        clause->op = selector_letter_take(reader, '=') ? SELECTOR_AT_MOST : SELECTOR_BELOW;
        return value_one_read(reader, clause);
    }
    if (selector_word_take(reader, "notin")) {
        clause->op = SELECTOR_NOT_IN;
        return values_read(reader, clause);
    }
    if (selector_word_take(reader, "in")) {
        clause->op = SELECTOR_IN;
        return values_read(reader, clause);
    }
    clause->op = SELECTOR_EXISTS;
    return true;
}

static bool clause_read(struct reader *reader, struct selector_clause *clause)
{
    selector_blanks_skip(reader);
    if (selector_letter_take(reader, '!')) {
        selector_blanks_skip(reader);
        clause->op = SELECTOR_MISSING;
        return selector_key_read(reader, &clause->key);
    }
    return selector_key_read(reader, &clause->key) && condition_read(reader, clause);
}

MUST_CHECK static bool end_error(struct reader *reader)
{
    return here_error(
        reader, "expected ',' and the next condition, or the end",
        "as in 'role=web, zone in (a,b), mem>=64Gi'; put a value with other characters in "
        "quotes");
}

bool selector_parse(struct arena *arena, struct text text, struct selector *out, struct err *err)
{
    struct reader reader = { .arena = arena, .text = text, .err = err };
    struct selector_clause clauses[LIMIT_SELECTOR_CLAUSES];
    struct selector_clause *kept;
    size_t count = 0;

    if (text.length > LIMIT_SELECTOR_BYTES) {
        err_set(err, CODE_R0531, "the selector has more than %d bytes", LIMIT_SELECTOR_BYTES);
        return err_hint(err, "select by a label that the objects have in common");
    }
    if (text_find_bad_utf8(text) != SIZE_MAX) {
        reader.at = text_find_bad_utf8(text);
        return here_error(&reader, "this is not UTF-8", "write the selector in UTF-8");
    }
    do {
        if (count == ARRAY_COUNT(clauses)) {
            return here_error(&reader, "this selector has too many conditions",
                              "select by a label that the objects have in common");
        }
        clauses[count] = (struct selector_clause){ .op = SELECTOR_EXISTS };
        if (!clause_read(&reader, &clauses[count])) {
            return false;
        }
        count++;
        selector_blanks_skip(&reader);
    } while (selector_letter_take(&reader, ','));
    if (reader.at < text.length) {
        return end_error(&reader);
    }
    kept = arena_array(arena, struct selector_clause, count);
    memcpy(kept, clauses, count * sizeof(*kept));
    *out = (struct selector){ kept, count };
    assert(out->count > 0);
    return true;
}

/* ---- matching ---- */

static bool clause_has(const struct selector_clause *clause, struct text value)
{
    for (size_t i = 0; i < clause->value_count; i++) {
        if (text_is_equal(clause->values[i], value)) {
            return true;
        }
    }
    return false;
}

static bool number_holds(const struct selector_clause *clause, struct text value)
{
    double number;

    assert(clause->op >= SELECTOR_ABOVE && clause->op <= SELECTOR_AT_MOST);
    if (!number_parse(value, &number)) {
        return false;
    }
    if (clause->op == SELECTOR_ABOVE) {
        return number > clause->number;
    }
    if (clause->op == SELECTOR_AT_LEAST) {
        return number >= clause->number;
    }
    return clause->op == SELECTOR_BELOW ? number < clause->number : number <= clause->number;
}

static bool clause_holds(const struct selector_clause *clause, bool is_there, struct text value)
{
    switch (clause->op) {
    case SELECTOR_IN:
        return is_there && clause_has(clause, value);
    case SELECTOR_NOT_IN:
        return !is_there || !clause_has(clause, value);
    case SELECTOR_EXISTS:
        return is_there;
    case SELECTOR_MISSING:
        return !is_there;
    case SELECTOR_ABOVE:
    case SELECTOR_AT_LEAST:
    case SELECTOR_BELOW:
    case SELECTOR_AT_MOST:
        return is_there && number_holds(clause, value);
    case SELECTOR_OP_COUNT:
    default:
        assert(false && "no operator");
        return false;
    }
}

bool selector_matches(const struct selector *selector, selector_find *find, void *arg)
{
    assert(selector->count > 0);
    for (size_t i = 0; i < selector->count; i++) {
        struct text value = TEXT("");
        bool is_there = find(arg, selector->clauses[i].key, &value);

        if (!clause_holds(&selector->clauses[i], is_there, value)) {
            return false;
        }
    }
    return true;
}

/* ---- writing ---- */

static void value_format(struct buf *buf, struct text value)
{
    bool is_bare = value.length > 0;

    for (size_t i = 0; i < value.length; i++) {
        is_bare = is_bare && is_value_letter(value.data[i]);
    }
    if (is_bare) {
        buf_add(buf, value);
        return;
    }
    buf_add_string(buf, "'");
    for (size_t i = 0; i < value.length; i++) {
        if (value.data[i] == '\'' || value.data[i] == '\\') {
            buf_add_string(buf, "\\");
        }
        buf_add_bytes(buf, value.data[i], 1);
    }
    buf_add_string(buf, "'");
}

static void clause_format(struct buf *buf, const struct selector_clause *clause)
{
    static const char *const signs[SELECTOR_OP_COUNT] = { "=", "!=", "", "", ">", ">=", "<", "<=" };

    buf_add_string(buf, clause->op == SELECTOR_MISSING ? "!" : "");
    buf_add(buf, clause->key);
    if (clause->value_count == 1) {
        buf_add_string(buf, signs[clause->op]);
        value_format(buf, clause->values[0]);
    } else if (clause->value_count > 1) {
        buf_add_string(buf, clause->op == SELECTOR_IN ? " in (" : " notin (");
        for (size_t i = 0; i < clause->value_count; i++) {
            buf_add_string(buf, i > 0 ? "," : "");
            value_format(buf, clause->values[i]);
        }
        buf_add_string(buf, ")");
    }
}

void selector_format(struct buf *buf, const struct selector *selector)
{
    for (size_t i = 0; i < selector->count; i++) {
        buf_add_string(buf, i > 0 ? "," : "");
        clause_format(buf, &selector->clauses[i]);
    }
}
