#ifndef REEVE_NODES_STAGE_SECRETS_H
#define REEVE_NODES_STAGE_SECRETS_H

#include "base/err.h"
#include "base/mem.h"

/* Secrets of a configuration (decision 0157). The variables of a stage refer to secrets and contain
 * a keyed digest of each value. The values are inserted when a run needs them. They are not
 * stored. */
struct stage_secrets {
    /* Writes the value of a tenant's secret to `out`, which has LIMIT_SECRET_BYTES. NULL: there are
     * no secrets. */
    bool (*reveal)(void *arg, struct text tenant, struct text name, char *out, size_t *out_length,
                   struct err *err);
    void *arg;
};

/* Sets *out to the variables with the values of their secrets, as JSON in the arena. Without
 * secrets, *out is `vars`. `cluster` is TENANT/ID. Fails with R0667 if a secret does not exist, and
 * with R0720 if a value is not a text or the values are too long. */
MUST_CHECK bool stage_secrets_fill(const struct stage_secrets *secrets, struct arena *arena,
                                   struct text cluster, struct text vars, struct text *out,
                                   struct err *err);

#endif
