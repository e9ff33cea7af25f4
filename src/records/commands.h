#ifndef REEVE_RECORDS_COMMANDS_H
#define REEVE_RECORDS_COMMANDS_H

#include "state/cache.h"

/* Operator commands about a cluster or a group of it (pass_commands.c). All commands about one
 * subject are in one key, so a writer of one command writes all of them. The key's revision is that
 * of the newest command of any kind; a `retry` that remains in it therefore stores its own revision
 * (docs/decisions/0066). */

/* The current commands, to be written together with another one. An empty map if there are none, or
 * if they cannot be parsed. Lives in the arena. */
struct doc commands_read(struct arena *arena, const struct cache_object *object);

/* Does the object have this command ("approved")? Ignores its operator and reason. */
bool commands_has(const struct cache_object *object, const char *command);

/* The observation that an operator's approval of this hold covers; empty: the hold had none at that
 * time. Returns false if the hold is not approved. Lives in the arena. */
bool commands_approved(struct arena *arena, const struct cache_object *object,
                       struct text *out_observation);

/* Does a pause forbid calls now? */
bool commands_is_paused(const struct doc *commands, uint64_t now_ms);

/* The end of a pause, by the wall clock; UINT64_MAX: there is no pause, or it does not end by
 * itself. */
uint64_t commands_pause_end_ms(const struct doc *commands);

/* The revision of the newest retry command; 0: there is none. `revision` is the key's. */
uint64_t commands_retry_revision(const struct doc *commands, uint64_t revision);

/* The newest retry command without the fields that writers have added; absent: there is none. */
struct doc commands_retry(struct arena *arena, const struct doc *commands);

#endif
