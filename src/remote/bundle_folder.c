#include "remote/bounds.h"
#include "remote/bundle_parts.h"
#include "sys/fd.h"
#include "sys/file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads a folder as a bundle. Links are never followed, so only files in the folder itself are
 * read. */

MUST_CHECK static bool bundle_folder_walk(struct bundle_list *list, int folder, struct text name,
                                          size_t depth, struct err *err);

MUST_CHECK static bool bundle_folder_failed(struct text name, struct err *err)
{
    return err_set(err, CODE_R0011, "'%.*s' cannot be read: %s", TEXT_ARG(name), strerror(errno));
}

/* Reads a whole file. Fails if its size differs from `bytes`, because the file has changed in the
 * meantime. */
MUST_CHECK static bool content_read(struct bundle_list *list, int fd, size_t bytes,
                                    struct text name, struct text *out, struct err *err)
{
    char *data = arena_room(list->arena, bytes + 1);
    size_t have = 0;

    while (have < bytes) {
        ssize_t n = read(fd, data + have, bytes - have);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n == 0 ? EIO : errno;
            return bundle_folder_failed(name, err);
        }
        have += (size_t)n;
    }
    *out = (struct text){ data, bytes };
    return true;
}

MUST_CHECK static bool link_read(struct bundle_list *list, int folder, const char *entry,
                                 struct archive_member *member, struct err *err)
{
    char target[REMOTE_LINK_BYTES + 2];
    ssize_t length = readlinkat(folder, entry, target, sizeof(target));

    if (length < 0) {
        return bundle_folder_failed(member->name, err);
    }
    member->kind = ARCHIVE_LINK;
    member->link = arena_text(list->arena, (struct text){ target, (size_t)length });
    return true;
}

/* Adds one entry of a folder with its content. */
MUST_CHECK static bool bundle_folder_entry_take(struct bundle_list *list, int folder,
                                                const char *entry, struct text name, size_t depth,
                                                struct err *err)
{
    struct archive_member member = { .name = name };
    struct bundle_item *item;
    struct stat status;
    AUTO(fd) fd = FD_NONE;

    if (fstatat(folder, entry, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return bundle_folder_failed(name, err);
    }
    if (S_ISLNK(status.st_mode)) {
        return link_read(list, folder, entry, &member, err) &&
               bundle_list_add(list, &member, &item, err);
    }
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        return err_set(err, CODE_R0724, "'%.*s' is neither a file nor a folder nor a link",
                       TEXT_ARG(name));
    }
    fd = openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0) {
        return bundle_folder_failed(name, err);
    }
    member.mode = status.st_mode & 07777;
    if (S_ISDIR(status.st_mode)) {
        member.kind = ARCHIVE_FOLDER;
        return bundle_list_add(list, &member, &item, err) &&
               bundle_folder_walk(list, fd, name, depth + 1, err);
    }
    member.kind = ARCHIVE_FILE;
    member.bytes = (uint64_t)status.st_size;
    if (member.bytes > REMOTE_BUNDLE_FILE_BYTES) {
        return err_set(err, CODE_R0725, "'%.*s' has more than %d bytes", TEXT_ARG(name),
                       REMOTE_BUNDLE_FILE_BYTES);
    }
    return bundle_list_add(list, &member, &item, err) &&
           content_read(list, fd, (size_t)member.bytes, name, &item->content, err);
}

/* True for .git of a configuration repository: a folder, or a file in a linked work tree. The
 * history must not be a part of the revision, because otherwise the same files would have another
 * digest after each commit. */
static bool is_git_folder(const struct bundle_list *list, struct text name)
{
    return list->kind == BUNDLE_CONFIGURATION && text_is(name, ".git");
}

MUST_CHECK static bool bundle_folder_walk(struct bundle_list *list, int folder, struct text name,
                                          size_t depth, struct err *err)
{
    int own = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    DIR *dir = own < 0 ? NULL : fdopendir(own);
    const struct dirent *entry;
    bool is_good = true;

    if (dir == NULL) {
        return bundle_folder_failed(name, err);
    }
    if (depth > REMOTE_NAME_DEPTH) {
        closedir(dir);
        return err_set(err, CODE_R0725, "'%.*s' is more than %d folders deep", TEXT_ARG(name),
                       REMOTE_NAME_DEPTH);
    }
    while (is_good && (entry = readdir(dir)) != NULL) {
        struct text own_name =
            name.length == 0 ? arena_text(list->arena, text_from(entry->d_name))
                             : arena_printf(list->arena, "%.*s/%s", TEXT_ARG(name), entry->d_name);

        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            !is_git_folder(list, own_name)) {
            is_good = bundle_folder_entry_take(list, folder, entry->d_name, own_name, depth, err);
        }
    }
    closedir(dir);
    return is_good;
}

bool bundle_list_folder(struct bundle_list *list, const char *path, struct err *err)
{
    AUTO(fd) folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return folder < 0 ? bundle_folder_failed(text_from(path), err)
                      : bundle_folder_walk(list, folder, TEXT(""), 0, err);
}
