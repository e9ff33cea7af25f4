#ifndef REEVE_RECORDS_INTENT_H
#define REEVE_RECORDS_INTENT_H

#include "base/mem.h"
#include "plan/world.h"

/* public names start with: intent_ */

/* The permission to make one provider call that changes a machine. It represents a committed record
 * (G1). Only the reconciler makes an intent, from the answer of a transaction. Providers read
 * it. */
struct intent;

/* Return the state of the record: CREATE or DELETE. It is ACTIVE for a call about a machine that is
 * kept, such as a reboot. */
enum plan_record_state intent_state(const struct intent *intent);

/* intent_token returns the token of the record, intent_id the id of the machine, which is empty for
 * CREATE. */
struct text intent_token(const struct intent *intent);
struct text intent_id(const struct intent *intent);

/* Return the time from the creation of the record to the call; UINT64_MAX: unknown. */
uint64_t intent_age_ms(const struct intent *intent);

/* intent_cluster returns the cluster (TENANT/ID), intent_epoch the epoch of its lease. */
struct text intent_cluster(const struct intent *intent);
uint64_t intent_epoch(const struct intent *intent);

/* Return the name of the rule that caused the call, for the provider's log. */
struct text intent_reason(const struct intent *intent);

#endif
