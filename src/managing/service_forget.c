#include "codec/doc_child.h"
#include "codec/json.h"
#include "managing/managing_parts.h"
#include "state/objects.h"

/* public names start with: service_ manager_forget_ */

/* Implements `reeve manager forget`: declares the machines on the host of an ended manager lost
 * (docs/decisions/0164). The declaration is stored with the record of how the manager's process
 * ended, so it is void when the next process of this manager starts. */

struct manager_forget {
    struct service *service;
    struct arena *arena;
    struct doc answer;
    service_done *done;
    void *arg;
};

static void manager_forget_written(void *arg, enum outcome outcome,
                                   const struct store_answer *answer)
{
    const struct manager_forget *forget = arg;
    struct err err = answer->err;

    if (outcome != OUTCOME_OK) {
        if (err.code == CODE_R0502) {
            err_hint(&err, "the manager was started in the meantime: reeve manager status");
        }
        service_refuse(forget->service, forget->arena, &err, forget->done, forget->arg);
        return;
    }
    service_report(forget->service, forget->arena, &forget->answer, forget->done, forget->arg);
}

struct doc service_manager_part(struct arena *arena, const struct cache_object *object,
                                enum cache_part part)
{
    struct doc doc;
    struct err err;

    return object->parts[part].bytes != NULL &&
                   json_parse(arena, blob_text(object->parts[part].bytes), NULL, &doc, &err)
               ? doc
               : doc_map(NULL, 0, NULL);
}

/* Format the record of the end of the process, with the declaration. */
static struct text manager_forget_format(const struct service *service, struct arena *arena,
                                         const struct service_actor *actor, const struct doc *base)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < base->entry_count; i++) {
        if (!text_has_prefix(base->entries[i].key, TEXT("forgotten"))) {
            doc_builder_add(&builder, &base->entries[i]);
        }
    }
    doc_builder_put(&builder, "forgotten", doc_bool(true, NULL));
    doc_builder_put(&builder, "forgottenAt",
                    doc_int(arena, service->ports.wall_ms(service->ports.arg), NULL));
    doc_builder_put(&builder, "forgottenBy", doc_text(actor->user, NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

bool service_manager_has_ended(struct arena *arena, const struct cache_object *object)
{
    struct doc base = service_manager_part(arena, object, CACHE_BASE);
    struct doc status = service_manager_part(arena, object, CACHE_STATUS);

    return doc_child_text(&base, "session").length > 0 &&
           text_is_equal(doc_child_text(&base, "session"), doc_child_text(&status, "session"));
}

/* Finds the manager, whose process must have ended. */
static const struct cache_object *manager_forget_find(const struct service *service,
                                                      struct arena *arena, struct text name,
                                                      struct doc *base, struct err *err)
{
    const struct cache_object *object = service_manager_find(service, arena, name);

    if (object == NULL) {
        err_set(err, CODE_R0403, "there is no manager '%.*s' of a shared store", TEXT_ARG(name));
        err_hint(err,
                 "reeve get managers lists the managers; with store: sqlite there is only one");
        return NULL;
    }
    *base = service_manager_part(arena, object, CACHE_BASE);
    if (!service_manager_has_ended(arena, object)) {
        err_set(err, CODE_R0588, "manager '%.*s' may still run", TEXT_ARG(name));
        err_hint(err, "stop the manager, or wait until reeve manager status shows it as ended");
        return NULL;
    }
    return object;
}

void service_manager_forget(struct service *service, struct arena *arena,
                            const struct service_actor *actor,
                            const struct service_manager_drain *order, service_done *done,
                            void *arg)
{
    struct manager_forget *forget = arena_one(arena, struct manager_forget);
    struct doc_builder builder;
    struct store_compare compare;
    struct store_event event;
    struct store_op op;
    struct store_txn txn = { .compares = &compare,
                             .compare_count = 1,
                             .ops = &op,
                             .op_count = 1,
                             .events = &event,
                             .event_count = 1 };
    struct doc base;
    struct err err;
    const struct cache_object *object =
        manager_forget_find(service, arena, order->name, &base, &err);

    if (object == NULL) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "forgotten", doc_bool(true, NULL));
    doc_builder_put(&builder, "name", doc_text(order->name, NULL));
    *forget = (struct manager_forget){ service, arena, doc_builder_map(&builder, NULL), done, arg };
    op = (struct store_op){ .key = objects_key(arena, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Manager"),
                                               cache_id(object), CACHE_BASE),
                            .value = manager_forget_format(service, arena, actor, &base) };
    compare = (struct store_compare){ op.key, object->parts[CACHE_BASE].revision };
    event = service_event(service, arena, actor,
                          &(struct service_event){ .type = "manager.forgotten",
                                                   .fact = order->name,
                                                   .why = order->message });
    store_txn(service->store, &txn, manager_forget_written, forget);
}
