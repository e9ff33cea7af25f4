#ifndef REEVE_BASE_STOCK_H
#define REEVE_BASE_STOCK_H

#include "base/mem.h"

/* Arenas that were used and are used again, for work that comes thousands of times a second: the first block of one is too
 * large for the allocator's quick paths, so making it and freeing it costs more than small work does in between.
 *
 * Only those that never needed more than that block are kept, and few of them. */
enum { STOCK_ARENAS_MAX = 64, STOCK_ARENA_BYTES = 16 * 1024 };

struct stock {
    struct arena *arenas[STOCK_ARENAS_MAX];
    size_t count;
};

/* An empty arena, used before or new; zeroed memory is an empty stock. The caller frees it, or gives it back. */
struct arena *stock_take(struct stock *stock);

/* Give one back that stock_take gave: what is in it is gone. */
void stock_give(struct stock *stock, struct arena *arena);

/* Free what is kept. */
void stock_fini(struct stock *stock);

#endif
