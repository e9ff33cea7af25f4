#ifndef REEVE_BASE_STOCK_H
#define REEVE_BASE_STOCK_H

#include "base/mem.h"

/* A cache of used arenas, for operations that occur thousands of times a second. The first block of
 * an arena is too large for the allocator's fast paths. So creating and freeing an arena costs more
 * than a small operation.
 *
 * At most STOCK_ARENAS_MAX arenas are kept, and only those with at most STOCK_ARENA_BYTES in
 * use. */
enum { STOCK_ARENAS_MAX = 64, STOCK_ARENA_BYTES = 16 * 1024 };

struct stock {
    struct arena *arenas[STOCK_ARENAS_MAX];
    size_t count;
};

/* Return an empty arena, either a used or a new one. The caller frees it, or returns it with
 * stock_give(). A stock that is all zero is empty. */
struct arena *stock_take(struct stock *stock);

/* Return an arena of stock_take(). Its content is dropped. */
void stock_give(struct stock *stock, struct arena *arena);

/* Free the kept arenas. */
void stock_fini(struct stock *stock);

#endif
