#include "base/map.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

#define KEYS 500

/* Checks the levels and the order of an AA tree. Returns the number of nodes. */
static size_t check_node(const struct map_node *node, const struct map_node *low,
                         const struct map_node *high)
{
    unsigned left;
    unsigned right;

    if (node == NULL) {
        return 0;
    }
    left = node->left == NULL ? 0 : node->left->level;
    right = node->right == NULL ? 0 : node->right->level;
    assert_int_equal(left, node->level - 1); /* a left child is never red */
    assert_true(right == node->level || right == node->level - 1);
    if (right == node->level) { /* never two red nodes in a row */
        assert_true(node->right->right == NULL || node->right->right->level < node->level);
    }
    assert_true(low == NULL || text_compare(low->key, node->key) < 0);
    assert_true(high == NULL || text_compare(node->key, high->key) < 0);
    return 1 + check_node(node->left, low, node) + check_node(node->right, node, high);
}

static void check_map(const struct map *map)
{
    assert_int_equal(check_node(map->root, NULL, NULL), map->count);
}

/* A reference model of a map that is too simple to be wrong: one slot for each key. */
struct model {
    char names[KEYS][8];
    void *values[KEYS];
    size_t count;
};

static void check_walk(const struct map *map, const struct model *model)
{
    const struct map_node *node = map_first(map, TEXT(""));

    for (size_t i = 0; i < KEYS; i++) {
        if (model->values[i] != NULL) {
            assert_non_null(node);
            assert_text(node->key, model->names[i]);
            assert_ptr_equal(node->value, model->values[i]);
            node = map_after(map, node->key);
        }
    }
    assert_null(node);
}

/* Checks that a cursor visits the same keys, from any start key. */
static void check_cursor(const struct map *map, const struct model *model, size_t start)
{
    struct map_cursor cursor;
    const struct map_node *node = map_cursor_seek(&cursor, map, text_from(model->names[start]));

    for (size_t i = start; i < KEYS; i++) {
        if (model->values[i] != NULL) {
            assert_non_null(node);
            assert_text(node->key, model->names[i]);
            node = map_cursor_next(&cursor);
        }
    }
    assert_null(node);
}

static void thousands_of_changes_agree_with_a_naive_model(void **state)
{
    AUTO(arena) arena = arena_new((size_t)16 << 20);
    static struct model model;
    struct map map;
    uint32_t random = 20240607;

    (void)state;
    map_init(&map, arena);
    for (size_t i = 0; i < KEYS; i++) {
        snprintf(model.names[i], sizeof(model.names[i]), "k%03zu", i);
    }
    for (int step = 0; step < 20000; step++) {
        size_t i = unit_random(&random) % KEYS;
        struct text key = text_from(model.names[i]);
        bool grows = unit_random(&random) % 10 < (step / 4000 % 2 == 0 ? 7u : 3u);

        assert_ptr_equal(map_find(&map, key), model.values[i]);
        if (grows) {
            void *value = &model.names[unit_random(&random) % KEYS];

            assert_ptr_equal(map_put(&map, key, value), model.values[i]);
            model.count += model.values[i] == NULL;
            model.values[i] = value;
        } else {
            assert_ptr_equal(map_remove(&map, key), model.values[i]);
            model.count -= model.values[i] != NULL;
            model.values[i] = NULL;
        }
        assert_int_equal(map.count, model.count);
        if (step % 16 == 0) {
            check_map(&map);
        }
        if (step % 1000 == 0) {
            check_walk(&map, &model);
        }
        if (step % 100 == 0) {
            check_cursor(&map, &model, (size_t)step / 100 % KEYS);
        }
    }
    check_walk(&map, &model);
    check_cursor(&map, &model, 0);
}

static void sorted_input_keeps_the_tree_low(void **state)
{
    AUTO(arena) arena = arena_new((size_t)16 << 20);
    struct map map;
    char names[2000][8];

    (void)state;
    map_init(&map, arena);
    for (size_t i = 0; i < 2000; i++) {
        snprintf(names[i], sizeof(names[i]), "%04zu", i);
        assert_null(map_put(&map, text_from(names[i]), names));
    }
    check_map(&map);
    assert_true(map.root->level <= 11);
    for (size_t i = 2000; i > 0; i--) {
        assert_non_null(map_remove(&map, text_from(names[i - 1])));
    }
    assert_int_equal(map.count, 0);
    assert_null(map.root);
}

static void removed_nodes_are_used_again(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct map map;
    size_t used;

    (void)state;
    map_init(&map, arena);
    map_put(&map, TEXT("a"), &map);
    used = arena_used(arena);
    for (int i = 0; i < 100; i++) {
        map_remove(&map, TEXT("a"));
        map_put(&map, TEXT("a"), &map);
    }
    assert_int_equal(arena_used(arena), used);
}

static void bounds_are_found_between_keys(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct map map;

    (void)state;
    map_init(&map, arena);
    assert_null(map_first(&map, TEXT("")));
    assert_null(map_remove(&map, TEXT("b")));
    map_put(&map, TEXT("b"), &map);
    map_put(&map, TEXT("d"), &map);
    assert_text(map_first(&map, TEXT("b"))->key, "b");
    assert_text(map_first(&map, TEXT("c"))->key, "d");
    assert_text(map_after(&map, TEXT("b"))->key, "d");
    assert_text(map_after(&map, TEXT("a"))->key, "b");
    assert_null(map_after(&map, TEXT("d")));
    assert_null(map_first(&map, TEXT("e")));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_of_changes_agree_with_a_naive_model),
        cmocka_unit_test(sorted_input_keeps_the_tree_low),
        cmocka_unit_test(removed_nodes_are_used_again),
        cmocka_unit_test(bounds_are_found_between_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
