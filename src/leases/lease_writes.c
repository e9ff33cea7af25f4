#include "base/limits.h"
#include "leases/leases_parts.h"

#include <assert.h>

/* public names start with: lease_writes_ */

/* Commits changes of many leases: ten thousand leases of an ended manager take a few hundred
 * transactions. If one compare fails, the whole batch is rejected, and its halves are sent again.
 * So the leases that another manager has taken are found in a few steps, and all others are
 * committed. */

struct lease_writes_item {
    struct lease_write write;
    struct lease_writes_item *next;
};

/* The items of one transaction. */
struct lease_writes_batch {
    struct arena *arena; /* arena of the batch, which also has the texts of the items */
    struct lease_writes *writes;
    struct lease_writes_item **items;
    size_t count;
    struct lease_writes_batch *whole; /* batch that owns the arena; may be this batch itself */
    /* for the batch that owns the arena: number of transactions without an answer */
    size_t open;
};

struct lease_writes {
    struct store *store;
    const bool *is_stopped;
    struct arena *queue; /* arena of the queued items; NULL: no items are queued */
    struct lease_writes_item *first;
    struct lease_writes_item **last;
    size_t count;
    struct arena *memory;
};

struct lease_writes *lease_writes_new(struct store *store, const bool *is_stopped)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct lease_writes *writes = arena_one(memory, struct lease_writes);

    *writes = (struct lease_writes){ .store = store, .is_stopped = is_stopped, .memory = memory };
    writes->last = &writes->first;
    return writes;
}

void lease_writes_free(struct lease_writes *writes)
{
    if (writes != NULL) {
        arena_free(writes->queue);
        arena_free(writes->memory);
    }
}

void lease_writes_put(struct lease_writes *writes, const struct lease_write *write)
{
    struct lease_writes_item *item;
    struct arena *arena;

    if (writes->queue == NULL) {
        writes->queue = arena_new_small(SIZE_MAX);
    }
    arena = writes->queue;
    item = arena_one(arena, struct lease_writes_item);
    *item = (struct lease_writes_item){ .write = *write };
    item->write.key = arena_text(arena, write->key);
    item->write.value = arena_text(arena, write->value);
    item->write.event.cluster = arena_text(arena, write->event.cluster);
    item->write.event.body = arena_text(arena, write->event.body);
    *writes->last = item;
    writes->last = &item->next;
    writes->count++;
}

static void lease_writes_send(struct lease_writes_batch *batch);

/* Sends one half of a batch. */
static void lease_writes_half(struct lease_writes_batch *batch, size_t first, size_t count)
{
    struct lease_writes_batch *half = arena_one(batch->arena, struct lease_writes_batch);

    *half = (struct lease_writes_batch){ .arena = batch->arena,
                                         .writes = batch->writes,
                                         .items = batch->items + first,
                                         .count = count,
                                         .whole = batch->whole };
    lease_writes_send(half);
}

static void lease_writes_reported(void *arg, enum outcome outcome,
                                  const struct store_answer *answer)
{
    struct lease_writes_batch *batch = arg;
    struct lease_writes_batch *whole = batch->whole;

    if (outcome == OUTCOME_REFUSED && answer->err.code == CODE_R0502 && batch->count > 1 &&
        !*batch->writes->is_stopped) {
        size_t half = batch->count / 2;

        lease_writes_half(batch, 0, half);
        lease_writes_half(batch, half, batch->count - half);
    } else {
        for (size_t i = 0; i < batch->count; i++) {
            batch->items[i]->write.done(batch->items[i]->write.arg, outcome, answer);
        }
    }
    if (--whole->open == 0) {
        arena_free(whole->arena);
    }
}

static void lease_writes_send(struct lease_writes_batch *batch)
{
    struct store_compare compares[LEASE_WRITES_BATCH];
    struct store_op ops[LEASE_WRITES_BATCH];
    struct store_event events[LEASE_WRITES_BATCH];
    struct store_txn txn = { .compares = compares, .ops = ops, .events = events };

    assert(batch->count <= LEASE_WRITES_BATCH);
    for (size_t i = 0; i < batch->count; i++) {
        const struct lease_write *write = &batch->items[i]->write;

        compares[txn.compare_count++] =
            (struct store_compare){ .key = write->key, .revision = write->revision };
        ops[txn.op_count++] = (struct store_op){ .key = write->key, .value = write->value };
        if (write->event.body.length > 0) {
            events[txn.event_count++] = write->event;
        }
    }
    batch->whole->open++;
    store_txn(batch->writes->store, &txn, lease_writes_reported, batch);
}

/* Returns how many of the items fit into one transaction. */
static size_t lease_writes_fit(struct lease_writes_item *const *items, size_t count)
{
    size_t operations = 0;
    size_t fit = 0;

    while (fit < count && fit < LEASE_WRITES_BATCH) {
        operations += items[fit]->write.event.body.length > 0 ? 3 : 2;
        if (operations > LIMIT_STORE_TXN_OPERATIONS) {
            break;
        }
        fit++;
    }
    return fit;
}

void lease_writes_flush(struct lease_writes *writes)
{
    struct lease_writes_batch *whole;
    struct lease_writes_item **items;
    size_t done = 0;
    size_t count = 0;

    if (writes->count == 0 || *writes->is_stopped) {
        return;
    }
    whole = arena_one(writes->queue, struct lease_writes_batch);
    *whole = (struct lease_writes_batch){ .arena = writes->queue, .whole = whole, .open = 1 };
    items = arena_array(writes->queue, struct lease_writes_item *, writes->count);
    for (struct lease_writes_item *item = writes->first; item != NULL; item = item->next) {
        items[count++] = item;
    }
    writes->queue = NULL;
    writes->first = NULL;
    writes->last = &writes->first;
    writes->count = 0;
    while (done < count) {
        struct lease_writes_batch *batch = arena_one(whole->arena, struct lease_writes_batch);
        size_t fit = lease_writes_fit(items + done, count - done);

        *batch = (struct lease_writes_batch){ .arena = whole->arena,
                                              .writes = writes,
                                              .items = items + done,
                                              .count = fit,
                                              .whole = whole };
        lease_writes_send(batch);
        done += fit;
    }
    if (--whole->open == 0) {
        arena_free(whole->arena);
    }
}
