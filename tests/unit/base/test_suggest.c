#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "unit.h"

static struct text suggest_among(const char *wrong, const char *const *words, size_t count)
{
    struct suggest suggest = suggest_start(text_from(wrong));

    for (size_t i = 0; i < count; i++) {
        suggest_offer(&suggest, text_from(words[i]));
    }
    return suggest_best(&suggest);
}

static void the_nearest_word_is_found(void **state)
{
    static const char *const words[] = { "size",  "minSize",     "maxSize",      "plugin", "zones",
                                         "image", "machineSize", "merge_labels", "heal" };
    static const struct {
        const char *wrong;
        const char *right; /* expected suggestion; "": none */
    } cases[] = {
        { "siz", "size" },
        { "sizee", "size" },
        { "isze", "size" },
        { "pluign", "plugin" },
        { "minsize", "minSize" },
        { "min-size", "minSize" },
        { "machinSize", "machineSize" },
        { "imgae", "image" },
        { "zone", "zones" },
        { "merge-labels", "merge_labels" },
        { "Heal", "heal" },
        { "hela", "heal" },
        { "network", "" },
        { "x", "" },
        { "", "" },
        { "manSize", "" }, /* equally similar to minSize and to maxSize */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_text(suggest_among(cases[i].wrong, words, ARRAY_COUNT(words)), cases[i].right);
    }
}

static void case_and_hyphens_are_cheaper_than_letters(void **state)
{
    static const char *const words[] = { "Web", "wed" };

    (void)state;
    assert_text(suggest_among("web", words, 2), "Web");
}

static void the_same_word_twice_is_still_one_word(void **state)
{
    static const char *const words[] = { "size", "size" };

    (void)state;
    assert_text(suggest_among("siez", words, 2), "size");
}

static void long_words_are_never_suggested(void **state)
{
    char wrong[80];
    char word[80];
    const char *words[1] = { word };

    (void)state;
    memset(wrong, 'a', sizeof(wrong));
    wrong[64] = '\0';
    memcpy(word, wrong, sizeof(word));
    word[63] = 'b';
    assert_text(suggest_among(wrong, words, 1), word);
    memset(word, 'a', 65);
    word[65] = '\0';
    assert_text(suggest_among(wrong, words, 1), "");
    wrong[64] = 'a';
    wrong[65] = '\0';
    word[60] = '\0';
    assert_text(suggest_among(wrong, words, 1), "");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_word_is_found),
        cmocka_unit_test(case_and_hyphens_are_cheaper_than_letters),
        cmocka_unit_test(the_same_word_twice_is_still_one_word),
        cmocka_unit_test(long_words_are_never_suggested),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
