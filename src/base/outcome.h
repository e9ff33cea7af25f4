#ifndef REEVE_BASE_OUTCOME_H
#define REEVE_BASE_OUTCOME_H

/* What the world answers through a port. Never a bool: "false" would turn "I do not know" into "it
 * did not happen". */
enum outcome {
    OUTCOME_OK,      /* it happened */
    OUTCOME_REFUSED, /* it did not happen, and will not */
    OUTCOME_UNKNOWN, /* it may have happened: look again */
    OUTCOME_COUNT,
};

#endif
