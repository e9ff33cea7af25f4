#include "etcd_member/member_files.h"

#include "base/limits.h"
#include "etcd_member/member_etcd.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MEMBER_FILES_ASIDE "aside"
#define MEMBER_FILES_DB    MEMBER_ETCD_DATA "/member/snap/db"
#define MEMBER_FILES_WAL   MEMBER_ETCD_DATA "/member/wal"

enum { MEMBER_NAME_BYTES = 200, MEMBER_TREE_DEPTH = 8 };

bool member_files_has_data(int folder)
{
    return faccessat(folder, MEMBER_FILES_WAL, F_OK, 0) == 0;
}

/* etcd holds a lock of its database. */
bool member_files_is_used(int folder)
{
    AUTO(fd) file = openat(folder, MEMBER_FILES_DB, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    return file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

void member_files_sockets_remove(int folder)
{
    static const char *const names[] = { MEMBER_ETCD_CLIENT, MEMBER_ETCD_METRICS,
                                         MEMBER_ETCD_PEER };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        (void)unlinkat(folder, names[i], 0);
    }
}

uint64_t member_files_bytes(int folder)
{
    struct stat status;

    return fstatat(folder, MEMBER_FILES_DB, &status, 0) == 0 ? (uint64_t)status.st_size : 0;
}

uint64_t member_files_free_bytes(int folder)
{
    struct statvfs status;

    return fstatvfs(folder, &status) == 0 ? (uint64_t)status.f_bavail * status.f_frsize : 0;
}

MUST_CHECK static bool member_files_fault(const char *what, struct err *err)
{
    return err_set(err, CODE_R0596, "%s: %s", what, strerror(errno));
}

bool member_files_put_aside(int folder, struct text name, int64_t now_ms, struct err *err)
{
    char target[MEMBER_NAME_BYTES];

    if (faccessat(folder, MEMBER_ETCD_DATA, F_OK, 0) != 0) {
        return true;
    }
    snprintf(target, sizeof(target), MEMBER_FILES_ASIDE "/%.*s.%lld",
             TEXT_ARG(text_slice(name, 0, MEMBER_NAME_BYTES / 2)), (long long)now_ms);
    if ((mkdirat(folder, MEMBER_FILES_ASIDE, 0700) != 0 && errno != EEXIST) ||
        renameat(folder, MEMBER_ETCD_DATA, folder, target) != 0) {
        return member_files_fault("the data of the member cannot be put aside", err);
    }
    return fsync(folder) == 0 || member_files_fault("the folder of the member", err);
}

/* ---- removing ---- */

static int member_entry_remove(const char *path, const struct stat *status, int kind,
                               struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

/* Removes a folder with its content, without following links. */
static bool member_tree_remove(int folder, const char *name)
{
    char path[MEMBER_NAME_BYTES + 64];

    if (faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT;
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", folder, name);
    return nftw(path, member_entry_remove, MEMBER_TREE_DEPTH, FTW_DEPTH | FTW_PHYS) == 0;
}

bool member_files_new_remove(int folder, struct err *err)
{
    return member_tree_remove(folder, MEMBER_ETCD_NEW) ||
           member_files_fault("the remains of a rebuild cannot be removed", err);
}

bool member_files_swap(int folder, struct text name, int64_t now_ms, struct err *err)
{
    if (faccessat(folder, MEMBER_ETCD_NEW, F_OK, 0) != 0) {
        /* a former process has renamed it */
        return member_files_has_data(folder) ||
               err_set(err, CODE_R0596, "the rebuilt data of the member are missing");
    }
    if (!member_files_put_aside(folder, name, now_ms, err)) {
        return false;
    }
    if (renameat(folder, MEMBER_ETCD_NEW, folder, MEMBER_ETCD_DATA) != 0 || fsync(folder) != 0) {
        return member_files_fault("the rebuilt data of the member", err);
    }
    return true;
}

void member_files_sweep(int folder, int64_t now_ms)
{
    int aside = openat(folder, MEMBER_FILES_ASIDE, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *listing = aside < 0 ? NULL : fdopendir(aside);
    const struct dirent *entry;

    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        long long at_ms = dot == NULL ? 0 : strtoll(dot + 1, NULL, 10);

        /* a clock that was set back keeps them longer */
        if (at_ms > 0 && now_ms > at_ms && (now_ms - at_ms) / 1000 > LIMIT_MEMBER_ASIDE_S &&
            strlen(entry->d_name) < MEMBER_NAME_BYTES) {
            (void)!member_tree_remove(aside, entry->d_name);
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
}
