#include "cli/term/path.h"

#include "base/buf.h"
#include "cli/term/path_tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct path_finder {
    struct arena *arena;
    const struct doc *root;
};

static bool logic_holds(struct path_finder *finder, const struct path_logic *logic,
                        const struct doc *here);

static void path_nodes_add(struct arena *arena, struct path_nodes *nodes, size_t *room,
                           const struct doc *doc)
{
    if (nodes->count == *room) {
        size_t wanted = *room == 0 ? 8 : *room * 2;

        nodes->items = arena_grow(arena, nodes->items, *room * sizeof(*nodes->items),
                                  wanted * sizeof(*nodes->items));
        *room = wanted;
    }
    nodes->items[nodes->count++] = doc;
}

static size_t child_count(const struct doc *doc)
{
    if (doc_is_list(doc)) {
        return doc->item_count;
    }
    return doc_is_map(doc) ? doc->entry_count : 0;
}

static const struct doc *child_at(const struct doc *doc, size_t index)
{
    return doc_is_list(doc) ? &doc->items[index] : &doc->entries[index].value;
}

/* An index counts from the end when it is negative. */
static int64_t index_normalise(int64_t index, size_t count)
{
    return index < 0 ? index + (int64_t)count : index;
}

static int64_t index_clamp(int64_t index, size_t count)
{
    if (index < 0) {
        return 0;
    }
    return index > (int64_t)count ? (int64_t)count : index;
}

static void slice_select(struct path_finder *finder, const struct path_selector *selector,
                         const struct doc *doc, struct path_nodes *out, size_t *room)
{
    int64_t first = 0;
    int64_t end;

    if (!doc_is_list(doc)) {
        return;
    }
    end = (int64_t)doc->item_count;
    if (selector->has_index) {
        first = index_clamp(index_normalise(selector->index, doc->item_count), doc->item_count);
    }
    if (selector->has_end) {
        end = index_clamp(index_normalise(selector->end, doc->item_count), doc->item_count);
    }
    for (int64_t i = first; i < end;) {
        path_nodes_add(finder->arena, out, room, &doc->items[i]);
        i = selector->step > end - i ? end : i + selector->step;
    }
}

static void selector_apply(struct path_finder *finder, const struct path_selector *selector,
                           const struct doc *doc, struct path_nodes *out, size_t *room)
{
    const struct doc *found;
    int64_t index;

    switch (selector->kind) {
    case PATH_NAME:
        found = doc_find(doc, selector->name);
        if (found != NULL) {
            path_nodes_add(finder->arena, out, room, found);
        }
        return;
    case PATH_INDEX:
        index = doc_is_list(doc) ? index_normalise(selector->index, doc->item_count) : -1;
        if (index >= 0 && index < (int64_t)doc->item_count) {
            path_nodes_add(finder->arena, out, room, &doc->items[index]);
        }
        return;
    case PATH_SLICE:
        slice_select(finder, selector, doc, out, room);
        return;
    case PATH_WILDCARD:
    case PATH_FILTER:
        for (size_t i = 0; i < child_count(doc); i++) {
            if (selector->kind == PATH_WILDCARD ||
                logic_holds(finder, selector->filter, child_at(doc, i))) {
                path_nodes_add(finder->arena, out, room, child_at(doc, i));
            }
        }
        return;
    }
}

static struct path_nodes path_follow(struct path_finder *finder, const struct path *path,
                                     const struct doc *here)
{
    struct path_nodes nodes = { 0 };
    size_t room = 0;

    path_nodes_add(finder->arena, &nodes, &room, path->is_relative ? here : finder->root);
    for (const struct path_segment *s = path->segments; s != NULL && nodes.count > 0; s = s->next) {
        struct path_nodes next = { 0 };

        room = 0;
        for (size_t i = 0; i < nodes.count; i++) {
            for (const struct path_selector *p = s->selectors; p != NULL; p = p->next) {
                selector_apply(finder, p, nodes.items[i], &next, &room);
            }
        }
        nodes = next;
    }
    return nodes;
}

/* ---- conditions ---- */

static bool type_is_number(enum doc_type type)
{
    return type == DOC_TYPE_INT || type == DOC_TYPE_FLOAT;
}

static long double number_value(struct arena *arena, const struct doc *doc)
{
    return strtold(arena_string(arena, doc->text), NULL);
}

static int numbers_compare(struct arena *arena, const struct doc *a, const struct doc *b)
{
    int64_t whole_a;
    int64_t whole_b;
    long double x;
    long double y;

    if (text_parse_int64(a->text, &whole_a) && text_parse_int64(b->text, &whole_b)) {
        return (whole_a > whole_b) - (whole_a < whole_b);
    }
    x = number_value(arena, a);
    y = number_value(arena, b);
    return (x > y) - (x < y);
}

/* Compare two present values. False: they have no order (different types, containers). */
static bool values_order(struct arena *arena, const struct doc *a, const struct doc *b, int *out)
{
    enum doc_type type_a = doc_is_scalar(a) ? doc_core_type(a) : DOC_TYPE_COUNT;
    enum doc_type type_b = doc_is_scalar(b) ? doc_core_type(b) : DOC_TYPE_COUNT;

    if (type_is_number(type_a) && type_is_number(type_b)) {
        *out = numbers_compare(arena, a, b);
        return true;
    }
    if (type_a == DOC_TYPE_TEXT && type_b == DOC_TYPE_TEXT) {
        *out = text_compare(a->text, b->text);
        return true;
    }
    return false;
}

static bool values_are_equal(struct arena *arena, const struct doc *a, const struct doc *b)
{
    int order;

    if (a == NULL || b == NULL) {
        return a == b; /* RFC 9535 2.3.5.2.2: absent equals absent */
    }
    if (values_order(arena, a, b, &order)) {
        return order == 0;
    }
    return doc_is_equal(a, b);
}

static const struct doc *operand_value(struct path_finder *finder,
                                       const struct path_operand *operand, const struct doc *here)
{
    struct path_nodes nodes;

    if (operand->path == NULL) {
        return &operand->literal;
    }
    nodes = path_follow(finder, operand->path, here);
    return nodes.count == 0 ? NULL : nodes.items[0];
}

static bool comparison_holds(struct path_finder *finder, const struct path_logic *logic,
                             const struct doc *here)
{
    const struct doc *a = operand_value(finder, &logic->a, here);
    const struct doc *b = operand_value(finder, &logic->b, here);
    bool is_equal = values_are_equal(finder->arena, a, b);
    int order = 0;
    bool has_order = a != NULL && b != NULL && values_order(finder->arena, a, b, &order);

    switch (logic->operator) {
    case PATH_EQUAL:
        return is_equal;
    case PATH_UNEQUAL:
        return !is_equal;
    case PATH_LESS:
        return has_order && order < 0;
    case PATH_LESS_EQUAL:
        return is_equal || (has_order && order < 0);
    case PATH_MORE:
        return has_order && order > 0;
    case PATH_MORE_EQUAL:
        return is_equal || (has_order && order > 0);
    }
    return false;
}

static bool logic_holds(struct path_finder *finder, const struct path_logic *logic,
                        const struct doc *here)
{
    switch (logic->kind) {
    case PATH_OR:
        return logic_holds(finder, logic->left, here) || logic_holds(finder, logic->right, here);
    case PATH_AND:
        return logic_holds(finder, logic->left, here) && logic_holds(finder, logic->right, here);
    case PATH_NOT:
        return !logic_holds(finder, logic->left, here);
    case PATH_EXISTS:
        return path_follow(finder, logic->a.path, here).count > 0;
    case PATH_COMPARE:
        return comparison_holds(finder, logic, here);
    }
    return false;
}

struct path_nodes path_find(struct arena *arena, const struct path *path, const struct doc *root)
{
    struct path_finder finder = { .arena = arena, .root = root };

    assert(!path->is_relative);
    return path_follow(&finder, path, root);
}
