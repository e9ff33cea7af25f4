#ifndef REEVE_RECORDS_RERUN_H
#define REEVE_RECORDS_RERUN_H

#include "base/err.h"
#include "base/mem.h"

/* public names start with: rerun_ RERUN_ */

/* A request to run stages of a node again: /TENANT/Rerun/CLUSTER/TOKEN/base, canonical JSON. The
 * revision and the time identify the request, and the node executes each request once
 * (remote/node.h). The object exists until the machine no longer exists or another request replaces
 * this one. */
#define RERUN_KIND "Rerun"

struct rerun {
    int64_t at_ms;     /* when it was requested, by the wall clock */
    struct text by;    /* the operator who requested it */
    bool is_failed;    /* run the failed stages; otherwise all stages from `from` on */
    uint64_t from;     /* number of a stage, from 0 */
    uint64_t revision; /* revision of the key when it was read; not part of the value */
};

/* Format the value. */
struct text rerun_format(struct arena *arena, const struct rerun *rerun);

/* Parse the value; texts live in the arena or in the bytes. R0755: the bytes are invalid. */
MUST_CHECK bool rerun_parse(struct arena *arena, struct text bytes, struct rerun *out,
                            struct err *err);

#endif
