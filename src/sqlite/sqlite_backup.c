#include "sqlite/sqlite_backup.h"

#include "sqlite/sqlite_check.h"
#include "sqlite/sqlite_row.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A copy is written under a temporary name, checked in the same way as a store that is opened, and
 * synced. Only then is it renamed. So a file with the final name is always complete. */

enum {
    PAGES_A_STEP = 256,
    BUSY_MS = 10000,
    FORMAT_AT = 18, /* offset of two bytes for the journal mode; 2: WAL */
};

MUST_CHECK static bool sqlite_backup_refuse(const char *path, const char *why, struct err *err)
{
    return err_set(err, CODE_R0522, "'%s' cannot be made: %s", path, why);
}

/* Copies the pages. The snapshot of the source is held meanwhile, so that all pages have one
 * revision. */
MUST_CHECK static bool pages_copy(sqlite3 *source, sqlite3 *target, const struct sqlite_copy *copy,
                                  struct err *err)
{
    sqlite3_backup *backup = sqlite3_backup_init(target, "main", source, "main");
    bool is_stopped = false;
    int code = SQLITE_OK;

    while (backup != NULL && code == SQLITE_OK && !is_stopped) {
        code = sqlite3_backup_step(backup, PAGES_A_STEP);
        is_stopped = copy->is_to_stop != NULL && copy->is_to_stop(copy->arg);
    }
    sqlite3_backup_finish(backup);
    if (code != SQLITE_DONE) {
        return sqlite_backup_refuse(copy->path,
                                    is_stopped ? "the store is closed" : sqlite3_errstr(code), err);
    }
    return true;
}

/* Writes the incarnation of the copy. */
MUST_CHECK static bool incarnation_set(sqlite3 *target, const unsigned char *incarnation)
{
    struct text bytes = { (const char *)incarnation, 16 };
    sqlite3_stmt *handle = NULL;
    bool is_good =
        incarnation == NULL ||
        (sqlite3_prepare_v2(target, "UPDATE meta SET value=?1,checksum=?2 WHERE name=?3", -1,
                            &handle, NULL) == SQLITE_OK &&
         sqlite3_bind_blob(handle, 1, incarnation, 16, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_int64(handle, 2,
                            (sqlite3_int64)meta_checksum(TEXT(META_INCARNATION), bytes, 0)) ==
             SQLITE_OK &&
         sqlite3_bind_text(handle, 3, META_INCARNATION, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_step(handle) == SQLITE_DONE && sqlite3_changes(target) == 1);

    sqlite3_finalize(handle);
    return is_good;
}

/* Opens the copy. The copy is not durable yet, so it needs no journal and no sync. */
MUST_CHECK static bool target_open(const char *path, sqlite3 **out)
{
    return sqlite3_open_v2(path, out, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ==
               SQLITE_OK &&
           sqlite3_exec(*out, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", NULL, NULL,
                        NULL) == SQLITE_OK;
}

/* Fills the new file with a copy of the source. */
MUST_CHECK static bool target_fill(sqlite3 *source, int file, const char *part,
                                   const struct sqlite_copy *copy, struct err *err)
{
    static const unsigned char without_wal[2] = { 1, 1 };
    sqlite3 *target = NULL;
    bool is_good = target_open(part, &target) ||
                   sqlite_backup_refuse(copy->path,
                                        target == NULL ? "no memory" : sqlite3_errmsg(target), err);

    is_good = is_good && pages_copy(source, target, copy, err);
    sqlite3_close(target);
    if (is_good && pwrite(file, without_wal, 2, FORMAT_AT) != 2) {
        is_good = sqlite_backup_refuse(copy->path, strerror(errno), err);
    }
    target = NULL;
    if (is_good && !(target_open(part, &target) && incarnation_set(target, copy->incarnation))) {
        is_good = sqlite_backup_refuse(copy->path, sqlite3_errmsg(target), err);
    }
    sqlite3_close(target);
    return is_good;
}

/* Checks that the copy is complete. */
MUST_CHECK static bool sqlite_backup_target_check(const char *part, const struct sqlite_copy *copy,
                                                  uint64_t *out_revision, struct err *err)
{
    struct sqlite_report report = { 0 };
    sqlite3 *target = NULL;
    bool is_good = sqlite3_open_v2(part, &target, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                                   NULL) == SQLITE_OK ||
                   sqlite_backup_refuse(copy->path, "the backup cannot be read", err);

    is_good = is_good && sqlite_check(target, &report, err);
    sqlite3_close(target);
    *out_revision = report.revision;
    return is_good;
}

bool sqlite_folder_sync(const char *path)
{
    char name[4096];
    AUTO(fd) folder = FD_NONE;

    if ((size_t)snprintf(name, sizeof(name), "%s", path) >= sizeof(name)) {
        return false;
    }
    folder = open(dirname(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder >= 0 && fsync(folder) == 0;
}

/* Renames the complete copy and syncs its folder. Fails if a file with the new name exists. */
MUST_CHECK static bool target_name(int file, const char *part, const struct sqlite_copy *copy,
                                   struct err *err)
{
    if (fsync(file) != 0 ||
        renameat2(AT_FDCWD, part, AT_FDCWD, copy->path, RENAME_NOREPLACE) != 0 ||
        !sqlite_folder_sync(copy->path)) {
        return sqlite_backup_refuse(copy->path, strerror(errno), err);
    }
    return true;
}

bool sqlite_copy_make(sqlite3 *source, const struct sqlite_copy *copy, uint64_t *out_revision,
                      struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const char *part = arena_printf(arena, "%s.part", copy->path).data;
    AUTO(fd) file = FD_NONE;

    if (access(copy->path, F_OK) == 0) {
        return sqlite_backup_refuse(copy->path, strerror(EEXIST), err);
    }
    unlink(part); /* left by a process that was killed */
    file = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        return sqlite_backup_refuse(copy->path, strerror(errno), err);
    }
    if (!target_fill(source, file, part, copy, err) ||
        !sqlite_backup_target_check(part, copy, out_revision, err) ||
        !target_name(file, part, copy, err)) {
        unlink(part);
        return false;
    }
    return true;
}

static bool backup_is_to_stop(void *arg)
{
    struct sqlite_store *sqlite = arg;

    return atomic_load(&sqlite->copy_is_to_stop) || queue_is_ending(&sqlite->backups);
}

/* Makes a copy over a separate connection, so that reads and writes continue. */
MUST_CHECK static bool sqlite_backup_make(struct sqlite_store *sqlite, struct request *request)
{
    struct sqlite_copy copy = { request->key.data, NULL, backup_is_to_stop, sqlite };
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE;
    sqlite3 *source = NULL;
    bool is_good =
        sqlite3_open_v2(sqlite->opening.path, &source, flags, sqlite->opening.vfs) == SQLITE_OK &&
        sqlite3_db_config(source, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL) == SQLITE_OK &&
        sqlite3_busy_timeout(source, BUSY_MS) == SQLITE_OK &&
        sqlite3_exec(source, "BEGIN; SELECT count(*) FROM meta", NULL, NULL, NULL) == SQLITE_OK;

    is_good = is_good
                  ? sqlite_copy_make(source, &copy, &request->answer.revision, &request->result.err)
                  : sqlite_backup_refuse(copy.path, sqlite3_errmsg(source), &request->result.err);
    sqlite3_close(source);
    return is_good;
}

void sqlite_backup_run(struct sqlite_store *sqlite, struct request *request)
{
    pthread_mutex_lock(&sqlite->copying);
    if (sqlite->writer_db == NULL) { /* writer_db changes only while no copy is being made */
        request->result = (struct sqlite_result){ OUTCOME_REFUSED, sqlite->problem };
    } else {
        request->result.outcome =
            sqlite_backup_make(sqlite, request) ? OUTCOME_OK : OUTCOME_REFUSED;
    }
    pthread_mutex_unlock(&sqlite->copying);
}
