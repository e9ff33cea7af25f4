#include "base/sort.h"
#include "base/time.h"
#include "codec/json.h"
#include "model/nest.h"
#include "query/query_parts.h"
#include "records/node_state.h"
#include "selector/ranges.h"
#include "service/select.h"
#include "state/revoked.h"

/* public names start with: service_ */

/* Data of machines that is not in their records: facts, steps, and the output of stages. */

/* Rank records with the same name: a ready machine first, then one that is not being destroyed. */
static int nodes_worth_of(const struct record *record)
{
    if (record->plan.state != PLAN_RECORD_ACTIVE) {
        return record->plan.state == PLAN_RECORD_DELETE ? 0 : 1;
    }
    return record->plan.is_starting ? 2 : 3;
}

static bool is_nodes_named(const struct record *record, struct text token, struct text name)
{
    return text_is_equal(record->name, name) || text_is_equal(record->plan.id, name) ||
           text_is_equal(token, name);
}

/* Read the record of an object in the cache. Its texts live in the arena. */
static bool nodes_record_read(struct arena *arena, const struct cache_object *object,
                              struct record *out)
{
    struct text id = cache_id(object);
    struct text token = text_slice(id, text_find_byte(id, '/') + 1, SIZE_MAX);
    struct err err;

    return object->parts[CACHE_STATUS].bytes != NULL &&
           record_parse(arena, arena_text(arena, token),
                        arena_text(arena, blob_text(object->parts[CACHE_STATUS].bytes)), out, &err);
}

/* Find a machine; with `leaves`, only among the machines that are being destroyed. */
static bool machine_find(const struct service *service, struct arena *arena, struct text prefix,
                         struct text name, bool leaves, struct record *out)
{
    int best = -1;

    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        struct text id = cache_id(object);
        struct arena_mark mark = arena_mark(arena);
        struct record record;

        if (object->parts[CACHE_STATUS].bytes == NULL ||
            !ranges_may_have(name, text_slice(id, text_find_byte(id, '/') + 1, SIZE_MAX),
                             blob_text(object->parts[CACHE_STATUS].bytes))) {
            continue;
        }
        if (nodes_record_read(arena, object, &record) &&
            is_nodes_named(&record, record.plan.token, name) &&
            (!leaves || record.plan.state == PLAN_RECORD_DELETE) &&
            nodes_worth_of(&record) > best) {
            best = nodes_worth_of(&record);
            *out = record;
        } else {
            arena_rewind(arena, mark);
        }
    }
    return best >= 0;
}

static struct text machines_prefix(struct arena *arena, struct text tenant, struct text id)
{
    return arena_printf(arena, "/%.*s/Resource/%.*s/", TEXT_ARG(tenant), TEXT_ARG(id));
}

bool service_machine_find(const struct service *service, struct arena *arena, struct text tenant,
                          struct text id, struct text name, struct record *out)
{
    return machine_find(service, arena, machines_prefix(arena, tenant, id), name, false, out);
}

bool service_machine_leaving_find(const struct service *service, struct arena *arena,
                                  struct text tenant, struct text id, struct text name,
                                  struct record *out)
{
    return machine_find(service, arena, machines_prefix(arena, tenant, id), name, true, out);
}

/* ---- recorded node states ---- */

bool service_node_read(const struct service *service, struct arena *arena, struct text tenant,
                       struct text id, struct node_state *out)
{
    const struct cache_object *object = cache_find(service->cache, tenant, TEXT("Node"), id);
    struct err err;

    *out = (struct node_state){ 0 };
    return object != NULL && object->parts[CACHE_STATUS].bytes != NULL &&
           node_state_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_STATUS].bytes)),
                            out, &err);
}

/* Shows when a node's keys were revoked and which operator did it. The displayed step of the node
 * does not change. */
static struct doc revoked_show(const struct service *service, struct arena *arena,
                               struct text tenant, struct text id)
{
    const struct cache_object *object =
        cache_find(service->cache, tenant, TEXT(REVOKED_KIND), arena_text(arena, id));
    char *time = arena_alloc(arena, TIME_TEXT_BYTES);
    struct doc_builder builder;
    struct revoked revoked;
    struct err err;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL ||
        !revoked_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)),
                       &revoked, &err)) {
        return (struct doc){ 0 };
    }
    time_format(revoked.at_ms, time);
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "at", doc_text(text_from(time), NULL));
    doc_builder_put(&builder, "by", doc_text(revoked.by, NULL));
    return doc_builder_map(&builder, NULL);
}

struct doc service_node_show(const struct service *service, struct arena *arena, struct text tenant,
                             struct text id)
{
    struct doc revoked = revoked_show(service, arena, tenant, id);
    struct node_state state;
    struct doc shown = { 0 };

    if (service_node_read(service, arena, tenant, id, &state)) {
        struct doc verified = node_state_verified_show(arena, &state);
        struct doc lifecycle = node_state_lifecycle_show(arena, &state);

        shown = node_state_show(arena, &state);
        if (doc_is_map(&verified) && doc_is_map(&shown)) {
            shown = nest_put(arena, &shown, "verified", verified);
        }
        if (doc_is_map(&lifecycle)) {
            shown = doc_is_map(&shown) ? shown : doc_map(NULL, 0, NULL);
            shown = nest_put(arena, &shown, "lifecycle", lifecycle);
        }
    }
    if (!doc_is_map(&revoked)) {
        return shown;
    }
    shown = doc_is_map(&shown) ? shown : doc_map(NULL, 0, NULL);
    return nest_put(arena, &shown, "revoked", revoked);
}

/* ---- facts ---- */

struct member {
    struct node_state_facts facts;
    int worth;
};

/* Compares by name. Among machines with one name, the current machine comes first. */
static int nodes_member_compare(const void *a, const void *b, void *arg)
{
    const struct member *left = a;
    const struct member *right = b;
    int order = text_compare(left->facts.name, right->facts.name);

    (void)arg;
    return order != 0 ? order : right->worth - left->worth;
}

/* Read a member of the cluster. False: its facts are unknown, or it is being destroyed. */
static bool nodes_member_read(const struct service *service, struct arena *arena,
                              struct text tenant, const struct cache_object *machine,
                              struct member *out)
{
    struct node_state state;
    struct record record;

    if (!nodes_record_read(arena, machine, &record) || record.plan.state == PLAN_RECORD_DELETE ||
        record.name.length == 0 ||
        !service_node_read(service, arena, tenant, cache_id(machine), &state) ||
        state.facts.length == 0) {
        return false;
    }
    *out = (struct member){ { record.name, state.facts }, nodes_worth_of(&record) };
    return true;
}

/* Read all members of the cluster with this id, in order of name. */
static struct node_state_facts *members_read(const struct service *service, struct arena *arena,
                                             struct text tenant, struct text id, size_t *out_count)
{
    struct text prefix =
        arena_printf(arena, "/%.*s/Resource/%.*s/", TEXT_ARG(tenant), TEXT_ARG(id));
    struct node_state_facts *items;
    struct member *members;
    size_t count = 0;
    size_t room = 1;

    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        room++;
    }
    members = arena_array(arena, struct member, room);
    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        count += nodes_member_read(service, arena, tenant, object, &members[count]);
    }
    sort_stable(arena, members, count, sizeof(*members), nodes_member_compare, NULL);
    items = arena_array(arena, struct node_state_facts, room);
    *out_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !text_is_equal(members[i].facts.name, members[i - 1].facts.name)) {
            items[(*out_count)++] = members[i].facts;
        }
    }
    return items;
}

bool service_machine_unfound(const struct service *service, struct arena *arena,
                             const struct service_actor *actor, struct text cluster,
                             struct text node, struct err *err)
{
    struct select_request named = { .cluster = cluster, .names = node };
    struct select_request group = { .cluster = cluster, .group = node };
    struct select_nodes found = { 0 };
    const char *state;

    if (node.length == 0) {
        return err_set(err, CODE_R0403, "no machine is given");
    }
    if (!select_nodes(service->cache, arena, actor, &named, &found, err)) {
        if (select_nodes(service->cache, arena, actor, &group, &found, err)) {
            err_set(err, CODE_R0403, "there is no machine '%.*s' in %.*s", TEXT_ARG(node),
                    TEXT_ARG(cluster));
            return err_hint(err, "that is a group: reeve get nodes -g %.*s/%.*s lists its machines",
                            TEXT_ARG(cluster), TEXT_ARG(node));
        }
        return select_nodes(service->cache, arena, actor, &named, &found, err);
    }
    if (text_find_byte(node, '[') != SIZE_MAX || found.count != 1) {
        err_set(err, CODE_R0403, "'%.*s' matches %zu machines, and exactly one is needed",
                TEXT_ARG(node), found.count);
        return err_hint(err, "reeve exec, reeve cp and reeve bootstrap run take several");
    }
    state = found.items[0].state;
    err_set(err, CODE_R0403, "no machine '%.*s' runs in %.*s: it is %s", TEXT_ARG(node),
            TEXT_ARG(cluster), state);
    return err_hint(err, "reeve describe node %.*s/%.*s shows its progress", TEXT_ARG(cluster),
                    TEXT_ARG(node));
}

/* Find the id of the cluster. */
MUST_CHECK static bool nodes_cluster_find(const struct service *service, struct arena *arena,
                                          const struct service_actor *actor, struct text cluster,
                                          struct text *out_id, struct err *err)
{
    const struct cache_object *object =
        objects_find(service->cache, actor->tenant, objects_kind("Cluster"), cluster);

    if (object == NULL) {
        return service_unfound(objects_kind("Cluster"), cluster, err);
    }
    *out_id = arena_text(arena, cache_id(object));
    return true;
}

/* Read the facts of one member, or of all members. */
MUST_CHECK static bool facts_read(struct service *service, struct arena *arena,
                                  const struct service_actor *actor, struct text cluster,
                                  struct text node, struct text *out, struct err *err)
{
    struct node_state_facts *items;
    struct record record;
    struct text id;
    size_t count;

    if (!nodes_cluster_find(service, arena, actor, cluster, &id, err)) {
        return false;
    }
    items = members_read(service, arena, actor->tenant, id, &count);
    if (node.length == 0) {
        *out = node_state_facts_format(arena, items, count);
        return count > 0 ||
               err_set(err, CODE_R0730, "no machine of '%.*s' has reported its facts yet",
                       TEXT_ARG(cluster));
    }
    if (!service_machine_find(service, arena, actor->tenant, id, node, &record)) {
        return service_machine_unfound(service, arena, actor, cluster, node, err);
    }
    for (size_t i = 0; i < count; i++) {
        if (text_is_equal(items[i].name, record.name)) {
            *out = arena_printf(arena, "%.*s\n", TEXT_ARG(items[i].facts));
            return true;
        }
    }
    return err_set(err, CODE_R0730, "%.*s has not reported its facts yet", TEXT_ARG(record.name));
}

void service_facts(struct service *service, struct arena *arena, const struct service_actor *actor,
                   struct text cluster, struct text node, service_done *done, void *arg)
{
    struct text body = TEXT("");
    struct err err;

    if (!facts_read(service, arena, actor, cluster, node, &body, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    service_report_body(service, arena, body, done, arg);
}

/* ---- output of stages ---- */

/* Finds the output of a removed machine, whose cluster may be deleted too. False: no output is
 * stored. The API has already checked access by the name of the cluster. */
static bool nodes_gone_find(const struct service *service, struct arena *arena,
                            const struct service_actor *actor, const struct service_logs *logs,
                            struct text *out_token)
{
    const struct service_controller *reconciler = &service->reconciler;

    return reconciler->logs_gone != NULL &&
           reconciler->logs_gone(reconciler->arg, arena, actor->tenant, logs->cluster, logs->node,
                                 out_token);
}

/* Read the output and the node state. The failure of a stage without output is visible only in the
 * node state. */
MUST_CHECK static bool logs_read(struct service *service, struct arena *arena,
                                 const struct service_actor *actor, const struct service_logs *logs,
                                 struct doc *out, struct err *err)
{
    const struct service_controller *reconciler = &service->reconciler;
    struct record record;
    struct text token;
    struct text id = TEXT("");
    struct doc node;
    bool is_there;

    if (reconciler->logs == NULL) {
        err_set(err, CODE_R0548,
                "this manager reconciles no clusters, and stores no output of "
                "stages");
        return err_hint(err, "the manager was started with --no-control");
    }
    is_there = nodes_cluster_find(service, arena, actor, logs->cluster, &id, err);
    if (is_there && !service_machine_find(service, arena, actor->tenant, id, logs->node, &record)) {
        is_there = false;
        (void)!service_machine_unfound(service, arena, actor, logs->cluster, logs->node, err);
    }
    if (!is_there && !nodes_gone_find(service, arena, actor, logs, &token)) {
        return false;
    }
    if (!reconciler->logs(reconciler->arg, arena, is_there ? record.plan.token : token, logs, out,
                          err)) {
        return false;
    }
    if (!is_there) {
        *out = nest_put(arena, out, "gone", doc_bool(true, NULL));
        return true;
    }
    node = service_node_show(
        service, arena, actor->tenant,
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(id), TEXT_ARG(record.plan.token)));
    if (doc_is_map(&node)) {
        *out = nest_put(arena, out, "node", node);
    }
    return true;
}

void service_logs(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_logs *logs, service_done *done, void *arg)
{
    struct doc body;
    struct err err;

    if (!logs_read(service, arena, actor, logs, &body, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    service_report(service, arena, &body, done, arg);
}
