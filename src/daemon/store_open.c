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

/* Reads the id of the manager, or creates a random one. */
MUST_CHECK static bool store_id_have(int folder, struct random random,
                                     char out[static RANDOM_ID_BYTES], struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    AUTO(fd) file = FD_NONE;
    struct text text;

    if (!file_open_beneath(folder, STORE_ID_FILE, &file, err)) {
        random_id(random, out);
        return file_replace(folder, STORE_ID_FILE, arena_printf(arena, "%s\n", out), 0600, err);
    }
    if (!file_read_beneath(arena, folder, STORE_ID_FILE, RANDOM_ID_BYTES, &text, err)) {
        return false;
    }
    text = text_trim(text);
    if (text.length != RANDOM_ID_BYTES - 1) {
        return err_set(err, CODE_R0534,
                       "the file " STORE_ID_FILE " does not contain the id of a manager");
    }
    memcpy(out, text.data, text.length);
    out[text.length] = '\0';
    return true;
}

struct etcd_options store_etcd_options(const struct config *config)
{
    const struct config_store *settings = &config->store;

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
    struct etcd_options options = store_etcd_options(config);
    unsigned char incarnation[16];
    struct sqlite_moved moved;

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
    if (!store_id_have(folder, random, member.id, err)) {
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
