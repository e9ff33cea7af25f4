#ifndef REEVE_API_USERS_ACCESS_H
#define REEVE_API_USERS_ACCESS_H

#include "api/request/call.h"

/* The token, cookie or link of this request is wrong: `err` says so. Where too many of this address were, it says that instead
 * (R0422). Always false. */
MUST_CHECK bool access_wrong(const struct call *call, struct err *err);

/* Who asks, for which tenant, and whether he may: by default nobody may anything. Fills call->actor and
 * call->role. R0410: he has not shown who he is; R0409: he may not; R0403, as if it were not there: he may not even
 * know of it. */
MUST_CHECK bool access_check(struct call *call, struct err *err);

/* Names of tenants and users: a letter, then letters, digits and -_. in it. R0426 says what is none. */
MUST_CHECK bool access_name_check(struct text name, const char *what, struct err *err);

/* What he who asks may by grants on single clusters that are there, and on groups of them: [{cluster, nodegroup, role}]. */
struct doc access_grants_show(struct call *call);

#endif
