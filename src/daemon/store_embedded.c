#include "daemon/store_open.h"
#include "sys/fd.h"
#include "sys/folder.h"

/* public names start with: store_ */

bool store_is_elsewhere(const char *folder)
{
    AUTO(fd) opened = FD_NONE;
    AUTO(fd) file = FD_NONE;
    struct err err;

    return folder_open(folder, &opened, &err) &&
           file_open_beneath(opened, STORE_ID_FILE, &file, &err);
}

bool store_check_embedded(const struct config *config, const char *what, struct err *err)
{
    if (!config->store.is_etcd && !store_is_elsewhere(config->data)) {
        return true;
    }
    if (config->store.is_etcd) {
        err_set(err, CODE_R0579, "%s needs the embedded store, and this manager's is in etcd",
                what);
        return err_hint(err, "use the tools of etcd: etcdctl snapshot save FILE");
    }
    err_set(err, CODE_R0579, "the folder '%s' belongs to a manager whose store is in etcd",
            config->data);
    return err_hint(
        err, "name the configuration of that manager: --config FILE; or name another folder");
}
