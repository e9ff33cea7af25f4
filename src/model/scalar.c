#include "model/scalar.h"

#include <assert.h>
#include <stddef.h>

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit size_units[] = {
    { "B", 1 },
    { "kB", 1000 },
    { "MB", 1000 * 1000 },
    { "GB", 1000 * 1000 * 1000 },
    { "TB", UINT64_C(1000) * 1000 * 1000 * 1000 },
    { "KiB", 1024 },
    { "MiB", 1024 * 1024 },
    { "GiB", 1024 * 1024 * 1024 },
    { "TiB", UINT64_C(1024) * 1024 * 1024 * 1024 },
};

/* The units, from large to small, in the order in which a duration has them. */
static const struct unit duration_units[] = {
    { "d", 24 * 60 * 60 * 1000 },
    { "h", 60 * 60 * 1000 },
    { "m", 60 * 1000 },
    { "s", 1000 },
    { "ms", 1 },
};

/* Parse the digits at the start. Returns false if there are none or the number is too large. */
MUST_CHECK static bool scalar_digits_take(struct text *text, uint64_t *out)
{
    uint64_t value = 0;
    size_t at = 0;

    for (; at < text->length && text->data[at] >= '0' && text->data[at] <= '9'; at++) {
        if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, (uint64_t)(text->data[at] - '0'), &value)) {
            return false;
        }
    }
    if (at == 0) {
        return false;
    }
    *text = text_slice(*text, at, text->length);
    *out = value;
    return true;
}

static const struct unit *size_unit_find(struct text name)
{
    for (size_t i = 0; i < ARRAY_COUNT(size_units); i++) {
        if (text_is(name, size_units[i].name)) {
            return &size_units[i];
        }
    }
    return NULL;
}

bool scalar_parse_size(struct text text, const char *unit, uint64_t *out_bytes)
{
    const struct unit *found;
    uint64_t value;

    assert(out_bytes != NULL);
    if (!scalar_digits_take(&text, &value)) {
        return false;
    }
    if (text.length == 0 && unit == NULL) {
        return false;
    }
    found = size_unit_find(text.length == 0 ? text_from(unit) : text);
    if (found == NULL || __builtin_mul_overflow(value, found->factor, &value)) {
        return false;
    }
    *out_bytes = value;
    return true;
}

bool scalar_parse_duration(struct text text, uint64_t *out_ms)
{
    uint64_t total = 0;
    size_t next_unit = 0;

    assert(out_ms != NULL);
    if (text.length == 0) {
        return false;
    }
    while (text.length > 0) {
        uint64_t value;
        size_t letters = 0;
        size_t unit = next_unit;

        if (!scalar_digits_take(&text, &value)) {
            return false;
        }
        while (letters < text.length && (text.data[letters] < '0' || text.data[letters] > '9')) {
            letters++;
        }
        while (unit < ARRAY_COUNT(duration_units) &&
               !text_is(text_slice(text, 0, letters), duration_units[unit].name)) {
            unit++;
        }
        if (unit == ARRAY_COUNT(duration_units) ||
            __builtin_mul_overflow(value, duration_units[unit].factor, &value) ||
            __builtin_add_overflow(total, value, &total)) {
            return false;
        }
        text = text_slice(text, letters, text.length);
        next_unit = unit + 1;
    }
    *out_ms = total;
    return true;
}

bool scalar_parse_share(struct text text, struct scalar_share *out)
{
    bool is_percent;
    uint64_t value;

    assert(out != NULL);
    if (!scalar_digits_take(&text, &value)) {
        return false;
    }
    is_percent = text_is(text, "%");
    if ((text.length > 0 && !is_percent) || value > (is_percent ? 100 : UINT32_MAX)) {
        return false;
    }
    *out = (struct scalar_share){ .value = (uint32_t)value, .is_percent = is_percent };
    return true;
}

uint32_t scalar_share_of(struct scalar_share share, uint32_t whole)
{
    uint64_t count;

    assert(!share.is_percent || share.value <= 100);
    if (!share.is_percent) {
        return share.value;
    }
    count = ((uint64_t)whole * share.value + 99) / 100;
    return count == 0 && share.value > 0 ? 1 : (uint32_t)count;
}
