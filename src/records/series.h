#ifndef REEVE_RECORDS_SERIES_H
#define REEVE_RECORDS_SERIES_H

#include "records/record.h"

/* public names start with: series_ */

/* Numbered tokens of machines, which reveal that a store was restored from an older copy (G18).
 *
 * A token is 16 bytes in hexadecimal: 6 bytes of a series, 4 bytes of a number, 6 random bytes. The
 * reconciler generates a new series for each epoch of a cluster's lease. The counters of the
 * cluster record the highest number of each series; they are written before the intent with the
 * token. An epoch ends when its manager ends, and a store can only be restored while no manager
 * runs. So if the series of a token is unknown, or its number is above the recorded one, the token
 * was recorded by a later state of the store than the present one. */

enum { SERIES_BYTES = 6, SERIES_TOKEN_TEXT = 33, SERIES_NAME_TEXT = 2 * SERIES_BYTES + 1 };

/* Format the token with this number into `out`. */
void series_token_format(const unsigned char series[static SERIES_BYTES], uint32_t number,
                         const unsigned char luck[static SERIES_BYTES],
                         char out[static SERIES_TOKEN_TEXT]);

/* Record in a cluster's counters that this series has reached this number. If there are too many
 * series, the most recently used ones are kept. */
void series_note(struct arena *arena, struct counters *counters,
                 const unsigned char series[static SERIES_BYTES], uint32_t number, uint64_t now_ms);

/* True if this store recorded the token before. False also for a token without a series. */
bool series_has(const struct counters *counters, struct text token);

#endif
