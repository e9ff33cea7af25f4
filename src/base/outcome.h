#ifndef REEVE_BASE_OUTCOME_H
#define REEVE_BASE_OUTCOME_H

/* The outcome of a call through a port. It is not a bool, because "false" could mean both "the call
 * had no effect" and "the effect is unknown". */
enum outcome {
    OUTCOME_OK,      /* the call had its effect */
    OUTCOME_REFUSED, /* the call had no effect, and will have none */
    OUTCOME_UNKNOWN, /* the call may have had its effect; the caller must check */
    OUTCOME_COUNT,
};

#endif
