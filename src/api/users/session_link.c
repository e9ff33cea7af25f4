#include "api/request/handlers.h"
#include "api/users/session.h"
#include "base/limits.h"
#include "base/map.h"
#include "codec/json.h"
#include "page/page.h"
#include "state/objects.h"

/* public names start with: api_ session_ */

#define LINK_KIND "Link"

/* A login link that is being created. */
struct link_making {
    struct call *call;
    char secret[RANDOM_TOKEN_BYTES];
};

/* ---- reading ---- */

static struct text session_link_member(const struct doc *doc, const char *name)
{
    const struct doc *member = doc_child(doc, name);

    return doc_is_scalar(member) ? member->text : TEXT("");
}

static int64_t session_link_number(const struct doc *doc, const char *name)
{
    int64_t number = 0;

    return text_parse_int64(session_link_member(doc, name), &number) ? number : 0;
}

/* Reads a link. Returns false if the record cannot be parsed. */
static bool session_link_read(struct arena *arena, const struct cache_object *object,
                              struct doc *out)
{
    struct err err;

    return object->parts[CACHE_SPEC].bytes != NULL &&
           json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_SPEC].bytes)), NULL,
                      out, &err) &&
           doc_is_map(out);
}

const struct cache_object *session_link_find(const struct call *call, struct text secret,
                                             struct identity *out, struct text *out_parent)
{
    const struct api_options *options = &call->api->options;
    const struct cache_object *object;
    char hash[DIGEST_TEXT_BYTES];
    struct doc link;

    digest_sha256(secret, hash);
    object =
        cache_find(options->cache, TEXT(OBJECTS_SYSTEM_TENANT), TEXT(LINK_KIND), text_from(hash));
    if (object == NULL || !session_link_read(call->arena, object, &link) ||
        clock_wall_ms(options->clock) >= session_link_number(&link, "due")) {
        return NULL;
    }
    *out = (struct identity){ .tenant = session_link_member(&link, "tenant"),
                              .user = session_link_member(&link, "user"),
                              .is_owner = text_is(session_link_member(&link, "owner"), "true") };
    *out_parent = session_link_member(&link, "parent");
    return object;
}

struct text session_link_key(struct arena *arena, struct text secret)
{
    char hash[DIGEST_TEXT_BYTES];

    digest_sha256(secret, hash);
    return objects_key(arena, TEXT(OBJECTS_SYSTEM_TENANT), TEXT(LINK_KIND),
                       arena_text(arena, text_from(hash)), CACHE_SPEC);
}

void session_link_refuse(struct err *err)
{
    err_set(err, CODE_R0762, "this link was used already, or has expired");
    err_hint(err, "make another one: reeve ui");
}

/* ---- room ---- */

/* The links to remove to make room for a new one. */
struct link_room {
    const struct cache_object *gone[LIMIT_PAGE_LINKS_GONE];
    size_t gone_count;
    const struct cache_object *own; /* the oldest link of the user */
    size_t own_count;
    uint64_t own_revision;
    size_t count;
};

/* The links of one tenant. */
struct link_tenant {
    size_t count;
    const struct cache_object *oldest;
    uint64_t oldest_revision;
};

static void session_link_gone(struct link_room *room, const struct cache_object *object)
{
    if (object != NULL && room->gone_count < LIMIT_PAGE_LINKS_GONE) {
        room->gone[room->gone_count++] = object;
    }
}

/* Returns the revision at which a link was created. Links are ordered by it, because it also
 * distinguishes links of the same millisecond. */
static uint64_t session_link_revision(const struct cache_object *object)
{
    return object->parts[CACHE_SPEC].revision;
}

/* Counts a link for its tenant. */
static void session_link_tenant_note(struct map *tenants, struct arena *arena, struct text tenant,
                                     const struct cache_object *object)
{
    struct link_tenant *of = map_find(tenants, tenant);

    if (of == NULL) {
        of = arena_one(arena, struct link_tenant);
        map_put(tenants, arena_text(arena, tenant), of);
    }
    of->count++;
    if (of->oldest == NULL || session_link_revision(object) < of->oldest_revision) {
        of->oldest = object;
        of->oldest_revision = session_link_revision(object);
    }
}

/* Returns the oldest link of the tenant with the most links, so that one tenant cannot lock out
 * another. */
static const struct cache_object *session_link_most(const struct map *tenants)
{
    const struct link_tenant *most = NULL;

    for (const struct map_node *node = map_first(tenants, TEXT("")); node != NULL;
         node = map_after(tenants, node->key)) {
        const struct link_tenant *of = node->value;

        most = most == NULL || of->count > most->count ? of : most;
    }
    return most == NULL ? NULL : most->oldest;
}

/* Selects the links to remove: expired links; the oldest link of a user with LIMIT_PAGE_LINKS_USER;
 * and if there are LIMIT_PAGE_LINKS, the oldest link of the tenant with the most. */
static void session_link_room(const struct call *call, struct text tenant, struct link_room *room)
{
    AUTO(arena) scratch = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct map tenants;
    const struct cache *cache = call->api->options.cache;
    int64_t now_ms = clock_wall_ms(call->api->options.clock);
    struct text prefix = TEXT("/" OBJECTS_SYSTEM_TENANT "/" LINK_KIND "/");

    *room = (struct link_room){ .gone_count = 0 };
    map_init(&tenants, scratch);
    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        struct doc link;
        int64_t due_ms;

        if (object->parts[CACHE_SPEC].bytes == NULL) {
            continue;
        }
        due_ms = session_link_read(arena, object, &link) ? session_link_number(&link, "due") : 0;
        if (due_ms <= now_ms) {
            session_link_gone(room, object);
            continue;
        }
        room->count++;
        session_link_tenant_note(&tenants, scratch, session_link_member(&link, "tenant"), object);
        if (text_is_equal(session_link_member(&link, "user"), call->actor.user) &&
            text_is_equal(session_link_member(&link, "tenant"), tenant)) {
            room->own_count++;
            if (room->own == NULL || session_link_revision(object) < room->own_revision) {
                room->own = object;
                room->own_revision = session_link_revision(object);
            }
        }
    }
    if (room->own_count >= LIMIT_PAGE_LINKS_USER) {
        session_link_gone(room, room->own);
    } else if (room->count >= LIMIT_PAGE_LINKS) {
        session_link_gone(room, session_link_most(&tenants));
    }
}

/* ---- making ---- */

static struct text session_link_format(const struct call *call, struct text tenant, bool is_owner)
{
    const struct api_options *options = &call->api->options;
    struct text parent = call->token_hash.length == 0
                             ? TEXT("")
                             : identity_parent(call->arena, options->cache, call->token_hash);
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "due",
                    doc_int(call->arena, clock_wall_ms(options->clock) + LIMIT_PAGE_LINK_MS, NULL));
    doc_builder_put(&builder, "owner", doc_bool(is_owner, NULL));
    doc_builder_put(&builder, "parent", doc_text(parent, NULL));
    doc_builder_put(&builder, "tenant", doc_text(tenant, NULL));
    doc_builder_put(&builder, "user", doc_text(call->actor.user, NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, call->arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* Answers with the link. This manager's cache contains it, so it can be used here, and soon at
 * every other manager. */
static void session_link_report(struct call *call)
{
    const struct link_making *making = call->state;
    const struct api_options *options = &call->api->options;
    struct doc_builder builder;
    struct doc body;

    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "address", doc_text(options->page_address, NULL));
    doc_builder_put(&builder, "link", doc_text(text_from(making->secret), NULL));
    doc_builder_put(&builder, "page", doc_bool(page_is_there(), NULL));
    doc_builder_put(&builder, "public", doc_bool(options->public_origin.length > 0, NULL));
    doc_builder_put(&builder, "seconds", doc_int(call->arena, LIMIT_PAGE_LINK_MS / 1000, NULL));
    body = doc_builder_map(&builder, NULL);
    call_report(call, 201, &body);
}

static void session_link_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct link_making *making = arg;
    struct call *call = making->call;
    struct err err = answer->err;

    if (outcome == OUTCOME_OK) {
        call->wanted = answer->revision;
        call->run = session_link_report;
        call_wait(call);
        return;
    }
    if (outcome == OUTCOME_UNKNOWN) {
        err_set(&err, CODE_R0542, "the link may not have been stored: try again");
    }
    call_refuse(call, &err);
}

void api_link_make(struct call *call)
{
    struct link_making *making = arena_one(call->arena, struct link_making);
    /* a request over the unix socket, or with a session that was created through it */
    bool is_owner = call->identity.user.length == 0;
    struct text tenant = is_owner ? TEXT(IDENTITY_TENANT_DEFAULT) : call->identity.tenant;
    struct store_op *ops = arena_array(call->arena, struct store_op, LIMIT_PAGE_LINKS_GONE + 1);
    struct store_txn txn = { .ops = ops };
    struct link_room room;

    *making = (struct link_making){ .call = call };
    random_token(call->api->options.random, making->secret);
    call->state = making;
    ops[txn.op_count++] = (struct store_op){
        .key = session_link_key(call->arena, text_from(making->secret)),
        .value = session_link_format(call, tenant, is_owner),
    };
    session_link_room(call, tenant, &room);
    for (size_t i = 0; i < room.gone_count; i++) {
        ops[txn.op_count++] = (struct store_op){
            .key = objects_key(call->arena, TEXT(OBJECTS_SYSTEM_TENANT), TEXT(LINK_KIND),
                               arena_text(call->arena, cache_id(room.gone[i])), CACHE_SPEC),
            .is_delete = true,
        };
    }
    store_txn(call->api->options.store, &txn, session_link_written, making);
}
