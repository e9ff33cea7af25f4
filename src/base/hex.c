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

/* Table with the value of each hexadecimal digit plus IS_DIGIT, and 0 for any other byte. A table
 * is fast, and every token is checked with it. */
enum { IS_DIGIT = 16 };

static const unsigned char values[256] = {
    ['0'] = IS_DIGIT | 0,  ['1'] = IS_DIGIT | 1,  ['2'] = IS_DIGIT | 2,  ['3'] = IS_DIGIT | 3,
    ['4'] = IS_DIGIT | 4,  ['5'] = IS_DIGIT | 5,  ['6'] = IS_DIGIT | 6,  ['7'] = IS_DIGIT | 7,
    ['8'] = IS_DIGIT | 8,  ['9'] = IS_DIGIT | 9,  ['a'] = IS_DIGIT | 10, ['b'] = IS_DIGIT | 11,
    ['c'] = IS_DIGIT | 12, ['d'] = IS_DIGIT | 13, ['e'] = IS_DIGIT | 14, ['f'] = IS_DIGIT | 15,
};

bool hex_is(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (values[(unsigned char)text.data[i]] == 0) {
            return false;
        }
    }
    return text.length % 2 == 0;
}

void hex_parse(struct text digits, char *out)
{
    assert(digits.length % 2 == 0);
    for (size_t i = 0; i < digits.length / 2; i++) {
        unsigned high = values[(unsigned char)digits.data[i * 2]];
        unsigned low = values[(unsigned char)digits.data[i * 2 + 1]];

        assert(high != 0 && low != 0);
        out[i] = (char)((high << 4 | (low & 15)) & 0xff);
    }
}
