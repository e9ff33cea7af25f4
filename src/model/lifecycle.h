#ifndef REEVE_MODEL_LIFECYCLE_H
#define REEVE_MODEL_LIFECYCLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "base/text.h"

/* The stored life cycle of a node: a status, a state and conditions (lifecycle.def). */

enum lifecycle_status {
#define STATUS(id, name, next) LIFECYCLE_STATUS_##id,
#include "model/lifecycle.def"
    LIFECYCLE_STATUS_COUNT,
};

enum lifecycle_state {
#define STATE(id, name) LIFECYCLE_STATE_##id,
#include "model/lifecycle.def"
    LIFECYCLE_STATE_COUNT,
};

enum lifecycle_condition {
#define CONDITION(id, name) LIFECYCLE_CONDITION_##id,
#include "model/lifecycle.def"
    LIFECYCLE_CONDITION_COUNT,
};

/* Return the name of a status, state or condition: "unallocated", "cleanupPending". */
const char *lifecycle_status_name(enum lifecycle_status status);
const char *lifecycle_state_name(enum lifecycle_state state);
const char *lifecycle_condition_name(enum lifecycle_condition condition);

/* Find a status, state or condition by its name. Returns false if there is none. */
MUST_CHECK bool lifecycle_status_parse(struct text name, enum lifecycle_status *out);
MUST_CHECK bool lifecycle_state_parse(struct text name, enum lifecycle_state *out);
MUST_CHECK bool lifecycle_condition_parse(struct text name, enum lifecycle_condition *out);

/* True if a node may change from one status to the other. A status never follows itself. */
bool lifecycle_may_move(enum lifecycle_status from, enum lifecycle_status to);

#endif
