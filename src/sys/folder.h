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

/* Folders of a daemon, held as descriptors, and the files beneath them. A name is relative to its
 * folder and cannot leave it. The kernel rejects `..`, an absolute name, and a symbolic link in any
 * component at the time of opening, so the path cannot change in between.
 *
 * Files get exactly the given mode, regardless of the umask. Failures are R0534, with the name and
 * the reason. The caller closes returned descriptors (AUTO(fd)). */

/* Open a folder by its path. The path may contain links, because the operator chose it. */
MUST_CHECK bool folder_open(const char *path, int *out, struct err *err);

/* Resolve the absolute path of an existing folder, without links, for a process with another
 * working directory. *out lives in the arena. */
MUST_CHECK bool folder_resolve(struct arena *arena, const char *path, const char **out,
                               struct err *err);

/* folder_open_beneath() opens a folder beneath another one. folder_make_beneath() does the same,
 * but first creates it with this mode if it does not exist. folder_ensure_beneath() creates it if
 * it does not exist, without opening it. */
MUST_CHECK bool folder_open_beneath(int folder, const char *name, int *out, struct err *err);
MUST_CHECK bool folder_ensure_beneath(int folder, const char *name, mode_t mode, struct err *err);
MUST_CHECK bool folder_make_beneath(int folder, const char *name, mode_t mode, int *out,
                                    struct err *err);

/* Checks that the folder belongs to this user or to root, and that no other user can write into it.
 * Fails with R0536, because otherwise any user could have created files in it. `path` is for the
 * message. */
MUST_CHECK bool folder_check_owner(int folder, const char *path, struct err *err);

/* Set *out to the number of bytes that this user may still write on the folder's file system. */
MUST_CHECK bool folder_free_bytes(int folder, uint64_t *out, struct err *err);

/* True if the disk of this folder is so full that not even a page can be written. False if that
 * cannot be determined. A user's quota is not considered. */
bool folder_is_full(const char *path);

/* file_open_beneath() opens a file for reading. file_create_beneath() creates a new file for
 * writing, which must not exist. */
MUST_CHECK bool file_open_beneath(int folder, const char *name, int *out, struct err *err);
MUST_CHECK bool file_create_beneath(int folder, const char *name, mode_t mode, int *out,
                                    struct err *err);

/* Read the whole of a regular file, at most limit_bytes. The bytes live in the arena. */
MUST_CHECK bool file_read_beneath(struct arena *arena, int folder, const char *name,
                                  size_t limit_bytes, struct text *out, struct err *err);

/* Replaces or creates the file `name` (without '/') in the folder. After a crash or a power loss
 * the file is either the old one or the new one, complete. Returns true once the new file is on the
 * disk. Only one writer per name is allowed at a time, because it first writes to `.NAME.new`. */
MUST_CHECK bool file_replace(int folder, const char *name, struct text bytes, mode_t mode,
                             struct err *err);

/* Lock the file `name` in the folder for as long as *out is open. The file is created if it does
 * not exist. Fails with R0535 if another process holds the lock; the message has its process id if
 * that is known. */
MUST_CHECK bool file_lock(int folder, const char *name, int *out, struct err *err);

/* True if the kernel can keep names beneath their folder (openat2). If not, as before Linux 5.6 or
 * in some sandboxes, each component is opened in turn; a daemon logs that. */
bool folder_has_openat2(void);

/* Open a file without openat2, with the same checks. Returns a descriptor, or -1 with errno. It is
 * declared for tests; the functions above use it if necessary. */
int folder_walk(int folder, const char *name, int flags);

#endif
