#ifndef REEVE_SYS_FOREGROUND_H
#define REEVE_SYS_FOREGROUND_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* An editor or another program that uses the terminal of this command until it ends. */

/* Run `program`, which may contain arguments ("vim -f"), with one more argument. Fails with R0027
 * if it cannot be started or ends with an exit code other than 0. */
MUST_CHECK bool foreground_run(const char *program, const char *argument, struct err *err);

/* Run a program with `argv`, which ends with NULL. Until it ends, it uses this command's terminal,
 * input and output. *out_code is its exit code, or 128 plus the number of the signal that ended it.
 * Fails with R0714 if it cannot be started. */
MUST_CHECK bool foreground_command(const char *const *argv, int *out_code, struct err *err);

/* Run a pager: `program` (NULL: less, if it is installed) gets the text on its standard input and
 * uses the terminal until it ends. An early end is not an error. Fails with R0031 if it cannot be
 * started. */
MUST_CHECK bool foreground_page(const char *program, struct text text, struct err *err);

/* Create a file in the folder for temporary files. Only this user can read it, and its name ends
 * with `end`. *out_path lives in the arena. Fails with R0012. */
MUST_CHECK bool foreground_file_make(struct arena *arena, const char *end, struct text bytes,
                                     const char **out_path, struct err *err);

/* Replace the content of the temporary file. Fails with R0012. */
MUST_CHECK bool foreground_file_write(const char *path, struct text bytes, struct err *err);

/* Remove the temporary file. */
void foreground_file_remove(const char *path);

#endif
