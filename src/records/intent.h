#ifndef REEVE_RECORDS_INTENT_H
#define REEVE_RECORDS_INTENT_H

#include "base/mem.h"
#include "plan/world.h"

/* names: intent_ */

/* The right to one call that changes the world: a record in CREATE or DELETE that is committed (G1). Nobody
 * but the reconciler of a cluster's records makes one, from the answer of a transaction; providers read it. */
struct intent;

/* CREATE or DELETE; ACTIVE for what is done to a machine that stays. */
enum plan_record_state intent_state(const struct intent *intent);

/* The record's token, and the machine's id; of a CREATE it is empty. */
struct text intent_token(const struct intent *intent);
struct text intent_id(const struct intent *intent);

/* Which cluster (TENANT/ID), and in which epoch of its lease. */
struct text intent_cluster(const struct intent *intent);
uint64_t intent_epoch(const struct intent *intent);

/* Why, for the provider's log: the name of a rule. */
struct text intent_reason(const struct intent *intent);

#endif
