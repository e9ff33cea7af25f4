#ifndef REEVE_MEMBERSHIP_AGENTS_H
#define REEVE_MEMBERSHIP_AGENTS_H

#include "records/membership.h"
#include "sys/loop.h"

/* names: agents_ */

/* The serf agents of a manager, one for each tenant whose settings name one. */
struct agents;

/* One agent. */
struct agents_entry {
    struct text tenant;
    struct text address; /* numeric */
    uint16_t port;
    struct text secret; /* name of the secret with its key; empty: none */
};

struct agents_options {
    struct loop *loop;
    const struct agents_entry *entries; /* read until agents_start returns */
    size_t count;
    /* Reads the value of a secret into `out`, of LIMIT_SECRET_BYTES. */
    bool (*reveal)(void *reveal_arg, struct text tenant, struct text secret, char *out,
                   size_t *out_length, struct err *err);
    void *reveal_arg;
    /* Called from the event loop with each report of an agent of a tenant. */
    void (*reported)(void *arg, struct text tenant, const struct membership_report *report);
    void *arg;
};

/* Start them. A secret that cannot be read is reported as an agent that is unavailable, and is read
 * again every LIMIT_SERF_PAUSE_MAX_MS. */
struct agents *agents_start(const struct agents_options *options);

/* Stop and free them; nothing is reported any more. NULL is allowed. */
void agents_stop(struct agents *agents);

#endif
