#include "api/request/body.h"
#include "api/request/handlers.h"
#include "bmc/bmc_address.h"
#include "power_requests/power_requests.h"

/* public names start with: api_ */

/* Routes for the power of machines. */

void api_power(struct call *call)
{
    power_get(call->api->options.service, call->arena, &call->actor, call->name, call_answered,
              call);
}

void api_power_command(struct call *call)
{
    struct power_command command = { .is_own_address = bmc_address_is_own };
    struct text action = TEXT("");
    const struct body_member members[] = {
        { .name = "action", .text = &action },
        { .name = "consent", .flag = &command.has_consent },
        { .name = "why", .text = &command.why },
    };
    struct err err;

    if (!body_members_take(call, members, ARRAY_COUNT(members))) {
        return;
    }
    if (!power_action_parse(action, &command.action)) {
        err_set(&err, CODE_R0426, "'%.*s' is not an action: on, off, cycle or netboot",
                TEXT_ARG(text_slice(action, 0, LIMIT_TENANT_BYTES)));
        call_refuse(call, &err);
        return;
    }
    command.why = text_slice(command.why, 0, LIMIT_WHY_BYTES);
    power_command(call->api->options.service, call->arena, &call->actor, call->name, &command,
                  call_answered, call);
}

void api_power_access(struct call *call)
{
    struct power_access access = { .url = TEXT("") };
    bool is_removed = false;
    const struct body_member members[] = {
        { .name = "pin", .text = &access.pin },
        { .name = "remove", .flag = &is_removed },
        { .name = "secret", .text = &access.secret },
        { .name = "url", .text = &access.url },
    };

    if (!body_members_take(call, members, ARRAY_COUNT(members))) {
        return;
    }
    if (is_removed) {
        power_access_clear(call->api->options.service, call->arena, &call->actor, call->name,
                           call_answered, call);
        return;
    }
    power_access_set(call->api->options.service, call->arena, &call->actor, call->name, &access,
                     call_answered, call);
}
