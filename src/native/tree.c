#include "native/tree.h"

#include "native/file.h"
#include "native/say.h"
#include "native/tar.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* One way through an archive for members of each sort: folders, files, then links and at last the times of folders, for nothing is to be written through
 * a link, and a folder's time changes with what is put into it. */

enum { DEPTH_MAX = 256 };

/* ---- making it ---- */

static bool folders_above(int folder, const char *path)
{
    char above[TAR_PATH_BYTES];

    for (const char *end = strchr(path, '/'); end != NULL; end = strchr(end + 1, '/')) {
        (void)snprintf(above, sizeof(above), "%.*s", (int)(end - path), path);
        if (mkdirat(folder, above, 0755) != 0 && errno != EEXIST) {
            return false;
        }
    }
    return true;
}

static bool file_make(int folder, const struct tar_member *member)
{
    const struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_sec = member->time } };
    const int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(folder, member->path, how, member->mode);
    bool is_good;
    int error;

    if (fd < 0 && errno == EEXIST && unlinkat(folder, member->path, 0) == 0) {
        fd = openat(folder, member->path, how, member->mode); /* the last one of a name counts */
    }
    if (fd < 0) {
        return false;
    }
    is_good = file_write(fd, member->content, member->bytes) && futimens(fd, times) == 0;
    error = errno;
    is_good = close(fd) == 0 && is_good;
    errno = is_good ? 0 : error;
    return is_good;
}

static bool link_make(int folder, const struct tar_member *member)
{
    const struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_sec = member->time } };

    if (symlinkat(member->link, folder, member->path) != 0 &&
        (errno != EEXIST || unlinkat(folder, member->path, 0) != 0 ||
         symlinkat(member->link, folder, member->path) != 0)) {
        return false;
    }
    return utimensat(folder, member->path, times, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool folder_make(int folder, const struct tar_member *member)
{
    if (member->path[0] == '\0') {
        return fchmod(folder, member->mode & 0755) == 0;
    }
    /* one above a member that came before it is there already */
    return mkdirat(folder, member->path, member->mode) == 0 ||
           (errno == EEXIST && fchmodat(folder, member->path, member->mode & 0755, 0) == 0);
}

static bool folder_time(int folder, const struct tar_member *member)
{
    const struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_sec = member->time } };

    return utimensat(folder, member->path[0] == '\0' ? "." : member->path, times,
                     AT_SYMLINK_NOFOLLOW) == 0;
}

/* All members of one type. */
static bool all_make(struct tar archive, int folder, char type,
                     bool (*make)(int folder, const struct tar_member *member))
{
    struct tar_member member;

    archive.at = 0;
    while (tar_next(&archive, &member) == 1) {
        if (member.type == type &&
            (!folders_above(folder, member.path) || !make(folder, &member))) {
            return false;
        }
    }
    return true;
}

static bool plain_expand(const struct tar *archive, const char *path)
{
    mode_t before = umask(022);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool is_good = folder >= 0 && all_make(*archive, folder, '5', folder_make) &&
                   all_make(*archive, folder, '0', file_make) &&
                   all_make(*archive, folder, '2', link_make) &&
                   all_make(*archive, folder, '5', folder_time);
    int error = errno;

    (void)umask(before);
    if (folder >= 0) {
        (void)close(folder);
    }
    errno = error;
    return is_good;
}

/* A program of the system; what it says goes to `why`. */
static bool tool_run(const char *const *words, char *why, size_t size)
{
    posix_spawn_file_actions_t actions;
    size_t said = 0;
    ssize_t count;
    int ends[2];
    int status;
    pid_t pid;
    int error;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    error = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(ends[1]);
    while (said + 1 < size && (count = read(ends[0], why + said, size - 1 - said)) > 0) {
        said += (size_t)count;
    }
    why[said] = '\0';
    (void)close(ends[0]);
    if (error != 0) {
        (void)snprintf(why, size, "%s: %s", words[0], strerror(error));
        errno = error;
        return false;
    }
    return waitpid(pid, &status, 0) == pid && status == 0;
}

static bool tar_expand(const char *archive, const char *folder, char *why, size_t size)
{
    const char *const words[] = {
        "tar", "-xf", archive, "-C", folder, "--no-same-owner", "--no-same-permissions", NULL
    };
    mode_t before = umask(022);
    bool is_good = tool_run(words, why, size);

    (void)umask(before);
    return is_good;
}

void tree_expand(const char *path, const char *folder)
{
    struct tar archive = { 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char why[1000] = "";
    struct stat file;
    bool is_good;
    int error;

    if (fd < 0 || fstat(fd, &file) != 0) {
        say_fail("bundle", errno, "the bundle cannot be read");
    }
    archive.count = (uint64_t)file.st_size;
    archive.bytes =
        archive.count == 0 ? NULL : mmap(NULL, archive.count, PROT_READ, MAP_PRIVATE, fd, 0);
    (void)close(fd);
    if (archive.bytes == MAP_FAILED) {
        say_fail("expand", errno, "the bundle cannot be read");
    }
    is_good = archive.bytes != NULL && tar_is_plain(&archive);
    if (is_good) {
        is_good = plain_expand(&archive, folder);
        error = errno;
        (void)snprintf(why, sizeof(why), "the tree cannot be made");
    } else {
        is_good = tar_expand(path, folder, why, sizeof(why));
        error = strstr(why, strerror(ENOSPC)) != NULL ? ENOSPC : 0;
    }
    if (archive.bytes != NULL) {
        (void)munmap((void *)(uintptr_t)archive.bytes, archive.count);
    }
    if (!is_good) {
        (void)tree_remove(folder);
        say_fail("expand", error, "%s", why);
    }
}

/* ---- what goes ---- */

static bool all_remove(int above, const char *name, unsigned depth);

static bool folder_empty(int folder, unsigned depth)
{
    DIR *list = fdopendir(folder);
    bool is_good = list != NULL && depth < DEPTH_MAX;
    const struct dirent *entry;
    int error;

    if (list == NULL) {
        (void)close(folder);
        return false;
    }
    while (is_good && (entry = readdir(list)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            is_good = all_remove(folder, entry->d_name, depth + 1);
        }
    }
    error = errno;
    (void)closedir(list);
    errno = error;
    return is_good;
}

static bool all_remove(int above, const char *name, unsigned depth)
{
    int folder;

    if (unlinkat(above, name, 0) == 0 || errno == ENOENT) {
        return true;
    }
    if (errno != EISDIR && errno != EPERM) {
        return false;
    }
    folder = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        return errno == ENOENT;
    }
    return folder_empty(folder, depth) &&
           (unlinkat(above, name, AT_REMOVEDIR) == 0 || errno == ENOENT);
}

bool tree_remove(const char *path)
{
    const char *const words[] = { "rm", "-rf", "--", path, NULL };
    char why[100];
    int error;

    if (all_remove(AT_FDCWD, path, 0)) {
        return true;
    }
    error = errno;
    if (tool_run(words, why, sizeof(why))) { /* it goes deeper than we have descriptors for */
        return true;
    }
    errno = error;
    return false;
}
