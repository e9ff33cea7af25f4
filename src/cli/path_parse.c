/* Reader of path expressions: one function a rule of the grammar.
 *
 *     path     = [$ | @] segment*
 *     segment  = .NAME | .* | [ selector, ... ]
 *     selector = 'text' | * | N | N:N:N | ? or
 *     or       = and (|| and)*      and = basic (&& basic)*
 *     basic    = ! basic | ( or ) | operand [op operand]
 *     operand  = path | 'text' | number | true | false | null */
#include "cli/path.h"

#include <assert.h>

#include "base/limits.h"
#include "cli/glyph.h"
#include "cli/path_tree.h"

struct path_reader {
    struct arena *arena;
    struct text text;
    size_t at;
    unsigned depth;
    struct place place;
    struct err *err;
};

static struct path_logic *or_read(struct path_reader *reader);
static struct path *query_read(struct path_reader *reader, bool is_relative);

/* ---- errors, single letters ---- */

/* An error with its caret under [start, end) of the expression. Always NULL. */
static void *part_error(struct path_reader *reader, size_t start, size_t end, const char *text,
                        const char *hint)
{
    struct place place = reader->place;

    place.column += (uint32_t)text_count_points(text_slice(reader->text, 0, start));
    place.length = (uint32_t)text_count_points(text_slice(reader->text, start, end - start));
    place.length = place.length == 0 ? 1 : place.length;
    err_set(reader->err, CODE_R0008, "%s", text);
    err_place(reader->err, place);
    err_hint(reader->err, "%s", hint);
    return NULL;
}

static char letter_at(const struct path_reader *reader, size_t ahead)
{
    size_t at = reader->at + ahead;

    return at < reader->text.length ? reader->text.data[at] : '\0';
}

static void blanks_skip(struct path_reader *reader)
{
    while (letter_at(reader, 0) == ' ' || letter_at(reader, 0) == '\t') {
        reader->at++;
    }
}

static bool letter_take(struct path_reader *reader, char letter)
{
    if (letter_at(reader, 0) != letter) {
        return false;
    }
    reader->at++;
    return true;
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool is_name_letter(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
           ((unsigned char)letter & 0x80) != 0;
}

/* End of the word that begins here, for carets: at least one letter. */
static size_t word_end(const struct path_reader *reader)
{
    size_t end = reader->at;

    while (end < reader->text.length &&
           (is_name_letter(reader->text.data[end]) || is_digit(reader->text.data[end]) ||
            reader->text.data[end] == '-')) {
        end++;
    }
    return end > reader->at ? end : reader->at + 1;
}

static void *expected_error(struct path_reader *reader, const char *text)
{
    size_t end = reader->at < reader->text.length ? word_end(reader) : reader->at;

    return part_error(reader, reader->at, end, text, "reeve help output describes path expressions");
}

static bool depth_enter(struct path_reader *reader)
{
    if (++reader->depth > LIMIT_PATH_DEPTH) {
        expected_error(reader, "the expression is nested too deeply");
        return false;
    }
    return true;
}

/* ---- literals ---- */

/* 'text' or "text" with \\ \' \" \/ \b \f \n \r \t; *out borrows where nothing is escaped. */
static bool string_read(struct path_reader *reader, struct text *out)
{
    static const char escapes[] = "\\\\''\"\"//b\bf\fn\nr\rt\t";
    size_t start = reader->at;
    char quote = reader->text.data[reader->at++];
    char *copy = arena_alloc(reader->arena, reader->text.length);
    size_t length = 0;

    for (;;) {
        char letter = letter_at(reader, 0);

        if (reader->at >= reader->text.length) {
            part_error(reader, start, reader->at, "the text has no closing quote",
                       "close it with the quote it began with");
            return false;
        }
        reader->at++;
        if (letter == quote) {
            *out = (struct text){ copy, length };
            return true;
        }
        if (letter == '\\') {
            const char *found = NULL;

            for (size_t i = 0; i + 1 < sizeof(escapes); i += 2) {
                found = escapes[i] == letter_at(reader, 0) ? &escapes[i + 1] : found;
            }
            if (found == NULL) {
                part_error(reader, reader->at - 1, reader->at + 1, "unknown escape in a text",
                           "known are \\\\ \\' \\\" \\/ \\b \\f \\n \\r \\t");
                return false;
            }
            letter = *found;
            reader->at++;
        }
        copy[length++] = letter;
    }
}

/* -?[0-9]+ */
static bool int_read(struct path_reader *reader, int64_t *out)
{
    size_t start = reader->at;

    letter_take(reader, '-');
    while (is_digit(letter_at(reader, 0))) {
        reader->at++;
    }
    if (!text_parse_int64(text_slice(reader->text, start, reader->at - start), out)) {
        part_error(reader, start, reader->at, "a whole number of 64 bits was expected here",
                   "an index counts from 0, or from the end with -1");
        return false;
    }
    return true;
}

/* A number, true, false, null as a plain scalar. */
static bool plain_read(struct path_reader *reader, struct doc *out)
{
    size_t start = reader->at;

    letter_take(reader, '-');
    while (is_digit(letter_at(reader, 0)) || is_name_letter(letter_at(reader, 0)) ||
           letter_at(reader, 0) == '.' ||
           ((letter_at(reader, 0) == '-' || letter_at(reader, 0) == '+') &&
            (reader->text.data[reader->at - 1] == 'e' ||
             reader->text.data[reader->at - 1] == 'E'))) {
        reader->at++;
    }
    *out = doc_plain(text_slice(reader->text, start, reader->at - start), NULL);
    if (reader->at == start || doc_core_type(out) == DOC_TYPE_TEXT) {
        size_t end = reader->at;

        reader->at = start;
        if (letter_at(reader, (end > start ? end : start) - start) == '(') {
            part_error(reader, start, end, "functions are not supported",
                       "reeve help output describes path expressions");
        } else if (end > start) {
            part_error(reader, start, end, "this word has no meaning here",
                       "text stands in quotes, a field begins with @.");
        } else {
            expected_error(reader, "a field (@.name), a text in quotes or a number was expected here");
        }
        return false;
    }
    return true;
}

/* ---- filters ---- */

/* Can it find at most one value? Only then it can be compared. */
static bool is_single(const struct path *path)
{
    for (const struct path_segment *s = path->segments; s != NULL; s = s->next) {
        if (s->selectors->next != NULL ||
            (s->selectors->kind != PATH_NAME && s->selectors->kind != PATH_INDEX)) {
            return false;
        }
    }
    return true;
}

static bool operand_read(struct path_reader *reader, struct path_operand *out)
{
    char letter;

    blanks_skip(reader);
    letter = letter_at(reader, 0);
    if (letter == '@' || letter == '$') {
        reader->at++;
        out->path = query_read(reader, letter == '@');
        return out->path != NULL;
    }
    if (letter == '\'' || letter == '"') {
        struct text text;

        if (!string_read(reader, &text)) {
            return false;
        }
        out->literal = doc_text(text, NULL);
        return true;
    }
    return plain_read(reader, &out->literal);
}

static bool operator_take(struct path_reader *reader, enum path_operator *out)
{
    static const struct {
        const char *spelling;
        enum path_operator operator;
    } operators[] = { { "==", PATH_EQUAL },      { "!=", PATH_UNEQUAL }, { "<=", PATH_LESS_EQUAL },
                      { ">=", PATH_MORE_EQUAL }, { "<", PATH_LESS },     { ">", PATH_MORE } };

    blanks_skip(reader);
    for (size_t i = 0; i < ARRAY_COUNT(operators); i++) {
        struct text spelling = text_from(operators[i].spelling);
        struct text here = text_slice(reader->text, reader->at, spelling.length);

        if (text_is_equal(here, spelling)) {
            reader->at += spelling.length;
            *out = operators[i].operator;
            return true;
        }
    }
    return false;
}

static bool operand_check(struct path_reader *reader, const struct path_operand *operand,
                          size_t start, size_t end)
{
    if (operand->path != NULL && !is_single(operand->path)) {
        part_error(reader, start, end, "only a single value can be compared",
                   "name one field, without *, slices and filters");
        return false;
    }
    return true;
}

/* operand [op operand] */
static struct path_logic *comparison_read(struct path_reader *reader)
{
    struct path_logic *logic = arena_one(reader->arena, struct path_logic);
    size_t start;
    size_t middle;

    blanks_skip(reader);
    start = reader->at;
    if (!operand_read(reader, &logic->a)) {
        return NULL;
    }
    middle = reader->at;
    if (!operator_take(reader, &logic->operator)) {
        logic->kind = PATH_EXISTS;
        if (letter_at(reader, 0) == '=') {
            return part_error(reader, reader->at, reader->at + 1, "unknown operator '='",
                              "equality is ==");
        }
        if (logic->a.path == NULL) {
            return part_error(reader, start, middle, "a value alone is no condition",
                              "compare it: @.name == 'web'");
        }
        return logic;
    }
    logic->kind = PATH_COMPARE;
    if (!operand_check(reader, &logic->a, start, middle)) {
        return NULL;
    }
    blanks_skip(reader);
    start = reader->at;
    return operand_read(reader, &logic->b) && operand_check(reader, &logic->b, start, reader->at)
               ? logic
               : NULL;
}

static struct path_logic *basic_read(struct path_reader *reader)
{
    struct path_logic *logic = NULL;

    if (!depth_enter(reader)) {
        return NULL;
    }
    blanks_skip(reader);
    if (letter_at(reader, 0) == '!' && letter_at(reader, 1) != '=') {
        reader->at++;
        logic = arena_one(reader->arena, struct path_logic);
        logic->kind = PATH_NOT;
        logic->left = basic_read(reader);
        logic = logic->left == NULL ? NULL : logic;
    } else if (letter_take(reader, '(')) {
        logic = or_read(reader);
        blanks_skip(reader);
        if (logic != NULL && !letter_take(reader, ')')) {
            logic = expected_error(reader, "a closing ) was expected here");
        }
    } else {
        logic = comparison_read(reader);
    }
    reader->depth--;
    return logic;
}

/* left-to-right chain of one operator, written twice: && or || */
static struct path_logic *chain_read(struct path_reader *reader, enum path_logic_kind kind)
{
    char letter = kind == PATH_OR ? '|' : '&';
    struct path_logic *logic =
        kind == PATH_OR ? chain_read(reader, PATH_AND) : basic_read(reader);

    for (;;) {
        struct path_logic *parent;

        blanks_skip(reader);
        if (logic == NULL || letter_at(reader, 0) != letter) {
            return logic;
        }
        if (letter_at(reader, 1) != letter) {
            return part_error(reader, reader->at, reader->at + 1, "unknown operator",
                              "conditions are joined by && and ||");
        }
        reader->at += 2;
        parent = arena_one(reader->arena, struct path_logic);
        parent->kind = kind;
        parent->left = logic;
        parent->right = kind == PATH_OR ? chain_read(reader, PATH_AND) : basic_read(reader);
        logic = parent->right == NULL ? NULL : parent;
    }
}

static struct path_logic *or_read(struct path_reader *reader)
{
    return chain_read(reader, PATH_OR);
}

/* ---- selectors and segments ---- */

/* N, N:N, N:N:N with every part optional in a slice */
static bool numbers_read(struct path_reader *reader, struct path_selector *out)
{
    size_t start = reader->at;

    out->kind = PATH_INDEX;
    out->step = 1;
    if (letter_at(reader, 0) != ':') {
        if (!int_read(reader, &out->index)) {
            return false;
        }
        out->has_index = true;
    }
    blanks_skip(reader);
    if (!letter_take(reader, ':')) {
        return true;
    }
    out->kind = PATH_SLICE;
    blanks_skip(reader);
    if (is_digit(letter_at(reader, 0)) || letter_at(reader, 0) == '-') {
        out->has_end = true;
        if (!int_read(reader, &out->end)) {
            return false;
        }
    }
    blanks_skip(reader);
    if (letter_take(reader, ':')) {
        blanks_skip(reader);
        if (is_digit(letter_at(reader, 0)) || letter_at(reader, 0) == '-') {
            if (!int_read(reader, &out->step)) {
                return false;
            }
        }
    }
    if (out->step <= 0) {
        part_error(reader, start, reader->at, "the step of a slice must be 1 or more",
                   "leave it out for every item");
        return false;
    }
    return true;
}

static struct path_selector *selector_read(struct path_reader *reader)
{
    struct path_selector *selector = arena_one(reader->arena, struct path_selector);
    char letter;

    blanks_skip(reader);
    letter = letter_at(reader, 0);
    if (letter == '\'' || letter == '"') {
        selector->kind = PATH_NAME;
        return string_read(reader, &selector->name) ? selector : NULL;
    }
    if (letter == '*') {
        reader->at++;
        selector->kind = PATH_WILDCARD;
        return selector;
    }
    if (letter == '?') {
        reader->at++;
        selector->kind = PATH_FILTER;
        selector->filter = or_read(reader);
        return selector->filter == NULL ? NULL : selector;
    }
    if (is_digit(letter) || letter == '-' || letter == ':') {
        return numbers_read(reader, selector) ? selector : NULL;
    }
    if (is_name_letter(letter)) {
        return part_error(reader, reader->at, word_end(reader), "a name in brackets needs quotes",
                          "write it as ['name']");
    }
    return expected_error(reader, "a number, *, 'name' or ? was expected here");
}

static struct path_selector *bracket_read(struct path_reader *reader)
{
    struct path_selector *first = NULL;
    struct path_selector **link = &first;

    for (;;) {
        *link = selector_read(reader);
        if (*link == NULL) {
            return NULL;
        }
        link = &(*link)->next;
        blanks_skip(reader);
        if (letter_take(reader, ']')) {
            return first;
        }
        if (!letter_take(reader, ',')) {
            return expected_error(reader, "a closing ] was expected here");
        }
    }
}

static struct path_selector *dotted_read(struct path_reader *reader)
{
    struct path_selector *selector = arena_one(reader->arena, struct path_selector);
    size_t start = reader->at;

    if (letter_at(reader, 0) == '.') {
        return part_error(reader, start - 1, start + 1, "descendants (..) are not supported",
                          "name the way: $.groups[*].size");
    }
    if (letter_take(reader, '*')) {
        selector->kind = PATH_WILDCARD;
        return selector;
    }
    if (!is_name_letter(letter_at(reader, 0))) {
        return expected_error(reader, "the name of a field was expected here");
    }
    while (is_name_letter(letter_at(reader, 0)) || is_digit(letter_at(reader, 0))) {
        reader->at++;
    }
    if (letter_at(reader, 0) == '-') {
        reader->at = start;
        return part_error(reader, start, word_end(reader), "a name with - needs brackets",
                          "write it as ['sub-group1']");
    }
    selector->kind = PATH_NAME;
    selector->name = text_slice(reader->text, start, reader->at - start);
    return selector;
}

/* segment*, behind $ or @ */
static struct path *query_read(struct path_reader *reader, bool is_relative)
{
    struct path *path = arena_one(reader->arena, struct path);
    struct path_segment **link = &path->segments;

    if (!depth_enter(reader)) {
        return NULL;
    }
    path->is_relative = is_relative;
    while (letter_at(reader, 0) == '.' || letter_at(reader, 0) == '[') {
        bool is_bracket = reader->text.data[reader->at++] == '[';

        *link = arena_one(reader->arena, struct path_segment);
        (*link)->selectors = is_bracket ? bracket_read(reader) : dotted_read(reader);
        if ((*link)->selectors == NULL) {
            return NULL;
        }
        link = &(*link)->next;
    }
    reader->depth--;
    return path;
}

bool path_parse(struct arena *arena, struct text expression, struct place place, struct path **out,
                struct err *err)
{
    struct path_reader reader = {
        .arena = arena, .text = expression, .place = place, .err = err
    };
    struct path *path;

    if (expression.length == 0) {
        expected_error(&reader, "a path expression was expected here");
        return false;
    }
    if (!letter_take(&reader, '$') && letter_at(&reader, 0) != '.' &&
        letter_at(&reader, 0) != '[') {
        part_error(&reader, 0, word_end(&reader), "a path begins with $",
                   "for a field write $.name, or .name");
        return false;
    }
    path = query_read(&reader, false);
    if (path == NULL) {
        return false;
    }
    if (reader.at < expression.length) {
        expected_error(&reader, "the path goes on here with something unknown");
        return false;
    }
    *out = path;
    return true;
}
