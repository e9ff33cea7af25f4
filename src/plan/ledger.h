#ifndef REEVE_PLAN_LEDGER_H
#define REEVE_PLAN_LEDGER_H

#include "base/err.h"
#include "plan/compute.h"

/* public names start with: ledger_ */

/* The decision ledger (N1): the input and the decision of a pass, as bytes from which the same
 * planner reproduces the decision.
 *
 * A world is written in chunks; identifiers call a chunk a page. Each group, record, row and
 * quarantine belongs to the chunk given by a hash of its name, and is sorted by name in it. So the
 * bytes do not depend on the order of the world's arrays, and a change of one machine changes one
 * chunk. A pass is written either whole, or as the chunks that changed since the previous pass. It
 * is based on the latest whole pass.
 *
 *     value     FORMAT, head, limits, scalar fields of the world, sources, changed chunks,
 *               decision, digest of the decision
 *     chunk     counts of groups, records, rows and quarantines, then the items; each item is
 *               written as the difference from the previous item, a row as the difference from what
 *               its record predicts
 *     decision  actions and holds; records and rows by their place in the order of the chunks
 *
 * Failure: a world of more than LIMIT_PASS_BYTES is written without chunks and decision. */

enum { LEDGER_PARTS = 4 }; /* groups, records, rows, quarantines */

/* The order of a written world: indexes into the world's arrays, chunk after chunk. */
struct ledger_order {
    size_t page_count;
    const uint32_t *items[LEDGER_PARTS];
    const uint32_t *starts[LEDGER_PARTS]; /* each has page_count + 1 entries */
};

struct ledger_head {
    uint64_t number; /* number of the pass in its cluster, from 1 on */
    /* number of the whole pass on which this one is based; equal to `number` for a whole pass */
    uint64_t base;
    uint64_t revision; /* revision of the store at the decision */
    uint64_t epoch;
    uint64_t wall_ms; /* time of the decision since 1970 */
    uint32_t version; /* version of the planner */
    uint32_t actions; /* number of decided actions */
    uint32_t holds;
    size_t page_count;
    bool is_bare; /* the world was too large to be stored */
};

/* A pass as read from the ledger. */
struct ledger_pass {
    struct ledger_head head;
    struct plan_limits limits;
    struct plan_world world; /* the world, in the order of its chunks */
    struct text decision;
};

/* Return the number of chunks for a world of this size. */
size_t ledger_page_count(const struct plan_world *world);

/* Orders a world in page_count chunks, a power of two up to LIMIT_PASS_PAGES. *out lives in the
 * arena. */
void ledger_order_make(struct arena *arena, const struct plan_world *world, size_t page_count,
                       struct ledger_order *out);

/* Return the decision as bytes, in the arena. */
struct text ledger_decision(struct arena *arena, const struct plan_world *world,
                            const struct ledger_order *order, const struct plan *plan);

/* The input of ledger_write(). */
struct ledger_entry {
    struct ledger_head head;
    const struct plan_limits *limits;
    const struct plan_world *world;
    const struct ledger_order *order;
    struct text decision;
};

/* Writes one pass as one value, in the arena. `hashes` has one entry for each chunk. If is_known,
 * it contains the hashes of the previous pass, and unchanged chunks are omitted. Afterwards it
 * contains the hashes of this pass. If the value exceeds LIMIT_PASS_BYTES, the caller must write
 * the pass again with is_bare. Returns an empty text if the changes do not fit into one value of
 * the store: the caller must then write the whole pass. */
struct text ledger_write(struct arena *arena, const struct ledger_entry *entry, bool is_known,
                         uint64_t *hashes);

/* Read a pass from its values: the base first, the pass itself last. *out borrows from the values.
 * Fails with R0558. */
MUST_CHECK bool ledger_read(struct arena *arena, const struct text *values, size_t count,
                            struct ledger_pass *out, struct err *err);

/* Reads only the head of a value. Fails with R0558. */
MUST_CHECK bool ledger_head_read(struct text value, struct ledger_head *out, struct err *err);

/* Reads a decision, with the names and indexes of the pass's world. Fails with R0558. */
MUST_CHECK bool ledger_plan_read(struct arena *arena, const struct ledger_pass *pass,
                                 struct text decision, struct plan *out, struct err *err);

/* Computes the decision again from the world. Returns its bytes, in the arena. */
struct text ledger_replay(struct arena *arena, const struct ledger_pass *pass);

#endif
