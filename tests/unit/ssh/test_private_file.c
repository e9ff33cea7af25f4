#include "ssh/private_file.h"

#include "base/limits.h"
#include "ssh/bytes.h"
#include "ssh/key.h"
#include "unit.h"

#define OPEN  "-----BEGIN OPENSSH PRIVATE KEY-----\n"
#define CLOSE "-----END OPENSSH PRIVATE KEY-----\n"

/* Makes a file in OpenSSH's format with this cipher and this type of key. It contains no real
 * key. */
static struct text file_make(struct arena *arena, const char *cipher, const char *type)
{
    struct buf inner;
    struct buf blob;
    struct buf file;

    buf_init(&inner, arena);
    ssh_add_string(&inner, text_from(type));
    ssh_add_string(&inner, TEXT("public"));
    buf_init(&blob, arena);
    buf_add(&blob, (struct text){ "openssh-key-v1", 15 });
    ssh_add_string(&blob, text_from(cipher));
    ssh_add_string(&blob, TEXT("none"));
    ssh_add_string(&blob, TEXT(""));
    ssh_add_u32(&blob, 1);
    ssh_add_string(&blob, buf_text(&inner));
    ssh_add_string(&blob, TEXT("private"));
    buf_init(&file, arena);
    buf_add_string(&file, OPEN);
    ssh_add_base64(&file, buf_text(&blob));
    buf_add_string(&file, "\n" CLOSE);
    return buf_text(&file);
}

static void test_a_key_without_a_passphrase_is_usable(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    unsigned char secret[SSH_SECRET_BYTES] = { 1, 2, 3 };
    char file[SSH_PRIVATE_BYTES];
    size_t length = ssh_key_format_private(secret, 7, TEXT("ops"), file);

    (void)state;
    assert_int_equal(ssh_private_kind((struct text){ file, length }), SSH_PRIVATE_USABLE);
    assert_int_equal(ssh_private_kind(file_make(arena, "none", "ssh-rsa")), SSH_PRIVATE_USABLE);
    assert_int_equal(ssh_private_kind(TEXT(
                         "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n")),
                     SSH_PRIVATE_USABLE);
    assert_int_equal(ssh_private_kind(TEXT(
                         "-----BEGIN PRIVATE KEY-----\r\nMIIE\r\n-----END PRIVATE KEY-----\r\n")),
                     SSH_PRIVATE_USABLE);
    /* each truncated file counts as damaged, at any length */
    for (size_t i = 0; i + 40 < length; i++) {
        assert_int_equal(ssh_private_kind((struct text){ file, i }), SSH_PRIVATE_NONE);
    }
}

static void test_what_cannot_log_in_is_reported_apart(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const struct {
        struct text file;
        enum ssh_private kind;
    } cases[] = {
        { file_make(arena, "aes256-ctr", "ssh-ed25519"), SSH_PRIVATE_ENCRYPTED },
        { file_make(arena, "none", "sk-ssh-ed25519@openssh.com"), SSH_PRIVATE_TOKEN },
        { TEXT(
              "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\nMI\n-----END RSA PRIVATE KEY-----\n"),
          SSH_PRIVATE_ENCRYPTED },
        { TEXT("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMI\n-----END ENCRYPTED PRIVATE KEY-----\n"),
          SSH_PRIVATE_ENCRYPTED },
        { TEXT("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI ops\n"), SSH_PRIVATE_PUBLIC },
        { TEXT("-----BEGIN PUBLIC KEY-----\nMI\n-----END PUBLIC KEY-----\n"), SSH_PRIVATE_PUBLIC },
        { TEXT("PuTTY-User-Key-File-3: ssh-ed25519\n"), SSH_PRIVATE_PUTTY },
        { TEXT(""), SSH_PRIVATE_NONE },
        { TEXT("\n" OPEN "AAAA\n" CLOSE), SSH_PRIVATE_NONE },
        { TEXT(OPEN "b3BlbnNzaC1rZXktdjEA\n" CLOSE), SSH_PRIVATE_NONE },
        { TEXT(OPEN "!!\n" CLOSE), SSH_PRIVATE_NONE },
        { TEXT("-----BEGIN CERTIFICATE-----\nMI\n-----END CERTIFICATE-----\n"), SSH_PRIVATE_NONE },
        { TEXT("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n"), SSH_PRIVATE_NONE },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_int_equal(ssh_private_kind(cases[i].file), cases[i].kind);
        assert_true(strlen(ssh_private_why(cases[i].kind)) > 0);
        assert_true(strlen(ssh_private_hint(cases[i].kind)) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_a_key_without_a_passphrase_is_usable),
        cmocka_unit_test(test_what_cannot_log_in_is_reported_apart),
    };

    return cmocka_run_group_tests_name("ssh/private_file", cases, NULL, NULL);
}
