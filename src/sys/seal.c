#include "sys/seal.h"

#include "base/limits.h"
#include "sys/fd.h"
#include "sys/launcher.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* public names start with: seal_ */

/* The file is one line, "reeve-key-1 BASE64", so that it cannot be mistaken for another file. */
#define FILE_HEAD "reeve-key-1 "

enum {
    MASTER_BYTES = 32,
    MASTER_TEXT_BYTES = sodium_base64_ENCODED_LEN(MASTER_BYTES, sodium_base64_VARIANT_ORIGINAL),
    FILE_BYTES = sizeof(FILE_HEAD) + MASTER_TEXT_BYTES, /* with a newline in place of the NUL */
    NONCE_BYTES = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG_BYTES = crypto_aead_xchacha20poly1305_ietf_ABYTES,
};

/* Subkeys of the master key, one for each use, so that no use reveals anything about another. */
enum { SUBKEY_SEAL = 1, SUBKEY_NONCE = 2, SUBKEY_DIGEST = 3, SUBKEY_ID = 4 };
#define SUBKEY_CONTEXT "reeveKey"

struct seal_key {
    unsigned char seal[crypto_aead_xchacha20poly1305_ietf_KEYBYTES];
    unsigned char nonce[crypto_generichash_KEYBYTES];
    unsigned char digest[crypto_generichash_KEYBYTES];
    char id[SEAL_ID_BYTES];
};

/* ---- keys ---- */

static struct seal_key *key_new(const unsigned char master[static MASTER_BYTES])
{
    struct seal_key *key = sodium_malloc(sizeof(*key)); /* in locked memory if the system permits
                                                         * it */
    unsigned char id[crypto_kdf_BYTES_MIN];

    if (key == NULL) {
        abort(); /* end the process, as after every failed allocation */
    }
    crypto_kdf_derive_from_key(key->seal, sizeof(key->seal), SUBKEY_SEAL, SUBKEY_CONTEXT, master);
    crypto_kdf_derive_from_key(key->nonce, sizeof(key->nonce), SUBKEY_NONCE, SUBKEY_CONTEXT,
                               master);
    crypto_kdf_derive_from_key(key->digest, sizeof(key->digest), SUBKEY_DIGEST, SUBKEY_CONTEXT,
                               master);
    crypto_kdf_derive_from_key(id, sizeof(id), SUBKEY_ID, SUBKEY_CONTEXT, master);
    sodium_bin2hex(key->id, sizeof(key->id), id, (SEAL_ID_BYTES - 1) / 2);
    sodium_mprotect_readonly(key);
    return key;
}

MUST_CHECK static bool key_refuse(const char *path, const char *why, struct err *err)
{
    err_set(err, CODE_R0660, "the master key of secrets, %s: %s", path, why);
    return err_hint(err, "secretKey in reeved.yaml, or --secret-key, names its file; without it "
                         "secrets cannot be read or written");
}

/* Check that the file belongs to this user, and that no other user can read it. */
MUST_CHECK static bool file_is_private(int fd, const char *path, struct err *err)
{
    struct stat stat;

    if (fstat(fd, &stat) != 0) {
        return key_refuse(path, strerror(errno), err);
    }
    if (!S_ISREG(stat.st_mode)) {
        return key_refuse(path, "the path is not a file", err);
    }
    if ((stat.st_uid != geteuid() && stat.st_uid != 0) || (stat.st_mode & 077) != 0) {
        return key_refuse(path, "other users own the file or can read it: chmod 0400", err);
    }
    return true;
}

MUST_CHECK static bool master_parse(struct text file, unsigned char out[static MASTER_BYTES])
{
    struct text text = text_trim(file);
    size_t length = 0;

    if (!text_has_prefix(text, TEXT(FILE_HEAD))) {
        return false;
    }
    text = text_slice(text, sizeof(FILE_HEAD) - 1, text.length);
    return sodium_base642bin(out, MASTER_BYTES, text.data, text.length, NULL, &length, NULL,
                             sodium_base64_VARIANT_ORIGINAL) == 0 &&
           length == MASTER_BYTES;
}

bool seal_key_is_there(const char *path)
{
    struct stat stat;

    return lstat(path, &stat) == 0 || errno != ENOENT;
}

bool seal_key_read(int fd, const char *path, struct seal_key **out, struct err *err)
{
    unsigned char master[MASTER_BYTES];
    char bytes[FILE_BYTES + 1];
    ssize_t got;
    bool is_key;

    if (sodium_init() < 0) {
        return key_refuse(path, "the system returned no random numbers", err);
    }
    got = read(fd, bytes, sizeof(bytes));
    is_key = got > 0 && got < (ssize_t)sizeof(bytes) &&
             master_parse((struct text){ bytes, (size_t)got }, master);
    if (is_key) {
        *out = key_new(master);
    }
    secret_wipe(bytes, sizeof(bytes));
    secret_wipe(master, sizeof(master));
    return is_key ? true : key_refuse(path, "the file does not contain a key of reeve", err);
}

bool seal_key_file(const char *path, int *out, struct err *err)
{
    AUTO(fd) fd = launcher_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);

    if (fd == FD_NONE) {
        return key_refuse(path, strerror(errno), err);
    }
    if (!file_is_private(fd, path, err)) {
        return false;
    }
    *out = fd;
    fd = FD_NONE;
    return true;
}

bool seal_key_open(const char *path, struct seal_key **out, struct err *err)
{
    AUTO(fd) fd = FD_NONE;

    return seal_key_file(path, &fd, err) && seal_key_read(fd, path, out, err);
}

MUST_CHECK static bool master_write(const char *path, const unsigned char *master, struct err *err)
{
    AUTO(fd)
    fd = launcher_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400);
    char bytes[FILE_BYTES] = FILE_HEAD;
    bool is_written;

    if (fd == FD_NONE) {
        return key_refuse(path, strerror(errno), err);
    }
    sodium_bin2base64(bytes + sizeof(FILE_HEAD) - 1, MASTER_TEXT_BYTES, master, MASTER_BYTES,
                      sodium_base64_VARIANT_ORIGINAL);
    bytes[FILE_BYTES - 2] = '\n';
    is_written = write(fd, bytes, FILE_BYTES - 1) == FILE_BYTES - 1 && fsync(fd) == 0;
    secret_wipe(bytes, sizeof(bytes));
    if (!is_written) {
        unlink(path);
        return key_refuse(path, "the file cannot be written", err);
    }
    return true;
}

/* Sync the folder that has the new name. Otherwise sealed values could outlive their key after a
 * power loss. */
static void seal_folder_sync(const char *path)
{
    char folder[LIMIT_PATH_BYTES];
    const char *slash = strrchr(path, '/');
    AUTO(fd) fd = FD_NONE;

    snprintf(folder, sizeof(folder), "%.*s", slash == NULL ? 1 : (int)(slash - path) + 1,
             slash == NULL ? "." : path);
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd != FD_NONE) {
        fsync(fd);
    }
}

bool seal_key_make(const char *path, struct seal_key **out, struct err *err)
{
    unsigned char master[MASTER_BYTES];

    if (sodium_init() < 0) {
        return key_refuse(path, "the system returned no random numbers", err);
    }
    randombytes_buf(master, sizeof(master));
    if (!master_write(path, master, err)) {
        secret_wipe(master, sizeof(master));
        return false;
    }
    seal_folder_sync(path);
    *out = key_new(master);
    secret_wipe(master, sizeof(master));
    return true;
}

void seal_key_close(struct seal_key *key)
{
    sodium_free(key); /* sodium_free also wipes the key */
}

/* ---- handing a key to another machine ---- */

static_assert(SEAL_FILE_BYTES >= (int)FILE_BYTES + 1, "a file fits, with its NUL");
static_assert(SEAL_TEXT_BYTES ==
                  sodium_base64_ENCODED_LEN(MASTER_BYTES, sodium_base64_VARIANT_URLSAFE_NO_PADDING),
              "the text of a key");

bool seal_file_read(const char *path, char out[static SEAL_FILE_BYTES], struct err *err)
{
    AUTO(fd) fd = FD_NONE;
    unsigned char master[MASTER_BYTES];
    ssize_t got;
    bool is_key;

    if (!seal_key_file(path, &fd, err)) {
        return false;
    }
    got = read(fd, out, SEAL_FILE_BYTES - 1);
    out[got < 0 ? 0 : got] = '\0';
    is_key = got > 0 && master_parse(text_from(out), master);
    secret_wipe(master, sizeof(master));
    return is_key || key_refuse(path, "the file does not contain a key of reeve", err);
}

/* If the file at `path` has a key with another id than `id`, moves it to PATH.ID. */
MUST_CHECK static bool former_move(const char *path, const char *id,
                                   char out_former[static SEAL_ID_BYTES], struct err *err)
{
    char to[LIMIT_PATH_BYTES];
    struct seal_key *former;

    if (!seal_key_open(path, &former, err)) {
        return false;
    }
    memcpy(out_former, seal_key_id(former), SEAL_ID_BYTES);
    seal_key_close(former);
    if (strcmp(out_former, id) == 0) {
        return true;
    }
    if (snprintf(to, sizeof(to), "%s.%s", path, out_former) >= (int)sizeof(to) ||
        rename(path, to) != 0) {
        return key_refuse(path, "the existing key cannot be moved away", err);
    }
    return true;
}

bool seal_file_write(const char *path, struct secret content, char out_former[static SEAL_ID_BYTES],
                     struct err *err)
{
    unsigned char master[MASTER_BYTES];
    struct seal_key *key;
    bool is_same;
    bool is_done = true;

    out_former[0] = '\0';
    if (sodium_init() < 0 || !master_parse(secret_reveal(content), master)) {
        return key_refuse(path, "the join token contains no valid key", err);
    }
    key = key_new(master);
    if (seal_key_is_there(path)) {
        is_done = former_move(path, seal_key_id(key), out_former, err);
    }
    is_same = is_done && strcmp(out_former, seal_key_id(key)) == 0;
    if (is_same) {
        out_former[0] = '\0';
    } else if (is_done) {
        is_done = master_write(path, master, err);
        seal_folder_sync(path);
    }
    secret_wipe(master, sizeof(master));
    seal_key_close(key);
    return is_done;
}

void seal_text_draw(char out_text[static SEAL_TEXT_BYTES], struct seal_key **out)
{
    unsigned char master[MASTER_BYTES];

    if (sodium_init() < 0) {
        abort(); /* without random numbers nothing can be kept secret, so end the process */
    }
    randombytes_buf(master, sizeof(master));
    sodium_bin2base64(out_text, SEAL_TEXT_BYTES, master, sizeof(master),
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    *out = key_new(master);
    secret_wipe(master, sizeof(master));
}

bool seal_text_parse(struct text text, struct seal_key **out)
{
    unsigned char master[MASTER_BYTES];
    size_t length = 0;
    bool is_key = sodium_init() >= 0 &&
                  sodium_base642bin(master, sizeof(master), text.data, text.length, NULL, &length,
                                    NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
                  length == sizeof(master);

    if (is_key) {
        *out = key_new(master);
    }
    secret_wipe(master, sizeof(master));
    return is_key;
}

const char *seal_key_id(const struct seal_key *key)
{
    return key->id;
}

/* ---- values ---- */

static void hash_part(crypto_generichash_state *state, struct text part)
{
    unsigned char length[sizeof(uint64_t)];

    for (size_t i = 0; i < sizeof(length); i++) {
        length[i] = (unsigned char)((uint64_t)part.length >> (8 * i));
    }
    /* the length is included, so that different parts never give the same input */
    crypto_generichash_update(state, length, sizeof(length));
    crypto_generichash_update(state, (const unsigned char *)part.data, part.length);
}

static void hash(const unsigned char *key, struct text about, struct secret value,
                 unsigned char *out, size_t bytes)
{
    crypto_generichash_state state;

    crypto_generichash_init(&state, key, crypto_generichash_KEYBYTES, bytes);
    hash_part(&state, about);
    hash_part(&state, secret_reveal(value));
    crypto_generichash_final(&state, out, bytes);
    secret_wipe(&state, sizeof(state));
}

struct text seal_close(struct arena *arena, const struct seal_key *key, struct text about,
                       struct secret value)
{
    struct text plain = secret_reveal(value);
    size_t raw_bytes = NONCE_BYTES + plain.length + TAG_BYTES;
    size_t room = sodium_base64_ENCODED_LEN(raw_bytes, sodium_base64_VARIANT_ORIGINAL);
    unsigned char *raw = arena_alloc(arena, raw_bytes);
    char *text = arena_alloc(arena, room);

    assert(plain.length <= LIMIT_SECRET_BYTES);
    hash(key->nonce, about, value, raw, NONCE_BYTES);
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        raw + NONCE_BYTES, NULL, (const unsigned char *)plain.data, plain.length,
        (const unsigned char *)about.data, about.length, NULL, raw, key->seal);
    sodium_bin2base64(text, room, raw, raw_bytes, sodium_base64_VARIANT_ORIGINAL);
    return arena_printf(arena, "1.%s.%s", key->id, text);
}

struct text seal_id(struct text sealed)
{
    size_t head = sizeof("1.") - 1;

    return text_has_prefix(sealed, TEXT("1.")) && sealed.length > head + SEAL_ID_BYTES &&
                   sealed.data[head + SEAL_ID_BYTES - 1] == '.'
               ? text_slice(sealed, head, SEAL_ID_BYTES - 1)
               : TEXT("");
}

MUST_CHECK static bool seal_is_broken(struct err *err)
{
    err_set(err, CODE_R0662,
            "a sealed value was changed, or was moved from another secret or authority");
    return err_hint(err, "write the secret again: reeve set secret/NAME value=@FILE");
}

bool seal_open(const struct seal_key *key, struct text about, struct text sealed, char *out,
               size_t room, size_t *out_length, struct err *err)
{
    unsigned char raw[NONCE_BYTES + LIMIT_SECRET_BYTES + TAG_BYTES];
    struct text id = seal_id(sealed);
    unsigned long long length = 0;
    struct text text;
    size_t bytes = 0;

    if (id.length == 0) {
        return seal_is_broken(err);
    }
    if (!text_is(id, key->id)) {
        err_set(err, CODE_R0661, "a value is sealed under key %.*s, but this manager has key %s",
                TEXT_ARG(id), key->id);
        return err_hint(err, "give the manager the file of that key, or write the secret again");
    }
    text = text_slice(sealed, sizeof("1.") - 1 + SEAL_ID_BYTES, sealed.length);
    if (sodium_base642bin(raw, sizeof(raw), text.data, text.length, NULL, &bytes, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0 ||
        bytes < NONCE_BYTES + TAG_BYTES || bytes - NONCE_BYTES - TAG_BYTES > room ||
        crypto_aead_xchacha20poly1305_ietf_decrypt(
            (unsigned char *)out, &length, NULL, raw + NONCE_BYTES, bytes - NONCE_BYTES,
            (const unsigned char *)about.data, about.length, raw, key->seal) != 0) {
        return seal_is_broken(err);
    }
    *out_length = (size_t)length;
    return true;
}

void seal_digest(const struct seal_key *key, struct text about, struct secret value,
                 char out[static SEAL_DIGEST_BYTES])
{
    unsigned char bytes[crypto_generichash_BYTES_MIN];

    hash(key->digest, about, value, bytes, sizeof(bytes));
    sodium_bin2hex(out, SEAL_DIGEST_BYTES, bytes, (SEAL_DIGEST_BYTES - 1) / 2);
}

void seal_process(void)
{
    struct rlimit none = { 0, 0 };

    setrlimit(RLIMIT_CORE, &none); /* if one method is unavailable, the other one is used */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
