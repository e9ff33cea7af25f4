#ifndef REEVE_NATIVE_FILE_H
#define REEVE_NATIVE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Small files. Where a function is false, errno says why. */

enum { FILE_LINE_BYTES = 4096 };

/* Until a descriptor that does not wait by itself can be read or written (POLLIN, POLLOUT). */
void file_wait(int fd, short events);

/* All of these bytes to a descriptor, also one that does not wait by itself. */
bool file_write(int fd, const void *bytes, size_t count);

/* The first line of a file, without its end. False: there is none that has one. Nobody waits at a pipe in its place. */
bool file_line(const char *path, char line[static FILE_LINE_BYTES]);

/* These bytes are a file's, in its own place. What else a stage has left there goes: a link, a pipe, a folder, another file's second name. */
bool file_put(const char *path, unsigned mode, const char *bytes, size_t count);

/* What is at this path goes to the disk. */
bool file_sync(const char *path);

#endif
