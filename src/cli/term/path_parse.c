/* Recursive-descent parser of path expressions, with one function for each rule of the grammar.
 *
 *     path     = [$ | @] segment*
 *     segment  = .NAME | .* | [ selector, ... ]
 *     selector = 'text' | * | N | N:N:N | ? or
 *     or       = and (|| and)*      and = basic (&& basic)*
 *     basic    = ! basic | ( or ) | operand [op operand]
 *     operand  = path | 'text' | number | true | false | null */
#include "base/macros.h"
#include "cli/term/path.h"
#include "cli/term/path_read.h"
#include "cli/term/path_tree.h"

static struct path_logic *or_read(struct path_reader *reader);
static struct path *query_read(struct path_reader *reader, bool is_relative);

/* ---- filters ---- */

/* True if the path finds at most one value; only such a path can be compared. */
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

    path_blanks_skip(reader);
    letter = path_letter_at(reader, 0);
    if (letter == '@' || letter == '$') {
        reader->at++;
        out->path = query_read(reader, letter == '@');
        return out->path != NULL;
    }
    if (letter == '\'' || letter == '"') {
        struct text text;

        if (!path_string_read(reader, &text)) {
            return false;
        }
        out->literal = doc_text(text, NULL);
        return true;
    }
    return path_plain_read(reader, &out->literal);
}

static bool operator_take(struct path_reader *reader, enum path_operator *out)
{
    static const struct {
        const char *spelling;
        enum path_operator operator;
    } operators[] = { { "==", PATH_EQUAL },      { "!=", PATH_UNEQUAL }, { "<=", PATH_LESS_EQUAL },
                      { ">=", PATH_MORE_EQUAL }, { "<", PATH_LESS },     { ">", PATH_MORE } };

    path_blanks_skip(reader);
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
        path_part_error(reader, start, end, "a comparison needs a path to a single value",
                        "name one field, without *, slices and filters");
        return false;
    }
    return true;
}

/* Read `operand [op operand]`. */
static struct path_logic *comparison_read(struct path_reader *reader)
{
    struct path_logic *logic = arena_one(reader->arena, struct path_logic);
    size_t start;
    size_t middle;

    path_blanks_skip(reader);
    start = reader->at;
    if (!operand_read(reader, &logic->a)) {
        return NULL;
    }
    middle = reader->at;
    if (!operator_take(reader, &logic->operator)) {
        logic->kind = PATH_EXISTS;
        if (path_letter_at(reader, 0) == '=') {
            return path_part_error(reader, reader->at, reader->at + 1, "unknown operator '='",
                                   "equality is ==");
        }
        if (logic->a.path == NULL) {
            return path_part_error(reader, start, middle, "a condition must compare a value",
                                   "for example: @.name == 'web'");
        }
        return logic;
    }
    logic->kind = PATH_COMPARE;
    if (!operand_check(reader, &logic->a, start, middle)) {
        return NULL;
    }
    path_blanks_skip(reader);
    start = reader->at;
    return operand_read(reader, &logic->b) && operand_check(reader, &logic->b, start, reader->at)
               ? logic
               : NULL;
}

static struct path_logic *basic_read(struct path_reader *reader)
{
    struct path_logic *logic = NULL;

    if (!path_depth_enter(reader)) {
        return NULL;
    }
    path_blanks_skip(reader);
    if (path_letter_at(reader, 0) == '!' && path_letter_at(reader, 1) != '=') {
        reader->at++;
        logic = arena_one(reader->arena, struct path_logic);
        logic->kind = PATH_NOT;
        logic->left = basic_read(reader);
        logic = logic->left == NULL ? NULL : logic;
    } else if (path_letter_take(reader, '(')) {
        logic = or_read(reader);
        path_blanks_skip(reader);
        if (logic != NULL && !path_letter_take(reader, ')')) {
            logic = path_expected_error(reader, "a closing ) was expected here");
        }
    } else {
        logic = comparison_read(reader);
    }
    reader->depth--;
    return logic;
}

/* Read a left-associative chain of one operator, && or || */
static struct path_logic *path_parse_chain_read(struct path_reader *reader,
                                                enum path_logic_kind kind)
{
    char letter = kind == PATH_OR ? '|' : '&';
    struct path_logic *logic =
        kind == PATH_OR ? path_parse_chain_read(reader, PATH_AND) : basic_read(reader);

    for (;;) {
        struct path_logic *parent;

        path_blanks_skip(reader);
        if (logic == NULL || path_letter_at(reader, 0) != letter) {
            return logic;
        }
        if (path_letter_at(reader, 1) != letter) {
            return path_part_error(reader, reader->at, reader->at + 1, "unknown operator",
                                   "conditions are joined by && and ||");
        }
        reader->at += 2;
        parent = arena_one(reader->arena, struct path_logic);
        parent->kind = kind;
        parent->left = logic;
        parent->right =
            kind == PATH_OR ? path_parse_chain_read(reader, PATH_AND) : basic_read(reader);
        logic = parent->right == NULL ? NULL : parent;
    }
}

static struct path_logic *or_read(struct path_reader *reader)
{
    return path_parse_chain_read(reader, PATH_OR);
}

/* ---- selectors and segments ---- */

/* Read N, N:N or N:N:N, with every part optional in a slice. */
static bool numbers_read(struct path_reader *reader, struct path_selector *out)
{
    size_t start = reader->at;

    out->kind = PATH_INDEX;
    out->step = 1;
    if (path_letter_at(reader, 0) != ':') {
        if (!path_int_read(reader, &out->index)) {
            return false;
        }
        out->has_index = true;
    }
    path_blanks_skip(reader);
    if (!path_letter_take(reader, ':')) {
        return true;
    }
    out->kind = PATH_SLICE;
    path_blanks_skip(reader);
    if (path_is_digit(path_letter_at(reader, 0)) || path_letter_at(reader, 0) == '-') {
        out->has_end = true;
        if (!path_int_read(reader, &out->end)) {
            return false;
        }
    }
    path_blanks_skip(reader);
    if (path_letter_take(reader, ':')) {
        path_blanks_skip(reader);
        if (path_is_digit(path_letter_at(reader, 0)) || path_letter_at(reader, 0) == '-') {
            if (!path_int_read(reader, &out->step)) {
                return false;
            }
        }
    }
    if (out->step <= 0) {
        path_part_error(reader, start, reader->at, "the step of a slice must be 1 or more",
                        "leave it out for every item");
        return false;
    }
    return true;
}

static struct path_selector *selector_read(struct path_reader *reader)
{
    struct path_selector *selector = arena_one(reader->arena, struct path_selector);
    char letter;

    path_blanks_skip(reader);
    letter = path_letter_at(reader, 0);
    if (letter == '\'' || letter == '"') {
        selector->kind = PATH_NAME;
        return path_string_read(reader, &selector->name) ? selector : NULL;
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
    if (path_is_digit(letter) || letter == '-' || letter == ':') {
        return numbers_read(reader, selector) ? selector : NULL;
    }
    if (path_is_name_letter(letter)) {
        return path_part_error(reader, reader->at, path_word_end(reader),
                               "a name in brackets needs quotes", "write it as ['name']");
    }
    return path_expected_error(reader, "a number, *, 'name' or ? was expected here");
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
        path_blanks_skip(reader);
        if (path_letter_take(reader, ']')) {
            return first;
        }
        if (!path_letter_take(reader, ',')) {
            return path_expected_error(reader, "a closing ] was expected here");
        }
    }
}

static struct path_selector *dotted_read(struct path_reader *reader)
{
    struct path_selector *selector = arena_one(reader->arena, struct path_selector);
    size_t start = reader->at;

    if (path_letter_at(reader, 0) == '.') {
        return path_part_error(reader, start - 1, start + 1, "descendants (..) are not supported",
                               "write the whole path: $.groups[*].size");
    }
    if (path_letter_take(reader, '*')) {
        selector->kind = PATH_WILDCARD;
        return selector;
    }
    if (!path_is_name_letter(path_letter_at(reader, 0))) {
        return path_expected_error(reader, "the name of a field was expected here");
    }
    while (path_is_name_letter(path_letter_at(reader, 0)) ||
           path_is_digit(path_letter_at(reader, 0))) {
        reader->at++;
    }
    if (path_letter_at(reader, 0) == '-') {
        reader->at = start;
        return path_part_error(reader, start, path_word_end(reader), "a name with - needs brackets",
                               "write it as ['sub-group1']");
    }
    selector->kind = PATH_NAME;
    selector->name = text_slice(reader->text, start, reader->at - start);
    return selector;
}

/* Read segment*, after $ or @. */
static struct path *query_read(struct path_reader *reader, bool is_relative)
{
    struct path *path = arena_one(reader->arena, struct path);
    struct path_segment **link = &path->segments;

    if (!path_depth_enter(reader)) {
        return NULL;
    }
    path->is_relative = is_relative;
    while (path_letter_at(reader, 0) == '.' || path_letter_at(reader, 0) == '[') {
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
    struct path_reader reader = { .arena = arena, .text = expression, .place = place, .err = err };
    struct path *path;

    if (expression.length == 0) {
        path_expected_error(&reader, "a path expression was expected here");
        return false;
    }
    if (!path_letter_take(&reader, '$') && path_letter_at(&reader, 0) != '.' &&
        path_letter_at(&reader, 0) != '[') {
        path_part_error(&reader, 0, path_word_end(&reader), "a path begins with $",
                        "for a field write $.name, or .name");
        return false;
    }
    path = query_read(&reader, false);
    if (path == NULL) {
        return false;
    }
    if (reader.at < expression.length) {
        path_expected_error(&reader, "this part of the path is unknown");
        return false;
    }
    *out = path;
    return true;
}
