#include "api/access.h"

#include "base/limits.h"

#include <assert.h>

#define TENANT_DEFAULT "default"

/* On a unix socket the kernel says who asks: root and members of the group are admins of everything. */
static bool is_admin_peer(const struct api *api, const struct http_peer *peer)
{
    gid_t group = api->options.admin_group;

    if (!peer->is_local) {
        return false;
    }
    if (peer->uid == 0 || (group != (gid_t)-1 && peer->gid == group)) {
        return true;
    }
    for (size_t i = 0; group != (gid_t)-1 && i < peer->group_count; i++) {
        if (peer->groups[i] == group) {
            return true;
        }
    }
    return false;
}

/* The tenant that is asked for, by parameter or header. */
MUST_CHECK static bool tenant_read(const struct call *call, struct text *out, struct err *err)
{
    struct text parameter = call_parameter(call, "tenant");
    struct text header = call_header(call, HTTP_REEVE_TENANT);
    struct text tenant = parameter.length > 0 ? parameter : header;

    if (parameter.length > 0 && header.length > 0 && !text_is_equal(parameter, header)) {
        return err_set(err, CODE_R0426, "the parameter tenant and the header Reeve-Tenant differ");
    }
    for (size_t i = 0; i < tenant.length; i++) {
        char byte = tenant.data[i];
        bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
        bool is_other = (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.';

        if (tenant.length > LIMIT_TENANT_BYTES || !(is_letter || (i > 0 && is_other))) {
            err_set(err, CODE_R0426, "'%.*s' is no name of a tenant", TEXT_ARG(tenant));
            return err_hint(err,
                            "a name begins with a letter and has letters, digits and -_. in it");
        }
    }
    *out = tenant;
    return true;
}

MUST_CHECK static bool peer_check(struct call *call, struct text tenant, struct err *err)
{
    const struct http_peer *peer = call->request->peer;
    const struct api_options *options = &call->api->options;

    if (!is_admin_peer(call->api, peer)) {
        err_set(err, CODE_R0410, "who asks is not known");
        return err_hint(err, peer->is_local ? "ask as root, or as a member of the group reeve"
                                            : "send Authorization: Bearer TOKEN");
    }
    call->actor.user = arena_text(call->arena, options->user_name(options->arg, peer->uid));
    call->actor.tenant = tenant.length > 0 ? tenant : TEXT(TENANT_DEFAULT);
    call->role = ROUTE_OWNER;
    return true;
}

bool access_check(struct call *call, struct err *err)
{
    struct text tenant = TEXT("");

    assert(call->route != NULL);
    if (call->route->who == ROUTE_ANYONE) {
        return true;
    }
    if (!tenant_read(call, &tenant, err) || !peer_check(call, tenant, err)) {
        return false;
    }
    if (call->role < call->route->who) {
        return err_set(err, CODE_R0409, "this takes the role %s in tenant '%.*s'",
                       route_who_name(call->route->who), TEXT_ARG(call->actor.tenant));
    }
    return true;
}
