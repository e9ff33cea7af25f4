#include "base/limits.h"
#include "query/query_parts.h"
#include "records/configurations.h"

/* public names start with: upgrades_ */

/* Clusters with `autoUpgrade: true` follow pushed revisions: each of their groups with an older
 * revision of the configuration is changed as by `reeve upgrade`, and the rollout applies the
 * change to the machines. Each push takes effect once, and the record of the configuration stores
 * that. So after an undo, a group stays at its earlier revision until the next push. If the manager
 * ends before that is stored, the changes are repeated, which has no further effect. */

#define UPGRADES_USER "reeve"

/* One object to change. */
struct upgrades_target {
    const struct schema_kind *kind; /* NodeGroup, or Cluster for its defaults */
    struct text name;
    struct text cluster; /* name of the cluster */
    struct text cluster_id;
    struct text id; /* id of the object */
};

/* The next step of service_config_upgrades for the configuration. */
enum upgrades_step {
    UPGRADES_CHANGE, /* change the next object, or record that all are changed */
    UPGRADES_REPORT, /* report that the last change was rejected */
    UPGRADES_WAIT,   /* a call is pending */
    UPGRADES_END,
};

struct config_upgrades {
    struct service *service;
    struct arena *arena;
    enum upgrades_step step;
    struct service_actor actor;
    struct text name; /* the configuration */
    uint64_t number;  /* the revision to which the groups move */
    struct upgrades_target *targets;
    size_t count;
    size_t room;
    size_t next;
    struct text refusal; /* why the last change was rejected */
};

/* ---- what lags ---- */

/* True if an object has an older revision of the configuration. */
static bool is_behind(const struct config_upgrades *upgrades, const struct cache_object *object)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct configuration_use use = configuration_use_of(arena, object);
    struct text name;
    uint64_t number;

    return use.reference.length > 0 &&
           configuration_reference_parse(use.reference, &name, &number) &&
           text_is_equal(name, upgrades->name) && number < upgrades->number;
}

static bool is_following(const struct cache_object *cluster)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

    return configuration_use_of(arena, cluster).is_following;
}

static void upgrades_target_add(struct config_upgrades *upgrades, struct upgrades_target target)
{
    if (upgrades->count == upgrades->room) {
        size_t room = upgrades->room * 2 + 8;

        upgrades->targets = arena_grow(upgrades->arena, upgrades->targets,
                                       upgrades->room * sizeof(*upgrades->targets),
                                       room * sizeof(*upgrades->targets));
        upgrades->room = room;
    }
    upgrades->targets[upgrades->count++] = target;
}

static void upgrades_cluster_add(struct config_upgrades *upgrades,
                                 const struct cache_object *cluster)
{
    struct arena *arena = upgrades->arena;
    struct text id = arena_text(arena, cache_id(cluster));
    struct text name =
        objects_cluster_name(upgrades->service->cache, arena, upgrades->actor.tenant, id);
    struct text prefix = objects_group_prefix(arena, upgrades->actor.tenant, id);
    const struct cache_object *group = cache_first(upgrades->service->cache, prefix);

    if (is_behind(upgrades, cluster)) {
        upgrades_target_add(
            upgrades, (struct upgrades_target){ objects_kind("Cluster"), name, name, id, id });
    }
    for (; group != NULL; group = cache_next(upgrades->service->cache, prefix, group)) {
        if (is_behind(upgrades, group)) {
            upgrades_target_add(upgrades, (struct upgrades_target){
                                              objects_kind("NodeGroup"),
                                              arena_printf(arena, "%.*s/%.*s", TEXT_ARG(name),
                                                           TEXT_ARG(objects_group_path(group))),
                                              name, id, arena_text(arena, cache_id(group)) });
        }
    }
}

static void upgrades_targets_find(struct config_upgrades *upgrades)
{
    const struct cache *cache = upgrades->service->cache;
    struct text prefix =
        arena_printf(upgrades->arena, "/%.*s/Cluster/", TEXT_ARG(upgrades->actor.tenant));

    for (const struct cache_object *cluster = cache_first(cache, prefix); cluster != NULL;
         cluster = cache_next(cache, prefix, cluster)) {
        if (is_following(cluster)) {
            upgrades_cluster_add(upgrades, cluster);
        }
    }
}

/* ---- the changes ---- */

/* Handles the end of the write that marks the push as applied. If there was another push in the
 * meantime, it is handled next. */
static void upgrades_recorded(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct config_upgrades *upgrades = arg;

    (void)answer;
    upgrades->service->has_config_upgrades = outcome == OUTCOME_OK || outcome == OUTCOME_REFUSED;
    upgrades->step = UPGRADES_END;
}

static void upgrades_record(struct config_upgrades *upgrades)
{
    struct service *service = upgrades->service;
    struct store_compare compare;
    struct store_op op;
    uint64_t newest = configuration_newest(service->cache, upgrades->actor.tenant, upgrades->name,
                                           &compare.revision);

    compare.key = objects_key(upgrades->arena, upgrades->actor.tenant, TEXT(CONFIGURATION_KIND),
                              upgrades->name, CACHE_BASE);
    op =
        (struct store_op){ .key = compare.key,
                           .value = configuration_head(upgrades->arena, newest, upgrades->number) };
    store_txn(service->store, &(struct store_txn){ &compare, 1, &op, 1, NULL, 0 },
              upgrades_recorded, upgrades);
}

static void upgrades_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct config_upgrades *upgrades = arg;

    (void)outcome;
    (void)answer;
    upgrades->step = UPGRADES_CHANGE;
}

/* Reports a rejected change, for example because a stage that is not idempotent would run again. An
 * operator must then make the change. */
static void upgrades_refusal_report(struct config_upgrades *upgrades)
{
    const struct upgrades_target *target = &upgrades->targets[upgrades->next - 1];
    struct store_event event = service_event(
        upgrades->service, upgrades->arena, &upgrades->actor,
        &(struct service_event){
            .type = "config.upgrade_refused",
            .cluster = target->cluster,
            .cluster_id = target->cluster_id,
            .group = target->kind->owner == OWNER_NODEGROUP
                         ? text_slice(target->name, target->cluster.length + 1, SIZE_MAX)
                         : TEXT(""),
            .fact = configuration_reference(upgrades->arena, upgrades->name, upgrades->number),
            .why = upgrades->refusal,
        });

    store_txn(upgrades->service->store, &(struct store_txn){ NULL, 0, NULL, 0, &event, 1 },
              upgrades_reported, upgrades);
}

/* Returns the error with which a change was rejected. NULL: the change was made, possibly with
 * warnings. */
static const struct err *upgrades_error_of(const struct service_answer *answer)
{
    for (size_t i = 0; answer->errors != NULL && i < answer->errors->count; i++) {
        if (answer->errors->items[i].severity == ERR_SEVERITY_ERROR) {
            return &answer->errors->items[i];
        }
    }
    return NULL;
}

/* True if the same change may succeed later: the object was changed in the meantime, or the store
 * or a plugin does not answer. */
static bool is_passing(const struct err *err)
{
    enum err_kind kind = err_kind(err);

    return kind == ERR_KIND_UNAVAILABLE || kind == ERR_KIND_TIMEOUT || err->code == CODE_R0401 ||
           err->code == CODE_R0502;
}

/* Callback of service_patch, possibly called before it returns. So the next change begins in a
 * later iteration. */
static void upgrades_changed(void *arg, const struct service_answer *answer)
{
    struct config_upgrades *upgrades = arg;
    const struct err *err = upgrades_error_of(answer);

    if (err == NULL) {
        upgrades->step = UPGRADES_CHANGE;
    } else if (is_passing(err)) {
        upgrades->step = UPGRADES_END; /* a later iteration repeats all steps */
    } else {
        upgrades->refusal = arena_text(upgrades->arena, text_from(err->text));
        upgrades->step = UPGRADES_REPORT;
    }
}

static struct doc *upgrades_patch_make(const struct config_upgrades *upgrades, struct arena *arena,
                                       const struct upgrades_target *target)
{
    struct doc *doc = arena_one(arena, struct doc);
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(
        &builder, "configuration",
        doc_text(configuration_reference(arena, upgrades->name, upgrades->number), NULL));
    *doc = doc_builder_map(&builder, NULL);
    if (target->kind->owner != OWNER_NODEGROUP) {
        doc_builder_init(&builder, arena);
        doc_builder_put(&builder, "defaults", *doc);
        *doc = doc_builder_map(&builder, NULL);
    }
    return doc;
}

/* Returns the object of a target if it still must be changed. NULL: an operator has changed it, or
 * its cluster no longer follows pushes. */
static const struct cache_object *upgrades_object_find(const struct config_upgrades *upgrades,
                                                       const struct upgrades_target *target)
{
    const struct cache *cache = upgrades->service->cache;
    struct text tenant = upgrades->actor.tenant;
    const struct cache_object *cluster =
        cache_find(cache, tenant, TEXT("Cluster"), target->cluster_id);
    const struct cache_object *object =
        cache_find(cache, tenant, text_from(target->kind->name), target->id);

    return cluster != NULL && object != NULL && is_following(cluster) && is_behind(upgrades, object)
               ? object
               : NULL;
}

static void upgrades_change(struct config_upgrades *upgrades)
{
    struct service *service = upgrades->service;
    const struct upgrades_target *target = &upgrades->targets[upgrades->next++];
    const struct cache_object *object = upgrades_object_find(upgrades, target);
    struct arena *arena;
    struct service_patch patch;

    if (object == NULL) {
        upgrades->step = UPGRADES_CHANGE;
        return;
    }
    arena = arena_new(SIZE_MAX);
    patch = (struct service_patch){
        .kind = target->kind,
        .name = target->name,
        .patch_kind = CHANGE_PATCH_MERGE,
        .patch = upgrades_patch_make(upgrades, arena, target),
        /* a protected object is not changed automatically */
        .change = { .is_unpinned = true,
                    .if_match = object->parts[CACHE_SPEC].revision,
                    .why = arena_printf(arena, "autoUpgrade: %.*s@r%llu was pushed",
                                        TEXT_ARG(upgrades->name),
                                        (unsigned long long)upgrades->number) },
    };

    arena_free(service->config_change_arena);
    service->config_change_arena = arena;
    service_patch(service, arena, &upgrades->actor, &patch, upgrades_changed, upgrades);
}

static void upgrades_step(struct config_upgrades *upgrades)
{
    enum upgrades_step step = upgrades->step;

    upgrades->step = UPGRADES_WAIT;
    if (step == UPGRADES_REPORT) {
        upgrades_refusal_report(upgrades);
    } else if (upgrades->next < upgrades->count) {
        upgrades_change(upgrades);
    } else {
        upgrades_record(upgrades);
    }
}

/* ---- which configurations ---- */

/* Returns the next configuration record with a push that was not applied yet; NULL: there is
 * none. */
static const struct cache_object *upgrades_due_find(const struct service *service)
{
    const struct cache_object *object = cache_first(service->cache, TEXT("/"));

    for (; object != NULL; object = cache_next(service->cache, TEXT("/"), object)) {
        if (text_is(cache_kind(object), CONFIGURATION_KIND) &&
            object->parts[CACHE_BASE].bytes != NULL &&
            configuration_upgraded(service->cache, cache_tenant(object), cache_id(object)) <
                configuration_newest(service->cache, cache_tenant(object), cache_id(object),
                                     NULL)) {
            return object;
        }
    }
    return NULL;
}

static void upgrades_begin(struct service *service)
{
    const struct cache_object *due = upgrades_due_find(service);
    struct config_upgrades *upgrades;

    service->has_config_upgrades = false;
    if (due == NULL) {
        return;
    }
    service->config_arena = arena_new(SIZE_MAX);
    upgrades = arena_one(service->config_arena, struct config_upgrades);
    *upgrades = (struct config_upgrades){
        .service = service,
        .arena = service->config_arena,
        .step = UPGRADES_CHANGE,
        .actor = { .tenant = arena_text(service->config_arena, cache_tenant(due)),
                   .user = TEXT(UPGRADES_USER) },
        .name = arena_text(service->config_arena, cache_id(due)),
    };
    upgrades->number =
        configuration_newest(service->cache, upgrades->actor.tenant, upgrades->name, NULL);
    upgrades_targets_find(upgrades);
    service->config_upgrades = upgrades;
}

void service_config_upgrades(struct service *service)
{
    /* only the process that reconciles the clusters, so that the changes are made only once */
    if (!service_is_ready(service) || service->reconciler.pass == NULL) {
        return;
    }
    if (service->config_upgrades != NULL && service->config_upgrades->step == UPGRADES_END) {
        service->config_upgrades = NULL;
        arena_free(service->config_change_arena);
        arena_free(service->config_arena);
        service->config_change_arena = service->config_arena = NULL;
    }
    if (service->config_upgrades == NULL && service->has_config_upgrades) {
        upgrades_begin(service);
    }
    if (service->config_upgrades != NULL && service->config_upgrades->step != UPGRADES_WAIT) {
        upgrades_step(service->config_upgrades);
    }
}
