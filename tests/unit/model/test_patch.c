/* Merge patch with all examples of RFC 7396's appendix, JSON patch with those of RFC 6902's. */
#include "world.h"

#include <string.h>

#include "base/macros.h"
#include "codec/json.h"
#include "model/patch.h"

struct patch_case {
    const char *name;
    const char *doc;
    const char *patch;
    const char *result; /* expected result; NULL: the patch is refused */
    const char *code;
};

static const struct patch_case merges[] = {
    { "rfc7396_1", "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}", NULL },
    { "rfc7396_2", "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}", NULL },
    { "rfc7396_3", "{\"a\":\"b\"}", "{\"a\":null}", "{}", NULL },
    { "rfc7396_4", "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}", NULL },
    { "rfc7396_5", "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}", NULL },
    { "rfc7396_6", "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}", NULL },
    { "rfc7396_7", "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}",
      "{\"a\":{\"b\":\"d\"}}", NULL },
    { "rfc7396_8", "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}", NULL },
    { "rfc7396_9", "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]", NULL },
    { "rfc7396_10", "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]", NULL },
    { "rfc7396_11", "{\"a\":\"foo\"}", "null", "null", NULL },
    { "rfc7396_12", "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"", NULL },
    { "rfc7396_13", "{\"e\":null}", "{\"a\":1}", "{\"a\":1,\"e\":null}", NULL },
    { "rfc7396_14", "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}", NULL },
    { "rfc7396_15", "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}", NULL },
};

static const struct patch_case patches[] = {
    { "rfc6902_A1_adding_an_object_member", "{\"foo\":\"bar\"}",
      "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\"}]", "{\"baz\":\"qux\",\"foo\":\"bar\"}",
      NULL },
    { "rfc6902_A2_adding_an_array_element", "{\"foo\":[\"bar\",\"baz\"]}",
      "[{\"op\":\"add\",\"path\":\"/foo/1\",\"value\":\"qux\"}]",
      "{\"foo\":[\"bar\",\"qux\",\"baz\"]}", NULL },
    { "rfc6902_A3_removing_an_object_member", "{\"baz\":\"qux\",\"foo\":\"bar\"}",
      "[{\"op\":\"remove\",\"path\":\"/baz\"}]", "{\"foo\":\"bar\"}", NULL },
    { "rfc6902_A4_removing_an_array_element", "{\"foo\":[\"bar\",\"qux\",\"baz\"]}",
      "[{\"op\":\"remove\",\"path\":\"/foo/1\"}]", "{\"foo\":[\"bar\",\"baz\"]}", NULL },
    { "rfc6902_A5_replacing_a_value", "{\"baz\":\"qux\",\"foo\":\"bar\"}",
      "[{\"op\":\"replace\",\"path\":\"/baz\",\"value\":\"boo\"}]",
      "{\"baz\":\"boo\",\"foo\":\"bar\"}", NULL },
    { "rfc6902_A6_moving_a_value",
      "{\"foo\":{\"bar\":\"baz\",\"waldo\":\"fred\"},\"qux\":{\"corge\":\"grault\"}}",
      "[{\"op\":\"move\",\"from\":\"/foo/waldo\",\"path\":\"/qux/thud\"}]",
      "{\"foo\":{\"bar\":\"baz\"},\"qux\":{\"corge\":\"grault\",\"thud\":\"fred\"}}", NULL },
    { "rfc6902_A7_moving_an_array_element", "{\"foo\":[\"all\",\"grass\",\"cows\",\"eat\"]}",
      "[{\"op\":\"move\",\"from\":\"/foo/1\",\"path\":\"/foo/3\"}]",
      "{\"foo\":[\"all\",\"cows\",\"eat\",\"grass\"]}", NULL },
    { "rfc6902_A8_testing_a_value_success", "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}",
      "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"qux\"},"
      "{\"op\":\"test\",\"path\":\"/foo/1\",\"value\":2}]",
      "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}", NULL },
    { "rfc6902_A9_testing_a_value_error", "{\"baz\":\"qux\"}",
      "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"bar\"}]", NULL, "R0411" },
    { "rfc6902_A10_adding_a_nested_member_object", "{\"foo\":\"bar\"}",
      "[{\"op\":\"add\",\"path\":\"/child\",\"value\":{\"grandchild\":{}}}]",
      "{\"child\":{\"grandchild\":{}},\"foo\":\"bar\"}", NULL },
    { "rfc6902_A11_ignoring_unrecognized_elements", "{\"foo\":\"bar\"}",
      "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\",\"xyz\":123}]",
      "{\"baz\":\"qux\",\"foo\":\"bar\"}", NULL },
    { "rfc6902_A12_adding_to_a_nonexistent_target", "{\"foo\":\"bar\"}",
      "[{\"op\":\"add\",\"path\":\"/baz/bat\",\"value\":\"qux\"}]", NULL, "R0403" },
    { "rfc6902_A14_escape_ordering", "{\"/\":9,\"~1\":10}",
      "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":10}]", "{\"/\":9,\"~1\":10}", NULL },
    { "rfc6902_A15_comparing_strings_and_numbers", "{\"/\":9,\"~1\":10}",
      "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":\"10\"}]", NULL, "R0411" },
    { "rfc6902_A16_adding_an_array_value", "{\"foo\":[\"bar\"]}",
      "[{\"op\":\"add\",\"path\":\"/foo/-\",\"value\":[\"abc\",\"def\"]}]",
      "{\"foo\":[\"bar\",[\"abc\",\"def\"]]}", NULL },
    { "copy_copies", "{\"a\":{\"b\":1}}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/c\"}]",
      "{\"a\":{\"b\":1},\"c\":{\"b\":1}}", NULL },
    { "the_whole_document_is_replaced", "{\"a\":1}",
      "[{\"op\":\"replace\",\"path\":\"\",\"value\":{\"b\":2}}]", "{\"b\":2}", NULL },
    { "nothing_moves_into_itself", "{\"a\":{\"b\":1}}",
      "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/b\"}]", NULL, "R0345" },
    { "an_unknown_op_is_refused", "{}", "[{\"op\":\"put\",\"path\":\"/a\",\"value\":1}]", NULL,
      "R0345" },
    { "an_index_behind_the_end_is_refused", "{\"a\":[1]}",
      "[{\"op\":\"add\",\"path\":\"/a/2\",\"value\":1}]", NULL, "R0403" },
    { "an_index_with_a_zero_in_front_is_refused", "{\"a\":[1,2]}",
      "[{\"op\":\"remove\",\"path\":\"/a/01\"}]", NULL, "R0403" },
    { "a_bad_escape_is_refused", "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/a~2\"}]", NULL,
      "R0345" },
    { "a_path_without_slash_is_refused", "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"a\"}]", NULL,
      "R0345" },
    { "nothing_is_below_a_scalar", "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/a/b\"}]", NULL,
      "R0403" },
    { "a_field_within_an_item_of_a_list_is_changed", "{\"a\":[{\"b\":1},{\"b\":2,\"c\":3}]}",
      "[{\"op\":\"replace\",\"path\":\"/a/1/b\",\"value\":9}]",
      "{\"a\":[{\"b\":1},{\"b\":9,\"c\":3}]}", NULL },
    { "an_item_of_a_list_is_replaced", "{\"a\":[1,2,3]}",
      "[{\"op\":\"replace\",\"path\":\"/a/1\",\"value\":{\"b\":[]}}]", "{\"a\":[1,{\"b\":[]},3]}",
      NULL },
    { "the_first_item_has_the_index_0", "[1]", "[{\"op\":\"add\",\"path\":\"/0\",\"value\":0}]",
      "[0,1]", NULL },
    { "both_escapes_are_understood", "{\"a/b\":1,\"~\":2}",
      "[{\"op\":\"remove\",\"path\":\"/a~1b\"},{\"op\":\"replace\",\"path\":\"/~0\",\"value\":3}]",
      "{\"~\":3}", NULL },
    { "a_value_moves_to_a_name_that_begins_with_its_own", "{\"a\":1}",
      "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/ab\"}]", "{\"ab\":1}", NULL },
    { "a_value_moves_onto_itself", "{\"a\":1}",
      "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a\"}]", "{\"a\":1}", NULL },
    { "add_replaces_what_is_there", "{\"a\":1}",
      "[{\"op\":\"add\",\"path\":\"/a\",\"value\":null}]", "{\"a\":null}", NULL },
    { "replace_needs_something_to_replace", "{\"a\":1}",
      "[{\"op\":\"replace\",\"path\":\"/b\",\"value\":1}]", NULL, "R0403" },
    { "the_whole_document_cannot_be_removed", "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"\"}]",
      NULL, "R0345" },
    { "the_whole_document_cannot_be_moved", "[1]",
      "[{\"op\":\"move\",\"from\":\"\",\"path\":\"/0\"}]", NULL, "R0345" },
    { "an_operation_needs_its_op", "{}", "[{\"path\":\"/a\",\"value\":1}]", NULL, "R0345" },
    { "an_operation_needs_its_path", "{}", "[{\"op\":\"add\",\"value\":1}]", NULL, "R0345" },
    { "a_path_is_a_text", "{}", "[{\"op\":\"add\",\"path\":7,\"value\":1}]", NULL, "R0345" },
    { "add_needs_its_value", "{}", "[{\"op\":\"add\",\"path\":\"/a\"}]", NULL, "R0345" },
    { "copy_needs_its_from", "{\"a\":1}", "[{\"op\":\"copy\",\"path\":\"/b\"}]", NULL, "R0345" },
    { "copy_needs_something_to_copy", "{\"a\":1}",
      "[{\"op\":\"copy\",\"from\":\"/x\",\"path\":\"/b\"}]", NULL, "R0403" },
    { "there_is_nothing_to_test", "{\"a\":1}", "[{\"op\":\"test\",\"path\":\"/b\",\"value\":1}]",
      NULL, "R0403" },
    { "an_index_is_a_number", "{\"a\":[1]}", "[{\"op\":\"remove\",\"path\":\"/a/x\"}]", NULL,
      "R0403" },
    { "an_index_is_not_negative", "{\"a\":[1]}", "[{\"op\":\"remove\",\"path\":\"/a/-1\"}]", NULL,
      "R0403" },
    { "minus_nought_is_no_index", "{\"a\":[1]}", "[{\"op\":\"remove\",\"path\":\"/a/-0\"}]", NULL,
      "R0403" },
    { "nothing_is_behind_the_end_to_remove", "{\"a\":[1]}",
      "[{\"op\":\"remove\",\"path\":\"/a/-\"}]", NULL, "R0403" },
    { "an_item_that_does_not_have_the_field", "{\"a\":[{\"b\":1}]}",
      "[{\"op\":\"remove\",\"path\":\"/a/0/c\"}]", NULL, "R0403" },
    { "an_escape_needs_its_digit", "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/a~\"}]", NULL,
      "R0345" },
    { "a_bad_escape_deep_inside_is_refused", "{\"a\":{\"b\":1}}",
      "[{\"op\":\"remove\",\"path\":\"/a/b~x\"}]", NULL, "R0345" },
    { "no_list_is_refused", "{}", "{}", NULL, "R0345" },
    { "no_mapping_is_refused", "{}", "[1]", NULL, "R0345" },
};

static struct doc read_json(struct arena *arena, const char *json)
{
    struct doc doc;
    struct err err;

    assert_true(json_parse(arena, text_from(json), NULL, &doc, &err));
    return doc;
}

static const char *write_json(struct arena *arena, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, doc);
    return buf_text(&buf).data;
}

static void run_merge(void **state)
{
    const struct patch_case *row = *state;
    AUTO(arena) arena = arena_new(1 << 20);
    struct doc doc = read_json(arena, row->doc);
    struct doc patch = read_json(arena, row->patch);
    struct doc result = patch_merge(arena, &doc, &patch);

    assert_string_equal(write_json(arena, &result), row->result);
}

static void run_patch(void **state)
{
    const struct patch_case *row = *state;
    AUTO(arena) arena = arena_new(1 << 20);
    struct doc doc = read_json(arena, row->doc);
    struct doc patch = read_json(arena, row->patch);
    struct doc result;
    struct err err;

    if (row->result == NULL) {
        assert_false(patch_json(arena, &doc, &patch, &result, &err));
        assert_string_equal(code_get(err.code)->name, row->code);
        /* no part of the patch was applied */
        assert_string_equal(write_json(arena, &doc), row->doc);
        return;
    }
    assert_true(patch_json(arena, &doc, &patch, &result, &err));
    assert_string_equal(write_json(arena, &result), row->result);
}

int main(void)
{
    struct CMUnitTest tests[ARRAY_COUNT(merges) + ARRAY_COUNT(patches)];
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_COUNT(merges); i++) {
        tests[count++] = (struct CMUnitTest){ merges[i].name, run_merge, NULL, NULL,
                                              (void *)(uintptr_t)&merges[i] };
    }
    for (size_t i = 0; i < ARRAY_COUNT(patches); i++) {
        tests[count++] = (struct CMUnitTest){ patches[i].name, run_patch, NULL, NULL,
                                              (void *)(uintptr_t)&patches[i] };
    }
    return _cmocka_run_group_tests("patch", tests, count, NULL, NULL);
}
