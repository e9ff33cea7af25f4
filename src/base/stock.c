#include "base/stock.h"

#include "base/limits.h"

#include <assert.h>

struct arena *stock_take(struct stock *stock)
{
    assert(stock->count <= STOCK_ARENAS_MAX);
    return stock->count > 0 ? stock->arenas[--stock->count] : arena_new(LIMIT_WORK_ARENA_BYTES);
}

void stock_give(struct stock *stock, struct arena *arena)
{
    assert(arena != NULL);
    if (stock->count == STOCK_ARENAS_MAX || arena_used(arena) > STOCK_ARENA_BYTES) {
        arena_free(arena);
        return;
    }
    arena_clear(arena);
    stock->arenas[stock->count++] = arena;
}

void stock_fini(struct stock *stock)
{
    while (stock->count > 0) {
        arena_free(stock->arenas[--stock->count]);
    }
}
