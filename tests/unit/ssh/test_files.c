#include "ssh/files.h"

#include "base/limits.h"
#include "unit.h"
#include "vectors.h"

static struct ssh_key key_of(const char *line)
{
    struct text comment;
    struct ssh_key key;
    struct err err;

    assert_true(ssh_key_parse(text_from(line), &key, &comment, &err));
    return key;
}

/* Names that could end a line, a word or a list, or that have a special meaning. */
static const char *const bad_names[] = { "",   "a b", "a\tb", "a\nb", "a,b",  "\"a",
                                         "a'", "a\\", "#a",   "!a",   "\xff", "a\x7f" };

static void test_bad_names_are_refused_and_leave_nothing_behind(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct ssh_key key = key_of(VECTOR_HOST);
    char longest[LIMIT_SSH_NAME_BYTES + 1];
    struct buf buf;

    (void)state;
    memset(longest, 'a', sizeof(longest));
    buf_init(&buf, arena);
    buf_add_string(&buf, "before\n");
    for (size_t i = 0; i <= ARRAY_COUNT(bad_names); i++) {
        struct text names[] = { TEXT("good"), i < ARRAY_COUNT(bad_names)
                                                  ? text_from(bad_names[i])
                                                  : (struct text){ longest, sizeof(longest) } };
        struct err err = { 0 };

        assert_false(ssh_known_host_add(&buf, SSH_KNOWN_HOST, names, 2, &key, &err));
        assert_int_equal(err.code, CODE_R0744);
        assert_false(ssh_principals_add(&buf, names, 2, &err));
        assert_text(buf_text(&buf), "before\n");
    }
}

static void test_a_principal_is_no_pattern_and_no_option(void **state)
{
    (void)state;
    assert_true(ssh_is_principal(TEXT("cluster:acme/0f3c")));
    assert_true(ssh_is_principal(TEXT("fe80::1")));
    assert_false(ssh_is_principal(TEXT("*")));
    assert_false(ssh_is_principal(TEXT("web-?")));
    assert_false(ssh_is_principal(TEXT("-x")));
    assert_false(ssh_is_principal(TEXT("from=x")));
}

static void test_paths_are_absolute_and_plain(void **state)
{
    static const char *const bad[] = { "",    "x",     "/a b", "/a\n", "/a\"",   "/%h",
                                       "/%u", "/100%", "/a#b", "/%%u", "/a\xff", "/a*" };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct ssh_sshd good = { .authorities = "/etc/a", .principals = "/etc/p/%u" };
    struct err err = { 0 };
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        struct ssh_sshd sshd = { .revoked = bad[i] };

        assert_false(ssh_sshd_add(&buf, &sshd, &err));
        assert_int_equal(err.code, CODE_R0744);
    }
    good.principals = "/etc/%u/%u";
    assert_false(ssh_sshd_add(&buf, &good, &err));
    assert_int_equal(buf.length, 0);
    good.principals = "/etc/p/%u";
    assert_true(ssh_sshd_add(&buf, &good, &err));
    assert_text(buf_text(&buf), "TrustedUserCAKeys /etc/a\nAuthorizedPrincipalsFile /etc/p/%u\n");
}

static void test_lines_of_known_hosts(void **state)
{
    static const struct text hosts[] = { { "web-1", 5 }, { "[10.0.0.7]:2222", 15 }, { "*.x", 3 } };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct ssh_key key = key_of(VECTOR_HOST);
    struct text line = ssh_key_format(arena, &key, TEXT(""));
    struct err err;
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    assert_true(ssh_known_host_add(&buf, SSH_KNOWN_AUTHORITY, hosts, 3, &key, &err));
    assert_true(ssh_known_host_add(&buf, SSH_KNOWN_HOST, hosts, 1, &key, &err));
    assert_true(ssh_known_host_add(&buf, SSH_KNOWN_REVOKED, &hosts[2], 1, &key, &err));
    assert_text(buf_text(&buf),
                arena_printf(arena,
                             "@cert-authority web-1,[10.0.0.7]:2222,*.x %.*s\nweb-1 %.*s\n"
                             "@revoked *.x %.*s\n",
                             TEXT_ARG(line), TEXT_ARG(line), TEXT_ARG(line))
                    .data);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_bad_names_are_refused_and_leave_nothing_behind),
        cmocka_unit_test(test_a_principal_is_no_pattern_and_no_option),
        cmocka_unit_test(test_paths_are_absolute_and_plain),
        cmocka_unit_test(test_lines_of_known_hosts),
    };

    return cmocka_run_group_tests_name("ssh/files", cases, NULL, NULL);
}
