/* Selectors: no text breaks the parser; an error has its place in the text; and formatting a parsed
 * selector gives an equal selector, which matches the same objects. */
#include "base/limits.h"
#include "fuzz.h"
#include "selector/selector.h"

/* Returns values that depend only on the key; some are numbers, and some are missing. */
static bool value_find(void *arg, struct text key, struct text *out)
{
    static const char *const values[] = { "", "web", "64Gi", "-1", "0.5", "a,b" };
    uint64_t hash = text_hash(key, *(const uint64_t *)arg);

    *out = text_from(values[hash % 6]);
    return hash / 6 % 4 != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new((size_t)64 << 20);
    struct text text = { (const char *)data, size };
    struct selector selector;
    struct err err;

    if (!selector_parse(arena, text, &selector, &err)) {
        FUZZ_CHECK(err.code == CODE_R0531 && err.text[0] != '\0' && err.hint[0] != '\0');
        FUZZ_CHECK(size > LIMIT_SELECTOR_BYTES ||
                   (err.place.column >= 1 && err.place.column <= text_count_points(text) + 1));
    } else {
        struct selector again;
        struct buf first;
        struct buf second;

        buf_init(&first, arena);
        selector_format(&first, &selector);
        /* quotes may make the text longer than the limit of a selector */
        if (first.length <= LIMIT_SELECTOR_BYTES) {
            FUZZ_CHECK(selector_parse(arena, buf_text(&first), &again, &err));
            buf_init(&second, arena);
            selector_format(&second, &again);
            FUZZ_CHECK(text_is_equal(buf_text(&first), buf_text(&second)));
            for (uint64_t seed = 0; seed < 8; seed++) {
                FUZZ_CHECK(selector_matches(&selector, value_find, &seed) ==
                           selector_matches(&again, value_find, &seed));
            }
        }
    }
    arena_free(arena);
    return 0;
}
