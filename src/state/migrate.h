#ifndef REEVE_STATE_MIGRATE_H
#define REEVE_STATE_MIGRATE_H

#include "base/mem.h"
#include "base/text.h"
#include "state/store.h"

#include <stdbool.h>

/* public names start with: migrate_ */

/* The format of stored data, that is, the names of keys, fields and values in it (decision 0126). A
 * driver that opens data of an earlier format for writing translates all items once. Events are
 * never rewritten, because they form a hash chain: the driver translates them whenever it reads
 * them.
 *
 * Both translations leave data unchanged that already has the names of the current format, so they
 * may be repeated.
 *
 * Any two format numbers differ in at least two bits, so that no single flipped bit turns one into
 * another. The next format is therefore 4. */
enum {
    STORE_FORMAT_OLDEST = 1,
    STORE_FORMAT = 2,
    /* A store that was moved to another engine. No version of reeve opens it
     * (docs/decisions/0191). */
    STORE_FORMAT_MOVED = 0xf00,
};

/* Translates an item from format 1. Returns false if nothing has changed. The results live in the
 * arena, or are borrowed from the arguments. */
bool migrate_item(struct arena *arena, struct text key, struct text value, struct text *out_key,
                  struct text *out_value);

/* Translates the body of an event from format 1. The result lives in the arena, or is `body`
 * itself. */
struct text migrate_event(struct arena *arena, struct text body);

#endif
