#include "api/request/call.h"
#include "api/request/handlers.h"
#include "base/limits.h"
#include "exports/export_formats.h"
#include "service/service_command.h"
#include "service/service_read.h"

/* public names start with: api_ */

/* Finds the machines that the parameters select. */
MUST_CHECK static bool inventory_nodes_find(struct call *call, struct select_request *request,
                                            struct select_nodes *out, struct err *err)
{
    *request = (struct select_request){ .cluster = call_parameter(call, "cluster"),
                                        .group = call_parameter(call, "group"),
                                        .names = call_parameter(call, "nodes"),
                                        .labels = call_parameter(call, "selector"),
                                        .states = call_parameter(call, "state"),
                                        .failed_of = call_parameter(call, "failedOf"),
                                        .revision = call_parameter(call, "revision") };
    if (request->group.length > 0 && request->cluster.length == 0) {
        return err_set(err, CODE_R0426, "a group needs its cluster: set cluster as well");
    }
    return select_nodes(call->api->options.cache, call->arena, &call->actor, request, out, err);
}

static struct text problem_of(void *arg, const struct select_node *node)
{
    return service_problem_text(arg, node);
}

/* GET /v1/nodes: lists machines, selected by their properties and states. If the request selects by
 * state, the answer also has the problem of each machine. */
void api_nodes(struct call *call)
{
    struct select_request request;
    struct export_page page = { .next = call_parameter(call, "next"),
                                .revision = cache_revision(call->api->options.cache) };
    struct select_nodes nodes;
    bool is_discovered = false;
    uint64_t limit = 0;
    struct text body;
    struct err err;

    if (!call_switch(call, "discovered", &is_discovered, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (is_discovered) {
        service_discovered(call->api->options.service, call->arena, &call->actor,
                           call_parameter(call, "condition"), call_parameter(call, "selector"),
                           call_answered, call);
        return;
    }
    if (!call_number(call, "limit", &limit, &err) ||
        !inventory_nodes_find(call, &request, &nodes, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (request.states.length > 0) {
        page.problem = problem_of;
        page.arg = service_problems_new(call->api->options.service, call->arena);
    }
    page.limit = limit > LIMIT_PAGE ? LIMIT_PAGE : (size_t)limit;
    if (!export_nodes(call->arena, &nodes, &page, &body, &err)) {
        call_refuse(call, &err);
        return;
    }
    call_answer(call, 200, "application/json", body);
}

/* GET /v1/repairs: shows how reeve would repair the selected machines. */
void api_repairs(struct call *call)
{
    struct select_request request;
    struct select_nodes nodes;
    struct err err;

    if (!inventory_nodes_find(call, &request, &nodes, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_repairs(call->api->options.service, call->arena, &nodes, call_answered, call);
}

/* Answer with the selected machines in the format of another tool. */
static void inventory_answer(struct call *call, enum export_form form)
{
    struct select_request request;
    struct export_options options;
    struct select_nodes nodes;
    struct text body;
    uint64_t port;
    struct err err;

    if (!call_number(call, "port", &port, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (port > UINT16_MAX) {
        err_set(&err, CODE_R0426, "port is not a port number");
        call_refuse(call, &err);
        return;
    }
    if (!inventory_nodes_find(call, &request, &nodes, &err)) {
        call_refuse(call, &err);
        return;
    }
    options = (struct export_options){ request.cluster.length > 0, (uint16_t)port };
    if (!export_format(call->arena, form, &nodes, &options, &body, &err)) {
        call_refuse(call, &err);
        return;
    }
    call_answer(call, 200, export_type(form), body);
}

/* GET /v1/inventory/FORM: exports machines in the format of another tool. */
void api_inventory(struct call *call)
{
    enum export_form form;
    struct err err;

    if (!export_form_read(call->name, &form, &err)) {
        call_refuse(call, &err);
        return;
    }
    inventory_answer(call, form);
}

/* GET /v1/sd/prometheus: always lists all targets. Prometheus keeps its list if this request fails,
 * but drops the targets that a shorter list lacks. Therefore the answer is an error if the data may
 * be stale. */
void api_sd_prometheus(struct call *call)
{
    struct store_status status;
    struct err err;

    store_status(call->api->options.store, &status);
    if (status.linearizable_age_ms > LIMIT_TARGETS_AGE_MS) {
        err_set(&err, CODE_R0521, "the store has not confirmed the list for %llu s",
                (unsigned long long)status.linearizable_age_ms / 1000);
        err_hint(&err, "Prometheus keeps its targets; try another manager");
        call_refuse(call, &err);
        return;
    }
    inventory_answer(call, EXPORT_PROMETHEUS);
}
