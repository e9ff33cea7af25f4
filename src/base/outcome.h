#ifndef REEVE_BASE_OUTCOME_H
#define REEVE_BASE_OUTCOME_H

/* The outcome of a call through a port. Never a bool, because "false" would turn "unknown" into "it
 * did not happen". */
enum outcome {
    OUTCOME_OK,      /* it happened */
    OUTCOME_REFUSED, /* it did not happen, and will not */
    OUTCOME_UNKNOWN, /* it may have happened: look it up */
    OUTCOME_COUNT,
};

#endif
