/* Untrusted public key lines: no input breaks the parser, a refusal has its place, and formatting a
 * parsed key gives an equal line. */
#include "base/limits.h"
#include "fuzz.h"
#include "ssh/host_key.h"

/* Checks a host key of any type: formatting and parsing gives the same key, without a comment, and
 * it has a fingerprint. */
static void host_key_fuzz(struct arena *arena, struct text line)
{
    char fingerprint[SSH_FINGERPRINT_BYTES];
    struct err err = { 0 };
    struct text again;
    struct text key;

    if (!ssh_host_key_parse(arena, line, &key, &err)) {
        FUZZ_CHECK(err.code == CODE_R0715);
        return;
    }
    FUZZ_CHECK(key.length <= LIMIT_RECORD_TEXT_BYTES && text_is_visible(key));
    FUZZ_CHECK(ssh_host_key_parse(arena, key, &again, &err) && text_is_equal(again, key));
    FUZZ_CHECK(ssh_host_key_fingerprint(key, fingerprint));
    FUZZ_CHECK(strlen(fingerprint) == SSH_FINGERPRINT_BYTES - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = arena_new_small(LIMIT_SSH_ARENA_BYTES);
    struct text line = { (const char *)data, size };
    char fingerprint[SSH_FINGERPRINT_BYTES];
    struct err err = { 0 };
    struct text comment;
    struct text written;
    struct ssh_key again;
    struct ssh_key key;

    host_key_fuzz(arena, line);
    if (!ssh_key_parse(line, &key, &comment, &err)) {
        FUZZ_CHECK(err.code == CODE_R0740 && err.text[0] != '\0');
        FUZZ_CHECK(err.place.line == 1 && err.place.column >= 1 && err.place.column <= size + 1);
        return 0;
    }
    written = ssh_key_format(arena, &key, comment);
    FUZZ_CHECK(text_find_byte(written, '\n') == SIZE_MAX);
    FUZZ_CHECK(ssh_key_parse(written, &again, &comment, &err));
    FUZZ_CHECK(ssh_key_is_equal(&key, &again));
    ssh_key_fingerprint(&key, fingerprint);
    FUZZ_CHECK(strlen(fingerprint) == SSH_FINGERPRINT_BYTES - 1);
    return 0;
}
