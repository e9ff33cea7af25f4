#include "base/limits.h"
#include "base/map.h"
#include "query/query_parts.h"
#include "records/fleet_parts.h"
#include "state/batches.h"

#include <assert.h>

/* public names start with: service_ */

/* Requests to run stages of many machines again, in batches (decision 0107). This file determines
 * the machines, the first stage and the order, and writes them as one request. The lease holder of
 * the cluster executes the request (member_batches.c). */

enum { USUAL_PERCENT = 10, ALL_PERCENT = 100 };

struct asking {
    struct service *service;
    struct arena *arena;
    const struct service_actor *actor;
    const struct service_bootstrap *order;
    struct text id;      /* cluster id */
    struct text cluster; /* cluster name */
    struct fleet_cluster wanted;
    struct select_nodes nodes;
    struct doc *left; /* the excluded machines: {node, why} */
    size_t left_count;
    struct map froms; /* for each group, the first stage to run (int64_t) */
    struct exec_batches batches;
    uint64_t seed;
    service_done *done;
    void *arg;
};

/* ---- selected machines ---- */

static void left_add(struct asking *asking, const struct select_node *node, struct text why)
{
    struct doc_builder builder;

    doc_builder_init(&builder, asking->arena);
    doc_builder_put(&builder, "node",
                    doc_text(arena_printf(asking->arena, "%.*s/%.*s", TEXT_ARG(node->cluster),
                                          TEXT_ARG(node->name)),
                             NULL));
    doc_builder_put(&builder, "why", doc_text(why, NULL));
    asking->left[asking->left_count++] = doc_builder_map(&builder, NULL);
}

static bool is_order_drain(const struct asking *asking)
{
    return asking->order->verb == BATCHES_VERB_DRAIN || asking->order->verb == BATCHES_VERB_UNDRAIN;
}

static bool is_order_leave(const struct asking *asking)
{
    return asking->order->verb == BATCHES_VERB_DECOMMISSION;
}

/* Returns why the job has nothing to do on the node; empty: it has work. */
static struct text node_done_words(const struct asking *asking, const struct select_node *node)
{
    switch (asking->order->verb) {
    case BATCHES_VERB_CORRECT:
        return node->is_drifted ? TEXT("") : TEXT("it is not drifted");
    case BATCHES_VERB_DRAIN:
        return node->drain == NODE_DRAIN_DONE ? TEXT("the node is drained already") : TEXT("");
    case BATCHES_VERB_UNDRAIN:
        return node->drain == NODE_DRAIN_NONE ? TEXT("it is not drained") : TEXT("");
    case BATCHES_VERB_BOOTSTRAP:
    case BATCHES_VERB_VERIFY:
    case BATCHES_VERB_COMMISSION:
    case BATCHES_VERB_DECOMMISSION:
    case BATCHES_VERB_COUNT:
        break;
    }
    return TEXT("");
}

/* Exclude the machines on which no stage can run again, and add them to `left` with the reason. */
static void nodes_sift(struct asking *asking)
{
    size_t kept = 0;

    asking->left = arena_array(asking->arena, struct doc, asking->nodes.count + 1);
    for (size_t i = 0; i < asking->nodes.count; i++) {
        const struct select_node *node = &asking->nodes.items[i];
        const struct fleet_group *group = fleet_group_find(&asking->wanted, node->group->path);

        if (node->record_state != PLAN_RECORD_ACTIVE) {
            left_add(asking, node, arena_printf(asking->arena, "it is %s", node->state));
        } else if (group != NULL && is_order_leave(asking)) {
            asking->nodes.items[kept++] = *node;
        } else if (group == NULL || (group->stage_count == 0 && !is_order_drain(asking))) {
            left_add(asking, node, TEXT("the group has no stages"));
        } else if (is_order_drain(asking) &&
                   (node->address.length == 0 || !asking->wanted.is_bootstrapped)) {
            left_add(asking, node,
                     TEXT("reeve does not log in to the machine, so it cannot be drained"));
        } else if (node_done_words(asking, node).length > 0) {
            left_add(asking, node, node_done_words(asking, node));
        } else {
            asking->nodes.items[kept++] = *node;
        }
    }
    asking->nodes.count = kept;
}

/* If all machines are excluded, add the reason of the first one to the error. */
static void left_note(const struct asking *asking, struct err *err)
{
    const struct doc *first = asking->left_count > 0 ? &asking->left[0] : NULL;

    if (first != NULL) {
        (void)err_note(err, "%zu machines are left out; the first is %.*s: %.*s",
                       asking->left_count, TEXT_ARG(doc_child(first, "node")->text),
                       TEXT_ARG(doc_child(first, "why")->text));
    }
}

/* Check that every node has a playbook, which check mode needs. */
MUST_CHECK static bool deep_check(const struct asking *asking, struct err *err)
{
    for (size_t i = 0; i < asking->nodes.count; i++) {
        const struct fleet_group *group =
            fleet_group_find(&asking->wanted, asking->nodes.items[i].group->path);
        struct nodes_stage hook;

        if (!fleet_hook_find(group, TEXT(""), &hook)) {
            err_set(err, CODE_R0834,
                    "level deep needs a configuration with runner ansible, and %.*s "
                    "has none",
                    TEXT_ARG(group->plan.path));
            return err_hint(err, "level hook runs verify.sh of the bundles");
        }
    }
    return true;
}

MUST_CHECK static bool bootstrap_nodes_find(struct asking *asking, struct err *err)
{
    struct service *service = asking->service;
    const struct select_request *request = asking->order->request;
    struct text key;

    if (service->reconciler.pass == NULL) {
        err_set(err, CODE_R0548, "this manager reconciles no clusters");
        return err_hint(err, "the manager was started with --no-control");
    }
    if (!select_nodes(service->cache, asking->arena, asking->actor, request, &asking->nodes, err)) {
        return false;
    }
    if (asking->nodes.count > 0) {
        key = asking->nodes.items[0].key;
        asking->id = text_slice(key, text_find_byte(key, '/') + 1, SIZE_MAX);
        asking->cluster = asking->nodes.items[0].cluster;
        asking->wanted =
            (struct fleet_cluster){ .tenant = asking->actor->tenant, .id = asking->id };
        fleet_wanted_read(service->cache, &asking->wanted);
        if (asking->wanted.problem.code != CODE_NONE) {
            *err = asking->wanted.problem;
            return false;
        }
        nodes_sift(asking);
    }
    if (asking->order->is_deep && !deep_check(asking, err)) {
        return false;
    }
    if (asking->nodes.count > LIMIT_BATCHES_NODES) {
        err_set(err, CODE_R0814, "%zu machines of '%.*s' are selected: one job takes %d",
                asking->nodes.count, TEXT_ARG(asking->cluster), LIMIT_BATCHES_NODES);
        return err_hint(err, "select one group at a time, or ranges of names");
    }
    if (asking->nodes.count == 0) {
        err_set(err, CODE_R0780, "no selected machine of '%.*s' %s", TEXT_ARG(request->cluster),
                asking->order->verb == BATCHES_VERB_DRAIN     ? "is in service"
                : asking->order->verb == BATCHES_VERB_UNDRAIN ? "is in maintenance"
                : is_order_leave(asking)                      ? "is a member"
                                                              : "exists and has stages");
        left_note(asking, err);
        return err_hint(err, "reeve tree %.*s shows the machines", TEXT_ARG(request->cluster));
    }
    return true;
}

/* ---- first stage ---- */

MUST_CHECK static bool bootstrap_stage_find(const struct asking *asking,
                                            const struct fleet_group *group, int64_t *out,
                                            struct err *err)
{
    struct text from = asking->order->from;

    if (text_parse_int64(from, out)) {
        return (*out >= 0 && (uint64_t)*out < group->stage_count) ||
               err_set(err, CODE_R0426, "%.*s has no stage %.*s: it has %zu stages, counted from 0",
                       TEXT_ARG(group->plan.path), TEXT_ARG(from), group->stage_count);
    }
    for (size_t i = 0; i < group->stage_count; i++) {
        if (text_is_equal(group->stages[i].name, from)) {
            *out = (int64_t)i;
            return true;
        }
    }
    return err_set(err, CODE_R0426, "%.*s has no stage '%.*s'", TEXT_ARG(group->plan.path),
                   TEXT_ARG(from));
}

/* Find the first stage of a correction. A correction runs the stages of the configuration and obeys
 * the policy of its group. */
MUST_CHECK static bool correction_from_find(struct asking *asking, struct err *err)
{
    const struct fleet_group *group =
        fleet_group_find(&asking->wanted, asking->nodes.items[0].group->path);
    int64_t *from = arena_one(asking->arena, int64_t);

    for (size_t i = 1; i < asking->nodes.count; i++) {
        if (!text_is_equal(asking->nodes.items[i].group->path, group->plan.path)) {
            err_set(err, CODE_R0426, "one request corrects only nodes of one group");
            return err_hint(err, "send one request for each group, with group: C/G");
        }
    }
    *from = (int64_t)group->configured_from;
    map_put(&asking->froms, arena_text(asking->arena, group->plan.path), from);
    return true;
}

MUST_CHECK static bool froms_find(struct asking *asking, struct err *err)
{
    map_init(&asking->froms, asking->arena);
    if (asking->order->verb == BATCHES_VERB_CORRECT) {
        return correction_from_find(asking, err);
    }
    for (size_t i = 0; asking->order->from.length > 0 && i < asking->nodes.count; i++) {
        struct text path = asking->nodes.items[i].group->path;
        int64_t *from;

        if (map_find(&asking->froms, path) != NULL) {
            continue;
        }
        from = arena_one(asking->arena, int64_t);
        if (!bootstrap_stage_find(asking, fleet_group_find(&asking->wanted, path), from, err)) {
            return false;
        }
        map_put(&asking->froms, path, from);
    }
    return true;
}

/* True if the job runs only stages that did not succeed. */
static bool runs_failed(const struct asking *asking)
{
    return asking->order->from.length == 0 && asking->order->verb == BATCHES_VERB_BOOTSTRAP;
}

MUST_CHECK static bool again_check(const struct asking *asking, struct err *err)
{
    size_t count = asking->nodes.count;
    struct service_again_node *nodes =
        arena_array(asking->arena, struct service_again_node, count + 1);

    for (size_t i = 0; i < count; i++) {
        const struct select_node *node = &asking->nodes.items[i];
        const int64_t *from = map_find(&asking->froms, node->group->path);

        nodes[i] = (struct service_again_node){ node->name, node->token,
                                                from == NULL ? 0 : (uint64_t)*from };
    }
    return asking->order->is_again || asking->order->verb == BATCHES_VERB_VERIFY ||
           is_order_drain(asking) || is_order_leave(asking) ||
           service_again_check_nodes(asking->service, asking->actor->tenant, asking->id, nodes,
                                     count, runs_failed(asking), err);
}

/* ---- other jobs ---- */

/* True if none of these machines has unfinished work in the other batch job with this name. */
MUST_CHECK static bool other_check(struct asking *asking, struct map *tokens, struct text name,
                                   const struct cache_bytes *base, struct err *err)
{
    struct service_batches_row row;
    struct batches other;
    struct err unread;

    if (!batches_parse(asking->arena, arena_text(asking->arena, blob_text(base->bytes)), &other,
                       &unread)) {
        return true;
    }
    row = service_batches_find(asking->service, asking->arena, asking->actor->tenant, asking->id,
                               name, base->revision);
    for (size_t i = 0; i < other.count && !row.is_over; i++) {
        const struct select_node *node = map_find(tokens, other.tokens[i]);
        char mark = i < row.marks.length ? row.marks.data[i] : BOOTSTRAP_MARK_WAITING;

        /* in a rollout, a member that waits for its slot does not belong to a batch yet */
        if (node != NULL && !(batches_is_rollout(&other) && mark == BOOTSTRAP_MARK_WAITING) &&
            (mark == BOOTSTRAP_MARK_WAITING || mark == BOOTSTRAP_MARK_BEGUN ||
             mark == BOOTSTRAP_MARK_LOST)) {
            err_set(err, CODE_R0815, "stages of %.*s run in job/%llu, which has not ended",
                    TEXT_ARG(node->name), (unsigned long long)row.number);
            return err_hint(err, "reeve job watch %llu, or reeve job cancel %llu",
                            (unsigned long long)row.number, (unsigned long long)row.number);
        }
    }
    return true;
}

MUST_CHECK static bool others_check(struct asking *asking, struct err *err)
{
    struct cache *cache = asking->service->cache;
    struct text prefix = arena_printf(asking->arena, "/%.*s/" BATCHES_KIND "/%.*s/",
                                      TEXT_ARG(asking->actor->tenant), TEXT_ARG(asking->id));
    struct map tokens;
    size_t count = 0;

    map_init(&tokens, asking->arena);
    for (size_t i = 0; i < asking->nodes.count; i++) {
        map_put(&tokens, asking->nodes.items[i].token, &asking->nodes.items[i]);
    }
    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct text name = text_slice(blob_text(object->key), prefix.length, SIZE_MAX);
        const struct cache_bytes *base = &object->parts[CACHE_BASE];

        count += base->bytes != NULL;
        if (base->bytes != NULL && !other_check(asking, &tokens, name, base, err)) {
            return false;
        }
    }
    return count < LIMIT_BATCHES ||
           err_set(err, CODE_R0814, "%zu such jobs of '%.*s' have not ended: no more are accepted",
                   count, TEXT_ARG(asking->cluster));
}

/* ---- batches ---- */

MUST_CHECK static bool batches_make(struct asking *asking, struct err *err)
{
    bool is_whole = asking->order->verb == BATCHES_VERB_VERIFY || is_order_drain(asking);
    const struct service_share usual = { is_whole ? ALL_PERCENT : USUAL_PERCENT, true, true };

    return service_batches_make(asking->service, asking->arena, &asking->order->batching,
                                service_share_of(&usual, asking->nodes.count), true, &asking->nodes,
                                &asking->batches, &asking->seed, err);
}

/* Returns the default of max_fail: the size of the largest batch, so that one failed batch stops
 * the job. For a verification it is unlimited, because it changes nothing. */
static size_t max_fail_of(const struct asking *asking)
{
    const struct service_share *share = &asking->order->batching.max_fail;
    size_t largest = 1;
    size_t start = 0;

    for (size_t i = 0; i < asking->batches.count; i++) {
        size_t size = asking->batches.items[i].end - start;

        largest = size > largest ? size : largest;
        start = asking->batches.items[i].end;
    }
    if (asking->order->verb == BATCHES_VERB_VERIFY) {
        largest = 0;
    }
    return share->is_given ? service_share_of(share, asking->nodes.count) : largest;
}

/* Format the first stages by the path of the group, in the order of the map. */
static struct doc froms_format(const struct asking *asking)
{
    struct doc_builder builder;

    doc_builder_init(&builder, asking->arena);
    for (const struct map_node *at = map_first(&asking->froms, TEXT("")); at != NULL;
         at = map_after(&asking->froms, at->key)) {
        doc_builder_add(&builder,
                        &(struct doc_entry){
                            .key = at->key,
                            .value = doc_int(asking->arena, *(const int64_t *)at->value, NULL) });
    }
    return doc_builder_map(&builder, NULL);
}

static struct batches bootstrap_request_make(const struct asking *asking)
{
    const struct service_batching *batching = &asking->order->batching;
    size_t count = asking->nodes.count;
    struct text *tokens = arena_array(asking->arena, struct text, count);
    uint32_t *ends = arena_array(asking->arena, uint32_t, asking->batches.count);
    struct batches request = {
        .verb = asking->order->verb,
        .is_hook = asking->order->is_hook,
        .is_deep = asking->order->is_deep,
        .at_ms = asking->service->ports.wall_ms(asking->service->ports.arg),
        .group = asking->order->verb == BATCHES_VERB_CORRECT ? asking->nodes.items[0].group->path
                                                             : TEXT(""),
        .by = asking->actor->user,
        .why = asking->order->why,
        .is_failed = runs_failed(asking),
        .from = froms_format(asking),
        .tokens = tokens,
        .count = count,
        .ends = ends,
        .batch_count = asking->batches.count,
        .max_fail = max_fail_of(asking),
        .pause_ms = batching->pause_ms,
        .bake_ms = batching->bake_ms,
        .deadline_ms = batching->deadline_ms,
    };

    for (size_t i = 0; i < count; i++) {
        tokens[i] = asking->nodes.items[i].token;
    }
    for (size_t i = 0; i < asking->batches.count; i++) {
        ends[i] = (uint32_t)asking->batches.items[i].end;
        request.canaries += asking->batches.items[i].is_canary;
    }
    return request;
}

/* Check that the request permits as many machines to leave as it decommissions. */
MUST_CHECK static bool leave_check(const struct asking *asking, struct err *err)
{
    if (!is_order_leave(asking) || asking->order->is_dry ||
        asking->nodes.count <= asking->order->destroy) {
        return true;
    }
    err_set(err, CODE_R0405, "this would destroy %zu machines, but only %llu are allowed",
            asking->nodes.count, (unsigned long long)asking->order->destroy);
    return err_hint(err, "look at the plan, then allow it: --allow destroy=%zu",
                    asking->nodes.count);
}

/* ---- the answer ---- */

static struct doc batch_show(const struct asking *asking, size_t start,
                             const struct exec_batch *batch)
{
    struct doc *names = arena_array(asking->arena, struct doc, batch->end - start);
    struct doc_builder builder;

    for (size_t i = start; i < batch->end; i++) {
        const struct select_node *node = &asking->nodes.items[i];

        names[i - start] = doc_text(
            arena_printf(asking->arena, "%.*s/%.*s", TEXT_ARG(node->cluster), TEXT_ARG(node->name)),
            NULL);
    }
    doc_builder_init(&builder, asking->arena);
    doc_builder_put(&builder, "canary", doc_bool(batch->is_canary, NULL));
    doc_builder_put(&builder, "nodes", doc_list(names, batch->end - start, NULL));
    return doc_builder_map(&builder, NULL);
}

static void bootstrap_answer(const struct asking *asking, uint64_t revision, bool is_written)
{
    struct arena *arena = asking->arena;
    struct doc *items = arena_array(arena, struct doc, asking->batches.count);
    struct doc_builder builder;
    struct doc body;
    size_t start = 0;

    for (size_t i = 0; i < asking->batches.count; i++) {
        items[i] = batch_show(asking, start, &asking->batches.items[i]);
        start = asking->batches.items[i].end;
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "batches", doc_list(items, asking->batches.count, NULL));
    if (asking->order->verb == BATCHES_VERB_CORRECT) {
        doc_builder_put(
            &builder, "from",
            doc_int(arena, *(const int64_t *)map_first(&asking->froms, TEXT(""))->value, NULL));
    }
    if (is_written) {
        doc_builder_put(&builder, "job", doc_int(arena, (int64_t)revision, NULL));
    }
    doc_builder_put(&builder, "left", doc_list(asking->left, asking->left_count, NULL));
    doc_builder_put(&builder, "nodes", doc_int(arena, (int64_t)asking->nodes.count, NULL));
    doc_builder_put(&builder, "revision", doc_int(arena, (int64_t)revision, NULL));
    if (asking->seed > 0) {
        doc_builder_put(&builder, "seed", doc_int(arena, (int64_t)asking->seed, NULL));
    }
    body = doc_builder_map(&builder, NULL);
    service_report(asking->service, arena, &body, asking->done, asking->arg);
}

static void written(void *arg, enum outcome outcome, const struct store_answer *reported)
{
    const struct asking *asking = arg;

    if (outcome != OUTCOME_OK) {
        service_refuse(asking->service, asking->arena, &reported->err, asking->done, asking->arg);
        return;
    }
    bootstrap_answer(asking, reported->revision, true);
}

static struct store_event bootstrap_event_make(const struct asking *asking)
{
    struct arena *arena = asking->arena;
    struct text from = asking->order->from;
    size_t count = asking->nodes.count;
    bool is_number = from.length > 0 && from.data[0] >= '0' && from.data[0] <= '9';
    struct text what = from.length == 0 ? TEXT("stages that did not succeed")
                                        : arena_printf(arena, "all stages from %s%.*s on",
                                                       is_number ? "stage-" : "", TEXT_ARG(from));
    static const char *const verbs[BATCHES_VERB_COUNT] = {
        [BATCHES_VERB_BOOTSTRAP] = "will run again on",
        [BATCHES_VERB_VERIFY] = "will be verified on",
        [BATCHES_VERB_CORRECT] = "will be corrected on",
        [BATCHES_VERB_DRAIN] = "will leave",
        [BATCHES_VERB_UNDRAIN] = "will return to",
        [BATCHES_VERB_DECOMMISSION] = "will become smaller by",
    };
    static const char *const types[BATCHES_VERB_COUNT] = {
        [BATCHES_VERB_BOOTSTRAP] = "nodes.rerun_requested",
        [BATCHES_VERB_VERIFY] = "nodes.verify_requested",
        [BATCHES_VERB_CORRECT] = "nodes.correct_requested",
        [BATCHES_VERB_DRAIN] = "nodes.drain_requested",
        [BATCHES_VERB_UNDRAIN] = "nodes.undrain_requested",
        [BATCHES_VERB_DECOMMISSION] = "nodes.decommission_requested",
    };
    struct text subject = asking->order->verb == BATCHES_VERB_BOOTSTRAP ? what
                          : is_order_drain(asking)                      ? TEXT("services")
                          : is_order_leave(asking)                      ? TEXT("groups")
                                                                        : TEXT("files");
    struct text fact =
        arena_printf(arena, "%.*s %s %zu machine%s, in %zu batch%s", TEXT_ARG(subject),
                     verbs[asking->order->verb], count, count == 1 ? "" : "s",
                     asking->batches.count, asking->batches.count == 1 ? "" : "es");

    return service_event(asking->service, arena, asking->actor,
                         &(struct service_event){ .type = types[asking->order->verb],
                                                  .cluster = asking->cluster,
                                                  .cluster_id = asking->id,
                                                  .fact = record_sentence(arena, fact),
                                                  .why = asking->order->why,
                                                  .count = count });
}

/* Makes the name of the request. It is unique within the cluster, because a node executes each
 * named request only once. */
static struct text bootstrap_name_make(const struct asking *asking, const struct batches *request)
{
    uint64_t hash = text_hash(request->tokens[0], (uint64_t)request->at_ms);

    hash = text_hash(asking->actor->user, hash ^ cache_revision(asking->service->cache));
    return arena_printf(asking->arena, "%016llx", (unsigned long long)hash);
}

static void request_write(struct asking *asking)
{
    struct service *service = asking->service;
    struct text tenant = asking->actor->tenant;
    struct batches request = bootstrap_request_make(asking);
    struct text id = arena_printf(asking->arena, "%.*s/%.*s", TEXT_ARG(asking->id),
                                  TEXT_ARG(bootstrap_name_make(asking, &request)));
    struct store_op op = {
        .key = objects_key(asking->arena, tenant, TEXT(BATCHES_KIND), id, CACHE_BASE),
        .value = batches_format(asking->arena, &request),
    };
    struct store_compare compare = { .key = op.key, .revision = 0 };
    struct store_event event = bootstrap_event_make(asking);

    service_txn(service, asking->arena, asking->actor,
                &(struct store_txn){ &compare, 1, &op, 1, &event, 1 }, written, asking);
}

void service_bootstrap(struct service *service, struct arena *arena,
                       const struct service_actor *actor, const struct service_bootstrap *order,
                       service_done *done, void *arg)
{
    struct asking *asking = arena_one(arena, struct asking);
    struct err err;
    bool is_well;

    *asking = (struct asking){
        .service = service, .arena = arena, .actor = actor, .order = order, .done = done, .arg = arg
    };
    is_well = bootstrap_nodes_find(asking, &err) && froms_find(asking, &err) &&
              (order->verb != BATCHES_VERB_DRAIN ||
               service_drain_check(service, arena, actor, &asking->wanted, &asking->nodes, &err)) &&
              others_check(asking, &err) && again_check(asking, &err) &&
              leave_check(asking, &err) && batches_make(asking, &err);
    if (!is_well) {
        service_refuse(service, arena, &err, done, arg);
    } else if (order->is_dry) {
        bootstrap_answer(asking, cache_revision(service->cache), false);
    } else {
        request_write(asking);
    }
    arena_free(asking->wanted.memory);
}
