#ifndef REEVE_RECORDS_RERUN_H
#define REEVE_RECORDS_RERUN_H

#include "base/err.h"
#include "base/mem.h"

/* names: rerun_ RERUN_ */

/* Somebody wants stages of a node run again: /TENANT/Rerun/CLUSTER/TOKEN/base, canonical JSON. Its revision and its time name the request, which the node
 * fulfils once (remote/node.h); it stands until its machine goes, or another one takes its place. */
#define RERUN_KIND "Rerun"

struct rerun {
    int64_t at_ms;     /* wall clock */
    struct text by;    /* who has said so */
    bool is_failed;    /* what did not end well, else all from the next one on */
    uint64_t from;     /* stage, from 0 */
    uint64_t revision; /* of what was read; written by nobody */
};

/* The value. */
struct text rerun_format(struct arena *arena, const struct rerun *rerun);

/* Read it; texts live in the arena or in the bytes. R0755: it is none. */
MUST_CHECK bool rerun_parse(struct arena *arena, struct text bytes, struct rerun *out,
                            struct err *err);

#endif
