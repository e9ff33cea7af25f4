#ifndef REEVE_RECORDS_ACCEPTED_H
#define REEVE_RECORDS_ACCEPTED_H

#include "base/err.h"
#include "base/mem.h"

/* names: accepted_ ACCEPTED_ */

/* Somebody has said which host key a machine has from now on: /TENANT/Accepted/CLUSTER/TOKEN/base, canonical JSON. A pass writes it into
 * the machine's record, which nobody else writes, and takes it away when it stands there (pass_host_keys.c). */
#define ACCEPTED_KIND "Accepted"

struct accepted {
    int64_t at_ms;   /* wall clock */
    struct text by;  /* who has said so */
    struct text key; /* "TYPE BASE64" */
};

/* The value. */
struct text accepted_format(struct arena *arena, const struct accepted *accepted);

/* Read its key; it lives in the arena or in the bytes. False: it is none. */
MUST_CHECK bool accepted_parse(struct arena *arena, struct text bytes, struct text *out_key);

#endif
