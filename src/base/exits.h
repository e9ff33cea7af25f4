#ifndef REEVE_BASE_EXITS_H
#define REEVE_BASE_EXITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* public names start with: exit_ exits_ */

/* The exit code of the process. */
enum exit_code {
#define EXIT(number, name, meaning, retry) EXIT_CODE_##name = (number),
#include "base/exits.def"
#undef EXIT
};

/* One row of the table, as `reeve help exit-codes` prints it. */
struct exit_row {
    enum exit_code code;
    const char *meaning;
    const char *retry; /* may be empty */
};

/* The table, in order of the codes. */
extern const struct exit_row exits_table[];
extern const size_t exits_count;

/* Return the row of a code; NULL if the table has none. */
const struct exit_row *exits_find(int code);

/* Return the exit code of a kind of error. */
enum exit_code exit_of_kind(enum err_kind kind);

/* Return the HTTP status of a kind of error, for problem+json. */
int exit_status_of_kind(enum err_kind kind);

/* Return the exit code for all errors of a command. If they have several kinds, the most severe
 * kind decides: an internal error, then wrong use, then failure, then the others. Warnings count
 * only if is_strict; they then count as invalid input. Returns DONE if the list is empty. */
enum exit_code exit_of_errors(const struct err_list *errors, bool is_strict);

#endif
