#include "api/call.h"
#include "api/handlers.h"
#include "engine/inventory.h"

/* names: api_ */

/* GET /v1/inventory/FORM: machines in the form of another tool. */
void api_inventory(struct call *call)
{
    struct select_wish wish = { .cluster = call_parameter(call, "cluster"),
                                .group = call_parameter(call, "group"),
                                .names = call_parameter(call, "nodes"),
                                .labels = call_parameter(call, "selector"),
                                .states = call_parameter(call, "state"),
                                .failed_of = call_parameter(call, "failedOf"),
                                .revision = call_parameter(call, "revision") };
    struct inventory_options options = { .is_one_cluster = wish.cluster.length > 0 };
    struct select_nodes nodes;
    enum inventory_form form;
    uint64_t port;
    struct err err;

    if (!inventory_form_read(call->name, &form, &err) || !call_number(call, "port", &port, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (port > UINT16_MAX || (wish.group.length > 0 && wish.cluster.length == 0)) {
        err_set(&err, CODE_R0426,
                port > UINT16_MAX ? "port is no port"
                                  : "group is one of a cluster: say cluster as well");
        call_refuse(call, &err);
        return;
    }
    options.port = (uint16_t)port;
    if (!select_nodes(call->api->options.cache, call->arena, &call->actor, &wish, &nodes, &err)) {
        call_refuse(call, &err);
        return;
    }
    call_answer(call, 200, inventory_type(form),
                inventory_format(call->arena, form, &nodes, &options));
}
