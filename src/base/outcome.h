#ifndef REEVE_BASE_OUTCOME_H
#define REEVE_BASE_OUTCOME_H

/* The outcome of a call through a port. Never a bool, because "false" would turn "unknown" into "it
 * did not happen". */
enum outcome {
    OUTCOME_OK,      /* the call had its effect */
    OUTCOME_REFUSED, /* the call had no effect, and will have none */
    OUTCOME_UNKNOWN, /* the call may have had its effect; the caller must check */
    OUTCOME_COUNT,
};

#endif
