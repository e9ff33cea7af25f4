#include "playbook/unpack.h"

#include "base/mem.h"
#include "remote/archive.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct unpacking {
    struct text archive;
    int folder;
};

MUST_CHECK static bool unpack_failed(const struct archive_member *member, struct err *err)
{
    return err_set(err, CODE_R0843, "%.*s: %s", TEXT_ARG(member->name), strerror(errno));
}

/* Writes one member. In a canonical archive a folder comes before its members, and no link leads
 * out of the archive. Nevertheless, no path is followed through a link. */
MUST_CHECK static bool unpack_member(void *arg, const struct archive_member *member,
                                     struct err *err)
{
    const struct unpacking *unpacking = arg;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text content =
        text_slice(unpacking->archive, (size_t)member->offset, (size_t)member->bytes);
    const char *name = arena_string(arena, member->name);
    const char *slash = strrchr(name, '/');
    const char *last = slash == NULL ? name : slash + 1;
    AUTO(fd) above = FD_NONE;
    AUTO(fd) file = FD_NONE;

    if (!folder_open_beneath(
            unpacking->folder,
            slash == NULL
                ? "."
                : arena_string(arena, text_slice(member->name, 0, (size_t)(slash - name))),
            &above, err)) {
        return false;
    }
    if (member->kind == ARCHIVE_FOLDER) {
        return mkdirat(above, last, 0755) == 0 || errno == EEXIST || unpack_failed(member, err);
    }
    if (member->kind == ARCHIVE_LINK) {
        return symlinkat(arena_string(arena, member->link), above, last) == 0 ||
               unpack_failed(member, err);
    }
    file = openat(above, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  (member->mode & 0111) != 0 ? 0755 : 0644);
    while (file >= 0 && content.length > 0) {
        ssize_t wrote = write(file, content.data, content.length);

        if (wrote < 0 && errno != EINTR) {
            return unpack_failed(member, err);
        }
        content = text_slice(content, wrote < 0 ? 0 : (size_t)wrote, SIZE_MAX);
    }
    return (file >= 0 && fchmod(file, (member->mode & 0111) != 0 ? 0755 : 0644) == 0) ||
           unpack_failed(member, err);
}

bool unpack_archive(struct text bytes, const char *folder, struct err *err)
{
    struct unpacking unpacking = { bytes, FD_NONE };
    AUTO(fd) opened = FD_NONE;
    struct archive *archive;
    bool is_good;

    if (!folder_open(folder, &opened, err)) {
        return false;
    }
    unpacking.folder = opened;
    archive = archive_new(unpack_member, &unpacking);
    is_good = archive_feed(archive, bytes, err) && archive_end(archive, err);
    archive_free(archive);
    return is_good;
}
