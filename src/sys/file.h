#ifndef REEVE_SYS_FILE_H
#define REEVE_SYS_FILE_H

#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* Read a whole regular file. A pipe is read only if the shell created it for this command
 * (/dev/fd/N, from `-f <(generate)`). A folder, a named pipe, a socket or a device is rejected
 * immediately.
 *
 * The bytes live in the arena. A file with more than limit_bytes fails with R0013; if the file
 * system knows the size, this is checked before memory is allocated. Every other failure is R0011
 * with the reason as text. */
MUST_CHECK bool file_read(struct arena *arena, const char *path, size_t limit_bytes,
                          struct text *out, struct err *err);

/* Like file_read(), but for standard input, of any type, up to its end. */
MUST_CHECK bool file_read_stdin(struct arena *arena, size_t limit_bytes, struct text *out,
                                struct err *err);

/* Writes a new file, mode 0644 less the umask. An existing file is never changed, and a symbolic
 * link is never followed. If the write fails, the file is removed. Fails with R0012. */
MUST_CHECK bool file_create(const char *path, struct text bytes, struct err *err);

#endif
