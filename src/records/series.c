#include "records/series.h"

#include "base/limits.h"

#include <assert.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

static int series_digit_value(unsigned char digit)
{
    const char *found = digit == '\0' ? NULL : strchr(digits, digit);

    return found == NULL ? -1 : (int)(found - digits);
}

void series_token_format(const unsigned char series[static SERIES_BYTES], uint32_t number,
                         const unsigned char luck[static SERIES_BYTES],
                         char out[static SERIES_TOKEN_TEXT])
{
    unsigned char bytes[16];

    memcpy(bytes, series, SERIES_BYTES);
    for (int i = 0; i < 4; i++) {
        bytes[SERIES_BYTES + i] = (unsigned char)(number >> (24 - 8 * i));
    }
    memcpy(bytes + SERIES_BYTES + 4, luck, SERIES_BYTES);
    text_format_hex(bytes, sizeof(bytes), out);
}

static struct counter *series_find(const struct counters *counters, struct text name)
{
    for (size_t i = 0; i < counters->series_count; i++) { /* a new series is appended unsorted */
        if (text_is_equal(counters->series[i].key, name)) {
            return &counters->series[i];
        }
    }
    return NULL;
}

/* Returns space for one more series: at the end, or the space of the least recently used series. */
static struct counter *series_add(struct arena *arena, struct counters *counters)
{
    struct counter *grown;
    struct counter *oldest = counters->series;

    if (counters->series_count < LIMIT_CONTROL_SERIES) {
        grown = arena_array(arena, struct counter, counters->series_count + 1);
        for (size_t i = 0; i < counters->series_count; i++) {
            grown[i] = counters->series[i];
        }
        counters->series = grown;
        return &grown[counters->series_count++];
    }
    for (size_t i = 1; i < counters->series_count; i++) {
        if (counters->series[i].seen.last_ms < oldest->seen.last_ms) {
            oldest = &counters->series[i];
        }
    }
    return oldest;
}

void series_note(struct arena *arena, struct counters *counters,
                 const unsigned char series[static SERIES_BYTES], uint32_t number, uint64_t now_ms)
{
    char name[SERIES_NAME_TEXT];
    struct counter *counter;

    text_format_hex(series, SERIES_BYTES, name);
    counter = series_find(counters, text_from(name));
    if (counter == NULL) {
        counter = series_add(arena, counters);
        *counter = (struct counter){ .key = arena_text(arena, text_from(name)),
                                     .seen = { .first_ms = now_ms } };
    }
    assert(number > counter->seen.count && "numbers of a series only rise");
    counter->seen.count = number;
    counter->seen.last_ms = now_ms;
}

bool series_has(const struct counters *counters, struct text token)
{
    const struct counter *counter;
    uint32_t number = 0;

    if (token.length != SERIES_TOKEN_TEXT - 1) {
        return false;
    }
    for (size_t i = 0; i < 8; i++) {
        int value = series_digit_value((unsigned char)token.data[(SERIES_NAME_TEXT - 1) + i]);

        if (value < 0) {
            return false;
        }
        number = number << 4 | (uint32_t)value;
    }
    counter = series_find(counters, text_slice(token, 0, SERIES_NAME_TEXT - 1));
    return counter != NULL && number > 0 && number <= counter->seen.count;
}
