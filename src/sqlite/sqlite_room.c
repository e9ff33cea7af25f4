#include "sqlite/sqlite_store.h"
#include "sys/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* CHANGE_OVERHEAD_BYTES: size of the pages that a change writes in addition to its data, such as
 * index leaves and parents. ROOM_SLACK_BYTES: reserve for other programs. */
enum { CHANGE_OVERHEAD_BYTES = 4096, ROOM_SLACK_BYTES = 128 * 1024 };

/* Returns the space that a transaction takes in the WAL and later in the database. */
static uint64_t txn_bytes(const struct store_txn *txn)
{
    uint64_t bytes = (uint64_t)(txn->op_count + txn->event_count) * CHANGE_OVERHEAD_BYTES;

    for (size_t i = 0; i < txn->op_count; i++) {
        bytes += txn->ops[i].key.length + txn->ops[i].value.length;
    }
    for (size_t i = 0; i < txn->event_count; i++) {
        bytes += txn->events[i].cluster.length + txn->events[i].body.length;
    }
    return bytes;
}

/* Reserves the bytes in an unnamed file and releases them. This respects user quotas, which the
 * numbers of the file system do not show. If the file system does not support reservations, only
 * those numbers are used. */
static bool can_reserve(const char *folder, uint64_t bytes)
{
    AUTO(fd) file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

    if (file < 0) {
        return errno != ENOSPC && errno != EDQUOT;
    }
    return fallocate(file, 0, 0, (off_t)bytes) == 0 || (errno != ENOSPC && errno != EDQUOT);
}

/* Returns by how many bytes a checkpoint enlarges the database file: the pages that exist only in
 * the WAL. */
static uint64_t checkpoint_bytes(struct sqlite_store *sqlite)
{
    struct sqlite_figures figures;
    struct stat facts;
    struct err err;

    if (sqlite->writer_db == NULL || !sqlite_db_figures(sqlite->writer_db, &figures, &err) ||
        stat(sqlite->opening.path, &facts) != 0 || figures.bytes < (uint64_t)facts.st_size) {
        return 0;
    }
    return figures.bytes - (uint64_t)facts.st_size;
}

/* Returns whether the disk has space for these bytes and a reserve for other programs. */
static bool has_room_for(struct sqlite_store *sqlite, uint64_t bytes)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const char *path = sqlite->opening.path;
    const char *slash = strrchr(path, '/');
    const char *folder =
        slash == NULL ? "." : arena_printf(arena, "%.*s", (int)(slash - path + 1), path).data;
    uint64_t wanted = 2 * bytes + checkpoint_bytes(sqlite) + ROOM_SLACK_BYTES;
    struct statvfs facts;

    return statvfs(folder, &facts) != 0 ||
           ((uint64_t)facts.f_bavail * facts.f_frsize >= wanted && can_reserve(folder, wanted));
}

void sqlite_room_learn(struct sqlite_store *sqlite, struct request *first)
{
    for (struct request *request = first; request != NULL; request = request->next) {
        uint64_t bytes = txn_bytes(&request->txn);

        if (request->result.outcome == OUTCOME_OK) {
            if (sqlite->room_wanted > 0 &&
                (bytes >= sqlite->room_wanted || has_room_for(sqlite, sqlite->room_wanted))) {
                sqlite->room_wanted = 0;
            }
        } else if (request->result.err.code == CODE_R0505 && bytes > sqlite->room_wanted) {
            sqlite->room_wanted = bytes;
        }
        request->has_room = sqlite->room_wanted == 0;
    }
}
