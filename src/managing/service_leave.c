#include "codec/doc_child.h"
#include "managers/managers.h"
#include "managing/managing_parts.h"

/* public names start with: service_ manager_leave_ */

/* Implements `reeve manager leave`: a manager leaves the store permanently (docs/decisions/0190). A
 * running manager receives the command, and removes its objects itself when it has handed over
 * everything. The objects of a manager whose process has ended are removed here. */

struct manager_leave {
    struct service *service;
    struct arena *arena;
    struct doc answer;
    service_done *done;
    void *arg;
};

static void manager_leave_written(void *arg, enum outcome outcome,
                                  const struct store_answer *answer)
{
    const struct manager_leave *leave = arg;
    struct err err = answer->err;

    if (outcome != OUTCOME_OK) {
        if (err.code == CODE_R0502) {
            err_hint(&err, "the manager was started in the meantime: reeve manager status");
        }
        service_refuse(leave->service, leave->arena, &err, leave->done, leave->arg);
        return;
    }
    service_report(leave->service, leave->arena, &leave->answer, leave->done, leave->arg);
}

/* Adds the names of clusters, separated by commas. */
static struct text manager_leave_names(struct arena *arena, const struct doc *clusters)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; doc_is_list(clusters) && i < clusters->item_count; i++) {
        buf_printf(&buf, "%s%.*s", i == 0 ? "" : ", ", TEXT_ARG(clusters->items[i].text));
    }
    return buf_text(&buf);
}

/* Fails if there are machines on the host of the manager. */
MUST_CHECK static bool manager_leave_hosted_check(struct service *service, struct arena *arena,
                                                  const struct service_actor *actor, struct text id,
                                                  struct text name, struct err *err)
{
    const struct service_controller *reconciler = &service->reconciler;
    struct service_managers_query query = { .tenant = actor->tenant, .host = id };
    struct text machines;
    struct doc shown;

    if (reconciler->managers_show == NULL) {
        return true;
    }
    shown = reconciler->managers_show(reconciler->arg, arena, &query);
    if (!doc_is_map(doc_child(&shown, "hosted"))) {
        err_set(err, CODE_R0548,
                "this manager does not know which machines exist on the host of '%.*s'",
                TEXT_ARG(name));
        return err_hint(err, "send the request to another manager: reeve --url");
    }
    machines = doc_child_text(doc_child(&shown, "hosted"), "machines");
    if (text_is(machines, "0")) {
        return true;
    }
    err_set(
        err, CODE_R0589, "%.*s machines exist on the host of manager '%.*s': clusters %.*s",
        TEXT_ARG(machines), TEXT_ARG(name),
        TEXT_ARG(manager_leave_names(arena, doc_child(doc_child(&shown, "hosted"), "clusters"))));
    return err_hint(err,
                    "drain the manager (reeve manager drain %.*s) and replace these machines "
                    "(reeve replace), so that they are created elsewhere; or delete them",
                    TEXT_ARG(name));
}

/* Removes the objects of a manager whose process has ended. */
static void manager_leave_remove(struct service *service, struct arena *arena,
                                 const struct service_manager_drain *order,
                                 const struct cache_object *object, service_done *done, void *arg)
{
    struct manager_leave *leave = arena_one(arena, struct manager_leave);
    struct store_compare compares[CACHE_PART_COUNT];
    struct store_op ops[CACHE_PART_COUNT];
    struct store_event event;
    struct store_txn txn = { .compares = compares,
                             .compare_count = CACHE_PART_COUNT,
                             .ops = ops,
                             .op_count = CACHE_PART_COUNT,
                             .events = &event,
                             .event_count = 1 };
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "name", doc_text(order->name, NULL));
    doc_builder_put(&builder, "state", doc_text(TEXT("removed"), NULL));
    *leave = (struct manager_leave){ service, arena, doc_builder_map(&builder, NULL), done, arg };
    managers_removal_describe(arena, service->cache, cache_id(object),
                              service->ports.wall_ms(service->ports.arg), ops, &event);
    for (int part = 0; part < CACHE_PART_COUNT; part++) {
        compares[part] = (struct store_compare){ ops[part].key, object->parts[part].revision };
    }
    store_txn(service->store, &txn, manager_leave_written, leave);
}

void service_manager_leave(struct service *service, struct arena *arena,
                           const struct service_actor *actor,
                           const struct service_manager_drain *order, service_done *done, void *arg)
{
    const struct cache_object *object = service_manager_find(service, arena, order->name);
    struct service_manager_drain whole = *order;
    struct err err;

    if (object == NULL) {
        err_set(&err, CODE_R0403, "there is no manager '%.*s' of a shared store",
                TEXT_ARG(order->name));
        err_hint(&err, "reeve get managers lists the managers; a store: sqlite has only one");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (!service_manager_others_check(service, arena, actor->tenant, cache_id(object), order->name,
                                      &err) ||
        !manager_leave_hosted_check(service, arena, actor, cache_id(object), order->name, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (service_manager_has_ended(arena, object)) {
        manager_leave_remove(service, arena, order, object, done, arg);
        return;
    }
    whole.is_draining = true;
    whole.is_leaving = true;
    service_manager_order(service, arena, actor, &whole, object, done, arg);
}
