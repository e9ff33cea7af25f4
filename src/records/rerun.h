#ifndef REEVE_RECORDS_RERUN_H
#define REEVE_RECORDS_RERUN_H

#include "base/err.h"
#include "base/mem.h"

/* names: rerun_ RERUN_ */

/* A request to run stages of a node again: /TENANT/Rerun/CLUSTER/TOKEN/base, canonical JSON. Its
 * revision and its time identify the request, which the node fulfils once (remote/node.h). It
 * exists until its machine is gone or another request replaces it. */
#define RERUN_KIND "Rerun"

struct rerun {
    int64_t at_ms;     /* wall clock */
    struct text by;    /* the operator */
    bool is_failed;    /* the failed stages; else all stages from `from` on */
    uint64_t from;     /* number of a stage, from 0 */
    uint64_t revision; /* of the key when read; not part of the value */
};

/* Format the value. */
struct text rerun_format(struct arena *arena, const struct rerun *rerun);

/* Parse the value; texts live in the arena or in the bytes. R0755: the bytes are invalid. */
MUST_CHECK bool rerun_parse(struct arena *arena, struct text bytes, struct rerun *out,
                            struct err *err);

#endif
