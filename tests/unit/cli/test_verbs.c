#include "cli/args/verbs.h"

#include "case.h"
#include "cli/args/embed.h"

/* A flag name or letter has the same meaning for all verbs. The flags of clusterctl are defined by
 * another program. */
static void test_a_flag_means_the_same_everywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < flags_count; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct flag *a = &flags_table[i];
            const struct flag *b = &flags_table[j];

            if (a->owner == VERB_CLUSTERCTL || b->owner == VERB_CLUSTERCTL) {
                continue;
            }
            if (strcmp(a->name, b->name) == 0) {
                assert_int_equal(a->letter, b->letter);
                assert_int_equal(a->sort == FLAG_NONE, b->sort == FLAG_NONE);
                assert_int_equal(a->is_repeated, b->is_repeated);
                assert_true(a->owner != b->owner);
            } else if (a->letter != 0) {
                assert_int_not_equal(a->letter, b->letter);
            }
        }
    }
}

static void test_rows_are_in_order_of_their_ids(void **state)
{
    (void)state;
    assert_int_equal(verbs_count, VERB_COUNT);
    for (size_t i = 0; i < verbs_count; i++) {
        assert_int_equal(verbs_table[i].id, i);
        assert_non_null(verbs_table[i].run);
    }
    assert_int_equal(flags_count, FLAG_COUNT);
    for (size_t i = 0; i < flags_count; i++) {
        assert_int_equal(flags_table[i].id, i);
    }
}

static void test_every_verb_has_an_example_and_its_exit_codes(void **state)
{
    (void)state;
    for (size_t i = 0; i < verbs_count; i++) {
        bool has_example = false;
        bool has_done = false;

        for (size_t j = 0; j < verbs_example_count; j++) {
            bool has_code = false;

            if (verbs_examples[j].verb != verbs_table[i].id) {
                continue;
            }
            has_example = true;
            for (size_t k = 0; k < verbs_exit_count; k++) {
                has_code = has_code || (verbs_exits[k].verb == verbs_table[i].id &&
                                        verbs_exits[k].code == verbs_examples[j].code);
            }
            assert_true(has_code);
        }
        for (size_t j = 0; j < verbs_exit_count; j++) {
            has_done = has_done || (verbs_exits[j].verb == verbs_table[i].id &&
                                    verbs_exits[j].code == EXIT_CODE_DONE);
        }
        assert_true(has_example);
        assert_true(has_done);
    }
}

static void test_no_word_is_two_things(void **state)
{
    (void)state;
    for (size_t i = 0; i < verbs_count; i++) {
        assert_null(verb_moved_find(verbs_table[i].name, NULL));
        assert_null(verb_foreign_find(text_from(verbs_table[i].name)));
    }
    for (size_t i = 0; i < verbs_moved_count; i++) {
        assert_null(verb_foreign_find(text_from(verbs_moved[i].verb)));
    }
}

static void test_foreign_words_lead_to_verbs(void **state)
{
    (void)state;
    for (size_t i = 0; i < verbs_foreign_count; i++) {
        assert_non_null(verb_find(text_from(verbs_foreign[i].verb)));
    }
}

static void test_former_spellings_lead_to_verbs(void **state)
{
    (void)state;
    for (size_t i = 0; i < verbs_moved_count; i++) {
        struct text front = text_from(verbs_moved[i].front);

        assert_non_null(verb_find(text_slice(front, 0, text_find_byte(front, ' '))));
    }
}

/* The verb for raw API calls is only for scripts of this project. */
static void test_a_hidden_verb_is_found_and_not_listed(void **state)
{
    struct suggest suggest = suggest_start(TEXT("apii"));

    (void)state;
    assert_true(verb_is_hidden(verb_find(TEXT("api"))));
    assert_false(verb_is_hidden(verb_find(TEXT("apply"))));
    verbs_suggest(&suggest);
    assert_false(text_is(suggest_best(&suggest), "api"));
}

static void test_every_topic_has_its_text(void **state)
{
    (void)state;
    assert_int_equal(verbs_topic_count, embed_topic_count);
    for (size_t i = 0; i < verbs_topic_count; i++) {
        assert_non_null(
            embed_find(embed_topics, embed_topic_count, text_from(verbs_topics[i].name)));
        assert_null(verb_find(text_from(verbs_topics[i].name)));
    }
}

static void test_every_example_has_a_line_about_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < embed_example_count; i++) {
        assert_true(text_has_prefix(embed_examples[i].bytes, TEXT("# ")));
        assert_true(embed_summary(&embed_examples[i]).length < 100);
    }
}

static void test_words_are_cut(void **state)
{
    struct text words = TEXT("text|json|path=");

    assert_text(flag_word_next(&words), "text");
    assert_text(flag_word_next(&words), "json");
    assert_text(flag_word_next(&words), "path=");
    assert_text(flag_word_next(&words), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_a_flag_means_the_same_everywhere),
        CASE(test_rows_are_in_order_of_their_ids),
        CASE(test_every_verb_has_an_example_and_its_exit_codes),
        CASE(test_no_word_is_two_things),
        CASE(test_foreign_words_lead_to_verbs),
        CASE(test_former_spellings_lead_to_verbs),
        CASE(test_a_hidden_verb_is_found_and_not_listed),
        CASE(test_every_topic_has_its_text),
        CASE(test_every_example_has_a_line_about_it),
        CASE(test_words_are_cut),
    };

    return cmocka_run_group_tests_name("cli/verbs", tests, NULL, NULL);
}
