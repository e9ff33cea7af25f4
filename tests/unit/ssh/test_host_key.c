#include "ssh/host_key.h"

#include "base/limits.h"
#include "unit.h"
#include "vectors.h"

/* Host keys, and the output of ssh-keygen -l for them. */
static const struct {
    const char *line;
    const char *fingerprint;
} known[] = {
    { VECTOR_RSA, "SHA256:VPfNYivmffwTKtK0MU9ChBskK6rHV1WJAbuOhheHDOM" },
    { VECTOR_ECDSA, "SHA256:xEFj3D5CTxb1z50czWBvtt+fZwQ654NDb+4ftouZSWE" },
    { VECTOR_ROOT, "SHA256:egdNxhzwQQ0qT7l7YOXqVAx4uo1oxKQsy+HFeoYJcRc" },
};

static void test_keys_of_every_kind_are_read_and_shown(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    char fingerprint[SSH_FINGERPRINT_BYTES];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        struct text line = text_from(known[i].line);
        struct text key;
        struct err err;

        assert_true(ssh_host_key_parse(arena, arena_printf(arena, "  %.*s\r\n", TEXT_ARG(line)),
                                       &key, &err));
        assert_true(text_has_prefix(line, key)); /* without its comment */
        assert_int_equal(line.data[key.length], ' ');
        assert_true(ssh_host_key_fingerprint(key, fingerprint));
        assert_string_equal(fingerprint, known[i].fingerprint);
    }
}

static void test_what_is_no_host_key_is_refused(void **state)
{
    static const char *const lines[] = {
        "",
        "ssh-ed25519",
        "ssh-ed25519 ",
        "ssh-ed25519 AAAA",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5", /* its type without a key */
        "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIF6mD8Jl8AkMW0VC3583OzV0HNrAxv09U3os1HUU9XgL",
        "ssh-dss AAAAB3NzaC1kc3MAAACBAMs=",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIF6mD8Jl8AkMW0VC3583OzV0HNrAxv0\xffU3os1HUU9XgL",
        "@cert-authority * " VECTOR_HOST,
        VECTOR_HOST_CERT,
        "SHA256:egdNxhzwQQ0qT7l7YOXqVAx4uo1oxKQsy+HFeoYJcRc",
    };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    char fingerprint[SSH_FINGERPRINT_BYTES];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct text key;
        struct err err = { 0 };

        assert_false(ssh_host_key_parse(arena, text_from(lines[i]), &key, &err));
        assert_int_equal(err.code, CODE_R0715);
        assert_false(ssh_host_key_fingerprint(text_from(lines[i]), fingerprint));
    }
}

/* The length of a key is limited, because a machine's record has limited room for it. */
static void test_a_key_has_a_bound(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct buf line;
    struct text key;
    struct err err;

    (void)state;
    buf_init(&line, arena);
    buf_add_string(&line, "ssh-rsa AAAAB3NzaC1yc2EA");
    for (size_t i = 0; i < LIMIT_RECORD_TEXT_BYTES; i += 4) {
        buf_add_string(&line, "AAAA");
    }
    assert_false(ssh_host_key_parse(arena, buf_text(&line), &key, &err));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_keys_of_every_kind_are_read_and_shown),
        cmocka_unit_test(test_what_is_no_host_key_is_refused),
        cmocka_unit_test(test_a_key_has_a_bound),
    };

    return cmocka_run_group_tests_name("ssh/host_key", cases, NULL, NULL);
}
