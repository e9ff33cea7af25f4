#include "codec/number.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>

static bool is_based(struct text spelling)
{
    return spelling.length > 2 && spelling.data[0] == '0' &&
           (spelling.data[1] == 'x' || spelling.data[1] == 'o');
}

/* Parse the value of 0x... or 0o..., at most INT64_MAX. */
static bool based_parse(struct text spelling, int64_t *out)
{
    unsigned bits = spelling.data[1] == 'x' ? 4 : 3;
    uint64_t value = 0;

    assert(out != NULL);
    assert(is_based(spelling));
    for (size_t i = 2; i < spelling.length; i++) {
        char c = spelling.data[i];
        unsigned digit = (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);

        assert(digit < 1u << bits);
        if (value > ((uint64_t)INT64_MAX >> bits)) {
            return false;
        }
        value = (value << bits) | digit;
    }
    *out = (int64_t)value;
    return true;
}

bool number_fits_int64(struct text spelling)
{
    int64_t value;

    assert(spelling.length > 0);
    if (is_based(spelling)) {
        return based_parse(spelling, &value);
    }
    if (spelling.data[0] == '+') {
        spelling = text_slice(spelling, 1, spelling.length);
        assert(spelling.length > 0);
    }
    return text_parse_int64(spelling, &value);
}

static bool is_number_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void number_part_add(struct number *number, struct text part)
{
    assert(number->part_count < NUMBER_PARTS);
    assert(part.length > 0);
    number->parts[number->part_count++] = part;
}

void number_to_json(struct text spelling, struct number *out)
{
    bool has_sign = spelling.length > 0 && (spelling.data[0] == '-' || spelling.data[0] == '+');
    size_t at = has_sign ? 1 : 0;
    size_t start;

    assert(out != NULL);
    assert(spelling.length > at);
    out->part_count = 0;
    if (is_based(spelling)) {
        int64_t value = 0;
        bool fits = based_parse(spelling, &value);

        assert(fits && "readers refuse integers beyond 64 bits");
        snprintf(out->digits, sizeof(out->digits), "%lld", (long long)value);
        number_part_add(out, text_from(out->digits));
        return;
    }
    if (spelling.data[0] == '-') {
        number_part_add(out, TEXT("-"));
    }
    while (at + 1 < spelling.length && spelling.data[at] == '0' &&
           is_number_digit(spelling.data[at + 1])) {
        at++;
    }
    start = at;
    while (at < spelling.length && is_number_digit(spelling.data[at])) {
        at++;
    }
    number_part_add(out, at == start ? TEXT("0") : text_slice(spelling, start, at - start));
    if (at < spelling.length && spelling.data[at] == '.') {
        start = at++;
        while (at < spelling.length && is_number_digit(spelling.data[at])) {
            at++;
        }
        number_part_add(out,
                        at == start + 1 ? TEXT(".0") : text_slice(spelling, start, at - start));
    }
    if (at < spelling.length) {
        assert(spelling.data[at] == 'e' || spelling.data[at] == 'E');
        number_part_add(out, text_slice(spelling, at, spelling.length - at));
    }
}
