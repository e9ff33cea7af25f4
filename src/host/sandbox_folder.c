#include "base/limits.h"
#include "host/sandbox_parts.h"
#include "sys/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool owner_set(int folder, const char *name, uid_t own)
{
    return fchownat(folder, name, own, own, AT_SYMLINK_NOFOLLOW) == 0 || errno == ENOENT;
}

/* Gives the entries of a folder to a user, whatever their current owner. Links are not followed. */
static bool sandbox_folder_entries_give(int folder, uid_t own, unsigned depth)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *entry;
    bool is_given = listing != NULL && depth < LIMIT_SANDBOX_DEPTH;

    while (is_given && (entry = readdir(listing)) != NULL) {
        AUTO(fd) below = FD_NONE;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        is_given = owner_set(folder, entry->d_name, own);
        below = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        is_given = is_given && (below < 0 || sandbox_folder_entries_give(below, own, depth + 1));
    }
    if (listing != NULL) {
        closedir(listing);
    }
    return is_given;
}

bool sandbox_folder_open(const char *within, const char *folder, int *out, struct err *err)
{
    struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                            .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
    AUTO(fd) base = open(within, O_PATH | O_DIRECTORY | O_CLOEXEC);
    size_t length = strlen(within);

    if (base >= 0 && strncmp(folder, within, length) == 0 && folder[length] == '/') {
        *out = (int)syscall(SYS_openat2, base, folder + length + 1, &how, sizeof(how));
        if (*out >= 0) {
            return true;
        }
    }
    return err_set(err, CODE_R0567, "the folder '%s' is not inside '%s'", folder, within);
}

static void sandbox_folder_entries_count(int folder, uint64_t most, unsigned depth, uint64_t *bytes)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *entry;

    while (listing != NULL && depth < LIMIT_SANDBOX_DEPTH && *bytes <= most &&
           (entry = readdir(listing)) != NULL) {
        struct stat status;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        *bytes += (uint64_t)status.st_blocks * 512;
        if (S_ISDIR(status.st_mode)) {
            AUTO(fd)
            below = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

            if (below >= 0) {
                sandbox_folder_entries_count(below, most, depth + 1, bytes);
            }
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
}

uint64_t sandbox_folder_bytes(const char *folder, uint64_t most)
{
    AUTO(fd) top = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    uint64_t bytes = 0;

    if (top >= 0) {
        sandbox_folder_entries_count(top, most, 0, &bytes);
    }
    return bytes;
}

/* The folder itself is changed last. As long as it has another owner, the change is incomplete. */
bool sandbox_give(const char *folder, uid_t own)
{
    AUTO(fd) top = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat status;

    if (top < 0 || fstat(top, &status) != 0) {
        return false;
    }
    return status.st_uid == own ||
           (sandbox_folder_entries_give(top, own, 0) && fchown(top, own, own) == 0);
}
