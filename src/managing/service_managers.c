#include "codec/doc_child.h"
#include "codec/json.h"
#include "managing/managing_parts.h"
#include "state/objects.h"

/* public names start with: service_ manager_drain_ */

/* Shows the managers of the store and changes whether each of them reconciles clusters (drain). */

void service_managers(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_managers_query *query,
                      service_done *done, void *arg)
{
    const struct service_controller *reconciler = &service->reconciler;
    struct service_managers_query whole = *query;
    struct doc_builder builder;
    struct doc shown;
    struct err err;

    whole.tenant = actor->tenant;
    shown = reconciler->managers_show == NULL
                ? doc_map(NULL, 0, NULL)
                : reconciler->managers_show(reconciler->arg, arena, &whole);
    if (!doc_is_list(doc_child(&shown, "items"))) {
        err_set(&err, CODE_R0548,
                "this manager reconciles no clusters, and does not know the other managers");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < shown.entry_count; i++) {
        doc_builder_add(&builder, &shown.entries[i]);
    }
    doc_builder_put(&builder, "revision",
                    doc_int(arena, (int64_t)cache_revision(service->cache), NULL));
    shown = doc_builder_map(&builder, NULL);
    service_report(service, arena, &shown, done, arg);
}

/* ---- drain ---- */

enum { MANAGER_DRAIN_COMPARES = 64 };

struct manager_drain {
    struct service *service;
    struct arena *arena;
    struct doc answer;
    service_done *done;
    void *arg;
};

static void manager_drain_written(void *arg, enum outcome outcome,
                                  const struct store_answer *answer)
{
    const struct manager_drain *drain = arg;

    struct err err = answer->err;

    if (outcome != OUTCOME_OK) {
        if (err.code == CODE_R0502) {
            err_hint(
                &err,
                "another manager was drained or undrained in the meantime: repeat the command");
        }
        service_refuse(drain->service, drain->arena, &err, drain->done, drain->arg);
        return;
    }
    service_report(drain->service, drain->arena, &drain->answer, drain->done, drain->arg);
}

const struct cache_object *service_manager_find(const struct service *service, struct arena *arena,
                                                struct text name)
{
    struct text prefix = TEXT("/" OBJECTS_SYSTEM_TENANT "/Manager/");

    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        struct doc status;
        struct err err;

        if (object->parts[CACHE_STATUS].bytes != NULL &&
            (text_is_equal(cache_id(object), name) ||
             (json_parse(arena, blob_text(object->parts[CACHE_STATUS].bytes), NULL, &status,
                         &err) &&
              text_is_equal(doc_child_text(&status, "name"), name)))) {
            return object;
        }
    }
    return NULL;
}

/* True if an operator has drained the manager with this id. */
static bool manager_drain_is_on(const struct service *service, struct arena *arena, struct text id)
{
    const struct cache_object *object =
        cache_find(service->cache, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Manager"), id);
    struct doc spec;
    struct err err;

    return object != NULL && object->parts[CACHE_SPEC].bytes != NULL &&
           json_parse(arena, blob_text(object->parts[CACHE_SPEC].bytes), NULL, &spec, &err) &&
           text_is(doc_child_text(&spec, "drain"), "true");
}

bool service_manager_others_check(struct service *service, struct arena *arena, struct text tenant,
                                  struct text id, struct text name, struct err *err)
{
    const struct service_controller *reconciler = &service->reconciler;
    struct service_managers_query query = { .tenant = tenant };
    struct doc shown;
    const struct doc *items;

    if (reconciler->managers_show == NULL) {
        return true;
    }
    shown = reconciler->managers_show(reconciler->arg, arena, &query);
    items = doc_child(&shown, "items");
    if (!doc_is_list(items)) {
        return true; /* this process has no data about other managers, so it cannot check them */
    }
    for (size_t i = 0; i < items->item_count; i++) {
        struct text other = doc_child_text(&items->items[i], "id");
        struct text state = doc_child_text(&items->items[i], "state");

        /* after an undrain, the displayed state of a manager changes later than its object in the
         * store */
        if ((text_is(state, "live") || text_is(state, "draining") || text_is(state, "drained")) &&
            !text_is_equal(other, id) && !manager_drain_is_on(service, arena, other)) {
            return true;
        }
    }
    err_set(err, CODE_R0581, "no other live manager can take the clusters of '%.*s'",
            TEXT_ARG(name));
    return err_hint(err, "start another manager of this store, or undrain one: reeve manager "
                         "status");
}

/* Make the compares of a drain. They ensure that no other manager is drained or undrained at the
 * same time. Otherwise two requests could drain the last two managers. */
static size_t manager_drain_compares(const struct service *service, struct arena *arena,
                                     struct store_compare *out, size_t room)
{
    struct text prefix = TEXT("/" OBJECTS_SYSTEM_TENANT "/Manager/");
    size_t count = 0;

    for (const struct cache_object *object = cache_first(service->cache, prefix);
         object != NULL && count < room; object = cache_next(service->cache, prefix, object)) {
        out[count++] =
            (struct store_compare){ objects_key(arena, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Manager"),
                                                cache_id(object), CACHE_SPEC),
                                    object->parts[CACHE_SPEC].revision };
    }
    return count;
}

static struct text manager_drain_format(const struct service *service, struct arena *arena,
                                        const struct service_actor *actor,
                                        const struct service_manager_drain *drain)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "at",
                    doc_int(arena, service->ports.wall_ms(service->ports.arg), NULL));
    doc_builder_put(&builder, "by", doc_text(actor->user, NULL));
    doc_builder_put(&builder, "drain", doc_bool(drain->is_draining, NULL));
    if (drain->is_leaving) {
        doc_builder_put(&builder, "leave", doc_bool(true, NULL));
    }
    if (drain->message.length > 0) {
        doc_builder_put(&builder, "message", doc_text(drain->message, NULL));
    }
    doc_builder_put(&builder, "name", doc_text(drain->name, NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

void service_manager_order(struct service *service, struct arena *arena,
                           const struct service_actor *actor,
                           const struct service_manager_drain *drain,
                           const struct cache_object *object, service_done *done, void *arg)
{
    struct manager_drain *request = arena_one(arena, struct manager_drain);
    struct doc_builder builder;
    struct store_compare compares[MANAGER_DRAIN_COMPARES];
    struct store_event event;
    struct store_txn txn = { .compares = compares, .op_count = 1, .event_count = 1 };
    struct store_op op;

    doc_builder_init(&builder, arena);
    if (!drain->is_leaving) {
        doc_builder_put(&builder, "drain", doc_bool(drain->is_draining, NULL));
    }
    doc_builder_put(&builder, "name", doc_text(drain->name, NULL));
    if (drain->is_leaving) {
        doc_builder_put(&builder, "state", doc_text(TEXT("leaving"), NULL));
    }
    *request = (struct manager_drain){ service, arena, doc_builder_map(&builder, NULL), done, arg };
    op = (struct store_op){ .key = objects_key(arena, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Manager"),
                                               cache_id(object), CACHE_SPEC),
                            .value = manager_drain_format(service, arena, actor, drain) };
    event =
        service_event(service, arena, actor,
                      &(struct service_event){ .type = drain->is_leaving    ? "manager.leaving"
                                                       : drain->is_draining ? "manager.draining"
                                                                            : "manager.undrained",
                                               .fact = drain->name,
                                               .why = drain->message });
    /* the object belongs to the system tenant, which is not in the scope of any user */
    txn.compare_count = manager_drain_compares(service, arena, compares, MANAGER_DRAIN_COMPARES);
    txn.ops = &op;
    txn.events = &event;
    store_txn(service->store, &txn, manager_drain_written, request);
}

void service_manager_drain(struct service *service, struct arena *arena,
                           const struct service_actor *actor,
                           const struct service_manager_drain *drain, service_done *done, void *arg)
{
    const struct cache_object *object = service_manager_find(service, arena, drain->name);
    struct err err;

    if (object == NULL) {
        err_set(&err, CODE_R0403, "there is no manager '%.*s' of a shared store",
                TEXT_ARG(drain->name));
        err_hint(&err,
                 "reeve get managers lists the managers; with store: sqlite there is only one");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (drain->is_draining && !service_manager_others_check(service, arena, actor->tenant,
                                                            cache_id(object), drain->name, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    service_manager_order(service, arena, actor, drain, object, done, arg);
}
