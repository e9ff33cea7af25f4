#include "base/secret.h"

#include <assert.h>
#include <string.h>

struct secret secret_from(struct text bytes)
{
    return (struct secret){ bytes.data, bytes.length };
}

struct text secret_reveal(struct secret secret)
{
    return (struct text){ secret.data, secret.length };
}

bool secret_is_equal(struct secret a, struct secret b)
{
    /* volatile keeps the compiler from skipping steps once the result is known */
    volatile unsigned char difference = 0;

    if (a.length != b.length) {
        return false;
    }
    assert(a.length == 0 || (a.data != NULL && b.data != NULL));
    for (size_t i = 0; i < a.length; i++) {
        difference =
            (unsigned char)(difference | ((unsigned char)a.data[i] ^ (unsigned char)b.data[i]));
    }
    return difference == 0;
}

void secret_wipe(void *data, size_t bytes)
{
    assert(data != NULL || bytes == 0);
    if (bytes > 0) {
        explicit_bzero(data, bytes);
    }
}
