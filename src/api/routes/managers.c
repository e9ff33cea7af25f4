#include "api/request/body.h"
#include "api/request/handlers.h"
#include "base/macros.h"
#include "service/service_command.h"
#include "service/service_read.h"

/* public names start with: api_ */

/* Routes for the managers of the store. */

void api_managers(struct call *call)
{
    struct service_managers_query query = { .cluster = call_parameter(call, "cluster") };
    struct err err;

    if (!call_switch(call, "clusters", &query.has_clusters, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_managers(call->api->options.service, call->arena, &call->actor, &query, call_answered,
                     call);
}

static void api_manager_drain_set(struct call *call, bool is_draining)
{
    struct service_manager_drain drain = { .name = call->name, .is_draining = is_draining };
    const struct body_member members[] = { { .name = "message", .text = &drain.message } };

    if (body_members_take(call, members, ARRAY_COUNT(members))) {
        service_manager_drain(call->api->options.service, call->arena, &call->actor, &drain,
                              call_answered, call);
    }
}

void api_manager_drain(struct call *call)
{
    api_manager_drain_set(call, true);
}

void api_manager_undrain(struct call *call)
{
    api_manager_drain_set(call, false);
}

void api_manager_leave(struct call *call)
{
    struct service_manager_drain order = { .name = call->name };
    const struct body_member members[] = { { .name = "message", .text = &order.message } };

    if (body_members_take(call, members, ARRAY_COUNT(members))) {
        service_manager_leave(call->api->options.service, call->arena, &call->actor, &order,
                              call_answered, call);
    }
}

void api_manager_forget(struct call *call)
{
    struct service_manager_drain order = { .name = call->name };
    const struct body_member members[] = { { .name = "message", .text = &order.message } };

    if (body_members_take(call, members, ARRAY_COUNT(members))) {
        service_manager_forget(call->api->options.service, call->arena, &call->actor, &order,
                               call_answered, call);
    }
}
