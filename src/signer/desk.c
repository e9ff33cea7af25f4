#include "signer/desk.h"

#include "base/limits.h"
#include "base/map.h"
#include "base/secret.h"
#include "base/time.h"
#include "signer/ring.h"
#include "signer/taken.h"
#include "signer/x509.h"
#include "ssh/files.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

/* Before it signs a certificate, the signer checks that the authority is loaded, that no limit is
 * violated, and that the rate limit permits the signing. Then it writes the line to the log, and
 * signs. Serial numbers are 64 random bits: unlike a counter, they do not repeat after a crash or a
 * restored backup.
 *
 * If a request violates a limit, nothing is signed, and the error message contains the limit. */

#define CLUSTER_PREFIX "cluster:"

/* A loaded authority. */
struct entry {
    struct ring *ring;
    struct taken *taken;  /* revocations; NULL: nothing is revoked */
    struct taken *coming; /* new revocations, of which the last part has not arrived; NULL: none */
    uint64_t left;        /* tokens that are left in the bucket, in thousandths of a signing */
    uint64_t counted_ms;
    char name[LIMIT_SIGNER_NAME_BYTES];
    size_t name_length;
};

struct desk {
    const struct seal_key *key;
    struct book *book;
    struct clock clock;
    struct arena *memory;
    struct map entries; /* maps a name to its struct entry */
    struct entry *rows; /* array with room for every authority */
    struct ring *rings; /* keyrings of the entries in `rows` */
    bool is_locked;
};

struct desk *desk_new(const struct seal_key *key, struct book *book, struct clock clock)
{
    struct arena *memory = arena_new(SIZE_MAX);
    struct desk *desk = arena_one(memory, struct desk);
    size_t bytes = sizeof(struct ring) * LIMIT_SIGNER_AUTHORITIES;

    *desk = (struct desk){ .key = key, .book = book, .clock = clock, .memory = memory };
    map_init(&desk->entries, memory);
    desk->rows = arena_array(memory, struct entry, LIMIT_SIGNER_AUTHORITIES);
    desk->rings = sodium_malloc(bytes);
    if (desk->rings == NULL) {
        abort(); /* end the process, as after every failed allocation */
    }
    desk->is_locked = sodium_mlock(desk->rings, bytes) == 0;
    secret_wipe(desk->rings, bytes);
    return desk;
}

static void desk_entry_clear(struct entry *entry)
{
    taken_free(entry->taken);
    taken_free(entry->coming);
    *entry = (struct entry){ 0 };
}

void desk_free(struct desk *desk)
{
    for (size_t i = 0; i < LIMIT_SIGNER_AUTHORITIES; i++) {
        desk_entry_clear(&desk->rows[i]);
    }
    sodium_free(desk->rings); /* also wipes the keyrings */
    arena_free(desk->memory);
}

bool desk_is_locked(const struct desk *desk)
{
    return desk->is_locked;
}

/* ---- validation of texts ---- */

static bool is_part(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '_' || c == '.')) {
            return false;
        }
    }
    return text.length > 0 && text.data[0] != '.';
}

/* Returns whether the name is an unambiguous TENANT/ID. */
static bool is_authority(struct text name)
{
    size_t slash = text_find_byte(name, '/');

    return name.length <= LIMIT_SIGNER_NAME_BYTES && slash != SIZE_MAX &&
           is_part(text_slice(name, 0, slash)) && is_part(text_slice(name, slash + 1, name.length));
}

MUST_CHECK static bool ask_check(const struct sign_ask *ask, struct err *err)
{
    if (ask->method >= SIGN_METHOD_COUNT) {
        return err_set(err, CODE_R0752, "the request has an unknown kind");
    }
    if (!is_authority(ask->authority)) {
        return err_set(err, CODE_R0746, "an authority is TENANT/ID, not '%.*s'",
                       TEXT_ARG(text_slice(ask->authority, 0, 64)));
    }
    return book_is_word(ask->who, LIMIT_SIGNER_FIELD_BYTES) ||
           err_set(err, CODE_R0746,
                   "the request does not name its requester, whom the log must record");
}

/* ---- authorities ---- */

static struct text desk_name_of(const struct entry *entry)
{
    return (struct text){ entry->name, entry->name_length };
}

MUST_CHECK static bool desk_entry_find(const struct desk *desk, struct text name,
                                       struct entry **out, struct err *err)
{
    *out = map_find(&desk->entries, name);
    return *out != NULL ||
           err_set(err, CODE_R0749, "the authority '%.*s' is not loaded", TEXT_ARG(name));
}

static struct entry *desk_entry_make(struct desk *desk, struct text name)
{
    for (size_t i = 0; i < LIMIT_SIGNER_AUTHORITIES; i++) {
        struct entry *entry = &desk->rows[i];

        if (entry->ring == NULL) {
            entry->ring = &desk->rings[i];
            entry->left = (uint64_t)LIMIT_SIGNER_BURST * 1000;
            entry->counted_ms = clock_monotonic_ms(desk->clock);
            memcpy(entry->name, name.data, name.length);
            entry->name_length = name.length;
            (void)map_put(&desk->entries, desk_name_of(entry), entry);
            return entry;
        }
    }
    return NULL;
}

static struct wire_list desk_lines_of(struct arena *arena, const struct ring *ring,
                                      enum ssh_cert_kind kind)
{
    struct text *lines = arena_array(arena, struct text, RING_SLOTS);
    struct ssh_key keys[RING_SLOTS];
    size_t count = ring_trusted(ring, kind, keys);

    for (size_t i = 0; i < count; i++) {
        lines[i] = ssh_key_format(arena, &keys[i], TEXT(""));
    }
    return (struct wire_list){ lines, count };
}

static void ring_report(struct arena *arena, const struct ring *ring, struct sign_reply *out)
{
    out->phase = ring->phase;
    out->users = desk_lines_of(arena, ring, SSH_CERT_USER);
    out->hosts = desk_lines_of(arena, ring, SSH_CERT_HOST);
}

/* ---- operations ---- */

/* Logs an operation with keys: the event, and one more field. */
MUST_CHECK static bool deed_note(struct desk *desk, const struct sign_ask *ask, const char *event,
                                 struct log_field field, struct err *err)
{
    const struct log_field fields[] = {
        log_text("authority", ask->authority), log_text("who", ask->who), field, { 0 }
    };
    struct log_event line = { LOG_LEVEL_INFO, "signer", event, fields };

    return book_write(desk->book, &line, clock_wall_ms(desk->clock), err);
}

MUST_CHECK static bool make_do(struct desk *desk, struct arena *arena, const struct sign_ask *ask,
                               struct sign_reply *out, struct err *err)
{
    struct ring ring;
    bool is_noted;

    if (map_find(&desk->entries, ask->authority) != NULL) {
        return err_set(err, CODE_R0749, "the authority '%.*s' already exists: rotate it",
                       TEXT_ARG(ask->authority));
    }
    ring_draw(&ring);
    ring_report(arena, &ring, out);
    out->sealed = ring_seal(arena, desk->key, ask->authority, &ring);
    secret_wipe(&ring, sizeof(ring));
    is_noted = deed_note(desk, ask, "made",
                         log_text("users", *wire_item(out->users, struct text, 0)), err);
    return is_noted;
}

MUST_CHECK static bool load_do(struct desk *desk, struct arena *arena, const struct sign_ask *ask,
                               struct sign_reply *out, struct err *err)
{
    struct entry *entry = map_find(&desk->entries, ask->authority);
    struct ring ring;
    bool is_good = ring_open(desk->key, ask->authority, ask->sealed, &ring, err);

    if (is_good && entry != NULL && ring.generation < entry->ring->generation) {
        is_good = err_set(err, CODE_R0749, "these keys of '%.*s' are older than those in use",
                          TEXT_ARG(ask->authority));
    }
    if (is_good && entry == NULL) {
        entry = desk_entry_make(desk, ask->authority);
        is_good = entry != NULL || err_set(err, CODE_R0747,
                                           "the limit of %d authorities is "
                                           "reached",
                                           LIMIT_SIGNER_AUTHORITIES);
    }
    if (is_good) {
        *entry->ring = ring;
        ring_report(arena, entry->ring, out);
    }
    secret_wipe(&ring, sizeof(ring));
    return is_good;
}

static void forget_do(struct desk *desk, const struct sign_ask *ask)
{
    struct entry *entry = map_remove(&desk->entries, ask->authority);

    if (entry != NULL) {
        secret_wipe(entry->ring, sizeof(*entry->ring));
        desk_entry_clear(entry);
    }
}

/* Executes a rotation step. The signer uses the previous keyring until the manager has stored the
 * new one and loads it. */
MUST_CHECK static bool rotate_do(struct desk *desk, struct arena *arena, const struct sign_ask *ask,
                                 struct sign_reply *out, struct err *err)
{
    struct entry *entry;
    struct ring ring;
    bool is_good;

    if (!desk_entry_find(desk, ask->authority, &entry, err)) {
        return false;
    }
    ring = *entry->ring;
    is_good = ring_step(&ring, ask->phase, err) &&
              deed_note(desk, ask, "rotated", log_int("phase", (int64_t)ask->phase), err);
    if (is_good) {
        ring_report(arena, &ring, out);
        out->sealed = ring_seal(arena, desk->key, ask->authority, &ring);
    }
    secret_wipe(&ring, sizeof(ring));
    return is_good;
}

/* Rejects a list that revokes the authority's own key, because that would lock out all users. */
MUST_CHECK static bool taken_check(const struct entry *entry, struct err *err)
{
    for (int kind = SSH_CERT_USER; kind <= SSH_CERT_HOST; kind++) {
        struct ssh_key trusted[RING_SLOTS];
        size_t count = ring_trusted(entry->ring, (enum ssh_cert_kind)kind, trusted);

        for (size_t i = 0; i < count; i++) {
            if (taken_has(entry->coming, &trusted[i], TEXT(""))) {
                return err_set(err, CODE_R0746, "an authority's own key cannot be revoked: rotate");
            }
        }
    }
    return true;
}

MUST_CHECK static bool revoke_do(struct desk *desk, struct arena *arena, const struct sign_ask *ask,
                                 struct sign_reply *out, struct err *err)
{
    struct entry *entry;
    bool is_good;

    if (!desk_entry_find(desk, ask->authority, &entry, err)) {
        return false;
    }
    if (entry->coming == NULL) {
        entry->coming = taken_new();
    }
    is_good = taken_add(entry->coming, ask, err);
    if (is_good && ask->is_more != 0) {
        return true;
    }
    is_good =
        is_good && taken_check(entry, err) &&
        taken_list(arena, entry->coming, entry->ring, ask->version,
                   (uint64_t)(clock_wall_ms(desk->clock) / 1000), &out->krl, err) &&
        deed_note(desk, ask, "revoked", log_int("entries", (int64_t)entry->coming->count), err);
    if (!is_good) {
        taken_free(entry->coming); /* the complete list stays in use */
    } else {
        taken_free(entry->taken);
        entry->taken = entry->coming;
    }
    entry->coming = NULL;
    return is_good;
}

/* ---- certificates ---- */

MUST_CHECK static bool ttl_check(uint64_t ttl_s, struct err *err)
{
    if (ttl_s >= LIMIT_SIGNER_TTL_MIN_S && ttl_s <= LIMIT_SIGNER_TTL_MAX_S) {
        return true;
    }
    return err_set(err, CODE_R0746,
                   "the requested lifetime is %llu s; %d s to %d s are allowed (5 min to 30 days)",
                   (unsigned long long)ttl_s, LIMIT_SIGNER_TTL_MIN_S, LIMIT_SIGNER_TTL_MAX_S);
}

/* Checks the principals of a user certificate: they must be for the cluster of the authority. */
MUST_CHECK static bool users_check(const struct sign_ask *ask, struct err *err)
{
    struct text only =
        ask->principals.count == 1 ? *wire_item(ask->principals, struct text, 0) : TEXT("");
    struct text prefix = TEXT(CLUSTER_PREFIX);

    return (text_has_prefix(only, prefix) &&
            text_is_equal(text_slice(only, prefix.length, only.length), ask->authority)) ||
           err_set(err, CODE_R0746,
                   "a user certificate can only have the principal " CLUSTER_PREFIX "%.*s",
                   TEXT_ARG(ask->authority));
}

MUST_CHECK static bool hosts_check(const struct sign_ask *ask, struct err *err)
{
    size_t bytes = 0;

    if (ask->principals.count == 0 || ask->principals.count > LIMIT_SIGNER_PRINCIPALS) {
        return err_set(err, CODE_R0746,
                       "a host certificate has 1 to %d names and addresses, not %zu",
                       LIMIT_SIGNER_PRINCIPALS, ask->principals.count);
    }
    for (size_t i = 0; i < ask->principals.count; i++) {
        struct text name = *wire_item(ask->principals, struct text, i);

        if (!ssh_is_principal(name) || text_has_prefix(name, TEXT(CLUSTER_PREFIX)) ||
            text_find_byte(name, '/') != SIZE_MAX || text_find_byte(name, '@') != SIZE_MAX) {
            return err_set(err, CODE_R0746, "'%.*s' is not a name or address of a host",
                           TEXT_ARG(text_slice(name, 0, 64)));
        }
        bytes += name.length + 1;
    }
    return bytes <= LIMIT_SIGNER_NAMES_BYTES ||
           err_set(err, CODE_R0746, "the names have %zu bytes in all; %d are allowed", bytes,
                   LIMIT_SIGNER_NAMES_BYTES);
}

static bool is_own_key(const struct ring *ring, const struct ssh_key *key)
{
    for (unsigned i = 0; i < RING_KINDS * RING_SLOTS; i++) {
        if (memcmp(ring->secrets[i / RING_SLOTS][i % RING_SLOTS] + SSH_SEED_BYTES, key->bytes,
                   SSH_KEY_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

MUST_CHECK static bool subject_check(const struct entry *entry, const struct sign_ask *ask,
                                     struct ssh_key *out, struct err *err)
{
    struct text comment;

    if (!ssh_key_parse(ask->key, out, &comment, err)) {
        return false;
    }
    if (!book_is_word(ask->name, LIMIT_SIGNER_FIELD_BYTES)) {
        return err_set(err, CODE_R0746,
                       "the id of a certificate is one word of up to %d characters",
                       LIMIT_SIGNER_FIELD_BYTES);
    }
    if (is_own_key(entry->ring, out)) {
        return err_set(err, CODE_R0746, "an authority's own key gets no certificate");
    }
    return !taken_has(entry->taken, out, ask->name) ||
           err_set(err, CODE_R0746, "the key, or the id '%.*s', was revoked", TEXT_ARG(ask->name));
}

/* Takes the token for one signing from the bucket of the rate limiter. */
MUST_CHECK static bool rate_take(const struct desk *desk, struct entry *entry, struct err *err)
{
    uint64_t now_ms = clock_monotonic_ms(desk->clock);
    uint64_t full = (uint64_t)LIMIT_SIGNER_BURST * 1000;
    uint64_t since_ms = now_ms - entry->counted_ms;

    entry->counted_ms = now_ms;
    /* LIMIT_SIGNER_PER_S signings per s are as many thousandths per ms */
    entry->left = since_ms > full ? full : entry->left + since_ms * LIMIT_SIGNER_PER_S;
    entry->left = entry->left > full ? full : entry->left;
    if (entry->left < 1000) {
        return err_set(err, CODE_R0747,
                       "'%.*s' has signed %d certificates in a burst, and %d a second since then",
                       TEXT_ARG(desk_name_of(entry)), LIMIT_SIGNER_BURST, LIMIT_SIGNER_PER_S);
    }
    entry->left -= 1000;
    return true;
}

static uint64_t serial_draw(void)
{
    uint64_t serial = 0;

    while (serial == 0) { /* not 0, which means that a certificate has no number */
        randombytes_buf(&serial, sizeof(serial));
    }
    return serial;
}

static struct text names_join(struct arena *arena, const struct wire_list *names)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < names->count; i++) {
        buf_add_string(&buf, i == 0 ? "" : ",");
        buf_add(&buf, *wire_item(*names, struct text, i));
    }
    return buf_text(&buf);
}

MUST_CHECK static bool cert_note(struct desk *desk, struct arena *arena, const struct sign_ask *ask,
                                 const struct ssh_cert *cert, struct err *err)
{
    char fingerprint[SSH_FINGERPRINT_BYTES];
    char until[TIME_TEXT_BYTES];
    char serial[20];

    time_format((int64_t)cert->before_s * 1000, until);
    ssh_key_fingerprint(&cert->key, fingerprint);
    return book_write(desk->book,
                      &(const struct log_event){
                          LOG_LEVEL_INFO,
                          "signer",
                          "signed",
                          (const struct log_field[]){
                              log_text("authority", ask->authority),
                              log_text("who", ask->who),
                              log_string("kind", ask->method == SIGN_CERTIFY_MANAGER ? "manager"
                                                 : cert->kind == SSH_CERT_HOST       ? "host"
                                                                                     : "user"),
                              log_text("id", cert->id),
                              log_text("serial", text_digits(cert->serial, serial)),
                              log_string("until", until),
                              log_string("key", fingerprint),
                              log_text("principals", names_join(arena, &ask->principals)),
                              { 0 },
                          },
                      },
                      clock_wall_ms(desk->clock), err);
}

static struct ssh_cert cert_of(const struct desk *desk, const struct sign_ask *ask, uint64_t ttl_s)
{
    static const struct ssh_option may[] = { { { "permit-port-forwarding", 22 }, { "", 0 } },
                                             { { "permit-pty", 10 }, { "", 0 } } };
    bool is_host = ask->kind == SSH_CERT_HOST;
    uint64_t now_s = (uint64_t)(clock_wall_ms(desk->clock) / 1000);
    struct ssh_cert cert = {
        .serial = serial_draw(),
        .kind = is_host ? SSH_CERT_HOST : SSH_CERT_USER,
        .id = ask->name,
        .principals = ask->principals.items,
        .principal_count = ask->principals.count,
        .after_s = now_s - LIMIT_SIGNER_BACKDATE_S,
        .before_s = now_s + ttl_s,
        .may = may,
        .may_count = is_host ? 0 : ARRAY_COUNT(may),
    };

    randombytes_buf(cert.nonce, sizeof(cert.nonce));
    return cert;
}

MUST_CHECK static bool certify_do(struct desk *desk, struct arena *arena,
                                  const struct sign_ask *ask, struct sign_reply *out,
                                  struct err *err)
{
    bool is_host = ask->kind == SSH_CERT_HOST;
    uint64_t ttl_s = ask->ttl_s != 0 ? ask->ttl_s
                     : is_host       ? LIMIT_SIGNER_TTL_MAX_S
                                     : LIMIT_SIGNER_TTL_USER_S;
    struct entry *entry;
    struct ssh_cert cert;
    struct ssh_key key;

    if (!is_host && ask->kind != SSH_CERT_USER) {
        return err_set(err, CODE_R0746, "certificates are for users and for hosts");
    }
    if (!desk_entry_find(desk, ask->authority, &entry, err) || !ttl_check(ttl_s, err) ||
        !(is_host ? hosts_check : users_check)(ask, err) || !subject_check(entry, ask, &key, err) ||
        !rate_take(desk, entry, err)) {
        return false;
    }
    cert = cert_of(desk, ask, ttl_s);
    cert.key = key;
    if (!cert_note(desk, arena, ask, &cert, err)) {
        return false;
    }
    ssh_cert_sign(&cert, ring_secret(entry->ring, cert.kind));
    out->certificate = ssh_cert_format(arena, &cert, TEXT(""));
    out->serial = cert.serial;
    out->before_s = cert.before_s;
    return true;
}

/* ---- certificates of managers ---- */

/* Returns the manager's certificate as an SSH certificate, only for the log line, so that it is the
 * same for both kinds. */
static struct ssh_cert manager_cert_of(const struct desk *desk, const struct sign_ask *ask,
                                       const struct ssh_key *key)
{
    struct ssh_cert cert = cert_of(desk, ask, ask->ttl_s);

    cert.key = *key;
    return cert;
}

static struct text authorities_format(struct arena *arena, const struct ring *ring)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (unsigned slot = 0; slot < (ring->phase == ROTATION_STEADY ? 1 : RING_SLOTS); slot++) {
        buf_add(&buf, x509_authority(arena, ring->secrets[RING_USERS][slot]));
    }
    return buf_text(&buf);
}

MUST_CHECK static bool managers_do(struct desk *desk, struct arena *arena,
                                   const struct sign_ask *ask, struct sign_reply *out,
                                   struct err *err)
{
    struct x509_leaf leaf = { .name = ask->name };
    struct entry *entry;
    struct ssh_cert cert;

    if (!text_is(ask->authority, SIGN_MANAGERS)) {
        return err_set(err, CODE_R0746, "certificates of managers are signed by " SIGN_MANAGERS);
    }
    if (!desk_entry_find(desk, ask->authority, &entry, err) || !ttl_check(ask->ttl_s, err) ||
        !hosts_check(ask, err) || !subject_check(entry, ask, &leaf.key, err) ||
        !rate_take(desk, entry, err)) {
        return false;
    }
    cert = manager_cert_of(desk, ask, &leaf.key);
    if (!cert_note(desk, arena, ask, &cert, err)) {
        return false;
    }
    leaf.others = wire_item(ask->principals, struct text, 0);
    leaf.other_count = ask->principals.count;
    randombytes_buf(leaf.serial, sizeof(leaf.serial));
    memcpy(leaf.serial + sizeof(leaf.serial) - sizeof(cert.serial), &cert.serial,
           sizeof(cert.serial));
    leaf.after_s = (int64_t)cert.after_s;
    leaf.before_s = (int64_t)cert.before_s;
    out->certificate = x509_sign(arena, &leaf, ring_secret(entry->ring, SSH_CERT_USER));
    out->krl = authorities_format(arena, entry->ring);
    out->serial = cert.serial;
    out->before_s = cert.before_s;
    return true;
}

/* ---- requests ---- */

MUST_CHECK static bool method_do(struct desk *desk, struct arena *arena, const struct sign_ask *ask,
                                 struct sign_reply *out, struct err *err)
{
    switch ((enum sign_method)ask->method) {
    case SIGN_MAKE:
        return make_do(desk, arena, ask, out, err);
    case SIGN_LOAD:
        return load_do(desk, arena, ask, out, err);
    case SIGN_FORGET:
        forget_do(desk, ask);
        return true;
    case SIGN_CERTIFY:
        return certify_do(desk, arena, ask, out, err);
    case SIGN_ROTATE:
        return rotate_do(desk, arena, ask, out, err);
    case SIGN_REVOKE:
        return revoke_do(desk, arena, ask, out, err);
    case SIGN_CERTIFY_MANAGER:
        return managers_do(desk, arena, ask, out, err);
    case SIGN_METHOD_COUNT:
        break;
    }
    assert(false);
    return false;
}

void desk_answer(struct desk *desk, struct arena *arena, const struct sign_ask *ask,
                 struct sign_reply *out)
{
    struct err err = { 0 };

    *out = (struct sign_reply){ .id = ask->id };
    if (ask_check(ask, &err) && method_do(desk, arena, ask, out, &err)) {
        return;
    }
    *out = (struct sign_reply){ .id = ask->id,
                                .code = err.code,
                                .message = arena_text(arena, text_from(err.text)),
                                .hint = arena_text(arena, text_from(err.hint)) };
}
