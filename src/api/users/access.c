#include "api/users/access.h"

#include "api/users/attempts.h"
#include "api/users/session.h"
#include "base/limits.h"
#include "base/macros.h"
#include "change/change.h"
#include "codec/json.h"
#include "service/service_read.h"
#include "state/objects.h"
#include "sys/digest.h"

#include <assert.h>
#include <strings.h>

/* ---- authentication ---- */

/* Returns whether the peer of a unix socket is an owner or an admin: root, the user that started
 * the manager, or a member of the admin group. The socket identifies its peer by user. */
static bool is_admin_peer(const struct api *api, const struct http_peer *peer)
{
    gid_t group = api->options.admin_group;

    if (!peer->is_local) {
        return false;
    }
    if (peer->uid == 0 || peer->uid == api->options.owner ||
        (group != (gid_t)-1 && peer->gid == group)) {
        return true;
    }
    for (size_t i = 0; group != (gid_t)-1 && i < peer->group_count; i++) {
        if (peer->groups[i] == group) {
            return true;
        }
    }
    return false;
}

/* Authenticates by Authorization: Bearer TOKEN. The token is found by its hash, so that the
 * duration of the search reveals nothing about it. */
static bool token_check(struct call *call)
{
    struct text header = call_header(call, HTTP_AUTHORIZATION);
    struct text scheme = TEXT("Bearer ");
    struct text token = text_trim(text_slice(header, scheme.length, header.length));
    const struct api_options *options = &call->api->options;
    char hash[DIGEST_TEXT_BYTES];

    if (header.length <= scheme.length ||
        strncasecmp(header.data, scheme.data, scheme.length) != 0) {
        return false;
    }
    digest_sha256(token, hash);
    if (!identity_find_token(call->arena, options->cache, text_from(hash),
                             clock_wall_ms(options->clock), &call->identity) ||
        call->identity.use != IDENTITY_PROGRAM) {
        return false;
    }
    call->token_hash = arena_text(call->arena, text_from(hash));
    call->actor.user = call->identity.user;
    call->grant_count = identity_grants(call->arena, options->cache, &call->identity,
                                        (struct identity_grant **)(uintptr_t)&call->grants);
    return true;
}

bool access_wrong(const struct call *call, struct err *err)
{
    struct log *log = call->api->options.log;
    unsigned count;

    assert(err->code != CODE_NONE);
    /* a request with a body is checked twice (body_max in api.c), but its wrong token counts
     * once */
    if (call->exchange == NULL) {
        return false;
    }
    count = attempts_count(call->api->attempts, call->request->client,
                           clock_monotonic_ms(call->api->options.clock));
    if (count == LIMIT_WRONG_TOKENS + 1) {
        log_warn(log, "api", "wrong_tokens", log_text("from", call->request->client),
                 log_int("count", count));
    }
    if (count <= LIMIT_WRONG_TOKENS) {
        return false;
    }
    err_set(err, CODE_R0422, "this address sent %d invalid tokens or links within a minute",
            LIMIT_WRONG_TOKENS);
    return err_hint(err, "wait a minute; a valid token is still accepted");
}

/* Authenticates a request on the listener without logins. Its user is the one that the
 * configuration names. Requests with the header Origin are rejected: only browsers send it, and a
 * page of another site must not use this listener. */
MUST_CHECK static bool access_contiv_check(struct call *call, struct err *err)
{
    const struct api_contiv *contiv = call->api->options.contiv;
    const struct cache *cache = call->api->options.cache;
    struct text user =
        arena_printf(call->arena, "%.*s/%.*s", TEXT_ARG(contiv->tenant), TEXT_ARG(contiv->user));

    if (call_header(call, HTTP_ORIGIN).length > 0) {
        return err_set(err, CODE_R0760,
                       "this listener is for the compatibility API only and has no web pages");
    }
    if (service_is_ready(call->api->options.service) &&
        identity_find(cache, IDENTITY_USER, user) == NULL) {
        err_set(err, CODE_R0410, "the user '%.*s' of this listener does not exist",
                TEXT_ARG(contiv->user));
        return err_hint(err, "reeve create user %.*s, then reeve create grant %.*s:operator",
                        TEXT_ARG(contiv->user), TEXT_ARG(contiv->user));
    }
    call->identity = (struct identity){ .tenant = contiv->tenant, .user = contiv->user };
    call->actor.user = contiv->user;
    call->grant_count = identity_grants(call->arena, cache, &call->identity,
                                        (struct identity_grant **)(uintptr_t)&call->grants);
    return true;
}

/* Determines the user from the hash of a token or of a browser session. Another manager forwards
 * this hash with a request. */
MUST_CHECK static bool access_hash_take(struct call *call, struct text hash, struct err *err)
{
    const struct api_options *options = &call->api->options;
    struct identity identity;

    if (!identity_find_token(call->arena, options->cache, hash, clock_wall_ms(options->clock),
                             &identity)) {
        return err_set(err, CODE_R0410, "the token of the forwarded request is no longer valid");
    }
    call->token_hash = arena_text(call->arena, hash);
    call->actor.user = identity.user;
    if (identity.is_owner) {
        call->role = ROUTE_OWNER;
        return true;
    }
    call->identity = identity;
    call->grant_count = identity_grants(call->arena, options->cache, &call->identity,
                                        (struct identity_grant **)(uintptr_t)&call->grants);
    return true;
}

bool access_peer_check(const struct call *call, struct err *err)
{
    struct text name = text_from(call->request->peer->name);

    return (name.length > 0 && cache_find(call->api->options.cache, TEXT(OBJECTS_SYSTEM_TENANT),
                                          TEXT("Manager"), name) != NULL) ||
           err_set(err, CODE_R0586, "'%.*s' is not a manager of this store", TEXT_ARG(name));
}

/* Authenticates a request that another manager forwards. The connection must belong to a manager of
 * this store; the forwarding manager names the user. */
MUST_CHECK static bool access_forwarded_check(struct call *call, struct err *err)
{
    struct text forwarded = call_header(call, HTTP_REEVE_FORWARDED);
    const struct doc *user;
    const struct doc *token;
    struct doc said;

    if (!access_peer_check(call, err)) {
        return false;
    }
    if (!json_parse(call->arena, forwarded, NULL, &said, err) || !doc_is_map(&said)) {
        return err_set(err, CODE_R0586, "the forwarded request does not name its user");
    }
    token = doc_child(&said, "token");
    user = doc_child(&said, "user");
    if (doc_is_scalar(token)) {
        return access_hash_take(call, token->text, err);
    }
    if (!doc_is_scalar(user) || user->text.length == 0) {
        return err_set(err, CODE_R0586, "the forwarded request does not name its user");
    }
    /* the user connected to the unix socket of the forwarding manager */
    call->actor.user = user->text;
    call->role = ROUTE_OWNER;
    return true;
}

/* Authenticates the sender. A token takes precedence over a cookie, and both over the identity of
 * the socket: a client that sends a token or cookie wants to act as that user. */
MUST_CHECK static bool access_identity_check(struct call *call, struct err *err)
{
    const struct http_peer *peer = call->request->peer;
    const struct api_options *options = &call->api->options;
    bool has_token = call_header(call, HTTP_AUTHORIZATION).length > 0;

    if (call->request->peer->tag == API_TAG_CONTIV) {
        return access_contiv_check(call, err);
    }
    if (call->request->peer->tag == API_TAG_PEER) {
        return access_forwarded_check(call, err);
    }
    if (has_token && token_check(call)) {
        return true;
    }
    if (!has_token && session_is_there(call)) {
        return session_check(call, err);
    }
    if (!has_token && is_admin_peer(call->api, peer)) {
        call->actor.user = arena_text(call->arena, options->user_name(options->arg, peer->uid));
        call->role = ROUTE_OWNER;
        return true;
    }
    err_set(err, CODE_R0410,
            has_token ? "the token is not known" : "the user of this connection is not known");
    err_hint(err, peer->is_local && !has_token
                      ? "ask as root, as the user that started the manager or as a member of the "
                        "group reeve, or send a token"
                      : "send Authorization: Bearer TOKEN with a valid token");
    return has_token ? access_wrong(call, err) : false;
}

/* ---- tenant ---- */

bool access_name_check(struct text name, const char *what, struct err *err)
{
    bool is_good = name.length > 0 && name.length <= LIMIT_TENANT_BYTES;

    for (size_t i = 0; is_good && i < name.length; i++) {
        char byte = name.data[i];
        bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
        bool is_other = (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.';

        is_good = is_letter || (i > 0 && is_other);
    }
    if (is_good) {
        return true;
    }
    err_set(err, CODE_R0426, "'%.*s' is not a valid name of a %s", TEXT_ARG(name), what);
    return err_hint(err,
                    "a name is a letter, followed by letters, digits and -_. with at most %d "
                    "characters",
                    LIMIT_TENANT_BYTES);
}

MUST_CHECK static bool tenant_take(struct call *call, struct err *err)
{
    struct text parameter = call_parameter(call, "tenant");
    struct text header = call_header(call, HTTP_REEVE_TENANT);

    if (parameter.length > 0 && header.length > 0 && !text_is_equal(parameter, header)) {
        return err_set(err, CODE_R0426, "the parameter tenant and the header Reeve-Tenant differ");
    }
    call->actor.tenant = parameter.length > 0               ? parameter
                         : header.length > 0                ? header
                         : call->identity.tenant.length > 0 ? call->identity.tenant
                                                            : TEXT(IDENTITY_TENANT_DEFAULT);
    return access_name_check(call->actor.tenant, "tenant", err);
}

/* ---- permission ---- */

static enum route_who role_of(struct text word)
{
    return text_is(word, "admin")      ? ROUTE_ADMIN
           : text_is(word, "operator") ? ROUTE_OPERATOR
           : text_is(word, "viewer")   ? ROUTE_VIEWER
                                       : ROUTE_KNOWN;
}

/* Returns whether a grant applies in the requested tenant. */
static bool is_access_here(const struct call *call, const struct identity_grant *grant)
{
    return grant->is_everywhere || text_is_equal(call->identity.tenant, call->actor.tenant);
}

static void role_take(struct call *call)
{
    call->role = ROUTE_KNOWN;
    for (size_t i = 0; i < call->grant_count; i++) {
        const struct identity_grant *grant = &call->grants[i];
        enum route_who role = role_of(grant->role);

        if (grant->is_everywhere && role == ROUTE_ADMIN) {
            role = ROUTE_OWNER;
        }
        if (grant->cluster.length == 0 && is_access_here(call, grant) && role > call->role) {
            call->role = role;
        }
    }
}

/* Finds the cluster that the request is about, and the path of the group. Returns false if the
 * request concerns more than one cluster. */
static bool subject_find(struct call *call, struct text *cluster, struct text *path)
{
    struct service *service = call->api->options.service;
    const struct schema_kind *clusters = schema_kind_find(TEXT("Cluster"));
    struct text name = call->name;
    size_t slash;

    *path = TEXT("");
    if (call_is_contiv(call->request)) {
        name = call->api->options.contiv == NULL ? TEXT("") : call->api->options.contiv->cluster;
    } else if (call->kind == NULL || name.length == 0) {
        /* a route without this parameter does not concern a single cluster */
        name = route_has_parameter(call->route, TEXT("cluster")) ? call_parameter(call, "cluster")
                                                                 : TEXT("");
        if (route_has_parameter(call->route, TEXT("group"))) {
            *path = call_parameter(call, "group");
        }
    } else if (call->kind->owner == OWNER_NODEGROUP) {
        slash = text_find_byte(name, '/');
        *path = slash == SIZE_MAX ? TEXT("") : text_slice(name, slash + 1, name.length);
        name = text_slice(name, 0, slash);
    } else if (call->kind->owner != OWNER_CLUSTER) {
        return false;
    }
    *cluster = name.length == 0
                   ? name
                   : service_name_find(service, call->arena, &call->actor, clusters, name);
    return cluster->length > 0;
}

/* Returns the highest role that the grants on single clusters and groups give the sender for this
 * cluster or group. */
static enum route_who role_at(const struct call *call, struct text cluster, struct text path)
{
    enum route_who best = ROUTE_KNOWN;

    for (size_t i = 0; i < call->grant_count; i++) {
        const struct identity_grant *grant = &call->grants[i];
        enum route_who role = role_of(grant->role);

        if (is_access_here(call, grant) && text_is_equal(grant->cluster, cluster) &&
            objects_group_is_below(path, grant->nodegroup) && role > best && role < ROUTE_ADMIN) {
            best = role;
        }
    }
    return best;
}

static bool access_may_read(void *arg, const struct schema_kind *kind, struct text name,
                            struct text path)
{
    const struct call *call = arg;

    return call->role >= ROUTE_VIEWER ||
           (kind->owner == OWNER_CLUSTER && role_at(call, name, path) >= ROUTE_VIEWER);
}

static bool access_may_write(void *arg, struct text cluster, struct text path)
{
    const struct call *call = arg;

    return role_at(call, cluster, path) >= call->route->who;
}

struct doc access_grants_show(struct call *call)
{
    const struct schema_kind *clusters = schema_kind_find(TEXT("Cluster"));
    struct service *service = call->api->options.service;
    struct doc *items = arena_array(call->arena, struct doc, call->grant_count);
    size_t count = 0;

    for (size_t i = 0; i < call->grant_count && service_is_ready(service); i++) {
        const struct identity_grant *grant = &call->grants[i];
        struct doc_builder builder;

        if (grant->cluster.length == 0 || !is_access_here(call, grant) ||
            service_name_find(service, call->arena, &call->actor, clusters, grant->cluster)
                    .length == 0) {
            continue;
        }
        doc_builder_init(&builder, call->arena);
        doc_builder_put(&builder, "cluster", doc_text(grant->cluster, NULL));
        if (grant->nodegroup.length > 0) {
            doc_builder_put(&builder, "nodegroup", doc_text(grant->nodegroup, NULL));
        }
        doc_builder_put(&builder, "role", doc_text(grant->role, NULL));
        items[count++] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, count, NULL);
}

/* Returns the sender's role for the subject of this request, from grants on single clusters and
 * groups. */
static enum route_who scoped_role(struct call *call)
{
    struct text cluster;
    struct text path;

    return call->grant_count == 0 || !subject_find(call, &cluster, &path)
               ? ROUTE_KNOWN
               : role_at(call, cluster, path);
}

/* If the role comes from grants on parts of the tenant, limits the request to these parts: nothing
 * else is read or written. */
static void reach_narrow(struct call *call)
{
    struct change_reach *reach = arena_one(call->arena, struct change_reach);

    *reach = (struct change_reach){ access_may_read, access_may_write, call };
    call->actor.reach = reach;
}

MUST_CHECK static bool access_role_check(struct call *call, struct err *err)
{
    enum route_who role = call->role;

    if (role >= call->route->who) {
        return true;
    }
    if (service_is_ready(call->api->options.service)) {
        enum route_who scoped = scoped_role(call);

        role = scoped > role ? scoped : role;
    }
    if (role >= call->route->who) {
        if (call->role < call->route->who) {
            reach_narrow(call);
        }
        return true;
    }
    if (role < ROUTE_VIEWER && call->kind != NULL && call->name.length > 0) {
        err_set(err, CODE_R0403, "there is no %s '%.*s'", call->kind->singular,
                TEXT_ARG(call->name));
        return err_hint(err, "reeve get %s lists the existing ones", call->kind->plural);
    }
    err_set(err, CODE_R0409, "this requires the role %s in tenant '%.*s'",
            route_who_name(call->route->who), TEXT_ARG(call->actor.tenant));
    return call->route->who == ROUTE_VIEWER && call->grant_count > 0
               ? err_hint(err, "your grant covers one cluster: name it, or use -c NAME; an "
                               "admin of the tenant can grant more")
               : err_hint(err, "an admin of the tenant can grant it");
}

bool access_check(struct call *call, struct err *err)
{
    assert(call->route != NULL);
    if (call->route->who == ROUTE_ANYONE) {
        return true;
    }
    if (!access_identity_check(call, err) || !tenant_take(call, err)) {
        return false;
    }
    if (call->role != ROUTE_OWNER) {
        role_take(call);
    }
    if (!access_role_check(call, err)) {
        return false;
    }
    if (call->role == ROUTE_OWNER && service_is_ready(call->api->options.service) &&
        !identity_has_tenant(call->api->options.cache, call->actor.tenant)) {
        err_set(err, CODE_R0403, "there is no tenant '%.*s'", TEXT_ARG(call->actor.tenant));
        return err_hint(err, "GET /v1/tenants lists them");
    }
    return true;
}
