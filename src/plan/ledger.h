#ifndef REEVE_PLAN_LEDGER_H
#define REEVE_PLAN_LEDGER_H

#include "base/err.h"
#include "plan/compute.h"

/* names: ledger_ */

/* The decision ledger (N1): what a pass decided on and what it decided, as bytes from which the same planner
 * decides the same again.
 *
 * A world is written in pages: each group, record, row and quarantine has its page by a hash of its name, and
 * stands in it in order of that name; so the bytes do not depend on the order of the world's arrays, and a change
 * of one machine changes one page. A pass is written whole, or as the pages that have changed since the pass
 * before it, back to one that is whole: its base.
 *
 *     value     FORMAT, head, limits, the current state once, sources, changed pages, decision, its digest
 *     page      how many groups, records, rows, quarantines; then these, each as what differs from the one before;
 *               a row as what differs from what its record lets one expect
 *     decision  actions and holds; records and rows by their place in the order of the pages
 *
 * Failure: a world that takes more than LIMIT_PASS_BYTES is written without pages and decision. */

enum { LEDGER_PARTS = 4 }; /* groups, records, rows, quarantines */

/* What stands where: indexes into the world's arrays, page after page. */
struct ledger_order {
    size_t page_count;
    const uint32_t *items[LEDGER_PARTS];
    const uint32_t *starts[LEDGER_PARTS]; /* page_count + 1 each */
};

struct ledger_head {
    uint64_t number;   /* of the pass in its cluster, from 1 on */
    uint64_t base;     /* the pass that its pages go back to; itself: it is whole */
    uint64_t revision; /* of the store, that it decided on */
    uint64_t epoch;
    uint64_t wall_ms; /* since 1970 */
    uint32_t version; /* of the planner */
    uint32_t actions; /* how many it decided */
    uint32_t holds;
    size_t page_count;
    bool is_bare; /* the world was too large to be kept */
};

/* A pass as it is read. */
struct ledger_pass {
    struct ledger_head head;
    struct plan_limits limits;
    struct plan_world world; /* in the order of its pages */
    struct text decision;
};

/* How many pages a world of this size is best written in. */
size_t ledger_page_count(const struct plan_world *world);

/* The order of a world in so many pages, a power of two up to LIMIT_PASS_PAGES. */
void ledger_order_make(struct arena *arena, const struct plan_world *world, size_t page_count,
                       struct ledger_order *out);

/* What was decided, as bytes. */
struct text ledger_decision(struct arena *arena, const struct plan_world *world,
                            const struct ledger_order *order, const struct plan *plan);

/* What is written. */
struct ledger_entry {
    struct ledger_head head;
    const struct plan_limits *limits;
    const struct plan_world *world;
    const struct ledger_order *order;
    struct text decision;
};

/* A pass as one value. `hashes` has one a page: where known, those of the pass before, and pages that are the
 * same are left out; afterwards those of this one. Longer than LIMIT_PASS_BYTES is for the caller to see, who then
 * writes it anew with is_bare. Empty: what has changed does not fit into one value of the store; write it whole. */
struct text ledger_write(struct arena *arena, const struct ledger_entry *entry, bool is_known,
                         uint64_t *hashes);

/* Read the pass that the last value is, from its base on, in their order. R0558. Borrows from the values. */
MUST_CHECK bool ledger_read(struct arena *arena, const struct text *values, size_t count,
                            struct ledger_pass *out, struct err *err);

/* Only the current state at the front of a value. R0558. */
MUST_CHECK bool ledger_head_read(struct text value, struct ledger_head *out, struct err *err);

/* What was decided, in terms of the pass's world. R0558. */
MUST_CHECK bool ledger_plan_read(struct arena *arena, const struct ledger_pass *pass,
                                 struct text decision, struct plan *out, struct err *err);

/* Decide again: the bytes that come out now. */
struct text ledger_replay(struct arena *arena, const struct ledger_pass *pass);

#endif
