#ifndef REEVE_MEMBERSHIP_AGENTS_H
#define REEVE_MEMBERSHIP_AGENTS_H

#include "records/membership.h"
#include "sys/loop.h"

/* public names start with: agents_ */

/* The serf agents of a manager: one for each tenant with an agent in its settings. */
struct agents;

/* One agent. */
struct agents_entry {
    struct text tenant;
    struct text address; /* numeric address */
    uint16_t port;
    struct text secret; /* name of the secret with the agent's key; empty: none */
};

struct agents_options {
    struct loop *loop;
    const struct agents_entry *entries; /* the settings are read until agents_start returns */
    size_t count;
    /* Writes the value of a secret to `out`, which has LIMIT_SECRET_BYTES. */
    bool (*reveal)(void *reveal_arg, struct text tenant, struct text secret, char *out,
                   size_t *out_length, struct err *err);
    void *reveal_arg;
    /* Called from the event loop with each report of an agent of a tenant. */
    void (*reported)(void *arg, struct text tenant, const struct membership_report *report);
    void *arg;
};

/* Starts the agents. If a secret cannot be read, its agent is reported as unavailable, and the
 * secret is read again every LIMIT_SERF_PAUSE_MAX_MS. */
struct agents *agents_start(const struct agents_options *options);

/* Stops and frees the agents without further reports. NULL is allowed. */
void agents_stop(struct agents *agents);

#endif
