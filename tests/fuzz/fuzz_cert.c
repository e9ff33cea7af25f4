/* Certificates: no input breaks the parser; formatting parsed data gives the same bytes; and no
 * certificate is valid for an authority whose private key does not exist. An input is a certificate
 * without base64, because base64 would hide its structure from the fuzzer. */
#include "base/limits.h"
#include "fuzz.h"
#include "ssh/bytes.h"
#include "ssh/cert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char seed[SSH_SEED_BYTES] = { 5 };
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_WORK_ARENA_BYTES);
    unsigned char secret[SSH_SECRET_BYTES];
    struct ssh_key authority;
    struct ssh_claim claim = { SSH_CERT_USER, &authority, 1, TEXT("root"), 1000 };
    struct err err = { 0 };
    struct ssh_cert cert;
    struct buf line;

    if (size > LIMIT_SSH_LINE_BYTES) {
        return 0;
    }
    buf_init(&line, arena);
    buf_add_string(&line, SSH_CERT_FORMAT " ");
    ssh_add_base64(&line, (struct text){ (const char *)data, size });
    if (!ssh_cert_parse(arena, buf_text(&line), &cert, &err)) {
        FUZZ_CHECK(err.code == CODE_R0741 && err.text[0] != '\0');
        return 0;
    }
    FUZZ_CHECK(text_is_equal(ssh_cert_format(arena, &cert, TEXT("")), buf_text(&line)));
    ssh_key_make(seed, &authority, secret);
    FUZZ_CHECK(!ssh_cert_check(&cert, &claim, &err) && err.code == CODE_R0742);
    return 0;
}
