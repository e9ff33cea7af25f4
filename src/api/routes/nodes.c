#include "api/request/call.h"
#include "api/request/handlers.h"
#include "api/streams/streams.h"
#include "service/service_read.h"

/* public names start with: api_ */

/* Data from machines: their facts, and the output of their stages. */

void api_facts(struct call *call)
{
    service_facts(call->api->options.service, call->arena, &call->actor, call->name,
                  call_parameter(call, "node"), call_answered, call);
}

/* Reads a number that fits into 32 bits; a missing one is 0. */
MUST_CHECK static bool nodes_number_read(struct call *call, const char *name, uint32_t *out,
                                         struct err *err)
{
    uint64_t number;

    if (!call_number(call, name, &number, err)) {
        return false;
    }
    *out = (uint32_t)number;
    return number <= UINT32_MAX ||
           err_set(err, CODE_R0426, "%s is too large: %llu", name, (unsigned long long)number);
}

/* Reads the name of the machine, which must be given. */
MUST_CHECK static bool nodes_node_read(const struct call *call, struct text *out, struct err *err)
{
    *out = call_parameter(call, "node");
    return out->length > 0 ||
           err_set(err, CODE_R0426, "node is missing: set node to the name of a machine");
}

void api_console(struct call *call)
{
    struct text node;
    struct err err;

    if (!nodes_node_read(call, &node, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_console(call->api->options.service, call->arena, &call->actor, call->name, node,
                    call_answered, call);
}

void api_logs(struct call *call)
{
    struct service_logs logs = { .cluster = call->name,
                                 .has_stage = call_parameter(call, "stage").length > 0,
                                 .hook = call_parameter(call, "hook"),
                                 .from = call_parameter(call, "offset") };
    struct err err;

    if (!nodes_node_read(call, &logs.node, &err) ||
        !nodes_number_read(call, "stage", &logs.stage, &err) ||
        !nodes_number_read(call, "attempt", &logs.attempt, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_logs(call->api->options.service, call->arena, &call->actor, &logs, outputs_answered,
                 call);
}
