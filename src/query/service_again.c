#include "codec/json.h"
#include "query/query_parts.h"
#include "records/node_state.h"

/* public names start with: service_ */

/* Non-idempotent stages run a second time only with consent (decision 0066). Each node reports
 * which stages it has started, so a stage that never started needs no consent. */

struct again {
    const struct service *service;
    struct text tenant;
    struct text cluster_id;
    /* true: check the stages that did not succeed; false: check all stages from a given stage on */
    bool is_failed;
    struct arena *arena;
    struct text stages; /* stages that would run again on the first such machine */
    struct text name;
    size_t count;
};

static bool is_again_of_group(struct text group, struct text of)
{
    return group.length == 0 || text_is_equal(group, of) ||
           (text_has_prefix(of, group) && of.data[group.length] == '/');
}

static void again_node_look(struct again *again, struct text name, struct text token, uint64_t from)
{
    struct node_state state;
    struct text stages;

    if (!service_node_read(
            again->service, again->arena, again->tenant,
            arena_printf(again->arena, "%.*s/%.*s", TEXT_ARG(again->cluster_id), TEXT_ARG(token)),
            &state)) {
        return;
    }
    stages = node_state_once(again->arena, &state, again->is_failed, from);
    if (stages.length > 0 && again->count++ == 0) {
        again->stages = stages;
        again->name = arena_text(again->arena, name);
    }
}

static void again_machines_look(struct again *again, struct text group)
{
    struct text prefix = arena_printf(again->arena, "/%.*s/Resource/%.*s/", TEXT_ARG(again->tenant),
                                      TEXT_ARG(again->cluster_id));
    const struct cache *cache = again->service->cache;

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct text token = text_slice(blob_text(object->key), prefix.length, SIZE_MAX);
        const struct cache_bytes *status = &object->parts[CACHE_STATUS];
        struct record record;
        struct err err;

        if (status->bytes != NULL &&
            record_parse(again->arena, arena_text(again->arena, token),
                         arena_text(again->arena, blob_text(status->bytes)), &record, &err) &&
            is_again_of_group(group, record.plan.group)) {
            again_node_look(again, record.name, record.plan.token, 0);
        }
    }
}

MUST_CHECK static bool again_end(const struct again *again, struct err *err)
{
    if (again->count == 0) {
        return true;
    }
    err_set(err, CODE_R0811, "stages that are not idempotent would run again on %.*s: %.*s",
            TEXT_ARG(again->name), TEXT_ARG(again->stages));
    if (again->count > 1) {
        err_note(err, "and on %zu more", again->count - 1);
    }
    return err_hint(
        err,
        "set \"again\": true, or use the reeve command, which asks for consent or takes --yes");
}

bool service_again_check(const struct service *service, struct text tenant, struct text cluster_id,
                         struct text group, const struct record *only,
                         const struct service_say *say, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct again again = {
        .service = service,
        .tenant = tenant,
        .cluster_id = cluster_id,
        .is_failed = say->word == SERVICE_COMMAND_RETRY || say->from.length == 0,
        .arena = arena,
    };
    int64_t from = 0;

    if (say->is_again) {
        return true;
    }
    if (only != NULL) {
        (void)!text_parse_int64(say->from, &from);
        again_node_look(&again, only->name, only->plan.token, (uint64_t)from);
    } else {
        again_machines_look(&again, group);
    }
    return again_end(&again, err);
}

bool service_again_check_nodes(const struct service *service, struct text tenant,
                               struct text cluster_id, const struct service_again_node *nodes,
                               size_t count, bool is_failed, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct again again = { .service = service,
                           .tenant = tenant,
                           .cluster_id = cluster_id,
                           .is_failed = is_failed,
                           .arena = arena };

    for (size_t i = 0; i < count; i++) {
        again_node_look(&again, nodes[i].name, nodes[i].token, nodes[i].from);
    }
    return again_end(&again, err);
}
