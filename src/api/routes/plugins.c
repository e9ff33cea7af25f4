#include "api/request/body.h"
#include "api/request/handlers.h"
#include "api/streams/streams.h"
#include "base/macros.h"
#include "service/service_command.h"
#include "service/service_read.h"

/* public names start with: api_ */

/* Routes for plugins (list, install, upgrade) and for bundles. */

void api_plugins(struct call *call)
{
    service_plugins(call->api->options.service, call->arena, &call->actor, TEXT(""), call_answered,
                    call);
}

void api_plugin(struct call *call)
{
    service_plugins(call->api->options.service, call->arena, &call->actor, call->name,
                    call_answered, call);
}

void api_plugin_upgrade(struct call *call)
{
    service_plugin_upgrade(call->api->options.service, call->arena, &call->actor, call->name,
                           call_answered, call);
}

/* ---- installation ---- */

/* Reads the body {name, url, version, digest, replace}. */
MUST_CHECK static bool order_read(const struct doc *body, struct plugin_order *order,
                                  struct err *err)
{
    const struct body_member members[] = {
        { .name = "name", .text = &order->name },
        { .name = "url", .text = &order->url },
        { .name = "version", .text = &order->version },
        { .name = "digest", .text = &order->sha256 },
        { .name = "replace", .flag = &order->replaces },
    };

    return body_members_read(body, members, ARRAY_COUNT(members), err);
}

/* Reads the plugin file from a binary body; the other members come from parameters. */
MUST_CHECK static bool plugins_bytes_read(struct call *call, struct plugin_order *order,
                                          struct err *err)
{
    order->has_bytes = true;
    order->bytes = call->request->body;
    order->name = call_parameter(call, "name");
    order->sha256 = call_parameter(call, "digest");
    return call_switch(call, "replace", &order->replaces, err);
}

void api_plugin_install(struct call *call)
{
    struct plugin_order order = { 0 };
    struct err_list errors;
    struct doc body;
    struct err err;

    err_list_init(&errors, call->arena);
    if (call_is_bytes(call->request)) {
        if (!plugins_bytes_read(call, &order, &err)) {
            call_refuse(call, &err);
            return;
        }
    } else if (!body_read(call, &body, &errors)) {
        call_refuse_all(call, &errors, TEXT(""));
        return;
    } else if (!order_read(&body, &order, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_plugin_install(call->api->options.service, call->arena, &call->actor, &order,
                           copies_answered, call);
}

/* ---- bundles ---- */

void api_bundle_put(struct call *call)
{
    service_bundle_put(call->api->options.service, call->arena, &call->actor, call->request->body,
                       copies_answered, call);
}

/* Receives a piece of the archive of a bundle or of a configuration. */
static void archive_piece_take(struct call *call, bool is_configuration)
{
    struct service_piece piece = { .is_configuration = is_configuration,
                                   .digest = call->name,
                                   .bytes = call->request->body };
    struct err err;

    if (!call_number(call, "bytes", &piece.size, &err) ||
        !call_number(call, "offset", &piece.offset, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_bundle_piece(call->api->options.service, call->arena, &call->actor, &piece,
                         copies_answered, call);
}

void api_bundle_piece(struct call *call)
{
    archive_piece_take(call, false);
}

void api_config_piece(struct call *call)
{
    archive_piece_take(call, true);
}

static void plugins_bundle_show(struct call *call)
{
    service_bundle(call->api->options.service, call->arena, &call->actor, call->name,
                   copies_answered, call);
}

void api_bundle(struct call *call)
{
    copies_bundle_have(call, call->name, plugins_bundle_show);
}

void api_bundle_share(struct call *call)
{
    service_bundle_share(call->api->options.service, call->arena, &call->actor, call->name,
                         call_answered, call);
}
