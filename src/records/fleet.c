#include "records/fleet.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/map.h"
#include "model/nest.h"
#include "records/abandoned.h"
#include "records/accepted.h"
#include "records/fleet_parts.h"
#include "records/rerun.h"
#include "state/batches.h"
#include "state/revoked.h"

#include <assert.h>
#include <string.h>

struct fleet {
    struct arena *memory;
    struct arena *scratch;
    struct cache *cache;
    struct cache_watch *watch;
    struct map clusters; /* maps TENANT/ID to a cluster */
    size_t machine_count;
    struct pool *machine_pool;
    struct pool *cluster_pool;
    fleet_changed *changed;
    void *arg;
    bool is_lost;
};

struct fleet_cluster *fleet_find(const struct fleet *fleet, struct text key)
{
    return map_find(&fleet->clusters, key);
}

struct fleet_cluster *fleet_next(const struct fleet *fleet, const struct fleet_cluster *cluster)
{
    const struct map_node *node = cluster == NULL ? map_first(&fleet->clusters, TEXT(""))
                                                  : map_after(&fleet->clusters, cluster->key);

    return node == NULL ? NULL : node->value;
}

size_t fleet_count(const struct fleet *fleet)
{
    return fleet->machine_count;
}

/* ---- adding and removing clusters ---- */

static struct fleet_cluster *fleet_cluster_make(struct fleet *fleet, struct text tenant,
                                                struct text id)
{
    struct text key = arena_printf(fleet->scratch, "%.*s/%.*s", TEXT_ARG(tenant), TEXT_ARG(id));
    struct fleet_cluster *cluster = fleet_find(fleet, key);

    if (cluster != NULL) {
        return cluster;
    }
    cluster = pool_take(fleet->cluster_pool);
    assert(cluster != NULL && "there are no more clusters than keys");
    cluster->key = arena_text(fleet->memory, key);
    cluster->tenant = text_slice(cluster->key, 0, tenant.length);
    cluster->id = text_slice(cluster->key, tenant.length + 1, id.length);
    cluster->is_stale = true;
    map_put(&fleet->clusters, cluster->key, cluster);
    return cluster;
}

static void cluster_end(struct fleet_cluster *cluster)
{
    arena_free(cluster->memory);
    fleet_index_fini(&cluster->tokens);
    rows_free(cluster->machines);
}

/* ---- adding, changing and removing machines ---- */

static struct text token_of(const void *machines, size_t row)
{
    return fleet_machine_token(((struct fleet_machine *const *)machines)[row]);
}

struct fleet_machine *fleet_machine_find(const struct fleet_cluster *cluster, struct text token)
{
    size_t row = fleet_index_find(&cluster->tokens, cluster->machines, token_of, token);

    return row == SIZE_MAX ? NULL : cluster->machines[row];
}

static void fleet_room_make(struct fleet_cluster *cluster)
{
    size_t room = cluster->room == 0 ? 8 : cluster->room * 2;

    if (cluster->count < cluster->room) {
        return;
    }
    cluster->machines = rows_resize(cluster->machines, room * sizeof(*cluster->machines));
    cluster->room = room;
}

static struct fleet_machine *fleet_machine_make(struct fleet *fleet, struct fleet_cluster *cluster,
                                                struct blob *key)
{
    struct fleet_machine *machine = pool_take(fleet->machine_pool);

    assert(machine != NULL && "there are no more machines than keys");
    machine->key = blob_share(key);
    machine->token =
        (uint16_t)(cluster->tenant.length + cluster->id.length + strlen("//Resource//"));
    fleet_room_make(cluster);
    machine->index = (uint32_t)cluster->count++;
    cluster->machines[machine->index] = machine;
    fleet_index_put(&cluster->tokens, cluster->machines, token_of, machine->index);
    fleet->machine_count++;
    return machine;
}

/* Reports the first record that cannot be parsed. When all records can be parsed again, the cluster
 * is reconciled again. */
static void fleet_damage_report(struct fleet *fleet, struct fleet_cluster *cluster)
{
    struct record record;

    cluster->damage = (struct err){ 0 };
    for (size_t i = 0; cluster->damaged_count > 0 && i < cluster->count; i++) {
        const struct fleet_machine *machine = cluster->machines[i];

        if (machine->is_damaged &&
            !record_parse(fleet->scratch, fleet_machine_token(machine), blob_text(machine->bytes),
                          &record, &cluster->damage)) {
            return;
        }
    }
    fleet->changed(fleet->arg, cluster);
}

static void damage_set(struct fleet *fleet, struct fleet_cluster *cluster,
                       struct fleet_machine *machine, bool is_damaged)
{
    bool was_damaged = machine->is_damaged;

    machine->is_damaged = is_damaged;
    if (is_damaged && !was_damaged) {
        cluster->damaged_count++;
    } else if (was_damaged && !is_damaged) {
        assert(cluster->damaged_count > 0);
        cluster->damaged_count--;
        fleet_damage_report(fleet, cluster);
    }
}

/* Removes a machine from its cluster. The last row moves to its index. */
static void machine_end(struct fleet *fleet, struct fleet_cluster *cluster,
                        struct fleet_machine *machine)
{
    size_t last = cluster->count - 1;

    assert(cluster->machines[machine->index] == machine);
    cluster->version++;
    fleet_index_remove(&cluster->tokens, cluster->machines, token_of, fleet_machine_token(machine));
    if (machine->index != last) {
        fleet_index_move(&cluster->tokens, cluster->machines, token_of,
                         fleet_machine_token(cluster->machines[last]), machine->index);
        cluster->machines[machine->index] = cluster->machines[last];
        cluster->machines[machine->index]->index = machine->index;
    }
    cluster->count--;
    fleet->machine_count--;
    damage_set(fleet, cluster, machine, false);
    blob_free(machine->key);
    blob_free(machine->bytes);
    pool_give(fleet->machine_pool, machine);
}

static void engine_fleet_machine_put(struct fleet *fleet, struct fleet_cluster *cluster,
                                     struct fleet_machine *machine, struct blob *bytes,
                                     uint64_t revision)
{
    struct text token = fleet_machine_token(machine);
    struct record record;
    bool is_readable;
    struct err err;

    cluster->version++;
    blob_share(bytes);
    blob_free(machine->bytes);
    machine->bytes = bytes;
    machine->revision = revision;
    is_readable = record_parse(fleet->scratch, token, blob_text(bytes), &record, &err);
    if (!is_readable) {
        /* the reconciler takes no actions for a cluster with an invalid record */
        cluster->damage = err;
        record = (struct record){ .plan.token = token };
    }
    fleet_machine_pack(machine, &record);
    damage_set(fleet, cluster, machine, !is_readable);
}

/* ---- following the cache ---- */

/* Find the cluster of an object by its id: the first part of the id is the cluster. */
static struct text fleet_cluster_of(struct text id)
{
    return text_slice(id, 0, text_find_byte(id, '/'));
}

static void wanted_change(struct fleet *fleet, struct text tenant, struct text id,
                          uint64_t revision)
{
    struct fleet_cluster *cluster = fleet_cluster_make(fleet, tenant, fleet_cluster_of(id));

    cluster->wanted_revision =
        revision > cluster->wanted_revision ? revision : cluster->wanted_revision;
    cluster->version++;
    cluster->is_stale = true;
    fleet->changed(fleet->arg, cluster);
}

/* Called when a change in several transactions is complete. The clusters of the change can then be
 * read again. */
static void fleet_operation_end(struct fleet *fleet)
{
    struct fleet_cluster *cluster = NULL;

    while ((cluster = fleet_next(fleet, cluster)) != NULL) {
        if (cluster->is_parted) {
            cluster->version++;
            cluster->is_stale = true;
            fleet->changed(fleet->arg, cluster);
        }
    }
}

/* Handles a change that leaves the specification unchanged. After a revocation, the publisher of
 * the revocation list wakes the reconciler. */
static void taken_change(struct fleet *fleet, struct text tenant, struct text id)
{
    struct fleet_cluster *cluster = fleet_cluster_make(fleet, tenant, fleet_cluster_of(id));

    cluster->version++;
}

static void record_change(struct fleet *fleet, struct text tenant, struct text id,
                          struct blob *bytes, uint64_t revision)
{
    struct fleet_cluster *cluster = fleet_cluster_make(fleet, tenant, fleet_cluster_of(id));
    struct text token = text_slice(id, cluster->id.length + 1, SIZE_MAX);
    struct fleet_machine *machine = fleet_machine_find(cluster, token);

    if (bytes == NULL) {
        if (machine != NULL) {
            machine_end(fleet, cluster, machine);
        }
        return;
    }
    if (machine == NULL) {
        const struct cache_object *object = cache_find(fleet->cache, tenant, TEXT("Resource"), id);

        if (object == NULL) {
            return; /* the removal of the machine is reported separately */
        }
        machine = fleet_machine_make(fleet, cluster, object->key);
    }
    engine_fleet_machine_put(fleet, cluster, machine, bytes, revision);
}

/* Return the revision of the newest change of the specification of a cluster or group. */
static uint64_t wanted_since(struct fleet *fleet, const struct blob *bytes, uint64_t revision)
{
    return bytes == NULL ? revision
                         : stored_wanted_since(fleet->scratch, blob_text(bytes), revision);
}

static void object_change(struct fleet *fleet, struct text tenant, struct text kind, struct text id,
                          enum cache_part part, struct blob *bytes, uint64_t revision)
{
    if (part == CACHE_SPEC && text_is(kind, "Cluster")) {
        fleet_cluster_make(fleet, tenant, id)->is_there = bytes != NULL;
        wanted_change(fleet, tenant, id, wanted_since(fleet, bytes, revision));
    } else if (part == CACHE_SPEC && text_is(kind, "NodeGroup")) {
        wanted_change(fleet, tenant, id, wanted_since(fleet, bytes, revision));
    } else if (part == CACHE_SPEC && (text_is(kind, "Control") || text_is(kind, "Hold") ||
                                      (text_is(kind, "Volume") && bytes != NULL))) {
        wanted_change(fleet, tenant, id, 0); /* operator commands do not change the specification */
    } else if (part == CACHE_BASE && text_is(kind, "Operation") && bytes == NULL) {
        fleet_operation_end(fleet);
    } else if ((part == CACHE_BASE && (text_is(kind, RERUN_KIND) || text_is(kind, ACCEPTED_KIND) ||
                                       text_is(kind, ABANDONED_KIND))) ||
               (part != CACHE_STATUS && text_is(kind, BATCHES_KIND))) {
        taken_change(fleet, tenant, id);
        fleet->changed(fleet->arg, fleet_cluster_make(fleet, tenant, fleet_cluster_of(id)));
    } else if ((part == CACHE_BASE && text_is(kind, REVOKED_KIND)) || text_is(kind, "Volume")) {
        taken_change(fleet, tenant, id);
    } else if (part == CACHE_STATUS && text_is(kind, "Resource")) {
        record_change(fleet, tenant, id, bytes, revision);
    }
}

static void fleet_change_seen(void *arg, enum cache_watch_state state,
                              const struct cache_change *change)
{
    struct fleet *fleet = arg;
    struct arena_mark mark = arena_mark(fleet->scratch);

    if (state == CACHE_WATCH_RESET) {
        fleet->watch = NULL;
        fleet->is_lost = true;
        return;
    }
    object_change(fleet, change->tenant, change->kind, change->id, change->part, change->bytes,
                  change->revision);
    arena_rewind(fleet->scratch, mark);
}

static void fleet_all_read(struct fleet *fleet)
{
    struct cache_scope all = { .prefix = TEXT("/") };
    const struct cache_object *object;

    for (object = cache_first(fleet->cache, TEXT("/")); object != NULL;
         object = cache_next(fleet->cache, TEXT("/"), object)) {
        struct arena_mark mark = arena_mark(fleet->scratch);

        for (int part = 0; part < CACHE_PART_COUNT; part++) {
            if (object->parts[part].bytes != NULL) {
                object_change(fleet, cache_tenant(object), cache_kind(object), cache_id(object),
                              (enum cache_part)part, object->parts[part].bytes,
                              object->parts[part].revision);
            }
        }
        arena_rewind(fleet->scratch, mark);
    }
    fleet->watch =
        cache_watch(fleet->cache, &all, cache_revision(fleet->cache) + 1, fleet_change_seen, fleet);
}

struct fleet *fleet_new(struct cache *cache, fleet_changed *changed, void *arg)
{
    struct arena *memory = arena_new(SIZE_MAX);
    struct fleet *fleet = arena_one(memory, struct fleet);

    assert(cache_state(cache) == CACHE_READY);
    *fleet = (struct fleet){
        .memory = memory,
        .scratch = arena_new(LIMIT_WORK_ARENA_BYTES),
        .cache = cache,
        .machine_pool = pool_new(sizeof(struct fleet_machine), LIMIT_STORE_KEYS),
        .cluster_pool = pool_new(sizeof(struct fleet_cluster), LIMIT_STORE_KEYS),
        .changed = changed,
        .arg = arg,
    };
    map_init(&fleet->clusters, memory);
    fleet_all_read(fleet);
    return fleet;
}

void fleet_run(struct fleet *fleet)
{
    struct fleet_cluster *cluster = NULL;

    if (!fleet->is_lost || cache_state(fleet->cache) != CACHE_READY) {
        return;
    }
    fleet->is_lost = false;
    while ((cluster = fleet_next(fleet, cluster)) != NULL) {
        while (cluster->count > 0) {
            machine_end(fleet, cluster, cluster->machines[cluster->count - 1]);
        }
        cluster->is_there = false;
        cluster->is_stale = true;
    }
    fleet_all_read(fleet);
}

void fleet_free(struct fleet *fleet)
{
    const struct map_node *node;

    if (fleet == NULL) {
        return;
    }
    for (node = map_first(&fleet->clusters, TEXT("")); node != NULL;
         node = map_after(&fleet->clusters, node->key)) {
        struct fleet_cluster *cluster = node->value;

        for (size_t i = 0; i < cluster->count; i++) {
            blob_free(cluster->machines[i]->bytes);
            blob_free(cluster->machines[i]->key);
        }
        cluster_end(cluster);
    }
    pool_free(fleet->machine_pool);
    pool_free(fleet->cluster_pool);
    arena_free(fleet->scratch);
    arena_free(fleet->memory);
}

/* ---- specification ---- */

void fleet_wanted(struct fleet *fleet, struct fleet_cluster *cluster)
{
    if (cluster->is_stale) {
        cluster->is_stale = false;
        fleet_wanted_read(fleet->cache, cluster);
    }
}

const struct fleet_group *fleet_group_find(const struct fleet_cluster *cluster, struct text path)
{
    size_t low = 0;
    size_t high = cluster->group_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = nest_compare(cluster->groups[middle].plan.path, path);

        if (order == 0) {
            return &cluster->groups[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}
