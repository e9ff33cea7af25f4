/* One run: the store, the manager and its providers, on a clock that jumps. */
#include "trial/trial.h"

#include "base/limits.h"
#include "store/memory.h"
#include "trial/trial_parts.h"

#include <assert.h>
#include <stdio.h>

enum {
    HOUR_MS = 60 * 60 * 1000,
    RING = 65536,        /* changes that the cache keeps for its watches */
    QUIET_TURNS = 3,     /* idle turns before nothing counts as due */
    EVENTS_KEPT = 20000, /* events kept in the store; nothing reads older ones */
    REVISIONS_KEPT = 2000,
};

/* ---- ports ---- */

uint64_t trial_time(const struct trial *trial)
{
    return trial->now_ms - trial->begun_ms;
}

uint64_t trial_draw(struct trial *trial, uint64_t below)
{
    uint64_t z = (trial->luck += UINT64_C(0x9e3779b97f4a7c15));

    assert(below > 0);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return z % below;
}

static uint64_t trial_now_ms(void *arg)
{
    return ((const struct trial *)arg)->now_ms;
}

static uint64_t cloud_now_ms(void *arg)
{
    return ((const struct trial_cloud *)arg)->trial->now_ms;
}

/* An arbitrary fixed date: no real time is used. */
static int64_t trial_wall_ms(void *arg)
{
    return INT64_C(1760000000000) + (int64_t)((const struct trial *)arg)->now_ms;
}

static void trial_id_make(void *arg, char out[static 37])
{
    snprintf(out, 37, "%08llx-0000-4000-8000-000000000000",
             (unsigned long long)(++((struct trial *)arg)->ids & 0xffffffff));
}

static void random_fill(void *arg, void *out, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        ((unsigned char *)out)[i] = (unsigned char)trial_draw(arg, 256);
    }
}

static void trial_mac_make(void *arg, struct text data, char out[static 33])
{
    (void)arg;
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)text_hash(data, 1),
             (unsigned long long)text_hash(data, 2));
}

static struct trial_cloud *trial_cloud_make(struct trial *trial, struct text plugin)
{
    struct trial_cloud *cloud = arena_one(trial->memory, struct trial_cloud);

    *cloud = (struct trial_cloud){ .trial = trial, .plugin = arena_text(trial->memory, plugin) };
    cloud->cloud = sim_cloud_new((struct sim_options){
        .now_ms = cloud_now_ms,
        .fate = trial_fate,
        .luck = trial_cloud_luck,
        .arg = cloud,
        .boot_ms = TRIAL_BOOT_MS,
        .visible_ms = TRIAL_VISIBLE_MS,
        .traits = { .lag_ms = TRIAL_VISIBLE_MS },
    });
    sim_watch(cloud->cloud, trial_machine_reported, trial);
    *trial->clouds_last = cloud;
    trial->clouds_last = &cloud->next;
    return cloud;
}

/* Each plugin has its own simulated cloud. */
static struct provider *trial_provider_give(void *arg, struct text tenant, struct text plugin,
                                            const char **problem)
{
    struct trial *trial = arg;
    struct trial_cloud *cloud = trial->clouds;

    (void)tenant;
    *problem = "";
    while (cloud != NULL && !text_is_equal(cloud->plugin, plugin)) {
        cloud = cloud->next;
    }
    if (cloud == NULL) {
        cloud = trial_cloud_make(trial, plugin);
    }
    if (cloud->provider == NULL) {
        cloud->provider = sim_provider_new(cloud->cloud);
    }
    return cloud->provider;
}

/* ---- the manager ---- */

void trial_turn(struct trial *trial)
{
    for (int quiet = 0; quiet < QUIET_TURNS;) {
        size_t done = store_run(trial->store);

        for (struct trial_cloud *cloud = trial->clouds; cloud != NULL; cloud = cloud->next) {
            done += sim_cloud_run(cloud->cloud);
        }
        if (trial->service != NULL) {
            done += cache_run(trial->cache);
            service_run(trial->service);
        }
        if (trial->control != NULL) {
            trial->control_due_ms = control_run(trial->control);
        }
        quiet = done > 0 ? 0 : quiet + 1;
    }
}

static void service_begin(struct trial *trial)
{
    trial->cache = cache_new(trial->store, RING);
    trial->service = service_new(trial->store, trial->cache,
                                 (struct service_ports){ trial_wall_ms, trial_id_make, trial });
    while (!service_is_ready(trial->service)) {
        trial_turn(trial);
    }
}

static void trial_control_begin(struct trial *trial)
{
    struct control_options options = control_options_default();
    struct text session =
        arena_printf(trial->memory, "life-%llu", (unsigned long long)++trial->lives);

    options.session = session;
    options.clock = TEXT("trial");
    options.is_alone = true;
    trial->control = control_new(trial->store, trial->cache,
                                 (struct control_ports){ .now_ms = trial_now_ms,
                                                         .wall_ms = trial_wall_ms,
                                                         .random = random_fill,
                                                         .mac = trial_mac_make,
                                                         .provider_find = trial_provider_give,
                                                         .arg = trial },
                                 options);
    control_watch(trial->control, trial_pass_reported, trial);
}

void trial_life_begin(struct trial *trial)
{
    service_begin(trial);
    trial_control_begin(trial);
}

/* Ends the manager. Its active provider calls may still take effect but are not reported. */
void trial_life_end(struct trial *trial)
{
    /* First, because answers of the store would make it call providers that are closed. */
    control_stop(trial->control);
    for (struct trial_cloud *cloud = trial->clouds; cloud != NULL; cloud = cloud->next) {
        if (cloud->provider != NULL) {
            provider_close(cloud->provider);
            cloud->provider = NULL;
        }
    }
    cache_free(trial->cache);
    while (store_run(trial->store) > 0) {
    }
    control_free(trial->control);
    service_free(trial->service);
    trial->cache = NULL;
    trial->control = NULL;
    trial->service = NULL;
    trial->control_due_ms = UINT64_MAX;
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

/* Applies all documents of the files together, confirming everything. */
static bool trial_files_apply(struct trial *trial, struct err_list *errors)
{
    const struct model_set *set = trial->options.set;
    struct service_actor actor = { TEXT(TRIAL_TENANT), TEXT("trial") };
    struct service_change change = { .mode = CHANGE_APPLY,
                                     .supersedes = true,
                                     .document_count = set->count,
                                     .allow = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX } };
    struct doc *documents = arena_array(trial->memory, struct doc, set->count);
    struct reply reply = { .errors = errors };

    for (size_t i = 0; i < set->count; i++) {
        documents[i] = *set->objects[i].document;
    }
    change.documents = documents;
    change.takes = arena_one(trial->memory, struct text);
    service_change(trial->service, trial->memory, &actor, &change, applied, &reply);
    for (int i = 0; i < LIMIT_TRIAL_TURNS && !reply.is_there; i++) {
        trial_turn(trial);
    }
    assert(reply.is_there);
    return !reply.is_refused;
}

static bool is_cluster(const struct model_object *object)
{
    return object->kind != NULL && text_is(text_from(object->kind->name), "Cluster");
}

static void trial_groups_take(struct trial *trial, struct trial_cluster *cluster,
                              const struct model_object *object)
{
    cluster->groups = &trial->result->groups[trial->result->group_count];
    cluster->group_count = object->leaf_count;
    for (size_t i = 0; i < object->leaf_count; i++) {
        const struct model_leaf *leaf = &object->leaves[i];

        cluster->groups[i] = (struct trial_group){ .cluster = object->name,
                                                   .path = leaf->path,
                                                   .plugin = leaf->group.plugin,
                                                   .wanted = leaf->group.size };
    }
    trial->result->group_count += object->leaf_count;
}

static void trial_clusters_take(struct trial *trial)
{
    const struct model_set *set = trial->options.set;
    size_t groups = 0;

    for (size_t i = 0; i < set->count; i++) {
        groups += is_cluster(&set->objects[i]) ? set->objects[i].leaf_count : 0;
    }
    trial->clusters = arena_array(trial->memory, struct trial_cluster, set->count);
    trial->result->groups = arena_array(trial->arena, struct trial_group, groups);
    for (size_t i = 0; i < set->count; i++) {
        if (is_cluster(&set->objects[i])) {
            struct trial_cluster *cluster = &trial->clusters[trial->cluster_count++];

            cluster->name = set->objects[i].name;
            trial_groups_take(trial, cluster, &set->objects[i]);
        }
    }
    trial->result->clusters = trial->cluster_count;
}

/* Finds the ids of the created clusters. */
static void clusters_find(struct trial *trial)
{
    struct text prefix = TEXT("/" TRIAL_TENANT "/Cluster/");

    map_init(&trial->cluster_by_key, trial->memory);
    for (const struct cache_object *object = cache_first(trial->cache, prefix); object != NULL;
         object = cache_next(trial->cache, prefix, object)) {
        struct text name = service_cluster_name(trial->service, trial->memory, TEXT(TRIAL_TENANT),
                                                cache_id(object));

        for (size_t i = 0; i < trial->cluster_count; i++) {
            struct trial_cluster *cluster = &trial->clusters[i];

            if (text_is_equal(cluster->name, name)) {
                cluster->key =
                    arena_printf(trial->memory, TRIAL_TENANT "/%.*s", TEXT_ARG(cache_id(object)));
                map_put(&trial->cluster_by_key, cluster->key, cluster);
            }
        }
    }
    assert(trial->cluster_by_key.count == trial->cluster_count);
}

/* ---- time ---- */

static uint64_t trial_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_time(const struct trial *trial)
{
    uint64_t end = trial->begun_ms + trial->options.duration_ms;
    uint64_t next = trial_earlier(trial_earlier(trial->control_due_ms, trial_strike_due(trial)),
                                  trial_earlier(trial->housekeeping_ms, end));

    for (const struct trial_cloud *cloud = trial->clouds; cloud != NULL; cloud = cloud->next) {
        next = trial_earlier(next, sim_cloud_due(cloud->cloud));
    }
    if (trial->look_until_ms > trial->now_ms) {
        next = trial_earlier(next, trial->look_until_ms);
    }
    return next > trial->now_ms ? next : trial->now_ms + 1;
}

static void ignored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)outcome;
    (void)answer;
}

/* Removes data that would fill the memory in a long run. */
static void housekeeping(struct trial *trial)
{
    struct store_status status;

    trial->housekeeping_ms = trial->now_ms + HOUR_MS;
    store_status(trial->store, &status);
    if (status.revision - status.compacted_revision > 2 * REVISIONS_KEPT) {
        store_compact(trial->store, status.revision - REVISIONS_KEPT, ignored, NULL);
    }
    store_events_drop(trial->store, 0, EVENTS_KEPT, ignored, NULL);
    for (struct trial_cloud *cloud = trial->clouds; cloud != NULL; cloud = cloud->next) {
        sim_forget(cloud->cloud, trial->now_ms > 2 * HOUR_MS ? trial->now_ms - 2 * HOUR_MS : 0);
    }
}

static void run(struct trial *trial)
{
    uint64_t end = trial->begun_ms + trial->options.duration_ms;

    while (trial->now_ms < end) {
        trial_strike(trial);
        trial_turn(trial);
        trial_look(trial);
        if (trial->now_ms >= trial->housekeeping_ms) {
            housekeeping(trial);
        }
        trial->now_ms = next_time(trial);
    }
}

static void trial_end(struct trial *trial)
{
    if (trial->service != NULL) {
        trial_life_end(trial);
    }
    store_close(trial->store);
    for (struct trial_cloud *cloud = trial->clouds; cloud != NULL; cloud = cloud->next) {
        sim_cloud_free(cloud->cloud);
    }
    arena_free(trial->memory);
}

bool trial_run(struct arena *arena, const struct trial_options *options, struct trial_result *out,
               struct err_list *errors)
{
    static const unsigned char incarnation[16] = "reeve simulate";
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct trial *trial = arena_one(memory, struct trial);
    bool is_applied;

    *out = (struct trial_result){ .struck = arena_array(arena, struct trial_struck,
                                                        options->fault_count) };
    *trial = (struct trial){ .arena = arena,
                             .memory = memory,
                             .options = *options,
                             .result = out,
                             .clouds_last = &trial->clouds,
                             .now_ms = HOUR_MS,
                             .begun_ms = HOUR_MS,
                             .housekeeping_ms = 2 * HOUR_MS,
                             .luck = options->seed * UINT64_C(0x9e3779b97f4a7c15) };
    trial->store = memory_open(incarnation);
    map_init(&trial->holds, memory);
    trial_clusters_take(trial);
    service_begin(trial);
    is_applied = trial_files_apply(trial, errors);
    if (is_applied) {
        clusters_find(trial);
        trial_group_init(trial);
        trial_control_begin(trial);
        run(trial);
        trial_sum(trial);
    }
    trial_end(trial);
    return is_applied;
}
