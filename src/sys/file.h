#ifndef REEVE_SYS_FILE_H
#define REEVE_SYS_FILE_H

#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* Read the whole of a regular file. A pipe is read only where the shell made it for this command
 * (/dev/fd/N, as `-f <(generate)` gives it); a folder, a named pipe, a socket or a device is refused
 * without waiting for it.
 *
 * The bytes live in the arena. More than limit_bytes is R0013, known before memory is taken where the
 * file system tells the size; everything else that goes wrong is R0011 with the reason in words. */
MUST_CHECK bool file_read(struct arena *arena, const char *path, size_t limit_bytes,
                          struct text *out, struct err *err);

/* The same for standard input, whatever it is, up to its end. */
MUST_CHECK bool file_read_stdin(struct arena *arena, size_t limit_bytes, struct text *out,
                                struct err *err);

/* Write a new file, mode 0644 less the umask. What exists is never touched, a symbolic link never
 * followed. Nothing is left behind where writing fails. R0012. */
MUST_CHECK bool file_create(const char *path, struct text bytes, struct err *err);

#endif
