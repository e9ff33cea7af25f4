/* Revocation lists: no input breaks the parser, parsed data is within the input, and formatting it
 * gives an equal list. */
#include "base/limits.h"
#include "fuzz.h"
#include "ssh/krl.h"

static size_t entries(const struct ssh_krl *krl)
{
    size_t count = krl->key_count + krl->part_count;

    for (size_t i = 0; i < krl->part_count; i++) {
        count += krl->parts[i].serial_count + krl->parts[i].id_count;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_WORK_ARENA_BYTES);
    struct text bytes = { (const char *)data, size };
    struct err err = { 0 };
    struct ssh_krl again;
    struct ssh_krl krl;
    struct text written;

    if (!ssh_krl_parse(arena, bytes, &krl, &err)) {
        FUZZ_CHECK(err.code == CODE_R0743 && err.text[0] != '\0');
        return 0;
    }
    FUZZ_CHECK(entries(&krl) <= LIMIT_KRL_ENTRIES);
    written = ssh_krl_format(arena, &krl);
    if (written.length <= LIMIT_KRL_BYTES) { /* bitmaps become longer when they are formatted */
        FUZZ_CHECK(ssh_krl_parse(arena, written, &again, &err));
        FUZZ_CHECK(entries(&again) == entries(&krl));
        FUZZ_CHECK(text_is_equal(ssh_krl_format(arena, &again), written));
    }
    return 0;
}
