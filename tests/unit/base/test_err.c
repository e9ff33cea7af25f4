#include "base/err.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static void every_code_has_a_whole_page(void **state)
{
    (void)state;
    for (int code = CODE_NONE + 1; code < CODE_COUNT; code++) {
        const struct code_page *page = code_get((enum code)code);

        assert_int_equal(strlen(page->name), 5);
        assert_int_equal(page->name[0], 'R');
        assert_int_equal(strspn(page->name + 1, "0123456789"), 4);
        assert_true(page->kind < ERR_KIND_COUNT);
        assert_true(strlen(page->title) > 0);
        assert_true(strlen(page->cause) > 0);
        assert_non_null(page->example);
        assert_true(strlen(page->fix) > 0);
        assert_int_equal(code_find(text_from(page->name)), code);
    }
}

static void codes_stand_in_order_and_once(void **state)
{
    (void)state;
    for (int code = CODE_NONE + 2; code < CODE_COUNT; code++) {
        assert_true(strcmp(code_get((enum code)(code - 1))->name, code_get((enum code)code)->name) <
                    0);
    }
}

static void a_code_is_found_in_either_case(void **state)
{
    (void)state;
    assert_int_equal(code_find(TEXT("R0102")), CODE_R0102);
    assert_int_equal(code_find(TEXT("r0102")), CODE_R0102);
    assert_int_equal(code_find(TEXT("R9999")), CODE_NONE);
    assert_int_equal(code_find(TEXT("R010")), CODE_NONE);
    assert_int_equal(code_find(TEXT("X0102")), CODE_NONE);
    assert_int_equal(code_find(TEXT("")), CODE_NONE);
}

static void places_have_an_order(void **state)
{
    struct place places[] = {
        { 1, 1, 1, 1 },
        { 1, 2, 1, 1 },
        { 2, 1, 1, 1 },
        { 1, 1, 1, 2 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        for (size_t j = 0; j < ARRAY_COUNT(places); j++) {
            int order = place_compare(places[i], places[j]);

            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
    assert_true(place_is_known(places[0]));
    assert_false(place_is_known((struct place){ 0 }));
}

static void an_error_is_text_note_hint_and_place(void **state)
{
    struct err err = { 0 };

    (void)state;
    assert_false(err_set(&err, CODE_R0102, "key '%s' stands twice", "size"));
    assert_int_equal(err.code, CODE_R0102);
    assert_int_equal(err_kind(&err), ERR_KIND_INVALID);
    assert_string_equal(err.text, "key 'size' stands twice");
    assert_string_equal(err.note, "");
    assert_false(err_note(&err, "line %d", 3));
    assert_false(err_hint(&err, "keep one"));
    assert_false(err_hint(&err, "keep the first"));
    assert_string_equal(err.note, "line 3");
    assert_string_equal(err.hint, "keep the first");
    assert_false(err_place(&err, (struct place){ 2, 3, 4, 1 }));
    /* an inner place takes precedence */
    assert_false(err_place(&err, (struct place){ 9, 9, 9, 1 }));
    assert_int_equal(err.place.line, 2);
    assert_false(err_set(&err, CODE_R0101, "again"));
    assert_string_equal(err.hint, "");
    assert_int_equal(err.place.line, 0);
}

static void the_path_grows_at_its_front(void **state)
{
    struct err err = { 0 };
    char path[LIMIT_ERROR_PATH_BYTES];

    (void)state;
    err_set(&err, CODE_R0101, "x");
    err_path_format(&err, path, sizeof(path));
    assert_string_equal(path, "");
    assert_false(err_at_index(&err, 1));
    assert_false(err_at(&err, TEXT("zones")));
    assert_false(err_at(&err, TEXT("a/b~c")));
    assert_false(err_at(&err, TEXT("groups")));
    assert_string_equal(err.path, "/groups/a~1b~0c/zones/1");
    err_path_format(&err, path, sizeof(path));
    assert_string_equal(path, "groups.a/b~c.zones[1]");
}

static void a_list_at_the_root_has_a_path(void **state)
{
    struct err err = { 0 };
    char path[LIMIT_ERROR_PATH_BYTES];

    (void)state;
    err_set(&err, CODE_R0101, "x");
    err_at(&err, TEXT("1x"));
    err_at_index(&err, 12);
    err_path_format(&err, path, sizeof(path));
    assert_string_equal(path, "[12].1x");
}

static void what_is_too_long_ends_in_dots_between_characters(void **state)
{
    struct err err = { 0 };
    char text[1000];

    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'x', shift);
        for (size_t i = shift; i + 2 < sizeof(text); i += 2) {
            memcpy(text + i, "\xc3\xa9", 3);
        }
        err_set(&err, CODE_R0101, "%s", text);
        assert_true(strlen(err.text) < LIMIT_ERROR_TEXT_BYTES);
        assert_true(strlen(err.text) >= LIMIT_ERROR_TEXT_BYTES - 6);
        assert_string_equal(err.text + strlen(err.text) - 3, "...");
        assert_true(text_find_bad_utf8(text_from(err.text)) == SIZE_MAX);
    }
    text[LIMIT_ERROR_TEXT_BYTES - 1] = '\0';
    err_set(&err, CODE_R0101, "%s", text);
    assert_string_equal(err.text, text); /* the text just fits */
}

static void a_path_that_is_too_long_is_cut_between_characters(void **state)
{
    struct err err = { 0 };
    char key[1000];
    char path[LIMIT_ERROR_PATH_BYTES];

    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        memset(key, 'x', shift);
        for (size_t i = shift; i + 2 < sizeof(key); i += 2) {
            memcpy(key + i, "\xc3\xa9", 3);
        }
        err_set(&err, CODE_R0101, "x");
        err_at(&err, TEXT("inner"));
        err_at(&err, text_from(key));
        assert_true(strlen(err.path) < LIMIT_ERROR_PATH_BYTES);
        assert_true(text_find_bad_utf8(text_from(err.path)) == SIZE_MAX);
        err_set(&err, CODE_R0101, "x");
        err_at(&err, text_from(key));
        err_at(&err, TEXT("out"));
        assert_memory_equal(err.path, "/out/", 5);
        assert_true(text_find_bad_utf8(text_from(err.path)) == SIZE_MAX);
        err_path_format(&err, path, 20);
        assert_true(strlen(path) < 20);
        assert_true(text_find_bad_utf8(text_from(path)) == SIZE_MAX);
    }
}

static struct err error_at(uint32_t line, enum err_severity severity)
{
    struct err err = { 0 };

    err_set(&err, CODE_R0101, "line %u", line);
    err.severity = severity;
    err_place(&err, (struct place){ line, 1, 1, 1 });
    return err;
}

static void a_list_keeps_the_first_and_counts_all(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct err_list list;

    (void)state;
    err_list_init(&list, arena);
    for (uint32_t i = 1; i <= 60; i++) {
        struct err *err = err_list_set(&list, (struct place){ i, 1, 1, 1 }, CODE_R0101, "no %u", i);

        assert_non_null(err);
        err_hint(err, "hint %u", i);
    }
    assert_int_equal(list.count, LIMIT_ERRORS_KEPT);
    assert_int_equal(list.errors, 60);
    assert_int_equal(list.warnings, 0);
    assert_string_equal(list.items[49].text, "no 50");
    assert_string_equal(list.items[49].hint, "hint 50");
}

static void errors_push_out_warnings_and_never_the_other_way(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct err_list list;

    (void)state;
    err_list_init(&list, arena);
    for (uint32_t i = 1; i <= 30; i++) {
        struct err error = error_at(i, ERR_SEVERITY_ERROR);

        err_list_add(&list, &error);
        assert_non_null(
            err_list_warn(&list, (struct place){ i, 2, 1, 1 }, CODE_R0101, "warning %u", i));
    }
    assert_int_equal(list.count, 50);
    assert_int_equal(list.errors, 30);
    assert_int_equal(list.warnings, 30);
    for (uint32_t i = 31; i <= 60; i++) {
        struct err error = error_at(i, ERR_SEVERITY_ERROR);
        struct err warning = error_at(i, ERR_SEVERITY_WARNING);

        err_list_add(&list, &error);
        err_list_add(&list, &warning);
    }
    assert_int_equal(list.count, 50);
    assert_int_equal(list.errors, 60);
    assert_int_equal(list.warnings, 60);
    for (size_t i = 0; i < list.count; i++) {
        assert_int_equal(list.items[i].severity, ERR_SEVERITY_ERROR);
        assert_int_equal(list.items[i].place.line, i + 1);
    }
}

static void a_list_sorts_by_place_and_keeps_equal_ones_in_order(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct err_list list;

    (void)state;
    err_list_init(&list, arena);
    err_list_set(&list, (struct place){ 3, 1, 1, 1 }, CODE_R0101, "c");
    err_list_set(&list, (struct place){ 1, 1, 1, 2 }, CODE_R0101, "d");
    err_list_set(&list, (struct place){ 1, 1, 1, 1 }, CODE_R0101, "a");
    err_list_set(&list, (struct place){ 1, 1, 1, 1 }, CODE_R0101, "b");
    err_list_sort(&list, arena);
    assert_string_equal(list.items[0].text, "a");
    assert_string_equal(list.items[1].text, "b");
    assert_string_equal(list.items[2].text, "c");
    assert_string_equal(list.items[3].text, "d");
}

static void page_of_no_code(void)
{
    code_get(CODE_NONE);
}

static void hint_of_no_error(void)
{
    struct err err = { 0 };

    err_hint(&err, "x");
}

static void misuse_is_caught(void **state)
{
    (void)state;
    assert_true(unit_aborts(page_of_no_code));
    assert_true(unit_aborts(hint_of_no_error));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_whole_page),
        cmocka_unit_test(codes_stand_in_order_and_once),
        cmocka_unit_test(a_code_is_found_in_either_case),
        cmocka_unit_test(places_have_an_order),
        cmocka_unit_test(an_error_is_text_note_hint_and_place),
        cmocka_unit_test(the_path_grows_at_its_front),
        cmocka_unit_test(a_list_at_the_root_has_a_path),
        cmocka_unit_test(what_is_too_long_ends_in_dots_between_characters),
        cmocka_unit_test(a_path_that_is_too_long_is_cut_between_characters),
        cmocka_unit_test(a_list_keeps_the_first_and_counts_all),
        cmocka_unit_test(errors_push_out_warnings_and_never_the_other_way),
        cmocka_unit_test(a_list_sorts_by_place_and_keeps_equal_ones_in_order),
        cmocka_unit_test(misuse_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
