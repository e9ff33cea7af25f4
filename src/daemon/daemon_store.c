#include "daemon/daemon_state.h"
#include "moving/relocate.h"
#include "sqlite/sqlite.h"
#include "state/damage.h"
#include "state/migrate.h"
#include "sys/file.h"
#include "sys/folder.h"
#include "sys/process.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* public names start with: daemon_ */

/* Opens the store of this process: the embedded store, or a store in etcd. */

enum { DAEMON_DAMAGE_LOGGED = 20 };

void daemon_damage_log(struct daemon *daemon)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct store_status status;
    struct text *lines;
    size_t count;

    store_status(daemon->store, &status);
    if (status.damage == NULL) {
        return;
    }
    log_error(daemon->log, "store", "damaged", log_string("reason", status.problem.text),
              log_string("hint", status.problem.hint));
    count = damage_lines(arena, daemon->cache, status.damage, &lines);
    for (size_t i = 0; i < count && i < DAEMON_DAMAGE_LOGGED; i++) {
        log_error(daemon->log, "store", "damaged_part", log_text("what", lines[i]));
    }
}

MUST_CHECK static bool folder_refuse(const char *path, struct err *err)
{
    int number = errno;

    err_set(err, CODE_R0553, "%s: %s", path, strerror(number));
    return err_hint(
        err,
        number == ENOENT
            ? "create the parent folder, or name another folder: --data DIR"
            : "run reeved as a user with write access, or name another folder: --data DIR, and --socket PATH");
}

/* Removes the access of other users to the folder, so that they cannot read its files, whatever the
 * modes of these are. Logs a mode that was too open. */
MUST_CHECK static bool folder_close_to_others(struct daemon *daemon, int folder, struct err *err)
{
    const char *path = daemon->config.data;
    struct stat status;

    if (fstat(folder, &status) == 0 && (status.st_mode & 07077) == 0) {
        return true; /* the owner may have made the folder read-only on purpose */
    }
    if (fchmod(folder, status.st_mode & 0700) != 0) {
        if (errno == EROFS) {
            log_warn(daemon->log, "daemon", "folder_open_to_others", log_string("folder", path));
            return true; /* the folder was open before, and nothing new is written there */
        }
        return folder_refuse(path, err);
    }
    log_warn(
        daemon->log, "daemon", "folder_mode_repaired", log_string("folder", path),
        log_text("was", arena_printf(daemon->memory, "%04o", (unsigned)status.st_mode & 07777)),
        log_text("now", arena_printf(daemon->memory, "%04o", (unsigned)status.st_mode & 0700)));
    return true;
}

/* Logs the progress of migrating a store from an earlier format, which can delay the start. */
static void store_migrating(void *arg, uint64_t done, uint64_t rows, bool is_over)
{
    struct daemon *daemon = arg;

    if (is_over) {
        log_info(daemon->log, "store", "migrated", log_int("format", STORE_FORMAT),
                 log_int("rows", (int64_t)rows));
    } else {
        log_info(daemon->log, "store", "migrating", log_int("format", STORE_FORMAT),
                 log_int("done", (int64_t)done), log_int("rows", (int64_t)rows));
    }
}

/* Waits before the next attempt to open a store that another process has locked. Returns false when
 * that process has had enough time to end. */
static bool store_is_awaited(const struct daemon *daemon, const struct err *err)
{
    if (err->code != CODE_R0507 ||
        clock_monotonic_ms(daemon->clock) - daemon->start_ms >= DAEMON_LOCK_PATIENCE_MS) {
        return false;
    }
    (void)!poll(NULL, 0, DAEMON_LOCK_RETRY_MS);
    return true;
}

/* Opens the store in etcd. If etcd has no quorum, the manager starts nevertheless. */
MUST_CHECK static bool store_shared_start(struct daemon *daemon, int folder, struct err *err)
{
    struct store_status status;

    if (!leave_check(folder, daemon->config.data, err) ||
        (daemon->config.store.key != NULL && !daemon_key_check(daemon->config.store.key, err))) {
        return false;
    }
    if (daemon->config.store.managed != NULL) {
        daemon->config.store.managed->can_create = true;
    }
    while (!store_open_etcd(&daemon->config, folder, daemon->random, &daemon->store,
                            &daemon->member, err)) {
        if (!store_is_awaited(daemon, err)) {
            return false;
        }
    }
    daemon->etcd = store_etcd_options(&daemon->config);
    daemon->cache = cache_new(daemon->store, LIMIT_CACHE_CHANGES);
    store_status(daemon->store, &status);
    log_info(daemon->log, "store", "shared", log_string("manager", daemon->member.id),
             log_string("name", daemon->config.name),
             log_string("prefix", daemon->config.store.prefix),
             log_string("problem", status.problem.text));
    return true;
}

/* A move from the managed store that was interrupted needs its member, to complete the move. */
static void daemon_former_member_start(struct daemon *daemon, int folder)
{
    struct managed_store_options options = { .data = daemon->config.data,
                                             .random = daemon->random };
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct managed_store_found found;
    struct err err;

    if (faccessat(folder, RELOCATE_JOURNAL, F_OK, 0) == 0 &&
        managed_store_is_there(daemon->config.data) &&
        !managed_store_open(arena, &options, &found, &err)) {
        log_warn(daemon->log, "store", "member_not_started", log_string("reason", err.text));
    }
}

/* Opens the embedded store. The cache receives its content while it is being opened. */
MUST_CHECK static bool store_embedded_start(struct daemon *daemon, int folder, struct err *err)
{
    const char *path = daemon->config.data;
    unsigned char incarnation[16];
    struct store_reading reading;

    daemon_former_member_start(daemon, folder);
    if (!relocate_finish(path, STORE_ID_FILE, err) ||
        !store_check_embedded(&daemon->config, "reeved", err)) {
        return false;
    }
    random_fill(daemon->random, incarnation, sizeof(incarnation));
    heap_expect(sqlite_folder_bytes(path));
    daemon->cache = cache_new_ahead(LIMIT_CACHE_CHANGES);
    reading = cache_reading(daemon->cache);
    reading.migrating = store_migrating;
    reading.migrating_arg = daemon;
    while (!sqlite_open_reading(path, incarnation, &reading, &daemon->store, err)) {
        if (!store_is_awaited(daemon, err)) {
            return false;
        }
    }
    cache_follow(daemon->cache, daemon->store);
    return true;
}

bool daemon_store_start(struct daemon *daemon, struct err *err)
{
    const char *path = daemon->config.data;
    struct store_status status;
    AUTO(fd) folder = FD_NONE;

    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return folder_refuse(path, err);
    }
    if (!folder_open(path, &folder, err) || !folder_check_owner(folder, path, err)) {
        return false;
    }
    if (!folder_close_to_others(daemon, folder, err)) {
        return false;
    }
    if (!(daemon->config.store.is_etcd ? store_shared_start(daemon, folder, err)
                                       : store_embedded_start(daemon, folder, err))) {
        return false;
    }
    store_status(daemon->store, &status);
    daemon->is_held = status.is_held;
    if (status.audit_fault != NULL) {
        log_error(daemon->log, "store", "events_missing", log_string("reason", status.audit_fault),
                  log_string("hint", "reeve audit; compare with a backup from before"));
    }
    return true;
}
