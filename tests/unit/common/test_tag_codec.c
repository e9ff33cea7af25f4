#include "unit.h"

#include "tag_codec.h"

enum { BYTES = 8 * 1024 * 1024, ROUNDS = 3000 };

#define TAG(name_literal, value_literal)                        \
    (struct reeve_tag)                                          \
    {                                                           \
        REEVE_STATIC(name_literal), REEVE_STATIC(value_literal) \
    }

static struct text value_of(const struct tag_codec_tags *list, const char *name)
{
    return tag_codec_value(list->items, list->count, name);
}

static void test_words_of_a_machine(void **state)
{
    AUTO(arena) arena = arena_new(BYTES);
    struct reeve_tag tags[] = { TAG("reeve.cluster_id", "acme/shop"),
                                TAG("reeve.group", "Web/eu"),
                                TAG("reeve.logical_id", "0"),
                                TAG("reeve.incarnation", "3"),
                                TAG("reeve.token", "0123456789abcdef0123456789abcdef"),
                                TAG("reeve.mac", "fedcba9876543210fedcba9876543210") };
    struct tag_codec_words words = tag_codec_to_words(arena, tags, 6);
    struct tag_codec_tags back;

    (void)state;
    assert_int_equal(words.count, 2);
    assert_text(words.items[0],
                "reeve:gilmn:_57eb_2feu:acme_2fshop:0:fedcba9876543210fedcba9876543210:3");
    assert_text(words.items[1], "reeve:t:0123456789abcdef0123456789abcdef");
    words.items[0] =
        TEXT("Reeve:GILMN:_57EB_2Feu:Acme_2Fshop:0:FEDCBA9876543210fedcba9876543210:3");
    back = tag_codec_from_words(arena, words.items, words.count);
    assert_int_equal(back.count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        struct text name = { tags[i].name.bytes, tags[i].name.length };
        struct text value = { tags[i].value.bytes, tags[i].value.length };

        assert_true(text_is_equal(value_of(&back, arena_string(arena, name)), value));
    }
}

/* Words of others, damaged words and incomplete values give no tag. */
static void test_bad_words(void **state)
{
    static const struct text words[] = {
        { "web", 3 },
        { "reeve:", 6 },
        { "reeve:c:abc", 11 },
        { "reeve:g1:b", 10 },
        { "reeve:gilmn:0:1", 15 },
        { "reeve:i:a_2", 11 },
        { "reeve:t:a_61", 12 },
        { "reeve:n0:1", 10 },
        { "reeve:q:1", 9 },
        { "reeve:x:1", 9 },
        { "reeve:l:_ff", 11 },
        { "reeve:m:1", 9 },
        { "reeve:m:2", 9 },
        { "", 0 },
    };
    AUTO(arena) arena = arena_new(BYTES);

    (void)state;
    assert_int_equal(tag_codec_from_words(arena, words, sizeof(words) / sizeof(words[0])).count, 0);
}

/* Returns a random UTF-8 text without NUL. */
static struct text random_text(struct arena *arena, uint32_t *seed, size_t bytes_max)
{
    static const char *const parts[] = { "a",
                                         "Z",
                                         "0",
                                         "-",
                                         "_",
                                         ":",
                                         "/",
                                         "\xc3\xa9",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x98\x80",
                                         " ",
                                         "\"",
                                         "\\",
                                         "\x01",
                                         "_2",
                                         "_2f",
                                         "reeve:" };
    size_t wanted = unit_random(seed) % (bytes_max + 1);
    struct buf out;

    buf_init(&out, arena);
    while (out.length < wanted) {
        buf_add_string(&out, parts[unit_random(seed) % (sizeof(parts) / sizeof(parts[0]))]);
    }
    return buf_text(&out);
}

static struct reeve_text plain(struct text text)
{
    return (struct reeve_text){ text.data, text.length };
}

static void test_words_round_trip(void **state)
{
    static const char *const names[] = { "reeve.cluster_id",  "reeve.group", "reeve.logical_id",
                                         "reeve.incarnation", "reeve.token", "reeve.mac",
                                         "reeve.labels",      "Other name" };
    AUTO(arena) arena = arena_new(BYTES);
    uint32_t seed = 11;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct reeve_tag tags[8];
        struct tag_codec_words words;
        struct tag_codec_tags back;
        uint32_t count = 0;

        arena_clear(arena);
        for (size_t i = 0; i < 8; i++) {
            if (unit_random(&seed) % 4 != 0) {
                tags[count++] = (struct reeve_tag){
                    plain(text_from(names[i])),
                    plain(random_text(arena, &seed,
                                      i == 6   ? 2000
                                      : i == 1 ? 511
                                               : 60)),
                };
            }
        }
        words = tag_codec_to_words(arena, tags, count);
        for (uint32_t i = 0; i < words.count; i++) {
            assert_true(words.items[i].length <= TAG_CODEC_WORD_BYTES);
            for (size_t k = 0; k < words.items[i].length; k++) {
                assert_non_null(
                    strchr("abcdefghijklmnopqrstuvwxyz0123456789_:-", words.items[i].data[k]));
            }
        }
        for (uint32_t i = words.count; i > 1; i--) { /* shuffle the words */
            uint32_t other = unit_random(&seed) % i;
            struct text word = words.items[i - 1];

            words.items[i - 1] = words.items[other];
            words.items[other] = word;
        }
        back = tag_codec_from_words(arena, words.items, words.count);
        assert_int_equal(back.count, count);
        for (uint32_t i = 0; i < count; i++) {
            struct text name = { tags[i].name.bytes, tags[i].name.length };
            struct text value = { tags[i].value.bytes, tags[i].value.length };

            assert_true(text_is_equal(value_of(&back, arena_string(arena, name)), value));
        }
    }
}

static void test_pieces_round_trip(void **state)
{
    AUTO(arena) arena = arena_new(BYTES);
    uint32_t seed = 5;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct tag_codec_tags list = { 0 };
        struct text value;
        struct text back;
        size_t limit = 4 + unit_random(&seed) % 60;

        arena_clear(arena);
        value = random_text(arena, &seed, 200);
        tag_codec_split(arena, &list, TEXT("reeve.group"), '.', value, limit);
        tag_codec_split(arena, &list, TEXT("reeve.group.x"), '.', TEXT("no"), limit);
        for (uint32_t i = 0; i < list.count; i++) {
            struct text piece = { list.items[i].value.bytes, list.items[i].value.length };

            assert_true(piece.length <= limit);
            assert_true(text_find_bad_utf8(piece) == SIZE_MAX);
        }
        assert_true(tag_codec_join(arena, &list, TEXT("reeve.group"), '.', &back));
        assert_true(text_is_equal(back, value));
        assert_false(tag_codec_join(arena, &list, TEXT("reeve.token"), '.', &back));
    }
}

static void test_escapes(void **state)
{
    AUTO(arena) arena = arena_new(BYTES);
    struct text out;
    struct buf all;
    char bytes[255];

    (void)state;
    for (int i = 1; i < 256; i++) {
        bytes[i - 1] = (char)i;
    }
    buf_init(&all, arena);
    tag_codec_escape(&all, (struct text){ bytes, sizeof(bytes) });
    assert_true(tag_codec_unescape(arena, buf_text(&all), &out));
    assert_true(text_is_equal(out, (struct text){ bytes, sizeof(bytes) }));
    assert_true(tag_codec_unescape(arena, TEXT("_2F_2f"), &out));
    assert_text(out, "//");
    assert_false(tag_codec_unescape(arena, TEXT("_"), &out));
    assert_false(tag_codec_unescape(arena, TEXT("_2"), &out));
    assert_false(tag_codec_unescape(arena, TEXT("_2g"), &out));
    assert_false(tag_codec_unescape(arena, TEXT("_30"), &out));
    assert_false(tag_codec_unescape(arena, TEXT("a/b"), &out));
}

static void test_hash(void **state)
{
    AUTO(arena) arena = arena_new(BYTES);
    struct text hash = tag_codec_hash(arena, TEXT("acme/shop"));

    (void)state;
    /* expected value from python3: b32encode(sha256(b"acme/shop").digest())[:32].lower() */
    assert_text(hash, "2inszxysw5ghkddk62zedhq6uacdju4s");
    assert_int_equal(tag_codec_hash(arena, TEXT("")).length, TAG_CODEC_HASH_LETTERS);
}

static void test_json(void **state)
{
    AUTO(arena) arena = arena_new(BYTES);
    struct reeve_tag tags[] = { TAG("reeve.token", "00ff"), TAG("reeve.group", "a\"b\\c\n") };
    struct tag_codec_tags back;
    struct text json = tag_codec_to_json(arena, tags, 2);

    (void)state;
    assert_text(json, "{\"reeve.group\":\"a\\\"b\\\\c\\n\",\"reeve.token\":\"00ff\"}");
    assert_true(tag_codec_from_json(arena, json, &back));
    assert_int_equal(back.count, 2);
    assert_text(value_of(&back, "reeve.group"), "a\"b\\c\n");
    assert_false(tag_codec_from_json(arena, TEXT(""), &back));
    assert_false(tag_codec_from_json(arena, TEXT("a web server"), &back));
    assert_false(tag_codec_from_json(arena, TEXT("[]"), &back));
    assert_false(tag_codec_from_json(arena, TEXT("{\"a\":1}"), &back));
    assert_false(tag_codec_from_json(arena, TEXT("{\"a\":{}}"), &back));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_of_a_machine),
        cmocka_unit_test(test_bad_words),
        cmocka_unit_test(test_words_round_trip),
        cmocka_unit_test(test_pieces_round_trip),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
