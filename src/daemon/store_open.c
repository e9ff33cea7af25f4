#include "daemon/store_open.h"

#include "etcd/etcd.h"
#include "sqlite/sqlite.h"
#include "sqlite/sqlite_move.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* public names start with: store_ */

#define STORE_LOCK_FILE "store.lock" /* the same name as for the embedded store */

/* Reads the id of the manager from a file. Without the file the id is empty. */
MUST_CHECK static bool store_id_read(int folder, const char *name, char out[static RANDOM_ID_BYTES],
                                     struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    AUTO(fd) file = FD_NONE;
    struct text text;

    out[0] = '\0';
    if (!file_open_beneath(folder, name, &file, err)) {
        return true;
    }
    if (!file_read_beneath(arena, folder, name, RANDOM_ID_BYTES, &text, err)) {
        return false;
    }
    text = text_trim(text);
    if (text.length != RANDOM_ID_BYTES - 1) {
        return err_set(err, CODE_R0534, "the file %s does not contain the id of a manager", name);
    }
    memcpy(out, text.data, text.length);
    out[text.length] = '\0';
    return true;
}

/* Reads the id of the manager, or creates it: the one that this host's member names, or a random
 * one. */
MUST_CHECK static bool store_id_have(const struct config *config, int folder, struct random random,
                                     char out[static RANDOM_ID_BYTES], struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct config_managed *managed = config->store.managed;

    if (!store_id_read(folder, STORE_ID_FILE, out, err)) {
        return false;
    }
    if (out[0] != '\0') {
        return true;
    }
    random_id(random, out);
    if (managed != NULL && managed->found.manager[0] != '\0') {
        memcpy(out, managed->found.manager, RANDOM_ID_BYTES);
    }
    return file_replace(folder, STORE_ID_FILE, arena_printf(arena, "%s\n", out), 0600, err);
}

struct managed_store_options store_managed_options(const struct config *config, const char *manager,
                                                   struct random random)
{
    const struct config_managed *managed = config->store.managed;

    return (struct managed_store_options){ .data = config->data,
                                           .manager = manager,
                                           .address = managed->address,
                                           .clients = managed->clients,
                                           .random = random,
                                           .can_create = managed->can_create };
}

bool store_managed_find(const struct config *config, int folder, struct random random,
                        struct err *err)
{
    struct config_managed *managed = config->store.managed;
    struct managed_store_options options;
    char manager[RANDOM_ID_BYTES];

    if (managed == NULL || managed->is_found) {
        return true;
    }
    /* a store that moves back to etcd gives the manager its former id (relocate.h) */
    if (!store_id_read(folder, STORE_ID_FILE, manager, err) ||
        (manager[0] == '\0' && !store_id_read(folder, STORE_ID_FILE ".former", manager, err))) {
        return false;
    }
    options = store_managed_options(config, manager[0] == '\0' ? NULL : manager, random);
    managed->is_found = managed_store_open(managed->arena, &options, &managed->found, err);
    return managed->is_found;
}

struct etcd_options store_etcd_options(const struct config *config)
{
    const struct config_store *settings = &config->store;

    if (settings->managed != NULL) {
        const struct managed_store_found *found = &settings->managed->found;

        return (struct etcd_options){ .endpoints = found->endpoints,
                                      .endpoint_count = found->endpoint_count,
                                      .ca_file = found->ca,
                                      .certificate_file = found->certificate,
                                      .key_file = found->key,
                                      .prefix = settings->prefix };
    }
    return (struct etcd_options){ .endpoints = settings->endpoints,
                                  .endpoint_count = settings->endpoint_count,
                                  .ca_file = settings->ca,
                                  .certificate_file = settings->certificate,
                                  .key_file = settings->key,
                                  .prefix = settings->prefix };
}

bool store_connect_etcd(const struct config *config, struct random random, bool is_patient,
                        struct store **out, struct err *err)
{
    unsigned char incarnation[16];
    struct etcd_options options;
    struct sqlite_moved moved;
    AUTO(fd) folder = FD_NONE;

    if (!folder_open(config->data, &folder, err) ||
        !store_managed_find(config, folder, random, err)) {
        return false;
    }
    options = store_etcd_options(config);
    options.is_patient = is_patient;
    sqlite_moved_read(config->data, &moved);
    if (moved.is_moved) {
        options.move = moved.move; /* this manager completes the move of its own store */
    }
    random_fill(random, incarnation, sizeof(incarnation));
    return etcd_open(&options, incarnation, out, err);
}

bool store_lock_etcd(const struct config *config, int folder, struct random random,
                     struct store_member *out, struct err *err)
{
    struct store_member member = { .lock = FD_NONE };
    struct sqlite_moved moved;

    sqlite_moved_read(config->data, &moved);
    if (sqlite_folder_bytes(config->data) > 0 && !moved.is_moved) {
        err_set(err, CODE_R0523, "the folder '%s' has an embedded store, which etcd would hide",
                config->data);
        return err_hint(err, "move that store to etcd: reeve manager move-store --to etcd; or name "
                             "another folder: --data DIR");
    }
    if (!file_lock(folder, STORE_LOCK_FILE, &member.lock, err)) {
        if (err->code == CODE_R0535) {
            err_set(err, CODE_R0507, "another process of this manager uses the folder '%s'",
                    config->data);
            err_hint(err,
                     "stop that process (fuser %s/" STORE_LOCK_FILE
                     "), or name another folder: each manager needs its own",
                     config->data);
        }
        return false;
    }
    if (!store_managed_find(config, folder, random, err) ||
        !store_id_have(config, folder, random, member.id, err)) {
        fd_cleanup(&member.lock);
        return false;
    }
    *out = member;
    return true;
}

bool store_open_etcd(const struct config *config, int folder, struct random random,
                     struct store **out, struct store_member *out_member, struct err *err)
{
    if (!store_lock_etcd(config, folder, random, out_member, err)) {
        return false;
    }
    if (!store_connect_etcd(config, random, true, out, err)) {
        fd_cleanup(&out_member->lock);
        return false;
    }
    return true;
}
