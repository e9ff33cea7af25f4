#include "signer/x509.h"

#include "base/limits.h"
#include "unit.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/* GnuTLS verifies the certificates; the product also uses it to read them. */

enum { NOW_S = 1800000000, LIFE_S = 30 * 24 * 3600 };

struct pair {
    struct ssh_key key;
    unsigned char secret[SSH_SECRET_BYTES];
};

static struct pair pair_make(unsigned char seed)
{
    unsigned char seeds[SSH_SEED_BYTES];
    struct pair pair;

    memset(seeds, seed, sizeof(seeds));
    ssh_key_make(seeds, &pair.key, pair.secret);
    return pair;
}

static gnutls_x509_crt_t certificate_read(struct text pem)
{
    gnutls_datum_t datum = { (unsigned char *)pem.data, (unsigned)pem.length };
    gnutls_x509_crt_t out;

    assert_int_equal(gnutls_x509_crt_init(&out), 0);
    assert_int_equal(gnutls_x509_crt_import(out, &datum, GNUTLS_X509_FMT_PEM), 0);
    return out;
}

static struct text leaf_make(struct arena *arena, const struct pair *authority,
                             const struct pair *manager, int64_t after_s)
{
    const struct text others[] = { TEXT("10.0.0.11"), TEXT("fd00::1"), TEXT("reeve-a.example") };
    struct x509_leaf leaf = { .key = manager->key,
                              .name = TEXT("0123456789abcdef"),
                              .others = others,
                              .other_count = 3,
                              .serial = { 0xff, 1, 2 },
                              .after_s = after_s,
                              .before_s = after_s + LIFE_S };

    return x509_sign(arena, &leaf, authority->secret);
}

static unsigned verify(struct arena *arena, struct text leaf_pem, const struct pair *authority,
                       const char *purpose)
{
    gnutls_x509_crt_t root = certificate_read(x509_authority(arena, authority->secret));
    gnutls_x509_crt_t leaf = certificate_read(leaf_pem);
    gnutls_typed_vdata_st data = { .type = GNUTLS_DT_KEY_PURPOSE_OID,
                                   .data = (unsigned char *)purpose };
    gnutls_x509_trust_list_t list;
    unsigned result = 0;

    gnutls_x509_trust_list_init(&list, 0);
    assert_int_equal(gnutls_x509_trust_list_add_cas(list, &root, 1, 0), 1);
    assert_int_equal(gnutls_x509_trust_list_verify_crt2(list, &leaf, 1, &data, 1, 0, &result, NULL),
                     0);
    gnutls_x509_trust_list_deinit(list, 1);
    gnutls_x509_crt_deinit(leaf);
    return result;
}

/* GnuTLS checks times by the computer's clock. */
static int64_t now_s(void)
{
    return (int64_t)time(NULL) - 60;
}

static void test_a_certificate_is_good_for_servers_and_clients(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct pair authority = pair_make(1);
    struct pair other = pair_make(2);
    struct pair manager = pair_make(3);
    struct text leaf = leaf_make(arena, &authority, &manager, now_s());

    (void)state;
    assert_int_equal(verify(arena, leaf, &authority, GNUTLS_KP_TLS_WWW_SERVER), 0);
    assert_int_equal(verify(arena, leaf, &authority, GNUTLS_KP_TLS_WWW_CLIENT), 0);
    assert_int_not_equal(verify(arena, leaf, &authority, GNUTLS_KP_CODE_SIGNING), 0);
    assert_int_not_equal(verify(arena, leaf, &other, GNUTLS_KP_TLS_WWW_CLIENT), 0);
    leaf = leaf_make(arena, &authority, &manager, now_s() - LIFE_S);
    assert_int_not_equal(verify(arena, leaf, &authority, GNUTLS_KP_TLS_WWW_CLIENT), 0);
}

static void test_it_has_its_names_and_times(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct pair authority = pair_make(1);
    struct pair manager = pair_make(3);
    gnutls_x509_crt_t leaf = certificate_read(leaf_make(arena, &authority, &manager, NOW_S));
    char name[64];
    size_t bytes = sizeof(name);
    unsigned char serial[32];
    size_t serial_bytes = sizeof(serial);

    (void)state;
    assert_int_equal(
        gnutls_x509_crt_get_dn_by_oid(leaf, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name, &bytes), 0);
    assert_string_equal(name, "0123456789abcdef");
    assert_true(gnutls_x509_crt_check_hostname(leaf, "0123456789abcdef") != 0);
    assert_true(gnutls_x509_crt_check_hostname(leaf, "reeve-a.example") != 0);
    assert_true(gnutls_x509_crt_check_hostname(leaf, "10.0.0.11") != 0);
    assert_true(gnutls_x509_crt_check_hostname(leaf, "fd00::1") != 0);
    assert_true(gnutls_x509_crt_check_hostname(leaf, "10.0.0.12") == 0);
    assert_true(gnutls_x509_crt_get_activation_time(leaf) == NOW_S);
    assert_true(gnutls_x509_crt_get_expiration_time(leaf) == NOW_S + LIFE_S);
    assert_int_equal(gnutls_x509_crt_get_serial(leaf, serial, &serial_bytes), 0);
    assert_true(serial_bytes == 16 && serial[0] == 0x7f && serial[1] == 1);
    assert_int_equal(gnutls_x509_crt_get_version(leaf), 3);
    gnutls_x509_crt_deinit(leaf);
}

/* From 2050 on, times have a year of four digits. */
static void test_times_after_2049(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct pair authority = pair_make(1);
    struct pair manager = pair_make(3);
    int64_t last_s = 2524607999; /* the last second of 2049 */
    gnutls_x509_crt_t leaf = certificate_read(leaf_make(arena, &authority, &manager, last_s));

    (void)state;
    assert_true(gnutls_x509_crt_get_activation_time(leaf) == last_s);
    assert_true(gnutls_x509_crt_get_expiration_time(leaf) == last_s + LIFE_S);
    gnutls_x509_crt_deinit(leaf);
}

static void test_the_authority_is_the_same_each_time_and_signs_no_authorities(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct pair authority = pair_make(1);
    struct text pem = x509_authority(arena, authority.secret);
    gnutls_x509_crt_t root = certificate_read(pem);
    unsigned critical;
    unsigned is_authority;
    int length;

    (void)state;
    assert_true(text_is_equal(pem, x509_authority(arena, authority.secret)));
    assert_int_equal(gnutls_x509_crt_get_basic_constraints(root, &critical, &is_authority, &length),
                     1);
    assert_true(critical == 1 && is_authority == 1 && length == 0);
    assert_int_equal(gnutls_x509_crt_check_issuer(root, root), 1);
    gnutls_x509_crt_deinit(root);
}

static void test_a_private_key_belongs_to_its_certificate(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct pair authority = pair_make(1);
    struct pair manager = pair_make(3);
    struct text key = x509_private(arena, manager.secret);
    struct text leaf = leaf_make(arena, &authority, &manager, now_s());
    gnutls_datum_t key_datum = { (unsigned char *)key.data, (unsigned)key.length };
    gnutls_datum_t leaf_datum = { (unsigned char *)leaf.data, (unsigned)leaf.length };
    gnutls_certificate_credentials_t credentials;

    (void)state;
    assert_int_equal(gnutls_certificate_allocate_credentials(&credentials), 0);
    assert_int_equal(gnutls_certificate_set_x509_key_mem(credentials, &leaf_datum, &key_datum,
                                                         GNUTLS_X509_FMT_PEM),
                     0);
    gnutls_certificate_free_credentials(credentials);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_certificate_is_good_for_servers_and_clients),
        cmocka_unit_test(test_it_has_its_names_and_times),
        cmocka_unit_test(test_times_after_2049),
        cmocka_unit_test(test_the_authority_is_the_same_each_time_and_signs_no_authorities),
        cmocka_unit_test(test_a_private_key_belongs_to_its_certificate),
    };

    return cmocka_run_group_tests_name("signer/x509", tests, NULL, NULL);
}
