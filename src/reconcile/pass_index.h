#ifndef REEVE_RECONCILE_PASS_INDEX_H
#define REEVE_RECONCILE_PASS_INDEX_H

#include "base/err.h"
#include "base/limits.h"
#include "state/cache.h"

/* names: pass_index_ pass_key */

/* Which passes of a cluster are kept (plan/ledger.h):
 *
 *     /TENANT/Pass/CLUSTER/status              this index
 *     /TENANT/Pass/CLUSTER/NUMBER              a pass: its value, or the first part of it
 *     /TENANT/Pass/CLUSTER/NUMBER/PART         the others, of a pass that is whole and long
 *
 * Only the index is one of the cache's objects. Passes stand in chains: one that is whole, and those that go back
 * to it. What is dropped is dropped from the oldest chain, its last pass first. */

enum { PASS_INDEX_ROOM = LIMIT_PASS_CHAINS * 2 }; /* while those too many are being removed */

struct pass_chain {
    uint64_t first;   /* number of the pass that is whole */
    uint64_t count;   /* of passes from it on */
    uint64_t parts;   /* of the first one */
    uint64_t bytes;   /* of all */
    uint64_t wall_ms; /* of the last one */
};

struct pass_index {
    uint64_t next;                             /* number of the pass that is kept next */
    struct pass_chain chains[PASS_INDEX_ROOM]; /* oldest first */
    size_t count;
};

/* As it stands. What cannot be read is taken for empty, and numbers begin anew. */
void pass_index_read(struct arena *arena, const struct cache *cache, struct text tenant,
                     struct text cluster, struct pass_index *out);

struct text pass_index_format(struct arena *arena, const struct pass_index *index);

/* The chain that a pass stands in; NULL: it is not kept. */
const struct pass_chain *pass_index_find(const struct pass_index *index, uint64_t number);

/* The key of a part of a pass. */
struct text pass_key(struct arena *arena, struct text tenant, struct text cluster, uint64_t number,
                     uint64_t part);

#endif
