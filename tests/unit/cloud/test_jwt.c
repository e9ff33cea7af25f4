/* A token is verified with the public key; bad keys are refused. */
#include "unit.h"

#include "jwt.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

static gnutls_privkey_t key_new(gnutls_pk_algorithm_t kind, unsigned bits, struct text *out_pem)
{
    gnutls_x509_privkey_t key;
    gnutls_privkey_t abstract;
    gnutls_datum_t pem;

    assert_int_equal(gnutls_x509_privkey_init(&key), 0);
    assert_int_equal(gnutls_x509_privkey_generate(key, kind, bits, 0), 0);
    assert_int_equal(
        gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN, &pem),
        0);
    *out_pem = (struct text){ (char *)pem.data, pem.size };
    assert_int_equal(gnutls_privkey_init(&abstract), 0);
    assert_int_equal(gnutls_privkey_import_x509(abstract, key, GNUTLS_PRIVKEY_IMPORT_AUTO_RELEASE),
                     0);
    return abstract;
}

static void token_is_verified(void **state)
{
    AUTO(arena) arena = arena_new_small(1 << 20);
    struct text pem;
    gnutls_privkey_t key = key_new(GNUTLS_PK_RSA, 2048, &pem);
    gnutls_pubkey_t public;
    gnutls_datum_t raw;
    gnutls_datum_t data;
    struct text token;
    struct text text;
    const char *why = "";
    size_t dot;

    (void)state;
    assert_true(jwt_sign(arena, pem, TEXT("key-1"), TEXT("{\"iss\":\"me\"}"), &token, &why));
    assert_true(text_has_prefix(
        token, TEXT("eyJhbGciOiJSUzI1NiIsImtpZCI6ImtleS0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJtZSJ9.")));
    for (dot = token.length - 1; token.data[dot] != '.'; dot--) {
    }
    text = text_slice(token, dot + 1, token.length);
    /* GnuTLS needs standard base64 with padding */
    char room[512];
    size_t length = 0;

    for (size_t i = 0; i < text.length; i++) {
        room[length++] = text.data[i] == '-' ? '+' : text.data[i] == '_' ? '/' : text.data[i];
    }
    while (length % 4 != 0) {
        room[length++] = '=';
    }
    assert_int_equal(
        gnutls_base64_decode2(&(gnutls_datum_t){ (unsigned char *)room, (unsigned)length }, &raw),
        0);
    data = (gnutls_datum_t){ (unsigned char *)(uintptr_t)token.data, (unsigned)dot };
    assert_int_equal(gnutls_pubkey_init(&public), 0);
    assert_int_equal(gnutls_pubkey_import_privkey(public, key, 0, 0), 0);
    assert_int_equal(gnutls_pubkey_verify_data2(public, GNUTLS_SIGN_RSA_SHA256, 0, &data, &raw), 0);
    gnutls_free(raw.data);
    gnutls_pubkey_deinit(public);
    gnutls_privkey_deinit(key);
    gnutls_free((void *)(uintptr_t)pem.data);
}

static void bad_keys_are_refused(void **state)
{
    AUTO(arena) arena = arena_new_small(1 << 20);
    struct text pem;
    gnutls_privkey_t key =
        key_new(GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), &pem);
    struct text token;
    const char *why = "";

    (void)state;
    assert_false(jwt_sign(arena, pem, TEXT(""), TEXT("{}"), &token, &why));
    assert_string_equal(why, "the private key is not an RSA key");
    assert_false(jwt_sign(arena, TEXT("no key"), TEXT(""), TEXT("{}"), &token, &why));
    assert_string_equal(why, "the private key is not a key in PEM");
    gnutls_privkey_deinit(key);
    gnutls_free((void *)(uintptr_t)pem.data);
}

static void base64_of_each_length(void **state)
{
    AUTO(arena) arena = arena_new_small(1 << 20);

    (void)state;
    assert_text(jwt_base64(arena, TEXT("")), "");
    assert_text(jwt_base64(arena, TEXT("f")), "Zg");
    assert_text(jwt_base64(arena, TEXT("fo")), "Zm8");
    assert_text(jwt_base64(arena, TEXT("foo")), "Zm9v");
    assert_text(jwt_base64(arena, TEXT("\xfb\xff\xfe")), "-__-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(token_is_verified),
        cmocka_unit_test(bad_keys_are_refused),
        cmocka_unit_test(base64_of_each_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
