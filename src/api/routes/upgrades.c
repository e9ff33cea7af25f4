#include "upgrades/upgrades.h"
#include "api/request/body.h"
#include "api/request/handlers.h"

/* public names start with: api_ */

void api_upgrades(struct call *call)
{
    struct service_upgrades request = { .cluster = call_parameter(call, "cluster"),
                                        .group = call_parameter(call, "group") };

    service_upgrades(call->api->options.service, call->arena, &call->actor, &request, call_answered,
                     call);
}
