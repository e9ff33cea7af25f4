#include "base/hex.h"

#include <assert.h>

struct text hex_format(struct arena *arena, struct text bytes)
{
    static const char digits[] = "0123456789abcdef";
    char *out = arena_alloc(arena, bytes.length * 2);

    for (size_t i = 0; i < bytes.length; i++) {
        out[i * 2] = digits[(unsigned char)bytes.data[i] >> 4];
        out[i * 2 + 1] = digits[bytes.data[i] & 15];
    }
    return (struct text){ out, bytes.length * 2 };
}

static int digit_value(char byte)
{
    return byte >= '0' && byte <= '9'   ? byte - '0'
           : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                                        : -1;
}

bool hex_is(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (digit_value(text.data[i]) < 0) {
            return false;
        }
    }
    return text.length % 2 == 0;
}

void hex_parse(struct text digits, char *out)
{
    assert(digits.length % 2 == 0);
    for (size_t i = 0; i < digits.length / 2; i++) {
        int high = digit_value(digits.data[i * 2]);
        int low = digit_value(digits.data[i * 2 + 1]);

        assert(high >= 0 && low >= 0);
        out[i] = (char)(high << 4 | low);
    }
}
