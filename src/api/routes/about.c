#include "api/request/call.h"
#include "api/request/handlers.h"
#include "api/users/access.h"
#include "base/macros.h"

/* Routes about the manager itself. */

void api_health(struct call *call)
{
    call_answer(call, 200, "text/plain; charset=utf-8", TEXT("ok\n"));
}

void api_ready(struct call *call)
{
    const struct api_options *options = &call->api->options;
    struct store_status status;
    struct api_stale stale;
    struct err err;

    store_status(options->store, &status);
    if (!service_is_ready(call->api->options.service)) {
        if (status.is_writable) {
            err_set(&err, CODE_R0428, "this manager is still reading its store");
        } else {
            err_set(&err, CODE_R0428, "this manager cannot read its store yet: %s",
                    status.problem.text);
            err_hint(&err, "%s", status.problem.hint);
        }
        call_refuse(call, &err);
    } else if (!status.is_writable) {
        bool is_damaged = status.problem.code == CODE_R0506;

        err_set(&err, is_damaged ? CODE_R0506 : CODE_R0505,
                is_damaged ? "%s" : "the store accepts no changes: %s", status.problem.text);
        if (status.problem.hint[0] != '\0') {
            err_hint(&err, "%s", status.problem.hint);
        }
        call_refuse(call, &err);
    } else if (options->is_stale(options->arg, &stale)) {
        err_set(&err, CODE_R0580, "the objects that this manager shows may be %llu s old: %.*s",
                (unsigned long long)(stale.age_ms / 1000), TEXT_ARG(stale.reason));
        call_refuse(call, &err);
    } else {
        call_answer(call, 200, "text/plain; charset=utf-8", TEXT("ready\n"));
    }
}

/* Answers with the limits that clients can run into. */
void api_limits(struct call *call)
{
    static const struct {
        const char *name;
        int64_t value;
    } limits[] = {
        { "bodyBytes", LIMIT_DOCUMENT_BYTES },
        { "clusterNodes", LIMIT_CLUSTER_NODES },
        { "connectionsPerAddress", LIMIT_HTTP_CONNECTIONS_ADDRESS },
        { "documentDepth", LIMIT_DOCUMENT_DEPTH },
        { "documentNodes", LIMIT_DOCUMENT_NODES },
        { "documentsPerRequest", LIMIT_DOCUMENTS_PER_SET },
        { "eventsPage", LIMIT_EVENTS_PAGE },
        { "groupSize", LIMIT_GROUP_SIZE },
        { "headerBytes", LIMIT_HTTP_CONNECTION_BYTES },
        { "idempotencyKeyBytes", LIMIT_IDEMPOTENCY_KEY_BYTES },
        { "leafGroups", LIMIT_LEAF_GROUPS },
        { "page", LIMIT_PAGE },
        { "planSeconds", LIMIT_PLAN_TTL_S },
        { "selectorBytes", LIMIT_SELECTOR_BYTES },
        { "targetBytes", LIMIT_HTTP_TARGET_BYTES },
        { "whyBytes", LIMIT_WHY_BYTES },
    };
    struct doc_builder builder;
    struct doc body;

    doc_builder_init(&builder, call->arena);
    for (size_t i = 0; i < ARRAY_COUNT(limits); i++) {
        doc_builder_put(&builder, limits[i].name, doc_int(call->arena, limits[i].value, NULL));
    }
    body = doc_builder_map(&builder, NULL);
    call_report(call, 200, &body);
}

void api_whoami(struct call *call)
{
    struct doc_builder builder;
    struct doc body;

    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "grants", access_grants_show(call));
    doc_builder_put(&builder, "role", doc_text(text_from(route_who_name(call->role)), NULL));
    doc_builder_put(&builder, "tenant", doc_text(call->actor.tenant, NULL));
    doc_builder_put(&builder, "user", doc_text(call->actor.user, NULL));
    doc_builder_put(&builder, "version", doc_text(text_from(call->api->options.version), NULL));
    body = doc_builder_map(&builder, NULL);
    call_report(call, 200, &body);
}
