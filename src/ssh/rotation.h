#ifndef REEVE_SSH_ROTATION_H
#define REEVE_SSH_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

/* The phases in the rotation of a cluster's SSH authority. From MADE to SIGNS there are two keys of
 * each kind, so that no login fails:
 *
 *     STEADY   one key of each kind
 *     MADE     the next keys are generated; they are not published
 *     TRUSTED  machines are configured to trust both; the old keys sign
 *     SIGNS    the new keys sign; certificates of the old keys expire or are replaced
 *     STEADY   the old keys are removed
 *
 * Sealed keys, records and frames contain the number of a phase. */
enum rotation_phase {
    ROTATION_STEADY,
    ROTATION_MADE,
    ROTATION_TRUSTED,
    ROTATION_SIGNS,
    ROTATION_PHASE_COUNT
};

/* Returns the only phase that may follow this one. */
static inline enum rotation_phase rotation_phase_next(enum rotation_phase phase)
{
    static const enum rotation_phase next[ROTATION_PHASE_COUNT] = {
        [ROTATION_STEADY] = ROTATION_MADE,
        [ROTATION_MADE] = ROTATION_TRUSTED,
        [ROTATION_TRUSTED] = ROTATION_SIGNS,
        [ROTATION_SIGNS] = ROTATION_STEADY,
    };

    return next[phase];
}

/* Converts a number from the store or from a message into a phase. If no phase has this number,
 * returns false, and leaves *out unchanged. */
static inline bool rotation_phase_parse(uint64_t number, enum rotation_phase *out)
{
    if (number >= ROTATION_PHASE_COUNT) {
        return false;
    }
    *out = (enum rotation_phase)number;
    return true;
}

#endif
