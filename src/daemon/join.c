#include "access/key_ring.h"
#include "base/limits.h"
#include "codec/json.h"
#include "daemon/maintenance.h"
#include "daemon/store_open.h"
#include "moving/leave.h"
#include "state/objects.h"
#include "sys/clock.h"
#include "sys/fd.h"
#include "sys/folder.h"
#include "sys/random.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* public names start with: join_ */

/* The keys are transferred from one host to another through the store, which both hosts use anyway.
 * So running managers do not reveal keys, and no additional listener is needed. A reader of the
 * store cannot decrypt the keys without the token, and their object is removed at the first use. */

#define JOIN_TOKEN_PREFIX "reeve-join-"

enum { JOIN_TURN_MS = 10, JOIN_CALL_MS = 30000 };

/* ---- calls of the store ---- */

struct join_call {
    struct arena *arena;
    enum outcome outcome;
    struct err err;
    struct text value;
    uint64_t revision;
    bool is_found;
    bool is_done;
};

static void join_called(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct join_call *call = arg;

    call->outcome = outcome;
    call->err = answer->err;
    call->is_found = answer->count > 0;
    if (call->is_found) {
        call->value = arena_text(call->arena, answer->items[0].value);
        call->revision = answer->items[0].revision;
    }
    call->is_done = true;
}

/* Waits for the answer. Fails with R0501 if there is no answer in time. */
MUST_CHECK static bool join_wait(struct store *store, struct join_call *call, struct err *err)
{
    struct clock clock = clock_system();
    uint64_t until_ms = clock_monotonic_ms(clock) + JOIN_CALL_MS;

    while (!call->is_done && clock_monotonic_ms(clock) < until_ms) {
        struct pollfd ready = { .fd = store_descriptor(store), .events = POLLIN };

        (void)!poll(&ready, 1, JOIN_TURN_MS);
        store_run(store);
    }
    if (call->is_done && call->err.code != CODE_NONE) {
        *err = call->err;
        return false;
    }
    return call->is_done ||
           err_set(err, CODE_R0501, "the store did not answer within %d s", JOIN_CALL_MS / 1000);
}

/* ---- keys ---- */

static const char *join_key_path(struct arena *arena, const struct config *config, bool is_signer)
{
    struct text data = text_from(config->data);

    while (data.length > 1 && data.data[data.length - 1] == '/') {
        data.length--;
    }
    if (!is_signer && config->secret_key != NULL) {
        return config->secret_key;
    }
    return arena_string(
        arena, arena_printf(arena, "%.*s.%skey", TEXT_ARG(data), is_signer ? "signer." : ""));
}

static struct text join_about(struct arena *arena, const struct seal_key *token, bool is_signer)
{
    return arena_printf(arena, "join/%s/%s", seal_key_id(token), is_signer ? "signer" : "secrets");
}

/* Returns a key of this host, sealed with the token; empty: the host has no such key. */
MUST_CHECK static bool join_key_seal(const struct config *config, struct arena *arena,
                                     const struct seal_key *token, bool is_signer, struct text *out,
                                     struct err *err)
{
    const char *path = join_key_path(arena, config, is_signer);
    char content[SEAL_FILE_BYTES];

    *out = TEXT("");
    if (!seal_key_is_there(path)) {
        return true;
    }
    if (!seal_file_read(path, content, err)) {
        return false;
    }
    *out = seal_close(arena, token, join_about(arena, token, is_signer),
                      secret_from(text_trim(text_from(content))));
    secret_wipe(content, sizeof(content));
    return true;
}

static struct text join_object_key(struct arena *arena, const struct seal_key *token)
{
    return objects_key(arena, TEXT(OBJECTS_SYSTEM_TENANT), TEXT(KEY_RING_TOKEN_KIND),
                       text_from(seal_key_id(token)), CACHE_BASE);
}

MUST_CHECK static bool join_is_shared(const struct config *config, struct err *err)
{
    if (config->store.is_etcd) {
        return true;
    }
    err_set(err, CODE_R0582,
            "the store of this manager is a local folder, which only one manager can use");
    return err_hint(err, "set store: {etcd: {endpoints: [...]}} in reeved.yaml; "
                         "man reeved describes it");
}

/* ---- making a token ---- */

MUST_CHECK static bool join_token_store(const struct config *config, struct arena *arena,
                                        const struct seal_key *token, struct text value,
                                        struct err *err)
{
    struct store_op op = { .key = join_object_key(arena, token), .value = value };
    struct store_compare compare = { .key = op.key };
    struct join_call call = { .arena = arena };
    struct store *store;
    bool is_done;

    if (!store_connect_etcd(config, random_system(), false, &store, err)) {
        return false;
    }
    store_txn(
        store,
        &(struct store_txn){ .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 },
        join_called, &call);
    is_done = join_wait(store, &call, err) &&
              (call.outcome == OUTCOME_OK ||
               err_set(err, CODE_R0542, "the token was not stored: run the command again"));
    store_close(store);
    return is_done;
}

bool join_token_make(const struct config *config, uint64_t ttl_ms, struct arena *arena,
                     struct text *out, struct err *err)
{
    int64_t now_ms = clock_wall_ms(clock_system());
    char text[SEAL_TEXT_BYTES];
    struct text secrets;
    struct text signer;
    struct seal_key *token;
    bool is_done;

    if (!join_is_shared(config, err)) {
        return false;
    }
    seal_text_draw(text, &token);
    is_done = join_key_seal(config, arena, token, false, &secrets, err) &&
              join_key_seal(config, arena, token, true, &signer, err);
    if (is_done && secrets.length == 0 && signer.length == 0) {
        err_set(err, CODE_R0675, "this host has no keys of a manager: neither %s nor %s exists",
                join_key_path(arena, config, false), join_key_path(arena, config, true));
        is_done = err_hint(
            err,
            "run the command on the host of a manager that has made secrets or machines: other managers have no keys yet");
    }
    is_done = is_done && join_token_store(
                             config, arena, token,
                             arena_printf(arena,
                                          "{\"at\":%lld,\"expires\":%lld,\"secrets\":\"%.*s\","
                                          "\"signer\":\"%.*s\"}",
                                          (long long)now_ms, (long long)(now_ms + (int64_t)ttl_ms),
                                          TEXT_ARG(secrets), TEXT_ARG(signer)),
                             err);
    if (is_done) {
        *out = arena_printf(arena, JOIN_TOKEN_PREFIX "%s", text);
    }
    secret_wipe(text, sizeof(text));
    seal_key_close(token);
    return is_done;
}

/* ---- taking the keys ---- */

MUST_CHECK static bool join_token_refuse(const char *why, struct err *err)
{
    err_set(err, CODE_R0674, "the token cannot be used: %s", why);
    return err_hint(err, "create a new one on the host of a manager: reeve manager token");
}

/* Reads the object of the token and removes it from the store. */
MUST_CHECK static bool join_object_take(struct store *store, struct arena *arena,
                                        const struct seal_key *token, struct text *out,
                                        struct err *err)
{
    struct join_call read = { .arena = arena };
    struct join_call removal = { .arena = arena };
    struct store_op op = { .key = join_object_key(arena, token), .is_delete = true };
    struct store_compare compare = { .key = op.key };

    store_get(store, op.key, 0, join_called, &read);
    if (!join_wait(store, &read, err)) {
        return false;
    }
    if (!read.is_found) {
        return join_token_refuse(
            "the store does not know the token. It was used, has expired, or belongs to another store",
            err);
    }
    compare.revision = read.revision;
    store_txn(
        store,
        &(struct store_txn){ .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 },
        join_called, &removal);
    if (!join_wait(store, &removal, err)) {
        return false;
    }
    *out = read.value;
    return removal.outcome == OUTCOME_OK ||
           join_token_refuse("another host has just used the token", err);
}

/* Decrypts one key and writes its file. */
MUST_CHECK static bool join_key_install(const struct config *config, struct arena *arena,
                                        const struct seal_key *token, const struct doc *object,
                                        bool is_signer, struct join_result *out, struct err *err)
{
    const struct doc *sealed = doc_child(object, is_signer ? "signer" : "secrets");
    const char *path = join_key_path(arena, config, is_signer);
    char content[SEAL_FILE_BYTES];
    struct seal_key *key;
    size_t length;
    bool is_done;

    if (!doc_is_scalar(sealed) || sealed->text.length == 0) {
        return true; /* the other host does not have this key */
    }
    if (!seal_open(token, join_about(arena, token, is_signer), sealed->text, content,
                   sizeof(content), &length, err)) {
        return join_token_refuse("the sealed keys were changed in the store", err);
    }
    is_done = seal_file_write(path, secret_from((struct text){ content, length }),
                              is_signer ? out->former_signer : out->former_secrets, err) &&
              seal_key_open(path, &key, err);
    secret_wipe(content, sizeof(content));
    if (is_done) {
        memcpy(is_signer ? out->signer : out->secrets, seal_key_id(key), SEAL_ID_BYTES);
        seal_key_close(key);
    }
    return is_done;
}

MUST_CHECK static bool join_object_use(const struct config *config, struct arena *arena,
                                       const struct seal_key *token, struct text value,
                                       struct join_result *out, struct err *err)
{
    const struct doc *expires;
    int64_t expires_ms = 0;
    struct doc object;

    if (!json_parse(arena, value, NULL, &object, err)) {
        return join_token_refuse("the object of the token was changed in the store", err);
    }
    expires = doc_child(&object, "expires");
    if (!doc_is_scalar(expires) || !text_parse_int64(expires->text, &expires_ms) ||
        expires_ms < clock_wall_ms(clock_system())) {
        return join_token_refuse("the token has expired", err);
    }
    return join_key_install(config, arena, token, &object, false, out, err) &&
           join_key_install(config, arena, token, &object, true, out, err);
}

MUST_CHECK static bool join_with(const struct config *config, const struct seal_key *token,
                                 struct join_result *out, struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    AUTO(fd) folder = FD_NONE;
    struct store_member member;
    struct store *store;
    struct text value;
    bool is_done;

    if (mkdir(config->data, 0700) != 0 && errno != EEXIST) {
        return err_set(err, CODE_R0534, "%s: %s", config->data, strerror(errno));
    }
    if (!folder_open(config->data, &folder, err) ||
        !store_lock_etcd(config, folder, random_system(), &member, err)) {
        return false;
    }
    if (!store_connect_etcd(config, random_system(), false, &store, err)) {
        fd_cleanup(&member.lock);
        return false;
    }
    is_done = join_object_take(store, arena, token, &value, err) &&
              join_object_use(config, arena, token, value, out, err) && leave_undo(folder, err);
    store_close(store);
    fd_cleanup(&member.lock);
    return is_done;
}

bool join_run(const struct config *config, struct text token, struct join_result *out,
              struct err *err)
{
    struct text prefix = TEXT(JOIN_TOKEN_PREFIX);
    struct seal_key *key;
    bool is_done;

    *out = (struct join_result){ 0 };
    if (!join_is_shared(config, err)) {
        return false;
    }
    if (config->store.managed != NULL) {
        err_set(err, CODE_R0582, "the managed store has one manager: others cannot join it yet");
        return err_hint(err, "several managers share an etcd that you run: guide, managers.md");
    }
    token = text_trim(token);
    if (!text_has_prefix(token, prefix) ||
        !seal_text_parse(text_slice(token, prefix.length, token.length), &key)) {
        return join_token_refuse("the text is not a token; a token begins with " JOIN_TOKEN_PREFIX,
                                 err);
    }
    is_done = join_with(config, key, out, err);
    seal_key_close(key);
    return is_done;
}
