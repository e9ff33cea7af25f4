#include "cli/hosts/manager_setup.h"
#include "codec/json.h"
#include "sys/file.h"

#include <arpa/inet.h>
#include <string.h>

/* public names start with: manager_ */

enum {
    STORE_FILE_BYTES = 256 * 1024,
    STORE_STEP_MS = 60 * 1000,
    STORE_PEER_PORT = 7443,
    STORE_ENDPOINTS = 16,
};

static bool store_file_read(struct command *command, enum flag_id flag, const char *name,
                            struct text *out)
{
    const char *path = args_value(&command->args, flag);
    struct err err;

    if (path == NULL) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0023,
                                     "--store needs --%s", name),
                        "etcd is reached by TLS with certificates of both ends: --store-ca, "
                        "--store-certificate, --store-key");
    }
    if (!file_read(command->arena, path, STORE_FILE_BYTES, out, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    return true;
}

/* Each endpoint is https://HOST:PORT. */
static bool store_endpoints_check(struct command *command, const char *endpoints)
{
    struct text rest = text_from(endpoints);
    size_t count = 0;

    while (rest.length > 0) {
        size_t end = text_find_byte(rest, ',');
        struct text one = text_slice(rest, 0, end);

        if (!text_has_prefix(one, TEXT("https://")) || ++count > STORE_ENDPOINTS) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "'%.*s' is not an endpoint of etcd", TEXT_ARG(one)),
                            "--store https://10.0.0.11:2379,https://10.0.0.12:2379");
        }
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, SIZE_MAX);
    }
    return count > 0 || err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                              "--store names no endpoint of etcd"),
                                 "--store https://10.0.0.11:2379,https://10.0.0.12:2379");
}

bool manager_store_read(struct command *command, struct manager_store *out)
{
    const char *prefix = args_value(&command->args, FLAG_BOOTSTRAP_STORE_PREFIX);

    *out = (struct manager_store){ .endpoints = args_value(&command->args, FLAG_BOOTSTRAP_STORE),
                                   .prefix = prefix == NULL ? "/reeve/" : prefix };
    if (out->endpoints == NULL) {
        return true;
    }
    if (out->prefix[0] != '/' || out->prefix[strlen(out->prefix) - 1] != '/' ||
        strpbrk(out->prefix, "\"\\\n") != NULL) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "'%s' is not a prefix of keys", out->prefix),
                        "a prefix begins and ends with a slash: /reeve/");
    }
    return store_endpoints_check(command, out->endpoints) &&
           store_file_read(command, FLAG_BOOTSTRAP_STORE_CA, "store-ca", &out->ca) &&
           store_file_read(command, FLAG_BOOTSTRAP_STORE_CERTIFICATE, "store-certificate",
                           &out->certificate) &&
           store_file_read(command, FLAG_BOOTSTRAP_STORE_KEY, "store-key", &out->key);
}

bool manager_store_hold(const struct ssh_host *host, const struct manager_store *store,
                        const struct program_answer *look)
{
    static const char *const hold[] = { "hold", NULL };
    struct program_answer answer;

    return store->endpoints == NULL || manager_value(look, "store_done").length > 0 ||
           manager_step(host, hold, STORE_STEP_MS, &answer);
}

/* The endpoints as a list of YAML. */
static const char *store_endpoints_list(struct arena *arena, const char *endpoints)
{
    struct text rest = text_from(endpoints);
    struct buf buf;

    buf_init(&buf, arena);
    while (rest.length > 0) {
        size_t end = text_find_byte(rest, ',');
        struct doc one = doc_text(text_slice(rest, 0, end), NULL);

        buf_add_string(&buf, buf.length > 0 ? ", " : "[");
        json_format(&buf, &one);
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, SIZE_MAX);
    }
    buf_add_string(&buf, "]");
    return arena_string(arena, buf_text(&buf));
}

/* Where other managers reach the host; empty if the host is not given as an address. */
static const char *store_peer(struct arena *arena, const char *host)
{
    unsigned char room[16];

    return inet_pton(AF_INET, host, room) == 1
               ? arena_printf(arena, "%s:%d", host, STORE_PEER_PORT).data
           : inet_pton(AF_INET6, host, room) == 1
               ? arena_printf(arena, "[%s]:%d", host, STORE_PEER_PORT).data
               : "";
}

bool manager_store_send(const struct ssh_host *host, const struct manager_store *store)
{
    struct arena *arena = host->command->arena;
    const char *words[] = { "store", NULL, store->prefix, NULL, NULL };
    struct program_answer answer;

    if (store->endpoints == NULL) {
        return true;
    }
    words[1] = store_endpoints_list(arena, store->endpoints);
    words[3] = store_peer(arena, host->name);
    if (!manager_put(host, "store", "/etc/reeve/store-ca.pem", store->ca) ||
        !manager_put(host, "store", "/etc/reeve/store.pem", store->certificate) ||
        !manager_put(host, "store", "/etc/reeve/store.key", store->key) ||
        !manager_step(host, words, STORE_STEP_MS, &answer)) {
        return false;
    }
    manager_say(
        host, "store",
        text_is(manager_value(&answer, "kept"), "store")
            ? TEXT("the store stays as it is configured")
            : arena_printf(arena, "etcd at %s, prefix %s", store->endpoints, store->prefix));
    return true;
}
