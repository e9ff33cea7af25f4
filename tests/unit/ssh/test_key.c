#include "ssh/key.h"

#include "base/hex.h"
#include "base/limits.h"
#include "unit.h"
#include "vectors.h"

#include <sodium.h>

/* RFC 8032, 7.1, test 1. */
static const unsigned char rfc_seed[SSH_SEED_BYTES] = {
    0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
    0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
};
#define RFC_LINE "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"

static void test_E10_the_line_of_a_seed_is_known(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    unsigned char secret[SSH_SECRET_BYTES];
    struct ssh_key key;

    (void)state;
    ssh_key_make(rfc_seed, &key, secret);
    assert_text(ssh_key_format(arena, &key, TEXT("")), RFC_LINE);
    assert_text(ssh_key_format(arena, &key, TEXT("root@web-1")), RFC_LINE " root@web-1");
    assert_memory_equal(secret, rfc_seed, SSH_SEED_BYTES);
}

static void test_a_line_of_ssh_keygen_is_read_and_written_as_the_same(void **state)
{
    static const char *const lines[] = { VECTOR_ROOT, VECTOR_USER_CA, VECTOR_HOST };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct text comment;
        struct ssh_key key;
        struct err err;

        assert_true(ssh_key_parse(text_from(lines[i]), &key, &comment, &err));
        assert_text(ssh_key_format(arena, &key, comment), lines[i]);
    }
}

static void test_ends_of_lines_are_passed_over(void **state)
{
    static const char *const lines[] = { RFC_LINE, RFC_LINE "\n", RFC_LINE "\r\n" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct text comment;
        struct ssh_key key;
        struct err err;

        assert_true(ssh_key_parse(text_from(lines[i]), &key, &comment, &err));
        assert_int_equal(comment.length, 0);
    }
}

static void test_what_is_refused_says_where(void **state)
{
    static const struct {
        const char *line;
        unsigned column;
        const char *word;
    } rows[] = {
        { "", 1, "no public key" },
        { VECTOR_RSA, 1, "'ssh-rsa'" },
        { VECTOR_ECDSA, 1, "'ecdsa-sha2-nistp256'" },
        { "no-pty " RFC_LINE, 1, "does not begin" },
        { " " RFC_LINE, 1, "no public key" },
        { "-----BEGIN OPENSSH PRIVATE KEY-----", 1, "private" },
        { "ssh-ed25519", 12, "missing" },
        { "ssh-ed25519 AAAA", 13, "not a key of" },
        { "ssh-ed25519 AAA*", 13, "base64" },
        { "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1E=", 13,
          "not a key of" },
        { "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1EaAA==",
          13, "extra bytes" },
        /* the inner type differs; the point is the neutral element, of order 1 */
        { "ssh-ed25519 AAAAC3NzaC1lZDI1NTE4AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea", 13,
          "not a key of" },
        { "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 13,
          "not a key of" },
        { RFC_LINE " a\nb", 83, "comment" },
        { RFC_LINE " a\x1b", 83, "comment" },
        { RFC_LINE " a\xff", 83, "comment" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct err err = { 0 };
        struct text comment;
        struct ssh_key key;

        assert_false(ssh_key_parse(text_from(rows[i].line), &key, &comment, &err));
        assert_int_equal(err.code, CODE_R0740);
        assert_non_null(strstr(err.text, rows[i].word));
        assert_int_equal(err.place.line, 1);
        assert_int_equal(err.place.column, rows[i].column);
    }
}

/* Each point with and without its sign, in the format of the library: eight times the point is the
 * neutral element. */
static void test_points_of_small_order_are_no_keys(void **state)
{
    static const unsigned char neutral[SSH_KEY_BYTES] = { 1 };
    static const char *const points[] = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    };

    (void)state;
    for (size_t i = 0; i < 2 * ARRAY_COUNT(points); i++) {
        unsigned char sum[SSH_KEY_BYTES];
        struct ssh_key key;

        hex_parse(text_from(points[i / 2]), (char *)key.bytes);
        memcpy(sum, key.bytes, sizeof(sum));
        for (int doubled = 0; doubled < 3; doubled++) {
            assert_int_equal(crypto_core_ed25519_add(sum, sum, sum), 0);
        }
        assert_memory_equal(sum, neutral, sizeof(sum));
        key.bytes[SSH_KEY_BYTES - 1] ^= (unsigned char)(i % 2 * 0x80);
        assert_false(ssh_key_is_sound(&key));
    }
}

/* Values from the prime on are alternative encodings of smaller values. */
static void test_another_spelling_is_no_key(void **state)
{
    struct ssh_key key;

    (void)state;
    for (unsigned lowest = 0; lowest <= 0xff; lowest++) {
        memset(key.bytes, 0xff, sizeof(key.bytes));
        key.bytes[0] = (unsigned char)lowest;
        assert_int_equal(ssh_key_is_sound(&key), lowest < 0xec);
        key.bytes[SSH_KEY_BYTES - 1] = 0x7f;
        assert_int_equal(ssh_key_is_sound(&key), lowest < 0xec);
        key.bytes[7] = 0xfe;
        assert_true(ssh_key_is_sound(&key));
    }
}

static void test_a_line_has_a_bound(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    char *line = arena_alloc(arena, LIMIT_SSH_LINE_BYTES + 1);
    char comment[SSH_COMMENT_MAX + 2];
    struct err err = { 0 };
    struct text text;
    struct ssh_key key;

    (void)state;
    memset(line, 'A', LIMIT_SSH_LINE_BYTES + 1);
    memcpy(line, "ssh-ed25519 ", 12);
    assert_false(ssh_key_parse((struct text){ line, LIMIT_SSH_LINE_BYTES + 1 }, &key, &text, &err));
    memset(comment, 'c', sizeof(comment));
    text = arena_printf(arena, RFC_LINE " %.*s", SSH_COMMENT_MAX, comment);
    assert_true(ssh_key_parse(text, &key, &text, &err));
    assert_int_equal(text.length, SSH_COMMENT_MAX);
    text = arena_printf(arena, RFC_LINE " %.*s", SSH_COMMENT_MAX + 1, comment);
    assert_false(ssh_key_parse(text, &key, &text, &err));
}

static void test_a_fingerprint_is_what_ssh_keygen_prints(void **state)
{
    char fingerprint[SSH_FINGERPRINT_BYTES];
    struct text comment;
    struct ssh_key key;
    struct err err;

    (void)state;
    assert_true(ssh_key_parse(TEXT(VECTOR_ROOT), &key, &comment, &err));
    ssh_key_fingerprint(&key, fingerprint);
    assert_string_equal(fingerprint, "SHA256:egdNxhzwQQ0qT7l7YOXqVAx4uo1oxKQsy+HFeoYJcRc");
}

static void test_a_private_file_has_room_for_every_comment(void **state)
{
    unsigned char secret[SSH_SECRET_BYTES];
    char comment[SSH_COMMENT_MAX];
    char file[SSH_PRIVATE_BYTES];
    struct ssh_key key;

    (void)state;
    ssh_key_make(rfc_seed, &key, secret);
    memset(comment, 'c', sizeof(comment));
    for (size_t length = 0; length <= sizeof(comment); length++) {
        struct text text = { comment, length };
        struct text whole = { file, ssh_key_format_private(secret, 7, text, file) };

        assert_true(text_has_prefix(whole, TEXT("-----BEGIN OPENSSH PRIVATE KEY-----\n")));
        assert_true(text_has_suffix(whole, TEXT("\n-----END OPENSSH PRIVATE KEY-----\n")));
    }
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_E10_the_line_of_a_seed_is_known),
        cmocka_unit_test(test_a_line_of_ssh_keygen_is_read_and_written_as_the_same),
        cmocka_unit_test(test_ends_of_lines_are_passed_over),
        cmocka_unit_test(test_what_is_refused_says_where),
        cmocka_unit_test(test_points_of_small_order_are_no_keys),
        cmocka_unit_test(test_another_spelling_is_no_key),
        cmocka_unit_test(test_a_line_has_a_bound),
        cmocka_unit_test(test_a_fingerprint_is_what_ssh_keygen_prints),
        cmocka_unit_test(test_a_private_file_has_room_for_every_comment),
    };

    return cmocka_run_group_tests_name("ssh/key", cases, NULL, NULL);
}
