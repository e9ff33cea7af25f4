#include "api/request/body.h"
#include "api/request/handlers.h"
#include "service/service_command.h"

/* public names start with: api_ */

/* Deletes a volume that no machine uses. Volumes are listed like other records (read.c). */

void api_volume_delete(struct call *call)
{
    struct service_volume request = { .cluster = call_parameter(call, "cluster"),
                                      .name = call->name };
    struct service_change change = { 0 };
    struct err err;

    if (!body_requests(call, &change, &err)) {
        call_refuse(call, &err);
        return;
    }
    request.message = change.why;
    request.destroy = change.allow.destroy;
    service_volume_delete(call->api->options.service, call->arena, &call->actor, &request,
                          call_answered, call);
}
