#include "base/limits.h"
#include "discovery/shrink.h"
#include "records/discovered.h"

#include <string.h>

/* public names start with: returns_ service_ */

/* Returns machines whose changed stages failed, if `rollout.onFail` is `clean` (decision 0156), and
 * reverts commissions that failed (C25). The size of the group, which the commission had increased,
 * is reduced again, and this machine is selected for removal. The machine is released, its hooks
 * `cleanup` run, and the inventory lists it as unallocated and failed.
 *
 * Normal case: a watch sees a node state with a failed start. The affected rows are found, and one
 * change for each group is made with reeve as its author.
 *
 * Failures: if the change fails for a temporary reason, it is repeated after a while. If it is
 * rejected because the group is protected, the rows lose the marker that their return reduces the
 * size, and the planner decides with the current size. If the group is already shrinking, the rows
 * are checked again later. */

#define RETURNS_USER "reeve"

enum {
    RETURNS_MAX = 100, /* maximum number of machines in one change */
    RETURNS_AGAIN_MS = 5 * 1000,
    RETURNS_REFUSED_MS = 10 * 60 * 1000, /* time until a rejected change of a group is retried, in
                                          * ms */
};

enum returns_step {
    RETURNS_IDLE,
    RETURNS_WAIT, /* a call is pending */
    RETURNS_REFUSED,
};

struct returns {
    struct service *service;
    struct cache_watch *watch;
    struct cache_watch *row_watch; /* of the inventory, for failed installations */
    bool is_due;                   /* nodes may have failed since the last check */
    int64_t again_ms; /* earliest time of the next check, by the wall clock; 0: immediately */
    enum returns_step step;
    struct service_actor actor;
    struct text cluster; /* id of the cluster */
    struct text group;
    struct text rows[RETURNS_MAX]; /* ids of the rows */
    struct text names[RETURNS_MAX];
    size_t count;
    struct text refusal;
    bool is_rollout;        /* the machines leave because changed stages failed */
    uint64_t refused_group; /* hash of the last group for which the change was rejected; 0: none */
    int64_t refused_ms;
};

/* ---- which machines ---- */

static bool returns_has_failed(struct text bytes)
{
    static const char member[] = "\"startFailure\"";
    static const char leaves[] = "\"leaves\"";

    return memmem(bytes.data, bytes.length, member, sizeof(member) - 1) != NULL ||
           memmem(bytes.data, bytes.length, leaves, sizeof(leaves) - 1) != NULL;
}

/* True if the node state is a reason to return the machine. */
static bool returns_is_reason(const struct discovered *row, const struct node_state *state,
                              const struct record *record, bool *out_is_rollout)
{
    *out_is_rollout = state->leaves.length > 0;
    return state->leaves.length > 0 ||
           (row->claim.is_sized && text_is(state->step, NODE_STATE_FAILED) &&
            state->start_failure.length > 0 && record->plan.is_starting);
}

static void returns_seen(void *arg, enum cache_watch_state state, const struct cache_change *change)
{
    struct returns *returns = arg;

    if (state == CACHE_WATCH_RESET) {
        returns->watch = NULL;
    } else if (change->part == CACHE_STATUS && change->bytes != NULL) {
        returns->is_due = returns->is_due || returns_has_failed(blob_text(change->bytes));
    }
}

static void returns_row_seen(void *arg, enum cache_watch_state state,
                             const struct cache_change *change)
{
    static const char failed[] = "\"state\":\"failed\"";
    struct returns *returns = arg;

    if (state == CACHE_WATCH_RESET) {
        returns->row_watch = NULL;
    } else if (change->bytes != NULL) {
        struct text bytes = blob_text(change->bytes);

        returns->is_due =
            returns->is_due || memmem(bytes.data, bytes.length, failed, sizeof(failed) - 1) != NULL;
    }
}

/* True if the image of the row's machine could not be installed, and its group was enlarged for the
 * machine. The record has no node state then, because the machine has never run. */
static bool returns_is_uninstalled(const struct returns *returns, struct arena *arena,
                                   struct text tenant, const struct discovered *row)
{
    const struct cache_object *object = cache_find(
        returns->service->cache, tenant, TEXT("Resource"),
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(row->claim.cluster), TEXT_ARG(row->claim.token)));
    struct record record;
    struct err err;

    return row->install.state == DISCOVERED_INSTALL_FAILED && row->claim.is_sized &&
           object != NULL && object->parts[CACHE_STATUS].bytes != NULL &&
           record_parse(arena, row->claim.token, blob_text(object->parts[CACHE_STATUS].bytes),
                        &record, &err) &&
           record.plan.state != PLAN_RECORD_DELETE && record.plan.id.length > 0;
}

/* A hash of the group that the machine of the row leaves. */
static uint64_t returns_group_hash(struct text cluster, struct text group)
{
    return text_hash(group, text_hash(cluster, 3)) | 1;
}

static bool returns_is_refused(const struct returns *returns, const struct discovered *row)
{
    const struct service_ports *ports = &returns->service->ports;

    return returns->refused_group == returns_group_hash(row->claim.cluster, row->claim.group) &&
           ports->wall_ms(ports->arg) < returns->refused_ms + RETURNS_REFUSED_MS;
}

/* True if the commission of the row has failed permanently, and its machine has not begun to
 * leave. */
static bool returns_is_due(const struct returns *returns, struct arena *arena, struct text tenant,
                           const struct discovered *row, bool *out_is_rollout)
{
    const struct cache *cache = returns->service->cache;
    struct text id =
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(row->claim.cluster), TEXT_ARG(row->claim.token));
    const struct cache_object *node = cache_find(cache, tenant, TEXT("Node"), id);
    const struct cache_object *object = cache_find(cache, tenant, TEXT("Resource"), id);
    struct node_state state;
    struct record record;
    struct err err;

    if (row->claim.token.length > 0 && !returns_is_refused(returns, row) &&
        returns_is_uninstalled(returns, arena, tenant, row)) {
        *out_is_rollout = false;
        return true;
    }
    return row->claim.token.length > 0 && !returns_is_refused(returns, row) && node != NULL &&
           object != NULL && node->parts[CACHE_STATUS].bytes != NULL &&
           object->parts[CACHE_STATUS].bytes != NULL &&
           returns_has_failed(blob_text(node->parts[CACHE_STATUS].bytes)) &&
           node_state_parse(arena, blob_text(node->parts[CACHE_STATUS].bytes), &state, &err) &&
           record_parse(arena, row->claim.token, blob_text(object->parts[CACHE_STATUS].bytes),
                        &record, &err) &&
           record.plan.state == PLAN_RECORD_ACTIVE &&
           returns_is_reason(row, &state, &record, out_is_rollout);
}

static void returns_add(struct returns *returns, struct text tenant, const struct discovered *row,
                        bool is_rollout)
{
    if (returns->count == 0) {
        returns->actor.tenant = arena_text(returns->service->returns_arena, tenant);
        returns->cluster = row->claim.cluster;
        returns->group = row->claim.group;
    } else if (returns->count == RETURNS_MAX || !text_is_equal(returns->actor.tenant, tenant) ||
               !text_is_equal(returns->cluster, row->claim.cluster) ||
               !text_is_equal(returns->group, row->claim.group) ||
               returns->is_rollout != is_rollout) {
        returns->is_due = true; /* the next change concerns this group */
        return;
    }
    returns->is_rollout = is_rollout;
    returns->names[returns->count] = row->claim.name;
    returns->rows[returns->count++] = row->id;
}

/* Finds the machines of one group that must be returned. */
static void returns_find(struct returns *returns)
{
    const struct cache *cache = returns->service->cache;

    for (const struct cache_object *object = cache_first(cache, TEXT("/")); object != NULL;
         object = cache_next(cache, TEXT("/"), object)) {
        struct arena_mark mark = arena_mark(returns->service->returns_arena);
        struct discovered row;
        bool is_rollout;

        if (!text_is(cache_kind(object), DISCOVERED_KIND) ||
            !discovered_read(returns->service->returns_arena, object, &row) ||
            !returns_is_due(returns, returns->service->returns_arena, cache_tenant(object), &row,
                            &is_rollout)) {
            arena_rewind(returns->service->returns_arena, mark);
            continue;
        }
        returns_add(returns, cache_tenant(object), &row, is_rollout);
    }
}

/* ---- the change ---- */

static void returns_end(struct returns *returns)
{
    arena_free(returns->service->returns_arena);
    returns->service->returns_arena = NULL;
    returns->count = 0;
    returns->step = RETURNS_IDLE;
}

static void returns_later(struct returns *returns)
{
    const struct service_ports *ports = &returns->service->ports;

    returns->again_ms = ports->wall_ms(ports->arg) + RETURNS_AGAIN_MS;
    returns->is_due = true;
}

/* Callback of service_patch, possibly called before it returns. */
static void returns_changed(void *arg, const struct service_answer *answer)
{
    struct returns *returns = arg;
    const struct err *err = shrink_error_of(answer);

    returns->step = RETURNS_REFUSED;
    if (err == NULL) {
        returns->refusal = TEXT("");
        returns->is_due = true; /* another group may be waiting */
    } else if (shrink_is_passing(err)) {
        returns->refusal = TEXT("");
        returns_later(returns);
    } else {
        returns->refusal = arena_text(returns->service->returns_arena, text_from(err->text));
    }
}

static void returns_dropped(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct returns *returns = arg;

    (void)answer;
    if (outcome != OUTCOME_OK) {
        returns_later(returns);
    }
    returns->refusal = TEXT("");
    returns->step = RETURNS_REFUSED;
}

/* Handles a size that cannot be reduced. The first machine loses its marker, so that the planner
 * returns it. The other machines follow one by one. */
static void returns_drop(struct returns *returns)
{
    struct service *service = returns->service;
    const struct cache_object *object =
        cache_find(service->cache, returns->actor.tenant, TEXT(DISCOVERED_KIND), returns->rows[0]);
    struct store_compare compare;
    struct store_event event;
    struct discovered row;
    struct store_op op;

    returns->is_due = true;
    if (!discovered_read(returns->service->returns_arena, object, &row)) {
        returns_end(returns);
        return;
    }
    row.claim.is_sized = false;
    if (returns->is_rollout) { /* after a rollout there is no marker in the row to remove */
        returns->refused_group = returns_group_hash(returns->cluster, returns->group);
        returns->refused_ms = service->ports.wall_ms(service->ports.arg);
    }
    compare.key = discovered_key(returns->service->returns_arena, returns->actor.tenant, row.id);
    compare.revision = object->parts[CACHE_BASE].revision;
    op = (struct store_op){ .key = compare.key,
                            .value = discovered_format(returns->service->returns_arena, &row) };
    event = service_event(
        service, returns->service->returns_arena, &returns->actor,
        &(struct service_event){
            .type = "node.return_refused",
            .cluster = objects_cluster_name(service->cache, returns->service->returns_arena,
                                            returns->actor.tenant, returns->cluster),
            .cluster_id = returns->cluster,
            .group = returns->group,
            .fact =
                arena_printf(returns->service->returns_arena,
                             returns->is_rollout
                                 ? "%.*s: changed stages failed, and the size of the group stays"
                                 : "%.*s: the commission failed, and the size of the group stays",
                             TEXT_ARG(returns->names[0])),
            .why = returns->refusal,
        });
    returns->step = RETURNS_WAIT;
    store_txn(service->store, &(struct store_txn){ &compare, 1, &op, 1, &event, 1 },
              returns_dropped, returns);
}

static struct text returns_names(const struct returns *returns)
{
    struct buf buf;

    buf_init(&buf, returns->service->returns_arena);
    for (size_t i = 0; i < returns->count; i++) {
        buf_printf(&buf, "%s%.*s", i == 0 ? "" : ",", TEXT_ARG(returns->names[i]));
    }
    return buf_text(&buf);
}

static void returns_change(struct returns *returns)
{
    struct service *service = returns->service;
    struct arena *arena = service->returns_arena;
    const struct shrink_group group = { returns->actor.tenant, returns->cluster, returns->group };
    struct text names = returns_names(returns);
    struct service_patch *patch;
    uint64_t revision;
    uint64_t size;

    if (!shrink_size_find(service, arena, &group, &size, &revision)) {
        returns_end(returns); /* the machines leave with their group */
        return;
    }
    if (shrink_alive(service, arena, &group) > size || size < returns->count) {
        returns_end(returns); /* the group is already shrinking */
        returns_later(returns);
        return;
    }
    patch = shrink_patch_make(service, arena, &group, size - returns->count, revision);
    patch->change.victims = names;
    patch->change.is_return = true;
    patch->change.allow.destroy = returns->count;
    patch->change.why = arena_printf(arena,
                                     returns->is_rollout ? "changed stages failed on %.*s"
                                                         : "the commission of %.*s failed",
                                     TEXT_ARG(names));
    returns->step = RETURNS_WAIT;
    service_patch(service, arena, &returns->actor, patch, returns_changed, returns);
}

static void returns_look(struct returns *returns)
{
    returns->is_due = false;
    returns->again_ms = 0;
    returns->service->returns_arena = arena_new(SIZE_MAX);
    returns->actor = (struct service_actor){ .user = TEXT(RETURNS_USER) };
    returns_find(returns);
    if (returns->count == 0) {
        returns_end(returns);
    } else {
        returns_change(returns);
    }
}

static struct returns *returns_begin(struct service *service)
{
    struct returns *returns = arena_one(service->memory, struct returns);

    *returns = (struct returns){ .service = service };
    return returns;
}

/* Watches the states of nodes. States that already exist are checked immediately. */
static void returns_follow(struct returns *returns)
{
    struct cache *cache = returns->service->cache;
    const struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT("Node") };
    const struct cache_scope rows = { .prefix = TEXT("/"), .kind = TEXT(DISCOVERED_KIND) };

    if (returns->row_watch == NULL) {
        returns->row_watch =
            cache_watch(cache, &rows, cache_revision(cache) + 1, returns_row_seen, returns);
        returns->is_due = true;
    }
    if (returns->watch != NULL) {
        return;
    }
    returns->watch = cache_watch(cache, &scope, cache_revision(cache) + 1, returns_seen, returns);
    returns->is_due = true;
}

void service_returns(struct service *service)
{
    const struct service_ports *ports = &service->ports;
    struct returns *returns;

    /* only in the process that reconciles the clusters, so that it is done once */
    if (!service_is_ready(service) || service->reconciler.pass == NULL) {
        return;
    }
    returns = service->returns =
        service->returns != NULL ? service->returns : returns_begin(service);
    if (returns->watch == NULL || returns->row_watch == NULL) {
        returns_follow(returns);
    }
    if (returns->step == RETURNS_REFUSED && returns->refusal.length > 0) {
        returns_drop(returns);
    } else if (returns->step == RETURNS_REFUSED) {
        returns_end(returns);
    }
    if (returns->step == RETURNS_IDLE && returns->is_due &&
        ports->wall_ms(ports->arg) >= returns->again_ms) {
        returns_look(returns);
    }
}
