#ifndef REEVE_API_ROUTES_SECRETS_H
#define REEVE_API_ROUTES_SECRETS_H

#include "api/request/call.h"
#include "service/service_change.h"

/* names: secrets_ */

/* Changes on their way to the service. A Secret comes with its value and goes on with a digest of it, when the value is
 * kept sealed (api_vault); no value gets past here, and none stays in memory of the request. The change is copied. */
void secrets_change(struct call *call, const struct service_change *change);
void secrets_patch(struct call *call, const struct service_patch *patch);

#endif
