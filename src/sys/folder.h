#ifndef REEVE_SYS_FOLDER_H
#define REEVE_SYS_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* names: folder_ file_ */

/* Folders that a daemon owns, held as descriptors, and files beneath them. A name is relative to its
 * folder and stays beneath it: `..`, an absolute name, and a symbolic link in any place are refused by
 * the kernel in the moment of opening, so nobody can change the way in between.
 *
 * Modes are exactly what was asked for, whatever the umask. What goes wrong is R0534, with the name and
 * the reason; descriptors that come out are the caller's (AUTO(fd)). */

/* Open a folder by its path, which may lead over links: the operator named it. */
MUST_CHECK bool folder_open(const char *path, int *out, struct err *err);

/* The absolute path of a folder that is there, without links, for another process that stands elsewhere. */
MUST_CHECK bool folder_resolve(struct arena *arena, const char *path, const char **out,
                               struct err *err);

/* Open a folder beneath another one; make it first, with this mode, where it is not there yet; or
 * make it where it is not there, without the right to open it. */
MUST_CHECK bool folder_open_beneath(int folder, const char *name, int *out, struct err *err);
MUST_CHECK bool folder_ensure_beneath(int folder, const char *name, mode_t mode, struct err *err);
MUST_CHECK bool folder_make_beneath(int folder, const char *name, mode_t mode, int *out,
                                    struct err *err);

/* Does it belong to this user or to root, and can nobody else write into it? Else R0536: what lies
 * there could be anybody's. `path` is for the message. */
MUST_CHECK bool folder_check_owner(int folder, const char *path, struct err *err);

/* Bytes that this user may still write on its file system. */
MUST_CHECK bool folder_free_bytes(int folder, uint64_t *out, struct err *err);

/* Is the disk below this folder full, so that nothing of a page's size can be written? False if that cannot be found out. A quota of a
 * user does not show here. */
bool folder_is_full(const char *path);

/* Open a file for reading; make a new one for writing (it must not exist). */
MUST_CHECK bool file_open_beneath(int folder, const char *name, int *out, struct err *err);
MUST_CHECK bool file_create_beneath(int folder, const char *name, mode_t mode, int *out,
                                    struct err *err);

/* The whole of a regular file, at most limit_bytes; the bytes live in the arena. */
MUST_CHECK bool file_read_beneath(struct arena *arena, int folder, const char *name,
                                  size_t limit_bytes, struct text *out, struct err *err);

/* Put these bytes in the place of a file of this name in the folder itself (no '/'), or make it: after a
 * crash or a power cut it is the old one or the new one, whole. True is said when it is on the disk.
 * One writer of a name at a time: `.NAME.new` is where it is written. */
MUST_CHECK bool file_replace(int folder, const char *name, struct text bytes, mode_t mode,
                             struct err *err);

/* Lock a file of this name in the folder itself, made where it is missing, for as long as *out is open.
 * Somebody else has it: R0535, with the number of that process where it is known. */
MUST_CHECK bool file_lock(int folder, const char *name, int *out, struct err *err);

/* Does the kernel keep names beneath their folder by itself (openat2)? Where it does not, as before
 * Linux 5.6 or in some sandboxes, each step of a name is opened by hand; a daemon says so in its log. */
bool folder_has_openat2(void);

/* That way by hand, which refuses the same: a descriptor, or -1 with errno. For tests; the calls above
 * take it where they must. */
int folder_walk(int folder, const char *name, int flags);

#endif
