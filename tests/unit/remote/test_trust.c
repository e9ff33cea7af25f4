/* The keys that a node must trust, as an archive for the program on the node. */
#include "unit.h"

#include "remote/archive.h"
#include "remote/trust.h"

enum { FILES = 16 };

/* The content of an archive. */
struct found {
    struct text bytes;
    char names[FILES][64];
    struct text contents[FILES];
    size_t count;
};

static bool member_found(void *arg, const struct archive_member *member, struct err *err)
{
    struct found *found = arg;

    (void)err;
    snprintf(found->names[found->count], 64, "%.*s", TEXT_ARG(member->name));
    found->contents[found->count++] =
        text_slice(found->bytes, (size_t)member->offset, (size_t)member->bytes);
    return true;
}

static struct found read_back(struct text bytes)
{
    struct found found = { .bytes = bytes };
    struct archive *archive = archive_new(member_found, &found);
    struct err err;

    assert_true(archive_feed(archive, bytes, &err));
    assert_true(archive_end(archive, &err));
    archive_free(archive);
    return found;
}

static struct text file(const struct found *found, const char *name)
{
    for (size_t i = 0; i < found->count; i++) {
        if (strcmp(found->names[i], name) == 0) {
            return found->contents[i];
        }
    }
    return TEXT("NONE");
}

static const struct ssh_key keys[2] = { { { 1 } }, { { 2 } } };
static const struct text principals[] = { TEXT("cluster:acme/0f3c") };

static struct trust trust_of(void)
{
    return (struct trust){ .user_authorities = keys,
                           /* during a rotation both authorities are trusted */
                           .user_authority_count = 2,
                           .principals = principals,
                           .principal_count = 1,
                           .revoked = TEXT("KRL"),
                           .host_authorities = keys,
                           .host_authority_count = 1,
                           .host_certificate =
                               TEXT("ssh-ed25519-cert-v01@openssh.com AAAA host\n\n"),
                           .root_certificate = TEXT("ssh-ed25519-cert-v01@openssh.com BBBB root") };
}

static void an_archive_has_what_sshd_and_ssh_read(void **state)
{
    AUTO(arena) arena = arena_new(1 << 22);
    struct trust trust = trust_of();
    struct found found;
    struct text bytes;
    struct err err;

    (void)state;
    assert_true(trust_format(arena, &trust, &bytes, &err));
    found = read_back(bytes);
    assert_text(file(&found, "etc/principals/root"), "cluster:acme/0f3c\n");
    assert_text(file(&found, "etc/revoked"), "KRL");
    assert_text(file(&found, "etc/host-cert.pub"), "ssh-ed25519-cert-v01@openssh.com AAAA host\n");
    assert_text(file(&found, "root-cert.pub"), "ssh-ed25519-cert-v01@openssh.com BBBB root\n");
    assert_text(file(&found, "user-cert.pub"), "NONE");
    assert_text(file(&found, "sshd.conf"), "TrustedUserCAKeys /etc/ssh/reeve/authorities\n"
                                           "HostCertificate /etc/ssh/reeve/host-cert.pub\n"
                                           "AuthorizedPrincipalsFile /etc/ssh/reeve/principals/%u\n"
                                           "RevokedKeys /etc/ssh/reeve/revoked\n");
    assert_true(text_has_prefix(file(&found, "etc/host-authorities"), TEXT("ssh-ed25519 ")));
    assert_text(file(&found, "etc/known_hosts"), "NONE"); /* the file depends on the members */
    assert_text(file(&found, "ssh.conf"), "NONE");
}

static void who_logs_in_from_outside_is_let_in_by_other_lines(void **state)
{
    AUTO(arena) arena = arena_new(1 << 22);
    struct trust trust = trust_of();
    struct found found;
    struct text bytes;
    struct err err;

    (void)state;
    trust.host_certificate = TEXT(""); /* the existing certificate is kept */
    trust.root_certificate = TEXT("");
    trust.user = TEXT("admin");
    trust.mark = TEXT("cert-authority,principals=\"c\" ");
    trust.lines = TEXT("one\ntwo");
    assert_true(trust_format(arena, &trust, &bytes, &err));
    found = read_back(bytes);
    assert_text(file(&found, "etc/host-cert.pub"), "NONE");
    assert_text(file(&found, "root-cert.pub"), "NONE");
    assert_text(file(&found, "etc/principals/admin"), "cluster:acme/0f3c\n");
    assert_text(file(&found, "mark"), "cert-authority,principals=\"c\"\n");
    assert_text(file(&found, "lines"), "one\ntwo\n");
    trust.user = TEXT("../root");
    assert_true(trust_format(arena, &trust, &bytes, &err));
    found = read_back(bytes);
    assert_text(file(&found, "etc/principals/../root"), "NONE");
}

static void what_would_shut_everybody_out_is_refused(void **state)
{
    static const struct text bad[] = { TEXT("a b") };
    AUTO(arena) arena = arena_new(1 << 22);
    struct trust trust = trust_of();
    struct text bytes;
    struct err err;

    (void)state;
    trust.revoked = TEXT("");
    assert_false(trust_format(arena, &trust, &bytes, &err));
    assert_int_equal(err.code, CODE_R0741);
    trust = trust_of();
    trust.principals = bad;
    assert_false(trust_format(arena, &trust, &bytes, &err));
    assert_int_equal(err.code, CODE_R0744);
}

static void classic_lines_are_single_lines(void **state)
{
    static const struct text bad[] = { TEXT("a\nb"), TEXT("a\rb"), TEXT(""),
                                       TEXT("# reeve end x") };
    static const struct text good[] = { TEXT("ssh-ed25519 AAAA root@a\n"),
                                        TEXT("ssh-ed25519 BBBB") };
    AUTO(arena) arena = arena_new(1 << 22);
    struct found found;
    struct text bytes;
    struct err err;

    (void)state;
    assert_true(trust_classic(arena, good, 2, NULL, 0, &bytes, &err));
    found = read_back(bytes);
    assert_text(file(&found, "authorized_keys"), "ssh-ed25519 AAAA root@a\nssh-ed25519 BBBB\n");
    assert_text(file(&found, "known_hosts"), "");
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        assert_false(trust_classic(arena, &bad[i], 1, NULL, 0, &bytes, &err));
        assert_int_equal(err.code, CODE_R0744);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_archive_has_what_sshd_and_ssh_read),
        cmocka_unit_test(who_logs_in_from_outside_is_let_in_by_other_lines),
        cmocka_unit_test(what_would_shut_everybody_out_is_refused),
        cmocka_unit_test(classic_lines_are_single_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
