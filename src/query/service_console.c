#include "model/set.h"
#include "query/query_parts.h"
#include "records/intent.h"
#include "records/record.h"

/* public names start with: console_ */

/* The console output of a machine, from its provider. It shows why a machine does not start, even
 * if no login is possible. */

struct console_request {
    struct service *service;
    struct arena *arena;
    struct record record;
    service_done *done;
    void *arg;
};

/* Called with the plugin's answer. */
static void console_reported(void *arg, enum outcome outcome, const struct provider_answer *answer)
{
    const struct console_request *request = arg;
    struct text name = request->record.name;
    struct doc_builder builder;
    struct doc body;
    struct err err;

    if (outcome != OUTCOME_OK) {
        err_set(&err, CODE_R0718, "the console of %.*s cannot be read: %.*s", TEXT_ARG(name),
                TEXT_ARG(answer->message.length > 0 ? answer->message
                                                    : TEXT("the plugin gave no reason")));
        service_refuse(request->service, request->arena, &err, request->done, request->arg);
        return;
    }
    doc_builder_init(&builder, request->arena);
    doc_builder_put(&builder, "console",
                    doc_text(arena_text(request->arena, answer->console), NULL));
    doc_builder_put(&builder, "node", doc_text(name, NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(request->service, request->arena, &body, request->done, request->arg);
}

/* True if the plugin of the machine can show a console. */
MUST_CHECK static bool console_check(const struct service *service, const struct record *record,
                                     struct err *err)
{
    const struct model_plugins *plugins = service->reconciler.plugins;
    struct text plugin = text_slice(record->plugin, 0, text_find_byte(record->plugin, '/'));
    const struct wire_hello *hello = plugins == NULL ? NULL : plugins->find(plugins->arg, plugin);

    if (record->plan.id.length == 0) {
        err_set(err, CODE_R0717, "%.*s has no console yet", TEXT_ARG(record->name));
        return err_hint(
            err,
            "the machine is still being created; reeve why %.*s shows the last answer of the provider",
            TEXT_ARG(record->name));
    }
    if (hello != NULL && (hello->methods >> WIRE_CONSOLE & 1) == 0) {
        err_set(err, CODE_R0717, "machines of plugin %.*s have no console", TEXT_ARG(plugin));
        return err_hint(err, "reeve logs shows the output of the machine's stages");
    }
    return true;
}

MUST_CHECK static bool console_machine_find(const struct service *service, struct arena *arena,
                                            const struct service_actor *actor, struct text cluster,
                                            struct text node, struct text *out_id,
                                            struct record *out, struct err *err)
{
    const struct cache_object *object =
        objects_find(service->cache, actor->tenant, objects_kind("Cluster"), cluster);

    if (service->reconciler.console == NULL) {
        err_set(err, CODE_R0548, "this manager reconciles no clusters, and asks no plugins");
        return err_hint(err, "the manager was started with --no-control");
    }
    if (object == NULL) {
        return service_unfound(objects_kind("Cluster"), cluster, err);
    }
    *out_id = arena_text(arena, cache_id(object));
    return service_machine_find(service, arena, actor->tenant, *out_id, node, out) ||
           service_machine_unfound(service, arena, actor, cluster, node, err);
}

void service_console(struct service *service, struct arena *arena,
                     const struct service_actor *actor, struct text cluster, struct text node,
                     service_done *done, void *arg)
{
    struct console_request *request = arena_one(arena, struct console_request);
    const struct record *record = &request->record;
    struct text id = TEXT("");
    struct wire_call call;
    struct err err;

    *request =
        (struct console_request){ .service = service, .arena = arena, .done = done, .arg = arg };
    if (!console_machine_find(service, arena, actor, cluster, node, &id, &request->record, &err) ||
        !console_check(service, record, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    call = (struct wire_call){
        .cluster = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(actor->tenant), TEXT_ARG(id)),
        .machine = record->plan.id,
        .token = record->plan.token,
    };
    service->reconciler.console(service->reconciler.arg, actor->tenant, record->plugin, &call,
                                console_reported, request);
}
