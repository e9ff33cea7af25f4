#include "ssh/key.h"

#include "base/limits.h"
#include "base/secret.h"
#include "ssh/bytes.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

/* public names start with: ssh_ */

static_assert((int)SSH_KEY_BYTES == (int)crypto_sign_PUBLICKEYBYTES, "as libsodium has it");
static_assert((int)SSH_SEED_BYTES == (int)crypto_sign_SEEDBYTES, "as libsodium has it");
static_assert((int)SSH_SECRET_BYTES == (int)crypto_sign_SECRETKEYBYTES, "as libsodium has it");
static_assert((int)SSH_SIGNATURE_BYTES == (int)crypto_sign_BYTES, "as libsodium has it");

void ssh_key_make(const unsigned char seed[static SSH_SEED_BYTES], struct ssh_key *out,
                  unsigned char out_secret[static SSH_SECRET_BYTES])
{
    crypto_sign_seed_keypair(out->bytes, out_secret, seed);
}

bool ssh_key_is_equal(const struct ssh_key *a, const struct ssh_key *b)
{
    return memcmp(a->bytes, b->bytes, SSH_KEY_BYTES) == 0;
}

void ssh_key_add(struct buf *buf, const struct ssh_key *key)
{
    ssh_add_string(buf, TEXT(SSH_KEY_KIND));
    ssh_add_string(buf, (struct text){ (const char *)key->bytes, SSH_KEY_BYTES });
}

/* The points of small order, without their sign. For such a key, anyone can create valid
 * signatures. */
static const unsigned char weak[][SSH_KEY_BYTES] = {
    { 0 },
    { 1 },
    { 0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4,
      0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
      0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05 },
    { 0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
      0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
      0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a },
    { 0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
};

enum { SIGN_BIT = 0x80, PRIME_LOWEST = 0xed };

/* True if the number is less than 2^255 - 19. Then it has only one spelling. */
static bool is_canonical(const unsigned char bytes[static SSH_KEY_BYTES])
{
    for (size_t i = 1; i < SSH_KEY_BYTES - 1; i++) {
        if (bytes[i] != 0xff) {
            return true;
        }
    }
    return (bytes[SSH_KEY_BYTES - 1] | SIGN_BIT) != 0xff || bytes[0] < PRIME_LOWEST;
}

/* Does not check whether the key is a point of the curve. That takes twice as long as signing, and
 * a key that is not a point is useless to an attacker. */
bool ssh_key_is_sound(const struct ssh_key *key)
{
    struct ssh_key bare = *key;

    bare.bytes[SSH_KEY_BYTES - 1] &= (unsigned char)~SIGN_BIT;
    for (size_t i = 0; i < ARRAY_COUNT(weak); i++) {
        if (memcmp(bare.bytes, weak[i], SSH_KEY_BYTES) == 0) {
            return false;
        }
    }
    return is_canonical(bare.bytes);
}

bool ssh_key_take(struct text *rest, struct ssh_key *out)
{
    struct text left = *rest;
    struct ssh_key key;
    struct text kind;

    if (!ssh_take_string(&left, &kind) || !text_is(kind, SSH_KEY_KIND) ||
        !ssh_take_fixed(&left, key.bytes, sizeof(key.bytes)) || !ssh_key_is_sound(&key)) {
        return false;
    }
    *rest = left;
    *out = key;
    return true;
}

struct text ssh_key_format(struct arena *arena, const struct ssh_key *key, struct text comment)
{
    AUTO(arena) scratch = arena_new_small(LIMIT_SSH_LINE_BYTES);
    struct buf blob;
    struct buf line;

    assert(text_is_visible(comment) || text_find_bad_utf8(comment) == SIZE_MAX);
    assert(text_find_byte(comment, '\n') == SIZE_MAX && comment.length <= SSH_COMMENT_MAX);
    buf_init(&blob, scratch);
    ssh_key_add(&blob, key);
    buf_init(&line, arena);
    buf_add_string(&line, SSH_KEY_KIND " ");
    ssh_add_base64(&line, buf_text(&blob));
    if (comment.length > 0) {
        buf_add_string(&line, " ");
        buf_add(&line, comment);
    }
    return buf_text(&line);
}

/* ---- untrusted lines ---- */

MUST_CHECK static bool line_refuse(struct text line, struct text part, struct err *err)
{
    size_t column = (size_t)(part.data - line.data);

    return err_place(err, (struct place){ .line = 1,
                                          .column = (uint32_t)column + 1,
                                          .length = (uint32_t)part.length });
}

static bool is_key_kind(struct text word)
{
    return text_has_prefix(word, TEXT("ssh-")) || text_has_prefix(word, TEXT("ecdsa-")) ||
           text_has_prefix(word, TEXT("sk-"));
}

MUST_CHECK static bool kind_check(struct text line, struct text kind, struct err *err)
{
    if (text_is(kind, SSH_KEY_KIND)) {
        return true;
    }
    if (kind.length == 0) {
        err_set(err, CODE_R0740, "the text contains no public key");
    } else if (is_key_kind(kind)) {
        err_set(err, CODE_R0740, "the key has the kind '%.*s'; only " SSH_KEY_KIND " is accepted",
                TEXT_ARG(text_slice(kind, 0, 64)));
    } else if (text_has_prefix(kind, TEXT("-----BEGIN"))) {
        err_set(err, CODE_R0740, "this is not a public key, but possibly a private key");
        err_hint(err,
                 "give the file whose name ends in .pub; the private key stays with its owner");
        return line_refuse(line, (struct text){ line.data, 1 }, err);
    } else {
        err_set(err, CODE_R0740, "the line does not begin with " SSH_KEY_KIND);
    }
    err_hint(err,
             "ssh-keygen -t ed25519 makes such a key; options in front of a key are not accepted");
    return line_refuse(line, kind, err);
}

MUST_CHECK static bool blob_parse(struct text line, struct text base64, struct ssh_key *out,
                                  struct err *err)
{
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_SSH_LINE_BYTES * 2);
    struct text rest;

    if (!ssh_base64_parse(arena, base64, &rest)) {
        err_set(err, CODE_R0740,
                base64.length == 0 ? "the key itself is missing"
                                   : "the key is not base64, or is truncated");
    } else if (!ssh_key_take(&rest, out)) {
        err_set(err, CODE_R0740, "the text is not a key of type " SSH_KEY_KIND);
    } else if (rest.length > 0) {
        err_set(err, CODE_R0740, "the key has extra bytes after its end");
    } else {
        return true;
    }
    err_hint(err, "copy the whole line of the file whose name ends in .pub");
    return line_refuse(line, base64, err);
}

/* Checks the comment, because terminals display it, and other programs read it line by line. */
MUST_CHECK static bool comment_check(struct text line, struct text comment, struct err *err)
{
    size_t bad = text_find_bad_utf8(comment);

    for (size_t i = 0; i < comment.length && bad == SIZE_MAX; i++) {
        if ((unsigned char)comment.data[i] < ' ' || comment.data[i] == 0x7f) {
            bad = i;
        }
    }
    if (bad == SIZE_MAX && comment.length <= SSH_COMMENT_MAX) {
        return true;
    }
    err_set(err, CODE_R0740,
            bad == SIZE_MAX ? "the comment is too long"
                            : "the comment has a control character or a line end");
    return line_refuse(line, text_slice(comment, bad == SIZE_MAX ? SSH_COMMENT_MAX : bad, 1), err);
}

static struct text end_cut(struct text line)
{
    if (line.length > 0 && line.data[line.length - 1] == '\n') {
        line.length--;
    }
    if (line.length > 0 && line.data[line.length - 1] == '\r') {
        line.length--;
    }
    /* never NULL, because positions in the line are counted from here */
    return line.length == 0 ? TEXT("") : line;
}

bool ssh_key_parse(struct text line, struct ssh_key *out, struct text *out_comment, struct err *err)
{
    struct text rest = end_cut(line);
    struct text all = rest;
    struct text comment;
    struct text base64;
    struct ssh_key key;
    struct text kind;

    if (all.length > LIMIT_SSH_LINE_BYTES) {
        err_set(err, CODE_R0740, "the line has %zu bytes; %d are allowed", all.length,
                LIMIT_SSH_LINE_BYTES);
        return line_refuse(all, text_slice(all, LIMIT_SSH_LINE_BYTES, 1), err);
    }
    kind = ssh_take_word(&rest);
    base64 = ssh_take_word(&rest);
    comment = rest;
    if (!kind_check(all, kind, err) || !blob_parse(all, base64, &key, err) ||
        !comment_check(all, comment, err)) {
        return false;
    }
    *out = key;
    *out_comment = comment;
    return true;
}

/* ---- fingerprints ---- */

void ssh_blob_fingerprint(struct text blob, char out[static SSH_FINGERPRINT_BYTES])
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    static const char head[] = "SHA256:";

    crypto_hash_sha256(digest, (const unsigned char *)blob.data, blob.length);
    memcpy(out, head, sizeof(head) - 1);
    sodium_bin2base64(out + sizeof(head) - 1, SSH_FINGERPRINT_BYTES - sizeof(head) + 1, digest,
                      sizeof(digest), sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
}

void ssh_key_fingerprint(const struct ssh_key *key, char out[static SSH_FINGERPRINT_BYTES])
{
    AUTO(arena) arena = arena_new_small(LIMIT_SSH_LINE_BYTES);
    struct buf blob;

    buf_init(&blob, arena);
    ssh_key_add(&blob, key);
    ssh_blob_fingerprint(buf_text(&blob), out);
}

/* ---- the private file ---- */

#define PRIVATE_MAGIC "openssh-key-v1"
#define PRIVATE_BEGIN "-----BEGIN OPENSSH PRIVATE KEY-----\n"
#define PRIVATE_END   "-----END OPENSSH PRIVATE KEY-----\n"

enum { PRIVATE_BLOCK = 8, PRIVATE_LINE = 70, PRIVATE_ARENA_BYTES = 64 * 1024 };

/* Adds the part of the file that a passphrase would encrypt. It has the check number twice, by
 * which a wrong passphrase is detected, and ends with bytes 1, 2, 3, ... up to a whole block. */
static void private_half_add(struct buf *buf, const unsigned char *secret, uint32_t check,
                             const struct ssh_key *key, struct text comment)
{
    size_t at = ssh_string_begin(buf);
    size_t begin = buf->length;

    ssh_add_u32(buf, check);
    ssh_add_u32(buf, check);
    ssh_key_add(buf, key);
    ssh_add_string(buf, (struct text){ (const char *)secret, SSH_SECRET_BYTES });
    ssh_add_string(buf, comment);
    for (char pad = 1; (buf->length - begin) % PRIVATE_BLOCK != 0; pad++) {
        buf_add_bytes(buf, pad, 1);
    }
    ssh_string_end(buf, at);
}

static size_t lines_put(char *out, const char *base64, size_t length)
{
    size_t at = 0;

    for (size_t from = 0; from < length; from += PRIVATE_LINE) {
        size_t piece = length - from < PRIVATE_LINE ? length - from : PRIVATE_LINE;

        memcpy(out + at, base64 + from, piece);
        at += piece;
        out[at++] = '\n';
    }
    return at;
}

size_t ssh_key_format_private(const unsigned char secret[static SSH_SECRET_BYTES], uint32_t check,
                              struct text comment, char out[static SSH_PRIVATE_BYTES])
{
    AUTO(arena) arena = arena_new_small(PRIVATE_ARENA_BYTES);
    char base64[SSH_PRIVATE_BYTES];
    struct ssh_key key;
    struct buf buf;
    size_t length;
    size_t at;

    assert(comment.length <= SSH_COMMENT_MAX);
    memcpy(key.bytes, secret + SSH_SEED_BYTES, SSH_KEY_BYTES);
    buf_init(&buf, arena);
    /* reserved at once, because growing the buffer would leave copies of the key in memory */
    (void)buf_reserve(&buf, SSH_PRIVATE_BYTES);
    buf_add(&buf, (struct text){ PRIVATE_MAGIC, sizeof(PRIVATE_MAGIC) }); /* with its NUL */
    ssh_add_string(&buf, TEXT("none"));
    ssh_add_string(&buf, TEXT("none"));
    ssh_add_string(&buf, TEXT(""));
    ssh_add_u32(&buf, 1);
    at = ssh_string_begin(&buf);
    ssh_key_add(&buf, &key);
    ssh_string_end(&buf, at);
    private_half_add(&buf, secret, check, &key, comment);
    sodium_bin2base64(base64, sizeof(base64), (const unsigned char *)buf.data, buf.length,
                      sodium_base64_VARIANT_ORIGINAL);
    secret_wipe(buf.data, buf.length);
    memcpy(out, PRIVATE_BEGIN, sizeof(PRIVATE_BEGIN) - 1);
    length = sizeof(PRIVATE_BEGIN) - 1;
    length += lines_put(out + length, base64, strlen(base64));
    secret_wipe(base64, sizeof(base64));
    memcpy(out + length, PRIVATE_END, sizeof(PRIVATE_END) - 1);
    length += sizeof(PRIVATE_END) - 1;
    assert(length <= SSH_PRIVATE_BYTES);
    return length;
}
