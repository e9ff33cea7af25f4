#include "api/request/body.h"
#include "api/request/handlers.h"
#include "base/macros.h"
#include "service/service_command.h"

/* public names start with: api_ */

/* Routes for configuration repositories. */

void api_configs(struct call *call)
{
    service_configs(call->api->options.service, call->arena, &call->actor, call_answered, call);
}

void api_config(struct call *call)
{
    service_config(call->api->options.service, call->arena, &call->actor, call->name, call_answered,
                   call);
}

void api_config_files(struct call *call)
{
    struct text revision = call_parameter(call, "revision");
    struct text reference =
        revision.length == 0
            ? call->name
            : arena_printf(call->arena, "%.*s@%.*s", TEXT_ARG(call->name), TEXT_ARG(revision));

    service_config_files(call->api->options.service, call->arena, &call->actor, reference,
                         call_answered, call);
}

void api_config_push(struct call *call)
{
    struct service_config_push push = { .name = call->name };
    const struct body_member members[] = {
        { .name = "digest", .text = &push.digest },
        { .name = "ref", .text = &push.ref },
    };

    if (body_members_take(call, members, ARRAY_COUNT(members))) {
        service_config_push(call->api->options.service, call->arena, &call->actor, &push,
                            call_answered, call);
    }
}

void api_config_pin(struct call *call)
{
    struct text revision = TEXT("");
    bool is_pinned = true;
    const struct body_member members[] = {
        { .name = "revision", .text = &revision },
        { .name = "pinned", .flag = &is_pinned },
    };

    if (body_members_take(call, members, ARRAY_COUNT(members))) {
        service_config_pin(
            call->api->options.service, call->arena, &call->actor,
            revision.length == 0
                ? call->name
                : arena_printf(call->arena, "%.*s@%.*s", TEXT_ARG(call->name), TEXT_ARG(revision)),
            is_pinned, call_answered, call);
    }
}

void api_config_gc(struct call *call)
{
    enum { KEEP = 10 };
    uint64_t keep = KEEP;
    bool is_dry = false;
    const struct body_member members[] = {
        { .name = "keep", .number = &keep },
        { .name = "dryRun", .flag = &is_dry },
    };

    if (body_members_take(call, members, ARRAY_COUNT(members))) {
        service_config_gc(call->api->options.service, call->arena, &call->actor, call->name, keep,
                          is_dry, call_answered, call);
    }
}
