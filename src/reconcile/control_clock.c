#include "codec/json.h"
#include "reconcile/control_parts.h"
#include "state/batches.h"

#include <assert.h>

/* public names start with: reconciler_ control_ */

/* The clock of a cluster, which the times in its records use. The lease holder derives it from a
 * clock that counts from the boot of its machine; the lease stores the difference of the two. On
 * another machine the time since the last stored entry is unknown, so the clock continues from that
 * entry. A time window may therefore last longer than configured, but never shorter
 * (docs/decisions/0024). Steps of the wall clock have no effect (I18). */

uint64_t reconciler_now(const struct reconciler *reconciler)
{
    const struct control *control = reconciler->control;

    return control->ports.now_ms(control->ports.arg) + reconciler->clock_ahead_ms;
}

bool reconciler_awaits_key(const struct reconciler *reconciler, const struct control_way *way,
                           uint64_t within_ms)
{
    const struct control_ports *ports = &reconciler->control->ports;
    const struct fleet_machine *machine = fleet_machine_find(reconciler->cluster, way->token);
    const struct provider *provider;
    const char *problem;

    if (machine == NULL || way->host_key.length > 0 || way->is_first_key_accepted ||
        reconciler_now(reconciler) >= machine->created_ms + within_ms) {
        return false;
    }
    provider = ports->provider_find(ports->arg, reconciler->cluster->tenant,
                                    fleet_machine_plugin(machine), &problem);
    return provider != NULL && provider->traits.has_host_keys;
}

uint64_t control_clock(const struct control *control, struct text cluster)
{
    const struct fleet_cluster *found = fleet_find(control->fleet, cluster);
    const struct reconciler *reconciler = found == NULL ? NULL : found->reconciler;

    return reconciler != NULL && reconciler->has_clock ? reconciler_now(reconciler) : 0;
}

void reconciler_clock_raise(struct reconciler *reconciler, uint64_t latest_ms)
{
    uint64_t now = reconciler_now(reconciler);

    reconciler->clock_ahead_ms += latest_ms > now ? latest_ms - now : 0;
}

static uint64_t control_clock_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns the latest time in the rows of the cluster's batch jobs and rollouts. The clock must not
 * start before that time. Otherwise a time window that began before would be too short. */
static uint64_t latest_of_jobs(const struct reconciler *reconciler, struct arena *arena)
{
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct cache *cache = reconciler->control->cache;
    struct text prefix =
        arena_printf(arena, "/%.*s/Job/%.*s/", TEXT_ARG(cluster->tenant), TEXT_ARG(cluster->id));
    uint64_t latest = 0;

    for (const struct cache_object *row = cache_first(cache, prefix); row != NULL;
         row = cache_next(cache, prefix, row)) {
        const struct cache_bytes *status = &row->parts[CACHE_STATUS];
        struct batches_progress progress;
        struct doc doc;
        struct err err;

        if (status->bytes != NULL &&
            json_parse(arena, blob_text(status->bytes), NULL, &doc, &err) &&
            batches_progress_read(&doc, &progress)) {
            latest = control_clock_later(latest, progress.seen_ms);
        }
    }
    return latest;
}

/* Returns the latest time of the cluster in the store, as far as it is in the cache. */
static uint64_t control_clock_latest_of(const struct reconciler *reconciler, struct arena *arena)
{
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct cache *cache = reconciler->control->cache;
    struct text prefix = arena_printf(arena, "/%.*s/Control/%.*s/", TEXT_ARG(cluster->tenant),
                                      TEXT_ARG(cluster->id));
    struct counters counters;
    uint64_t revision = 0;
    uint64_t latest = latest_of_jobs(reconciler, arena);

    for (size_t i = 0; i < cluster->count; i++) {
        latest = control_clock_later(latest, fleet_machine_latest(cluster->machines[i]));
    }
    (void)control_counters_read(arena, reconciler, TEXT(""), &counters, &revision);
    latest = control_clock_later(latest, counters_latest(&counters));
    for (const struct cache_object *row = cache_first(cache, prefix); row != NULL;
         row = cache_next(cache, prefix, row)) {
        struct text group = text_slice(cache_id(row), cluster->id.length + 1, cache_id(row).length);

        (void)control_counters_read(arena, reconciler, group, &counters, &revision);
        latest = control_clock_later(latest, counters_latest(&counters));
    }
    return latest;
}

/* Reads the difference from the lease. Returns false if the lease was written on another machine,
 * or before the present boot. */
static bool ahead_read(const struct reconciler *reconciler, const struct doc *lease, uint64_t *out)
{
    const struct doc *clock = doc_child(lease, "clock");
    const struct doc *ahead = doc_child(lease, "ahead");
    int64_t number = 0;

    if (reconciler->control->options.clock.length == 0 || !doc_is_scalar(clock) ||
        !doc_is_scalar(ahead) || !text_is_equal(clock->text, reconciler->control->options.clock) ||
        !text_parse_int64(ahead->text, &number)) {
        return false;
    }
    *out = (uint64_t)number;
    return true;
}

void reconciler_clock_set(struct reconciler *reconciler, struct arena *arena,
                          const struct doc *lease)
{
    const struct control *control = reconciler->control;
    uint64_t now = control->ports.now_ms(control->ports.arg);

    if (!ahead_read(reconciler, lease, &reconciler->clock_ahead_ms)) {
        reconciler->clock_ahead_ms = control_clock_latest_of(reconciler, arena) + 1 - now;
    }
    if (BUG(&control->options.limits, BUG_CLOCK_TRUSTED)) {
        reconciler->clock_ahead_ms = 0;
    }
    reconciler->has_clock = true;
    reconciler->clock_since_ms = reconciler_now(reconciler);
    assert(reconciler_now(reconciler) > 0);
}
