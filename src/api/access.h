#ifndef REEVE_API_ACCESS_H
#define REEVE_API_ACCESS_H

#include "api/call.h"

/* Who asks, for which tenant, and whether he may: by default nobody may anything. Fills call->actor and
 * call->role. R0410: he has not shown who he is; R0409: his role does not permit the route. */
MUST_CHECK bool access_check(struct call *call, struct err *err);

#endif
