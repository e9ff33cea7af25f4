#ifndef REEVE_SYS_STREAM_H
#define REEVE_SYS_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Prepare standard input, output and error of this process. Call it once, before anything is
 * opened. A closed stream is replaced by a descriptor on which every use fails, so that no other
 * file gets its number. SIGPIPE is ignored, so that a closed reader causes a write error. */
void stream_prepare(void);

/* stream_write_out() writes all bytes to standard output, stream_write_error() to standard error. A
 * closed reader (EPIPE) is not an error. Any other failure, such as a full disk or a closed output,
 * is R0014. */
MUST_CHECK bool stream_write_out(struct text bytes, struct err *err);
MUST_CHECK bool stream_write_error(struct text bytes, struct err *err);

/* Read one line of standard input, without its line end, into at most room - 1 bytes, with a final
 * NUL. Returns false at the end, or if input cannot be read. */
bool stream_read_line(char *out, size_t room);

/* Read one line from a terminal without echo. Returns false as stream_read_line() does. */
bool stream_read_hidden(char *out, size_t room);

/* Return true if standard input, standard output or standard error is a terminal. */
bool stream_is_terminal_in(void);
bool stream_is_terminal_out(void);
bool stream_is_terminal_error(void);

/* Return the width of the terminal on standard output or on standard error; 0 if it is not a
 * terminal, or if the width is unknown. */
unsigned stream_columns_out(void);
unsigned stream_columns_error(void);

/* Return the height of the terminal on standard output in lines; 0 if it is not a terminal, or if
 * the height is unknown. */
unsigned stream_rows_out(void);

#endif
