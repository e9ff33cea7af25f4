#include "access/key_ring.h"
#include "access/store_certificate.h"
#include "base/limits.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "daemon/maintenance.h"
#include "daemon/store_open.h"
#include "etcd_member/member.h"
#include "moving/leave.h"
#include "ssh/bytes.h"
#include "state/objects.h"
#include "sys/clock.h"
#include "sys/fd.h"
#include "sys/folder.h"
#include "sys/random.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* public names start with: join_ */

/* The keys are transferred from one host to another through the store, which both hosts use anyway.
 * So running managers do not reveal keys, and no additional listener is needed. A reader of the
 * store cannot decrypt the keys without the token, and their object is removed at the first use. */

#define JOIN_TOKEN_PREFIX "reeve-join-"

enum {
    JOIN_TURN_MS = 10,
    JOIN_CALL_MS = 30000,
    JOIN_RECORD_BYTES = 64 * 1024,
    JOIN_CERTIFICATE_S = 30 * 24 * 3600, /* the manager renews it soon after its start */
};

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

/* ---- the managed store ---- */

/* The members of the managed store admit only clients with a certificate, so the token for it also
 * has the addresses of its members and a certificate that lives as long as the token:
 *
 *     reeve-join-KEY.BASE64 of {"authority": PEM, "certificate": PEM, "key": PEM, "members": [URL]}
 *
 * With it the new host takes the keys from the store, and issues a certificate of its own. */

/* Reads the managers' authority from the store, and issues a certificate. `key_path` is the file of
 * the signer's key. */
MUST_CHECK static bool join_certificate_issue(struct store *store, struct arena *arena,
                                              const char *key_path,
                                              struct store_certificate_options *options,
                                              struct store_certificate *out, struct err *err)
{
    struct join_call read = { .arena = arena };
    struct seal_key *key;
    bool is_done;

    store_get(store, store_certificate_authority_key(arena), 0, join_called, &read);
    if (!join_wait(store, &read, err)) {
        return false;
    }
    if (!read.is_found) {
        err_set(err, CODE_R0675, "the store has no authority of managers yet");
        return err_hint(err, "start a manager of this store with peer.address in reeved.yaml");
    }
    if (!seal_key_open(key_path, &key, err)) {
        return false;
    }
    options->key = key;
    options->authority = read.value;
    options->random = random_system();
    options->now_s = clock_wall_ms(clock_system()) / 1000;
    is_done = store_certificate_issue(arena, options, out, err);
    seal_key_close(key);
    return is_done;
}

/* Returns the clients' URLs of the members: that of this host's member, and those it knows. */
static struct doc join_members_doc(struct arena *arena, const struct config_managed *managed)
{
    struct doc *items = arena_array(arena, struct doc, managed->found.endpoint_count + 1);
    size_t count = 0;

    if (managed->found.has_member) {
        items[count++] =
            doc_text(arena_printf(arena, "https://%.*s", TEXT_ARG(managed->clients)), NULL);
    }
    for (size_t i = 0; i < managed->found.endpoint_count; i++) {
        struct text url = text_from(managed->found.endpoints[i]);

        if (text_has_prefix(url, TEXT("https://"))) {
            items[count++] = doc_text(url, NULL);
        }
    }
    return doc_list(items, count, NULL);
}

/* Returns the part of a token with which the managed store is reached; empty: another store. */
MUST_CHECK static bool join_contact_make(const struct config *config, struct store *store,
                                         const char *key_path, uint64_t ttl_ms, struct arena *arena,
                                         struct text *out, struct err *err)
{
    const struct config_managed *managed = config->store.managed;
    struct store_certificate_options options = { .name = TEXT("reeve-join"),
                                                 .ttl_s = (uint32_t)(ttl_ms / 1000) };
    struct store_certificate certificate;
    struct doc_builder builder;
    struct doc contact;
    struct buf json;
    struct buf text;

    *out = TEXT("");
    if (managed == NULL) {
        return true;
    }
    if (managed->found.has_member && (managed->address.length == 0 || managed->found.ca == NULL)) {
        err_set(err, CODE_R0582, "the member of the store on this host listens for no other host");
        return err_hint(err, managed->address.length == 0
                                 ? "set peer: {address: HOST:PORT} in reeved.yaml, and restart it"
                                 : "start reeved: it gets its certificate within seconds");
    }
    if (!join_certificate_issue(store, arena, key_path, &options, &certificate, err)) {
        return false;
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "authority", doc_text(certificate.authority, NULL));
    doc_builder_put(&builder, "certificate", doc_text(certificate.certificate, NULL));
    doc_builder_put(&builder, "key", doc_text(secret_reveal(certificate.key), NULL));
    doc_builder_put(&builder, "members", join_members_doc(arena, managed));
    contact = doc_builder_map(&builder, NULL);
    buf_init(&json, arena);
    json_format(&json, &contact);
    buf_init(&text, arena);
    buf_add_byte(&text, '.');
    ssh_add_base64(&text, buf_text(&json));
    *out = buf_text(&text);
    secret_wipe((void *)(uintptr_t)certificate.key.data, certificate.key.length);
    return true;
}

MUST_CHECK static bool join_is_shared(const struct config *config, struct err *err)
{
    if (config->store.is_etcd) {
        return true;
    }
    err_set(err, CODE_R0582,
            "the store of this manager is a local folder, which only one manager can use");
    return err_hint(err, "move it: reeve manager move-store --to managed, or --to etcd");
}

/* ---- making a token ---- */

/* Stores the sealed keys, and completes the text of the token. */
MUST_CHECK static bool join_token_store(const struct config *config, struct arena *arena,
                                        const struct seal_key *token, struct text value,
                                        uint64_t ttl_ms, struct text *out_contact, struct err *err)
{
    struct store_op op = { .key = join_object_key(arena, token), .value = value };
    struct store_compare compare = { .key = op.key };
    struct join_call call = { .arena = arena };
    struct store *store;
    bool is_done;

    if (!store_connect_etcd(config, random_system(), false, &store, err)) {
        return false;
    }
    if (!join_contact_make(config, store, join_key_path(arena, config, true), ttl_ms, arena,
                           out_contact, err)) {
        store_close(store);
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
    struct text contact;
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
                             ttl_ms, &contact, err);
    if (is_done) {
        *out = arena_printf(arena, JOIN_TOKEN_PREFIX "%s%.*s", text, TEXT_ARG(contact));
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

/* ---- joining ---- */

/* True if the data folder has a member of a managed store. Its record stays when the member was put
 * aside. */
static bool join_has_member(int folder, struct arena *arena)
{
    struct text bytes;
    struct doc record;
    struct err err;

    return file_read_beneath(arena, folder, MEMBER_FOLDER "/member.json", JOIN_RECORD_BYTES, &bytes,
                             &err) &&
           json_parse(arena, bytes, NULL, &record, &err) &&
           text_is(doc_child_text(&record, "hasMember"), "true");
}

/* Lets this host reach the managed store with the contact of the token, as a client. */
MUST_CHECK static bool join_contact_use(const struct config *config, int folder,
                                        struct arena *arena, struct text contact, struct err *err)
{
    struct managed_store_certificate certificate;
    struct text urls[LIMIT_ETCD_ENDPOINTS];
    const struct doc *members;
    size_t count = 0;
    struct text json;
    struct doc doc;

    if (contact.length == 0) {
        err_set(err, CODE_R0674, "the token is of a store in an etcd that operators run");
        return err_hint(err, "set store: {etcd: {endpoints: [...]}} in reeved.yaml, as on the "
                             "host of the token");
    }
    if (!ssh_base64_parse(arena, contact, &json) || !json_parse(arena, json, NULL, &doc, err)) {
        return join_token_refuse("it is not complete", err);
    }
    members = doc_child(&doc, "members");
    for (size_t i = 0; doc_is_list(members) && i < members->item_count &&
                       i < LIMIT_ETCD_ENDPOINTS && doc_is_scalar(&members->items[i]);
         i++) {
        urls[count++] = members->items[i].text;
    }
    certificate =
        (struct managed_store_certificate){ .authority = doc_child_text(&doc, "authority"),
                                            .certificate = doc_child_text(&doc, "certificate"),
                                            .key = secret_from(doc_child_text(&doc, "key")) };
    if (count == 0) {
        return join_token_refuse("it names no member of the store", err);
    }
    if (join_has_member(folder, arena)) {
        err_set(err, CODE_R0523, "the folder %s has a member of a managed store", config->data);
        return err_hint(err, "a host joins a store before its manager first starts; name another "
                             "folder: --data DIR");
    }
    return managed_store_certificate_write(folder, &certificate, err) &&
           managed_store_members_write(folder, urls, count, err);
}

/* Removes what join_contact_use has written, after a failure: the next start must not use it. */
static void join_contact_forget(const struct config *config, int folder)
{
    if (config->store.managed != NULL) {
        (void)unlinkat(folder, MANAGED_STORE_MEMBERS, 0);
        managed_store_certificate_remove(folder);
    }
}

/* Replaces the certificate of the token, which ends soon, by one of this manager. */
MUST_CHECK static bool join_certificate_have(const struct config *config, int folder,
                                             struct store *store, struct arena *arena,
                                             const char *manager, struct err *err)
{
    const struct config_managed *managed = config->store.managed;
    struct store_certificate issued;
    struct text host;
    bool is_written;

    if (managed == NULL) {
        return true;
    }
    host = config_store_host(managed->address);
    if (host.length > 0 && host.data[0] == '[') {
        host = text_slice(host, 1, host.length - 2);
    }
    if (!join_certificate_issue(
            store, arena, join_key_path(arena, config, true),
            &(struct store_certificate_options){ .name = text_from(manager),
                                                 .addresses = &host,
                                                 .address_count = host.length > 0 ? 1 : 0,
                                                 .ttl_s = JOIN_CERTIFICATE_S },
            &issued, err)) {
        return false;
    }
    is_written = managed_store_certificate_write(
        folder,
        &(struct managed_store_certificate){ issued.authority, issued.certificate, issued.key },
        err);
    secret_wipe((void *)(uintptr_t)issued.key.data, issued.key.length);
    return is_written;
}

MUST_CHECK static bool join_with(const struct config *config, const struct seal_key *token,
                                 struct text contact, struct join_result *out, struct err *err)
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
    if (!folder_open(config->data, &folder, err)) {
        return false;
    }
    if (config->store.managed != NULL && !join_contact_use(config, folder, arena, contact, err)) {
        return false;
    }
    if (!store_lock_etcd(config, folder, random_system(), &member, err)) {
        join_contact_forget(config, folder);
        return false;
    }
    if (!store_connect_etcd(config, random_system(), false, &store, err)) {
        join_contact_forget(config, folder);
        fd_cleanup(&member.lock);
        return false;
    }
    is_done = join_object_take(store, arena, token, &value, err) &&
              join_object_use(config, arena, token, value, out, err) &&
              join_certificate_have(config, folder, store, arena, member.id, err) &&
              leave_undo(folder, err);
    if (!is_done) {
        join_contact_forget(config, folder);
    }
    store_close(store);
    fd_cleanup(&member.lock);
    return is_done;
}

bool join_run(const struct config *config, struct text token, struct join_result *out,
              struct err *err)
{
    struct text prefix = TEXT(JOIN_TOKEN_PREFIX);
    struct seal_key *key;
    size_t point;
    bool is_done;

    *out = (struct join_result){ 0 };
    if (!join_is_shared(config, err)) {
        return false;
    }
    token = text_trim(token);
    point = text_find_byte(token, '.');
    if (!text_has_prefix(token, prefix) ||
        !seal_text_parse(text_slice(token, prefix.length,
                                    (point == SIZE_MAX ? token.length : point) - prefix.length),
                         &key)) {
        return join_token_refuse("the text is not a token; a token begins with " JOIN_TOKEN_PREFIX,
                                 err);
    }
    is_done = join_with(config, key,
                        point == SIZE_MAX ? TEXT("") : text_slice(token, point + 1, token.length),
                        out, err);
    seal_key_close(key);
    return is_done;
}
