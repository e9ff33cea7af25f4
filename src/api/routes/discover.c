#include "api/request/body.h"
#include "api/request/handlers.h"
#include "api/request/take.h"
#include "base/macros.h"
#include "model/check.h"
#include "service/service_command.h"

/* public names start with: api_ */

/* Routes for machines of the inventory. */

void api_discovered(struct call *call)
{
    service_discovered_one(call->api->options.service, call->arena, &call->actor, call->name,
                           call_answered, call);
}

/* Reads `addresses`, which may be absent if the request has a network to probe. R0426: the value is
 * not a list of texts. */
MUST_CHECK static bool addresses_take(struct call *call, const struct doc *body,
                                      struct service_discover *out, struct err *err)
{
    const struct doc *list = doc_child(body, "addresses");
    struct text *addresses;

    if (list == NULL && out->network.length > 0) {
        return true;
    }
    if (!doc_is_list(list)) {
        return err_set(err, CODE_R0426, "'addresses' must be a list of addresses");
    }
    addresses = arena_array(call->arena, struct text, list->item_count);
    for (size_t i = 0; i < list->item_count; i++) {
        if (!doc_is_scalar(&list->items[i])) {
            return err_set(err, CODE_R0426, "'addresses' must be a list of addresses");
        }
        addresses[i] = list->items[i].text;
    }
    out->addresses = addresses;
    out->count = list->item_count;
    return true;
}

MUST_CHECK static bool network_take(const struct doc *body, struct service_discover *out,
                                    struct err *err)
{
    uint64_t port;

    if (!take_short(body, "network", &out->network, err) ||
        !take_number(body, "port", UINT16_MAX, &port, err) ||
        !take_number(body, "from", UINT32_MAX, &out->from, err)) {
        return false;
    }
    out->port = (uint16_t)port;
    return true;
}

void api_discover(struct call *call)
{
    struct service_discover discover = { 0 };
    struct doc body;
    struct err err;

    if (!body_take(call, &body)) {
        return;
    }
    if (!network_take(&body, &discover, &err) || !addresses_take(call, &body, &discover, &err) ||
        !take_short(&body, "user", &discover.user, &err) ||
        (discover.user.length > 0 && !check_user(discover.user, &err)) ||
        !take_short(&body, "keySecret", &discover.secret, &err) ||
        !take_flag(&body, "approve", &discover.is_approved, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_discover(call->api->options.service, call->arena, &call->actor, &discover,
                     call_answered, call);
}

/* Reads a flat body and changes the inventory row in the path. */
static void discovered_change(struct call *call, enum service_discovered_change change)
{
    struct text fingerprint = TEXT("");
    bool is_ignored = true;
    const struct body_member members[] = {
        { .name = "fingerprint", .text = &fingerprint },
        { .name = "ignored", .flag = &is_ignored },
    };

    if (!body_members_take(call, members, ARRAY_COUNT(members))) {
        return;
    }
    if (change == SERVICE_DISCOVERED_IGNORE && !is_ignored) {
        change = SERVICE_DISCOVERED_UNIGNORE;
    }
    service_discovered_change(call->api->options.service, call->arena, &call->actor, call->name,
                              change, fingerprint, call_answered, call);
}

void api_discovered_approve(struct call *call)
{
    discovered_change(call, SERVICE_DISCOVERED_APPROVE);
}

void api_discovered_ignore(struct call *call)
{
    discovered_change(call, SERVICE_DISCOVERED_IGNORE);
}

void api_discovered_free(struct call *call)
{
    discovered_change(call, SERVICE_DISCOVERED_FREE);
}

void api_discovered_forget(struct call *call)
{
    discovered_change(call, SERVICE_DISCOVERED_FORGET);
}
