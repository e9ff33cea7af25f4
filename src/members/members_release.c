#include "base/limits.h"
#include "base/time.h"
#include "members/members.h"
#include "records/abandoned.h"

#include <assert.h>

/* public names start with: members_ release_ leave_ */

/* Releases machines. A machine that continues to exist after it leaves its group (its plugin is not
 * disposable) is released before its provider removes it: reeve's files on it are deleted over SSH
 * (docs/decisions/0113).
 *
 * Normal case: a pass marks the record for deletion and is about to call the provider.
 * members_must_release delays that call and permits the release. The run reports its end, the
 * node's state records it, and the next pass makes the call.
 *
 * Failures: an unreachable node is retried with increasing delays. After half of limits.going_ms,
 * or when an operator abandons the release, the provider is called anyway, and an event lists the
 * files that may remain on the machine. A run may be repeated: it does nothing if none of reeve's
 * files are left. */

enum {
    RELEASE_RETRY_MS = 2 * 1000,
    RELEASE_RETRY_MAX_MS = 2 * 60 * 1000,
    RELEASE_DOUBLES = 6,
};

#define RELEASE_REMAINS \
    "files, keys and lines of reeve may still be on the machine (docs/reference/release.md)"

/* ---- must the provider call wait? ---- */

static bool is_touched(const struct node_state *state)
{
    return (state->name.length > 0 && state->adoption != NODE_ADOPTION_BEGUN &&
            !text_has_prefix(state->start_failure, TEXT(NODE_INSTALL_FAILURE))) ||
           state->keys.host.length > 0;
}

static const struct cache_bytes *node_bytes(const struct reconciler *reconciler, struct text token)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct cache_object *object = cache_find(
        reconciler->control->cache, reconciler->cluster->tenant, TEXT("Node"),
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(reconciler->cluster->id), TEXT_ARG(token)));

    return object == NULL || object->parts[CACHE_STATUS].bytes == NULL
               ? NULL
               : &object->parts[CACHE_STATUS];
}

/* ---- hooks `cleanup` ---- */

/* Time limit of the hooks if the group sets none. */
enum { CLEANUP_MS = 10 * 60 * 1000 };

void members_release_cleanup_look(struct member *member)
{
    const struct fleet_group *group = member_group(member);
    struct node_state state = member->state;

    if (group == NULL) {
        return;
    }
    if (text_is_equal(state.chain_done, group->chain) && group->chain.length > 0 &&
        state.adoption == NODE_ADOPTION_NONE) {
        member_hook_note(member, group); /* an older version may have run its stages */
        state = member->state;
    }
    state.cleanup = (uint32_t)group->cleanup;
    state.cleanup_ms = group->cleanup_ms == CLEANUP_MS ? 0 : group->cleanup_ms;
    if (state.cleanup != member->state.cleanup || state.cleanup_ms != member->state.cleanup_ms) {
        member_change(member, &state, NULL, TEXT(""));
    }
}

/* True if the hooks of the node's stages must run before its machine leaves. On an adopted node
 * reeve has run no stages, so it does not remove the services of that node. */
static bool release_wants_cleanup(const struct node_state *state, bool is_disposable)
{
    return !state->is_cleaned && state->adoption == NODE_ADOPTION_NONE &&
           state->cleanup != FLEET_CLEANUP_NEVER &&
           (!is_disposable || state->cleanup == FLEET_CLEANUP_ALWAYS);
}

/* Like release_wants_cleanup, for a machine that has not been observed yet. */
static bool release_wants_cleanup_unseen(const struct reconciler *reconciler, struct text token)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct cache_bytes *bytes = node_bytes(reconciler, token);
    struct node_state state;
    struct err err;

    return bytes != NULL && node_state_parse(arena, blob_text(bytes->bytes), &state, &err) &&
           is_touched(&state) && !state.is_released && release_wants_cleanup(&state, true);
}

/* Records the result of the hooks. A failed hook does not prevent the removal of the machine. On a
 * machine of the inventory, reeve's files are then kept: the cleanup is pending and is tried
 * again. */
static void release_cleaned(struct member *member, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct node_state state = member->state;
    bool is_failed = reported->why.length > 0;

    state.is_cleaned = true;
    if (is_failed && member_is_pooled(member)) {
        state.cleanup_failure = record_sentence(arena, reported->why);
        member_change(member, &state, NULL, TEXT(""));
        return;
    }
    member_change(member, &state,
                  is_failed            ? "node.cleanup_failed"
                  : reported->code > 0 ? "node.cleaned"
                                       : NULL,
                  is_failed ? arena_printf(arena, "%.*s (R0831)",
                                           TEXT_ARG(record_sentence(arena, reported->why)))
                            : arena_printf(arena, "hooks that have run: %d", reported->code));
}

bool members_must_release(struct reconciler *reconciler, const struct record *record,
                          bool is_disposable)
{
    const struct control *control = reconciler->control;
    struct members *members = reconciler->members;
    struct member *member;

    if (control->ports.nodes == NULL || control->options.is_dry || control->options.is_single) {
        return false;
    }
    member = members == NULL ? NULL : map_find(&members->by_token, record->plan.token);
    /* the machine is observed after this pass, and the next pass calls this function again */
    if (member == NULL) {
        return is_disposable ? release_wants_cleanup_unseen(reconciler, record->plan.token)
                             : node_bytes(reconciler, record->plan.token) != NULL;
    }
    if (!is_touched(&member->state) || member->state.is_released ||
        (is_disposable &&
         (!release_wants_cleanup(&member->state, true) || member->is_unreachable_by_probe))) {
        return false;
    }
    member->is_cleanup_only = is_disposable;
    member->is_release_granted = true;
    members_wake(members);
    return true;
}

void members_release_revoke(struct reconciler *reconciler)
{
    struct member *one = reconciler->members == NULL ? NULL : reconciler->members->first;

    for (; one != NULL; one = one->next) {
        one->is_release_granted = false;
    }
}

/* ---- end of a release ---- */

/* Wake a pass to make the provider call. */
static void release_pass_wake(const struct member *member)
{
    member->members->reconciler->is_woken = true;
    member->members->reconciler->is_node_due = true;
}

static void release_over(struct member *member, const char *type, struct text fact)
{
    struct node_state state = member->state;

    state.is_released = true;
    state.retry_wall_ms = 0;
    state.step = member->is_cleanup_only ? TEXT("cleaned") : TEXT("released");
    state.why = TEXT("");
    member_change(member, &state, type, fact);
    release_pass_wake(member);
}

static void release_give_up(struct member *member, struct text why)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);

    if (member->is_cleanup_only) {
        release_over(member, "node.cleanup_failed",
                     arena_printf(arena, "%.*s (R0831)", TEXT_ARG(why)));
        return;
    }
    if (member_is_pooled(member)) {
        struct node_state state = member->state;

        state.cleanup_failure = record_sentence(arena, why);
        member_change(member, &state, NULL, TEXT(""));
    }
    release_over(member, "node.traces_left",
                 arena_printf(arena, "%.*s; " RELEASE_REMAINS, TEXT_ARG(why)));
}

static void release_retry(struct member *member, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct control *control = member->members->reconciler->control;
    unsigned doubles =
        member->release_failures < RELEASE_DOUBLES ? member->release_failures : RELEASE_DOUBLES;
    uint64_t ms = (uint64_t)RELEASE_RETRY_MS << doubles;
    struct node_state state = member->state;
    struct text why = arena_printf(arena, "%s: %.*s", nodes_end_name(reported->end),
                                   TEXT_ARG(record_sentence(arena, reported->why)));
    bool is_known = text_is_equal(state.why, why);

    ms = control_jitter(control, ms < RELEASE_RETRY_MAX_MS ? ms : RELEASE_RETRY_MAX_MS);
    member->release_failures++;
    member->release_again_ms = members_now(member->members) + ms;
    state.why = why;
    state.retry_wall_ms = control->ports.wall_ms(control->ports.arg) + (int64_t)ms;
    member_change(member, &state, is_known ? NULL : "node.release_pending", why);
}

static void release_reported(void *arg, const struct nodes_event *reported)
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
        release_cleaned(member, reported);
    }
    if (reported->kind != NODES_EVENT_END) {
        return;
    }
    run->run = NULL;
    if (reported->end == NODES_END_DONE && member->is_cleanup_only) {
        release_over(member, NULL, TEXT(""));
    } else if (reported->end == NODES_END_DONE && (run->with & RUN_WITH_RELEASE) == 0) {
        /* either the release follows, or the cleanup of the machine is pending */
        member->release_failures = 0;
    } else if (reported->end == NODES_END_DONE) {
        AUTO(arena) arena = arena_new_small(SIZE_MAX);

        release_over(member, "node.released",
                     reported->why.length == 0
                         ? TEXT("")
                         : arena_printf(arena,
                                        "left in place, because they may belong to the "
                                        "owners: %.*s",
                                        TEXT_ARG(reported->why)));
    } else {
        release_retry(member, reported);
    }
    members_wake(member->members);
}

/* ---- begin of a release ---- */

/* Finds the playbook `cleanup` of the node. Variables that are too large to be stored are read from
 * the group of the node, if the group still has the same revision. */
static bool release_hook_find(const struct member *member, const struct fleet_group *group,
                              struct nodes_stage *out)
{
    const struct node_hook *known = &member->state.cleanup_hook;
    struct nodes_stage last;

    *out = (struct nodes_stage){ .digest = known->digest,
                                 .playbook = known->playbook,
                                 .vars = known->vars,
                                 .timeout_ms = known->timeout_ms };
    if (known->lacks_vars && group != NULL && fleet_hook_find(group, TEXT(""), &last) &&
        text_is_equal(last.digest, known->digest)) {
        out->vars = last.vars;
    }
    return known->digest.length > 0;
}

static void members_release_begin(struct member *member)
{
    const struct reconciler *reconciler = member->members->reconciler;
    const struct nodes_port *port = reconciler->control->ports.nodes;
    const struct fleet_group *group = member_group(member);
    struct nodes_order order = {
        .way = member->way,
        .cluster_name = reconciler->cluster->name,
        .group = member->group,
        .with = member->is_cleanup_only ? 0 : RUN_WITH_RELEASE,
        .cleanup_s =
            (member->state.cleanup_ms == 0 ? (uint64_t)CLEANUP_MS : member->state.cleanup_ms) /
            1000,
    };

    struct nodes_stage hook;

    if (release_wants_cleanup(&member->state, member->is_cleanup_only)) {
        /* if its cleanup fails, the files on a machine of the inventory are kept */
        order.with = member_is_pooled(member) ? RUN_WITH_CLEANUP : order.with | RUN_WITH_CLEANUP;
        order.hook = release_hook_find(member, group, &hook) ? &hook : NULL;
    }

    order.way.cluster = reconciler->cluster->key;
    order.way.key_secret = group == NULL ? TEXT("") : group->key_secret;
    order.way.is_first_key_accepted = false;
    order.way.is_operators = member->way.is_operators || member->state.is_operators;
    member_drop_runs(member);
    member->release.member = member;
    member->release.with = order.with;
    member->release.run = port->begin(port->arg, &order, release_reported, &member->release);
    if (member->release.run == NULL) {
        member->release_again_ms = members_now(member->members) + RELEASE_RETRY_MS;
    }
}

/* Write the step and its start time before the release begins. */
static void release_note(struct member *member)
{
    struct node_state state = member->state;

    node_state_unblock(&state);
    state.leaving_ms = members_now(member->members);
    state.step = TEXT("releasing");
    state.why = TEXT("");
    member_change(member, &state, "node.releasing", TEXT(""));
}

/* True if an operator has cancelled the wait for the release. */
static bool release_is_abandoned(const struct member *member)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct reconciler *reconciler = member->members->reconciler;
    const struct cache_object *object =
        cache_find(reconciler->control->cache, reconciler->cluster->tenant, TEXT(ABANDONED_KIND),
                   arena_printf(arena, "%.*s/%.*s", TEXT_ARG(reconciler->cluster->id),
                                TEXT_ARG(member->token)));

    return object != NULL && object->parts[CACHE_BASE].bytes != NULL;
}

/* Decides the next step. Returns the time of the next decision; 0: the next change triggers it. */
static uint64_t release_decide(struct member *member)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct control *control = member->members->reconciler->control;
    uint64_t patience_ms = control->options.limits.going_ms / 2;
    uint64_t now = members_now(member->members);

    if (member->state.leaving_ms == 0 || member->state.leaving_ms > now) {
        release_note(member);
    }
    if (member->release.run != NULL) {
        return 0;
    }
    if (member->is_cleanup_only && member->state.is_cleaned) {
        release_over(member, NULL, TEXT("")); /* the report of the run's end was lost */
        return 0;
    }
    if (member->state.cleanup_failure.length > 0) {
        release_over(member, NULL, TEXT("")); /* the inventory shows the pending cleanup */
        return 0;
    }
    if (release_is_abandoned(member)) {
        release_give_up(member, arena_printf(arena, "given up by an operator%s%.*s",
                                             member->state.why.length > 0 ? ", " : "",
                                             TEXT_ARG(member->state.why)));
        return 0;
    }
    if (now - member->state.leaving_ms >= patience_ms) {
        release_give_up(member, arena_printf(arena, "given up after %llu s, %.*s",
                                             (unsigned long long)(patience_ms / 1000),
                                             TEXT_ARG(member->state.why.length > 0
                                                          ? member->state.why
                                                          : TEXT("the machine gave no answer"))));
        return 0;
    }
    if (now < member->release_again_ms) {
        return time_earlier(member->release_again_ms, member->state.leaving_ms + patience_ms);
    }
    members_release_begin(member);
    return member->release.run == NULL ? member->release_again_ms : 0;
}

uint64_t members_release(struct members *members)
{
    uint64_t next_ms = 0;

    for (struct member *one = members->first; one != NULL; one = one->next) {
        if (one->is_going && one->is_release_granted && !one->state.is_released) {
            uint64_t at_ms = release_decide(one);

            next_ms = at_ms == 0 ? next_ms : time_earlier(next_ms, at_ms);
        }
    }
    return next_ms;
}

/* ---- decommission in batches ---- */

enum bootstrap_mark leave_mark_of(const struct member_batches *batches, const struct member *member,
                                  size_t at)
{
    bool has_begun = batches->marks[at] == BOOTSTRAP_MARK_BEGUN;
    bool is_refused = batches_refusal(&batches->commands, batches->request.tokens[at]).length > 0;

    if (member == NULL) {
        return has_begun ? BOOTSTRAP_MARK_DONE : BOOTSTRAP_MARK_GONE;
    }
    /* A machine with a failed cleanup still leaves its group, and its cleanup is pending. */
    return has_begun && member->is_going && member->state.cleanup_failure.length > 0
               ? BOOTSTRAP_MARK_FAILED
           : is_refused ? BOOTSTRAP_MARK_SKIPPED
                        : (enum bootstrap_mark)batches->marks[at];
}
