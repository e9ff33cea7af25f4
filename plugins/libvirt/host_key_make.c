/* Makes an ed25519 host key in the formats of OpenSSH. */
#include "virt.h"

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>

enum { VIRT_KEY_RAW_BYTES = 32, VIRT_BLOB_BYTES = 512, VIRT_LINE_LETTERS = 70 };

#define VIRT_KEY_TYPE "ssh-ed25519"

/* A growing block of bytes in OpenSSH's encoding, in memory that is wiped afterwards. */
struct virt_blob {
    unsigned char bytes[VIRT_BLOB_BYTES];
    size_t length;
};

static void virt_blob_bytes(struct virt_blob *blob, const void *bytes, size_t count)
{
    memcpy(blob->bytes + blob->length, bytes, count);
    blob->length += count;
}

static void virt_blob_number(struct virt_blob *blob, uint32_t number)
{
    unsigned char bytes[4] = { (unsigned char)(number >> 24), (unsigned char)(number >> 16),
                               (unsigned char)(number >> 8), (unsigned char)number };

    virt_blob_bytes(blob, bytes, sizeof(bytes));
}

/* Appends a text, preceded by its length. */
static void virt_blob_text(struct virt_blob *blob, const void *bytes, size_t count)
{
    virt_blob_number(blob, (uint32_t)count);
    virt_blob_bytes(blob, bytes, count);
}

static void virt_blob_public(struct virt_blob *blob, const unsigned char *public_key)
{
    virt_blob_text(blob, VIRT_KEY_TYPE, strlen(VIRT_KEY_TYPE));
    virt_blob_text(blob, public_key, VIRT_KEY_RAW_BYTES);
}

struct text virt_base64(struct arena *arena, struct text bytes)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct buf out;

    buf_init(&out, arena);
    buf_grow(&out, (bytes.length + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.length; i += 3) {
        uint32_t word = 0;

        for (size_t k = 0; k < 3; k++) {
            word = word << 8 | (i + k < bytes.length ? (unsigned char)bytes.data[i + k] : 0U);
        }
        for (size_t k = 0; k < 4; k++) {
            buf_add_byte(&out, i + k > bytes.length ? '=' : letters[word >> (18 - 6 * k) & 63]);
        }
    }
    return buf_text(&out);
}

static void virt_key_format(struct arena *arena, const unsigned char *public_key,
                            const unsigned char *seed, uint32_t check, struct virt_host_key *out)
{
    static const char head[] = "openssh-key-v1"; /* written including its terminating NUL */
    struct virt_blob open = { 0 };
    struct virt_blob secret = { 0 };
    struct virt_blob whole = { 0 };
    struct text body;
    struct buf pem;

    virt_blob_public(&open, public_key);
    virt_blob_number(&secret, check);
    virt_blob_number(&secret, check);
    virt_blob_public(&secret, public_key);
    virt_blob_number(&secret, 2 * VIRT_KEY_RAW_BYTES);
    virt_blob_bytes(&secret, seed, VIRT_KEY_RAW_BYTES);
    virt_blob_bytes(&secret, public_key, VIRT_KEY_RAW_BYTES);
    virt_blob_text(&secret, "", 0); /* empty comment */
    for (unsigned char pad = 1; secret.length % 8 != 0; pad++) {
        virt_blob_bytes(&secret, &pad, 1);
    }
    virt_blob_bytes(&whole, head, sizeof(head));
    virt_blob_text(&whole, "none", 4); /* cipher */
    virt_blob_text(&whole, "none", 4); /* key derivation function */
    virt_blob_text(&whole, "", 0);
    virt_blob_number(&whole, 1); /* number of keys */
    virt_blob_text(&whole, open.bytes, open.length);
    virt_blob_text(&whole, secret.bytes, secret.length);
    body = virt_base64(arena, (struct text){ (const char *)whole.bytes, whole.length });
    buf_init(&pem, arena);
    buf_add_string(&pem, "-----BEGIN OPENSSH PRIVATE KEY-----\n");
    for (size_t i = 0; i < body.length; i += VIRT_LINE_LETTERS) {
        buf_add(&pem, text_slice(body, i, VIRT_LINE_LETTERS));
        buf_add_byte(&pem, '\n');
    }
    buf_add_string(&pem, "-----END OPENSSH PRIVATE KEY-----\n");
    out->secret_pem = buf_text(&pem);
    out->public_line = arena_printf(
        arena, VIRT_KEY_TYPE " %.*s",
        TEXT_ARG(virt_base64(arena, (struct text){ (const char *)open.bytes, open.length })));
    explicit_bzero(&secret, sizeof(secret));
    explicit_bzero(&whole, sizeof(whole));
}

bool virt_host_key_make(struct arena *arena, struct virt_host_key *out)
{
    gnutls_privkey_t key = NULL;
    gnutls_datum_t open = { 0 };
    gnutls_datum_t seed = { 0 };
    uint32_t check;
    bool is_made;

    is_made = gnutls_privkey_init(&key) == 0 &&
              gnutls_privkey_generate(key, GNUTLS_PK_EDDSA_ED25519,
                                      GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_ED25519), 0) == 0 &&
              gnutls_privkey_export_ecc_raw(key, NULL, &open, NULL, &seed) == 0 &&
              open.size == VIRT_KEY_RAW_BYTES && seed.size == VIRT_KEY_RAW_BYTES &&
              gnutls_rnd(GNUTLS_RND_NONCE, &check, sizeof(check)) == 0;
    if (is_made) {
        virt_key_format(arena, open.data, seed.data, check, out);
    }
    if (seed.data != NULL) {
        explicit_bzero(seed.data, seed.size);
    }
    gnutls_free(open.data);
    gnutls_free(seed.data);
    gnutls_privkey_deinit(key);
    return is_made;
}
