#ifndef REEVE_RECORDS_SERIES_H
#define REEVE_RECORDS_SERIES_H

#include "records/record.h"

/* names: series_ */

/* Tokens of machines are numbered, so that a store that went back can be recognised (G18).
 *
 * A token is 16 bytes in hexadecimal: 6 bytes of a series, 4 bytes of a number, 6 random bytes. The
 * reconciler draws a new series for each epoch of a cluster's lease, and the counts of the cluster keep the
 * highest number of each series. That row is written before the intent with the token is. An epoch ends
 * when its manager ends, and a store can only be put back while no manager runs. So a token whose series is
 * unknown, or whose number is higher than the recorded one, was recorded by a later state of the store. */

enum { SERIES_BYTES = 6, SERIES_TOKEN_TEXT = 33, SERIES_NAME_TEXT = 2 * SERIES_BYTES + 1 };

/* Write the token with this number. */
void series_token_format(const unsigned char series[static SERIES_BYTES], uint32_t number,
                         const unsigned char luck[static SERIES_BYTES],
                         char out[static SERIES_TOKEN_TEXT]);

/* Record in the counts of a cluster that this series has reached this number. Of many series the ones that
 * were used last are kept. */
void series_note(struct arena *arena, struct counters *counters,
                 const unsigned char series[static SERIES_BYTES], uint32_t number, uint64_t now_ms);

/* Did the store record this token once? False also for a token that is not one of a series. */
bool series_has(const struct counters *counters, struct text token);

#endif
