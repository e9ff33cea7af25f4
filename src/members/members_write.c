#include "base/limits.h"
#include "members/members.h"
#include "members/rollouts.h"

#include <assert.h>

/* Writes node states with the outcomes of calls. Only the lease holder does this. */

static struct text state_key(struct arena *arena, const struct reconciler *reconciler,
                             struct text token)
{
    return control_key(arena, reconciler->cluster, "Node", token, CACHE_STATUS);
}

static struct text news_event(struct arena *arena, const struct member *member,
                              const struct member_event *reports)
{
    return control_event(arena, member->members->reconciler,
                         &(struct event){ .type = reports->type,
                                          .group = member->group,
                                          .slot = member->slot,
                                          .has_slot = true,
                                          .fact = reports->fact,
                                          .token = member->token,
                                          .id = member->id,
                                          .node = member->name });
}

/* Writes the state of a member with its first event. A transaction has at most one change of a key,
 * so further events are written with the next one. */
static void members_write_member_write(struct member *member)
{
    struct reconciler *reconciler = member->members->reconciler;
    struct arena *arena = reconciler->settle_arena;
    struct text value = node_state_format(arena, &member->state);
    struct unit *unit =
        unit_add(arena, &reconciler->units, state_key(arena, reconciler, member->token), 0, value);

    unit->is_loose = true;
    member->written = text_hash(value, 0);
    member->is_dirty = false;
    if (member->reports != NULL) {
        unit->event = arena_text(arena, news_event(arena, member, member->reports));
        member->reports = member->reports->next;
        member->is_dirty = member->reports != NULL;
    }
}

static void gone_write(struct reconciler *reconciler)
{
    struct arena *arena = reconciler->settle_arena;

    for (const struct members_gone *gone = reconciler->members->gone; gone != NULL;
         gone = gone->next) {
        struct unit *unit = unit_add(arena, &reconciler->units, arena_text(arena, gone->key), 0,
                                     arena_text(arena, gone->value));

        unit->is_loose = true;
        unit->event = arena_text(arena, gone->event);
    }
    reconciler->members->gone = NULL;
}

/* ---- ready members ---- */

bool members_has_stages(const struct control *control, const struct fleet_group *group)
{
    const struct nodes_port *port = control->ports.nodes;

    return port != NULL && group->stage_count > 0 &&
           port->logs_in(port->arg, group->choices[0].plugin);
}

static bool is_bootstrapped(const struct member *member, const struct fleet_group *group)
{
    return text_is_equal(member->state.chain_done, group->chain);
}

enum members_stages members_stages_of(const struct reconciler *reconciler, struct text token,
                                      const struct node_state **out_state)
{
    const struct member *member =
        reconciler->members == NULL ? NULL : map_find(&reconciler->members->by_token, token);
    const struct fleet_group *group = member == NULL ? NULL : member_group(member);

    if (group == NULL || !member->is_there || !members_has_stages(reconciler->control, group) ||
        (group->ready != FLEET_READY_BOOTSTRAPPED && !member_has_served(member, group))) {
        return MEMBERS_STAGES_DONE;
    }
    if (member_is_stuck(member, group->chain) && !member_is_staging(member)) {
        *out_state = &member->state;
        return MEMBERS_STAGES_FAILED;
    }
    if (member_needs_slot(member, group)) {
        return MEMBERS_STAGES_WAITING;
    }
    return member_wants_stages(member, group->chain) ? MEMBERS_STAGES_RUNNING : MEMBERS_STAGES_DONE;
}

bool members_is_staging(const struct reconciler *reconciler, struct text token)
{
    const struct member *member =
        reconciler->members == NULL ? NULL : map_find(&reconciler->members->by_token, token);

    return member != NULL && member_is_staging(member);
}

bool members_is_outdated(const struct reconciler *reconciler, struct text token)
{
    const struct member *member =
        reconciler->members == NULL ? NULL : map_find(&reconciler->members->by_token, token);
    const struct fleet_group *group = member == NULL ? NULL : member_group(member);

    return group != NULL && member->is_there && members_has_stages(reconciler->control, group) &&
           member_has_served(member, group) && !is_bootstrapped(member, group);
}

bool members_blocked(const struct reconciler *reconciler, struct text token,
                     const struct node_state **out_state, unsigned *out_tries)
{
    const struct member *member =
        reconciler->members == NULL ? NULL : map_find(&reconciler->members->by_token, token);

    if (member == NULL || !member->is_there || member->is_going ||
        member->state.blocked == NODES_CAUSE_NONE ||
        (member->state.blocked == NODES_CAUSE_UNREACHABLE && member->is_unreachable_by_probe)) {
        return false;
    }
    *out_state = &member->state;
    *out_tries = member->failures;
    return true;
}

bool members_is_unknown(const struct reconciler *reconciler)
{
    const struct control *control = reconciler->control;

    return reconciler->members == NULL && reconciler->cluster->is_bootstrapped &&
           control->ports.nodes != NULL && !control->options.is_dry && !control->options.is_single;
}

/* True if the state of its stages permits the member to be in service. A member that was in service
 * before its reboot is in service again even if it lacks changed stages, because a rollout runs
 * these. A stage that was interrupted or has failed keeps the member out of service. */
static bool is_staged_to_serve(const struct member *member, const struct fleet_group *group)
{
    struct text step = member->state.step;

    return is_bootstrapped(member, group) ||
           (member->is_unanswered && !member_is_staging(member) &&
            !text_has_prefix(step, TEXT("stage-")) && !text_is(step, NODE_STATE_FAILED));
}

bool members_may_serve(struct reconciler *reconciler, struct text token)
{
    struct member *member =
        reconciler->members == NULL ? NULL : map_find(&reconciler->members->by_token, token);
    const struct fleet_machine *machine = fleet_machine_find(reconciler->cluster, token);
    const struct fleet_group *group =
        machine == NULL ? NULL
                        : fleet_group_find(reconciler->cluster, fleet_machine_group(machine));

    if (group == NULL || group->ready == FLEET_READY_RUNNING ||
        !members_has_stages(reconciler->control, group)) {
        return true;
    }
    if (group->ready == FLEET_READY_REACHABLE && !group->probe.is_default) {
        return true;
    }
    if (member != NULL) {
        member->is_answered = true;
    }
    /* A configured probe decides whether the machine is reachable. With the default probe, a login
     * must also have succeeded. */
    if (group->ready == FLEET_READY_REACHABLE) {
        return member != NULL && member->state.keys.host.length > 0;
    }
    return member != NULL && is_staged_to_serve(member, group);
}

static bool is_ready(const struct member *member)
{
    const struct control *control = member->members->reconciler->control;
    const struct fleet_group *group = member_group(member);

    if (!(member->is_starting || member->is_unanswered) || !member->is_there || member->is_going ||
        member->is_rebooting || group == NULL || group->stage_count == 0) {
        return false;
    }
    switch (group->ready) {
    case FLEET_READY_RUNNING:
        return true;
    case FLEET_READY_REACHABLE: /* if the specification has a probe, that probe decides */
        return member->state.keys.host.length > 0 &&
               (!probes_has_probe(control, group) ||
                (group->probe.is_default && member->is_answered));
    case FLEET_READY_BOOTSTRAPPED:
        break;
    }
    return is_staged_to_serve(member, group) &&
           (!probes_has_probe(control, group) || member->is_answered);
}

/* ---- failed members ---- */

/* True if a node that has been ready is failed. A failed run of its stages makes the node failed
 * until a run succeeds (X18), even while the next run is in progress or waits. */
static bool is_failed_member(const struct member *member, const struct fleet_group *group)
{
    struct text step = member->state.step;

    return group->stage_count > 0 &&
           (text_is(step, NODE_STATE_FAILED) ||
            (member->failed_since_ms > 0 && !text_is(step, NODE_STATE_BOOTSTRAPPED)));
}

/* True if a node that has never been ready is failed. It is failed until a retry is requested. Its
 * record has this state, because such a machine is destroyed after some time
 * (docs/decisions/0069). */
static bool is_failed_start(const struct member *member, const struct fleet_group *group)
{
    return !member_is_staging(member) && !is_bootstrapped(member, group) &&
           member_is_stuck(member, group->chain);
}

/* Returns the time since when the member's stages have failed, by the cluster's clock; 0: they have
 * not. An allowed failure (onFailure: continue) does not count. */
static uint64_t failed_since(const struct member *member, const struct fleet_group *group)
{
    if (!(member->is_starting ? is_failed_start(member, group) : is_failed_member(member, group)) ||
        member_is_unsized(member)) {
        return 0;
    }
    return member->failed_ms > 0         ? member->failed_ms
           : member->failed_since_ms > 0 ? member->failed_since_ms
                                         : reconciler_now(member->members->reconciler);
}

/* True if the record of the member must be updated with its failure state. */
static bool has_news_of_failure(const struct member *member)
{
    const struct fleet_group *group = member_group(member);

    return member->is_there && !member->is_going && group != NULL &&
           failed_since(member, group) != member->failed_since_ms;
}

/* Returns since when the files of the member differ from its baseline, by the cluster's clock; 0:
 * they do not differ. While the verdict is unknown, the previous verdict applies. */
static uint64_t drifted_since(const struct member *member)
{
    const struct node_verified *verified = &member->state.verified;

    if (verified->verdict == NODE_VERDICT_UNKNOWN) {
        return member->drifted_since_ms;
    }
    if (verified->verdict != NODE_VERDICT_DRIFTED) {
        return 0;
    }
    return member->drifted_since_ms > 0 ? member->drifted_since_ms
                                        : (verified->at_ms > 0 ? verified->at_ms : 1);
}

/* Return since when the member is in maintenance, by the cluster's clock; 0: it is not in
 * maintenance. */
static uint64_t maintenance_since(const struct member *member)
{
    const struct node_lifecycle *lifecycle = &member->state.lifecycle;

    return lifecycle->drain == NODE_DRAIN_NONE ? 0 : lifecycle->at_ms > 0 ? lifecycle->at_ms : 1;
}

/* True if the record of the member must be updated with its verdict or its status. */
static bool has_news_of_drift(const struct member *member)
{
    return member->is_there && !member->is_going &&
           (drifted_since(member) != member->drifted_since_ms ||
            maintenance_since(member) != member->maintenance_since_ms);
}

bool members_is_dirty(const struct reconciler *reconciler)
{
    const struct member *one = reconciler->members == NULL ? NULL : reconciler->members->first;

    while (one != NULL && !one->is_dirty && !is_ready(one) && !has_news_of_failure(one) &&
           !has_news_of_drift(one) && !member_is_leaving(one)) {
        one = one->next;
    }
    return one != NULL ||
           (reconciler->members != NULL &&
            (reconciler->members->gone != NULL || reconciler->members->has_role_move ||
             members_batches_are_dirty(reconciler->members)));
}

/* Read the member's record for a write. Returns false if another write of the record is in
 * progress. */
static bool record_open(const struct member *member, struct text key, struct record *out,
                        uint64_t *revision)
{
    struct reconciler *reconciler = member->members->reconciler;
    struct arena *arena = reconciler->settle_arena;
    const struct fleet_machine *machine = fleet_machine_find(reconciler->cluster, member->token);
    struct err err;

    if (machine == NULL || reconciler_has_unit(reconciler, key) ||
        !record_parse(arena, member->token, arena_text(arena, blob_text(machine->bytes)), out,
                      &err)) {
        return false;
    }
    *revision = machine->revision;
    return true;
}

static struct text members_write_record_key(const struct member *member)
{
    struct reconciler *reconciler = member->members->reconciler;

    return control_key(reconciler->settle_arena, reconciler->cluster, "Resource", member->token,
                       CACHE_STATUS);
}

/* Writes the failure state to the record. The event was written with the node's state; the next
 * pass uses the record. */
static void failure_write(struct member *member)
{
    struct reconciler *reconciler = member->members->reconciler;
    struct arena *arena = reconciler->settle_arena;
    struct text key = members_write_record_key(member);
    uint64_t since_ms = failed_since(member, member_group(member));
    uint64_t revision;
    struct record record;

    if (!record_open(member, key, &record, &revision) || record.plan.state != PLAN_RECORD_ACTIVE) {
        return;
    }
    /* An earlier manager has reported the failure. The recorded time is valid even if this manager
     * did not observe the failure. */
    if (since_ms > 0 && member->failed_ms == 0 && record.plan.failed_since_ms > 0) {
        return;
    }
    if (record.plan.failed_since_ms != since_ms) {
        record.plan.failed_since_ms = since_ms;
        (void)unit_add(arena, &reconciler->units, key, revision, record_format(arena, &record));
        reconciler->is_woken = true;
    }
}

/* Write the condition `drifted` and the status maintenance to the record. */
static void drift_write(struct member *member)
{
    struct reconciler *reconciler = member->members->reconciler;
    struct arena *arena = reconciler->settle_arena;
    struct text key = members_write_record_key(member);
    uint64_t revision;
    struct record record;

    if (record_open(member, key, &record, &revision) && record.plan.state == PLAN_RECORD_ACTIVE) {
        record.plan.drifted_since_ms = drifted_since(member);
        record.plan.maintenance_since_ms = maintenance_since(member);
        (void)unit_add(arena, &reconciler->units, key, revision, record_format(arena, &record));
        reconciler->is_woken = true;
    }
}

/* Record that the member is ready from now on. Passes that waited for this continue. */
static void ready_write(struct member *member)
{
    struct reconciler *reconciler = member->members->reconciler;
    struct arena *arena = reconciler->settle_arena;
    struct text key = members_write_record_key(member);
    uint64_t revision;
    struct record record;
    struct unit *unit;

    if (!record_open(member, key, &record, &revision) || !record.plan.is_starting) {
        return;
    }
    record_serve(&record);
    unit = unit_add(arena, &reconciler->units, key, revision, record_format(arena, &record));
    unit->event = control_event(arena, reconciler,
                                &(struct event){ .type = "machine.ready",
                                                 .group = member->group,
                                                 .slot = member->slot,
                                                 .has_slot = true,
                                                 .rule = TEXT("bootstrap"),
                                                 .token = member->token,
                                                 .id = member->id,
                                                 .node = member->name,
                                                 .pass = record.pass });
    reconciler->is_woken = true;
}

void members_settle(struct reconciler *reconciler)
{
    if (reconciler->members == NULL || reconciler->epoch == 0) {
        return;
    }
    for (struct member *one = reconciler->members->first; one != NULL; one = one->next) {
        if (one->is_dirty) {
            members_write_member_write(one);
        }
        if (member_is_leaving(one)) {
            member_take(one);
        }
        if (is_ready(one)) {
            ready_write(one);
        } else if (has_news_of_failure(one)) {
            failure_write(one);
        } else if (has_news_of_drift(one)) {
            drift_write(one);
        }
    }
    gone_write(reconciler);
    if (reconciler->members->has_role_move) {
        members_roles_write(reconciler->members);
    }
    /* Do not write while only some of the groups are stored, because a rollout without its group
     * would end. */
    fleet_wanted(reconciler->control->fleet, reconciler->cluster);
    if (reconciler->cluster->problem.code == CODE_NONE) {
        members_batches_write(reconciler->members);
    }
}

/* ---- comparison with the store ---- */

/* Revoke the keys of a machine before its state is deleted. */
static void gone_one(struct members *members, struct text token, struct text bytes)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct node_state state;
    struct err err;

    if (node_state_parse(arena, bytes, &state, &err)) {
        members_gone_take(members, token, &state);
    }
    members_gone_add(members, state_key(members->gone_memory, members->reconciler, token), TEXT(""),
                     TEXT(""));
}

/* Finds the states of machines that have no record. Any manager may have written them. */
static void members_write_gone_find(struct members *members)
{
    struct reconciler *reconciler = members->reconciler;
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct cache *cache = reconciler->control->cache;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text prefix =
        arena_printf(arena, "/%.*s/Node/%.*s/", TEXT_ARG(cluster->tenant), TEXT_ARG(cluster->id));

    arena_free(members->gone_memory);
    members->gone_memory = arena_new_small(SIZE_MAX);
    members->gone = NULL;
    members->gone_last = &members->gone;
    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct text token = text_slice(blob_text(object->key), prefix.length, SIZE_MAX);

        if (fleet_machine_find(cluster, token) == NULL &&
            object->parts[CACHE_STATUS].bytes != NULL) {
            gone_one(members, token, blob_text(object->parts[CACHE_STATUS].bytes));
        }
    }
    members_gone_sweep(members);
    members_rerun_sweep(members);
    members_roles_sweep(members);
}

/* If a transaction failed, write its states again. */
static void state_compare(struct member *member)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct reconciler *reconciler = member->members->reconciler;
    struct text id = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(reconciler->cluster->id),
                                  TEXT_ARG(member->token));
    const struct cache_object *object =
        cache_find(reconciler->control->cache, reconciler->cluster->tenant, TEXT("Node"), id);
    const struct cache_bytes *status = object == NULL ? NULL : &object->parts[CACHE_STATUS];
    bool is_there = status != NULL && status->bytes != NULL;

    if (is_there) {
        member->state_revision = status->revision;
    }
    if (member->written != 0 &&
        (!is_there || text_hash(blob_text(status->bytes), 0) != member->written)) {
        member->is_dirty = true;
    }
}

void members_compare(struct members *members)
{
    for (struct member *one = members->first; one != NULL; one = one->next) {
        state_compare(one);
    }
    members_write_gone_find(members);
}
