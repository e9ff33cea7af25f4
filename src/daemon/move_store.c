#include "daemon/maintenance.h"
#include "daemon/store_open.h"
#include "etcd_member/member.h"
#include "sqlite/sqlite_move.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <string.h>

/* public names start with: move_store_ */

/* Stops the member of a managed store that is not the store of this manager. Its data are put
 * aside. A failure leaves a member that is not used. */
static void move_store_member_end(const struct config *config)
{
    struct member_ipc_ask ask = { .method = MEMBER_IPC_PUT_ASIDE };
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct member_ipc_reply reply;
    struct err err;

    if (config->store.managed != NULL && config->store.managed->found.has_member) {
        (void)!member_call_wait(arena, config->data, &ask, &reply, &err);
    }
}

/* Moves the embedded store to etcd. A member that was made for it ends if the move has failed
 * before its commit. */
MUST_CHECK static bool move_store_to_etcd(const struct config *config, int folder,
                                          const struct relocate_options *options,
                                          struct relocate_result *out, struct err *err)
{
    struct relocate_options complete = *options;
    struct etcd_options etcd;
    struct sqlite_moved moved;

    if (config->store.managed != NULL) {
        config->store.managed->can_create = true;
    }
    if (!store_managed_find(config, folder, options->random, err)) {
        return false;
    }
    etcd = store_etcd_options(config);
    complete.etcd = &etcd;
    if (relocate_to_etcd(&complete, out, err)) {
        return true;
    }
    sqlite_moved_read(config->data, &moved);
    if (!moved.is_moved) {
        move_store_member_end(config);
    }
    return false;
}

bool move_store_run(const struct config *config, bool is_to_etcd,
                    void (*report)(void *arg, struct text line), void *arg,
                    struct relocate_result *out, struct err *err)
{
    struct relocate_options options = { .folder = config->data,
                                        .id_file = STORE_ID_FILE,
                                        .random = random_system(),
                                        .report = report,
                                        .arg = arg };
    struct etcd_options etcd;
    struct store_member member = { .lock = FD_NONE };
    AUTO(fd) folder = FD_NONE;
    bool is_done;

    if (!config->store.is_etcd) {
        err_set(err, CODE_R0582, "the configuration has no store in etcd to move the store %s",
                is_to_etcd ? "to" : "from");
        return err_hint(err, "set store: {etcd: {endpoints: [...]}} in reeved.yaml; when the store "
                             "has moved to the folder, set store: sqlite");
    }
    if (!maintenance_folder_open(config, &folder, err)) {
        return false;
    }
    if (is_to_etcd) {
        return move_store_to_etcd(config, folder, &options, out, err);
    }
    if (!store_lock_etcd(config, folder, random_system(), &member, err)) {
        return false;
    }
    options.manager = text_from(member.id);
    etcd = store_etcd_options(config);
    options.etcd = &etcd;
    is_done = relocate_to_sqlite(&options, out, err);
    if (is_done && !out->is_completed_later) {
        move_store_member_end(config);
    }
    fd_cleanup(&member.lock);
    return is_done;
}

static void move_store_silent(void *arg, struct text line)
{
    (void)arg;
    (void)line;
}

bool move_store_restore(const struct config *config, const char *path, bool replaces,
                        struct restore_result *out, struct err *err)
{
    struct etcd_options etcd;
    struct relocate_options options = { .etcd = &etcd,
                                        .folder = config->data,
                                        .id_file = STORE_ID_FILE,
                                        .random = random_system(),
                                        .report = move_store_silent };
    struct store_member member = { .lock = FD_NONE };
    struct relocate_result result = { .objects = 0 };
    AUTO(fd) folder = FD_NONE;
    bool is_done;

    if (config->store.managed != NULL) {
        config->store.managed->can_create = true;
    }
    if (!maintenance_folder_open(config, &folder, err) ||
        !store_lock_etcd(config, folder, random_system(), &member, err)) {
        return false;
    }
    options.manager = text_from(member.id);
    etcd = store_etcd_options(config);
    is_done = relocate_restore(&options, path, replaces, &result, err);
    fd_cleanup(&member.lock);
    *out = (struct restore_result){ .revision = result.revision, .is_replaced = replaces };
    return is_done;
}
