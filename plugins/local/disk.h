#ifndef LOCAL_DISK_H
#define LOCAL_DISK_H

#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Files and folders. False leaves the reason in errno. Modes are exact, whatever the umask. */

/* A folder with this mode; one that is there already is right. */
bool disk_folder(const char *path, mode_t mode);

/* The same with all that leads to it. */
bool disk_folders(const char *path, mode_t mode);

/* A new file; one that is there is replaced. Not synced: for what is made in a folder that is renamed later. */
bool disk_write(const char *path, struct text bytes, mode_t mode);

/* The same, and on the disk when this answers. */
bool disk_write_synced(const char *path, struct text bytes, mode_t mode);

/* Replace a file: after a crash or a power cut it is the old one or the new one, whole. */
bool disk_replace(const char *path, struct text bytes, mode_t mode);

/* Put a folder's entries on the disk. */
bool disk_sync_folder(const char *path);

/* The whole of a small file, in the arena; ENOENT and so on, EFBIG. */
bool disk_read(struct arena *arena, const char *path, size_t limit_bytes, struct text *out);

/* The same of a file that a machine's root may have put there: `name` stays beneath `folder`, no link is
 * followed, and it is a regular file. */
bool disk_read_beneath(struct arena *arena, const char *folder, const char *name,
                       size_t limit_bytes, struct text *out);

/* Remove a file, or a folder with all in it; nothing there is right. Links are not followed, other file
 * systems not entered. */
bool disk_remove(const char *path);

/* Is there something of this name (a link counts as itself)? */
bool disk_is_there(const char *path);

#endif
