#include "records/identity.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/time.h"
#include "codec/json.h"
#include "state/objects.h"

#include <assert.h>

const char *identity_kind_name(enum identity_kind kind)
{
    static const char *const names[IDENTITY_KIND_COUNT] = {
        [IDENTITY_TENANT] = "Tenant",
        [IDENTITY_USER] = "User",
        [IDENTITY_TOKEN] = "Token",
        [IDENTITY_GRANT] = "Grant",
    };

    assert(kind < IDENTITY_KIND_COUNT);
    return names[kind];
}

const struct cache_object *identity_find(const struct cache *cache, enum identity_kind kind,
                                         struct text id)
{
    const struct cache_object *object =
        cache_find(cache, TEXT(OBJECTS_SYSTEM_TENANT), text_from(identity_kind_name(kind)), id);

    return object != NULL && object->parts[CACHE_SPEC].bytes != NULL ? object : NULL;
}

static struct text identity_prefix_of(struct arena *arena, enum identity_kind kind,
                                      struct text id_prefix)
{
    return arena_printf(arena, "/" OBJECTS_SYSTEM_TENANT "/%s/%.*s", identity_kind_name(kind),
                        TEXT_ARG(id_prefix));
}

const struct cache_object *identity_first(struct arena *arena, const struct cache *cache,
                                          enum identity_kind kind, struct text id_prefix)
{
    struct text prefix = identity_prefix_of(arena, kind, id_prefix);
    const struct cache_object *object = cache_first(cache, prefix);

    while (object != NULL && object->parts[CACHE_SPEC].bytes == NULL) {
        object = cache_next(cache, prefix, object);
    }
    return object;
}

const struct cache_object *identity_next(struct arena *arena, const struct cache *cache,
                                         enum identity_kind kind, struct text id_prefix,
                                         const struct cache_object *object)
{
    struct text prefix = identity_prefix_of(arena, kind, id_prefix);

    do {
        object = cache_next(cache, prefix, object);
    } while (object != NULL && object->parts[CACHE_SPEC].bytes == NULL);
    return object;
}

/* Read the spec of a record; absent if it cannot be parsed. */
static struct doc identity_spec_read(struct arena *arena, const struct cache_object *object)
{
    struct text bytes = arena_text(arena, blob_text(object->parts[CACHE_SPEC].bytes));
    const struct doc *spec;
    struct doc whole;
    struct err err;

    if (!json_parse(arena, bytes, NULL, &whole, &err)) {
        return (struct doc){ 0 };
    }
    spec = doc_child(&whole, "spec");
    return spec == NULL ? (struct doc){ 0 } : *spec;
}

static struct text identity_text_of(const struct doc *doc, const char *key)
{
    const struct doc *value = doc_child(doc, key);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

/* True if the token itself has not expired. The tokens from which it was made are not checked. */
static bool is_in_time(const struct doc *spec, int64_t now_ms)
{
    struct text text = identity_text_of(spec, "expires");
    int64_t expires = TIME_MIN_MS;

    return text.length == 0 || (time_parse(text, &expires) && expires > now_ms);
}

/* True if the user of the token exists. A session that the Unix socket authenticates has no
 * user. */
static bool has_identity_user(struct arena *arena, const struct cache *cache,
                              const struct doc *spec)
{
    return text_is(identity_text_of(spec, "owner"), "true") ||
           identity_find(cache, IDENTITY_USER,
                         arena_printf(arena, "%.*s/%.*s",
                                      TEXT_ARG(identity_text_of(spec, "tenant")),
                                      TEXT_ARG(identity_text_of(spec, "user")))) != NULL;
}

/* True if all tokens from which this token was made, directly or indirectly, are valid and their
 * users exist. A token is valid only as long as these tokens are. */
static bool are_parents_there(struct arena *arena, const struct cache *cache, struct text id,
                              int64_t now_ms)
{
    for (size_t depth = 0; id.length > 0; depth++) {
        const struct cache_object *object = identity_first(arena, cache, IDENTITY_TOKEN, id);
        struct doc spec;

        if (object == NULL || depth == LIMIT_TOKEN_DEPTH) {
            return false;
        }
        spec = identity_spec_read(arena, object);
        if (!is_in_time(&spec, now_ms) || !has_identity_user(arena, cache, &spec)) {
            return false;
        }
        id = identity_text_of(&spec, "parent");
    }
    return true;
}

size_t identity_token_end(struct arena *arena, const struct cache *cache, struct text hash,
                          struct text *out_end)
{
    struct text id = text_slice(hash, 0, IDENTITY_TOKEN_ID);
    int64_t earliest = INT64_MAX;
    size_t depth = 0;

    *out_end = TEXT("");
    for (; id.length > 0 && depth < LIMIT_TOKEN_DEPTH; depth++) {
        const struct cache_object *object = identity_first(arena, cache, IDENTITY_TOKEN, id);
        struct doc spec;
        struct text text;
        int64_t end_ms = 0;

        if (object == NULL) {
            break;
        }
        spec = identity_spec_read(arena, object);
        text = identity_text_of(&spec, "expires");
        if (time_parse(text, &end_ms) && end_ms < earliest) {
            earliest = end_ms;
            *out_end = text;
        }
        id = identity_text_of(&spec, "parent");
    }
    return depth;
}

bool identity_find_token(struct arena *arena, const struct cache *cache, struct text hash,
                         int64_t now_ms, struct identity *out)
{
    const struct cache_object *object = identity_find(cache, IDENTITY_TOKEN, hash);
    struct doc spec;

    if (object == NULL) {
        return false;
    }
    spec = identity_spec_read(arena, object);
    if (!is_in_time(&spec, now_ms) ||
        !are_parents_there(arena, cache, identity_text_of(&spec, "parent"), now_ms)) {
        return false;
    }
    *out = (struct identity){
        .tenant = identity_text_of(&spec, "tenant"),
        .user = identity_text_of(&spec, "user"),
        .use = text_is(identity_text_of(&spec, "use"), "page") ? IDENTITY_PAGE : IDENTITY_PROGRAM,
        .is_owner = text_is(identity_text_of(&spec, "owner"), "true"),
    };
    return out->tenant.length > 0 && out->user.length > 0 && has_identity_user(arena, cache, &spec);
}

struct text identity_parent(struct arena *arena, const struct cache *cache, struct text hash)
{
    const struct cache_object *object = identity_find(cache, IDENTITY_TOKEN, hash);
    struct text parent;
    struct doc spec;

    if (object == NULL) {
        return TEXT("");
    }
    spec = identity_spec_read(arena, object);
    /* Only a session ends together with the token from which it was made. Other tokens do not. */
    parent = text_is(identity_text_of(&spec, "use"), "page") ? identity_text_of(&spec, "parent")
                                                             : TEXT("");
    return parent.length > 0 ? parent : arena_text(arena, text_slice(hash, 0, IDENTITY_TOKEN_ID));
}

size_t identity_grants(struct arena *arena, const struct cache *cache,
                       const struct identity *identity, struct identity_grant **out)
{
    struct text prefix =
        arena_printf(arena, "%.*s/%.*s/", TEXT_ARG(identity->tenant), TEXT_ARG(identity->user));
    struct identity_grant *grants = arena_array(arena, struct identity_grant, LIMIT_GRANTS);
    size_t count = 0;

    for (const struct cache_object *object = identity_first(arena, cache, IDENTITY_GRANT, prefix);
         object != NULL && count < LIMIT_GRANTS;
         object = identity_next(arena, cache, IDENTITY_GRANT, prefix, object)) {
        struct doc spec = identity_spec_read(arena, object);

        grants[count++] = (struct identity_grant){
            .role = identity_text_of(&spec, "role"),
            .cluster = identity_text_of(&spec, "cluster"),
            .nodegroup = identity_text_of(&spec, "nodegroup"),
            .is_everywhere = text_is(identity_text_of(&spec, "tenant"), "*"),
        };
    }
    *out = grants;
    return count;
}

bool identity_has_tenant(const struct cache *cache, struct text tenant)
{
    return text_is(tenant, IDENTITY_TENANT_DEFAULT) ||
           identity_find(cache, IDENTITY_TENANT, tenant) != NULL;
}

bool identity_is_empty(struct arena *arena, const struct cache *cache, struct text tenant)
{
    struct text prefix = arena_printf(arena, "/%.*s/", TEXT_ARG(tenant));
    struct text users = arena_printf(arena, "%.*s/", TEXT_ARG(tenant));

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        if (object->parts[CACHE_SPEC].bytes != NULL) {
            return false;
        }
    }
    return identity_first(arena, cache, IDENTITY_USER, users) == NULL;
}

static struct text identity_event_body(struct arena *arena, const struct identity_write *write)
{
    const char *what = write->value.length == 0 ? "deleted"
                       : write->revision == 0   ? "created"
                                                : "changed";
    struct doc_builder builder;
    struct doc body;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "actor", doc_text(write->actor, NULL));
    doc_builder_put(&builder, "kind", doc_text(text_from(identity_kind_name(write->kind)), NULL));
    doc_builder_put(&builder, "name", doc_text(write->name, NULL));
    doc_builder_put(&builder, "type", doc_text(arena_printf(arena, "identity.%s", what), NULL));
    body = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &body);
    return buf_text(&buf);
}

static struct text spec_key(struct arena *arena, const struct cache_object *object)
{
    return objects_key(arena, cache_tenant(object), cache_kind(object), cache_id(object),
                       CACHE_SPEC);
}

void identity_write(struct arena *arena, struct store *store, const struct identity_write *write,
                    store_done *done, void *arg)
{
    struct text key =
        objects_key(arena, TEXT(OBJECTS_SYSTEM_TENANT), text_from(identity_kind_name(write->kind)),
                    write->id, CACHE_SPEC);
    struct store_compare *compares =
        arena_array(arena, struct store_compare, write->gone_count + 3);
    struct store_op *ops = arena_array(arena, struct store_op, write->gone_count + 2);
    struct store_event event = {
        .cluster = arena_printf(arena, "%.*s/", TEXT_ARG(write->tenant)),
        .body = identity_event_body(arena, write),
        .time_ms = (uint64_t)write->now_ms,
    };
    struct store_txn txn = { compares, 0, ops, 0, &event, 1 };

    assert(write->gone_count <= LIMIT_IDENTITY_GONE);
    compares[txn.compare_count++] = (struct store_compare){ key, write->revision };
    ops[txn.op_count++] = (struct store_op){ key, write->value, write->value.length == 0 };
    if (write->needed != NULL) {
        compares[txn.compare_count++] =
            (struct store_compare){ spec_key(arena, write->needed),
                                    write->needed->parts[CACHE_SPEC].revision };
    }
    if (write->mark.length > 0) {
        compares[txn.compare_count++] = (struct store_compare){ .key = write->mark };
        ops[txn.op_count++] = (struct store_op){ .key = write->mark, .value = write->mark_value };
    }
    for (size_t i = 0; i < write->gone_count; i++) {
        struct text gone = spec_key(arena, write->gone[i]);

        compares[txn.compare_count++] =
            (struct store_compare){ gone, write->gone[i]->parts[CACHE_SPEC].revision };
        ops[txn.op_count++] = (struct store_op){ .key = gone, .is_delete = true };
    }
    store_txn(store, &txn, done, arg);
}
