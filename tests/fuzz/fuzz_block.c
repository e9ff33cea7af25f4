/* The block of reeve in an authorized_keys file of another owner. For any file, all other bytes are
 * unchanged; writing the block again changes nothing; removing it restores the file, except for a
 * missing final line end; blocks with two names do not affect each other. */
#include "base/limits.h"
#include "fuzz.h"
#include "ssh/block.h"

static bool put(struct arena *arena, struct text before, struct text name, size_t count,
                struct text *out)
{
    static const struct text lines[] = { { "ssh-ed25519 AAAA one", 20 }, { "ssh-rsa BBBB", 12 } };
    struct err err = { 0 };
    bool is_good = ssh_block_put(arena, before, name, lines, count, out, &err);

    FUZZ_CHECK(is_good || (err.code == CODE_R0745 && err.place.line >= 1));
    return is_good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_WORK_ARENA_BYTES);
    struct text before = { (const char *)data, size };
    struct text without;
    struct text again;
    struct text both;
    struct text with;

    if (!put(arena, before, TEXT("acme/a"), 2, &with)) {
        FUZZ_CHECK(!put(arena, before, TEXT("acme/a"), 0, &without));
        return 0;
    }
    FUZZ_CHECK(put(arena, with, TEXT("acme/a"), 2, &again) && text_is_equal(with, again));
    FUZZ_CHECK(put(arena, with, TEXT("acme/a"), 0, &without));
    /* the block is now at the end, and the last line may have had no line end */
    FUZZ_CHECK(put(arena, without, TEXT("acme/a"), 2, &again) && again.length >= with.length &&
               again.length <= with.length + 1);
    if (text_find_byte(before, '#') == SIZE_MAX) {
        FUZZ_CHECK(text_has_prefix(with, before));
        FUZZ_CHECK(text_has_prefix(without, before) && without.length <= before.length + 1);
    }
    FUZZ_CHECK(put(arena, with, TEXT("acme/fresh"), 1, &both));
    FUZZ_CHECK(put(arena, both, TEXT("acme/fresh"), 0, &again));
    return 0;
}
