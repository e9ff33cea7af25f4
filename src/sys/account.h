#ifndef REEVE_SYS_ACCOUNT_H
#define REEVE_SYS_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Users and groups of this machine. A lookup reads files or queries a server, so do not make one
 * per request. */

enum { ACCOUNT_NAME_BYTES = 64 };

/* Writes the name of a user; `uid-N` if the user is unknown. */
void account_user_name(uid_t uid, char out[static ACCOUNT_NAME_BYTES]);

/* Finds the ids of a user and of its primary group by the user's name. Returns false if no user has
 * this name. */
bool account_user_find(const char *name, uid_t *out_user, gid_t *out_group);

/* Returns the id of a group; (gid_t)-1 if it does not exist. */
gid_t account_group_find(const char *name);

#endif
