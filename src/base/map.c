#include "base/map.h"

#include <assert.h>

/* AA tree: a red-black tree in which only right children may be red. `level` counts the black
 * height. skew turns a red left child to the right; split lifts the middle of two reds in a row. */

void map_init(struct map *map, struct arena *arena)
{
    assert(arena != NULL);
    *map = (struct map){ .arena = arena };
}

void *map_find(const struct map *map, struct text key)
{
    const struct map_node *node = map->root;

    while (node != NULL) {
        int order = text_compare(key, node->key);

        if (order == 0) {
            return node->value;
        }
        node = order < 0 ? node->left : node->right;
    }
    return NULL;
}

static struct map_node *node_skew(struct map_node *node)
{
    struct map_node *left = node->left;

    if (left == NULL || left->level != node->level) {
        return node;
    }
    node->left = left->right;
    left->right = node;
    return left;
}

static struct map_node *node_split(struct map_node *node)
{
    struct map_node *right = node->right;

    if (right == NULL || right->right == NULL || right->right->level != node->level) {
        return node;
    }
    node->right = right->left;
    right->left = node;
    right->level++;
    return right;
}

static struct map_node *map_node_make(struct map *map, struct text key, void *value)
{
    struct map_node *node = map->unused;

    if (node != NULL) {
        map->unused = node->right;
    } else {
        node = arena_one(map->arena, struct map_node);
    }
    *node = (struct map_node){ .key = key, .value = value, .level = 1 };
    return node;
}

static struct map_node *node_put(struct map *map, struct map_node *node, struct text key,
                                 void *value, void **out_old)
{
    int order;

    if (node == NULL) {
        map->count++;
        return map_node_make(map, key, value);
    }
    order = text_compare(key, node->key);
    if (order == 0) {
        *out_old = node->value;
        node->value = value;
        return node;
    }
    if (order < 0) {
        node->left = node_put(map, node->left, key, value, out_old);
    } else {
        node->right = node_put(map, node->right, key, value, out_old);
    }
    return node_split(node_skew(node));
}

void *map_put(struct map *map, struct text key, void *value)
{
    void *old = NULL;

    assert(value != NULL);
    map->root = node_put(map, map->root, key, value, &old);
    assert(map->count > 0);
    return old;
}

static unsigned node_level(const struct map_node *node)
{
    return node == NULL ? 0 : node->level;
}

/* Restore the levels on the way up from a removal. */
static struct map_node *node_rebalance(struct map_node *node)
{
    unsigned left = node_level(node->left);
    unsigned right = node_level(node->right);
    unsigned highest = (left < right ? left : right) + 1;

    if (node->level <= highest) {
        return node;
    }
    node->level = highest;
    if (node->right != NULL && node->right->level > highest) {
        node->right->level = highest;
    }
    node = node_skew(node);
    if (node->right != NULL) {
        node->right = node_skew(node->right);
        if (node->right->right != NULL) {
            node->right->right = node_skew(node->right->right);
        }
    }
    node = node_split(node);
    if (node->right != NULL) {
        node->right = node_split(node->right);
    }
    return node;
}

/* Remove the lowest node of a subtree. */
static struct map_node *node_take_lowest(struct map_node *node, struct map_node **out_lowest)
{
    if (node->left == NULL) {
        *out_lowest = node;
        return node->right;
    }
    node->left = node_take_lowest(node->left, out_lowest);
    return node_rebalance(node);
}

static struct map_node *map_node_remove(struct map_node *node, struct text key,
                                        struct map_node **out_removed)
{
    struct map_node *next;
    int order;

    if (node == NULL) {
        return NULL;
    }
    order = text_compare(key, node->key);
    if (order < 0) {
        node->left = map_node_remove(node->left, key, out_removed);
        return node_rebalance(node);
    }
    if (order > 0) {
        node->right = map_node_remove(node->right, key, out_removed);
        return node_rebalance(node);
    }
    *out_removed = node;
    if (node->right == NULL) {
        return node->left;
    }
    node->right = node_take_lowest(node->right, &next);
    next->left = node->left;
    next->right = node->right;
    next->level = node->level;
    return node_rebalance(next);
}

void *map_remove(struct map *map, struct text key)
{
    struct map_node *removed = NULL;
    void *value;

    map->root = map_node_remove(map->root, key, &removed);
    if (removed == NULL) {
        return NULL;
    }
    assert(map->count > 0);
    map->count--;
    value = removed->value;
    removed->right = map->unused;
    map->unused = removed;
    return value;
}

static const struct map_node *map_bound_find(const struct map *map, struct text key, bool is_above)
{
    const struct map_node *best = NULL;
    const struct map_node *node = map->root;

    while (node != NULL) {
        int order = text_compare(node->key, key);

        if (order > 0 || (order == 0 && !is_above)) {
            best = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return best;
}

const struct map_node *map_first(const struct map *map, struct text key)
{
    return map_bound_find(map, key, false);
}

const struct map_node *map_after(const struct map *map, struct text key)
{
    return map_bound_find(map, key, true);
}

static const struct map_node *cursor_top(const struct map_cursor *cursor)
{
    return cursor->depth == 0 ? NULL : cursor->path[cursor->depth - 1];
}

static void cursor_push(struct map_cursor *cursor, const struct map_node *node)
{
    /* At most two nodes per level, and 2^64 nodes have 64 levels. */
    assert(cursor->depth < sizeof(cursor->path) / sizeof(cursor->path[0]));
    cursor->path[cursor->depth++] = node;
}

const struct map_node *map_cursor_seek(struct map_cursor *cursor, const struct map *map,
                                       struct text key)
{
    const struct map_node *node = map->root;

    cursor->depth = 0;
    while (node != NULL) {
        if (text_compare(node->key, key) < 0) {
            node = node->right;
        } else {
            cursor_push(cursor, node);
            node = node->left;
        }
    }
    return cursor_top(cursor);
}

const struct map_node *map_cursor_next(struct map_cursor *cursor)
{
    const struct map_node *node = cursor_top(cursor);

    assert(node != NULL);
    cursor->depth--;
    for (node = node->right; node != NULL; node = node->left) {
        cursor_push(cursor, node);
    }
    return cursor_top(cursor);
}
