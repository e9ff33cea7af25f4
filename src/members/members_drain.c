#include "base/limits.h"
#include "base/time.h"
#include "members/members.h"
#include "members/rollouts.h"
#include "roles/roles_change.h"

#include <stdio.h>

/* public names start with: drain_ member_is_drained members_drain */

/* Takes nodes out of service and back into service, for the batch jobs of `drain` and `undrain`
 * (decision 0135).
 *
 * Normal case: a job has marked a member as begun. The node's status becomes maintenance, its hooks
 * `drain` run, and the job is complete on this node. `undrain` runs the hooks `undrain`; then the
 * status is allocated again. The status is part of the node's stored state, so a restart of the
 * manager does not lose it.
 *
 * A member starts only while fewer members of its group are out of service than the policy of the
 * group allows. A member that is already out of service may always start.
 *
 * Failures: if a hook fails, or a node cannot be reached after a few tries, the reason is stored in
 * the node's state (blocker). The node stays in maintenance until a later job succeeds. A run whose
 * result is unknown is repeated, so the hooks may run twice. */

enum {
    DRAIN_TRIES = 3,
    DRAIN_RETRY_MS = 2 * 1000,
    /* Time limit of the hooks if the job sets none. */
    DRAIN_HOOKS_MS = 10 * 60 * 1000,
};

bool member_is_drained(const struct member *member)
{
    return member->state.lifecycle.drain != NODE_DRAIN_NONE ||
           (member->drain_batches != NULL &&
            member->drain_batches->request.verb == BATCHES_VERB_DRAIN);
}

static bool drain_is_of(const struct member *member, const struct member_batches *batches)
{
    return text_is_equal(member->state.lifecycle.job, batches->name);
}

static bool drain_is_undrain(const struct member_batches *batches)
{
    return batches->request.verb == BATCHES_VERB_UNDRAIN;
}

/* ---- end of a drain ---- */

/* Sets the result of a job on the member: empty for success, otherwise the reason for a block. */
static void drain_over(struct member *member, struct text job, bool is_undrain, struct text blocker,
                       unsigned hooks)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct control *control = member->members->reconciler->control;
    struct node_state state = member->state;
    bool is_back = is_undrain && blocker.length == 0;

    state.lifecycle.job = job;
    state.lifecycle.blocker = record_sentence(arena, blocker);
    if (blocker.length == 0) {
        state.lifecycle.drain = is_undrain ? NODE_DRAIN_NONE : NODE_DRAIN_DONE;
    }
    if (is_back) {
        state.lifecycle.wall_ms = control->ports.wall_ms(control->ports.arg);
        state.lifecycle.at_ms = members_now(member->members);
    }
    member->drain_failures = 0;
    member->drain_again_ms = 0;
    member_change(member, &state,
                  blocker.length > 0 ? "node.drain_blocked"
                  : is_undrain       ? "node.undrained"
                                     : "node.drained",
                  blocker.length > 0 ? state.lifecycle.blocker
                                     : arena_printf(arena, "hooks that have run: %u", hooks));
    if (is_back) {
        member_note(member, "node.moved", TEXT("from maintenance to allocated"));
    }
    member->members->reconciler->is_woken = true;
    member->members->reconciler->is_node_due = true;
}

static void drain_failed(struct member_run *run, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct member *member = run->member;

    member->drain_failures++;
    member->drain_again_ms =
        members_now(member->members) + ((uint64_t)DRAIN_RETRY_MS << member->drain_failures);
    if (member->drain_failures >= DRAIN_TRIES) {
        drain_over(member, text_from(run->job), run->is_undrain,
                   arena_printf(arena, "%s: %.*s", nodes_end_name(reported->end),
                                TEXT_ARG(record_sentence(arena, reported->why))),
                   0);
    }
}

static void drain_reported(void *arg, const struct nodes_event *reported)
{
    struct member_run *run = arg;
    struct member *member = run->member;
    struct reconciler *reconciler = member->members->reconciler;

    if (reconciler->control->is_stopped) {
        return;
    }
    if (reported->kind == NODES_EVENT_ALARM) {
        probes_alarm(reconciler, member->token, reported->host_key, reported->why);
    }
    if (reported->kind == NODES_EVENT_CLEANED) {
        drain_over(member, text_from(run->job), run->is_undrain, reported->why,
                   (unsigned)reported->code);
    }
    if (reported->kind == NODES_EVENT_END) {
        run->run = NULL;
        if (reported->end != NODES_END_DONE && reported->end != NODES_END_CANCELLED) {
            drain_failed(run, reported);
        }
        members_wake(member->members);
    }
}

/* ---- begin of a drain ---- */

/* Sets the new status of the node, and the operator who requested it. */
static void drain_note(struct member *member, const struct member_batches *batches)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct control *control = member->members->reconciler->control;
    const struct batches *request = &batches->request;
    struct node_state state = member->state;
    enum node_drain drain = drain_is_undrain(batches) ? NODE_DRAIN_ENDING : NODE_DRAIN_BEGUN;
    bool is_new = state.lifecycle.drain == NODE_DRAIN_NONE;

    if (state.lifecycle.drain == drain && state.lifecycle.blocker.length == 0) {
        return;
    }
    state.lifecycle.drain = drain;
    state.lifecycle.by = request->by;
    state.lifecycle.why = request->why;
    state.lifecycle.blocker = TEXT("");
    if (is_new) {
        state.lifecycle.wall_ms = control->ports.wall_ms(control->ports.arg);
        state.lifecycle.at_ms = members_now(member->members);
    }
    member_change(member, &state, is_new ? "node.moved" : NULL,
                  arena_printf(arena, "from allocated to maintenance, by %.*s%s%.*s",
                               TEXT_ARG(request->by), request->why.length > 0 ? ": " : "",
                               TEXT_ARG(record_sentence(arena, request->why))));
}

/* True if bundles of the group may have hooks on the node. */
static bool drain_has_hooks(const struct member *member, const struct fleet_group *group)
{
    return group != NULL && members_has_stages(member->members->reconciler->control, group);
}

static void drain_begin(struct member *member, const struct member_batches *batches)
{
    const struct reconciler *reconciler = member->members->reconciler;
    const struct nodes_port *port = reconciler->control->ports.nodes;
    const struct fleet_group *group = member_group(member);
    uint64_t limit_ms = batches->request.deadline_ms;
    struct nodes_stage hook;
    struct nodes_order order;

    drain_note(member, batches);
    if (!drain_has_hooks(member, group)) {
        drain_over(member, batches->name, drain_is_undrain(batches), TEXT(""), 0);
        return;
    }
    order = (struct nodes_order){
        .way = member_way(member, group),
        .cluster_name = reconciler->cluster->name,
        .group = member->group,
        .with = RUN_WITH_DRAIN,
        .cleanup_s = (limit_ms == 0 ? (uint64_t)DRAIN_HOOKS_MS : limit_ms + 999) / 1000,
        .is_undrain = drain_is_undrain(batches),
    };
    if (group->hooks[order.is_undrain ? FLEET_HOOK_UNDRAIN : FLEET_HOOK_DRAIN].length > 0 &&
        fleet_hook_find(
            group, group->hooks[order.is_undrain ? FLEET_HOOK_UNDRAIN : FLEET_HOOK_DRAIN], &hook)) {
        order.hook = &hook;
    }
    member->drain.member = member;
    member->drain.with = RUN_WITH_DRAIN;
    member->drain.is_undrain = order.is_undrain;
    snprintf(member->drain.job, sizeof(member->drain.job), "%.*s", TEXT_ARG(batches->name));
    member->drain.run = port->begin(port->arg, &order, drain_reported, &member->drain);
    if (member->drain.run == NULL) {
        member->drain_again_ms = members_now(member->members) + DRAIN_RETRY_MS;
    }
}

/* True if the member can be drained now, because nothing else runs on it. */
static bool drain_is_possible(const struct member *member)
{
    return member->is_there && !member->is_going && !member->is_taken && !member->is_shadow &&
           !member->is_rebooting && member->main.run == NULL && member->beside.run == NULL &&
           member->verify.run == NULL && member->drain.run == NULL;
}

uint64_t members_drain(struct members *members)
{
    uint64_t now_ms = members_now(members);
    uint64_t next_ms = 0;

    for (struct member *one = members->first; one != NULL; one = one->next) {
        const struct member_batches *batches = one->drain_batches;

        if (batches == NULL || drain_is_of(one, batches) || !drain_is_possible(one)) {
            continue;
        }
        if (now_ms >= one->drain_again_ms) {
            drain_begin(one, batches);
        }
        next_ms =
            one->drain_again_ms > now_ms ? time_earlier(next_ms, one->drain_again_ms) : next_ms;
    }
    return next_ms;
}

/* ---- jobs ---- */

enum bootstrap_mark drain_mark_of(const struct member_batches *batches, const struct member *member,
                                  enum bootstrap_mark mark)
{
    if (drain_is_of(member, batches)) {
        return member->state.lifecycle.blocker.length > 0 ? BOOTSTRAP_MARK_FAILED
                                                          : BOOTSTRAP_MARK_DONE;
    }
    if (batches->written.cut == BOOTSTRAP_CUT_NONE || member->drain.run != NULL) {
        return mark;
    }
    /* A node on which the job has begun is already out of service, even if its hooks have not been
     * retried yet. */
    return mark == BOOTSTRAP_MARK_BEGUN && member->state.lifecycle.drain != NODE_DRAIN_NONE
               ? BOOTSTRAP_MARK_FAILED
               : BOOTSTRAP_MARK_SKIPPED;
}

/* True if the member is out of service, or will be after a step that a job has already decided. */
static bool drain_is_out(const struct member *member)
{
    if (rollout_is_out(member) || member->slot_mark == BOOTSTRAP_MARK_BEGUN) {
        return true;
    }
    for (const struct member_batches *job = member->members->batches; job != NULL;
         job = job->next) {
        for (size_t i = 0; job->request.verb == BATCHES_VERB_DRAIN && i < job->request.count; i++) {
            if (job->marks[i] == BOOTSTRAP_MARK_BEGUN &&
                text_is_equal(job->request.tokens[i], member->token)) {
                return true;
            }
        }
    }
    return false;
}

/* Return the number of members of the group that may be taken out of service now. */
static size_t drain_room_find(const struct member_batches *batches, const struct fleet_group *group)
{
    size_t out_max = group->plan.unavailable > 1 ? group->plan.unavailable : 1;
    size_t serving = 0;
    size_t out;

    for (const struct member *one = batches->members->first; one != NULL; one = one->next) {
        serving += text_is_equal(one->group, group->plan.path) && !one->is_going &&
                   !one->is_taken && !one->is_shadow && !one->is_starting && !drain_is_out(one);
    }
    out = group->plan.size > serving ? group->plan.size - serving : 0;
    return out_max > out ? out_max - out : 0;
}

/* Returns the reason why roles keep the machine in service: it is the last machine with a role that
 * other nodes need, and these nodes are not drained by the same job (C12). Empty: roles do not keep
 * it in service. */
static struct text drain_roles_hold(struct arena *arena, const struct member_batches *batches,
                                    const struct member *member)
{
    const struct members *members = batches->members;
    struct roles_node *nodes = arena_array(arena, struct roles_node, members->count + 1);
    struct roles_change change = { .rules = &members->reconciler->cluster->rules, .nodes = nodes };
    struct map requested;
    struct err_list errors;

    if (member->roles.count == 0) {
        return TEXT("");
    }
    map_init(&requested, arena);
    for (size_t i = 0; i < batches->request.count; i++) {
        map_put(&requested, batches->request.tokens[i], &nodes[0]);
    }
    for (const struct member *one = members->first; one != NULL; one = one->next) {
        bool is_out = one->is_starting || one->is_shadow || drain_is_out(one);
        bool is_leaving = one->is_going || one->is_taken || member_is_drained(one) ||
                          map_find(&requested, one->token) != NULL;

        nodes[change.count++] = (struct roles_node){
            .name = one->name,
            .group = one->group,
            .before = one->roles,
            .after = is_leaving ? (struct roles_list){ 0 } : one->roles,
            .is_live = !is_out,
            .is_leaving = is_leaving,
        };
    }
    err_list_init(&errors, arena);
    roles_change_check(arena, &change, &errors);
    return errors.errors > 0 ? arena_text(arena, text_from(errors.items[0].text)) : TEXT("");
}

bool drain_may_begin(const struct member_batches *batches, size_t at)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct member *member =
        map_find(&batches->members->by_token, batches->request.tokens[at]);
    const struct fleet_group *group = member == NULL ? NULL : member_group(member);

    return drain_is_undrain(batches) || group == NULL || member->is_starting ||
           rollout_is_out(member) ||
           (drain_room_find(batches, group) > 0 &&
            drain_roles_hold(arena, batches, member).length == 0);
}

struct text drain_waits(struct arena *arena, const struct member_batches *batches)
{
    const struct bootstrap_batches_step *step = &batches->step;

    for (size_t i = step->first; i < step->end; i++) {
        const struct member *member =
            map_find(&batches->members->by_token, batches->request.tokens[i]);
        const struct fleet_group *group = member == NULL ? NULL : member_group(member);

        if (batches->marks[i] == BOOTSTRAP_MARK_WAITING && !drain_may_begin(batches, i)) {
            return drain_room_find(batches, group) > 0
                       ? drain_roles_hold(arena, batches, member)
                       : arena_printf(arena,
                                      "%.*s: the allowed number of members of %.*s are out of "
                                      "service (%u)",
                                      TEXT_ARG(member->name), TEXT_ARG(group->plan.path),
                                      group->plan.unavailable > 1 ? group->plan.unavailable : 1);
        }
    }
    return TEXT("");
}
