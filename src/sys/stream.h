#ifndef REEVE_SYS_STREAM_H
#define REEVE_SYS_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Prepare standard input, output and error of this process, once, before anything is opened: a
 * closed one is filled with a descriptor on which every use fails, so that no file that is opened
 * later takes its number; a reader that goes away is an error of write, not a signal. */
void stream_prepare(void);

/* Write all bytes to standard output (error). A reader that has gone away (EPIPE) is no error: nobody
 * is there to be told. Anything else, a full disk or a closed output, is R0014. */
MUST_CHECK bool stream_write_out(struct text bytes, struct err *err);
MUST_CHECK bool stream_write_error(struct text bytes, struct err *err);

/* Read one line of standard input without its line end, at most room - 1 bytes of it, NUL-terminated.
 * False: it has ended, or cannot be read. */
bool stream_read_line(char *out, size_t room);

/* The same from a terminal that does not show what is typed. */
bool stream_read_hidden(char *out, size_t room);

/* Is standard input (output, error) a terminal? */
bool stream_is_terminal_in(void);
bool stream_is_terminal_out(void);
bool stream_is_terminal_error(void);

/* Width of the terminal that standard output (error) is, or 0 where it is none or does not tell. */
unsigned stream_columns_out(void);
unsigned stream_columns_error(void);

/* Its height, likewise. */
unsigned stream_rows_out(void);

#endif
