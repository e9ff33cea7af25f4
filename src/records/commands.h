#ifndef REEVE_RECORDS_COMMANDS_H
#define REEVE_RECORDS_COMMANDS_H

#include "state/cache.h"

/* What operators have said of a cluster or a group of it (pass_commands.c), as all who write it go about it: the words stand in one key,
 * and whoever says one more writes all of them. The key's revision is that of the newest word, whichever it was; so a `retry` that
 * stands there keeps its own beside it (docs/decisions/0091). */

/* The words as they stand, to be written with another one; an empty map where there are none, or none that can be read. Lives in the
 * arena. */
struct doc commands_read(struct arena *arena, const struct cache_object *object);

/* Was this word said of it ("approved")? Only the word counts, not who said it and why. */
bool commands_has(const struct cache_object *object, const char *command);

/* The observation that an operator's approval of this hold covers; empty: the hold had none then. Returns false where it is
 * not approved. Lives in the arena. */
bool commands_approved(struct arena *arena, const struct cache_object *object,
                       struct text *out_observation);

/* Is it said that no call is to be made now? */
bool commands_is_paused(const struct doc *commands, uint64_t now_ms);

/* When a pause ends by itself, by the wall clock; UINT64_MAX: it does not, or there is none. */
uint64_t commands_pause_end_ms(const struct doc *commands);

/* When was it said that what waits is to be tried again? The revision of that, 0: never. `revision` is the key's. */
uint64_t commands_retry_revision(const struct doc *commands, uint64_t revision);

/* What was said of it, without what writers have added; absent: nothing. */
struct doc commands_retry(struct arena *arena, const struct doc *commands);

#endif
