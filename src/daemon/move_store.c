#include "daemon/maintenance.h"
#include "daemon/store_open.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* public names start with: move_store_ */

MUST_CHECK static bool move_store_folder_open(const struct config *config, int *out,
                                              struct err *err)
{
    if (mkdir(config->data, 0700) != 0 && errno != EEXIST) {
        return err_set(err, CODE_R0553, "%s: %s", config->data, strerror(errno));
    }
    return folder_open(config->data, out, err) && folder_check_owner(*out, config->data, err);
}

bool move_store_run(const struct config *config, bool is_to_etcd,
                    void (*report)(void *arg, struct text line), void *arg,
                    struct relocate_result *out, struct err *err)
{
    struct etcd_options etcd = store_etcd_options(config);
    struct relocate_options options = { .etcd = &etcd,
                                        .folder = config->data,
                                        .id_file = STORE_ID_FILE,
                                        .random = random_system(),
                                        .report = report,
                                        .arg = arg };
    struct store_member member = { .lock = FD_NONE };
    AUTO(fd) folder = FD_NONE;
    bool is_done;

    if (!config->store.is_etcd) {
        err_set(err, CODE_R0582, "the configuration has no store in etcd to move the store %s",
                is_to_etcd ? "to" : "from");
        return err_hint(err, "set store: {etcd: {endpoints: [...]}} in reeved.yaml; when the store "
                             "has moved to the folder, set store: sqlite");
    }
    if (!move_store_folder_open(config, &folder, err)) {
        return false;
    }
    if (is_to_etcd) {
        return relocate_to_etcd(&options, out, err);
    }
    if (!store_lock_etcd(config, folder, random_system(), &member, err)) {
        return false;
    }
    options.manager = text_from(member.id);
    is_done = relocate_to_sqlite(&options, out, err);
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
    struct etcd_options etcd = store_etcd_options(config);
    struct relocate_options options = { .etcd = &etcd,
                                        .folder = config->data,
                                        .id_file = STORE_ID_FILE,
                                        .random = random_system(),
                                        .report = move_store_silent };
    struct store_member member = { .lock = FD_NONE };
    struct relocate_result result = { .objects = 0 };
    AUTO(fd) folder = FD_NONE;
    bool is_done;

    if (!move_store_folder_open(config, &folder, err) ||
        !store_lock_etcd(config, folder, random_system(), &member, err)) {
        return false;
    }
    options.manager = text_from(member.id);
    is_done = relocate_restore(&options, path, replaces, &result, err);
    fd_cleanup(&member.lock);
    *out = (struct restore_result){ .revision = result.revision, .is_replaced = replaces };
    return is_done;
}
