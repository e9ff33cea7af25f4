#include "reconcile/control.h"

#include "base/limits.h"
#include "reconcile/control_parts.h"
#include "reconcile/reboots.h"

#include <assert.h>

struct control_options control_options_default(void)
{
    return (struct control_options){
        .session = TEXT("1"),
        .clock = TEXT(""),
        .is_alone = true,
        .resync_ms = LIMIT_CONTROL_RESYNC_MS,
        .session_ttl_ms = LIMIT_SESSION_TTL_MS,
        .is_archiving_passes = true,
        .limits = plan_limits_default(),
        .volumes = { .every_ms = LIMIT_VOLUMES_EVERY_MS,
                     .retain_ms = LIMIT_VOLUMES_KEEP_MS,
                     .orphan_ms = LIMIT_VOLUMES_ORPHAN_MS },
    };
}

uint64_t control_jitter(struct control *control, uint64_t ms)
{
    uint32_t luck = 0;

    control->ports.random(control->ports.arg, &luck, sizeof(luck));
    return ms / 2 + (ms - ms / 2) * (luck >> 8) / (UINT32_MAX >> 8);
}

void control_schedule(struct reconciler *reconciler, uint64_t due_ms)
{
    heap_put(&reconciler->control->waiting, &reconciler->waiting, due_ms);
}

/* ---- clusters ---- */

static struct reconciler *reconciler_of(struct control *control, struct fleet_cluster *cluster)
{
    struct reconciler *reconciler = cluster->reconciler;

    if (reconciler == NULL) {
        reconciler = pool_take(control->reconcilers);
        assert(reconciler != NULL && "each cluster has at most one reconciler");
        *reconciler = (struct reconciler){ .control = control, .cluster = cluster, .serial = 1 };
        unit_row_init(&reconciler->units);
        cluster->reconciler = reconciler;
    }
    return reconciler;
}

static void cluster_changed(void *arg, struct fleet_cluster *cluster)
{
    struct reconciler *reconciler = reconciler_of(arg, cluster);

    reconciler->is_woken = true;
    reconciler_still_drop(reconciler);
    account_drop(reconciler); /* these calls were decided by the previous specification */
    if (reconciler->step == RECONCILER_IDLE) {
        control_schedule(reconciler, 0);
    }
}

uint64_t control_wanted_revision(const struct control *control, const struct fleet_cluster *cluster,
                                 bool is_gone)
{
    const struct cache_object *words;

    if (!is_gone) {
        return cluster->wanted_revision;
    }
    words = cache_find(control->cache, cluster->tenant, TEXT("Control"), cluster->id);
    return words == NULL ? 0 : words->parts[CACHE_SPEC].revision;
}

bool control_is_behind(const struct control *control, struct text tenant, uint64_t revision)
{
    for (struct fleet_cluster *cluster = fleet_next(control->fleet, NULL); cluster != NULL;
         cluster = fleet_next(control->fleet, cluster)) {
        const struct reconciler *reconciler = cluster->reconciler;

        if (reconciler != NULL &&
            (reconciler->is_woken || reconciler->step != RECONCILER_IDLE ||
             reconciler->failures > 0) &&
            reconciler->settled_revision < revision && text_is_equal(cluster->tenant, tenant) &&
            control_wanted_revision(control, cluster, !cluster->is_there) == revision) {
            return true;
        }
    }
    return false;
}

bool control_pass(struct control *control, struct text cluster)
{
    struct fleet_cluster *found = fleet_find(control->fleet, cluster);

    if (found == NULL || (!found->is_there && found->count == 0)) {
        return false;
    }
    reconciler_of(control, found)->is_pass_requested = true;
    cluster_changed(control, found);
    return true;
}

bool control_pass_dry(struct control *control, struct text cluster)
{
    struct fleet_cluster *found = fleet_find(control->fleet, cluster);

    if (found == NULL || (!found->is_there && found->count == 0)) {
        return false;
    }
    reconciler_of(control, found)->is_dry = true;
    return control_pass(control, cluster);
}

void control_wake(struct control *control, struct text cluster)
{
    struct fleet_cluster *found = fleet_find(control->fleet, cluster);

    if (found != NULL) {
        cluster_changed(control, found);
    }
}

struct roster *control_roster(const struct control *control)
{
    return leases_roster(control->leases);
}

struct managers *control_managers(const struct control *control)
{
    return leases_managers(control->leases);
}

struct assignment *control_assignment(const struct control *control)
{
    return leases_assignment(control->leases);
}

bool control_is_housekeeper(const struct control *control)
{
    return leases_is_housekeeper(control->leases);
}

void control_managers_show(const struct control *control, struct arena *arena,
                           const struct managers_query *query, struct doc_builder *builder)
{
    leases_show(control->leases, arena, query, builder);
}

/* ---- the controller ---- */

struct control *control_new(struct store *store, struct cache *cache, struct control_ports ports,
                            struct control_options options)
{
    struct arena *memory = arena_new(SIZE_MAX);
    struct control *control = arena_one(memory, struct control);
    struct store_status status;

    *control = (struct control){
        .memory = memory,
        .store = store,
        .cache = cache,
        .ports = ports,
        .options = options,
        .reconcilers = pool_new(sizeof(struct reconciler), LIMIT_STORE_KEYS),
    };
    control->options.session = arena_text(memory, options.session);
    control->options.clock = arena_text(memory, options.clock);
    store_status(store, &status);
    text_format_hex(status.incarnation, sizeof(status.incarnation), control->life);
    control->fleet = fleet_new(cache, cluster_changed, control);
    control->leases = leases_open(control);
    return control;
}

bool control_is_alive(const struct control *control)
{
    return leases_is_alive(control->leases);
}

static void active_run(struct control *control)
{
    struct reconciler **link = &control->active;

    while (*link != NULL) {
        struct reconciler *reconciler = *link;

        reconciler_run(reconciler);
        if (reconciler->step == RECONCILER_IDLE) {
            *link = reconciler->next;
            control->active_count--;
        } else {
            link = &reconciler->next;
        }
    }
}

/* Returns the time of the next work. A reconciler that waits for an answer has no due time, because
 * the answer continues its work. */
static uint64_t due_next(const struct control *control, bool is_alive)
{
    const struct heap_node *first = heap_first(&control->waiting);
    bool may_begin = is_alive && control->active_count < LIMIT_CONTROL_PASSES;
    uint64_t due_ms = first == NULL || !may_begin ? UINT64_MAX : first->due;

    return leases_due(control->leases) < due_ms ? leases_due(control->leases) : due_ms;
}

uint64_t control_run(struct control *control)
{
    struct heap_node *first;
    uint64_t due_ms;
    uint64_t own_ms;
    uint64_t now;
    bool is_alive;

    if (cache_state(control->cache) != CACHE_READY) {
        active_run(control);
        return control->ports.now_ms(control->ports.arg) + 100;
    }
    fleet_run(control->fleet);
    active_run(control);
    now = control->ports.now_ms(control->ports.arg);
    is_alive = leases_run(control->leases, now);
    if (!is_alive && GUARD(&control->options.limits, G10) &&
        !BUG(&control->options.limits, BUG_QUEUE_KEPT)) {
        accounts_drop(control);
    }
    while (is_alive && (first = heap_first(&control->waiting)) != NULL && first->due <= now &&
           control->active_count < LIMIT_CONTROL_PASSES) {
        struct reconciler *reconciler = heap_owner(first, struct reconciler, waiting);

        heap_remove(&control->waiting, first);
        pass_begin(reconciler);
        if (reconciler->step != RECONCILER_IDLE) {
            reconciler->next = control->active;
            control->active = reconciler;
            control->active_count++;
        }
    }
    leases_flush(control->leases);
    due_ms = is_alive ? accounts_run(control) : UINT64_MAX;
    if (is_alive) {
        uint64_t probe_ms = probes_run(control, now);

        uint64_t bootstrap_ms = members_run(control, now);
        uint64_t reboot_ms = reboots_run(control, now);
        uint64_t volumes_ms = volumes_run(control, now);

        due_ms = probe_ms < due_ms ? probe_ms : due_ms;
        due_ms = bootstrap_ms < due_ms ? bootstrap_ms : due_ms;
        due_ms = reboot_ms < due_ms ? reboot_ms : due_ms;
        due_ms = volumes_ms < due_ms ? volumes_ms : due_ms;
    }
    own_ms = due_next(control, is_alive);
    return due_ms < own_ms ? due_ms : own_ms;
}

void control_stop(struct control *control)
{
    control->is_stopped = true;
}

void control_watch(struct control *control, on_control *reported, void *arg)
{
    control->reported = reported;
    control->event_arg = arg;
}

bool control_has_machine(const struct control *control, struct text token)
{
    struct fleet_cluster *cluster = NULL;

    do {
        cluster = fleet_next(control->fleet, cluster);
    } while (cluster != NULL && fleet_machine_find(cluster, token) == NULL);
    return cluster != NULL;
}

bool control_is_idle(const struct control *control)
{
    struct fleet_cluster *cluster = NULL;

    if (control->active_count > 0) {
        return false;
    }
    while ((cluster = fleet_next(control->fleet, cluster)) != NULL) {
        const struct reconciler *reconciler = cluster->reconciler;

        if (reconciler != NULL && (reconciler->calls != NULL || reconciler->outcomes != NULL)) {
            return false;
        }
    }
    return true;
}

static void reconciler_free(struct reconciler *reconciler)
{
    account_drop(reconciler);
    reconciler_still_drop(reconciler);
    probes_drop(reconciler);
    members_drop(reconciler);
    reboots_drop(reconciler);
    volumes_drop(reconciler);
    assert(reconciler->calls == NULL && "providers are closed before the controller");
    for (struct call *call = reconciler->outcomes, *next; call != NULL; call = next) {
        next = call->next;
        call_free(call);
    }
    if (reconciler->pass != NULL) {
        arena_free(reconciler->pass->arena);
    }
    arena_free(reconciler->settle_arena);
    arena_free(reconciler->kept.arena);
}

const struct fleet *control_fleet(const struct control *control)
{
    return control->fleet;
}

void control_free(struct control *control)
{
    struct fleet_cluster *cluster = NULL;

    if (control == NULL) {
        return;
    }
    while ((cluster = fleet_next(control->fleet, cluster)) != NULL) {
        if (cluster->reconciler != NULL) {
            reconciler_free(cluster->reconciler);
        }
    }
    probes_forget(control);
    heap_clear(&control->waiting);
    heap_clear(&control->probing);
    heap_clear(&control->members);
    heap_clear(&control->rebooting);
    heap_clear(&control->volumes);
    leases_free(control->leases);
    fleet_free(control->fleet);
    pool_free(control->reconcilers);
    arena_free(control->memory);
}
