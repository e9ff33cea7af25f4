#ifndef REEVE_BASE_HEAP_H
#define REEVE_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A priority queue by time, with the earliest node first. Nodes with equal times are in the order
 * in which they were added. A node is a member of the waiting struct. Adding and removing cost log
 * n. */
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

/* Free the heap's memory. The nodes belong to the caller. An empty heap is all zero. */
void heap_clear(struct heap *heap);

/* Add a node, or move it to another time if it is already in the heap. */
void heap_put(struct heap *heap, struct heap_node *node, uint64_t due);

/* Remove a node if it is in the heap. */
void heap_remove(struct heap *heap, struct heap_node *node);

/* Return the earliest node; NULL if there is none. */
struct heap_node *heap_first(const struct heap *heap);

/* Return the struct that contains the node as a member: heap_owner(node, struct reconciler,
 * waiting). */
#define heap_owner(node, type, member) ((type *)((char *)(node)-offsetof(type, member)))

#endif
