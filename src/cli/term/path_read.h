#ifndef REEVE_CLI_TERM_PATH_READ_H
#define REEVE_CLI_TERM_PATH_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"

/* private to src/cli/term */
/* names: path_ */

/* Inside of path.h: letters and literals of a path expression, for the grammar in path_parse.c. */
struct path_reader {
    struct arena *arena;
    struct text text;
    size_t at;
    unsigned depth;
    struct place place;
    struct err *err;
};

/* An error with its caret under [start, end) of the expression. Always NULL. */
void *path_part_error(struct path_reader *reader, size_t start, size_t end, const char *text,
                      const char *hint);

/* The same for the word that stands here. Always NULL. */
void *path_expected_error(struct path_reader *reader, const char *text);

/* The letter that stands so far ahead, 0 after the end; step over it where it is this one. */
char path_letter_at(const struct path_reader *reader, size_t ahead);
bool path_letter_take(struct path_reader *reader, char letter);

/* Step over blanks. */
void path_blanks_skip(struct path_reader *reader);

/* 0-9; a letter that a bare name may begin with. */
bool path_is_digit(char letter);
bool path_is_name_letter(char letter);

/* End of the word that begins here, for carets: at least one letter. */
size_t path_word_end(const struct path_reader *reader);

/* One bracket deeper. False: LIMIT_PATH_DEPTH is met, the error is set. */
bool path_depth_enter(struct path_reader *reader);

/* A text in quotes; a whole number; a number, true, false or null. False: the error is set. */
bool path_string_read(struct path_reader *reader, struct text *out);
bool path_int_read(struct path_reader *reader, int64_t *out);
bool path_plain_read(struct path_reader *reader, struct doc *out);

#endif
