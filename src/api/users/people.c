#include "api/users/people.h"

#include "api/request/body.h"
#include "api/request/handlers.h"
#include "base/limits.h"
#include "change/show.h"
#include "codec/json.h"
#include "codec/json_member.h"
#include "state/objects.h"

#include <assert.h>

/* Routes for tenants, users, tokens and grants, which share one implementation. */

struct writing {
    struct call *call;
    struct people_record record;
    unsigned status;
};

/* ---- reading ---- */

/* Returns the common prefix of the ids (after /_/KIND/) that this call may see. */
static struct text people_prefix_of(const struct call *call, enum identity_kind kind)
{
    return kind == IDENTITY_TENANT || kind == IDENTITY_TOKEN
               ? TEXT("")
               : arena_printf(call->arena, "%.*s/", TEXT_ARG(call->actor.tenant));
}

static struct text spec_text(const struct call *call, const struct cache_object *object,
                             const char *key)
{
    struct text bytes = arena_text(call->arena, blob_text(object->parts[CACHE_SPEC].bytes));
    const struct doc *value = NULL;
    struct doc whole;
    struct err err;

    if (json_parse(call->arena, bytes, NULL, &whole, &err)) {
        value = doc_child(doc_child(&whole, "spec"), key);
    }
    return doc_is_scalar(value) ? value->text : TEXT("");
}

/* Returns whether the call may see this object. Tokens of all tenants are stored together: an admin
 * sees those of the tenant, other users only their own. */
static bool is_people_visible(const struct call *call, enum identity_kind kind,
                              const struct cache_object *object)
{
    if (kind != IDENTITY_TOKEN) {
        return true;
    }
    if (!text_is_equal(spec_text(call, object, "tenant"), call->actor.tenant)) {
        return false;
    }
    return call->role >= ROUTE_ADMIN ||
           (text_is_equal(call->identity.tenant, call->actor.tenant) &&
            text_is_equal(spec_text(call, object, "user"), call->identity.user));
}

/* Returns the marker between two pages of a list. It never contains the whole hash of a token. */
static struct text people_place_of(enum identity_kind kind, struct text prefix,
                                   const struct cache_object *object)
{
    return kind == IDENTITY_TOKEN
               ? text_slice(cache_id(object), 0, IDENTITY_TOKEN_ID)
               : text_slice(cache_id(object), prefix.length, cache_id(object).length);
}

struct people_page {
    enum identity_kind kind;
    struct text prefix;
    /* Marker at the end of the previous page; empty: this is the first page. */
    struct text behind;
    /* Marker at the end of this page if more pages follow; otherwise empty. */
    struct text end;
    size_t limit;
};

static void people_items_add(struct call *call, struct people_page *page, struct buf *buf)
{
    const struct cache *cache = call->api->options.cache;
    struct text last = TEXT("");
    size_t count = 0;

    for (const struct cache_object *object =
             identity_first(call->arena, cache, page->kind, page->prefix);
         object != NULL;
         object = identity_next(call->arena, cache, page->kind, page->prefix, object)) {
        struct text place = people_place_of(page->kind, page->prefix, object);

        if (text_compare(place, page->behind) <= 0 ||
            !is_people_visible(call, page->kind, object)) {
            continue;
        }
        if (count == page->limit) {
            page->end = last;
            return;
        }
        buf_add_string(buf, count++ == 0 ? "" : ",");
        show_object(buf, cache, object, true);
        last = place;
    }
}

static void people_list(struct call *call, enum identity_kind kind)
{
    struct people_page page = { .kind = kind,
                                .prefix = people_prefix_of(call, kind),
                                .behind = call_parameter(call, "next") };
    uint64_t limit = 0;
    struct buf buf;
    struct err err;

    if (!call_number(call, "limit", &limit, &err)) {
        call_refuse(call, &err);
        return;
    }
    page.limit = limit == 0 || limit > LIMIT_PAGE ? LIMIT_PAGE : (size_t)limit;
    buf_init(&buf, call->arena);
    buf_add_string(&buf, "{\"items\":[");
    people_items_add(call, &page, &buf);
    buf_add_string(&buf, "]");
    if (page.end.length > 0) {
        struct doc token = doc_text(page.end, NULL);

        buf_add_string(&buf, ",\"next\":");
        json_format(&buf, &token);
    }
    buf_printf(&buf, ",\"revision\":%llu}",
               (unsigned long long)cache_revision(call->api->options.cache));
    call_answer(call, 200, "application/json", buf_text(&buf));
}

/* Finds the record in the path; NULL: it does not exist, or the caller may not see it. */
static const struct cache_object *people_people_find(struct call *call, enum identity_kind kind)
{
    const struct cache *cache = call->api->options.cache;
    struct text prefix = people_prefix_of(call, kind);
    struct text id = arena_printf(call->arena, "%.*s%.*s", TEXT_ARG(prefix), TEXT_ARG(call->name));
    const struct cache_object *object;

    if (kind == IDENTITY_TENANT || kind == IDENTITY_USER) {
        return identity_find(cache, kind, id);
    }
    /* "self" is too short to be an id */
    if (kind == IDENTITY_TOKEN && text_is(call->name, "self")) {
        return call->token_hash.length == 0 ? NULL : identity_find(cache, kind, call->token_hash);
    }
    if (kind == IDENTITY_TOKEN) { /* a token is found by the beginning of its hash */
        object = call->name.length != IDENTITY_TOKEN_ID
                     ? NULL
                     : identity_first(call->arena, cache, kind, call->name);
        return object != NULL && is_people_visible(call, kind, object) ? object : NULL;
    }
    for (object = identity_first(call->arena, cache, kind, prefix); object != NULL;
         object = identity_next(call->arena, cache, kind, prefix, object)) {
        size_t slash = text_find_byte(text_slice(cache_id(object), prefix.length, SIZE_MAX), '/');

        if (text_is_equal(text_slice(cache_id(object), prefix.length + slash + 1, SIZE_MAX),
                          call->name)) {
            return object;
        }
    }
    return NULL;
}

static void unfound_refuse(struct call *call, enum identity_kind kind)
{
    struct err err;

    err_set(&err, CODE_R0403, "there is no %s '%.*s'",
            schema_kind_find(text_from(identity_kind_name(kind)))->singular, TEXT_ARG(call->name));
    if (kind == IDENTITY_TOKEN && text_is(call->name, "self")) {
        err_hint(
            &err,
            "this request has no token that could be revoked; send it with the token to revoke");
    }
    call_refuse(call, &err);
}

static void people_get(struct call *call, enum identity_kind kind)
{
    const struct cache_object *object = people_people_find(call, kind);
    struct buf buf;

    if (object == NULL) {
        unfound_refuse(call, kind);
        return;
    }
    buf_init(&buf, call->arena);
    show_object(&buf, call->api->options.cache, object, true);
    call_answer(call, 200, "application/json", buf_text(&buf));
}

/* ---- writing ---- */

/* Answers after the cache has the change. */
static void people_report(struct call *call)
{
    struct writing *writing = call->state;
    struct text value = writing->record.value;
    struct buf buf;

    buf_init(&buf, call->arena);
    if (value.length == 0) {
        buf_add_string(&buf, "{\"changed\":true}");
    } else {
        buf_add(&buf, text_slice(value, 0, value.length - 1));
        if (writing->record.token != NULL) {
            buf_printf(&buf, ",\"token\":\"%s\"", writing->record.token);
        }
        buf_add_string(&buf, "}");
    }
    call_answer(call, writing->status, "application/json", buf_text(&buf));
}

static void people_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct writing *writing = arg;
    struct call *call = writing->call;
    struct err err = answer->err;

    if (outcome == OUTCOME_OK) {
        call->wanted = answer->revision;
        call->run = people_report;
        call_wait(call);
        return;
    }
    if (outcome == OUTCOME_UNKNOWN) {
        err_set(&err, CODE_R0542, "it is unknown whether the change was made");
    } else if (err.code == CODE_R0502 && writing->status == 201 && answer->failed_compare == 0) {
        err_set(&err, CODE_R0402, "'%.*s' already exists", TEXT_ARG(writing->record.name));
    }
    call_refuse(call, &err);
}

static void people_write(struct writing *writing, struct identity_write *write)
{
    struct call *call = writing->call;

    call->state = writing;
    write->tenant = write->tenant.length > 0 ? write->tenant : call->actor.tenant;
    write->actor = call->actor.user;
    write->now_ms = clock_wall_ms(call->api->options.clock);
    identity_write(call->arena, call->api->options.store, write, people_written, writing);
}

static struct writing *writing_new(struct call *call, unsigned status)
{
    struct writing *writing = arena_one(call->arena, struct writing);

    *writing = (struct writing){ .call = call, .status = status };
    return writing;
}

/* ---- requests that may be repeated ---- */

static struct text request_hash(const struct call *call, enum identity_kind kind)
{
    return arena_printf(call->arena, "%016llx",
                        (unsigned long long)text_hash(call->request->body, (uint64_t)kind));
}

/* Answers a request that was repeated with the same idempotency key like the first one. A token is
 * returned only once and never stored in clear text, so the repeated answer has only its name. */
static bool is_people_repeated(struct call *call, enum identity_kind kind, struct text key)
{
    const struct cache_object *mark =
        key.length == 0
            ? NULL
            : cache_find(call->api->options.cache, call->actor.tenant, TEXT("Request"), key);
    struct text answer;
    struct text hash;
    struct err err;

    if (mark == NULL || mark->parts[CACHE_BASE].bytes == NULL ||
        !json_member_find(blob_text(mark->parts[CACHE_BASE].bytes), TEXT("answer"), &answer) ||
        !json_member_find(blob_text(mark->parts[CACHE_BASE].bytes), TEXT("hash"), &hash)) {
        return false;
    }
    if (!text_is_equal(text_slice(hash, 1, hash.length - 2), request_hash(call, kind))) {
        err_set(&err, CODE_R0412, "this Idempotency-Key was used for another request");
        err_hint(&err, "use a new key for each request, and the same key only to repeat a "
                       "request");
    } else if (kind == IDENTITY_TOKEN) {
        err_set(&err, CODE_R0402, "this request has already created its token");
        err_hint(
            &err,
            "a token is shown once: revoke that one (GET /v1/tokens) and make another with a new key");
    } else {
        call_answer(call, 201, "application/json", arena_text(call->arena, answer));
        return true;
    }
    call_refuse(call, &err);
    return true;
}

static void people_mark_make(struct call *call, enum identity_kind kind, struct text key,
                             struct identity_write *write)
{
    int64_t expires = clock_wall_ms(call->api->options.clock) + (int64_t)LIMIT_REQUEST_TTL_S * 1000;

    if (key.length > 0) {
        write->mark =
            objects_key(call->arena, call->actor.tenant, TEXT("Request"), key, CACHE_BASE);
        write->mark_value =
            arena_printf(call->arena, "{\"answer\":%.*s,\"expires\":%lld,\"hash\":\"%.*s\"}",
                         TEXT_ARG(kind == IDENTITY_TOKEN ? TEXT("{}") : write->value),
                         (long long)expires, TEXT_ARG(request_hash(call, kind)));
    }
}

static void people_make(struct call *call, enum identity_kind kind)
{
    struct writing *writing = writing_new(call, 201);
    struct identity_write write = { .kind = kind };
    struct service_change requests = { 0 };
    struct err err;

    if (!body_requests(call, &requests, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (is_people_repeated(call, kind, requests.idempotency_key)) {
        return;
    }
    if (!people_read(call, kind, &writing->record, &err)) {
        call_refuse(call, &err);
        return;
    }
    write.id = writing->record.id;
    write.value = writing->record.value;
    write.name = writing->record.name;
    write.needed = writing->record.needed;
    people_mark_make(call, kind, requests.idempotency_key, &write);
    people_write(writing, &write);
}

/* Returns whether this user may act in every tenant. */
static bool is_people_owner(const struct call *call, struct text user)
{
    struct identity identity = { call->actor.tenant, user };
    struct identity_grant *grants;
    size_t count = identity_grants(call->arena, call->api->options.cache, &identity, &grants);

    for (size_t i = 0; i < count; i++) {
        if (grants[i].is_everywhere) {
            return true;
        }
    }
    return false;
}

/* Checks that an admin of one tenant removes nothing that belongs to a user who may act in every
 * tenant: neither the user, nor a grant, nor a token. Every user may revoke own tokens. */
MUST_CHECK static bool owner_check(const struct call *call, struct text user, struct err *err)
{
    bool is_own = text_is_equal(call->identity.tenant, call->actor.tenant) &&
                  text_is_equal(call->identity.user, user);

    if (call->role >= ROUTE_OWNER || is_own || !is_people_owner(call, user)) {
        return true;
    }
    err_set(err, CODE_R0409, "user '%.*s' has rights in every tenant, but you do not",
            TEXT_ARG(user));
    return err_hint(err, "an admin of every tenant can do it");
}

static bool is_people_among(const struct cache_object *const *items, size_t count,
                            const struct cache_object *object)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i] == object) {
            return true;
        }
    }
    return false;
}

/* Finds the tokens that were created with this one, directly or indirectly, to delete all of them.
 * At most LIMIT_IDENTITY_GONE are deleted; the others stay in the store but are invalid without
 * their parent. */
static size_t children_find(const struct call *call, const struct cache_object *token,
                            const struct cache_object **out)
{
    const struct cache *cache = call->api->options.cache;
    struct text id = text_slice(cache_id(token), 0, IDENTITY_TOKEN_ID);
    size_t count = 0;
    size_t next = 0;

    for (;;) {
        for (const struct cache_object *object =
                 identity_first(call->arena, cache, IDENTITY_TOKEN, TEXT(""));
             object != NULL && count < LIMIT_IDENTITY_GONE;
             object = identity_next(call->arena, cache, IDENTITY_TOKEN, TEXT(""), object)) {
            if (object != token && text_is_equal(spec_text(call, object, "parent"), id) &&
                !is_people_among(out, count, object)) {
                out[count++] = object;
            }
        }
        if (next == count) {
            return count;
        }
        id = text_slice(cache_id(out[next++]), 0, IDENTITY_TOKEN_ID);
    }
}

static void people_delete(struct call *call, enum identity_kind kind)
{
    const struct cache_object *object = people_people_find(call, kind);
    const struct cache_object *gone[LIMIT_IDENTITY_GONE];
    struct identity_write write = { .kind = kind, .name = call->name, .gone = gone };
    struct err err;

    if (object == NULL) {
        unfound_refuse(call, kind);
        return;
    }
    if (kind == IDENTITY_TENANT &&
        !identity_is_empty(call->arena, call->api->options.cache, call->name)) {
        err_set(&err, CODE_R0404, "the tenant '%.*s' is not empty", TEXT_ARG(call->name));
        err_hint(&err, "delete its objects and users first");
        call_refuse(call, &err);
        return;
    }
    if ((kind == IDENTITY_TOKEN || kind == IDENTITY_GRANT) &&
        !owner_check(call, spec_text(call, object, "user"), &err)) {
        call_refuse(call, &err);
        return;
    }
    write.id = arena_text(call->arena, cache_id(object));
    write.revision = object->parts[CACHE_SPEC].revision;
    if (kind == IDENTITY_TOKEN) { /* the answer for "self" has its own name and tenant */
        write.name = text_slice(write.id, 0, IDENTITY_TOKEN_ID);
        write.tenant = spec_text(call, object, "tenant");
        write.gone_count = children_find(call, object, gone);
    }
    people_write(writing_new(call, 200), &write);
}

/* Finds the tokens and grants of a user. Those beyond LIMIT_IDENTITY_GONE are counted but not
 * returned. */
static size_t owned_find(struct call *call, const struct cache_object **out)
{
    const struct cache *cache = call->api->options.cache;
    struct text prefix =
        arena_printf(call->arena, "%.*s/%.*s/", TEXT_ARG(call->actor.tenant), TEXT_ARG(call->name));
    const struct cache_object *object;
    size_t count = 0;

    for (object = identity_first(call->arena, cache, IDENTITY_GRANT, prefix);
         object != NULL && count <= LIMIT_IDENTITY_GONE;
         object = identity_next(call->arena, cache, IDENTITY_GRANT, prefix, object)) {
        out[count++] = object;
    }
    for (object = identity_first(call->arena, cache, IDENTITY_TOKEN, TEXT(""));
         object != NULL && count <= LIMIT_IDENTITY_GONE;
         object = identity_next(call->arena, cache, IDENTITY_TOKEN, TEXT(""), object)) {
        if (text_is_equal(spec_text(call, object, "tenant"), call->actor.tenant) &&
            text_is_equal(spec_text(call, object, "user"), call->name)) {
            out[count++] = object;
        }
    }
    return count;
}

/* ---- routes ---- */

void api_user_delete(struct call *call)
{
    const struct cache_object *object = people_people_find(call, IDENTITY_USER);
    const struct cache_object *gone[LIMIT_IDENTITY_GONE + 1];
    struct identity_write write = { .kind = IDENTITY_USER, .name = call->name, .gone = gone };
    struct err err;

    if (object == NULL) {
        unfound_refuse(call, IDENTITY_USER);
        return;
    }
    if (!owner_check(call, call->name, &err)) {
        call_refuse(call, &err);
        return;
    }
    write.gone_count = owned_find(call, gone);
    if (write.gone_count > LIMIT_IDENTITY_GONE) {
        err_set(&err, CODE_R0404, "'%.*s' has more than %d tokens and grants", TEXT_ARG(call->name),
                LIMIT_IDENTITY_GONE);
        err_hint(&err, "revoke some of them first");
        call_refuse(call, &err);
        return;
    }
    write.id = arena_text(call->arena, cache_id(object));
    write.revision = object->parts[CACHE_SPEC].revision;
    people_write(writing_new(call, 200), &write);
}

void api_tenants(struct call *call)
{
    people_list(call, IDENTITY_TENANT);
}

void api_tenant_make(struct call *call)
{
    people_make(call, IDENTITY_TENANT);
}

void api_tenant_get(struct call *call)
{
    people_get(call, IDENTITY_TENANT);
}

void api_tenant_delete(struct call *call)
{
    people_delete(call, IDENTITY_TENANT);
}

void api_users(struct call *call)
{
    people_list(call, IDENTITY_USER);
}

void api_user_make(struct call *call)
{
    people_make(call, IDENTITY_USER);
}

void api_user_get(struct call *call)
{
    people_get(call, IDENTITY_USER);
}

void api_tokens(struct call *call)
{
    people_list(call, IDENTITY_TOKEN);
}

void api_token_make(struct call *call)
{
    people_make(call, IDENTITY_TOKEN);
}

void api_token_delete(struct call *call)
{
    people_delete(call, IDENTITY_TOKEN);
}

void api_grants(struct call *call)
{
    people_list(call, IDENTITY_GRANT);
}

void api_grant_make(struct call *call)
{
    people_make(call, IDENTITY_GRANT);
}

void api_grant_delete(struct call *call)
{
    people_delete(call, IDENTITY_GRANT);
}
