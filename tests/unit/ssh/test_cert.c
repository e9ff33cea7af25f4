#include "ssh/cert.h"

#include "base/limits.h"
#include "ssh/bytes.h"
#include "unit.h"
#include "vectors.h"

/* 2026-01-01 and a week later, the validity given to ssh-keygen. */
enum { AFTER_S = 1767225600, BEFORE_S = AFTER_S + 7 * 24 * 3600 };

static struct ssh_key key_of(const char *line)
{
    struct text comment;
    struct ssh_key key;
    struct err err;

    assert_true(ssh_key_parse(text_from(line), &key, &comment, &err));
    return key;
}

static struct ssh_cert cert_of(struct arena *arena, const char *line)
{
    struct ssh_cert cert;
    struct err err = { 0 };

    assert_true(ssh_cert_parse(arena, text_from(line), &cert, &err));
    return cert;
}

static void assert_flag(const struct ssh_option *option, const char *name)
{
    assert_text(option->name, name);
    assert_int_equal(option->value.length, 0);
}

static void test_a_users_certificate_of_ssh_keygen_is_read(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct ssh_cert cert = cert_of(arena, VECTOR_USER_CERT);
    struct ssh_key root = key_of(VECTOR_ROOT);
    struct ssh_key authority = key_of(VECTOR_USER_CA);

    (void)state;
    assert_int_equal(cert.kind, SSH_CERT_USER);
    assert_true(cert.serial == 42);
    assert_text(cert.id, "acme/0f3c/web-1/root");
    assert_int_equal(cert.principal_count, 1);
    assert_text(cert.principals[0], "cluster:acme/0f3c");
    assert_true(cert.after_s == AFTER_S && cert.before_s == BEFORE_S);
    assert_int_equal(cert.must_count, 2);
    assert_text(cert.must[0].name, "force-command");
    assert_text(cert.must[1].name, "source-address");
    assert_int_equal(cert.may_count, 2);
    assert_flag(&cert.may[0], "permit-port-forwarding");
    assert_flag(&cert.may[1], "permit-pty");
    assert_true(ssh_key_is_equal(&cert.key, &root));
    assert_true(ssh_key_is_equal(&cert.authority, &authority));
}

static void test_a_hosts_certificate_of_ssh_keygen_is_read(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct ssh_cert cert = cert_of(arena, VECTOR_HOST_CERT);

    (void)state;
    assert_int_equal(cert.kind, SSH_CERT_HOST);
    assert_true(cert.serial == UINT64_MAX && cert.after_s == 0 && cert.before_s == UINT64_MAX);
    assert_int_equal(cert.principal_count, 3);
    assert_text(cert.principals[2], "10.0.0.7");
    assert_int_equal(cert.must_count + cert.may_count, 0);
}

static void test_what_was_read_is_written_as_the_same(void **state)
{
    static const char *const lines[] = { VECTOR_USER_CERT, VECTOR_HOST_CERT };
    static const char *const comments[] = { "root@web-1", "host" };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct ssh_cert cert = cert_of(arena, lines[i]);

        assert_text(ssh_cert_format(arena, &cert, text_from(comments[i])), lines[i]);
    }
}

static void test_other_kinds_of_keys_and_of_lines_are_refused(void **state)
{
    static const char *const lines[] = {
        VECTOR_RSA_CERT, VECTOR_ROOT,         "",
        SSH_CERT_FORMAT, SSH_CERT_FORMAT " ", SSH_CERT_FORMAT " AAAA"
    };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct err err = { 0 };
        struct ssh_cert cert;

        assert_false(ssh_cert_parse(arena, text_from(lines[i]), &cert, &err));
        assert_int_equal(err.code, CODE_R0741);
    }
}

/* ---- checking ---- */

/* Makes a certificate, valid from 1000 to 2000 for two names. */
static struct ssh_cert cert_make(const char *seed_word, enum ssh_cert_kind kind,
                                 const struct ssh_option *must, size_t must_count)
{
    static const struct text principals[] = { { "web-1", 5 }, { "web-2", 5 } };
    unsigned char seed[SSH_SEED_BYTES] = { 0 };
    unsigned char secret[SSH_SECRET_BYTES];
    struct ssh_key authority;
    struct ssh_cert cert = { .key = key_of(VECTOR_ROOT),
                             .serial = 7,
                             .kind = kind,
                             .id = TEXT("somebody"),
                             .principals = principals,
                             .principal_count = ARRAY_COUNT(principals),
                             .after_s = 1000,
                             .before_s = 2000,
                             .must = must,
                             .must_count = must_count };

    memcpy(seed, seed_word, strlen(seed_word));
    ssh_key_make(seed, &authority, secret);
    ssh_cert_sign(&cert, secret);
    return cert;
}

static bool holds(const struct ssh_cert *cert, const struct ssh_key *authority,
                  enum ssh_cert_kind kind, const char *principal, uint64_t now_s,
                  const char *because)
{
    struct ssh_claim claim = { kind, authority, 1, text_from(principal), now_s };
    struct err err = { 0 };
    bool is_good = ssh_cert_check(cert, &claim, &err);

    if (!is_good) {
        assert_int_equal(err.code, CODE_R0742);
        assert_non_null(strstr(err.text, because));
    }
    return is_good;
}

static void test_SAFETY_a_certificate_holds_for_what_it_says_alone(void **state)
{
    static const struct ssh_option forced = { { "force-command", 13 }, { "\0\0\0\1x", 5 } };
    struct ssh_cert cert = cert_make("ours", SSH_CERT_HOST, NULL, 0);
    struct ssh_cert other = cert_make("theirs", SSH_CERT_HOST, NULL, 0);
    struct ssh_cert bound = cert_make("ours", SSH_CERT_HOST, &forced, 1);
    struct ssh_key ours = cert.authority;

    (void)state;
    assert_true(holds(&cert, &ours, SSH_CERT_HOST, "web-1", 1000, ""));
    assert_true(holds(&cert, &ours, SSH_CERT_HOST, "web-2", 1999, ""));
    assert_false(holds(&cert, &ours, SSH_CERT_HOST, "web-1", 999, "not valid yet"));
    assert_false(holds(&cert, &ours, SSH_CERT_HOST, "web-1", 2000, "expired"));
    assert_false(holds(&cert, &ours, SSH_CERT_HOST, "web-3", 1500, "name"));
    assert_false(holds(&cert, &ours, SSH_CERT_USER, "web-1", 1500, "certificate of a host"));
    assert_false(holds(&other, &ours, SSH_CERT_HOST, "web-1", 1500, "not trusted"));
    assert_false(holds(&bound, &ours, SSH_CERT_HOST, "web-1", 1500, "critical option"));
    other.authority = ours; /* a forgery without the private key of the authority */
    assert_false(holds(&other, &ours, SSH_CERT_HOST, "web-1", 1500, "signature"));
    cert.principal_count = 0;
    assert_false(holds(&cert, &ours, SSH_CERT_HOST, "web-1", 1500, "signature"));
}

static void test_one_that_names_nobody_is_good_for_nobody(void **state)
{
    unsigned char seed[SSH_SEED_BYTES] = { 1 };
    unsigned char secret[SSH_SECRET_BYTES];
    struct ssh_cert cert = cert_make("ours", SSH_CERT_USER, NULL, 0);

    (void)state;
    ssh_key_make(seed, &cert.authority, secret);
    cert.principal_count = 0;
    ssh_cert_sign(&cert, secret);
    assert_false(holds(&cert, &cert.authority, SSH_CERT_USER, "web-1", 1500, "name"));
    assert_false(holds(&cert, &cert.authority, SSH_CERT_USER, "", 1500, "name"));
}

/* Changes every byte of both vectors: the damaged certificates are either not parsed or not
 * valid. */
static void test_no_byte_can_be_changed(void **state)
{
    static const char *const lines[] = { VECTOR_USER_CERT, VECTOR_HOST_CERT };
    static const char *const authorities[] = { VECTOR_USER_CA, VECTOR_HOST_CA };
    static const char *const principals[] = { "cluster:acme/0f3c", "web-1" };
    size_t read = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        struct text head = TEXT(SSH_CERT_FORMAT " ");
        struct text rest = text_slice(text_from(lines[i]), head.length, SIZE_MAX);
        struct ssh_key authority = key_of(authorities[i]);
        struct text blob;

        assert_true(ssh_base64_parse(arena, text_slice(rest, 0, text_find_byte(rest, ' ')), &blob));
        for (size_t at = 0; at < blob.length; at++) {
            AUTO(arena) scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
            char *bytes = arena_copy(scratch, blob.data, blob.length);
            struct ssh_cert cert;
            struct err err = { 0 };
            struct buf buf;

            bytes[at] = (char)(bytes[at] ^ 1);
            buf_init(&buf, scratch);
            buf_add(&buf, head);
            ssh_add_base64(&buf, (struct text){ bytes, blob.length });
            if (ssh_cert_parse(scratch, buf_text(&buf), &cert, &err)) {
                struct ssh_claim claim = { i == 0 ? SSH_CERT_USER : SSH_CERT_HOST, &authority, 1,
                                           text_from(principals[i]), AFTER_S };

                read++;
                cert.must_count = i == 0 ? cert.must_count : 0;
                assert_false(ssh_cert_check(&cert, &claim, &err));
            }
        }
    }
    assert_true(read > 200); /* enough certificates were parsed for the signature to be checked */
}

static void test_lists_have_bounds(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct text *names = arena_array(arena, struct text, LIMIT_SSH_PRINCIPALS);
    struct ssh_cert cert = cert_make("ours", SSH_CERT_HOST, NULL, 0);
    struct ssh_cert read;
    struct err err;

    (void)state;
    for (size_t i = 0; i < LIMIT_SSH_PRINCIPALS; i++) {
        names[i] = arena_printf(arena, "web-%zu", i);
    }
    cert.principals = names;
    cert.principal_count = LIMIT_SSH_PRINCIPALS;
    assert_true(ssh_cert_parse(arena, ssh_cert_format(arena, &cert, TEXT("")), &read, &err));
    assert_int_equal(read.principal_count, LIMIT_SSH_PRINCIPALS);
    assert_text(read.principals[255], "web-255");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_a_users_certificate_of_ssh_keygen_is_read),
        cmocka_unit_test(test_a_hosts_certificate_of_ssh_keygen_is_read),
        cmocka_unit_test(test_what_was_read_is_written_as_the_same),
        cmocka_unit_test(test_other_kinds_of_keys_and_of_lines_are_refused),
        cmocka_unit_test(test_SAFETY_a_certificate_holds_for_what_it_says_alone),
        cmocka_unit_test(test_one_that_names_nobody_is_good_for_nobody),
        cmocka_unit_test(test_no_byte_can_be_changed),
        cmocka_unit_test(test_lists_have_bounds),
    };

    return cmocka_run_group_tests_name("ssh/cert", cases, NULL, NULL);
}
