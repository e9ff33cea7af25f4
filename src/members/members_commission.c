#include "members/members.h"
#include "records/discovered.h"

/* public names start with: members_ member_ commission_ */

/* Handles machines of the inventory as members, and records which revisions nodes have.
 *
 * Failed commissions (C25): a machine of the inventory has never been in service, and its stages
 * have failed permanently.
 *
 * Normal case: the node's state has the first failing stage or task. If the commission has
 * increased the size of the group, the service reduces the size again and selects the machine as
 * the first to remove (discovery/service_returns.c). Until the size is reduced, the failure is not
 * recorded, so that the planner does not fill the slot again. If the size was not increased, the
 * failure is recorded, and the planner returns the machine. In both cases the release runs the
 * hooks `cleanup`.
 *
 * A machine that is already in service is adopted (decision 0151): it gets keys and facts, and its
 * stages count as complete. If reeve cannot log in, the adoption has failed, and reeve leaves
 * nothing on the machine.
 *
 * Failures: the size cannot be reduced because the group is protected. The service then removes the
 * mark `sized`, and the planner decides. */

/* Read the inventory's row of the member's machine. */
static bool commission_row_read(struct arena *arena, const struct member *member,
                                struct discovered *out)
{
    const struct reconciler *reconciler = member->members->reconciler;
    const struct cache *cache = reconciler->control->cache;
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct text row = discovered_claimed(arena, cache, cluster->tenant, cluster->id, member->token);

    return row.length > 0 &&
           discovered_read(arena, cache_find(cache, cluster->tenant, TEXT(DISCOVERED_KIND), row),
                           out) &&
           text_is_equal(out->claim.token, member->token);
}

bool member_is_unsized(const struct member *member)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct discovered row;

    return member->is_starting && member->state.start_failure.length > 0 &&
           commission_row_read(arena, member, &row) && row.claim.is_sized;
}

bool members_is_returning(const struct reconciler *reconciler, struct text token)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct member *member =
        reconciler->members == NULL ? NULL : map_find(&reconciler->members->by_token, token);
    struct discovered row;

    return member != NULL && member->is_starting && member->state.start_failure.length > 0 &&
           commission_row_read(arena, member, &row);
}

bool member_is_pooled(const struct member *member)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct discovered row;

    return commission_row_read(arena, member, &row);
}

/* ---- adoption ---- */

void member_adoption_look(struct member *member)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct discovered row;

    member->is_adopting =
        member->is_starting && commission_row_read(arena, member, &row) && row.claim.is_adopted;
}

bool member_is_adopting(const struct member *member)
{
    return member->is_adopting && member->state.adoption != NODE_ADOPTION_DONE;
}

void member_adoption_end(struct member *member)
{
    const struct fleet_group *group =
        fleet_group_find(member->members->reconciler->cluster, member->group);
    struct node_state state = member->state;

    if (group == NULL || !member_is_adopting(member) || state.keys.host.length == 0 ||
        state.facts.length == 0) {
        return;
    }
    state.adoption = NODE_ADOPTION_DONE;
    state.chain_done = group->chain;
    state.chain_failed = TEXT("");
    state.start_failure = TEXT("");
    state.step = TEXT(NODE_STATE_BOOTSTRAPPED);
    state.why = TEXT("");
    member_change(member, &state, "node.adopted",
                  group->stage_count == 0 ? TEXT("")
                                          : TEXT("the stages count as complete, and were not run"));
    member->members->reconciler->is_woken = true; /* the node's job no longer needs to wait */
}

void member_adoption_fail(struct member *member, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct fleet_group *group =
        fleet_group_find(member->members->reconciler->cluster, member->group);
    struct node_state state = member->state;

    if (group == NULL || !member_is_adopting(member) || state.keys.host.length > 0 ||
        state.start_failure.length > 0 ||
        (reported->end != NODES_END_UNREACHABLE && !nodes_cause_is_login(reported->cause))) {
        return;
    }
    state.chain_failed = group->chain;
    state.start_failure =
        arena_printf(arena, "login: %.*s", TEXT_ARG(record_sentence(arena, reported->why)));
    state.retry = member_retry_look(member);
    state.end = NODES_END_REFUSED;
    state.step = TEXT(NODE_STATE_FAILED);
    state.stage = TEXT("login");
    state.why = record_sentence(arena, reported->why);
    member->failed_ms = reconciler_now(member->members->reconciler);
    member_change(member, &state, "node.failed", state.start_failure);
    member->members->reconciler->is_woken = true;
}

/* ---- installations ---- */

void member_install_look(struct member *member)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct control *control = member->members->reconciler->control;
    uint32_t times = control->options.times > 0 ? control->options.times : 1;
    const struct fleet_group *group = member_group(member);
    struct node_state state = member->state;
    struct discovered row;
    uint64_t limit_ms;

    if (!member->is_starting || !member->is_there || member->is_going || group == NULL ||
        state.start_failure.length > 0 || state.keys.host.length > 0 ||
        !commission_row_read(arena, member, &row) || row.install.state != DISCOVERED_INSTALL_DONE) {
        return;
    }
    limit_ms = discovered_install_limit(&row.install);
    if (control->ports.wall_ms(control->ports.arg) - row.install.since_ms <=
        (int64_t)(limit_ms / times)) {
        return;
    }
    state.chain_failed = group->chain;
    state.start_failure = arena_printf(arena,
                                       NODE_INSTALL_FAILURE
                                       "boot: the installed system did not let reeve log in within "
                                       "%llu min",
                                       (unsigned long long)limit_ms / 60000);
    state.retry = member_retry_look(member);
    state.end = NODES_END_REFUSED;
    state.step = TEXT(NODE_STATE_FAILED);
    state.stage = TEXT("install");
    state.why = state.start_failure;
    member->failed_ms = reconciler_now(member->members->reconciler);
    member_change(member, &state, "node.failed", state.start_failure);
    member->members->reconciler->is_woken = true;
}

/* ---- batches ---- */

bool member_waits_for_batch(const struct member *member)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct member_batches *batches = member->members->batches;
    struct discovered row;

    if (!member->is_starting || !commission_row_read(arena, member, &row)) {
        return false;
    }
    while (batches != NULL && !text_is_equal(batches->name, row.claim.batch_job)) {
        batches = batches->next;
    }
    return row.claim.batching.length > 0 ||
           (row.claim.batch_job.length > 0 && !member->members->has_decided) ||
           (batches != NULL && member->batches != batches && !member_is_done_of(member, batches));
}

enum bootstrap_mark commission_mark_of(const struct member *member, enum bootstrap_mark stages)
{
    if (member->state.start_failure.length > 0) {
        return BOOTSTRAP_MARK_FAILED;
    }
    return stages == BOOTSTRAP_MARK_DONE && member->is_starting ? BOOTSTRAP_MARK_BEGUN : stages;
}

/* Mark the commission of a machine as failed, because its batch was never started. */
static void commission_skip(struct member *member, const struct member_batches *batches)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct node_state state = member->state;

    state.chain_failed = member_group(member)->chain;
    state.start_failure = arena_printf(
        arena, "batch: its stages were not begun, because job/%llu has stopped (%s)",
        (unsigned long long)batches->number, batches_cut_sentence(batches->written.cut));
    state.retry = member_retry_look(member);
    state.end = NODES_END_REFUSED;
    state.step = TEXT(NODE_STATE_FAILED);
    state.stage = TEXT("batch");
    state.why = state.start_failure;
    member->failed_ms = reconciler_now(member->members->reconciler);
    member_change(member, &state, "node.failed", state.start_failure);
    member->members->reconciler->is_woken = true;
}

bool commission_is_pending(const struct member_batches *batches)
{
    struct text marks = batches->written.marks;
    bool is_pending = false;

    for (size_t i = 0; batches->request.verb == BATCHES_VERB_COMMISSION && i < marks.length; i++) {
        struct member *member =
            i >= batches->request.count || marks.data[i] != BOOTSTRAP_MARK_SKIPPED
                ? NULL
                : map_find(&batches->members->by_token, batches->request.tokens[i]);

        if (member == NULL || !member->is_starting || member->is_going || member->is_taken ||
            member_group(member) == NULL) {
            continue;
        }
        if (member->state.start_failure.length == 0) {
            commission_skip(member, batches);
        }
        is_pending = is_pending || member->is_dirty;
    }
    return is_pending;
}

/* ---- hooks of revisions ---- */

struct text member_upgrade_find(const struct member *member, const struct fleet_group *group)
{
    struct text done = member->state.archive_done;
    struct nodes_stage last;

    return done.length > 0 && group->hooks[FLEET_HOOK_UPGRADE].length > 0 &&
                   fleet_hook_find(group, TEXT(""), &last) && !text_is_equal(last.digest, done)
               ? group->hooks[FLEET_HOOK_UPGRADE]
               : TEXT("");
}

void member_hook_note(struct member *member, const struct fleet_group *group)
{
    struct text playbook = group->hooks[FLEET_HOOK_CLEANUP];
    struct node_state state = member->state;
    const struct node_hook *known = &member->state.cleanup_hook;
    struct nodes_stage last;

    state.cleanup_hook = (struct node_hook){ 0 };
    if (playbook.length > 0 && fleet_hook_find(group, playbook, &last)) {
        state.cleanup_hook = (struct node_hook){ .digest = last.digest,
                                                 .playbook = last.playbook,
                                                 .timeout_ms = last.timeout_ms,
                                                 .vars = last.vars };
    }
    if (state.cleanup_hook.vars.length > NODE_HOOK_VARS_BYTES) {
        state.cleanup_hook.vars = TEXT("");
        state.cleanup_hook.lacks_vars = true;
    }
    if (!text_is_equal(state.cleanup_hook.digest, known->digest) ||
        !text_is_equal(state.cleanup_hook.playbook, known->playbook) ||
        !text_is_equal(state.cleanup_hook.vars, known->vars) ||
        state.cleanup_hook.timeout_ms != known->timeout_ms ||
        state.cleanup_hook.lacks_vars != known->lacks_vars) {
        member_change(member, &state, NULL, TEXT(""));
    }
}
