#ifndef REEVE_MEMBERSHIP_SERF_H
#define REEVE_MEMBERSHIP_SERF_H

#include "base/err.h"
#include "base/macros.h"
#include "records/membership.h"
#include "sys/loop.h"

/* public names start with: serf_ */

/* The driver of the membership port for serf: a connection to the RPC of an agent.
 *
 * - After each new connection all members are reported again, so that nothing is missed. Events
 *   begin before that snapshot, so an event may be reported twice, but none is lost.
 * - All members are reported again about once a minute, in case a caller has missed a report.
 * - The agent is checked every LIMIT_SERF_EVERY_MS for an answer. Without an answer, after an
 *   error, an invalid or an oversized message the connection is closed, UNAVAILABLE is reported
 *   once with the reason, and a new connection follows after a back-off.
 * - No message of an agent can end the process. */
struct serf;

struct serf_options {
    struct loop *loop;
    struct text address; /* numeric address */
    uint16_t port;
    struct text key; /* rpc_auth of the agent; empty: none */
    on_membership_report *reported;
    void *arg;
};

/* Start the driver. Texts are copied. Fails with R0532 if the address is invalid or the system has
 * no timer for it. */
MUST_CHECK bool serf_start(const struct serf_options *options, struct serf **out, struct err *err);

/* Stops and frees the driver without further reports. Must not be called from `reported`. NULL is
 * allowed. */
void serf_stop(struct serf *serf);

/* Number of members and tags that were left out of reports since the start, because they exceed a
 * limit. For metrics. */
uint64_t serf_skipped(const struct serf *serf);

#endif
