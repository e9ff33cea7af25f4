#include "base/limits.h"
#include "engine/rollouts.h"
#include "engine/tending.h"

#include <assert.h>

/* What is known of nodes is written beside what came of calls, and only while the lease is ours. */

static struct text state_key(struct arena *arena, const struct reconciler *reconciler,
                             struct text token)
{
    return control_key(arena, reconciler->cluster, "Node", token, CACHE_STATUS);
}

static struct text news_event(struct arena *arena, const struct tended *tended,
                              const struct tended_news *news)
{
    return control_event(arena, tended->tending->reconciler,
                         &(struct event){ .type = news->type,
                                          .group = tended->group,
                                          .slot = tended->slot,
                                          .has_slot = true,
                                          .fact = news->fact,
                                          .token = tended->token,
                                          .id = tended->id,
                                          .node = tended->name });
}

/* One transaction has one change of a key: what else there is to tell comes with the next. */
static void tended_write(struct tended *tended)
{
    struct reconciler *reconciler = tended->tending->reconciler;
    struct arena *arena = reconciler->settle_arena;
    struct text value = node_state_format(arena, &tended->state);
    struct unit *unit =
        unit_add(arena, &reconciler->units, state_key(arena, reconciler, tended->token), 0, value);

    unit->is_loose = true;
    tended->written = text_hash(value, 0);
    tended->is_dirty = false;
    if (tended->news != NULL) {
        unit->event = arena_text(arena, news_event(arena, tended, tended->news));
        tended->news = tended->news->next;
        tended->is_dirty = tended->news != NULL;
    }
}

static void gone_write(struct reconciler *reconciler)
{
    struct arena *arena = reconciler->settle_arena;

    for (const struct tending_gone *gone = reconciler->tending->gone; gone != NULL;
         gone = gone->next) {
        struct unit *unit = unit_add(arena, &reconciler->units, arena_text(arena, gone->key), 0,
                                     arena_text(arena, gone->value));

        unit->is_loose = true;
        unit->event = arena_text(arena, gone->event);
    }
    reconciler->tending->gone = NULL;
}

/* ---- who serves ---- */

bool tending_has_stages(const struct control *control, const struct fleet_group *group)
{
    const struct nodes_port *port = control->ports.nodes;

    return port != NULL && group->stage_count > 0 &&
           port->logs_in(port->arg, group->choices[0].plugin);
}

static bool is_bootstrapped(const struct tended *tended, const struct fleet_group *group)
{
    return text_is_equal(tended->state.chain_done, group->chain);
}

enum tending_stages tending_stages_of(const struct reconciler *reconciler, struct text token,
                                      const struct node_state **out_state)
{
    const struct tended *tended =
        reconciler->tending == NULL ? NULL : map_find(&reconciler->tending->by_token, token);
    const struct fleet_group *group =
        tended == NULL ? NULL : fleet_group_find(reconciler->cluster, tended->group);

    if (group == NULL || !tended->is_there || !tending_has_stages(reconciler->control, group) ||
        (group->ready != FLEET_READY_BOOTSTRAPPED && !tended_has_served(tended, group))) {
        return TENDING_STAGES_DONE;
    }
    if (tended_is_stuck(tended, group->chain) && !tended_is_staging(tended)) {
        *out_state = &tended->state;
        return TENDING_STAGES_FAILED;
    }
    if (tended_needs_slot(tended, group)) {
        return TENDING_STAGES_WAITING;
    }
    return tended_wants_stages(tended, group->chain) ? TENDING_STAGES_RUNNING : TENDING_STAGES_DONE;
}

bool tending_is_staging(const struct reconciler *reconciler, struct text token)
{
    const struct tended *tended =
        reconciler->tending == NULL ? NULL : map_find(&reconciler->tending->by_token, token);

    return tended != NULL && tended_is_staging(tended);
}

bool tending_is_outdated(const struct reconciler *reconciler, struct text token)
{
    const struct tended *tended =
        reconciler->tending == NULL ? NULL : map_find(&reconciler->tending->by_token, token);
    const struct fleet_group *group =
        tended == NULL ? NULL : fleet_group_find(reconciler->cluster, tended->group);

    return group != NULL && tended->is_there && tending_has_stages(reconciler->control, group) &&
           tended_has_served(tended, group) && !is_bootstrapped(tended, group);
}

bool tending_blocked(const struct reconciler *reconciler, struct text token,
                     const struct node_state **out_state, unsigned *out_tries)
{
    const struct tended *tended =
        reconciler->tending == NULL ? NULL : map_find(&reconciler->tending->by_token, token);

    if (tended == NULL || !tended->is_there || tended->is_going ||
        tended->state.blocked == NODES_CAUSE_NONE ||
        (tended->state.blocked == NODES_CAUSE_UNREACHABLE && tended->is_unwell)) {
        return false;
    }
    *out_state = &tended->state;
    *out_tries = tended->failures;
    return true;
}

bool tending_is_unknown(const struct reconciler *reconciler)
{
    const struct control *control = reconciler->control;

    return reconciler->tending == NULL && reconciler->cluster->is_tended &&
           control->ports.nodes != NULL && !control->options.is_dry && !control->options.is_single;
}

bool tending_may_serve(struct reconciler *reconciler, struct text token)
{
    struct tended *tended =
        reconciler->tending == NULL ? NULL : map_find(&reconciler->tending->by_token, token);
    const struct fleet_machine *machine = fleet_machine_find(reconciler->cluster, token);
    const struct fleet_group *group =
        machine == NULL ? NULL
                        : fleet_group_find(reconciler->cluster, fleet_machine_group(machine));

    if (group == NULL || group->ready == FLEET_READY_RUNNING ||
        !tending_has_stages(reconciler->control, group)) {
        return true;
    }
    if (group->ready == FLEET_READY_REACHABLE && !group->probe.is_default) {
        return true;
    }
    if (tended != NULL) {
        tended->is_answered = true;
    }
    /* A probe that the file names says who is reachable; the one by default does not replace the login. */
    if (group->ready == FLEET_READY_REACHABLE) {
        return tended != NULL && tended->state.keys.host.length > 0;
    }
    return tended != NULL && is_bootstrapped(tended, group);
}

static bool is_ready(const struct tended *tended)
{
    const struct control *control = tended->tending->reconciler->control;
    const struct fleet_group *group =
        fleet_group_find(tended->tending->reconciler->cluster, tended->group);

    if (!(tended->is_starting || tended->is_unanswered) || !tended->is_there || tended->is_going ||
        tended->is_rebooting || group == NULL || group->stage_count == 0) {
        return false;
    }
    switch (group->ready) {
    case FLEET_READY_RUNNING:
        return true;
    case FLEET_READY_REACHABLE: /* whose probe says it, if the file names one */
        return tended->state.keys.host.length > 0 &&
               (!probes_has_probe(control, group) ||
                (group->probe.is_default && tended->is_answered));
    case FLEET_READY_BOOTSTRAPPED:
        break;
    }
    return is_bootstrapped(tended, group) &&
           (!probes_has_probe(control, group) || tended->is_answered);
}

/* ---- who has failed ---- */

/* A node that has served is failed from a failed attempt at its stages until an attempt has succeeded (X18): also while the
 * next attempt runs, and while it waits for it. */
static bool is_failed_member(const struct tended *tended, const struct fleet_group *group)
{
    struct text step = tended->state.step;

    return group->stage_count > 0 &&
           (text_is(step, NODE_STATE_FAILED) ||
            (tended->failed_since_ms > 0 && !text_is(step, NODE_STATE_BOOTSTRAPPED)));
}

/* A node that has not served yet is failed while no retry was requested. Its record says so because that is a reason to
 * destroy it in time (docs/decisions/0069). */
static bool is_failed_start(const struct tended *tended, const struct fleet_group *group)
{
    return !tended_is_staging(tended) && !is_bootstrapped(tended, group) &&
           tended_is_stuck(tended, group->chain);
}

/* Since when its stages have failed, by the cluster's clock; 0: they have not. A stage that may fail (onFailure: continue)
 * does not count. */
static uint64_t failed_since(const struct tended *tended, const struct fleet_group *group)
{
    if (!(tended->is_starting ? is_failed_start(tended, group) : is_failed_member(tended, group))) {
        return 0;
    }
    return tended->failed_ms > 0         ? tended->failed_ms
           : tended->failed_since_ms > 0 ? tended->failed_since_ms
                                         : reconciler_now(tended->tending->reconciler);
}

/* Does its record say otherwise? */
static bool has_news_of_failure(const struct tended *tended)
{
    const struct fleet_group *group =
        fleet_group_find(tended->tending->reconciler->cluster, tended->group);

    return tended->is_there && !tended->is_going && group != NULL &&
           failed_since(tended, group) != tended->failed_since_ms;
}

bool tending_is_dirty(const struct reconciler *reconciler)
{
    const struct tended *one = reconciler->tending == NULL ? NULL : reconciler->tending->first;

    while (one != NULL && !one->is_dirty && !is_ready(one) && !has_news_of_failure(one) &&
           !tended_is_leaving(one)) {
        one = one->next;
    }
    return one != NULL ||
           (reconciler->tending != NULL &&
            (reconciler->tending->gone != NULL || tending_batches_are_dirty(reconciler->tending)));
}

/* Its record as it is written now, if nothing else of it is under way. */
static bool record_open(const struct tended *tended, struct text key, struct record *out,
                        uint64_t *revision)
{
    struct reconciler *reconciler = tended->tending->reconciler;
    struct arena *arena = reconciler->settle_arena;
    const struct fleet_machine *machine = fleet_machine_find(reconciler->cluster, tended->token);
    struct err err;

    if (machine == NULL || reconciler_has_unit(reconciler, key) ||
        !record_parse(arena, tended->token, arena_text(arena, blob_text(machine->bytes)), out,
                      &err)) {
        return false;
    }
    *revision = machine->revision;
    return true;
}

static struct text record_key(const struct tended *tended)
{
    struct reconciler *reconciler = tended->tending->reconciler;

    return control_key(reconciler->settle_arena, reconciler->cluster, "Resource", tended->token,
                       CACHE_STATUS);
}

/* People were told with the node's own state; the next pass reckons with it. */
static void failure_write(struct tended *tended)
{
    struct reconciler *reconciler = tended->tending->reconciler;
    struct arena *arena = reconciler->settle_arena;
    struct text key = record_key(tended);
    uint64_t since_ms = failed_since(tended, fleet_group_find(reconciler->cluster, tended->group));
    uint64_t revision;
    struct record record;

    if (!record_open(tended, key, &record, &revision) || record.plan.state != PLAN_RECORD_ACTIVE) {
        return;
    }
    /* where it was told to an earlier manager, what stands there is the truth, also where it was not looked at yet */
    if (since_ms > 0 && tended->failed_ms == 0 && record.plan.failed_since_ms > 0) {
        return;
    }
    if (record.plan.failed_since_ms != since_ms) {
        record.plan.failed_since_ms = since_ms;
        (void)unit_add(arena, &reconciler->units, key, revision, record_format(arena, &record));
        reconciler->is_woken = true;
    }
}

/* From here on it counts; a pass that waits for it goes on. */
static void ready_write(struct tended *tended)
{
    struct reconciler *reconciler = tended->tending->reconciler;
    struct arena *arena = reconciler->settle_arena;
    struct text key = record_key(tended);
    uint64_t revision;
    struct record record;
    struct unit *unit;

    if (!record_open(tended, key, &record, &revision) || !record.plan.is_starting) {
        return;
    }
    record_serve(&record);
    unit = unit_add(arena, &reconciler->units, key, revision, record_format(arena, &record));
    unit->event = control_event(arena, reconciler,
                                &(struct event){ .type = "machine.ready",
                                                 .group = tended->group,
                                                 .slot = tended->slot,
                                                 .has_slot = true,
                                                 .rule = TEXT("bootstrap"),
                                                 .token = tended->token,
                                                 .id = tended->id,
                                                 .node = tended->name,
                                                 .pass = record.pass });
    reconciler->is_woken = true;
}

void tending_settle(struct reconciler *reconciler)
{
    if (reconciler->tending == NULL || reconciler->epoch == 0) {
        return;
    }
    for (struct tended *one = reconciler->tending->first; one != NULL; one = one->next) {
        if (one->is_dirty) {
            tended_write(one);
        }
        if (tended_is_leaving(one)) {
            tended_take(one);
        }
        if (is_ready(one)) {
            ready_write(one);
        } else if (has_news_of_failure(one)) {
            failure_write(one);
        }
    }
    gone_write(reconciler);
    /* Where a group stands in the store in part only, its rollout would end for want of a group. */
    fleet_wanted(reconciler->control->fleet, reconciler->cluster);
    if (reconciler->cluster->trouble.code == CODE_NONE) {
        tending_batches_write(reconciler->tending);
    }
}

/* ---- what stands in the store, and what should ---- */

/* What it was given is taken back before it is forgotten. */
static void gone_one(struct tending *tending, struct text token, struct text bytes)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct node_state state;
    struct err err;

    if (node_state_parse(arena, bytes, &state, &err)) {
        tending_gone_take(tending, token, &state);
    }
    tending_gone_add(tending, state_key(tending->gone_home, tending->reconciler, token), TEXT(""),
                     TEXT(""));
}

/* Of machines whose record is gone, whoever wrote it. */
static void gone_find(struct tending *tending)
{
    struct reconciler *reconciler = tending->reconciler;
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct cache *cache = reconciler->control->cache;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text prefix =
        arena_printf(arena, "/%.*s/Node/%.*s/", TEXT_ARG(cluster->tenant), TEXT_ARG(cluster->id));

    arena_free(tending->gone_home);
    tending->gone_home = arena_new_small(SIZE_MAX);
    tending->gone = NULL;
    tending->gone_last = &tending->gone;
    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct text token = text_slice(blob_text(object->key), prefix.length, SIZE_MAX);

        if (fleet_machine_find(cluster, token) == NULL &&
            object->parts[CACHE_STATUS].bytes != NULL) {
            gone_one(tending, token, blob_text(object->parts[CACHE_STATUS].bytes));
        }
    }
    tending_gone_sweep(tending);
    tending_rerun_sweep(tending);
}

/* A transaction that came to nothing is made up for here. */
static void state_compare(struct tended *tended)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct reconciler *reconciler = tended->tending->reconciler;
    struct text id = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(reconciler->cluster->id),
                                  TEXT_ARG(tended->token));
    const struct cache_object *object =
        cache_find(reconciler->control->cache, reconciler->cluster->tenant, TEXT("Node"), id);
    const struct cache_bytes *status = object == NULL ? NULL : &object->parts[CACHE_STATUS];
    bool is_there = status != NULL && status->bytes != NULL;

    if (is_there) {
        tended->state_revision = status->revision;
    }
    if (tended->written != 0 &&
        (!is_there || text_hash(blob_text(status->bytes), 0) != tended->written)) {
        tended->is_dirty = true;
    }
}

void tending_compare(struct tending *tending)
{
    for (struct tended *one = tending->first; one != NULL; one = one->next) {
        state_compare(one);
    }
    gone_find(tending);
}
