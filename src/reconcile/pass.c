#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"
#include "managers/lease.h"
#include "reconcile/control_parts.h"
#include "reconcile/reboots.h"

#include <assert.h>
#include <stdio.h>

/* public names start with: pass_ reconciler_ */

/* The steps of a pass, in order. */

enum { GATHER_TIMES = 4 }; /* multiple of the duration of the last pass; see reconciler_gathered */

static struct pass *pass_new(struct reconciler *reconciler)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct pass *pass = arena_one(arena, struct pass);

    *pass = (struct pass){ .arena = arena, .reconciler = reconciler };
    unit_row_init(&pass->units);
    reconciler->pass = pass;
    return pass;
}

static uint64_t backoff(struct control *control, unsigned failures)
{
    uint64_t ms = 1000;

    for (unsigned i = 1; i < failures && ms < LIMIT_CONTROL_BACKOFF_MS; i++) {
        ms *= 2;
    }
    return control_jitter(control, ms < LIMIT_CONTROL_BACKOFF_MS ? ms : LIMIT_CONTROL_BACKOFF_MS);
}

/* Returns the time until which the next pass waits for outcomes of calls. Each outcome is persisted
 * immediately. A new pass starts only when all outcomes have arrived, or after a waiting time that
 * is longer for a large cluster. */
static uint64_t reconciler_gathered(const struct reconciler *reconciler)
{
    struct control *control = reconciler->control;

    uint64_t wait_ms = LIMIT_CONTROL_GATHER_MS;

    if (wait_ms < GATHER_TIMES * reconciler->took_ms) {
        wait_ms = GATHER_TIMES * reconciler->took_ms;
    }
    return control->ports.now_ms(control->ports.arg) +
           (reconciler->calls == NULL && !reconciler->is_node_due ? 0 : wait_ms);
}

/* Returns the remaining time of a period of `ms` that began at since_ms. UINT64_MAX: the period has
 * not begun, or is over. */
static uint64_t pass_time_left(const struct plan_world *world, uint64_t since_ms, uint64_t ms)
{
    uint64_t gone_ms = world->now_ms - since_ms;

    return since_ms > 0 && gone_ms < ms ? ms - gone_ms : UINT64_MAX;
}

/* Returns the time left until an unhealthy or unreachable machine, or a failed bootstrap, leads to
 * an action. UINT64_MAX: the machine has no such problem, or no action follows. */
static uint64_t patience_left(const struct plan_world *world, const struct plan_record *record)
{
    uint64_t since_ms =
        record->failing_since_ms > 0 ? record->failing_since_ms : record->unreachable_since_ms;

    for (size_t i = 0; since_ms + record->failed_since_ms > 0 && i < world->group_count; i++) {
        const struct plan_group *group = &world->groups[i];

        if (text_is_equal(group->path, record->group)) {
            uint64_t findings_due_ms = pass_time_left(world, since_ms, group->replace_after_ms);
            uint64_t kept_ms = pass_time_left(world, record->failed_since_ms, group->kept_ms);

            return findings_due_ms < kept_ms ? findings_due_ms : kept_ms;
        }
    }
    return UINT64_MAX;
}

/* Returns the time until the next lookup by id of a missing machine. UINT64_MAX: no lookup was made
 * recently. */
static uint64_t lookup_left(const struct plan_limits *limits, const struct plan_world *world,
                            const struct plan_record *record)
{
    uint64_t again_ms = record->looked_up.last_ms + limits->lookup_ms;

    if (record->looked_up.count == 0) {
        return UINT64_MAX;
    }
    return again_ms > world->now_ms ? again_ms - world->now_ms : UINT64_MAX;
}

/* Return the time until a started reboot is overdue. UINT64_MAX: there is no reboot, or it is
 * overdue. */
static uint64_t reboot_left(const struct plan_limits *limits, const struct plan_world *world,
                            const struct plan_record *record)
{
    uint64_t due_ms;

    if (record->reboot_begun_ms == 0 || record->is_reboot_late) {
        return UINT64_MAX;
    }
    due_ms = plan_reboot_deadline(limits, &world->sources[record->source], record);
    return due_ms > world->now_ms ? due_ms - world->now_ms : 0;
}

/* Returns when the machine was created. This is the time of the provider's answer, because the
 * creation may take minutes. */
static uint64_t born_at(const struct reconciler *reconciler, const struct plan_world *world,
                        const struct plan_record *record)
{
    bool is_late = reconciler->made_ms > record->created_ms && reconciler->made_ms <= world->now_ms;

    return is_late ? reconciler->made_ms : record->created_ms;
}

/* Returns the delay until the next pass. The delay is short after a pass that started calls.
 * Otherwise it depends on the age of starting machines, on the time left for unhealthy machines,
 * and on when lookups may be repeated. It never exceeds the time until a pause expires. */
static uint64_t soon_after(const struct reconciler *reconciler, const struct pass *pass)
{
    const struct control_options *options = &reconciler->control->options;
    uint64_t soon = pass->acts ? options->limits.lookup_ms : options->resync_ms;
    const struct plan_world *world = &pass->world;

    if (pass->pause_left_ms > 0 && pass->pause_left_ms < soon) {
        soon = pass->pause_left_ms;
    }
    for (size_t i = 0; pass->is_decided && i < world->record_count; i++) {
        const struct plan_record *record = &world->records[i];

        if (record->state == PLAN_RECORD_CREATE && record->id.length > 0) {
            uint64_t wait_ms = LIMIT_CONTROL_BOOT_MS;
            uint64_t age_ms = world->now_ms - born_at(reconciler, world, record);

            wait_ms = age_ms / 4 > wait_ms ? age_ms / 4 : wait_ms;
            soon = wait_ms < soon ? wait_ms : soon;
        } else if (record->state == PLAN_RECORD_ACTIVE) {
            uint64_t left_ms = patience_left(world, record);
            uint64_t again_ms = lookup_left(&options->limits, world, record);
            uint64_t reboot_ms = reboot_left(&options->limits, world, record);

            soon = left_ms < soon ? left_ms : soon;
            soon = again_ms < soon ? again_ms : soon;
            soon = reboot_ms < soon ? reboot_ms : soon;
        }
    }
    return soon < options->resync_ms ? soon : options->resync_ms;
}

/* True if any provider has returned its listing. The circuit breakers of the other providers stop
 * calls after failures. */
static bool is_partly_heard(const struct pass *pass)
{
    for (size_t i = 0; pass != NULL && i < pass->source_count; i++) {
        if (pass->sources[i].plan.problem.length == 0) {
            return true;
        }
    }
    return false;
}

/* Return the time of the next pass. Changes since the start of this pass trigger it immediately. */
static uint64_t due_after(struct reconciler *reconciler, enum control_end end,
                          const struct pass *pass)
{
    struct control *control = reconciler->control;
    uint64_t now = control->ports.now_ms(control->ports.arg);

    switch (end) {
    case CONTROL_END_UNHEARD:
        if (is_partly_heard(pass)) {
            break; /* groups of other providers continue (G19) */
        }
        return now + backoff(control, reconciler->failures);
    case CONTROL_END_BROKEN:
        return now + backoff(control, reconciler->failures);
    case CONTROL_END_FOREIGN:
        return now + (reconciler->leasing.wait_ms > 0 ? reconciler->leasing.wait_ms
                                                      : control->options.session_ttl_ms / 2);
    case CONTROL_END_DONE:
    case CONTROL_END_QUIET:
    case CONTROL_END_HELD:
    case CONTROL_END_DAMAGED:
        break;
    }
    if (reconciler->is_woken) {
        return now;
    }
    if (reconciler->is_overtaken || reconciler->outcomes != NULL) {
        return reconciler_gathered(reconciler);
    }
    return now + (pass == NULL ? control->options.resync_ms : soon_after(reconciler, pass));
}

/* True if there are outcomes of calls, probes or nodes to persist. */
static bool has_outcomes(const struct reconciler *reconciler)
{
    return reconciler->outcomes != NULL || reconciler->findings != NULL ||
           members_is_dirty(reconciler) || volumes_is_dirty(reconciler);
}

/* Returns the time of the next work. It is now if there are outcomes to persist. Results of probes
 * and nodes that the store refused are kept for the next pass. */
static uint64_t due_of(const struct reconciler *reconciler, enum control_end end)
{
    bool is_known = reconciler->outcomes == NULL;

    return is_known && (end == CONTROL_END_BROKEN || !has_outcomes(reconciler)) ? reconciler->due_ms
                                                                                : 0;
}

void pass_end(struct reconciler *reconciler, enum control_end end, struct text message)
{
    struct control *control = reconciler->control;
    struct pass *pass = reconciler->pass;

    reconciler->failures =
        end == CONTROL_END_BROKEN || end == CONTROL_END_UNHEARD ? reconciler->failures + 1 : 0;
    if (control->reported != NULL) {
        control->reported(control->event_arg,
                          &(struct control_report){
                              .cluster = reconciler->cluster->key,
                              .end = end,
                              .revision = cache_revision(control->cache),
                              .machines = reconciler->cluster->count,
                              .actions = pass == NULL ? 0 : pass->plan.action_count,
                              .holds = pass == NULL ? 0 : pass->plan.hold_count,
                              .message = message,
                              .begun_ms = reconciler->begun_ms,
                              .world = pass != NULL && pass->is_decided ? &pass->world : NULL,
                              .plan = pass != NULL && pass->is_decided ? &pass->plan : NULL,
                          });
    }
    leases_pass_note(reconciler);
    reconciler->step = RECONCILER_IDLE;
    reconciler->is_foreign = end == CONTROL_END_FOREIGN;
    reconciler->wanted_revision = 0;
    reconciler->serial++;
    reconciler->took_ms = control->ports.now_ms(control->ports.arg) - reconciler->begun_ms;
    reconciler->due_ms = due_after(reconciler, end, pass);
    reconciler->is_overtaken = false;
    probes_note(reconciler);
    members_note(reconciler);
    reboots_note(reconciler);
    volumes_note(reconciler);
    control_schedule(reconciler, due_of(reconciler, end));
    reconciler->pass = NULL;
    if (pass != NULL) {
        arena_free(pass->arena);
    }
}

void pass_list_begin(struct reconciler *reconciler)
{
    reconciler->step = RECONCILER_LISTING;
    pass_list(reconciler->pass);
}

/* Persist outcomes before a decision. False: there is nothing to persist. */
static bool settle_begin(struct reconciler *reconciler)
{
    reconciler_outcomes_settle(reconciler);
    if (reconciler->units.count == 0) {
        return false;
    }
    reconciler->is_settling = true;
    reconciler->step = RECONCILER_WRITING;
    reconciler_write(reconciler);
    return true;
}

/* True if nothing is left of a deleted cluster. No pass follows until a part of the cluster exists
 * again. Otherwise each deleted cluster would cause passes forever. */
static bool is_nothing_left(const struct reconciler *reconciler)
{
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct cache *cache = reconciler->control->cache;
    char prefix[LIMIT_STORE_KEY_BYTES];
    static const char *const kinds[] = { "Control", "Hold", "Volume" };

    if (cluster->is_there || cluster->count > 0 || reconciler->calls != NULL ||
        cache_find(cache, cluster->tenant, TEXT("Control"), cluster->id) != NULL) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        int length = snprintf(prefix, sizeof(prefix), "/%.*s/%s/%.*s/", TEXT_ARG(cluster->tenant),
                              kinds[i], TEXT_ARG(cluster->id));

        assert(length > 0 && (size_t)length < sizeof(prefix));
        if (cache_first(cache, (struct text){ prefix, (size_t)length }) != NULL) {
            return false;
        }
    }
    return true;
}

/* Ends the pass without a decision if records or the specification cannot be parsed or are
 * incomplete, as they are between the transactions of a very large change. Returns true if the pass
 * has ended. */
static bool ends_damaged(struct reconciler *reconciler)
{
    const struct fleet_cluster *cluster = reconciler->cluster;
    const struct err *err =
        cluster->damage.code != CODE_NONE ? &cluster->damage : &cluster->problem;

    if (err->code == CODE_NONE) {
        return false;
    }
    pass_end(reconciler, CONTROL_END_DAMAGED, text_from(err->text));
    return true;
}

void pass_begin(struct reconciler *reconciler)
{
    const struct cache_object *lease = lease_find(reconciler->control->cache, reconciler->cluster);
    struct control *control = reconciler->control;
    const struct doc *said;

    leases_epoch_renew(reconciler, lease);
    if (has_outcomes(reconciler) && settle_begin(reconciler)) {
        return;
    }
    if (reconciler->leasing.is_leaving ||
        (control->options.is_single ? !reconciler->is_pass_requested
                                    : is_nothing_left(reconciler))) {
        return;
    }
    reconciler->begun_ms = control->ports.now_ms(control->ports.arg);
    if (!reconciler->is_pass_requested && !reconciler->is_woken &&
        reconciler->begun_ms < reconciler->due_ms) {
        control_schedule(reconciler,
                         /* the wake-up was only for outcomes, which are persisted now */
                         reconciler->due_ms);
        return;
    }
    reconciler->is_pass_requested = false;
    said = lease_read(pass_new(reconciler)->arena, lease);
    reconciler->is_woken = false;
    reconciler->is_node_due = false;
    fleet_wanted(control->fleet, reconciler->cluster);
    if (ends_damaged(reconciler)) {
        return;
    }
    if (control->options.is_dry) {
        if (!reconciler->has_clock) {
            reconciler_clock_set(reconciler, reconciler->pass->arena, said);
        }
        pass_list_begin(reconciler);
    } else {
        leases_settle(reconciler, lease, said);
    }
}

/* ---- snapshot ---- */

static void pass_newest_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct reconciler *reconciler = arg;

    assert(reconciler->step == RECONCILER_READING);
    if (reconciler->control->is_stopped) {
        return;
    }
    if (outcome != OUTCOME_OK) {
        pass_end(reconciler, CONTROL_END_BROKEN, text_from(answer->err.text));
    } else if (!reconciler->control->options.is_dry &&
               GUARD(&reconciler->control->options.limits, G10) &&
               (answer->count == 0 || answer->items[0].revision != reconciler->epoch)) {
        reconciler_lease_lost(reconciler);
        pass_end(reconciler, CONTROL_END_BROKEN, TEXT("another manager has the lease now"));
    } else {
        reconciler->wanted_revision = answer->revision;
    }
}

/* Called when the listings are complete. The latest revision of the store is read only now (G2).
 * Outcomes of calls are persisted before. */
void pass_listed(struct reconciler *reconciler)
{
    struct pass *pass = reconciler->pass;

    if (reconciler->still.arena != NULL && pass_is_still(pass)) {
        pass_end(reconciler, CONTROL_END_QUIET, TEXT(""));
        return;
    }
    if (reconciler->still.arena != NULL || pass_is_reported_same(pass)) {
        reconciler_still_drop(reconciler);
        pass_list(pass); /* some listings were reported as unchanged: request their rows */
        return;
    }
    reconciler->step = RECONCILER_READING;
    if (reconciler->outcomes != NULL && settle_begin(reconciler)) {
        return;
    }
    if (!GUARD(&reconciler->control->options.limits, G2)) {
        reconciler->wanted_revision = 1; /* any revision of the cache is sufficient */
        return;
    }
    store_get(reconciler->control->store,
              control_key(pass->arena, reconciler->cluster, "Lease", TEXT(""), CACHE_STATUS), 0,
              pass_newest_reported, reconciler);
}

/* ---- decide ---- */

static enum control_end pass_end_of(const struct pass *pass)
{
    for (size_t i = 0; i < pass->source_count; i++) {
        if (pass->sources[i].plan.problem.length > 0 && pass->sources[i].provider != NULL &&
            pass->sources[i].at.length == 0) {
            return CONTROL_END_UNHEARD;
        }
    }
    if (pass->plan.action_count > 0) {
        return CONTROL_END_DONE;
    }
    return pass->plan.hold_count > 0 ? CONTROL_END_HELD : CONTROL_END_QUIET;
}

static void pass_decide(struct reconciler *reconciler)
{
    struct pass *pass = reconciler->pass;

    /* the lease is read again, because listings take time */
    fleet_wanted(reconciler->control->fleet, reconciler->cluster);
    if (!BUG(&reconciler->control->options.limits, BUG_PART_IS_WHOLE) && ends_damaged(reconciler)) {
        return;
    }
    if (!pass_has_asked_all(pass) && pass->is_crowded) {
        pass_end(reconciler, CONTROL_END_BROKEN,
                 TEXT("machines of more plugins than one cluster may have"));
        return;
    }
    if (!pass_has_asked_all(pass)) {
        pass_list_begin(
            reconciler); /* the specification now has another plugin that may list machines */
        return;
    }
    pass_world_make(pass);
    plan_compute(pass->arena, &pass->world, &reconciler->control->options.limits, &pass->plan);
    pass->is_decided = true;
    if (reconciler->control->options.is_dry || reconciler->is_dry) {
        reconciler->is_woken =
            reconciler->is_woken || reconciler->is_dry; /* the next pass executes the actions */
        reconciler->is_dry = false;
        pass_end(reconciler, pass_end_of(pass), TEXT(""));
        return;
    }
    pass_number_take(pass);
    pass_effects_make(pass);
    pass_holds_make(pass);
    pass_archive(pass);
    pass_status_make(pass);
    pass_jobs_make(pass);
    pass_tombstone_end(pass);
    if (pass->units.count == 0) {
        pass_still_note(pass);
        pass_end(reconciler, pass_end_of(pass), TEXT(""));
        return;
    }
    reconciler->step = RECONCILER_WRITING;
    reconciler->units = pass->units;
    if (reconciler->units.count == 0) {
        unit_row_init(&reconciler->units);
    }
    reconciler_write(reconciler);
}

/* ---- continuing when the cache has caught up ---- */

static bool cache_has(const struct reconciler *reconciler)
{
    const struct cache *cache = reconciler->control->cache;

    return reconciler->wanted_revision > 0 && cache_state(cache) == CACHE_READY &&
           cache_revision(cache) >= reconciler->wanted_revision;
}

/* Called when all write operations are committed and visible in the cache. */
static void pass_written(struct reconciler *reconciler)
{
    if (!reconciler->is_settling) {
        pass_end(reconciler, pass_end_of(reconciler->pass), TEXT(""));
        return;
    }
    reconciler->is_settling = false;
    arena_free(reconciler->settle_arena);
    reconciler->settle_arena = NULL;
    probes_written(reconciler);
    members_written(reconciler);
    if (reconciler->pass == NULL) {
        uint64_t gathered = reconciler_gathered(reconciler);

        reconciler->step = RECONCILER_IDLE;
        reconciler->due_ms =
            (reconciler->is_pass_due || reconciler->is_node_due) && gathered < reconciler->due_ms
                ? gathered
                : reconciler->due_ms;
        control_schedule(reconciler, reconciler->outcomes == NULL && !members_is_dirty(reconciler)
                                         ? reconciler->due_ms
                                         : 0);
    } else {
        reconciler->is_overtaken = true; /* the next listing shows the effects of the calls */
        pass_listed(reconciler);
    }
}

void reconciler_broken(struct reconciler *reconciler, const struct err *err)
{
    char text[LIMIT_ERROR_TEXT_BYTES];
    struct text message = text_from(err->text);

    assert(reconciler->step == RECONCILER_WRITING);
    for (size_t i = 0; i <= message.length; i++) {
        text[i] = err->text[i];
    }
    arena_free(reconciler->settle_arena);
    reconciler->settle_arena = NULL;
    probes_refused(reconciler);
    reconciler->is_settling = false;
    unit_row_init(&reconciler->units);
    pass_end(reconciler, CONTROL_END_BROKEN, text_from(text));
}

void reconciler_run(struct reconciler *reconciler)
{
    if (!cache_has(reconciler)) {
        return;
    }
    reconciler->wanted_revision = 0;
    switch (reconciler->step) {
    case RECONCILER_LEASING:
        leases_taken(reconciler);
        break;
    case RECONCILER_READING:
        if (reconciler->epoch == 0 &&
            /* the cluster has changed since the latest revision was read */
            !reconciler->control->options.is_dry) {
            pass_end(reconciler, CONTROL_END_BROKEN,
                     TEXT("this manager sent no heartbeat for too long"));
        } else {
            pass_decide(reconciler);
        }
        break;
    case RECONCILER_WRITING:
        pass_written(reconciler);
        break;
    case RECONCILER_IDLE:
    case RECONCILER_LISTING:
        assert(false && "nothing is waited for");
        break;
    }
}
