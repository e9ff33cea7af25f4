#ifndef REEVE_SYS_ACCOUNT_H
#define REEVE_SYS_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Users and groups of this machine. Looking one up reads files, or asks a server: not for every request. */

enum { ACCOUNT_NAME_BYTES = 64 };

/* The name of a user; `uid-N` where nobody knows him. */
void account_user_name(uid_t uid, char out[static ACCOUNT_NAME_BYTES]);

/* The user and its first group by the user's name. False: nobody has this name. */
bool account_user_find(const char *name, uid_t *out_user, gid_t *out_group);

/* The number of a group, (gid_t)-1 where there is none. */
gid_t account_group_find(const char *name);

#endif
