#include "sqlite/sqlite.h"
#include "sqlite/sqlite_backup.h"
#include "sqlite/sqlite_check.h"
#include "sqlite/sqlite_salvage.h"
#include "sys/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* public names start with: sqlite_ */

/* A store has several files, which one system call cannot replace. So the new database is written
 * beside the old one, synced, and then renamed to `store.db-restored`. With that rename the restore
 * takes effect. The next process that locks the folder first removes the other files of the old
 * database (its WAL would otherwise be applied to the new database), and then renames the new
 * database. An interruption before the rename to `store.db-restored` leaves only a file that the
 * next restore removes. */

MUST_CHECK static bool sqlite_restore_refuse(const char *path, struct err *err)
{
    return err_set(err, CODE_R0505, "'%s' cannot be written: %s", path, strerror(errno));
}

bool sqlite_folder_lock(const char *folder, int *out, struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const char *path = arena_printf(arena, "%s/store.lock", folder).data;
    AUTO(fd) file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (file < 0 && (errno == EROFS || errno == EACCES)) {
        bool is_read_only = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0;

        file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (file < 0 && (errno == ENOENT || errno == EROFS) && is_read_only) {
            *out = FD_NONE; /* the folder is not writable and has no lock file, so there is no
                             * lock */
            return true;
        }
    }
    if (file < 0) {
        return err_set(err, CODE_R0505, "'%s' cannot be opened: %s", path, strerror(errno));
    }
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        err_set(err, CODE_R0507, "another process has the store in '%s' open", folder);
        return err_hint(err, "stop that process (fuser %s/store.lock), or name another folder",
                        folder);
    }
    *out = file;
    file = FD_NONE;
    return true;
}

MUST_CHECK static bool sqlite_restore_file_remove(const char *path, struct err *err)
{
    return unlink(path) == 0 || errno == ENOENT || sqlite_restore_refuse(path, err);
}

bool sqlite_restore_finish(const char *folder, struct err *err)
{
    static const char *const parts[] = { "-wal", "-shm", "-note", "-audit", "-journal" };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const char *path = arena_printf(arena, "%s/store.db", folder).data;
    const char *decided = arena_printf(arena, "%s-restored", path).data;

    if (access(decided, F_OK) != 0) {
        return true;
    }
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        if (!sqlite_restore_file_remove(arena_printf(arena, "%s%s", path, parts[i]).data, err)) {
            return false;
        }
    }
    /* remove the old WAL durably before the new database gets its name */
    return (sqlite_folder_sync(path) && rename(decided, path) == 0 && sqlite_folder_sync(path)) ||
           sqlite_restore_refuse(path, err);
}

/* Opens a backup. SQLite creates no files beside it. */
MUST_CHECK static bool backup_open(struct arena *arena, const char *path, sqlite3 **out,
                                   struct err *err)
{
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
    struct stat wal;

    if (stat(arena_printf(arena, "%s-wal", path).data, &wal) == 0 && wal.st_size > 0) {
        return err_set(err, CODE_R0524, "'%s' is not a backup: it has a write-ahead log beside it",
                       path);
    }
    if (access(path, R_OK) != 0) {
        return err_set(err, CODE_R0524, "'%s' cannot be read: %s", path, strerror(errno));
    }
    if (sqlite3_open_v2(sqlite_immutable_name(arena, path), out, flags, NULL) != SQLITE_OK) {
        return err_set(err, CODE_R0524, "'%s' cannot be read", path);
    }
    return true;
}

/* Keeps the files by hard links, so that no byte is copied; they are not written any more. Files
 * that an earlier restore has kept are removed. */
bool sqlite_former_keep(struct arena *arena, const char *folder, const char *name, struct err *err)
{
    static const char *const parts[] = { "", "-wal", "-note" };
    const char *former = arena_printf(arena, "%s/%s", folder, name).data;

    if (access(arena_printf(arena, "%s/store.db", folder).data, F_OK) != 0) {
        return true; /* there is no store to keep */
    }
    if (mkdir(former, 0700) != 0 && errno != EEXIST) {
        return sqlite_restore_refuse(former, err);
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const char *path = arena_printf(arena, "%s/store.db%s", folder, parts[i]).data;
        const char *kept = arena_printf(arena, "%s/store.db%s", former, parts[i]).data;

        if (!sqlite_restore_file_remove(kept, err)) {
            return false;
        }
        if (link(path, kept) != 0 && errno != ENOENT) {
            return sqlite_restore_refuse(kept, err);
        }
    }
    return sqlite_folder_sync(arena_printf(arena, "%s/store.db", former).data) ||
           sqlite_restore_refuse(former, err);
}

/* Writes the new database, and renames it so that the restore takes effect. */
MUST_CHECK static bool restored_make(struct arena *arena, const char *backup, const char *folder,
                                     const unsigned char incarnation[16], uint64_t *out_revision,
                                     struct err *err)
{
    const char *making = arena_printf(arena, "%s/store.db-restoring", folder).data;
    const char *decided = arena_printf(arena, "%s/store.db-restored", folder).data;
    struct sqlite_report report = { 0 };
    sqlite3 *source = NULL;
    bool is_good =
        sqlite_restore_file_remove(making, err) && backup_open(arena, backup, &source, err) &&
        sqlite_check(source, &report, err) &&
        sqlite_copy_make(source, &(struct sqlite_copy){ making, incarnation, NULL, NULL },
                         out_revision, err);

    sqlite3_close(source);
    if (!is_good) {
        return false;
    }
    if (!sqlite_former_keep(arena, folder, "store.before-restore", err)) {
        return false;
    }
    if (rename(making, decided) != 0 || !sqlite_folder_sync(decided)) {
        return sqlite_restore_refuse(decided, err);
    }
    return true;
}

bool sqlite_restore(const char *backup, const char *folder, const unsigned char incarnation[16],
                    bool replaces, uint64_t *out_revision, struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    AUTO(fd) lock = FD_NONE;

    if (!sqlite_folder_lock(folder, &lock, err) || !sqlite_restore_finish(folder, err)) {
        return false;
    }
    if (!replaces && access(arena_printf(arena, "%s/store.db", folder).data, F_OK) == 0) {
        return err_set(err, CODE_R0523, "there is a store in '%s'", folder);
    }
    return restored_make(arena, backup, folder, incarnation, out_revision, err) &&
           sqlite_restore_finish(folder, err);
}
