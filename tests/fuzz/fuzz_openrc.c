/* The secret of an OpenStack account: any input is either a usable account, or is refused with a
 * short reason. */
#include "fuzz.h"
#include "openrc.h"

enum { OPENRC_ARENA_BYTES = 16 * 1024 * 1024, OPENRC_WHY_BYTES = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = arena_new_small(OPENRC_ARENA_BYTES);
    struct text secret = { (const char *)data, size };
    struct openrc account;
    const char *why = NULL;

    if (openrc_read(arena, secret, &account, &why)) {
        FUZZ_CHECK(account.auth_url.length > 0);
        FUZZ_CHECK(account.credential_secret.length > 0 || account.password.length > 0);
        FUZZ_CHECK(text_find_bad_utf8(account.password) == SIZE_MAX);
        FUZZ_CHECK(text_find_byte(account.auth_url, '\n') == SIZE_MAX);
    } else {
        FUZZ_CHECK(why != NULL && strlen(why) < OPENRC_WHY_BYTES);
    }
    return 0;
}
