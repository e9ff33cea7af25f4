#include "base/limits.h"
#include "query/query_parts.h"
#include "records/record.h"

/* public names start with: service_ */

/* A user's login to a machine. First an event with the name of the user is written; then the user's
 * key gets a certificate. So there is never a login without an event.
 *
 * The event is written together with a key that has no other purpose, as for a command
 * (service_exec.c). A transaction without a key raises the store's revision, but no watch reports
 * it, so the cache would never reach that revision. The key is not compared, so that a login does
 * not fail during a rotation of the cluster's authorities. */

struct entering {
    struct service *service;
    struct arena *arena;
    struct text cluster; /* TENANT/ID */
    struct text user;
    struct text key;
    struct record record;
    service_done *done;
    void *arg;
};

static struct store_event enter_event_make(const struct entering *entering,
                                           const struct service_actor *actor, struct text id)
{
    const struct record *record = &entering->record;
    struct service_event event = {
        .type = "machine.entered",
        .cluster =
            objects_cluster_name(entering->service->cache, entering->arena, actor->tenant, id),
        .cluster_id = id,
        .machine = record,
        .fact = arena_printf(entering->arena, "%.*s logs in as %.*s", TEXT_ARG(actor->user),
                             TEXT_ARG(record->user.length > 0 ? record->user : TEXT("root"))),
    };

    return service_event(entering->service, entering->arena, actor, &event);
}

static void signed_reported(void *arg, struct text certificate, const struct err *err)
{
    const struct entering *entering = arg;
    const struct record *record = &entering->record;
    struct doc_builder builder;
    struct doc body;

    if (err != NULL) {
        service_refuse(entering->service, entering->arena, err, entering->done, entering->arg);
        return;
    }
    doc_builder_init(&builder, entering->arena);
    doc_builder_put(&builder, "address", doc_text(record->address, NULL));
    doc_builder_put(&builder, "certificate", doc_text(certificate, NULL));
    doc_builder_put(&builder, "hostKey", doc_text(record->host_key, NULL));
    doc_builder_put(&builder, "node", doc_text(record->name, NULL));
    doc_builder_put(&builder, "port",
                    doc_int(entering->arena, record->port == 0 ? 22 : record->port, NULL));
    doc_builder_put(&builder, "user",
                    doc_text(record->user.length == 0 ? TEXT("root") : record->user, NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(entering->service, entering->arena, &body, entering->done, entering->arg);
}

static void written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct entering *entering = arg;
    const struct service_controller *reconciler = &entering->service->reconciler;
    struct err err = answer->err;

    if (outcome != OUTCOME_OK) {
        if (err.code == CODE_NONE) {
            err_set(&err, CODE_R0542, "it is not known whether the login was recorded");
        }
        service_refuse(entering->service, entering->arena, &err, entering->done, entering->arg);
        return;
    }
    reconciler->enter(reconciler->arg, entering->cluster, entering->user, entering->key,
                      signed_reported, entering);
}

/* True if a login to the machine is possible now. */
MUST_CHECK static bool enter_record_check(const struct record *record, struct err *err)
{
    if (record->alarm.length > 0) {
        err_set(err, CODE_R0713, "%.*s shows an unexpected host key", TEXT_ARG(record->name));
        return err_note(err, "%.*s", TEXT_ARG(record->alarm));
    }
    if (record->address.length == 0) {
        err_set(err, CODE_R0712, "%.*s has no address", TEXT_ARG(record->name));
        return err_hint(
            err,
            "the plugin reports none: machines of file and sim have no login, other machines get their address while they start");
    }
    return record->host_key.length > 0 ||
           err_set(err, CODE_R0711, "the host key of %.*s is not known", TEXT_ARG(record->name));
}

MUST_CHECK static bool enter_check(struct service *service, const struct service_enter *enter,
                                   const struct cache_object *object, struct err *err)
{
    if (service->reconciler.enter == NULL) {
        err_set(err, CODE_R0548, "this manager reconciles no clusters");
        return err_hint(err, "the manager was started with --no-control");
    }
    return object != NULL || service_unfound(objects_kind("Cluster"), enter->cluster, err);
}

void service_enter(struct service *service, struct arena *arena, const struct service_actor *actor,
                   const struct service_enter *enter, service_done *done, void *arg)
{
    const struct cache_object *object =
        objects_find(service->cache, actor->tenant, objects_kind("Cluster"), enter->cluster);
    struct entering *entering = arena_one(arena, struct entering);
    const struct cache_object *authority;
    struct store_event event;
    struct store_op op;
    struct text id;
    struct err err;

    if (!enter_check(service, enter, object, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    id = arena_text(arena, cache_id(object));
    *entering = (struct entering){
        .service = service,
        .arena = arena,
        .cluster = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(actor->tenant), TEXT_ARG(id)),
        .user = arena_text(arena, actor->user),
        .key = arena_text(arena, enter->key),
        .done = done,
        .arg = arg,
    };
    if (!service_machine_find(service, arena, actor->tenant, id, enter->node, &entering->record) ||
        entering->record.plan.state != PLAN_RECORD_ACTIVE) {
        (void)!service_machine_unfound(service, arena, actor, enter->cluster, enter->node, &err);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (!enter_record_check(&entering->record, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    authority = cache_find(service->cache, actor->tenant, TEXT("Authority"), id);
    if (authority == NULL || authority->parts[CACHE_BASE].bytes == NULL) {
        err_set(&err, CODE_R0710, "reeve does not log in to machines of '%.*s' yet",
                TEXT_ARG(enter->cluster));
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    event = enter_event_make(entering, actor, id);
    op = (struct store_op){
        .key = objects_key(arena, actor->tenant, TEXT("Command"), TEXT("last"), CACHE_BASE),
        .value = arena_printf(arena, "{\"time\":%llu}", (unsigned long long)event.time_ms),
    };
    service_txn(service, arena, actor, &(struct store_txn){ NULL, 0, &op, 1, &event, 1 }, written,
                entering);
}
