#include "api/request/body.h"
#include "api/users/access.h"
#include "api/users/people.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/time.h"
#include "codec/json.h"
#include "sys/digest.h"

#include <assert.h>
#include <string.h>

enum { TOKEN_DAYS_MAX = 3650 };

/* ---- members of the body ---- */

static const char *const members[IDENTITY_KIND_COUNT][6] = {
    [IDENTITY_TENANT] = { "name" },
    [IDENTITY_USER] = { "name" },
    [IDENTITY_TOKEN] = { "user", "days", "note" },
    [IDENTITY_GRANT] = { "user", "role", "cluster", "nodegroup", "tenant" },
};

MUST_CHECK static bool people_body_members_check(const struct doc *body, enum identity_kind kind,
                                                 struct err *err)
{
    if (!doc_is_map(body)) {
        return err_set(err, CODE_R0429, "the body is not an object");
    }
    for (size_t i = 0; i < body->entry_count; i++) {
        const struct doc_entry *entry = &body->entries[i];
        bool is_known = false;

        for (size_t j = 0; members[kind][j] != NULL; j++) {
            is_known = is_known || text_is(entry->key, members[kind][j]);
        }
        if (!is_known || !doc_is_scalar(&entry->value)) {
            err_set(err, CODE_R0429, "%s has no member '%.*s' of this type",
                    identity_kind_name(kind), TEXT_ARG(entry->key));
            return err_at(err, entry->key);
        }
    }
    return true;
}

static struct text people_body_member(const struct doc *body, const char *name)
{
    const struct doc *value = doc_child(body, name);

    return value == NULL ? TEXT("") : value->text;
}

MUST_CHECK static bool fault_at(const char *name, const char *what, struct err *err)
{
    err_set(err, CODE_R0429, "%s", what);
    return err_at(err, text_from(name));
}

/* ---- records ---- */

static struct text people_body_now_of(struct call *call)
{
    char text[TIME_TEXT_BYTES];

    time_format(clock_wall_ms(call->api->options.clock), text);
    return arena_text(call->arena, text_from(text));
}

/* Format a record in the form of objects in files:
 * {"kind","metadata":{"by","created","id"?,"name"},"spec"}. */
struct text people_value(struct call *call, enum identity_kind kind, struct text id,
                         struct text name, const struct doc *spec)
{
    struct doc_builder meta;
    struct doc_builder whole;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&meta, call->arena);
    doc_builder_put(&meta, "by", doc_text(call->actor.user, NULL));
    doc_builder_put(&meta, "created", doc_text(people_body_now_of(call), NULL));
    if (id.length > 0) {
        doc_builder_put(&meta, "id", doc_text(id, NULL));
    }
    if (name.length > 0) {
        doc_builder_put(&meta, "name", doc_text(name, NULL));
    }
    doc_builder_init(&whole, call->arena);
    doc_builder_put(&whole, "kind", doc_text(text_from(identity_kind_name(kind)), NULL));
    doc_builder_put(&whole, "metadata", doc_builder_map(&meta, NULL));
    doc_builder_put(&whole, "spec", *spec);
    doc = doc_builder_map(&whole, NULL);
    buf_init(&buf, call->arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static void people_body_text_put(struct doc_builder *builder, const char *key, struct text text)
{
    if (text.length > 0) {
        doc_builder_put(builder, key, doc_text(text, NULL));
    }
}

/* Finds a user of the requested tenant. */
MUST_CHECK static bool user_find(struct call *call, struct text user, struct people_record *out,
                                 struct err *err)
{
    struct text id =
        arena_printf(call->arena, "%.*s/%.*s", TEXT_ARG(call->actor.tenant), TEXT_ARG(user));

    out->needed =
        user.length == 0 ? NULL : identity_find(call->api->options.cache, IDENTITY_USER, id);
    if (out->needed == NULL) {
        err_set(err, CODE_R0403, "there is no user '%.*s' in tenant '%.*s'", TEXT_ARG(user),
                TEXT_ARG(call->actor.tenant));
        return err_at(err, TEXT("user"));
    }
    return true;
}

MUST_CHECK static bool people_body_named_read(struct call *call, enum identity_kind kind,
                                              const struct doc *body, struct people_record *out,
                                              struct err *err)
{
    struct doc spec = doc_map(NULL, 0, NULL);

    out->name = people_body_member(body, "name");
    if (!access_name_check(out->name, kind == IDENTITY_TENANT ? "tenant" : "user", err)) {
        return err_at(err, TEXT("name"));
    }
    out->id = kind == IDENTITY_TENANT
                  ? out->name
                  : arena_printf(call->arena, "%.*s/%.*s", TEXT_ARG(call->actor.tenant),
                                 TEXT_ARG(out->name));
    out->value = people_value(call, kind, TEXT(""), out->name, &spec);
    return true;
}

/* Adds the expiry and the parent. A token that is created with another token becomes its child: it
 * is revoked with the parent and expires no later. Without `days` it expires with the parent. A
 * token that is created through the unix socket has no parent. */
MUST_CHECK static bool expiry_put(struct call *call, const struct doc *body,
                                  struct doc_builder *spec, struct err *err)
{
    struct text text = people_body_member(body, "days");
    struct text end = TEXT("");
    char time[TIME_TEXT_BYTES];
    size_t depth =
        call->token_hash.length == 0
            ? 0
            : identity_token_end(call->arena, call->api->options.cache, call->token_hash, &end);
    int64_t end_ms = INT64_MAX;
    int64_t own_ms;
    int64_t days;

    if (depth >= LIMIT_TOKEN_DEPTH) {
        err_set(
            err, CODE_R0409,
            "a chain of tokens that create each other may have at most %d tokens, and this chain is full",
            LIMIT_TOKEN_DEPTH);
        return err_hint(err, "create the token with an earlier token of this chain");
    }
    if (text.length == 0) {
        people_body_text_put(spec, "expires", end);
        return true;
    }
    if (!text_parse_int64(text, &days) || days < 1 || days > TOKEN_DAYS_MAX) {
        return fault_at("days", "days must be a number from 1 to 3650", err);
    }
    own_ms = clock_wall_ms(call->api->options.clock) + days * 24 * 3600 * 1000;
    if (end.length > 0 && time_parse(end, &end_ms) && own_ms > end_ms) {
        err_set(err, CODE_R0409,
                "the token of this request expires at %.*s, before the new token would",
                TEXT_ARG(end));
        err_hint(err, "omit days: the new token then expires at the same time");
        return err_at(err, TEXT("days"));
    }
    time_format(own_ms, time);
    people_body_text_put(spec, "expires", arena_text(call->arena, text_from(time)));
    return true;
}

/* Returns the id of the token that authenticated the request; empty: none. */
static struct text parent_of(const struct call *call)
{
    return text_slice(call->token_hash, 0, IDENTITY_TOKEN_ID);
}

/* Checks that the creator of a token has at least the permissions of the token's user: an admin of
 * one tenant cannot create a token for an admin of all tenants. */
MUST_CHECK static bool rank_check(struct call *call, struct text user, bool is_own, struct err *err)
{
    struct identity identity = { call->actor.tenant, user };
    struct identity_grant *grants;
    size_t count = identity_grants(call->arena, call->api->options.cache, &identity, &grants);

    for (size_t i = 0; i < count; i++) {
        if (grants[i].is_everywhere && !is_own && call->role < ROUTE_OWNER) {
            return err_set(err, CODE_R0409,
                           "user '%.*s' has rights in every tenant, but you do not",
                           TEXT_ARG(user));
        }
    }
    return true;
}

/* Reads a new token. Its user is the sender; an admin may name any other user of the tenant. */
MUST_CHECK static bool people_body_token_read(struct call *call, const struct doc *body,
                                              struct people_record *out, struct err *err)
{
    struct text user = people_body_member(body, "user");
    bool is_own = call->identity.user.length > 0 &&
                  text_is_equal(call->identity.tenant, call->actor.tenant) &&
                  (user.length == 0 || text_is_equal(user, call->identity.user));
    char hash[DIGEST_TEXT_BYTES];
    struct doc_builder builder;
    struct doc spec;

    user = is_own ? call->identity.user : user;
    if (!is_own && call->role < ROUTE_ADMIN) {
        return err_set(err, CODE_R0409, "tokens of other users require the role admin");
    }
    if (!user_find(call, user, out, err) || !rank_check(call, user, is_own, err)) {
        return false;
    }
    if (people_body_member(body, "note").length > LIMIT_WHY_BYTES) {
        return fault_at("note", "note is too long", err);
    }
    doc_builder_init(&builder, call->arena);
    if (!expiry_put(call, body, &builder, err)) {
        return false;
    }
    out->token = arena_alloc(call->arena, RANDOM_TOKEN_BYTES);
    random_token(call->api->options.random, out->token);
    digest_sha256(text_from(out->token), hash);
    people_body_text_put(&builder, "note", people_body_member(body, "note"));
    people_body_text_put(&builder, "parent", parent_of(call));
    people_body_text_put(&builder, "tenant", call->actor.tenant);
    people_body_text_put(&builder, "user", user);
    spec = doc_builder_map(&builder, NULL);
    out->id = arena_text(call->arena, text_from(hash));
    out->name = text_slice(out->id, 0, IDENTITY_TOKEN_ID);
    out->value = people_value(call, IDENTITY_TOKEN, out->name, TEXT(""), &spec);
    return true;
}

MUST_CHECK static bool grant_check(const struct call *call, const struct doc *body, struct err *err)
{
    struct text role = people_body_member(body, "role");
    struct text tenant = people_body_member(body, "tenant");

    if (!text_is(role, "viewer") && !text_is(role, "operator") && !text_is(role, "admin")) {
        return fault_at("role", "role must be viewer, operator or admin", err);
    }
    if (tenant.length > 0 && !text_is(tenant, "*") && !text_is_equal(tenant, call->actor.tenant)) {
        return fault_at("tenant", "tenant is * for all tenants; otherwise omit it", err);
    }
    if (text_is(tenant, "*") && call->role < ROUTE_OWNER) {
        return err_set(err, CODE_R0409, "grants on every tenant require an admin of every tenant");
    }
    if (people_body_member(body, "nodegroup").length > 0 &&
        people_body_member(body, "cluster").length == 0) {
        return fault_at("nodegroup", "a nodegroup belongs to a cluster: set cluster as well", err);
    }
    if (people_body_member(body, "cluster").length > 0 && text_is(role, "admin")) {
        return fault_at("cluster",
                        "the role admin applies to a whole tenant; for one cluster grant "
                        "operator",
                        err);
    }
    return people_body_member(body, "cluster").length <= LIMIT_CLUSTER_NAME_BYTES ||
           fault_at("cluster", "the name is too long", err);
}

MUST_CHECK static bool grant_read(struct call *call, const struct doc *body,
                                  struct people_record *out, struct err *err)
{
    struct text user = people_body_member(body, "user");
    char id[RANDOM_ID_BYTES];
    struct doc_builder builder;
    struct doc spec;

    if (!grant_check(call, body, err) || !user_find(call, user, out, err)) {
        return false;
    }
    random_id(call->api->options.random, id);
    doc_builder_init(&builder, call->arena);
    people_body_text_put(&builder, "cluster", people_body_member(body, "cluster"));
    people_body_text_put(&builder, "nodegroup", people_body_member(body, "nodegroup"));
    people_body_text_put(&builder, "role", people_body_member(body, "role"));
    people_body_text_put(&builder, "tenant",
                         text_is(people_body_member(body, "tenant"), "*") ? TEXT("*")
                                                                          : call->actor.tenant);
    people_body_text_put(&builder, "user", user);
    spec = doc_builder_map(&builder, NULL);
    out->name = arena_text(call->arena, text_from(id));
    out->id =
        arena_printf(call->arena, "%.*s/%.*s/%s", TEXT_ARG(call->actor.tenant), TEXT_ARG(user), id);
    out->value = people_value(call, IDENTITY_GRANT, out->name, TEXT(""), &spec);
    return true;
}

bool people_read(struct call *call, enum identity_kind kind, struct people_record *out,
                 struct err *err)
{
    struct err_list errors;
    struct doc body;

    *out = (struct people_record){ 0 };
    err_list_init(&errors, call->arena);
    if (!body_read(call, &body, &errors)) {
        *err = errors.items[0];
        return false;
    }
    if (!people_body_members_check(&body, kind, err)) {
        return false;
    }
    switch (kind) {
    case IDENTITY_TOKEN:
        return people_body_token_read(call, &body, out, err);
    case IDENTITY_GRANT:
        return grant_read(call, &body, out, err);
    case IDENTITY_TENANT:
    case IDENTITY_USER:
    case IDENTITY_KIND_COUNT:
        break;
    }
    return people_body_named_read(call, kind, &body, out, err);
}
