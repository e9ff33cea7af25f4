#ifndef REEVE_API_USERS_ACCESS_H
#define REEVE_API_USERS_ACCESS_H

#include "api/request/call.h"

/* Counts a wrong token, cookie or login link and sets `err`: R0422 if this address sent too many.
 * Always returns false. */
MUST_CHECK bool access_wrong(const struct call *call, struct err *err);

/* Authenticates the sender, finds the tenant, and checks the permission; without a grant everything
 * is denied. Fills call->actor and call->role. R0410: the sender is not authenticated; R0409:
 * permission denied; R0403: the sender may not know that the object exists. */
MUST_CHECK bool access_check(struct call *call, struct err *err);

/* Checks that the request comes over a link from a manager of this store. Fails with R0586. */
MUST_CHECK bool access_peer_check(const struct call *call, struct err *err);

/* Checks a name of a tenant or user: a letter, then letters, digits and -_. characters. R0426 if it
 * is invalid. */
MUST_CHECK bool access_name_check(struct text name, const char *what, struct err *err);

/* Returns the grants of the sender on existing clusters and their groups: [{cluster, nodegroup,
 * role}]. */
struct doc access_grants_show(struct call *call);

#endif
