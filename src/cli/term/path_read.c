#include "cli/term/path_read.h"

#include "base/limits.h"

/* ---- errors, single letters ---- */

/* Add an error with its caret under [start, end) of the expression. Always returns NULL. */
void *path_part_error(struct path_reader *reader, size_t start, size_t end, const char *text,
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

char path_letter_at(const struct path_reader *reader, size_t ahead)
{
    size_t at = reader->at + ahead;

    return at < reader->text.length ? reader->text.data[at] : '\0';
}

void path_blanks_skip(struct path_reader *reader)
{
    while (path_letter_at(reader, 0) == ' ' || path_letter_at(reader, 0) == '\t') {
        reader->at++;
    }
}

bool path_letter_take(struct path_reader *reader, char letter)
{
    if (path_letter_at(reader, 0) != letter) {
        return false;
    }
    reader->at++;
    return true;
}

bool path_is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

bool path_is_name_letter(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
           ((unsigned char)letter & 0x80) != 0;
}

/* Return the end of the word at the current position, for carets: at least one character
 * further. */
size_t path_word_end(const struct path_reader *reader)
{
    size_t end = reader->at;

    while (end < reader->text.length &&
           (path_is_name_letter(reader->text.data[end]) || path_is_digit(reader->text.data[end]) ||
            reader->text.data[end] == '-')) {
        end++;
    }
    return end > reader->at ? end : reader->at + 1;
}

void *path_expected_error(struct path_reader *reader, const char *text)
{
    size_t end = reader->at < reader->text.length ? path_word_end(reader) : reader->at;

    return path_part_error(reader, reader->at, end, text,
                           "reeve help output describes path expressions");
}

bool path_depth_enter(struct path_reader *reader)
{
    if (++reader->depth > LIMIT_PATH_DEPTH) {
        path_expected_error(reader, "the expression is nested too deeply");
        return false;
    }
    return true;
}

/* ---- literals ---- */

/* Read 'text' or "text" with \\ \' \" \/ \b \f 
 * \r \t. *out points into the expression if nothing is escaped. */
bool path_string_read(struct path_reader *reader, struct text *out)
{
    static const char escapes[] = "\\\\''\"\"//b\bf\fn\nr\rt\t";
    size_t start = reader->at;
    char quote = reader->text.data[reader->at++];
    char *copy = arena_alloc(reader->arena, reader->text.length);
    size_t length = 0;

    for (;;) {
        char letter = path_letter_at(reader, 0);

        if (reader->at >= reader->text.length) {
            path_part_error(reader, start, reader->at, "the text has no closing quote",
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
                found = escapes[i] == path_letter_at(reader, 0) ? &escapes[i + 1] : found;
            }
            if (found == NULL) {
                path_part_error(reader, reader->at - 1, reader->at + 1, "unknown escape in a text",
                                "known are \\\\ \\' \\\" \\/ \\b \\f \\n \\r \\t");
                return false;
            }
            letter = *found;
            reader->at++;
        }
        copy[length++] = letter;
    }
}

/* Read an integer: -?[0-9]+ */
bool path_int_read(struct path_reader *reader, int64_t *out)
{
    size_t start = reader->at;

    path_letter_take(reader, '-');
    while (path_is_digit(path_letter_at(reader, 0))) {
        reader->at++;
    }
    if (!text_parse_int64(text_slice(reader->text, start, reader->at - start), out)) {
        path_part_error(reader, start, reader->at, "a whole number of 64 bits was expected here",
                        "an index counts from 0, or from the end with -1");
        return false;
    }
    return true;
}

/* Read a number, true, false or null as a plain scalar. */
bool path_plain_read(struct path_reader *reader, struct doc *out)
{
    size_t start = reader->at;
    struct text plain;

    path_letter_take(reader, '-');
    while (
        path_is_digit(path_letter_at(reader, 0)) ||
        path_is_name_letter(path_letter_at(reader, 0)) || path_letter_at(reader, 0) == '.' ||
        ((path_letter_at(reader, 0) == '-' || path_letter_at(reader, 0) == '+') &&
         (reader->text.data[reader->at - 1] == 'e' || reader->text.data[reader->at - 1] == 'E'))) {
        reader->at++;
    }
    plain = text_slice(reader->text, start, reader->at - start);
    reader->at = start;
    if (plain.length == 0) {
        path_expected_error(reader,
                            "a field (@.name), a text in quotes or a number was expected here");
        return false;
    }
    *out = doc_plain(plain, NULL);
    if (doc_core_type(out) == DOC_TYPE_TEXT) {
        if (path_letter_at(reader, plain.length) == '(') {
            path_part_error(reader, start, start + plain.length, "functions are not supported",
                            "reeve help output describes path expressions");
        } else {
            path_part_error(reader, start, start + plain.length, "unexpected word",
                            "put text in quotes; a field begins with @.");
        }
        return false;
    }
    reader->at = start + plain.length;
    return true;
}
