#ifndef REEVE_BASE_HEAP_H
#define REEVE_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What waits for its time: the earliest first, of one time the one that was added first. A node is a member
 * of what waits; adding and removing cost log n. */
struct heap_node {
    uint64_t due;
    uint64_t sequence;
    size_t index;
    bool is_in;
};

struct heap {
    struct heap_node **nodes;
    size_t count;
    size_t room;
    uint64_t sequence;
};

/* An empty heap is all zero. Gives back its memory; the nodes are the caller's. */
void heap_clear(struct heap *heap);

/* Add a node, or move it to another time if it is in. */
void heap_put(struct heap *heap, struct heap_node *node, uint64_t due);

/* Take a node out, if it is in. */
void heap_remove(struct heap *heap, struct heap_node *node);

/* The earliest; NULL: there is none. */
struct heap_node *heap_first(const struct heap *heap);

/* What a node is a member of: heap_owner(node, struct reconciler, waiting). */
#define heap_owner(node, type, member) ((type *)((char *)(node)-offsetof(type, member)))

#endif
