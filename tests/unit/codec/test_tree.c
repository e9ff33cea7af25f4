#include "codec/tree.h"

#include "codec.h"

static const struct place here = { 1, 1, 1, 1 };

static void a_tree_grows_from_what_a_reader_says(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc one = doc_plain(TEXT("1"), NULL);
    struct tree_branch branch;
    struct tree tree;
    struct err err = { 0 };

    (void)state;
    tree_init(&tree, arena, &file_origin);
    assert_null(tree_top(&tree));
    assert_false(tree_wants_key(&tree));
    assert_true(tree_open(&tree, DOC_KIND_MAP, here, &err));
    assert_true(tree_wants_key(&tree));
    assert_null(tree_key_now(&tree));
    tree_key(&tree, TEXT("b"), here);
    assert_false(tree_wants_key(&tree));
    assert_text(tree_key_now(&tree)->key, "b");
    assert_true(tree_open(&tree, DOC_KIND_LIST, here, &err));
    assert_null(tree_key_now(&tree));
    assert_true(tree_add(&tree, &one, &err));
    assert_true(tree_close(&tree, &branch, &err));
    assert_int_equal(branch.nodes, 2);
    assert_int_equal(branch.height, 1);
    tree_key(&tree, TEXT("a"), here);
    assert_true(tree_add_again(&tree, &branch, here, &err));
    assert_true(tree_close(&tree, &branch, &err));
    assert_int_equal(branch.nodes, 5);
    assert_int_equal(branch.height, 2);
    assert_string_equal(canonical(arena, &tree.root), "{\"a\":[1],\"b\":[1]}");
    tree_reset(&tree);
    assert_false(doc_is_present(&tree.root));
    assert_int_equal(tree.nodes, 5);
    tree_fini(&tree);
}

static void an_error_gets_the_path_of_what_is_read(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct doc one = doc_plain(TEXT("1"), NULL);
    struct tree tree;
    struct err err = { 0 };

    (void)state;
    tree_init(&tree, arena, &file_origin);
    assert_true(tree_open(&tree, DOC_KIND_MAP, here, &err));
    tree_key(&tree, TEXT("a/b"), here);
    assert_true(tree_open(&tree, DOC_KIND_LIST, here, &err));
    assert_true(tree_add(&tree, &one, &err));
    assert_true(tree_add(&tree, &one, &err));
    assert_true(tree_open(&tree, DOC_KIND_MAP, here, &err));
    err_set(&err, CODE_R0101, "x");
    assert_false(tree_locate(&tree, &err));
    assert_string_equal(err.path, "/a~1b/2");
    tree_key(&tree, TEXT("c"), here);
    err_set(&err, CODE_R0101, "x");
    assert_false(tree_locate(&tree, &err));
    assert_string_equal(err.path, "/a~1b/2/c");
    tree_fini(&tree);
}

static void a_branch_that_is_used_again_counts_anew(void **state)
{
    AUTO(arena) arena = arena_new(ARENA_BYTES);
    struct tree_branch branch = { .doc = doc_list(NULL, 0, NULL), .nodes = 1999990, .height = 63 };
    struct tree tree;
    struct err err = { 0 };

    (void)state;
    tree_init(&tree, arena, &file_origin);
    assert_true(tree_open(&tree, DOC_KIND_LIST, here, &err));
    assert_true(tree_add_again(&tree, &branch, here, &err));
    assert_false(tree_add_again(&tree, &branch, here, &err));
    assert_int_equal(err.code, CODE_R0108);
    assert_true(tree_open(&tree, DOC_KIND_LIST, here, &err));
    branch.nodes = 1;
    assert_false(tree_add_again(&tree, &branch, here, &err));
    assert_int_equal(err.code, CODE_R0107);
    branch.height = 62;
    assert_true(tree_add_again(&tree, &branch, here, &err));
    tree_fini(&tree);
}

static void value_without_key(void)
{
    struct doc one = doc_plain(TEXT("1"), NULL);
    struct tree tree;
    struct err err = { 0 };

    tree_init(&tree, arena_new(ARENA_BYTES), &file_origin);
    if (tree_open(&tree, DOC_KIND_MAP, here, &err) && tree_add(&tree, &one, &err)) {
        tree_fini(&tree);
    }
}

static void close_without_value(void)
{
    struct tree_branch branch;
    struct tree tree;
    struct err err = { 0 };

    tree_init(&tree, arena_new(ARENA_BYTES), &file_origin);
    if (tree_open(&tree, DOC_KIND_MAP, here, &err)) {
        tree_key(&tree, TEXT("a"), here);
        if (tree_close(&tree, &branch, &err)) {
            tree_fini(&tree);
        }
    }
}

static void a_reader_that_loses_count_is_caught(void **state)
{
    (void)state;
    assert_true(unit_aborts(value_without_key));
    assert_true(unit_aborts(close_without_value));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_grows_from_what_a_reader_says),
        cmocka_unit_test(an_error_gets_the_path_of_what_is_read),
        cmocka_unit_test(a_branch_that_is_used_again_counts_anew),
        cmocka_unit_test(a_reader_that_loses_count_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
