#ifndef REEVE_STATE_REVOKED_H
#define REEVE_STATE_REVOKED_H

#include "base/err.h"
#include "base/mem.h"

/* names: revoked_ REVOKED_ */

/* What is written down of a machine whose keys are taken back: /TENANT/Revoked/CLUSTER/TOKEN/base, canonical JSON. It stands until the
 * last certificate that it means has run out. */
#define REVOKED_KIND "Revoked"

enum { REVOKED_KEYS = 2 };

struct revoked {
    struct text id;   /* of its certificates */
    struct text name; /* of its machine, for people */
    struct text keys
        [REVOKED_KEYS]; /* public keys of root and of its user, which nobody else has; empty: none */
    int64_t at_ms;      /* wall clock */
    int64_t until_ms;   /* the same */
    struct text by;     /* who has said so; empty: its machine has gone */
};

/* The id of all certificates of a machine: its name, for those who read sshd's log, and what tells it from all machines that had
 * the name before. */
struct text revoked_id(struct arena *arena, struct text name, struct text token);

/* Type and key of a line of a public key, without what is written behind them. */
struct text revoked_key_body(struct text line);

/* The value. */
struct text revoked_format(struct arena *arena, const struct revoked *revoked);

/* Read it; texts live in the arena or in the bytes. R0753: it is none. */
MUST_CHECK bool revoked_parse(struct arena *arena, struct text bytes, struct revoked *out,
                              struct err *err);

#endif
