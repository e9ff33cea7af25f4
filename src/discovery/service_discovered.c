#include "base/limits.h"
#include "codec/json.h"
#include "inventory/observer.h"
#include "inventory/traits.h"
#include "power/power.h"
#include "query/query_parts.h"
#include "records/discovered.h"

#include <string.h>

/* public names start with: discovered_ service_ */

/* Rows of the inventory: reads them, and executes the decisions of operators about them. */

struct discovered_request {
    struct service *service;
    struct arena *arena;
    struct doc answer;
    service_done *done;
    void *arg;
};

static void discovered_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    const struct discovered_request *request = arg;
    struct err err = answer->err;

    if (outcome != OUTCOME_OK) {
        if (err.code == CODE_R0502) {
            err_hint(&err, "the machine has changed in the meantime: repeat the command");
        }
        service_refuse(request->service, request->arena, &err, request->done, request->arg);
        return;
    }
    service_report(request->service, request->arena, &request->answer, request->done, request->arg);
}

/* ---- reading ---- */

/* Returns the row for display, with the name of the cluster that has claimed or reserved it. */
static struct doc discovered_row_show(const struct service *service, struct arena *arena,
                                      struct text tenant, const struct discovered *row)
{
    struct doc shown = discovered_show(arena, row);
    struct text id = row->claim.token.length > 0 ? row->claim.cluster : row->reserved.cluster;
    struct text name = TEXT("");
    struct doc_builder builder;
    struct power power;

    if (id.length > 0) {
        name = objects_cluster_name(service->cache, arena, tenant, id);
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < shown.entry_count; i++) {
        doc_builder_add(&builder, &shown.entries[i]);
    }
    if (name.length > 0) {
        doc_builder_put(&builder, "cluster", doc_text(name, NULL));
    }
    if (power_read(arena, service->cache, tenant, row->id, &power)) {
        doc_builder_put(&builder, "power", power_show(arena, &power));
    }
    return doc_builder_map(&builder, NULL);
}

/* Adds the hold of the tenant, {since, why}, if the states of its machines are frozen. */
static void discovered_hold_put(const struct service *service, struct arena *arena,
                                struct text tenant, struct doc_builder *builder)
{
    const struct cache_object *object =
        cache_find(service->cache, tenant, TEXT(OBSERVER_HOLD_KIND), TEXT(OBSERVER_HOLD_ID));
    struct doc hold;
    struct err err;

    if (object != NULL && object->parts[CACHE_BASE].bytes != NULL &&
        json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)), NULL,
                   &hold, &err)) {
        doc_builder_put(builder, "hold", hold);
    }
}

/* False if the row certainly has no condition of this kind. Most rows have none, so this avoids
 * parsing them. */
static bool discovered_may_have(const struct cache_object *object, struct text condition)
{
    struct text bytes = object->parts[CACHE_BASE].bytes == NULL
                            ? TEXT("")
                            : blob_text(object->parts[CACHE_BASE].bytes);

    return condition.length == 0 ||
           (bytes.length > 0 &&
            memmem(bytes.data, bytes.length, condition.data, condition.length) != NULL);
}

/* Read the filter conditions of a list request. Fails with R0426 or R0531. */
MUST_CHECK static bool discovered_filter_read(struct arena *arena, struct text condition,
                                              struct text words, enum lifecycle_condition *out,
                                              struct selector *out_selector, struct err *err)
{
    if (condition.length > 0 && !lifecycle_condition_parse(condition, out)) {
        return err_set(err, CODE_R0426, "'%.*s' is not a condition of a machine",
                       TEXT_ARG(condition));
    }
    return words.length == 0 || selector_parse(arena, words, out_selector, err);
}

void service_discovered(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text condition,
                        struct text selector, service_done *done, void *arg)
{
    enum lifecycle_condition wanted = LIFECYCLE_CONDITION_COUNT;
    struct selector selecting = { 0 };
    struct text prefix = arena_printf(arena, "/%.*s/" DISCOVERED_KIND "/", TEXT_ARG(actor->tenant));
    struct doc *items = NULL;
    struct doc_builder builder;
    size_t count = 0;
    size_t room = 0;
    struct doc body;
    struct err err;

    if (!discovered_filter_read(arena, condition, selector, &wanted, &selecting, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        struct discovered row;

        if (!discovered_may_have(object, condition) || !discovered_read(arena, object, &row) ||
            (condition.length > 0 && row.conditions[wanted].since_ms == 0) ||
            (selecting.count > 0 && !traits_row_matches(arena, &row, &selecting))) {
            continue;
        }
        if (count == room) {
            items =
                arena_grow(arena, items, room * sizeof(*items), (2 * room + 16) * sizeof(*items));
            room = 2 * room + 16;
        }
        items[count++] = discovered_row_show(service, arena, actor->tenant, &row);
    }
    doc_builder_init(&builder, arena);
    discovered_hold_put(service, arena, actor->tenant, &builder);
    doc_builder_put(&builder, "items", doc_list(items, count, NULL));
    doc_builder_put(&builder, "revision",
                    doc_int(arena, (int64_t)cache_revision(service->cache), NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(service, arena, &body, done, arg);
}

/* Finds a row by id or name. Fails with R0403 if there is none, and with R0826 if several rows have
 * the name. */
MUST_CHECK static bool discovered_get(const struct service *service, struct arena *arena,
                                      struct text tenant, struct text name, struct discovered *out,
                                      uint64_t *out_revision, struct err *err)
{
    size_t count;

    if (discovered_find(arena, service->cache, tenant, name, out, out_revision, &count)) {
        return true;
    }
    if (count > 1) {
        err_set(err, CODE_R0826, "%zu machines of the inventory are named '%.*s'", count,
                TEXT_ARG(name));
        return err_hint(err, "name one by its id: reeve discover lists them");
    }
    err_set(err, CODE_R0403, "there is no machine '%.*s' in the inventory", TEXT_ARG(name));
    return err_hint(err, "reeve discover lists its machines");
}

void service_discovered_one(struct service *service, struct arena *arena,
                            const struct service_actor *actor, struct text name, service_done *done,
                            void *arg)
{
    struct discovered row;
    struct doc body;
    struct err err;

    if (!discovered_get(service, arena, actor->tenant, name, &row, NULL, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    body = discovered_row_show(service, arena, actor->tenant, &row);
    service_report(service, arena, &body, done, arg);
}

/* ---- decisions ---- */

MUST_CHECK static bool discovered_approve(struct arena *arena, const struct service *service,
                                          const struct service_actor *actor, struct text key,
                                          struct discovered *row, struct err *err)
{
    struct text shown = discovered_fingerprint(arena, row);

    if (shown.length == 0) {
        err_set(err, CODE_R0837, "the host key of machine '%.*s' is not known",
                TEXT_ARG(row->name));
        return err_hint(err,
                        "the manager reads the key automatically when the machine can be reached");
    }
    if (!text_is_equal(key, shown)) {
        err_set(err, CODE_R0837, "machine '%.*s' has the host key %.*s, not %.*s",
                TEXT_ARG(row->name), TEXT_ARG(shown), TEXT_ARG(key));
        return err_hint(err,
                        "compare the key with the console of the machine, then approve that key");
    }
    row->approved_by = actor->user;
    row->approved_key = shown;
    row->approved_ms = service->ports.wall_ms(service->ports.arg);
    /* only an operator can retry a failed commission */
    row->conditions[LIFECYCLE_CONDITION_FAILED] = (struct discovered_mark){ 0 };
    return true;
}

MUST_CHECK static bool discovered_forget_check(const struct discovered *row, struct err *err)
{
    if (row->cleanup.since_ms > 0) {
        err_set(err, CODE_R0822,
                "machine '%.*s' was unreachable when it left %.*s, and its cleanup is pending",
                TEXT_ARG(row->name), TEXT_ARG(row->cleanup.member));
        return err_hint(err, "reeve cleans the machine up automatically when it can be reached");
    }
    if (row->claim.token.length == 0) {
        return true;
    }
    err_set(err, CODE_R0827, "machine '%.*s' is claimed as %.*s", TEXT_ARG(row->name),
            TEXT_ARG(row->claim.name));
    return err_hint(err, "reeve release returns the machine to the inventory");
}

void service_discovered_change(struct service *service, struct arena *arena,
                               const struct service_actor *actor, struct text name,
                               enum service_discovered_change change, struct text key,
                               service_done *done, void *arg)
{
    static const char *const types[] = {
        [SERVICE_DISCOVERED_APPROVE] = "node.approved",
        [SERVICE_DISCOVERED_IGNORE] = "node.ignored",
        [SERVICE_DISCOVERED_UNIGNORE] = "node.unignored",
        [SERVICE_DISCOVERED_FREE] = "node.freed",
        [SERVICE_DISCOVERED_FORGET] = "node.forgotten",
    };
    struct discovered_request *request = arena_one(arena, struct discovered_request);
    struct store_compare compare = { 0 };
    struct store_event event;
    struct store_op ops[2];
    struct discovered row;
    struct err err;

    if (!discovered_get(service, arena, actor->tenant, name, &row, &compare.revision, &err) ||
        (change == SERVICE_DISCOVERED_APPROVE &&
         !discovered_approve(arena, service, actor, key, &row, &err)) ||
        (change == SERVICE_DISCOVERED_FORGET && !discovered_forget_check(&row, &err))) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (change == SERVICE_DISCOVERED_IGNORE || change == SERVICE_DISCOVERED_UNIGNORE) {
        row.is_ignored = change == SERVICE_DISCOVERED_IGNORE;
    }
    if (change == SERVICE_DISCOVERED_FREE) {
        row.reserved = (struct discovered_reservation){ 0 };
    }
    *request = (struct discovered_request){
        .service = service,
        .arena = arena,
        .answer = discovered_row_show(service, arena, actor->tenant, &row),
        .done = done,
        .arg = arg,
    };
    ops[0] = (struct store_op){ .key = discovered_key(arena, actor->tenant, row.id),
                                .value = discovered_format(arena, &row),
                                .is_delete = change == SERVICE_DISCOVERED_FORGET };
    compare.key = ops[0].key;
    /* a machine that is forgotten has no power control either */
    ops[1] = (struct store_op){ .key = power_key(arena, actor->tenant, row.id), .is_delete = true };
    event = service_event(
        service, arena, actor,
        &(struct service_event){
            .type = types[change],
            .machine = &(struct record){ .plan.id = row.id },
            .fact = arena_printf(arena, "%.*s (%.*s)%s%.*s", TEXT_ARG(row.name), TEXT_ARG(row.id),
                                 key.length > 0 ? ", host key " : "", TEXT_ARG(key)) });
    service_txn(service, arena, actor,
                &(struct store_txn){ &compare, 1, ops, change == SERVICE_DISCOVERED_FORGET ? 2 : 1,
                                     &event, 1 },
                discovered_written, request);
}
