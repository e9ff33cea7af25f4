#ifndef LOCAL_DISK_H
#define LOCAL_DISK_H

#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Functions for files and folders. On failure they return false and set errno. Modes are set
 * exactly, independent of the umask. */

/* Creates a folder with this mode, unless it exists. */
bool disk_folder(const char *path, mode_t mode);

/* Same as disk_folder, and also creates missing parent folders. */
bool disk_folders(const char *path, mode_t mode);

/* Writes a new file, replacing an existing one. Does not sync the file, so it is for files in a
 * folder that is renamed later. */
bool disk_write(const char *path, struct text bytes, mode_t mode);

/* Same as disk_write, but syncs the file before it returns. */
bool disk_write_synced(const char *path, struct text bytes, mode_t mode);

/* Replaces a file atomically, even across a crash or power loss. */
bool disk_replace(const char *path, struct text bytes, mode_t mode);

/* Syncs the entries of a folder. */
bool disk_sync_folder(const char *path);

/* Reads a whole small file into the arena. On failure, errno is EFBIG if the file is too large, or
 * another error such as ENOENT. */
bool disk_read(struct arena *arena, const char *path, size_t limit_bytes, struct text *out);

/* Same as disk_read, for a file that the root user of a machine may have created. `name` cannot
 * lead out of `folder`, links are not followed, and the file must be a regular file. */
bool disk_read_beneath(struct arena *arena, const char *folder, const char *name,
                       size_t limit_bytes, struct text *out);

/* Removes a file, or a folder with its content; a missing one is not an error. Does not follow
 * links or enter other file systems. */
bool disk_remove(const char *path);

/* Returns whether the name exists, even as a link. */
bool disk_is_there(const char *path);

#endif
