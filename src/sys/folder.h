#ifndef REEVE_SYS_FOLDER_H
#define REEVE_SYS_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* public names start with: folder_ file_ */

/* Folders that a daemon owns, held as descriptors, and the files beneath them. A name is relative
 * to its folder and stays beneath it. The kernel rejects `..`, an absolute name and a symbolic link
 * in any component at the time of opening, so the path cannot change in between.
 *
 * Modes are exact, regardless of the umask. Failures are R0534, with the name and the reason. The
 * caller owns returned descriptors (AUTO(fd)). */

/* Open a folder by its path. The path may contain links, because the operator chose it. */
MUST_CHECK bool folder_open(const char *path, int *out, struct err *err);

/* The absolute path of an existing folder without links, for a process with another working
 * directory. *out lives in the arena. */
MUST_CHECK bool folder_resolve(struct arena *arena, const char *path, const char **out,
                               struct err *err);

/* folder_open_beneath(): open a folder beneath another one. folder_make_beneath(): the same, but
 * first make it with this mode if it does not exist. folder_ensure_beneath(): make it if it does
 * not exist, without opening it. */
MUST_CHECK bool folder_open_beneath(int folder, const char *name, int *out, struct err *err);
MUST_CHECK bool folder_ensure_beneath(int folder, const char *name, mode_t mode, struct err *err);
MUST_CHECK bool folder_make_beneath(int folder, const char *name, mode_t mode, int *out,
                                    struct err *err);

/* Checks that the folder belongs to this user or to root, and that no other user can write into it.
 * Fails with R0536, because any user could have created its files then. `path` is for the
 * message. */
MUST_CHECK bool folder_check_owner(int folder, const char *path, struct err *err);

/* Bytes that this user may still write on the folder's file system. */
MUST_CHECK bool folder_free_bytes(int folder, uint64_t *out, struct err *err);

/* True if the disk of this folder is full, so that not even a page can be written. False if that
 * cannot be determined. A user's quota is not considered. */
bool folder_is_full(const char *path);

/* file_open_beneath(): open a file for reading. file_create_beneath(): make a new file for writing;
 * it must not exist. */
MUST_CHECK bool file_open_beneath(int folder, const char *name, int *out, struct err *err);
MUST_CHECK bool file_create_beneath(int folder, const char *name, mode_t mode, int *out,
                                    struct err *err);

/* Read the whole of a regular file, at most limit_bytes. The bytes live in the arena. */
MUST_CHECK bool file_read_beneath(struct arena *arena, int folder, const char *name,
                                  size_t limit_bytes, struct text *out, struct err *err);

/* Replaces or creates a file of this name (no '/') in the folder. After a crash or a power loss it
 * is either the old file or the new one, complete. Returns true once the file is on the disk. Only
 * one writer per name is allowed at a time: it writes to `.NAME.new`. */
MUST_CHECK bool file_replace(int folder, const char *name, struct text bytes, mode_t mode,
                             struct err *err);

/* Lock a file of this name in the folder for as long as *out is open; the file is created if it
 * does not exist. Fails with R0535 if another process holds the lock, with its process id if that
 * is known. */
MUST_CHECK bool file_lock(int folder, const char *name, int *out, struct err *err);

/* True if the kernel itself keeps names beneath their folder (openat2). Otherwise, as before Linux
 * 5.6 or in some sandboxes, each component is opened in turn; a daemon logs that. */
bool folder_has_openat2(void);

/* The fallback without openat2, with the same rejections: returns a descriptor, or -1 with errno.
 * For tests; the functions above use it if necessary. */
int folder_walk(int folder, const char *name, int flags);

#endif
