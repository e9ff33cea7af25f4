#ifndef REEVE_RECORDS_COMMANDS_H
#define REEVE_RECORDS_COMMANDS_H

#include "plan/world.h"
#include "state/cache.h"

/* Operator commands about a cluster or one of its groups (pass_commands.c). All commands about one
 * subject are in one key, so a writer of one command writes all of them. Every command of any kind
 * changes the key's revision. A `retry` command that remains in the value therefore stores its own
 * revision (docs/decisions/0066). */

/* Return the current commands, which the caller writes back together with its own. The map is empty
 * if there are none, or if they cannot be parsed. It lives in the arena. */
struct doc commands_read(struct arena *arena, const struct cache_object *object);

/* True if the object has this command, for example "approved". Ignores its operator and reason. */
bool commands_has(const struct cache_object *object, const char *command);

/* Find the observation that an operator's approval of this hold covers. Empty if the hold had no
 * observation at that time. Returns false if the hold is not approved. The text lives in the
 * arena. */
bool commands_approved(struct arena *arena, const struct cache_object *object,
                       struct text *out_observation);

/* Excludes the counted failures of the group from maxFail if they happened before a request for
 * other machines. This applies while a machine of the request is recorded. `replace` is the
 * command; NULL or absent: there is none. */
void commands_fails_accept(const struct doc *replace, const struct plan_record *records,
                           size_t count, struct plan_group *group);

/* True if a pause forbids calls now. */
bool commands_is_paused(const struct doc *commands, uint64_t now_ms);

/* Return the end of a pause, by the wall clock. UINT64_MAX if there is no pause, or if the pause
 * has no end. */
uint64_t commands_pause_end_ms(const struct doc *commands);

/* Return the revision of the newest retry command; 0 if there is none. `revision` is the revision
 * of the commands' key. */
uint64_t commands_retry_revision(const struct doc *commands, uint64_t revision);

/* Return the newest retry command without the fields that its writers added; absent if there is
 * none. */
struct doc commands_retry(struct arena *arena, const struct doc *commands);

#endif
