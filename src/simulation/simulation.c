/* One run: the store, the manager and its providers, on a simulated clock. */
#include "simulation/simulation.h"

#include "base/limits.h"
#include "service/service_change.h"
#include "service/service_read.h"
#include "simulation/simulation_parts.h"
#include "store/memory.h"

#include <assert.h>
#include <stdio.h>

enum {
    HOUR_MS = 60 * 60 * 1000,
    RING = 65536,        /* changes that the cache keeps for its watches */
    QUIET_TURNS = 3,     /* number of idle iterations after which no more work is expected */
    EVENTS_KEPT = 20000, /* events kept in the store; nothing reads older ones */
    REVISIONS_KEPT = 2000,
};

/* ---- ports ---- */

uint64_t simulation_time(const struct simulation *simulation)
{
    return simulation->now_ms - simulation->begun_ms;
}

uint64_t simulation_draw(struct simulation *simulation, uint64_t below)
{
    uint64_t z = (simulation->luck += UINT64_C(0x9e3779b97f4a7c15));

    assert(below > 0);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return z % below;
}

static uint64_t simulation_now_ms(void *arg)
{
    return ((const struct simulation *)arg)->now_ms;
}

static uint64_t cloud_now_ms(void *arg)
{
    return ((const struct simulation_cloud *)arg)->simulation->now_ms;
}

/* An arbitrary fixed date: no real time is used. */
static int64_t simulation_wall_ms(void *arg)
{
    return INT64_C(1760000000000) + (int64_t)((const struct simulation *)arg)->now_ms;
}

static void simulation_id_make(void *arg, char out[static 37])
{
    snprintf(out, 37, "%08llx-0000-4000-8000-000000000000",
             (unsigned long long)(++((struct simulation *)arg)->ids & 0xffffffff));
}

static void random_fill(void *arg, void *out, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        ((unsigned char *)out)[i] = (unsigned char)simulation_draw(arg, 256);
    }
}

static void simulation_mac_make(void *arg, struct text data, char out[static 33])
{
    (void)arg;
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)text_hash(data, 1),
             (unsigned long long)text_hash(data, 2));
}

static struct simulation_cloud *simulation_cloud_make(struct simulation *simulation,
                                                      struct text plugin)
{
    struct simulation_cloud *cloud = arena_one(simulation->memory, struct simulation_cloud);

    *cloud = (struct simulation_cloud){ .simulation = simulation,
                                        .plugin = arena_text(simulation->memory, plugin) };
    cloud->cloud = sim_cloud_new((struct sim_options){
        .now_ms = cloud_now_ms,
        .fate = simulation_fate,
        .luck = simulation_cloud_luck,
        .arg = cloud,
        .boot_ms = SIMULATION_BOOT_MS,
        .visible_ms = SIMULATION_VISIBLE_MS,
        .traits = { .lag_ms = SIMULATION_VISIBLE_MS },
    });
    sim_watch(cloud->cloud, simulation_machine_reported, simulation);
    *simulation->clouds_last = cloud;
    simulation->clouds_last = &cloud->next;
    return cloud;
}

/* Each plugin has its own simulated cloud. */
static struct provider *simulation_provider_give(void *arg, struct text tenant, struct text plugin,
                                                 const char **problem)
{
    struct simulation *simulation = arg;
    struct simulation_cloud *cloud = simulation->clouds;

    (void)tenant;
    *problem = "";
    while (cloud != NULL && !text_is_equal(cloud->plugin, plugin)) {
        cloud = cloud->next;
    }
    if (cloud == NULL) {
        cloud = simulation_cloud_make(simulation, plugin);
    }
    if (cloud->provider == NULL) {
        cloud->provider = sim_provider_new(cloud->cloud);
    }
    return cloud->provider;
}

/* ---- the manager ---- */

void simulation_turn(struct simulation *simulation)
{
    for (int quiet = 0; quiet < QUIET_TURNS;) {
        size_t done = store_run(simulation->store);

        for (struct simulation_cloud *cloud = simulation->clouds; cloud != NULL;
             cloud = cloud->next) {
            done += sim_cloud_run(cloud->cloud);
        }
        if (simulation->service != NULL) {
            done += cache_run(simulation->cache);
            service_run(simulation->service);
        }
        if (simulation->control != NULL) {
            simulation->control_due_ms = control_run(simulation->control);
        }
        quiet = done > 0 ? 0 : quiet + 1;
    }
}

static void service_begin(struct simulation *simulation)
{
    simulation->cache = cache_new(simulation->store, RING);
    simulation->service =
        service_new(simulation->store, simulation->cache,
                    (struct service_ports){ simulation_wall_ms, simulation_id_make, simulation });
    while (!service_is_ready(simulation->service)) {
        simulation_turn(simulation);
    }
}

static void simulation_control_begin(struct simulation *simulation)
{
    struct control_options options = control_options_default();
    struct text session =
        arena_printf(simulation->memory, "life-%llu", (unsigned long long)++simulation->lives);

    options.session = session;
    options.clock = TEXT("trial");
    options.is_alone = true;
    simulation->control =
        control_new(simulation->store, simulation->cache,
                    (struct control_ports){ .now_ms = simulation_now_ms,
                                            .wall_ms = simulation_wall_ms,
                                            .random = random_fill,
                                            .mac = simulation_mac_make,
                                            .provider_find = simulation_provider_give,
                                            .arg = simulation },
                    options);
    control_watch(simulation->control, simulation_pass_reported, simulation);
}

void simulation_life_begin(struct simulation *simulation)
{
    service_begin(simulation);
    simulation_control_begin(simulation);
}

/* Ends the manager. Its active provider calls may still take effect but are not reported. */
void simulation_life_end(struct simulation *simulation)
{
    /* the control is stopped first, because otherwise answers of the store would cause calls of
     * closed providers */
    control_stop(simulation->control);
    for (struct simulation_cloud *cloud = simulation->clouds; cloud != NULL; cloud = cloud->next) {
        if (cloud->provider != NULL) {
            provider_close(cloud->provider);
            cloud->provider = NULL;
        }
    }
    cache_free(simulation->cache);
    while (store_run(simulation->store) > 0) {
    }
    control_free(simulation->control);
    service_free(simulation->service);
    simulation->cache = NULL;
    simulation->control = NULL;
    simulation->service = NULL;
    simulation->control_due_ms = UINT64_MAX;
}

/* ---- the files ---- */

struct reply {
    struct err_list *errors;
    bool is_there;
    bool is_refused;
};

static void applied(void *arg, const struct service_answer *answer)
{
    struct reply *reply = arg;

    reply->is_there = true;
    reply->is_refused = answer->errors->errors > 0;
    for (size_t i = 0; i < answer->errors->count; i++) {
        if (answer->errors->items[i].severity != ERR_SEVERITY_WARNING) {
            err_list_add(reply->errors, &answer->errors->items[i]);
        }
    }
}

/* Applies all documents of the files together, and confirms all plans. */
static bool simulation_files_apply(struct simulation *simulation, struct err_list *errors)
{
    const struct model_set *set = simulation->options.set;
    struct service_actor actor = { TEXT(SIMULATION_TENANT), TEXT("trial") };
    struct service_change change = { .mode = CHANGE_APPLY,
                                     .supersedes = true,
                                     .document_count = set->count,
                                     .allow = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX } };
    struct doc *documents = arena_array(simulation->memory, struct doc, set->count);
    struct reply reply = { .errors = errors };

    for (size_t i = 0; i < set->count; i++) {
        documents[i] = *set->objects[i].document;
    }
    change.documents = documents;
    change.takes = arena_one(simulation->memory, struct text);
    service_change(simulation->service, simulation->memory, &actor, &change, applied, &reply);
    for (int i = 0; i < LIMIT_SIMULATION_TURNS && !reply.is_there; i++) {
        simulation_turn(simulation);
    }
    assert(reply.is_there);
    return !reply.is_refused;
}

static bool is_cluster(const struct model_object *object)
{
    return object->kind != NULL && text_is(text_from(object->kind->name), "Cluster");
}

static void simulation_groups_take(struct simulation *simulation,
                                   struct simulation_cluster *cluster,
                                   const struct model_object *object)
{
    cluster->groups = &simulation->result->groups[simulation->result->group_count];
    cluster->group_count = object->leaf_count;
    for (size_t i = 0; i < object->leaf_count; i++) {
        const struct model_leaf *leaf = &object->leaves[i];

        cluster->groups[i] = (struct simulation_group){ .cluster = object->name,
                                                        .path = leaf->path,
                                                        .plugin = leaf->group.plugin,
                                                        .wanted = leaf->group.size };
    }
    simulation->result->group_count += object->leaf_count;
}

static void simulation_clusters_take(struct simulation *simulation)
{
    const struct model_set *set = simulation->options.set;
    size_t groups = 0;

    for (size_t i = 0; i < set->count; i++) {
        groups += is_cluster(&set->objects[i]) ? set->objects[i].leaf_count : 0;
    }
    simulation->clusters = arena_array(simulation->memory, struct simulation_cluster, set->count);
    simulation->result->groups = arena_array(simulation->arena, struct simulation_group, groups);
    for (size_t i = 0; i < set->count; i++) {
        if (is_cluster(&set->objects[i])) {
            struct simulation_cluster *cluster = &simulation->clusters[simulation->cluster_count++];

            cluster->name = set->objects[i].name;
            simulation_groups_take(simulation, cluster, &set->objects[i]);
        }
    }
    simulation->result->clusters = simulation->cluster_count;
}

/* Finds the ids of the created clusters. */
static void clusters_find(struct simulation *simulation)
{
    struct text prefix = TEXT("/" SIMULATION_TENANT "/Cluster/");

    map_init(&simulation->cluster_by_key, simulation->memory);
    for (const struct cache_object *object = cache_first(simulation->cache, prefix); object != NULL;
         object = cache_next(simulation->cache, prefix, object)) {
        struct text name = service_cluster_name(simulation->service, simulation->memory,
                                                TEXT(SIMULATION_TENANT), cache_id(object));

        for (size_t i = 0; i < simulation->cluster_count; i++) {
            struct simulation_cluster *cluster = &simulation->clusters[i];

            if (text_is_equal(cluster->name, name)) {
                cluster->key = arena_printf(simulation->memory, SIMULATION_TENANT "/%.*s",
                                            TEXT_ARG(cache_id(object)));
                map_put(&simulation->cluster_by_key, cluster->key, cluster);
            }
        }
    }
    assert(simulation->cluster_by_key.count == simulation->cluster_count);
}

/* ---- time ---- */

static uint64_t simulation_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_time(const struct simulation *simulation)
{
    uint64_t end = simulation->begun_ms + simulation->options.duration_ms;
    uint64_t next = simulation_earlier(
        simulation_earlier(simulation->control_due_ms, simulation_strike_due(simulation)),
        simulation_earlier(simulation->housekeeping_ms, end));

    for (const struct simulation_cloud *cloud = simulation->clouds; cloud != NULL;
         cloud = cloud->next) {
        next = simulation_earlier(next, sim_cloud_due(cloud->cloud));
    }
    if (simulation->look_until_ms > simulation->now_ms) {
        next = simulation_earlier(next, simulation->look_until_ms);
    }
    return next > simulation->now_ms ? next : simulation->now_ms + 1;
}

static void ignored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)outcome;
    (void)answer;
}

/* Removes data that would fill the memory in a long run. */
static void housekeeping(struct simulation *simulation)
{
    struct store_status status;

    simulation->housekeeping_ms = simulation->now_ms + HOUR_MS;
    store_status(simulation->store, &status);
    if (status.revision - status.compacted_revision > 2 * REVISIONS_KEPT) {
        store_compact(simulation->store, status.revision - REVISIONS_KEPT, ignored, NULL);
    }
    store_events_drop(simulation->store, 0, EVENTS_KEPT, ignored, NULL);
    for (struct simulation_cloud *cloud = simulation->clouds; cloud != NULL; cloud = cloud->next) {
        sim_forget(cloud->cloud,
                   simulation->now_ms > 2 * HOUR_MS ? simulation->now_ms - 2 * HOUR_MS : 0);
    }
}

static void run(struct simulation *simulation)
{
    uint64_t end = simulation->begun_ms + simulation->options.duration_ms;

    while (simulation->now_ms < end) {
        simulation_strike(simulation);
        simulation_turn(simulation);
        simulation_look(simulation);
        if (simulation->now_ms >= simulation->housekeeping_ms) {
            housekeeping(simulation);
        }
        simulation->now_ms = next_time(simulation);
    }
}

static void simulation_end(struct simulation *simulation)
{
    if (simulation->service != NULL) {
        simulation_life_end(simulation);
    }
    store_close(simulation->store);
    for (struct simulation_cloud *cloud = simulation->clouds; cloud != NULL; cloud = cloud->next) {
        sim_cloud_free(cloud->cloud);
    }
    arena_free(simulation->memory);
}

bool simulation_run(struct arena *arena, const struct simulation_options *options,
                    struct simulation_result *out, struct err_list *errors)
{
    static const unsigned char incarnation[16] = "reeve simulate";
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct simulation *simulation = arena_one(memory, struct simulation);
    bool is_applied;

    *out = (struct simulation_result){ .struck = arena_array(arena, struct simulation_struck,
                                                             options->fault_count) };
    *simulation = (struct simulation){ .arena = arena,
                                       .memory = memory,
                                       .options = *options,
                                       .result = out,
                                       .clouds_last = &simulation->clouds,
                                       .now_ms = HOUR_MS,
                                       .begun_ms = HOUR_MS,
                                       .housekeeping_ms = 2 * HOUR_MS,
                                       .luck = options->seed * UINT64_C(0x9e3779b97f4a7c15) };
    simulation->store = memory_open(incarnation);
    map_init(&simulation->holds, memory);
    simulation_clusters_take(simulation);
    service_begin(simulation);
    is_applied = simulation_files_apply(simulation, errors);
    if (is_applied) {
        clusters_find(simulation);
        simulation_group_init(simulation);
        simulation_control_begin(simulation);
        run(simulation);
        simulation_sum(simulation);
    }
    simulation_end(simulation);
    return is_applied;
}
