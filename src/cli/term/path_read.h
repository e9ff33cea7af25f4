#ifndef REEVE_CLI_TERM_PATH_READ_H
#define REEVE_CLI_TERM_PATH_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"

/* private to src/cli/term */
/* public names start with: path_ */

/* Internals of path.h: reads characters and literals of a path expression, for the grammar in
 * path_parse.c. */
struct path_reader {
    struct arena *arena;
    struct text text;
    size_t at;
    unsigned depth;
    struct place place;
    struct err *err;
};

/* Add an error with its caret under [start, end) of the expression. Always returns NULL. */
void *path_part_error(struct path_reader *reader, size_t start, size_t end, const char *text,
                      const char *hint);

/* Add an error with its caret under the word at the current position. Always returns NULL. */
void *path_expected_error(struct path_reader *reader, const char *text);

/* path_letter_at returns the character `ahead` positions further; 0 after the end. path_letter_take
 * consumes the next character if it is `letter`, and returns whether it was. */
char path_letter_at(const struct path_reader *reader, size_t ahead);
bool path_letter_take(struct path_reader *reader, char letter);

/* Step over blanks. */
void path_blanks_skip(struct path_reader *reader);

/* path_is_digit returns true for 0-9, path_is_name_letter for a character that a name without
 * quotes may begin with. */
bool path_is_digit(char letter);
bool path_is_name_letter(char letter);

/* Return the end of the word at the current position, for carets: at least one character
 * further. */
size_t path_word_end(const struct path_reader *reader);

/* Enter a bracket. False: LIMIT_PATH_DEPTH is reached, and the error is set. */
bool path_depth_enter(struct path_reader *reader);

/* path_string_read reads a quoted text, path_int_read a whole number, path_plain_read a number,
 * true, false or null. False: the error is set. */
bool path_string_read(struct path_reader *reader, struct text *out);
bool path_int_read(struct path_reader *reader, int64_t *out);
bool path_plain_read(struct path_reader *reader, struct doc *out);

#endif
