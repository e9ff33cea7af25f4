#include "vault/vault.h"

#include "base/limits.h"
#include "codec/json.h"
#include "ssh/private_file.h"
#include "state/objects.h"
#include "sys/seal.h"

#include <assert.h>
#include <stdio.h>

/* public names start with: vault_ */

struct vault {
    struct arena *memory;
    struct vault_options options;
    const char *path;     /* path of the file with the key */
    struct seal_key *key; /* NULL: there is no key yet, or it is not usable */
    bool is_sweeping;
};

/* ---- the key ---- */

MUST_CHECK static bool vault_key_take(struct vault *vault, struct err *err)
{
    bool is_open = seal_key_open(vault->path, &vault->key, err);

    if (is_open) {
        seal_process();
        log_info(vault->options.log, "secrets", "key", log_string("id", seal_key_id(vault->key)));
    }
    return is_open;
}

static void vault_any_row(void *arg, const struct cache_object *object)
{
    (void)object;
    *(bool *)arg = true;
}

/* Returns true if any value is already sealed. Then a key must already exist, because a new key
 * could not open the value. */
static bool has_vault_sealed(struct vault *vault)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT("Sealed") };
    struct cache_page page = { 0 };
    bool is_any = false;
    struct err err;

    return !cache_list(vault->options.cache, arena, &scope, &page, 1, vault_any_row, &is_any,
                       &err) ||
           is_any;
}

/* Reads the key to open values with. If it is missing, tries again, because it may have been
 * restored. */
MUST_CHECK static bool key_have(struct vault *vault, struct err *err)
{
    return vault->key != NULL || vault_key_take(vault, err);
}

/* Reads the key to seal values with, or creates it. */
MUST_CHECK static bool key_have_or_make(struct vault *vault, struct err *err)
{
    if (vault->key != NULL || seal_key_is_there(vault->path) || has_vault_sealed(vault)) {
        return key_have(vault, err);
    }
    if (!seal_key_make(vault->path, &vault->key, err)) {
        return false;
    }
    seal_process();
    log_info(vault->options.log, "secrets", "key_made", log_string("file", vault->path),
             log_string("id", seal_key_id(vault->key)));
    return true;
}

struct vault *vault_open(const struct vault_options *options)
{
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct vault *vault = arena_one(memory, struct vault);
    struct text data = text_from(options->data);
    struct err err;

    while (data.length > 1 && data.data[data.length - 1] == '/') {
        data.length--;
    }
    vault->memory = memory;
    vault->options = *options;
    vault->path = arena_string(memory, options->key != NULL
                                           ? text_from(options->key)
                                           : arena_printf(memory, "%.*s.key", TEXT_ARG(data)));
    if (seal_key_is_there(vault->path) && !vault_key_take(vault, &err)) {
        log_error(options->log, "secrets", "key_unusable", log_string("reason", err.text));
    }
    return vault;
}

void vault_close(struct vault *vault)
{
    if (vault != NULL) {
        seal_key_close(vault->key);
        arena_free(vault->memory);
    }
}

/* ---- writing ---- */

/* Returns the subject to which a sealed value is bound. */
static struct text about_of(struct arena *arena, struct text tenant, struct text name)
{
    return arena_printf(arena, "secret/%.*s/%.*s", TEXT_ARG(tenant), TEXT_ARG(name));
}

static struct text sealed_key(struct arena *arena, struct text tenant, struct text id)
{
    return objects_key(arena, tenant, TEXT("Sealed"), id, CACHE_BASE);
}

struct archiving {
    void (*done)(void *arg, const struct err *err);
    void *arg;
};

static void kept(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct archiving *archiving = arg;
    struct err err = answer->err;

    if (outcome == OUTCOME_OK) {
        archiving->done(archiving->arg, NULL);
        return;
    }
    if (err.code == CODE_NONE) {
        err_set(&err, CODE_R0542, "it is unknown whether the secret was written");
        err_hint(&err, "write the secret again");
    }
    archiving->done(archiving->arg, &err);
}

/* Seals one value, and returns the write that stores the sealed value. Sets the digest by which the
 * object refers to it. */
static struct store_op seal_one(struct vault *vault, struct arena *arena, struct text tenant,
                                struct api_secret *secret)
{
    struct text about = about_of(arena, tenant, secret->name);
    char digest[SEAL_DIGEST_BYTES];
    struct text envelope = seal_close(arena, vault->key, about, secret->value);

    seal_digest(vault->key, about, secret->value, digest);
    secret->digest = arena_text(arena, text_from(digest));
    secret->key = arena_text(arena, text_from(seal_key_id(vault->key)));
    return (struct store_op){
        .key = sealed_key(arena, tenant,
                          arena_printf(arena, "%.*s.%s", TEXT_ARG(secret->name), digest)),
        .value = arena_printf(arena, "{\"at\":%lld,\"sealed\":\"%.*s\"}",
                              (long long)clock_wall_ms(vault->options.clock), TEXT_ARG(envelope)),
    };
}

static void secrets_keep(void *arg, struct arena *arena, struct text tenant,
                         struct api_secret *secrets, size_t count, bool is_dry,
                         void (*done)(void *done_arg, const struct err *err), void *done_arg)
{
    struct vault *vault = arg;
    struct archiving *archiving = arena_one(arena, struct archiving);
    struct store_op *ops = arena_array(arena, struct store_op, count + 1);
    struct key_ring_use use;
    struct store_txn txn = {
        .compares = &use.compare, .compare_count = 1, .ops = ops, .op_count = count
    };
    struct err err;

    assert(count > 0 && count <= LIMIT_SECRETS_CHANGE);
    if (!key_have_or_make(vault, &err) ||
        !key_ring_use(arena, vault->options.cache, KEY_RING_SECRETS,
                      text_from(seal_key_id(vault->key)), &use, &err)) {
        done(done_arg, &err);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        ops[i] = seal_one(vault, arena, tenant, &secrets[i]);
    }
    if (is_dry) {
        done(done_arg, NULL);
        return;
    }
    ops[count] = use.op;
    txn.op_count += use.has_op ? 1 : 0;
    *archiving = (struct archiving){ done, done_arg };
    store_txn(vault->options.store, &txn, kept, archiving);
}

struct api_vault vault_api(struct vault *vault)
{
    return (struct api_vault){ secrets_keep, vault };
}

/* ---- reading ---- */

/* Returns a part of an object; absent if the object does not have it. */
static struct doc vault_part_of(const struct vault *vault, struct arena *arena, struct text tenant,
                                const char *kind, struct text id, enum cache_part part)
{
    const struct cache_object *object =
        cache_find(vault->options.cache, tenant, text_from(kind), id);
    struct doc doc = { 0 };
    struct err err;

    if (object == NULL || object->parts[part].bytes == NULL ||
        !json_parse(arena, blob_text(object->parts[part].bytes), NULL, &doc, &err)) {
        return (struct doc){ 0 };
    }
    return doc;
}

static struct text vault_word_of(const struct doc *map, const char *name)
{
    const struct doc *value = doc_child(map, name);

    return doc_is_scalar(value) && !doc_is_null(value) ? value->text : TEXT("");
}

/* Writes the value of a secret to `out`. Returns false if the secret does not exist (*err is
 * unchanged) or its value cannot be opened. */
MUST_CHECK static bool secret_open(struct vault *vault, struct text tenant, struct text name,
                                   char *out, size_t *out_length, bool *out_is_missing,
                                   struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct doc secret = vault_part_of(vault, arena, tenant, "Secret", name, CACHE_SPEC);
    struct text digest = vault_word_of(doc_child(&secret, "spec"), "digest");
    struct doc sealed = vault_part_of(
        vault, arena, tenant, "Sealed",
        arena_printf(arena, "%.*s.%.*s", TEXT_ARG(name), TEXT_ARG(digest)), CACHE_BASE);

    *out_is_missing = vault_word_of(&sealed, "sealed").length == 0;
    return !*out_is_missing && key_have(vault, err) &&
           seal_open(vault->key, about_of(arena, tenant, name), vault_word_of(&sealed, "sealed"),
                     out, LIMIT_SECRET_BYTES, out_length, err);
}

MUST_CHECK static bool secret_missing(const char *user, struct text user_name, struct text name,
                                      struct err *err)
{
    err_set(err, CODE_R0667, "%s%.*s: there is no secret '%.*s' with a value", user,
            TEXT_ARG(user_name), TEXT_ARG(name));
    return err_hint(err, "reeve create secret %.*s @FILE", TEXT_ARG(name));
}

/* Checks whether a plugin may use a credential. It must be the plugin of the account and, if the
 * account pins a digest, have that digest. */
MUST_CHECK static bool vault_use_check(const struct doc *spec, const struct hosted_use *use,
                                       struct err *err)
{
    struct text pin = vault_word_of(spec, "sha256");

    if (!text_is_equal(vault_word_of(spec, "plugin"), use->plugin)) {
        err_set(err, CODE_R0665, "there is no account '%.*s' of plugin %.*s",
                TEXT_ARG(use->account), TEXT_ARG(use->plugin));
        return err_hint(err, "reeve create account %.*s --set plugin=%.*s --set secret=NAME",
                        TEXT_ARG(use->account), TEXT_ARG(use->plugin));
    }
    if (pin.length > 0 && (pin.length != use->digest.length ||
                           strncasecmp(pin.data, use->digest.data, pin.length) != 0)) {
        err_set(
            err, CODE_R0671,
            "account '%.*s' is pinned to %.*s with the digest %.*s, but the installed plugin has %.*s",
            TEXT_ARG(use->account), TEXT_ARG(use->plugin), TEXT_ARG(pin), TEXT_ARG(use->digest));
        return err_hint(
            err, "if the installed plugin is the right one: reeve set account/%.*s sha256=DIGEST",
            TEXT_ARG(use->account));
    }
    return true;
}

MUST_CHECK static bool account_open(struct vault *vault, struct text tenant, struct text account,
                                    const struct doc *spec, char *out, size_t *out_length,
                                    struct err *err)
{
    struct text name = vault_word_of(spec, "secret");
    bool is_missing;

    if (name.length == 0 || secret_open(vault, tenant, name, out, out_length, &is_missing, err)) {
        return true;
    }
    return is_missing ? secret_missing("account ", account, name, err) : false;
}

MUST_CHECK static bool reveal(void *arg, const struct hosted_use *use, char *out,
                              size_t *out_length, struct err *err)
{
    struct vault *vault = arg;
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct doc object =
        vault_part_of(vault, arena, use->tenant, "Account", use->account, CACHE_SPEC);
    const struct doc *spec = doc_child(&object, "spec");

    *out_length = 0;
    return vault_use_check(spec, use, err) &&
           account_open(vault, use->tenant, use->account, spec, out, out_length, err);
}

/* Writes a private key for logins to `out`. A key that does not permit a login is rejected here, so
 * that the error is about the secret and not about the machine. */
MUST_CHECK static bool login_key(void *arg, struct text tenant, struct text name, char *out,
                                 size_t *out_length, struct err *err)
{
    bool is_missing;
    enum ssh_private kind;

    *out_length = 0;
    if (!secret_open(arg, tenant, name, out, out_length, &is_missing, err)) {
        return is_missing ? secret_missing("sshKeySecret", TEXT(""), name, err) : false;
    }
    kind = ssh_private_kind((struct text){ out, *out_length });
    if (kind != SSH_PRIVATE_USABLE) {
        secret_wipe(out, *out_length);
        err_set(err, CODE_R0672, "reeve cannot log in with secret '%.*s': it %s", TEXT_ARG(name),
                ssh_private_why(kind));
        return err_hint(err, "write another key: reeve set secret/%.*s value=@FILE",
                        TEXT_ARG(name));
    }
    return true;
}

struct reach_keys vault_keys(struct vault *vault)
{
    return (struct reach_keys){ login_key, vault };
}

bool vault_reveal(void *arg, struct text tenant, struct text name, char *out, size_t *out_length,
                  struct err *err)
{
    bool is_missing;

    *out_length = 0;
    return secret_open(arg, tenant, name, out, out_length, &is_missing, err) ||
           (is_missing && secret_missing("inventory", TEXT(""), name, err));
}

struct key_ring_own vault_own_key(const struct vault *vault)
{
    return (struct key_ring_own){
        .is_there = vault->key != NULL || seal_key_is_there(vault->path),
        .id = vault->key == NULL ? TEXT("") : text_from(seal_key_id(vault->key)),
    };
}

/* ---- states of accounts ---- */

static struct doc account_doc(struct vault *vault, struct arena *arena, struct text tenant,
                              const struct cache_object *object)
{
    struct doc row = vault_part_of(vault, arena, tenant, "Account", cache_id(object), CACHE_SPEC);
    const struct doc *spec = doc_child(&row, "spec");
    char secret[LIMIT_SECRET_BYTES];
    struct doc_builder builder;
    size_t length = 0;
    struct err err;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "name", doc_text(arena_text(arena, cache_id(object)), NULL));
    doc_builder_put(&builder, "plugin", doc_text(vault_word_of(spec, "plugin"), NULL));
    if (vault_word_of(spec, "sha256").length > 0) {
        doc_builder_put(&builder, "sha256", doc_text(vault_word_of(spec, "sha256"), NULL));
    }
    if (!account_open(vault, tenant, cache_id(object), spec, secret, &length, &err)) {
        doc_builder_put(&builder, "problem",
                        doc_text(arena_text(arena, text_from(err.text)), NULL));
        doc_builder_put(&builder, "fix", doc_text(arena_text(arena, text_from(err.hint)), NULL));
    }
    secret_wipe(secret, length);
    return doc_builder_map(&builder, NULL);
}

struct doc vault_accounts_doc(struct vault *vault, struct arena *arena, struct text tenant)
{
    struct doc *items = arena_array(arena, struct doc, LIMIT_ACCOUNTS_SHOWN);
    struct text prefix = arena_printf(arena, "/%.*s/Account/", TEXT_ARG(tenant));
    const struct cache_object *object = cache_first(vault->options.cache, prefix);
    size_t count = 0;

    for (; object != NULL && count < LIMIT_ACCOUNTS_SHOWN;
         object = cache_next(vault->options.cache, prefix, object)) {
        if (object->parts[CACHE_SPEC].bytes != NULL) {
            items[count++] = account_doc(vault, arena, tenant, object);
        }
    }
    return doc_list(items, count, NULL);
}

static uint32_t rate(void *arg, struct text tenant, struct text account)
{
    const struct vault *vault = arg;
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct doc object = vault_part_of(vault, arena, tenant, "Account", account, CACHE_SPEC);
    int64_t number = 0;

    return text_parse_int64(vault_word_of(doc_child(&object, "spec"), "rate"), &number) &&
                   number > 0 && number < UINT32_MAX
               ? (uint32_t)number
               : 0;
}

static struct text account_settings(void *arg, struct arena *arena, struct text tenant,
                                    struct text account)
{
    const struct vault *vault = arg;
    struct doc object = vault_part_of(vault, arena, tenant, "Account", account, CACHE_SPEC);
    const struct doc *settings = doc_child(doc_child(&object, "spec"), "settings");
    struct buf buf;

    if (!doc_is_map(settings)) {
        return TEXT("");
    }
    buf_init(&buf, arena);
    json_format(&buf, settings);
    return buf_text(&buf);
}

struct hosted_vault vault_hosted(struct vault *vault)
{
    return (struct hosted_vault){ reveal, rate, account_settings, vault };
}

/* ---- all sealed values ---- */

enum { SWEEP_ROWS = 256 };

struct rows {
    struct vault *vault;
    struct arena *arena;
    const struct cache_object *objects[SWEEP_ROWS]; /* valid until the next iteration of the loop */
    size_t count;
};

static void vault_row_take(void *arg, const struct cache_object *object)
{
    struct rows *rows = arg;

    rows->objects[rows->count++] = object;
}

MUST_CHECK static bool vault_rows_read(struct rows *rows, struct cache_page *page, struct err *err)
{
    struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT("Sealed") };

    rows->count = 0;
    return cache_list(rows->vault->options.cache, rows->arena, &scope, page, SWEEP_ROWS,
                      vault_row_take, rows, err);
}

/* Returns NAME of NAME.DIGEST. */
static struct text vault_name_of(const struct cache_object *object)
{
    size_t tail = SEAL_DIGEST_BYTES; /* the size includes a NUL, and so accounts for the dot */

    return text_slice(cache_id(object), 0,
                      cache_id(object).length > tail ? cache_id(object).length - tail : 0);
}

static bool is_stray(struct rows *rows, const struct cache_object *object)
{
    struct vault *vault = rows->vault;
    struct text name = vault_name_of(object);
    struct doc secret =
        vault_part_of(vault, rows->arena, cache_tenant(object), "Secret", name, CACHE_SPEC);
    struct text digest = vault_word_of(doc_child(&secret, "spec"), "digest");
    struct doc sealed = vault_part_of(vault, rows->arena, cache_tenant(object), "Sealed",
                                      cache_id(object), CACHE_BASE);
    int64_t at = 0;

    return !text_is_equal(digest,
                          text_slice(cache_id(object), name.length + 1, SEAL_DIGEST_BYTES)) &&
           text_parse_int64(vault_word_of(&sealed, "at"), &at) &&
           clock_wall_ms(vault->options.clock) - at > (int64_t)LIMIT_SECRET_STRAY_S * 1000;
}

static void swept(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)outcome;
    (void)answer; /* the next sweep finds the remaining values */
    ((struct vault *)arg)->is_sweeping = false;
}

void vault_sweep(struct vault *vault)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct rows rows = { .vault = vault, .arena = arena };
    struct cache_page page = { 0 };
    struct store_compare compare;
    struct store_op op = { .is_delete = true };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 };
    struct err err;

    if (vault->is_sweeping || vault->options.is_reader ||
        cache_state(vault->options.cache) != CACHE_READY || !vault_rows_read(&rows, &page, &err)) {
        return;
    }
    for (size_t i = 0; i < rows.count; i++) {
        if (is_stray(&rows, rows.objects[i])) { /* each in a separate transaction, because there are
                                                 * few */
            op.key = sealed_key(arena, cache_tenant(rows.objects[i]), cache_id(rows.objects[i]));
            compare =
                (struct store_compare){ .key = op.key,
                                        .revision = rows.objects[i]->parts[CACHE_BASE].revision };
            vault->is_sweeping = true;
            store_txn(vault->options.store, &txn, swept, vault);
            return;
        }
    }
}

/* ---- rewrapping with another key ---- */

struct rewrap {
    struct vault *vault;
    struct seal_key *to;
    bool is_done;
    enum outcome outcome;
};

static void rewrapped(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct rewrap *rewrap = arg;

    (void)answer;
    rewrap->outcome = outcome;
    rewrap->is_done = true;
}

/* Makes the envelope of a value under the new key. It is empty if the value is already sealed with
 * the new key. */
MUST_CHECK static bool envelope_make(const struct rewrap *rewrap, struct arena *arena,
                                     const struct cache_object *object, struct text *out,
                                     struct err *err)
{
    struct vault *vault = rewrap->vault;
    struct text about = about_of(arena, cache_tenant(object), vault_name_of(object));
    struct doc row =
        vault_part_of(vault, arena, cache_tenant(object), "Sealed", cache_id(object), CACHE_BASE);
    struct text sealed = vault_word_of(&row, "sealed");
    char value[LIMIT_SECRET_BYTES];
    size_t length = 0;

    *out = TEXT("");
    if (text_is(seal_id(sealed), seal_key_id(rewrap->to))) {
        return true;
    }
    if (!key_have(vault, err) ||
        !seal_open(vault->key, about, sealed, value, sizeof(value), &length, err)) {
        return err_at(err, cache_id(object));
    }
    *out = arena_printf(arena, "{\"at\":%.*s,\"sealed\":\"%.*s\"}",
                        TEXT_ARG(vault_word_of(&row, "at")),
                        TEXT_ARG(seal_close(arena, rewrap->to, about,
                                            secret_from((struct text){ value, length }))));
    secret_wipe(value, sizeof(value));
    return true;
}

MUST_CHECK static bool rewrap_one(struct rewrap *rewrap, const struct cache_object *object,
                                  void (*turn)(void *arg), void *arg, size_t *count,
                                  struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct store_compare compare = { .key =
                                         sealed_key(arena, cache_tenant(object), cache_id(object)),
                                     .revision = object->parts[CACHE_BASE].revision };
    struct store_op op = { .key = compare.key };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 };

    if (!envelope_make(rewrap, arena, object, &op.value, err)) {
        return false;
    }
    if (op.value.length == 0) {
        return true;
    }
    rewrap->is_done = false;
    store_txn(rewrap->vault->options.store, &txn, rewrapped, rewrap);
    while (!rewrap->is_done) {
        turn(arg);
    }
    ++*count;
    return rewrap->outcome == OUTCOME_OK ||
           err_set(err, CODE_R0542,
                   "a value could not be written; run the command again to "
                   "continue");
}

/* Makes the new key the current key in the store. */
MUST_CHECK static bool rewrap_ring(struct rewrap *rewrap, void (*turn)(void *arg), void *arg,
                                   struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct store_op op = key_ring_replace(arena, rewrap->vault->options.cache, KEY_RING_SECRETS,
                                          text_from(seal_key_id(rewrap->to)));

    if (op.key.length == 0) {
        return true;
    }
    rewrap->is_done = false;
    store_txn(rewrap->vault->options.store, &(struct store_txn){ .ops = &op, .op_count = 1 },
              rewrapped, rewrap);
    while (!rewrap->is_done) {
        turn(arg);
    }
    return rewrap->outcome == OUTCOME_OK ||
           err_set(err, CODE_R0542,
                   "the id of the key could not be written; run the command again");
}

bool vault_rewrap(struct vault *vault, const char *path, void (*turn)(void *arg), void *arg,
                  size_t *out_count, struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct rows *rows = arena_one(arena, struct rows);
    struct rewrap rewrap = { .vault = vault };
    struct cache_page page = { 0 };
    bool is_good = true;

    *out_count = 0;
    *rows = (struct rows){ .vault = vault, .arena = arena };
    if (!(seal_key_is_there(path) ? seal_key_open : seal_key_make)(path, &rewrap.to, err)) {
        return false;
    }
    do { /* the store continues while the cache is frozen, so that values from the cache stay
          * valid */
        is_good = vault_rows_read(rows, &page, err);
        for (size_t i = 0; i < rows->count && is_good; i++) {
            is_good = rewrap_one(&rewrap, rows->objects[i], turn, arg, out_count, err);
        }
    } while (is_good && page.token.length > 0);
    is_good = is_good && rewrap_ring(&rewrap, turn, arg, err);
    seal_key_close(rewrap.to);
    return is_good;
}
