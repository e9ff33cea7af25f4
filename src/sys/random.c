#include "sys/random.h"

#include "base/secret.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static void system_fill(void *arg, void *out, size_t bytes)
{
    unsigned char *at = out;

    (void)arg;
    while (bytes > 0) {
        ssize_t count = getrandom(at, bytes, 0);

        if (count < 0 && errno != EINTR) {
            fprintf(stderr, "reeve: the system gives no random numbers: %s\n", strerror(errno));
            abort();
        }
        at += count > 0 ? count : 0;
        bytes -= count > 0 ? (size_t)count : 0;
    }
}

struct random random_system(void)
{
    return (struct random){ system_fill, NULL };
}

static void stock_fill(void *arg, void *out, size_t bytes)
{
    struct random_stock *stock = arg;
    unsigned char *from;

    if (bytes > sizeof(stock->bytes)) {
        random_fill(stock->source, out, bytes);
        return;
    }
    if (bytes > stock->left) {
        random_fill(stock->source, stock->bytes, sizeof(stock->bytes));
        stock->left = sizeof(stock->bytes);
    }
    from = stock->bytes + sizeof(stock->bytes) - stock->left;
    memcpy(out, from, bytes);
    secret_wipe(from, bytes);
    stock->left -= bytes;
}

struct random random_stocked(struct random_stock *stock)
{
    assert(stock->source.fill != NULL && stock->left <= sizeof(stock->bytes));
    return (struct random){ stock_fill, stock };
}

void random_fill(struct random random, void *out, size_t bytes)
{
    assert(random.fill != NULL);
    random.fill(random.arg, out, bytes);
}

size_t random_below(struct random random, size_t limit)
{
    uint64_t value;
    /* The largest multiple of `limit`. Larger random values are rejected, because they would make
     * small results more likely. */
    uint64_t fair;

    assert(limit > 0);
    fair = UINT64_MAX - UINT64_MAX % limit;
    do {
        random_fill(random, &value, sizeof(value));
    } while (value >= fair);
    return (size_t)(value % limit);
}

static char *hex_put(char *at, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < count; i++) {
        *at++ = digits[bytes[i] >> 4];
        *at++ = digits[bytes[i] & 15];
    }
    return at;
}

void random_id(struct random random, char out[static RANDOM_ID_BYTES])
{
    static const size_t parts[] = { 4, 2, 2, 2, 6 };
    unsigned char bytes[16];
    size_t first = 0;
    char *at = out;

    random_fill(random, bytes, sizeof(bytes));
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40); /* sets version 4 */
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80); /* sets the variant of RFC 9562 */
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        at = hex_put(at, bytes + first, parts[i]);
        *at++ = '-';
        first += parts[i];
    }
    at[-1] = '\0';
    assert(at - out == RANDOM_ID_BYTES);
}

void random_token(struct random random, char out[static RANDOM_TOKEN_BYTES])
{
    unsigned char bytes[32];

    random_fill(random, bytes, sizeof(bytes));
    *hex_put(out, bytes, sizeof(bytes)) = '\0';
    secret_wipe(bytes, sizeof(bytes));
}
