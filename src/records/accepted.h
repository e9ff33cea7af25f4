#ifndef REEVE_RECORDS_ACCEPTED_H
#define REEVE_RECORDS_ACCEPTED_H

#include "base/err.h"
#include "base/mem.h"

/* public names start with: accepted_ ACCEPTED_ */

/* A new host key of a machine that an operator has accepted: /TENANT/Accepted/CLUSTER/TOKEN/base,
 * canonical JSON. A reconcile pass copies the key into the machine's record, which only the
 * reconciler writes. When the record has the key, the pass deletes this object
 * (host_keys/host_keys.c). */
#define ACCEPTED_KIND "Accepted"

struct accepted {
    int64_t at_ms;   /* when the key was accepted, by the wall clock */
    struct text by;  /* the operator who accepted it */
    struct text key; /* "TYPE BASE64" */
};

/* Format the value. */
struct text accepted_format(struct arena *arena, const struct accepted *accepted);

/* Parses the value. Sets *out_key to the host key, which lives in the arena or in the bytes.
 * Returns false if the bytes are invalid. */
MUST_CHECK bool accepted_parse(struct arena *arena, struct text bytes, struct text *out_key);

#endif
