/* Verifies the hash chain of events: all events that were written must exist unchanged. */
#include "api/request/call.h"
#include "api/request/handlers.h"
#include "state/damage.h"

/* If the store is damaged, adds the lost data besides events. */
static void damage_put(struct call *call, struct doc_builder *builder)
{
    struct store_status status;
    struct text *lines;
    struct doc *items;
    size_t count;

    store_status(call->api->options.store, &status);
    if (status.damage == NULL) {
        return;
    }
    count = damage_lines(call->arena, call->api->options.cache, status.damage, &lines);
    items = arena_array(call->arena, struct doc, count);
    for (size_t i = 0; i < count; i++) {
        items[i] = doc_text(lines[i], NULL);
    }
    doc_builder_put(builder, "damage", doc_list(items, count, NULL));
}

static void audit_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct call *call = arg;
    const struct store_audit *audit = answer->audit;
    struct doc_builder builder;
    struct doc body;

    if (outcome != OUTCOME_OK) {
        call_refuse(call, &answer->err);
        return;
    }
    doc_builder_init(&builder, call->arena);
    damage_put(call, &builder);
    doc_builder_put(&builder, "dropped", doc_int(call->arena, (int64_t)audit->head.dropped, NULL));
    if (audit->fault[0] != '\0') {
        doc_builder_put(&builder, "fault", doc_text(text_from(audit->fault), NULL));
    }
    doc_builder_put(&builder, "head", doc_text(text_from(audit->line), NULL));
    doc_builder_put(&builder, "revision", doc_int(call->arena, (int64_t)answer->revision, NULL));
    doc_builder_put(&builder, "written", doc_int(call->arena, (int64_t)audit->head.written, NULL));
    body = doc_builder_map(&builder, NULL);
    call_report(call, 200, &body);
}

void api_audit(struct call *call)
{
    struct store *store = call->api->options.store;
    bool is_deep = false;
    struct err err;

    if (!call_switch(call, "verify", &is_deep, &err)) {
        call_refuse(call, &err);
    } else if (!store_has_audit(store)) {
        err_set(&err, CODE_R0403, "this store has no hash chain of events");
        call_refuse(call, &err);
    } else {
        store_audit(store, is_deep, audit_reported, call);
    }
}
