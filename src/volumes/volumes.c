#include "base/limits.h"
#include "codec/json.h"
#include "reconcile/control_parts.h"
#include "records/commands.h"
#include "volumes/decide.h"

#include <assert.h>

/* public names start with: volumes_ */

/* Lists at intervals the resources that a cluster has besides its machines, and writes the
 * decisions of decide.h about them. Normal case: at the end of a pass the next round is scheduled.
 * A round sends a request to all plugins, and their answers are written in the transaction of call
 * outcomes.
 *
 * Failures: a plugin that does not answer is asked again in the next round, and nothing is decided
 * about its volumes. After a lost lease the answers of a round are ignored. */

enum {
    /* Factor by which the listings for a cluster without volumes are less frequent. */
    VOLUMES_RARELY = 6,
    /* fraction of the interval after which volumes are listed when the machines have changed */
    VOLUMES_SOON = 20,
    /* Maximum number of expired volumes that are deleted after one listing. */
    VOLUMES_DELETIONS = 16,
};

/* The listing of one plugin, in one round. */
struct volumes_source {
    struct text plugin;
    struct account *account;
    const struct provider_resource *resources;
    size_t count;
    bool is_listed;
};

struct volumes {
    struct reconciler *reconciler;
    /* arena of the sources; NULL: no round is in progress or waits to be written */
    struct arena *round;
    struct volumes_source *sources;
    size_t source_count;
    size_t left; /* listings that are not answered yet */
    uint64_t serial;
    bool is_dirty;     /* the round is complete, and its result is not written yet */
    uint64_t due_ms;   /* time of the next round */
    uint64_t version;  /* version of the cluster at the last check */
    size_t machines;   /* number of machines of the cluster at the last check */
    bool has_volumes;  /* the specification or the store has volumes */
    bool is_urgent;    /* a volume is being deleted, or may soon become an orphan */
    bool is_requested; /* an operator has requested that a volume be deleted */
};

/* A pending listing. It may outlive its round. */
struct volumes_listing {
    struct arena *arena;
    struct volumes *volumes;
    struct account *account;
    uint64_t serial;
    size_t source;
};

static uint64_t volumes_port_now(const struct reconciler *reconciler)
{
    return reconciler->control->ports.now_ms(reconciler->control->ports.arg);
}

static struct text volumes_prefix(struct arena *arena, const struct fleet_cluster *cluster)
{
    return arena_printf(arena, "/%.*s/" VOLUME_KIND "/%.*s/", TEXT_ARG(cluster->tenant),
                        TEXT_ARG(cluster->id));
}

bool volumes_has_any(const struct reconciler *reconciler)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

    return cache_first(reconciler->control->cache, volumes_prefix(arena, reconciler->cluster)) !=
           NULL;
}

/* ---- data for the planner ---- */

static struct plan_group *volumes_group_of(struct plan_group *groups, size_t count,
                                           const struct volume *volume)
{
    bool is_of_slot = text_is(volume->kind, "volume") && volume->zone.length > 0 &&
                      (text_is(volume->keep, "slot") || text_is(volume->keep, "always")) &&
                      volume->state != VOLUME_STATE_FOREIGN;

    for (size_t i = 0; is_of_slot && i < count; i++) {
        if (text_is_equal(groups[i].path, volume->group)) {
            return &groups[i];
        }
    }
    return NULL;
}

void volumes_lay(const struct pass *pass, struct plan_group *groups, size_t count)
{
    enum { VOLUMES_ROOM = 32 };
    const struct fleet_cluster *cluster = pass->reconciler->cluster;
    struct cache *cache = pass->reconciler->control->cache;
    struct text prefix = volumes_prefix(pass->arena, cluster);
    const struct cache_object *object;

    for (object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct plan_group *group;
        struct volume volume;
        struct text *texts;

        group = volume_read(pass->arena, object, &volume) ? volumes_group_of(groups, count, &volume)
                                                          : NULL;
        if (group == NULL) {
            continue;
        }
        texts = (struct text *)(uintptr_t)group->volumes;
        if (group->volume_count % VOLUMES_ROOM == 0) {
            texts = arena_grow(pass->arena, texts, group->volume_count * sizeof(*texts),
                               (group->volume_count + VOLUMES_ROOM) * sizeof(*texts));
        }
        texts[group->volume_count++] =
            arena_printf(pass->arena, "%llu %.*s", (unsigned long long)volume.slot,
                         TEXT_ARG(volume.state == VOLUME_STATE_DELETING ? TEXT("-") : volume.zone));
        group->volumes = texts;
    }
}

/* ---- a round ---- */

static void volumes_round_end(struct volumes *volumes)
{
    arena_free(volumes->round);
    volumes->round = NULL;
    volumes->source_count = 0;
    volumes->left = 0;
    volumes->is_dirty = false;
    volumes->serial++;
}

static void volumes_source_add(struct volumes *volumes, struct text plugin)
{
    for (size_t i = 0; i < volumes->source_count; i++) {
        if (text_is_equal(volumes->sources[i].plugin, plugin)) {
            return;
        }
    }
    if (volumes->source_count < LIMIT_CONTROL_SOURCES) {
        volumes->sources[volumes->source_count++] =
            (struct volumes_source){ .plugin = arena_text(volumes->round, plugin) };
    }
}

/* Finds the plugins of groups and machines, and of volumes without a machine. */
static void volumes_sources_find(struct volumes *volumes)
{
    struct reconciler *reconciler = volumes->reconciler;
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct cache *cache = reconciler->control->cache;
    struct text prefix = volumes_prefix(volumes->round, cluster);
    const struct cache_object *object;

    volumes->sources = arena_array(volumes->round, struct volumes_source, LIMIT_CONTROL_SOURCES);
    for (size_t i = 0; cluster->is_there && i < cluster->group_count; i++) {
        for (size_t j = 0; j < cluster->groups[i].choice_count; j++) {
            volumes_source_add(volumes, cluster->groups[i].choices[j].plugin);
        }
    }
    for (size_t i = 0; i < cluster->count; i++) {
        volumes_source_add(volumes, fleet_machine_plugin(cluster->machines[i]));
    }
    for (object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct arena *scratch = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        struct volume volume;

        if (volume_read(scratch, object, &volume)) {
            volumes_source_add(volumes, volume.plugin);
        }
        arena_free(scratch);
    }
}

static void volumes_resources_keep(struct volumes *volumes, struct volumes_source *source,
                                   const struct provider_answer *answer)
{
    struct arena *arena = volumes->round;
    struct provider_resource *kept =
        arena_array(arena, struct provider_resource, answer->resource_count);

    for (size_t i = 0; i < answer->resource_count; i++) {
        const struct provider_resource *from = &answer->resources[i];

        kept[i] = (struct provider_resource){
            .kind = arena_text(arena, from->kind),
            .id = arena_text(arena, from->id),
            .attached = arena_text(arena, from->attached),
            .zone = arena_text(arena, from->zone),
            .bytes = from->bytes,
            .tags = { .cluster = arena_text(arena, from->tags.cluster),
                      .life = arena_text(arena, from->tags.life),
                      .group = arena_text(arena, from->tags.group),
                      .slot = from->tags.slot,
                      .token = arena_text(arena, from->tags.token),
                      .mac = arena_text(arena, from->tags.mac) },
            .name = arena_text(arena, from->name),
            .keep = arena_text(arena, from->keep),
        };
    }
    source->resources = kept;
    source->count = answer->resource_count;
    source->is_listed = true;
}

static void volumes_round_complete(struct volumes *volumes)
{
    struct reconciler *reconciler = volumes->reconciler;

    volumes->is_dirty = true;
    if (reconciler->step == RECONCILER_IDLE) {
        control_schedule(reconciler, 0);
    }
}

static void volumes_listing_reported(void *arg, enum outcome outcome,
                                     const struct provider_answer *answer)
{
    struct volumes_listing *listing = arg;
    struct volumes *volumes = listing->volumes;

    account_listing_reported(listing->account, outcome, answer);
    if (volumes->serial == listing->serial && !volumes->reconciler->control->is_stopped) {
        if (outcome == OUTCOME_OK) {
            volumes_resources_keep(volumes, &volumes->sources[listing->source], answer);
        }
        if (--volumes->left == 0) {
            volumes_round_complete(volumes);
        }
    }
    arena_free(listing->arena);
}

static void volumes_source_list(struct volumes *volumes, size_t index)
{
    struct reconciler *reconciler = volumes->reconciler;
    const struct control_ports *ports = &reconciler->control->ports;
    struct volumes_source *source = &volumes->sources[index];
    const char *problem = NULL;
    struct provider *provider =
        ports->provider_find(ports->arg, reconciler->cluster->tenant, source->plugin, &problem);
    struct volumes_listing *listing;
    struct arena *arena;
    struct text why;

    if (provider == NULL || !provider->traits.has_resources) {
        return;
    }
    source->account = account_of(reconciler->control, provider);
    if (!account_may_list(source->account, volumes->round, &why)) {
        return;
    }
    arena = arena_new_small(SIZE_MAX);
    listing = arena_one(arena, struct volumes_listing);
    *listing = (struct volumes_listing){ .arena = arena,
                                         .volumes = volumes,
                                         .account = source->account,
                                         .serial = volumes->serial,
                                         .source = index };
    volumes->left++;
    provider_resources(provider, reconciler->cluster->key, volumes_listing_reported, listing);
}

static void volumes_round_begin(struct volumes *volumes)
{
    volumes_round_end(volumes);
    volumes->round = arena_new_small(SIZE_MAX);
    volumes_sources_find(volumes);
    /* a listing that is answered immediately must not complete the round */
    volumes->left = 1;
    for (size_t i = 0; i < volumes->source_count; i++) {
        volumes_source_list(volumes, i);
    }
    if (--volumes->left == 0) {
        volumes_round_end(volumes);
    }
}

/* ---- schedule ---- */

static bool volumes_may_run(const struct reconciler *reconciler)
{
    const struct control *control = reconciler->control;

    return reconciler->epoch > 0 && !control->options.is_dry && !control->options.is_single &&
           control->options.volumes.every_ms > 0;
}

/* Reads whether the cluster has volumes, and whether an operator has requested the deletion of
 * one. */
static void volumes_look(struct volumes *volumes)
{
    const struct fleet_cluster *cluster = volumes->reconciler->cluster;
    struct cache *cache = volumes->reconciler->control->cache;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text prefix = volumes_prefix(arena, cluster);
    const struct cache_object *object;

    volumes->version = cluster->version;
    volumes->has_volumes = false;
    volumes->is_urgent = false;
    volumes->is_requested = false;
    for (size_t i = 0; cluster->is_there && i < cluster->group_count; i++) {
        struct doc properties;
        struct err err;

        volumes->has_volumes |=
            json_parse(arena, cluster->groups[i].choices[0].properties, NULL, &properties, &err) &&
            doc_child(&properties, "volumes") != NULL;
    }
    for (object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct arena_mark mark = arena_mark(arena);
        struct volume volume;

        volumes->has_volumes = true;
        volumes->is_requested |= object->parts[CACHE_SPEC].bytes != NULL;
        volumes->is_urgent |= volume_read(arena, object, &volume) &&
                              (volume.state == VOLUME_STATE_DELETING ||
                               volume.state == VOLUME_STATE_FREE || volume.missed > 0);
        arena_rewind(arena, mark);
    }
}

/* Returns the time between two rounds of the cluster. */
static uint64_t volumes_interval(const struct volumes *volumes)
{
    uint64_t every_ms = volumes->reconciler->control->options.volumes.every_ms;

    return volumes->has_volumes ? every_ms : every_ms * VOLUMES_RARELY;
}

/* Returns the time until the first round. It differs between clusters, so that their rounds are
 * spread. */
static uint64_t volumes_spread(const struct volumes *volumes)
{
    uint64_t every_ms = volumes->reconciler->control->options.volumes.every_ms;

    return text_hash(volumes->reconciler->cluster->key, 0) % every_ms;
}

void volumes_note(struct reconciler *reconciler)
{
    struct control *control = reconciler->control;
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct volumes *volumes = reconciler->volumes;
    uint64_t soon_ms = control->options.volumes.every_ms / VOLUMES_SOON;
    uint64_t now_ms = volumes_port_now(reconciler);

    if (!volumes_may_run(reconciler) || cluster->problem.code != CODE_NONE) {
        return;
    }
    if (volumes == NULL) {
        volumes = arena_one(control->memory, struct volumes);
        *volumes = (struct volumes){ .reconciler = reconciler, .due_ms = UINT64_MAX };
        reconciler->volumes = volumes;
    }
    if (volumes->version != cluster->version || volumes->due_ms == UINT64_MAX) {
        bool is_moved = volumes->machines != cluster->count;

        volumes_look(volumes);
        volumes->machines = cluster->count;
        if (volumes->due_ms == UINT64_MAX) {
            volumes->due_ms = now_ms + volumes_spread(volumes);
        }
        soon_ms = volumes->is_requested ? 0 : soon_ms;
        if ((volumes->is_requested || volumes->is_urgent || (is_moved && volumes->has_volumes)) &&
            now_ms + soon_ms < volumes->due_ms) {
            volumes->due_ms = now_ms + soon_ms;
        }
    }
    heap_put(&control->volumes, &reconciler->volumes_due, volumes->due_ms);
}

uint64_t volumes_run(struct control *control, uint64_t now_ms)
{
    struct heap_node *first;

    while ((first = heap_first(&control->volumes)) != NULL && first->due <= now_ms) {
        struct reconciler *reconciler = heap_owner(first, struct reconciler, volumes_due);
        struct volumes *volumes = reconciler->volumes;

        heap_remove(&control->volumes, first);
        if (!volumes_may_run(reconciler)) {
            continue; /* the next pass schedules the next round */
        }
        volumes->due_ms = now_ms + volumes_interval(volumes);
        if (volumes->left == 0 && !volumes->is_dirty) {
            volumes_round_begin(volumes);
        }
        heap_put(&control->volumes, &reconciler->volumes_due, volumes->due_ms);
    }
    return first == NULL ? UINT64_MAX : first->due;
}

void volumes_drop(struct reconciler *reconciler)
{
    heap_remove(&reconciler->control->volumes, &reconciler->volumes_due);
    if (reconciler->volumes != NULL) {
        volumes_round_end(reconciler->volumes);
        reconciler->volumes->due_ms = UINT64_MAX;
    }
}

/* ---- the world of a listing ---- */

/* Return a digest of the identity of a resource. It is the last part of the key. */
static struct text volumes_key(const struct reconciler *reconciler, struct arena *arena,
                               struct text plugin, const struct provider_resource *resource)
{
    enum { KEY_DIGITS = 20 };
    const struct control_ports *ports = &reconciler->control->ports;
    char digest[33];

    ports->mac(ports->arg,
               arena_printf(arena, "volume\n%.*s\n%.*s\n%.*s", TEXT_ARG(plugin),
                            TEXT_ARG(resource->kind), TEXT_ARG(resource->id)),
               digest);
    return arena_text(arena, text_slice(text_from(digest), 0, KEY_DIGITS));
}

/* True if the stamp of the resource is the stamp of this cluster (G4). */
static bool volumes_is_stamped(const struct reconciler *reconciler, struct arena *arena,
                               const struct provider_resource *resource)
{
    struct control *control = reconciler->control;
    struct provider_tags tags = resource->tags;

    if (!text_is_equal(tags.cluster, reconciler->cluster->key)) {
        return false;
    }
    control_stamp(control, arena, &tags);
    return text_is_equal(tags.mac, resource->tags.mac);
}

static void volumes_rows_make(const struct reconciler *reconciler, struct arena *arena,
                              const struct volumes_source *source, struct volumes_world *out)
{
    struct volumes_row *rows = arena_array(arena, struct volumes_row, source->count);
    size_t count = 0;

    for (size_t i = 0; i < source->count; i++) {
        const struct provider_resource *resource = &source->resources[i];

        if (resource->id.length == 0 || !record_is_plain(resource->id) ||
            !record_is_plain(resource->kind) || !record_is_plain(resource->tags.group)) {
            continue; /* the answer of the provider is invalid (F6) */
        }
        rows[count] = (struct volumes_row){
            .resource = resource,
            .key = volumes_key(reconciler, arena, source->plugin, resource),
            .is_stamped = volumes_is_stamped(reconciler, arena, resource),
        };
        rows[count].is_verified =
            rows[count].is_stamped && text_is(resource->tags.life, reconciler->control->life);
        count++;
    }
    out->rows = rows;
    out->row_count = count;
}

static void volumes_machines_make(const struct reconciler *reconciler, struct arena *arena,
                                  struct volumes_world *out)
{
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct volumes_machine *machines = arena_array(arena, struct volumes_machine, cluster->count);

    for (size_t i = 0; i < cluster->count; i++) {
        const struct fleet_machine *machine = cluster->machines[i];
        struct text path = fleet_machine_group(machine);
        const struct fleet_group *group = fleet_group_find(cluster, path);
        struct plan_record record;

        fleet_machine_unpack(machine, &record);
        machines[i] = (struct volumes_machine){
            .group = path,
            .slot = record.slot,
            .token = record.token,
            .id = text_is_equal(fleet_machine_plugin(machine), out->plugin) ? record.id : TEXT(""),
            .zone = record.zone,
            .name = group == NULL ? TEXT("") : naming_format(arena, &group->affix, record.slot),
        };
    }
    out->machines = machines;
    out->machine_count = cluster->count;
}

/* Reads the commands of the cluster or of a group. */
static struct doc volumes_commands(const struct reconciler *reconciler, struct arena *arena,
                                   struct text group)
{
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct text id = group.length == 0
                         ? cluster->id
                         : arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster->id), TEXT_ARG(group));

    return commands_read(
        arena, cache_find(reconciler->control->cache, cluster->tenant, TEXT("Control"), id));
}

static bool volumes_is_paused(const struct reconciler *reconciler, const struct doc *commands)
{
    const struct control_ports *ports = &reconciler->control->ports;

    return commands_is_paused(commands, (uint64_t)ports->wall_ms(ports->arg));
}

static void volumes_groups_make(const struct reconciler *reconciler, struct arena *arena,
                                struct volumes_world *out)
{
    const struct fleet_cluster *cluster = reconciler->cluster;
    size_t count = cluster->is_there ? cluster->group_count : 0;
    struct volumes_group *groups = arena_array(arena, struct volumes_group, count);

    for (size_t i = 0; i < count; i++) {
        const struct plan_group *plan = &cluster->groups[i].plan;
        struct doc commands = volumes_commands(reconciler, arena, plan->path);

        groups[i] = (struct volumes_group){ .path = plan->path,
                                            .size = plan->size,
                                            .is_protected = plan->is_protected,
                                            .is_paused = volumes_is_paused(reconciler, &commands) };
        for (size_t j = 0; j < out->machine_count; j++) {
            groups[i].recorded += text_is_equal(out->machines[j].group, plan->path);
        }
    }
    out->groups = groups;
    out->group_count = count;
}

/* Return the reason why no volume of the cluster is deleted automatically now; empty: deletion is
 * permitted. */
static struct text volumes_held(const struct reconciler *reconciler, struct arena *arena)
{
    const struct control *control = reconciler->control;
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct doc commands = volumes_commands(reconciler, arena, TEXT(""));
    struct counters counters;
    uint64_t revision;

    if (!control_counters_read(arena, reconciler, TEXT(""), &counters, &revision) ||
        counters.is_life_held ||
        cache_find(control->cache, cluster->tenant, TEXT("Hold"),
                   arena_printf(arena, "%.*s/%s", TEXT_ARG(cluster->id),
                                plan_rule_name(PLAN_RULE_store_went_back))) != NULL) {
        return TEXT("the store was restored, and no operator has approved that reeve may act");
    }
    if (counters.life_since > 0 && reconciler_now(reconciler) - counters.life_since <
                                       control->options.limits.new_incarnation_ms) {
        return TEXT("the store has a new incarnation");
    }
    if (volumes_is_paused(reconciler, &commands)) {
        return TEXT("the cluster is paused");
    }
    if (!cluster->is_there && doc_child(&commands, "deleting") == NULL) {
        return TEXT("the specification of the cluster is missing, but no operator has deleted the "
                    "cluster");
    }
    return TEXT("");
}

static bool volumes_is_calling(const struct reconciler *reconciler, struct text key)
{
    const struct call *rows[] = { reconciler->calls, reconciler->outcomes };

    for (size_t i = 0; i < 2; i++) {
        for (const struct call *call = rows[i]; call != NULL; call = call->next) {
            if (call->kind == CALL_RESOURCE_DESTROY && text_is_equal(call->intent.token, key)) {
                return true;
            }
        }
    }
    return false;
}

/* Reads the records of a plugin. `objects` receives the object of each record. */
static void volumes_known_make(struct reconciler *reconciler, struct arena *arena,
                               struct volumes_world *out, const struct cache_object ***out_objects)
{
    struct cache *cache = reconciler->control->cache;
    struct text prefix = volumes_prefix(arena, reconciler->cluster);
    const struct cache_object *object;
    const struct cache_object **objects;
    struct volumes_known *known;
    size_t room = 0;

    for (object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        room++;
    }
    objects = arena_array(arena, const struct cache_object *, room);
    known = arena_array(arena, struct volumes_known, room);
    for (object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct volumes_known *one = &known[out->known_count];

        if (!volume_read(arena, object, &one->volume) ||
            !text_is_equal(one->volume.plugin, out->plugin)) {
            continue;
        }
        reconciler_clock_raise(reconciler, one->volume.free_ms);
        reconciler_clock_raise(reconciler, one->volume.missed_ms);
        one->bytes = arena_text(arena, blob_text(object->parts[CACHE_STATUS].bytes));
        one->requested_by = volume_command(arena, object);
        one->is_calling = volumes_is_calling(reconciler, one->volume.key);
        objects[out->known_count++] = object;
    }
    out->known = known;
    *out_objects = objects;
}

/* ---- writing ---- */

static struct text volumes_record_key(struct reconciler *reconciler, struct text key,
                                      enum cache_part part)
{
    return control_key(reconciler->settle_arena, reconciler->cluster, VOLUME_KIND, key, part);
}

static struct text volumes_event(struct reconciler *reconciler, const struct volume *volume,
                                 const char *type, struct text fact)
{
    struct arena *arena = reconciler->settle_arena;

    return control_event(
        arena, reconciler,
        &(struct event){ .type = type,
                         .group = volume->group,
                         .slot = volume->slot,
                         .has_slot = volume->group.length > 0,
                         .rule = volume->rule,
                         .fact = arena_printf(arena, "%.*s %.*s: %.*s", TEXT_ARG(volume->kind),
                                              TEXT_ARG(volume_name(arena, volume)), TEXT_ARG(fact)),
                         .id = volume->id,
                         .node = volume->node });
}

/* Makes the call that deletes a volume. Returns NULL if too many calls are in progress; the call is
 * then made after the next listing. */
static struct call *volumes_call_new(struct reconciler *reconciler,
                                     const struct volumes_source *source,
                                     const struct volume *volume)
{
    struct call *call;

    if (reconciler->call_count >= LIMIT_CONTROL_CALLS) {
        return NULL;
    }
    call = call_new(reconciler, CALL_RESOURCE_DESTROY, source->account);
    call->resource = arena_text(call->arena, volume->kind);
    call->group = arena_text(call->arena, volume->group);
    call->intent = (struct intent){
        .state = PLAN_RECORD_DELETE,
        .token = arena_text(call->arena, volume->key),
        .id = arena_text(call->arena, volume->id),
        .cluster = arena_text(call->arena, reconciler->cluster->key),
        .reason = arena_text(call->arena, volume->rule),
        .epoch = reconciler->epoch,
        .created_ms = UINT64_MAX,
    };
    return call;
}

static void volumes_change_write(struct reconciler *reconciler, const struct volumes_source *source,
                                 const struct volumes_change *change,
                                 const struct cache_object *object)
{
    struct arena *arena = reconciler->settle_arena;
    const struct volume *volume = &change->volume;
    struct text key = volumes_record_key(reconciler, volume->key, CACHE_STATUS);
    struct call *call = NULL;
    struct unit *unit;

    if (reconciler_has_unit(reconciler, key)) {
        return; /* the outcome of an earlier call is written first */
    }
    if (change->has_call) {
        call = volumes_call_new(reconciler, source, volume);
    }
    if (change->is_changed) {
        unit = unit_add(arena, &reconciler->units, key,
                        object == NULL ? 0 : object->parts[CACHE_STATUS].revision,
                        change->is_removed ? TEXT("") : volume_format(arena, volume));
        unit->call = call;
        if (change->event != NULL) {
            unit->event = volumes_event(reconciler, volume, change->event, change->fact);
        }
    } else if (call != NULL) {
        call_start(call); /* the intent is already committed */
    }
    if (change->is_command_ended && object != NULL) {
        (void)unit_add(arena, &reconciler->units,
                       volumes_record_key(reconciler, volume->key, CACHE_SPEC),
                       object->parts[CACHE_SPEC].revision, TEXT(""));
    }
}

static void volumes_source_settle(struct reconciler *reconciler,
                                  const struct volumes_source *source)
{
    const struct control *control = reconciler->control;
    struct arena *arena = reconciler->settle_arena;
    struct volumes_world world = {
        .wall_ms = control->ports.wall_ms(control->ports.arg),
        .retain_ms = control->options.volumes.retain_ms,
        .orphan_ms = control->options.volumes.orphan_ms,
        .lag_ms = account_provider(source->account)->traits.lag_ms,
        .deletions = VOLUMES_DELETIONS,
        .plugin = source->plugin,
        .cluster = reconciler->cluster->name,
        .held = volumes_held(reconciler, arena),
        .limits = &control->options.limits,
    };
    const struct cache_object **objects;
    struct volumes_changes changes;

    volumes_rows_make(reconciler, arena, source, &world);
    volumes_machines_make(reconciler, arena, &world);
    volumes_groups_make(reconciler, arena, &world);
    volumes_known_make(reconciler, arena, &world, &objects);
    world.now_ms = reconciler_now(reconciler);
    volumes_decide(arena, &world, &changes);
    for (size_t i = 0; i < changes.count; i++) {
        const struct volumes_change *change = &changes.items[i];

        volumes_change_write(reconciler, source, change,
                             change->known == SIZE_MAX ? NULL : objects[change->known]);
    }
}

bool volumes_is_dirty(const struct reconciler *reconciler)
{
    return reconciler->volumes != NULL && reconciler->volumes->is_dirty;
}

void volumes_settle(struct reconciler *reconciler)
{
    struct volumes *volumes = reconciler->volumes;

    if (!volumes_is_dirty(reconciler)) {
        return;
    }
    if (reconciler->epoch > 0 && reconciler->cluster->problem.code == CODE_NONE &&
        reconciler->cluster->damage.code == CODE_NONE && !reconciler->cluster->is_stale) {
        for (size_t i = 0; i < volumes->source_count; i++) {
            if (volumes->sources[i].is_listed) {
                volumes_source_settle(reconciler, &volumes->sources[i]);
            }
        }
    }
    volumes_round_end(volumes);
}

/* ---- outcomes ---- */

void volumes_outcome_write(struct reconciler *reconciler, const struct call *call)
{
    struct arena *arena = reconciler->settle_arena;
    const struct fleet_cluster *cluster = reconciler->cluster;
    const struct cache_object *object = cache_find(
        reconciler->control->cache, cluster->tenant, TEXT(VOLUME_KIND),
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster->id), TEXT_ARG(call->intent.token)));
    bool is_done = call->outcome == OUTCOME_OK ||
                   (call->outcome == OUTCOME_REFUSED && call->fault == PROVIDER_FAULT_GONE);
    struct volume volume;
    struct text cause;
    bool is_reported;
    struct unit *unit;

    if (object == NULL || !volume_read(arena, object, &volume) ||
        volume.state != VOLUME_STATE_DELETING) {
        return;
    }
    cause = record_sentence(arena, call->message);
    is_reported = text_is_equal(volume.cause, cause);
    volume.cause = cause;
    volume.refusals++;
    volume.call_after_ms =
        reconciler_now(reconciler) + call_retry_ms(reconciler, call, volume.refusals);
    unit = unit_add(
        arena, &reconciler->units, volumes_record_key(reconciler, volume.key, CACHE_STATUS),
        object->parts[CACHE_STATUS].revision, is_done ? TEXT("") : volume_format(arena, &volume));
    if (is_done) {
        unit->event = volumes_event(
            reconciler, &volume, "volume.deleted",
            volume.by.length > 0 ? arena_printf(arena, "requested by %.*s", TEXT_ARG(volume.by))
            : text_is(volume.rule, "node") ? TEXT("its machine is gone")
                                           : TEXT("its time was over"));
    } else if (call->outcome == OUTCOME_REFUSED && !is_reported) {
        unit->event = volumes_event(reconciler, &volume, "volume.refused", cause);
    }
}
