/* Finding one member in canonical bytes gives the same result as parsing the whole document, and
 * never reads beyond the end of the text (ASan). */
#include "codec/json_member.h"

#include "codec/json.h"
#include "unit.h"

static void test_members_are_found_or_not(void **state)
{
    static const struct {
        const char *object;
        const char *key;
        const char *value; /* expected value; NULL: none */
    } cases[] = {
        { "{}", "a", NULL },
        { "{\"a\":1}", "a", "1" },
        { "{\"a\":1}", "b", NULL },
        { "{\"a\":\"x\",\"b\":2}", "b", "2" },
        { "{\"a\":{\"b\":1},\"b\":2}", "b", "2" },
        { "{\"a\":[{\"b\":1},\"b\"],\"b\":{\"c\":[1,2]}}", "b", "{\"c\":[1,2]}" },
        { "{\"a\":\"},\\\"b\\\":1\",\"b\":\"y\\\\\"}", "b", "\"y\\\\\"" },
        { "{\"a\":true,\"b\":null}", "b", "null" },
        { "[\"a\",1]", "a", NULL },
        { "", "a", NULL },
        { "{", "a", NULL },
        { "{\"a", "a", NULL },
        { "{\"a\"", "a", NULL },
        { "{\"a\":", "a", NULL },
        { "{\"a\":}", "a", NULL },
        { "{\"a\":\"x", "a", NULL },
        { "{\"a\":\"x\\", "a", NULL },
        { "{\"a\":[1", "a", NULL },
        { "{a:1}", "a", NULL },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct text out = TEXT("untouched");
        bool is_found = json_member_find(text_from(cases[i].object), text_from(cases[i].key), &out);

        assert_int_equal(is_found, cases[i].value != NULL);
        assert_text(out, cases[i].value == NULL ? "untouched" : cases[i].value);
    }
}

/* Random texts of the relevant characters, each in a block of exactly its length. */
static void test_random_texts_agree_with_the_reader(void **state)
{
    static const char signs[] = "{}[]\",:\\ab1";
    struct arena *arena = arena_new((size_t)1 << 24);
    uint32_t seed = 31;
    unsigned found = 0;

    (void)state;
    for (int i = 0; i < 300000; i++) {
        size_t length = unit_random(&seed) % 14;
        char *bytes = malloc(length + 1);
        struct arena_mark mark = arena_mark(arena);
        struct text object = { bytes, length };
        struct text out;
        struct doc doc;
        struct err err;
        bool is_found;

        for (size_t at = 0; at < length; at++) {
            bytes[at] = signs[unit_random(&seed) % (sizeof(signs) - 1)];
        }
        if (length > 4) { /* so that many of the texts are objects */
            memcpy(bytes, "{\"a\":", 5 < length ? 5 : length);
            bytes[length - 1] = '}';
        }
        bytes = realloc(bytes, length == 0 ? 1 : length);
        object.data = bytes;
        is_found = json_member_find(object, TEXT("a"), &out);
        if (json_parse(arena, object, NULL, &doc, &err) && doc_is_map(&doc)) {
            const struct doc *child = doc_child(&doc, "a");

            assert_int_equal(is_found, child != NULL);
            if (child != NULL) {
                struct doc again;

                assert_true(json_parse(arena, out, NULL, &again, &err));
                assert_true(doc_is_equal(&again, child));
                found++;
            }
        }
        arena_rewind(arena, mark);
        free(bytes);
    }
    assert_in_range(found, 100, 300000);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_members_are_found_or_not),
        cmocka_unit_test(test_random_texts_agree_with_the_reader),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}
