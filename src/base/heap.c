#include "base/heap.h"

#include "base/mem.h"

#include <assert.h>

static bool is_earlier(const struct heap_node *a, const struct heap_node *b)
{
    return a->due != b->due ? a->due < b->due : a->sequence < b->sequence;
}

static void set(struct heap *heap, size_t index, struct heap_node *node)
{
    heap->nodes[index] = node;
    node->index = index;
}

static void up(struct heap *heap, struct heap_node *node)
{
    size_t index = node->index;

    while (index > 0 && is_earlier(node, heap->nodes[(index - 1) / 2])) {
        set(heap, index, heap->nodes[(index - 1) / 2]);
        index = (index - 1) / 2;
    }
    set(heap, index, node);
}

static void down(struct heap *heap, struct heap_node *node)
{
    size_t index = node->index;

    for (size_t child; (child = index * 2 + 1) < heap->count; index = child) {
        if (child + 1 < heap->count && is_earlier(heap->nodes[child + 1], heap->nodes[child])) {
            child++;
        }
        if (!is_earlier(heap->nodes[child], node)) {
            break;
        }
        set(heap, index, heap->nodes[child]);
    }
    set(heap, index, node);
}

void heap_remove(struct heap *heap, struct heap_node *node)
{
    struct heap_node *last;

    if (!node->is_in) {
        return;
    }
    assert(heap->nodes[node->index] == node);
    node->is_in = false;
    last = heap->nodes[--heap->count];
    if (last != node) {
        set(heap, node->index, last);
        up(heap, last);
        down(heap, last);
    }
}

void heap_put(struct heap *heap, struct heap_node *node, uint64_t due)
{
    heap_remove(heap, node);
    if (heap->count == heap->room) {
        heap->room = heap->room == 0 ? 16 : heap->room * 2;
        heap->nodes = rows_resize(heap->nodes, heap->room * sizeof(struct heap_node *));
    }
    *node = (struct heap_node){ .due = due, .sequence = heap->sequence++, .is_in = true };
    set(heap, heap->count++, node);
    up(heap, node);
    assert(heap_first(heap)->due <= due);
}

struct heap_node *heap_first(const struct heap *heap)
{
    return heap->count == 0 ? NULL : heap->nodes[0];
}

void heap_clear(struct heap *heap)
{
    rows_free(heap->nodes);
    *heap = (struct heap){ 0 };
}
