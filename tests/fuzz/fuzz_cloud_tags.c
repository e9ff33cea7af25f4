/* Tags in the formats of providers: reading written tags gives the same bytes, and no words, JSON
 * or console output of others break a parser. */
#include "fuzz.h"
#include "host_key.h"
#include "tag_codec.h"

enum { TAGS_ARENA_BYTES = 64 * 1024 * 1024, TAGS_MAX = 64, TAGS_INPUT_BYTES = 16384 };

/* Splits the input at newlines. */
static uint32_t tags_cut(struct text bytes, struct text out[static TAGS_MAX])
{
    uint32_t count = 0;

    while (bytes.length > 0 && count < TAGS_MAX) {
        size_t end = text_find_byte(bytes, '\n');

        out[count++] = text_slice(bytes, 0, end);
        bytes = end == SIZE_MAX ? TEXT("") : text_slice(bytes, end + 1, bytes.length);
    }
    return count;
}

/* Checks with arbitrary words that the parsed tags can be formatted, and that parsing the result
 * gives the same tags. */
static void fuzz_words(struct arena *arena, const struct text *words, uint32_t count)
{
    struct tag_codec_tags tags = tag_codec_from_words(arena, words, count);
    struct tag_codec_words written = tag_codec_to_words(arena, tags.items, tags.count);
    struct tag_codec_tags again = tag_codec_from_words(arena, written.items, written.count);

    for (uint32_t i = 0; i < written.count; i++) {
        FUZZ_CHECK(written.items[i].length <= TAG_CODEC_WORD_BYTES);
    }
    for (uint32_t i = 0; i < tags.count; i++) {
        FUZZ_CHECK(i == 0 || memcmp(&tags.items[i - 1].name, &tags.items[i].name,
                                    sizeof(tags.items[i].name)) != 0);
    }
    if (again.count == tags.count) {
        for (uint32_t i = 0; i < tags.count; i++) {
            FUZZ_CHECK(again.items[i].value.length == tags.items[i].value.length);
            FUZZ_CHECK(tags.items[i].value.length == 0 ||
                       memcmp(again.items[i].value.bytes, tags.items[i].value.bytes,
                              tags.items[i].value.length) == 0);
        }
    } else {
        /* names of tags that reeve did not write may be too long to be formatted */
        FUZZ_CHECK(again.count < tags.count);
    }
}

/* Checks that any value is restored from words, pieces and escapes. */
static void fuzz_value(struct arena *arena, struct text value)
{
    struct reeve_tag tag = { REEVE_STATIC("reeve.group"), { value.data, value.length } };
    struct tag_codec_words words;
    struct tag_codec_tags tags;
    struct tag_codec_tags pieces = { 0 };
    struct text joined;
    struct buf escaped;

    buf_init(&escaped, arena);
    tag_codec_escape(&escaped, value);
    FUZZ_CHECK(tag_codec_unescape(arena, buf_text(&escaped), &joined));
    FUZZ_CHECK(text_is_equal(joined, value));
    if (text_find_bad_utf8(value) != SIZE_MAX || value.length > 8000) {
        return;
    }
    words = tag_codec_to_words(arena, &tag, 1);
    tags = tag_codec_from_words(arena, words.items, words.count);
    FUZZ_CHECK(tags.count == 1);
    joined = tag_codec_value(tags.items, tags.count, "reeve.group");
    FUZZ_CHECK(text_is_equal(joined, value));
    tag_codec_split(arena, &pieces, TEXT("reeve.group"), '.', value, 255);
    FUZZ_CHECK(tag_codec_join(arena, &pieces, TEXT("reeve.group"), '.', &joined));
    FUZZ_CHECK(text_is_equal(joined, value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = arena_new_small(TAGS_ARENA_BYTES);
    struct text bytes = { (const char *)data, size };
    struct text words[TAGS_MAX];
    struct tag_codec_tags tags;
    struct text key;

    if (size > TAGS_INPUT_BYTES) {
        return 0;
    }
    fuzz_words(arena, words, tags_cut(bytes, words));
    fuzz_value(arena, bytes);
    if (tag_codec_from_json(arena, bytes, &tags)) {
        struct text json = tag_codec_to_json(arena, tags.items, tags.count);

        FUZZ_CHECK(tag_codec_from_json(arena, json, &tags));
    }
    if (host_key_find(bytes, TEXT("00ff"), &key)) {
        FUZZ_CHECK(key.data >= bytes.data && key.data + key.length <= bytes.data + bytes.length);
    }
    return 0;
}
