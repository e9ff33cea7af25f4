#ifndef REEVE_BASE_EXITS_H
#define REEVE_BASE_EXITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* names: exit_ exits_ */

/* What the process ends with. */
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

/* Row of a code, or NULL where the table has none. */
const struct exit_row *exits_find(int code);

/* Exit code of a kind of error: the one place where they meet. */
enum exit_code exit_of_kind(enum err_kind kind);

/* HTTP status of a kind of error, for problem+json. */
int exit_status_of_kind(enum err_kind kind);

/* Exit code of everything that went wrong in a command. Of several kinds the one that kept most of
 * the work from being done counts: a fault, wrong use, failure, then the rest. Warnings count only
 * when is_strict, as invalid input. DONE for none. */
enum exit_code exit_of_errors(const struct err_list *errors, bool is_strict);

#endif
