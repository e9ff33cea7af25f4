#include "base/limits.h"
#include "base/time.h"
#include "change/show.h"
#include "codec/json.h"
#include "codec/json_member.h"
#include "model/nest.h"
#include "query/query_parts.h"

#include <assert.h>

/* A saved plan is a request and its inputs, kept until it is executed or expires:
 *
 *     /TENANT/Plan/ID/base               {"by","created","expires":MS,"id","needs","parts":N,"sums","why"}
 *     /TENANT/PlanPart/ID.000000/base    pieces of {"answer","pins","request"}
 *
 * Execution computes the same request again, and proceeds only if all pins are still valid. The
 * transaction of the change also marks the head as executed ("used": {"at","by"}). So a plan is
 * executed at most once, even if its result is changed later. */

enum { PIECE_BYTES = 200 * 1024 };

static struct doc plans_text_doc(struct text text)
{
    return doc_text(text, NULL);
}

static struct doc request_doc(struct mutation *mutation)
{
    const struct service_change *request = &mutation->request;
    struct arena *arena = mutation->arena;
    struct doc *takes = arena_array(arena, struct doc, request->take_count);
    struct doc_builder builder;

    for (size_t i = 0; i < request->take_count; i++) {
        takes[i] = plans_text_doc(request->takes[i]);
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "allowMissingPlugin", doc_bool(request->can_miss_plugins, NULL));
    doc_builder_put(&builder, "documents",
                    doc_list(request->documents, request->document_count, NULL));
    doc_builder_put(&builder, "mode", doc_int(arena, request->mode, NULL));
    doc_builder_put(&builder, "noPreflight", doc_bool(request->skips_preflight, NULL));
    doc_builder_put(&builder, "refreshFrom", doc_bool(request->is_refreshing_from, NULL));
    doc_builder_put(&builder, "supersede", doc_bool(request->supersedes, NULL));
    doc_builder_put(&builder, "takes", doc_list(takes, request->take_count, NULL));
    doc_builder_put(&builder, "why", plans_text_doc(request->why));
    return doc_builder_map(&builder, NULL);
}

static struct doc pins_doc(struct mutation *mutation)
{
    const struct change *change = &mutation->change;
    struct doc *items = arena_array(mutation->arena, struct doc, change->pin_count);

    for (size_t i = 0; i < change->pin_count; i++) {
        struct doc_builder builder;

        doc_builder_init(&builder, mutation->arena);
        doc_builder_put(&builder, "key", plans_text_doc(change->pins[i].key));
        doc_builder_put(&builder, "revision",
                        doc_int(mutation->arena, (int64_t)change->pins[i].revision, NULL));
        items[i] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, change->pin_count, NULL);
}

static struct text content_make(struct mutation *mutation)
{
    struct doc_builder builder;
    struct doc content;
    struct buf buf;

    doc_builder_init(&builder, mutation->arena);
    doc_builder_put(&builder, "answer", mutation_answer(mutation));
    doc_builder_put(&builder, "pins", pins_doc(mutation));
    doc_builder_put(&builder, "request", request_doc(mutation));
    content = doc_builder_map(&builder, NULL);
    buf_init(&buf, mutation->arena);
    json_format(&buf, &content);
    return buf_text(&buf);
}

static struct text head_make(struct mutation *mutation, size_t parts)
{
    const struct service_ports *ports = &mutation->service->ports;
    struct arena *arena = mutation->arena;
    struct doc answer = mutation_answer(mutation);
    struct doc_builder builder;
    struct doc head;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "by", plans_text_doc(mutation->actor.user));
    doc_builder_put(&builder, "created", plans_text_doc(service_now(mutation->service, arena)));
    doc_builder_put(
        &builder, "expires",
        doc_int(arena, ports->wall_ms(ports->arg) + (int64_t)LIMIT_PLAN_TTL_S * 1000, NULL));
    doc_builder_put(&builder, "id", plans_text_doc(mutation->plan_id));
    doc_builder_put(&builder, "needs", *doc_child(&answer, "needs"));
    doc_builder_put(&builder, "objects", *doc_child(&answer, "objects"));
    doc_builder_put(&builder, "parts", doc_int(arena, (int64_t)parts, NULL));
    doc_builder_put(&builder, "sums", *doc_child(&answer, "sums"));
    doc_builder_put(&builder, "why", plans_text_doc(mutation->request.why));
    head = doc_builder_map(&builder, NULL);
    if (json_count_bytes(&head) > LIMIT_RECORD_BYTES) { /* too many objects for one head */
        head = nest_put(arena, &head, "objects", (struct doc){ 0 });
    }
    buf_init(&buf, arena);
    json_format(&buf, &head);
    return buf_text(&buf);
}

static struct text piece_id(struct arena *arena, struct text id, size_t number)
{
    return arena_printf(arena, "%.*s.%06zu", TEXT_ARG(id), number);
}

void service_plan_store(struct mutation *mutation, commit_done *done, store_done *escaped)
{
    struct service *service = mutation->service;
    struct arena *arena = mutation->arena;
    struct text tenant = mutation->actor.tenant;
    struct store_op *ops;
    struct text content;
    size_t count;
    char id[37];

    service->ports.id_make(service->ports.arg, id);
    mutation->plan_id = arena_text(arena, text_slice(text_from(id), 0, 8));
    content = content_make(mutation);
    count = (content.length + PIECE_BYTES - 1) / PIECE_BYTES;
    ops = arena_array(arena, struct store_op, count + 1);
    for (size_t i = 0; i < count; i++) {
        ops[i] = (struct store_op){
            .key = objects_key(arena, tenant, TEXT("PlanPart"),
                               piece_id(arena, mutation->plan_id, i), CACHE_BASE),
            .value = text_slice(content, i * PIECE_BYTES, PIECE_BYTES),
        };
    }
    ops[count] = (struct store_op){
        .key = objects_key(arena, tenant, TEXT("Plan"), mutation->plan_id, CACHE_BASE),
        .value = head_make(mutation, count),
    };
    mutation->commit = (struct commit){
        .id = arena_text(arena, text_from(id)),
        .ops = ops,
        .op_count = count + 1,
    };
    (void)service_commit(service, arena, &mutation->actor, &mutation->commit, done, escaped,
                         mutation);
}

/* ---- reading a plan ---- */

static struct text part_bytes(const struct service *service, struct text tenant, struct text kind,
                              struct text id)
{
    const struct cache_object *object = cache_find(service->cache, tenant, kind, id);

    return object == NULL || object->parts[CACHE_BASE].bytes == NULL
               ? TEXT("")
               : blob_text(object->parts[CACHE_BASE].bytes);
}

static bool plans_number_get(const struct doc *doc, const char *key, int64_t *out)
{
    const struct doc *value = doc_child(doc, key);

    return doc_is_scalar(value) && text_parse_int64(value->text, out);
}

MUST_CHECK static bool plan_read(struct service *service, struct arena *arena,
                                 const struct service_actor *actor, struct text id, struct doc *out,
                                 struct err *err)
{
    struct text head = part_bytes(service, actor->tenant, TEXT("Plan"), id);
    struct doc doc = { 0 };
    int64_t expires = 0;
    int64_t parts = 0;
    struct buf buf;

    if (head.length == 0 || !json_parse(arena, arena_text(arena, head), NULL, &doc, err) ||
        !plans_number_get(&doc, "expires", &expires) || !plans_number_get(&doc, "parts", &parts) ||
        expires < service->ports.wall_ms(service->ports.arg)) {
        err_set(err, CODE_R0403, "there is no plan '%.*s'", TEXT_ARG(id));
        return err_hint(err, "plans are kept for %d hours", LIMIT_PLAN_TTL_S / 3600);
    }
    buf_init(&buf, arena);
    for (int64_t i = 0; i < parts; i++) {
        buf_add(&buf, part_bytes(service, actor->tenant, TEXT("PlanPart"),
                                 piece_id(arena, id, (size_t)i)));
    }
    return json_parse(arena, buf_text(&buf), NULL, out, err);
}

void service_plan_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, struct text id, service_done *done,
                      void *arg)
{
    struct doc content;
    struct err err;

    if (!plan_read(service, arena, actor, id, &content, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    service_report(service, arena, doc_child(&content, "answer"), done, arg);
}

/* ---- executing a plan ---- */

static struct mutation_pins *pins_read(struct arena *arena, const struct doc *list)
{
    struct mutation_pins *pins = arena_one(arena, struct mutation_pins);
    size_t count = doc_is_list(list) ? list->item_count : 0;
    struct store_compare *items = arena_array(arena, struct store_compare, count);

    for (size_t i = 0; i < count; i++) {
        const struct doc *key = doc_child(&list->items[i], "key");
        int64_t revision = 0;

        if (doc_is_scalar(key) && plans_number_get(&list->items[i], "revision", &revision)) {
            items[pins->count++] = (struct store_compare){ key->text, (uint64_t)revision };
        }
    }
    pins->items = items;
    return pins;
}

bool service_plan_is_unused(struct mutation *mutation, struct err *err)
{
    struct text id = mutation->used_id;
    struct text head = part_bytes(mutation->service, mutation->actor.tenant, TEXT("Plan"), id);
    const struct doc *used;
    struct doc doc;

    if (head.length == 0 ||
        !json_parse(mutation->arena, arena_text(mutation->arena, head), NULL, &doc, err)) {
        err_set(err, CODE_R0403, "there is no plan '%.*s'", TEXT_ARG(id));
        return err_hint(err, "make the plan again");
    }
    used = doc_child(&doc, "used");
    if (!doc_is_map(used)) {
        return true;
    }
    err_set(err, CODE_R0408, "plan '%.*s' was executed already, by %.*s at %.*s", TEXT_ARG(id),
            TEXT_ARG(mutation_text_of(used, "by")), TEXT_ARG(mutation_text_of(used, "at")));
    return err_hint(err, "make the plan again");
}

void service_plan_use(struct mutation *mutation, struct store_compare *out_compare,
                      struct store_op *out_op)
{
    struct arena *arena = mutation->work;
    const struct cache_object *object = cache_find(mutation->service->cache, mutation->actor.tenant,
                                                   TEXT("Plan"), mutation->used_id);
    struct doc_builder builder;
    struct doc doc = doc_map(NULL, 0, NULL);
    struct buf buf;
    struct err err;

    assert(object != NULL && object->parts[CACHE_BASE].bytes != NULL);
    (void)!json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)), NULL,
                      &doc, &err);
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "at", doc_text(service_now(mutation->service, arena), NULL));
    doc_builder_put(&builder, "by", doc_text(mutation->actor.user, NULL));
    doc = nest_put(arena, &doc, "used", doc_builder_map(&builder, NULL));
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    *out_compare = (struct store_compare){
        .key =
            objects_key(arena, mutation->actor.tenant, TEXT("Plan"), mutation->used_id, CACHE_BASE),
        .revision = object->parts[CACHE_BASE].revision,
    };
    *out_op = (struct store_op){ .key = out_compare->key, .value = buf_text(&buf) };
}

static struct service_change plans_request_read(struct arena *arena, const struct doc *doc)
{
    const struct doc *documents = doc_child(doc, "documents");
    const struct doc *takes = doc_child(doc, "takes");
    const struct doc *refresh = doc_child(doc, "refreshFrom");
    const struct doc *supersede = doc_child(doc, "supersede");
    const struct doc *missing = doc_child(doc, "allowMissingPlugin");
    const struct doc *why = doc_child(doc, "why");
    struct service_change change = { 0 };
    struct text *take_texts;
    int64_t mode = 0;

    if (plans_number_get(doc, "mode", &mode)) {
        change.mode = (enum change_mode)mode;
    }
    if (doc_is_list(documents)) {
        change.documents = documents->items;
        change.document_count = documents->item_count;
    }
    change.is_refreshing_from = doc_is_scalar(refresh) && text_is(refresh->text, "true");
    change.can_miss_plugins = doc_is_scalar(missing) && text_is(missing->text, "true");
    change.skips_preflight = doc_is_scalar(doc_child(doc, "noPreflight")) &&
                             text_is(doc_child(doc, "noPreflight")->text, "true");
    change.supersedes = doc_is_scalar(supersede) && text_is(supersede->text, "true");
    change.why = doc_is_scalar(why) ? why->text : TEXT("");
    change.take_count = doc_is_list(takes) ? takes->item_count : 0;
    take_texts = arena_array(arena, struct text, change.take_count);
    for (size_t i = 0; i < change.take_count; i++) {
        take_texts[i] = takes->items[i].text;
    }
    change.takes = take_texts;
    return change;
}

void service_plan_apply(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text id,
                        const struct service_change *requests, service_done *done, void *arg)
{
    struct service_change change;
    struct mutation *mutation;
    struct doc content;
    struct err err;

    if (!plan_read(service, arena, actor, id, &content, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    change = plans_request_read(arena, doc_child(&content, "request"));
    change.allow = requests->allow;
    change.supersedes = change.supersedes || requests->supersedes;
    change.idempotency_key = requests->idempotency_key;
    mutation = mutation_new(service, arena, actor, &change, done, arg);
    mutation->meaning = arena_printf(arena, "plan %.*s", TEXT_ARG(id));
    mutation->pins = pins_read(arena, doc_child(&content, "pins"));
    mutation->used_id = arena_text(arena, id);
    mutation_start(mutation);
}

/* ---- the list ---- */

static int64_t expires_of(const struct cache_object *object)
{
    struct text value;
    int64_t expires = 0;

    if (object->parts[CACHE_BASE].bytes == NULL ||
        !json_member_find(blob_text(object->parts[CACHE_BASE].bytes), TEXT("expires"), &value) ||
        !text_parse_int64(value, &expires)) {
        return 0;
    }
    return expires;
}

/* Format the head of a plan, with times in RFC 3339. */
static struct text plans_head_show(struct arena *arena, const struct cache_object *plan)
{
    static const struct text names[] = { TEXT("expires") };

    return show_times(arena, arena_text(arena, blob_text(plan->parts[CACHE_BASE].bytes)), names,
                      ARRAY_COUNT(names));
}

void service_plan_list(struct service *service, struct arena *arena,
                       const struct service_actor *actor, service_done *done, void *arg)
{
    struct text prefix = arena_printf(arena, "/%.*s/Plan/", TEXT_ARG(actor->tenant));
    int64_t now = service->ports.wall_ms(service->ports.arg);
    const struct cache_object *plan;
    struct doc *items;
    struct doc_builder builder;
    struct doc body;
    size_t count = 0;

    for (plan = cache_first(service->cache, prefix); plan != NULL;
         plan = cache_next(service->cache, prefix, plan)) {
        count++;
    }
    items = arena_array(arena, struct doc, count);
    count = 0;
    for (plan = cache_first(service->cache, prefix); plan != NULL;
         plan = cache_next(service->cache, prefix, plan)) {
        struct err err;

        if (expires_of(plan) > now &&
            json_parse(arena, plans_head_show(arena, plan), NULL, &items[count], &err)) {
            count++;
        }
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "items", doc_list(items, count, NULL));
    doc_builder_put(&builder, "revision",
                    doc_int(arena, (int64_t)cache_revision(service->cache), NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(service, arena, &body, done, arg);
}

/* ---- expired plans ---- */

struct sweep {
    struct service *service;
    struct arena *arena;
    struct store_op *ops;
    size_t count;
    int64_t now;
};

static void plans_op_add(struct sweep *sweep, const struct cache_object *object)
{
    if (sweep->count < LIMIT_SWEEP_KEYS) {
        sweep->ops[sweep->count++] = (struct store_op){
            .key = objects_key(sweep->arena, cache_tenant(object), cache_kind(object),
                               cache_id(object), CACHE_BASE),
            .is_delete = true,
        };
    }
}

static void swept(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct sweep *sweep = arg;

    (void)outcome; /* the next sweep removes what is left */
    (void)answer;
    sweep->service->is_sweeping = false;
    arena_free(sweep->arena);
}

/* Remove the pieces of a plan before its head, so that an interrupted sweep can continue. */
static void plan_pieces_add(struct sweep *sweep, const struct cache_object *plan)
{
    struct text prefix = arena_printf(sweep->arena, "/%.*s/PlanPart/%.*s.",
                                      TEXT_ARG(cache_tenant(plan)), TEXT_ARG(cache_id(plan)));
    const struct cache_object *piece;

    for (piece = cache_first(sweep->service->cache, prefix);
         piece != NULL && sweep->count < LIMIT_SWEEP_KEYS;
         piece = cache_next(sweep->service->cache, prefix, piece)) {
        plans_op_add(sweep, piece);
    }
    plans_op_add(sweep, plan);
}

/* True if a job of a deleted cluster has expired. For existing clusters, the controller removes old
 * jobs. */
static bool is_job_over(const struct sweep *sweep, const struct cache_object *object)
{
    struct text id = text_slice(cache_id(object), 0, text_find_byte(cache_id(object), '/'));
    struct text ended;
    int64_t ended_ms = 0;

    return object->parts[CACHE_STATUS].bytes != NULL &&
           service_cluster_name(sweep->service, sweep->arena, cache_tenant(object), id).length ==
               0 &&
           json_member_find(blob_text(object->parts[CACHE_STATUS].bytes), TEXT("ended"), &ended) &&
           text_parse_int64(ended, &ended_ms) &&
           sweep->now - ended_ms > (int64_t)LIMIT_JOB_KEPT_S * 1000;
}

static void expired_seen(void *arg, const struct cache_object *object)
{
    struct sweep *sweep = arg;

    if (text_is(cache_kind(object), "Job")) {
        if (sweep->count < LIMIT_SWEEP_KEYS && is_job_over(sweep, object)) {
            plans_op_add(sweep, object);
            sweep->ops[sweep->count - 1].key =
                objects_key(sweep->arena, cache_tenant(object), cache_kind(object),
                            cache_id(object), CACHE_STATUS);
        }
        return;
    }
    if (text_is(cache_kind(object), "Pass") && sweep->count < LIMIT_SWEEP_KEYS) {
        sweep->count +=
            service_passes_expire(sweep->service, sweep->arena, object, sweep->now,
                                  sweep->ops + sweep->count, LIMIT_SWEEP_KEYS - sweep->count);
        return;
    }
    if (expires_of(object) > sweep->now || sweep->count == LIMIT_SWEEP_KEYS) {
        return;
    }
    if (text_is(cache_kind(object), "Plan")) {
        plan_pieces_add(sweep, object);
    } else {
        plans_op_add(sweep, object);
    }
}

void service_sweep(struct service *service)
{
    static const char *const kinds[] = { "Plan", "Request", "Pass", "Job" };
    struct arena *arena;
    struct sweep *sweep;

    if (service->is_sweeping || !service_is_ready(service)) {
        return;
    }
    service->has_config_upgrades = true; /* a change may have failed because of the store */
    arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    sweep = arena_one(arena, struct sweep);
    *sweep = (struct sweep){ .service = service, .arena = arena };
    sweep->ops = arena_array(arena, struct store_op, LIMIT_SWEEP_KEYS);
    sweep->now = service->ports.wall_ms(service->ports.arg);
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        struct cache_scope scope = { .prefix = TEXT("/"), .kind = text_from(kinds[i]) };
        struct cache_page page = { 0 };
        struct err err;

        (void)!cache_list(service->cache, arena, &scope, &page, LIMIT_PAGE, expired_seen, sweep,
                          &err);
    }
    if (sweep->count == 0) {
        arena_free(arena);
        return;
    }
    service->is_sweeping = true;
    store_txn(service->store, &(struct store_txn){ .ops = sweep->ops, .op_count = sweep->count },
              swept, sweep);
}
