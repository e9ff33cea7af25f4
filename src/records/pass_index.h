#ifndef REEVE_RECORDS_PASS_INDEX_H
#define REEVE_RECORDS_PASS_INDEX_H

#include "base/err.h"
#include "base/limits.h"
#include "state/cache.h"

/* public names start with: pass_index_ pass_key */

/* The index of the archived passes of a cluster (plan/ledger.h):
 *
 *     /TENANT/Pass/CLUSTER/status              this index
 *     /TENANT/Pass/CLUSTER/NUMBER              a pass: its value, or the first part of it
 *     /TENANT/Pass/CLUSTER/NUMBER/PART         further parts, if a complete pass is long
 *
 * Only the index is an object of the cache. Passes form chains. A chain is one complete pass,
 * followed by passes that refer to it. The oldest chain is dropped first, beginning with its last
 * pass. */

/* Twice the limit, so that chains in excess of the limit fit until they are removed. */
enum { PASS_INDEX_ROOM = LIMIT_PASS_CHAINS * 2 };

struct pass_chain {
    uint64_t first;   /* number of the complete pass */
    uint64_t count;   /* number of passes in the chain */
    uint64_t parts;   /* number of parts of the first pass */
    uint64_t bytes;   /* total size of all passes */
    uint64_t wall_ms; /* wall clock of the last pass */
};

struct pass_index {
    uint64_t next;                             /* number of the next archived pass */
    struct pass_chain chains[PASS_INDEX_ROOM]; /* oldest first */
    size_t count;
};

/* Read the index. An index that cannot be parsed counts as empty, and numbers start again. */
void pass_index_read(struct arena *arena, const struct cache *cache, struct text tenant,
                     struct text cluster, struct pass_index *out);

struct text pass_index_format(struct arena *arena, const struct pass_index *index);

/* Find the chain that contains a pass; NULL if the pass is not archived. */
const struct pass_chain *pass_index_find(const struct pass_index *index, uint64_t number);

/* Return the key of a part of a pass. */
struct text pass_key(struct arena *arena, struct text tenant, struct text cluster, uint64_t number,
                     uint64_t part);

#endif
