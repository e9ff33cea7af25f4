/* The chain of events: whether all that was written is still there, and as it was written. */
#include "api/call.h"
#include "api/handlers.h"

static void audit_told(void *arg, enum outcome outcome, const struct store_answer *answer)
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
    doc_builder_put(&builder, "dropped", doc_int(call->arena, (int64_t)audit->head.dropped, NULL));
    if (audit->fault[0] != '\0') {
        doc_builder_put(&builder, "fault", doc_text(text_from(audit->fault), NULL));
    }
    doc_builder_put(&builder, "head", doc_text(text_from(audit->line), NULL));
    doc_builder_put(&builder, "revision", doc_int(call->arena, (int64_t)answer->revision, NULL));
    doc_builder_put(&builder, "written", doc_int(call->arena, (int64_t)audit->head.written, NULL));
    body = doc_builder_map(&builder, NULL);
    call_tell(call, 200, &body);
}

void api_audit(struct call *call)
{
    struct store *store = call->api->options.store;
    bool is_deep = false;
    struct err err;

    if (!call_switch(call, "verify", &is_deep, &err)) {
        call_refuse(call, &err);
    } else if (!store_has_audit(store)) {
        err_set(&err, CODE_R0403, "this store keeps no chain of events");
        call_refuse(call, &err);
    } else {
        store_audit(store, is_deep, audit_told, call);
    }
}
