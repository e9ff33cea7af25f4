#include "jwt.h"

#include "base/buf.h"
#include "codec/json.h"

#include <assert.h>
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

struct text jwt_base64(struct arena *arena, struct text bytes)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    char *out = arena_alloc(arena, bytes.length / 3 * 4 + 5);
    size_t length = 0;

    for (size_t i = 0; i < bytes.length; i += 3) {
        uint32_t group = 0;
        size_t count = bytes.length - i < 3 ? bytes.length - i : 3;

        for (size_t k = 0; k < 3; k++) {
            group = group << 8 | (k < count ? (unsigned char)bytes.data[i + k] : 0);
        }
        for (size_t k = 0; k <= count; k++) {
            out[length++] = alphabet[group >> (18 - 6 * k) & 63];
        }
    }
    return (struct text){ out, length };
}

static struct text jwt_header(struct arena *arena, struct text key_id)
{
    struct doc_builder builder;
    struct doc header;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "alg", doc_text(TEXT("RS256"), NULL));
    doc_builder_put(&builder, "typ", doc_text(TEXT("JWT"), NULL));
    if (key_id.length > 0) {
        doc_builder_put(&builder, "kid", doc_text(key_id, NULL));
    }
    header = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &header);
    return buf_text(&buf);
}

static bool jwt_signature(struct arena *arena, gnutls_privkey_t key, struct text text,
                          struct text *out)
{
    gnutls_datum_t data = { (unsigned char *)(uintptr_t)text.data, (unsigned)text.length };
    gnutls_datum_t signature = { 0 };

    if (gnutls_privkey_get_pk_algorithm(key, NULL) != GNUTLS_PK_RSA ||
        gnutls_privkey_sign_data2(key, GNUTLS_SIGN_RSA_SHA256, 0, &data, &signature) != 0) {
        return false;
    }
    *out = jwt_base64(arena, (struct text){ (const char *)signature.data, signature.size });
    gnutls_free(signature.data);
    return true;
}

bool jwt_sign(struct arena *arena, struct text key_pem, struct text key_id, struct text claims,
              struct text *out, const char **out_why)
{
    gnutls_datum_t pem = { (unsigned char *)(uintptr_t)key_pem.data, (unsigned)key_pem.length };
    gnutls_privkey_t key = NULL;
    struct text signature = { 0 };
    struct text head;
    bool is_signed;

    if (gnutls_privkey_init(&key) != 0) {
        *out_why = "GnuTLS does not start";
        return false;
    }
    if (gnutls_privkey_import_x509_raw(key, &pem, GNUTLS_X509_FMT_PEM, NULL, 0) != 0) {
        gnutls_privkey_deinit(key);
        *out_why = "the private key is not a key in PEM";
        return false;
    }
    head = arena_printf(arena, "%.*s.%.*s", TEXT_ARG(jwt_base64(arena, jwt_header(arena, key_id))),
                        TEXT_ARG(jwt_base64(arena, claims)));
    is_signed = jwt_signature(arena, key, head, &signature);
    gnutls_privkey_deinit(key);
    if (!is_signed) {
        *out_why = "the private key is not an RSA key";
        return false;
    }
    *out = arena_printf(arena, "%.*s.%.*s", TEXT_ARG(head), TEXT_ARG(signature));
    return true;
}
