#include "base/limits.h"
#include "codec/json.h"
#include "leases/leases_parts.h"
#include "managers/lease.h"

#include <assert.h>

/* public names start with: leases_ */

/* ---- opening ---- */

static struct roster *leases_roster_new(const struct control *control)
{
    const struct control_options *options = &control->options;
    uint64_t beat_ms =
        options->session_beat_ms > 0 ? options->session_beat_ms : options->session_ttl_ms / 3;

    return roster_new(&(struct roster_options){ .store = control->store,
                                                .cache = control->cache,
                                                .now_ms = control->ports.now_ms,
                                                .wall_ms = control->ports.wall_ms,
                                                .refuses = control->ports.refuses,
                                                .arg = control->ports.arg,
                                                .session = options->session,
                                                .manager = options->manager,
                                                .clock = options->clock,
                                                .beat_ms = beat_ms,
                                                .fresh_ms = 3 * beat_ms,
                                                .ttl_ms = options->session_ttl_ms });
}

static uint64_t leases_now_ms(void *arg)
{
    const struct control *control = ((const struct leases *)arg)->control;

    return control->ports.now_ms(control->ports.arg);
}

/* True if work on a cluster was in progress when its lease became free. The leases of such clusters
 * are taken first. */
static bool leases_is_urgent(const struct control *control, const struct fleet_cluster *cluster)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct cache_object *object;
    struct text prefix;

    for (size_t i = 0; i < cluster->count; i++) {
        if (cluster->machines[i]->state != PLAN_RECORD_ACTIVE ||
            cluster->machines[i]->is_starting || cluster->machines[i]->reboot_begun_ms > 0) {
            return true;
        }
    }
    prefix =
        arena_printf(arena, "/%.*s/Hold/%.*s/", TEXT_ARG(cluster->tenant), TEXT_ARG(cluster->id));
    if (cache_first(control->cache, prefix) != NULL) {
        return true;
    }
    prefix =
        arena_printf(arena, "/%.*s/Job/%.*s/", TEXT_ARG(cluster->tenant), TEXT_ARG(cluster->id));
    for (object = cache_first(control->cache, prefix); object != NULL;
         object = cache_next(control->cache, prefix, object)) {
        struct doc doc;
        struct err err;

        if (object->parts[CACHE_STATUS].bytes != NULL &&
            json_parse(arena, blob_text(object->parts[CACHE_STATUS].bytes), NULL, &doc, &err) &&
            !doc_is_present(doc_child(&doc, "ended"))) {
            return true;
        }
    }
    return false;
}

/* Starts the pass for a cluster immediately if another manager had begun one. */
static void leases_wake(struct leases *leases, struct fleet_cluster *cluster)
{
    struct reconciler *reconciler = cluster->reconciler;
    bool has_order = leases->control->options.manager.id.length > 0;

    if (reconciler != NULL && reconciler->is_foreign && reconciler->step == RECONCILER_IDLE) {
        reconciler->is_woken = true;
        control_schedule(reconciler,
                         has_order && !leases_is_urgent(leases->control, cluster) ? 1 : 0);
    }
}

static void leases_freed(void *arg, struct fleet_cluster *cluster)
{
    leases_wake(arg, cluster);
}

struct leases *leases_open(struct control *control)
{
    const struct control_options *options = &control->options;
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct leases *leases = arena_one(memory, struct leases);

    *leases = (struct leases){ .memory = memory, .control = control, .due_ms = UINT64_MAX };
    if (options->is_alone) {
        return leases;
    }
    leases->roster = leases_roster_new(control);
    leases->managers = managers_new(&(struct managers_options){ .store = control->store,
                                                                .cache = control->cache,
                                                                .roster = leases->roster,
                                                                .wall_ms = control->ports.wall_ms,
                                                                .arg = control->ports.arg,
                                                                .manager = options->manager,
                                                                .session = options->session,
                                                                .clock = options->clock });
    leases->assignment = assignment_new(
        &(struct assignment_options){ .cache = control->cache,
                                      .fleet = control->fleet,
                                      .roster = leases->roster,
                                      .managers = leases->managers,
                                      .now_ms = leases_now_ms,
                                      .freed = leases_freed,
                                      .leave = handover_begin,
                                      .arg = leases,
                                      .manager = options->manager.id,
                                      .session = options->session,
                                      .times = options->times > 0 ? options->times : 1 });
    leases->writes = lease_writes_new(control->store, &control->is_stopped);
    return leases;
}

void leases_free(struct leases *leases)
{
    if (leases != NULL) {
        lease_writes_free(leases->writes);
        assignment_free(leases->assignment);
        managers_free(leases->managers);
        roster_free(leases->roster);
        arena_free(leases->memory);
    }
}

struct roster *leases_roster(const struct leases *leases)
{
    return leases->roster;
}

struct managers *leases_managers(const struct leases *leases)
{
    return leases->managers;
}

struct assignment *leases_assignment(const struct leases *leases)
{
    return leases->assignment;
}

/* ---- sessions of this manager and of others ---- */

/* Handles the end of a session: passes for its clusters begin now. */
static void leases_ends_follow(struct leases *leases, uint64_t ends)
{
    struct fleet_cluster *cluster = NULL;

    if (ends == leases->ends) {
        return;
    }
    leases->ends = ends;
    while ((cluster = fleet_next(leases->control->fleet, cluster)) != NULL) {
        leases_wake(leases, cluster);
    }
}

bool leases_is_alive(const struct leases *leases)
{
    return leases->roster == NULL || roster_is_alive(leases->roster);
}

/* Called when this manager was suspended for too long. Another manager may now have its leases and
 * make its queued calls, so this manager must not make them, regardless of the data that it reads
 * from the store. */
static void leases_silence_begin(struct control *control)
{
    struct fleet_cluster *cluster = NULL;

    while ((cluster = fleet_next(control->fleet, cluster)) != NULL) {
        struct reconciler *reconciler = cluster->reconciler;

        if (reconciler == NULL) {
            continue;
        }
        if (reconciler->call_count > 0) {
            reconciler->is_woken = true; /* a new pass must decide about these calls again */
            if (reconciler->step == RECONCILER_IDLE) {
                control_schedule(reconciler, 0);
            }
        }
        reconciler_lease_lost(reconciler);
    }
}

bool leases_run(struct leases *leases, uint64_t now)
{
    bool was_silent = leases->is_silent;
    uint64_t due_ms;
    uint64_t ends;

    if (leases->roster == NULL) {
        return true;
    }
    leases->was_alive = leases->was_alive || leases_is_alive(leases);
    leases->is_silent = leases->was_alive && !leases_is_alive(leases);
    if (leases->is_silent && !was_silent) {
        leases_silence_begin(leases->control);
    }
    /* if the end of a session is noticed only now, it is handled in the next iteration */
    ends = roster_ends(leases->roster);
    leases->due_ms = roster_run(leases->roster);
    leases_ends_follow(leases, ends);
    if (leases->ends > 0 && now - leases->swept_ms >= leases->control->options.session_ttl_ms / 3) {
        leases->swept_ms = now;
        roster_sweep(leases->roster, leases->control->fleet);
    }
    due_ms = assignment_run(leases->assignment);
    leases->due_ms = due_ms < leases->due_ms ? due_ms : leases->due_ms;
    if (leases_is_alive(leases)) {
        due_ms = handover_run(leases, now);
        leases->due_ms = due_ms < leases->due_ms ? due_ms : leases->due_ms;
        due_ms = housekeeping_run(leases, now);
        leases->due_ms = due_ms < leases->due_ms ? due_ms : leases->due_ms;
    }
    return leases_is_alive(leases);
}

void leases_flush(struct leases *leases)
{
    if (leases->writes != NULL) {
        lease_writes_flush(leases->writes);
    }
}

uint64_t leases_due(const struct leases *leases)
{
    return leases->due_ms;
}

/* ---- the epoch ---- */

/* Sets the epoch and the clock of the cluster. */
static void leases_epoch_set(struct reconciler *reconciler, struct arena *arena,
                             const struct doc *lease, uint64_t epoch)
{
    if (reconciler->epoch != epoch || !reconciler->has_clock) {
        reconciler->epoch = epoch;
        reconciler->series_last = 0; /* the next token begins a new series */
        reconciler_clock_set(reconciler, arena, lease);
    }
}

/* Write operations with the old epoch would be rejected until a pass reads the new epoch. Another
 * manager may have changed the node states in the meantime. */
void leases_epoch_renew(struct reconciler *reconciler, const struct cache_object *lease)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    uint64_t revision = lease == NULL ? 0 : lease->parts[CACHE_STATUS].revision;
    const struct doc *said;

    if (reconciler->epoch == 0 || revision <= reconciler->epoch ||
        !GUARD(&reconciler->control->options.limits, G10)) {
        return;
    }
    said = lease_read(arena, lease);
    if (text_is_equal(lease_session(said), reconciler->control->options.session)) {
        reconciler_epoch_end(reconciler);
        leases_epoch_set(reconciler, arena, said, revision);
        reconciler->is_woken = true;
    }
}

/* ---- taking a lease ---- */

static void leases_take_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct reconciler *reconciler = arg;
    bool is_lost = outcome == OUTCOME_REFUSED && answer->err.code == CODE_R0502 &&
                   reconciler->control->options.manager.id.length > 0;

    assert(reconciler->step == RECONCILER_LEASING);
    if (reconciler->control->is_stopped) {
        return;
    }
    if (outcome != OUTCOME_OK) {
        pass_end(reconciler, is_lost ? CONTROL_END_FOREIGN : CONTROL_END_BROKEN,
                 is_lost ? TEXT("another manager took the lease first")
                         : text_from(answer->err.text));
        return;
    }
    reconciler->wanted_revision = answer->revision;
}

static struct lease_content leases_content(const struct reconciler *reconciler)
{
    const struct control_options *options = &reconciler->control->options;

    return (struct lease_content){ .ahead = (int64_t)reconciler->clock_ahead_ms,
                                   .clock = options->clock,
                                   .manager = options->manager.id,
                                   .session = options->session };
}

static void leases_member_put(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

/* Make the event that reports that another manager holds a cluster. */
static struct store_event leases_event_make(const struct reconciler *reconciler, struct text from,
                                            struct text reason)
{
    const struct fleet_cluster *cluster = reconciler->cluster;
    const struct control *control = reconciler->control;
    struct arena *arena = reconciler->pass->arena;
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    leases_member_put(&builder, "actor", TEXT("reeve"));
    leases_member_put(&builder, "fact",
                      arena_printf(arena, "from %.*s to %.*s: %.*s", TEXT_ARG(from),
                                   TEXT_ARG(control->options.manager.name), TEXT_ARG(reason)));
    leases_member_put(&builder, "from", from);
    leases_member_put(&builder, "kind", TEXT("Cluster"));
    leases_member_put(&builder, "name", cluster->name);
    leases_member_put(&builder, "object", cluster->id);
    leases_member_put(&builder, "reason", reason);
    leases_member_put(&builder, "to", control->options.manager.name);
    leases_member_put(&builder, "type", TEXT("cluster.assigned"));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return (struct store_event){ .cluster = cluster->key,
                                 .body = buf_text(&buf),
                                 .time_ms = (uint64_t)control->ports.wall_ms(control->ports.arg) };
}

static void leases_take(struct reconciler *reconciler, const struct doc *lease, uint64_t revision)
{
    struct control *control = reconciler->control;
    struct leases *leases = control->leases;
    struct arena *arena = reconciler->pass->arena;
    struct lease_write write = {
        .key = control_key(arena, reconciler->cluster, "Lease", TEXT(""), CACHE_STATUS),
        .revision = revision,
        .done = leases_take_reported,
        .arg = reconciler,
    };
    struct lease_content content;

    reconciler_clock_set(reconciler, arena, lease);
    reconciler->has_clock = false; /* valid again when the lease is committed */
    reconciler->step = RECONCILER_LEASING;
    content = leases_content(reconciler);
    if (control->options.manager.id.length > 0) {
        struct text former = assignment_former(leases->assignment, lease);

        content.reason = assignment_reason(leases->assignment, arena, lease);
        content.since_wall_ms = control->ports.wall_ms(control->ports.arg);
        assignment_taken(leases->assignment, reconciler->cluster, lease);
        if (former.length > 0 &&
            !text_is_equal(lease_manager(lease), control->options.manager.id)) {
            write.event = leases_event_make(reconciler, former, content.reason);
        }
        write.value = lease_format(arena, &content);
        lease_writes_put(leases->writes, &write);
        return;
    }
    write.value = lease_format(arena, &content);
    store_txn(control->store,
              &(struct store_txn){
                  .compares = &(struct store_compare){ .key = write.key, .revision = revision },
                  .compare_count = 1,
                  .ops = &(struct store_op){ .key = write.key, .value = write.value },
                  .op_count = 1 },
              leases_take_reported, reconciler);
}

void leases_settle(struct reconciler *reconciler, const struct cache_object *lease,
                   const struct doc *said)
{
    struct control *control = reconciler->control;
    uint64_t revision = lease == NULL ? 0 : lease->parts[CACHE_STATUS].revision;
    struct arena *arena = reconciler->pass->arena;
    struct assignment_verdict verdict = { .answer = ASSIGNMENT_TAKE };

    reconciler->leasing.wait_ms = 0;
    if (text_is_equal(lease_session(said), control->options.session)) {
        leases_epoch_set(reconciler, arena, said, revision);
        pass_list_begin(reconciler);
        return;
    }
    if (control->leases->assignment != NULL) {
        verdict = assignment_judge(control->leases->assignment, arena, reconciler->cluster, said);
    }
    if (verdict.answer == ASSIGNMENT_TAKE) {
        leases_take(reconciler, said, revision);
        return;
    }
    reconciler->leasing.wait_ms = verdict.wait_ms;
    reconciler_lease_lost(reconciler);
    pass_end(reconciler, CONTROL_END_FOREIGN, verdict.why);
}

void leases_taken(struct reconciler *reconciler)
{
    const struct cache_object *lease = lease_find(reconciler->control->cache, reconciler->cluster);
    const struct doc *said = lease_read(reconciler->pass->arena, lease);

    if (!text_is_equal(lease_session(said), reconciler->control->options.session)) {
        pass_end(reconciler, CONTROL_END_BROKEN, TEXT("another manager has the lease now"));
        return;
    }
    leases_epoch_set(reconciler, reconciler->pass->arena, said,
                     lease->parts[CACHE_STATUS].revision);
    pass_list_begin(reconciler);
}

void leases_pass_note(struct reconciler *reconciler)
{
    struct leases *leases = reconciler->control->leases;
    const struct pass *pass = reconciler->pass;

    if (leases->assignment == NULL || pass == NULL || !pass->is_decided) {
        return;
    }
    for (size_t i = 0; i < pass->source_count; i++) {
        const struct source *source = &pass->sources[i];
        bool is_missing = source->provider == NULL && source->plan.problem.length == 0;

        /* the result of a source on another host says nothing about the plugin of this manager */
        if (source->at.length > 0) {
            continue;
        }
        assignment_plugin_note(leases->assignment, reconciler->cluster->tenant, source->plugin,
                               is_missing ? TEXT("this manager does not have the plugin")
                                          : source->plan.problem);
    }
}
