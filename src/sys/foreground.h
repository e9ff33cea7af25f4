#ifndef REEVE_SYS_FOREGROUND_H
#define REEVE_SYS_FOREGROUND_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* An editor: a program that takes over the terminal of this command until it ends. */

/* Run `program`, which may bring arguments of its own ("vim -f"), with one more argument. R0027: it cannot
 * be started, or does not end with 0. */
MUST_CHECK bool foreground_run(const char *program, const char *argument, struct err *err);

/* Run a program by its words, NULL behind them, which has this command's terminal, input and output until it ends. *out_code is
 * what it ends with; 128 and the number of a signal that ended it. R0714: it cannot be started. */
MUST_CHECK bool foreground_command(const char *const *argv, int *out_code, struct err *err);

/* Run a pager: `program` (NULL: less, where it is there) gets the text on its standard input and has the
 * terminal until it ends; who leaves it early has read enough. R0031: it cannot be started. */
MUST_CHECK bool foreground_page(const char *program, struct text text, struct err *err);

/* Make a file that only this user can read, in the folder for temporary files, with this end of its name.
 * *out_path lives in the arena. R0012. */
MUST_CHECK bool foreground_file_make(struct arena *arena, const char *end, struct text bytes,
                                     const char **out_path, struct err *err);

/* Put other bytes into it. R0012. */
MUST_CHECK bool foreground_file_write(const char *path, struct text bytes, struct err *err);

/* Remove it. */
void foreground_file_remove(const char *path);

#endif
