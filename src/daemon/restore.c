#include "moving/backup_file.h"
#include "daemon/maintenance.h"
#include "daemon/store_open.h"
#include "sqlite/sqlite.h"
#include "sys/fd.h"
#include "sys/folder.h"
#include "sys/random.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* public names start with: maintenance_ restore_ */

bool maintenance_folder_open(const struct config *config, int *out, struct err *err)
{
    struct stat status;

    if (mkdir(config->data, 0700) != 0 && errno != EEXIST) {
        return err_set(err, CODE_R0553, "%s: %s", config->data, strerror(errno));
    }
    if (!folder_open(config->data, out, err)) {
        return false;
    }
    if (geteuid() == 0 && fstat(*out, &status) == 0 && status.st_uid != 0 &&
        (status.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
        return true;
    }
    return folder_check_owner(*out, config->data, err);
}

bool restore_run(const struct config *config, const char *path, bool replaces,
                 struct restore_result *out, struct err *err)
{
    unsigned char incarnation[16];
    AUTO(fd) folder = FD_NONE;
    uint64_t bytes = 0;

    if (!backup_file_check(path, &bytes, err)) {
        return false;
    }
    if (config->store.is_etcd) {
        return move_store_restore(config, path, replaces, out, err);
    }
    if (!store_check_embedded(config, "--restore", err)) {
        return false;
    }
    if (!maintenance_folder_open(config, &folder, err)) {
        return false;
    }
    *out = (struct restore_result){ .is_replaced = faccessat(folder, "store.db", F_OK, 0) == 0 };
    random_fill(random_system(), incarnation, sizeof(incarnation));
    if (!sqlite_restore(path, config->data, incarnation, replaces, &out->revision, err)) {
        if (err->code == CODE_R0507) {
            err_hint(err, "stop the manager first: systemctl stop reeved");
        } else if (err->code == CODE_R0523) {
            err_hint(
                err,
                "reeve restore --replace replaces the store, and keeps the current one in store.before-restore");
        }
        return false;
    }
    return true;
}
