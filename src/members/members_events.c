#include "base/limits.h"
#include "base/time.h"
#include "members/members.h"
#include "members/rollouts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* public names start with: members_ member_ */

/* Converts the events of runs to changes of node states. */

enum {
    AGAIN_MS = 5 * 1000,
    AGAIN_MAX_MS = 5 * 60 * 1000,
    AGAIN_DOUBLES = 6,
};

void member_state_set(struct member *member, const struct node_state *state)
{
    struct arena *arena = arena_new_small(SIZE_MAX);

    member->state = node_state_copy(arena, state);
    arena_free(member->state_memory);
    member->state_memory = arena;
}

void member_note(struct member *member, const char *type, struct text fact)
{
    struct member_event **last = &member->reports;
    struct member_event *reports;

    member->is_dirty = true;
    members_wake(member->members);
    if (type == NULL) {
        return;
    }
    while (*last != NULL) {
        last = &(*last)->next;
    }
    reports = arena_one(member->state_memory, struct member_event);
    *reports =
        (struct member_event){ .type = type, .fact = record_sentence(member->state_memory, fact) };
    *last = reports;
}

/* Sets the state to `changed`. Events of the previous state that are not written yet are kept. */
void member_change(struct member *member, const struct node_state *changed, const char *type,
                   struct text fact)
{
    struct arena *old = member->state_memory;
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct member_event **at = &member->reports;
    const struct control *control = member->members->reconciler->control;

    bool is_same = text_is_equal(member->state.step, changed->step) &&
                   member->state.attempt == changed->attempt;

    member->state = node_state_copy(arena, changed);
    if (!is_same) {
        member->state.since_ms = control->ports.wall_ms(control->ports.arg);
    }
    while (*at != NULL) {
        struct member_event *reports = arena_one(arena, struct member_event);

        *reports = **at;
        reports->fact = arena_text(arena, reports->fact);
        *at = reports;
        at = &reports->next;
    }
    member->state_memory = arena;
    member_note(member, type, fact);
    arena_free(old);
}

/* Discard results of another chain. From its first stage on they no longer describe the node, even
 * if the run fails. If the other chain is desired later, its stages must run again. */
void member_chain_leave(struct member *member, struct text chain)
{
    struct node_state state = member->state;

    if (state.chain_done.length > 0 && !text_is_equal(state.chain_done, chain)) {
        state.chain_done = TEXT("");
        state.has_served = true;
        member_change(member, &state, NULL, TEXT(""));
    }
}

void member_forget(struct member *member)
{
    struct node_state state = { .rerun = member->state.rerun,
                                .job = member->state.job,
                                .retry = member->state.retry };

    /* these runs use the previous host key, and would report about the machine with that key */
    member_drop_runs(member);
    member->failures = 0;
    member->again_ms = 0;
    member_change(member, &state, "node.bootstrap_reset",
                  TEXT("the host key of the machine has changed since its keys were made"));
}

/* ---- results of steps ---- */

/* Sets the step. A run that only distributes facts or renews certificates does not change the
 * displayed end of the stages or the running stage. */
static void step_set(const struct member_run *run, struct node_state *state, struct text step)
{
    bool is_reporting = state->step.length > 0 && (run->with & RUN_WITH_STAGES) == 0 &&
                        state->chain_done.length + state->chain_failed.length > 0;

    if (run == &run->member->main && !is_reporting) {
        state->step = step;
    }
}

static void keys_reported(struct member_run *run, const struct nodes_event *reported)
{
    struct member *member = run->member;
    struct node_state state = member->state;
    bool is_same = text_is_equal(state.keys.host, reported->keys.host) &&
                   text_is_equal(state.keys.root, reported->keys.root) &&
                   text_is_equal(state.keys.user, reported->keys.user);

    if (!is_same) {
        state.keys = reported->keys;
        state.keys.name = TEXT("");
        state.name = member->name;
        state.trust_given = TEXT(""); /* the certificates were issued for other keys */
        step_set(run, &state, TEXT("keys"));
        member_change(member, &state, NULL, TEXT(""));
    }
    if (run == &member->main) {
        member->phase = BOOTSTRAP_AT_KEYS;
    } else {
        run_trust(run); /* the concurrent run does not wait at barriers */
    }
}

static void trusted_reported(struct member_run *run, const struct nodes_event *reported)
{
    struct member *member = run->member;
    struct node_state state = member->state;
    bool is_first = state.trust_given.length == 0;

    state.trust_given = text_from(run->trust);
    state.host_key = member->way.host_key.length > 0 ? node_state_host_key(member->way.host_key)
                                                     : member->first_key;
    if (!run->keeps) {
        state.renew_ms =
            reported->renew_ms == 0 ? 0 : members_now(member->members) + reported->renew_ms;
    }
    step_set(run, &state, TEXT("keyed"));
    member_change(member, &state, is_first ? "node.keyed" : NULL, TEXT(""));
}

static void facts_reported(struct member_run *run, const struct nodes_event *reported)
{
    struct member *member = run->member;
    struct node_state state = member->state;

    if (!text_is_equal(state.facts, reported->facts)) {
        bool is_first = state.facts.length == 0;

        state.facts = reported->facts;
        step_set(run, &state, TEXT("facts"));
        member_change(member, &state, is_first ? NULL : "node.facts_changed", TEXT(""));
    }
    member_owner_look(member);
    if (run == &member->main) {
        member->phase = BOOTSTRAP_AT_FACTS;
    } else {
        run_distribute(run);
    }
}

static void given_reported(struct member_run *run)
{
    struct member *member = run->member;
    struct node_state state = member->state;

    if (run == &member->main) {
        member->phase = BOOTSTRAP_IN_STAGES;
    }
    if (!text_is_equal(state.facts_given, text_from(run->facts))) {
        state.facts_given = text_from(run->facts);
        member_change(member, &state, NULL, TEXT(""));
    }
}

/* ---- stages ---- */

static struct text stage_name(const struct member *member, size_t stage)
{
    const struct fleet_group *group = member_group(member);

    return group != NULL && stage < group->stage_count ? group->stages[stage].name : TEXT("");
}

static struct text stage_words(struct arena *arena, const struct member *member,
                               const struct nodes_event *reported)
{
    struct text attempt =
        reported->attempt > 1 ? arena_printf(arena, ", attempt %u", reported->attempt) : TEXT("");

    return arena_printf(arena, "stage-%zu %.*s%.*s", reported->stage,
                        TEXT_ARG(stage_name(member, reported->stage)), TEXT_ARG(attempt));
}

/* Like once_add, while the stages of the group are unknown. Names that are already known are kept,
 * and this stage counts as not idempotent. */
static struct text once_keep(struct arena *arena, const struct member *member, uint64_t begun,
                             size_t stage)
{
    struct text once = member->state.once;

    if (stage >= 64 || (begun >> stage & 1) != 0) {
        return arena_text(arena, once);
    }
    return arena_printf(arena, "%.*s%s%zu ", TEXT_ARG(once), once.length == 0 ? "" : ",", stage);
}

/* Lists the started stages that are not idempotent: this stage, and the earlier ones that the group
 * still has. */
static struct text once_add(struct arena *arena, const struct member *member, size_t stage)
{
    const struct fleet_group *group = member_group(member);
    struct text rest = member->state.once;
    uint64_t begun = 0;
    struct buf buf;

    while (rest.length > 0) {
        size_t comma = text_find_byte(rest, ',');
        int64_t number = -1;

        if (text_parse_int64(text_slice(rest, 0, text_find_byte(rest, ' ')), &number) &&
            number >= 0 && number < 64) {
            begun |= UINT64_C(1) << number;
        }
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 1, rest.length);
    }
    if (group == NULL) {
        return once_keep(arena, member, begun, stage);
    }
    begun |= stage < 64 ? UINT64_C(1) << stage : 0;
    buf_init(&buf, arena);
    for (size_t i = 0; i < group->stage_count && i < 64; i++) {
        if ((begun >> i & 1) != 0 && !group->stages[i].is_idempotent) {
            buf_printf(&buf, "%s%zu %.*s", buf.length == 0 ? "" : ",", i,
                       TEXT_ARG(group->stages[i].name));
        }
    }
    return buf_text(&buf);
}

/* Called when a stage counts as complete because of a legacy marker that the specification trusts.
 * This is reported once. A command that runs the stage again ignores the marker. */
static void marked_reported(struct member *member, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct node_state state = member->state;
    struct text rest = state.marked;

    while (rest.length > 0) {
        size_t comma = text_find_byte(rest, ',');
        int64_t number = -1;

        if (text_parse_int64(text_slice(rest, 0, comma), &number) &&
            number == (int64_t)reported->stage) {
            return;
        }
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 1, rest.length);
    }
    state.marked = arena_printf(arena, "%.*s%s%zu", TEXT_ARG(state.marked),
                                state.marked.length == 0 ? "" : ",", reported->stage);
    state.once = once_add(arena, member, reported->stage);
    member_change(member, &state, "node.stage_trusted",
                  arena_printf(arena,
                               "stage-%zu %.*s: counts as complete because of the empty "
                               "file %.*s",
                               reported->stage, TEXT_ARG(stage_name(member, reported->stage)),
                               TEXT_ARG(reported->why)));
}

static void stage_reported(struct member *member, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_group *group = member_group(member);
    struct node_state state = member->state;

    member->phase = BOOTSTRAP_IN_STAGES;
    state.was_maintained =
        state.was_maintained || (group != NULL && member_has_served(member, group));
    state.step = arena_printf(arena, "stage-%zu", reported->stage);
    state.stage = stage_name(member, reported->stage);
    state.number = (uint32_t)reported->stage;
    state.attempt = reported->attempt;
    state.code = 0;
    state.why = TEXT("");
    state.once = once_add(arena, member, reported->stage);
    /* another manager may retry the failed stages */
    state.start_failure = TEXT("");
    if (state.chain_failed.length > 0) {
        state.chain_done = state.end == NODES_END_CONTINUED ? TEXT("") : state.chain_done;
        state.chain_failed = TEXT("");
    }
    member_change(member, &state, "node.stage", stage_words(arena, member, reported));
}

/* Records the duration of a stage, for the estimate of the next run. It is written with the next
 * event. If the output of an attempt is read again from another manager, the attempt ended before,
 * so its duration is unknown. */
static void took_note(struct member *member, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct control *control = member->members->reconciler->control;
    int64_t ms = control->ports.wall_ms(control->ports.arg) - member->state.since_ms;
    struct node_state state = member->state;
    struct text rest = state.took;
    struct node_took took;
    struct buf buf;

    buf_init(&buf, arena);
    while (node_state_took_next(&rest, &took)) {
        if (took.number == (int64_t)reported->stage && took.attempt == (int64_t)reported->attempt) {
            return;
        }
        if (took.number != (int64_t)reported->stage) {
            buf_printf(&buf, "%s%lld %lld %lld", buf.length == 0 ? "" : ",", (long long)took.number,
                       (long long)took.attempt, (long long)took.ms);
        }
    }
    buf_printf(&buf, "%s%zu %u %lld", buf.length == 0 ? "" : ",", reported->stage,
               reported->attempt, (long long)(ms < 0 ? 0 : ms));
    state.took = buf_text(&buf);
    member_change(member, &state, NULL, TEXT(""));
}

/* Return the reported failure of a stage: the first line of an error or, without output, its exit
 * code. */
static struct text failure_words(struct arena *arena, const struct nodes_event *reported)
{
    struct text end = text_from(
        nodes_end_name(reported->end == NODES_END_CONTINUED ? NODES_END_FAILED : reported->end));

    return reported->why.length > 0
               ? arena_printf(arena, "%.*s: %.*s", TEXT_ARG(end), TEXT_ARG(reported->why))
               : arena_printf(arena, "%.*s: exit code %d, without any output", TEXT_ARG(end),
                              reported->code);
}

/* Record that this manager has the whole output of an attempt. It is written with the next
 * event. */
static void output_note(struct member *member, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text manager = member->members->reconciler->control->options.manager.id;
    struct node_state state = member->state;

    if (manager.length > 0 && reported->attempt > 0) {
        state.outputs = node_state_output_note(arena, state.outputs, reported->stage,
                                               reported->attempt, manager);
        member_change(member, &state, NULL, TEXT(""));
    }
}

static void staged_reported(struct member *member, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct node_state state;

    output_note(member, reported);
    state = member->state;

    if (reported->end == NODES_END_DONE) {
        took_note(member, reported);
        return; /* a later event reports this */
    }
    state.code = reported->code;
    state.why = reported->why;
    member_change(member, &state, "node.stage_failed",
                  arena_printf(arena, "%.*s, %s, exit code %d%s%.*s",
                               TEXT_ARG(stage_words(arena, member, reported)),
                               nodes_end_name(reported->end), reported->code,
                               reported->why.length == 0 ? ", without any output" : ": ",
                               TEXT_ARG(reported->why)));
}

/* ---- end of a run ---- */

static void again_set(struct member *member)
{
    unsigned doubles = member->failures < AGAIN_DOUBLES ? member->failures : AGAIN_DOUBLES;
    uint64_t ms = (uint64_t)AGAIN_MS << doubles;
    struct reconciler *reconciler = member->members->reconciler;

    member->failures++;
    member->again_ms = members_now(member->members) +
                       control_jitter(reconciler->control, ms < AGAIN_MAX_MS ? ms : AGAIN_MAX_MS);
}

/* Wakes a pass soon, so that the job counts the failure. On a ready machine only the node state
 * changes. */
static void job_wake(const struct member *member)
{
    member->members->reconciler->is_woken = true;
    member->members->reconciler->is_node_due = true;
}

/* Clears the block, because the run has passed the step at which the previous run was blocked. */
static void member_unblock(struct member *member)
{
    struct node_state state = member->state;

    if (state.blocked != NODES_CAUSE_NONE) {
        node_state_unblock(&state);
        member_change(member, &state, NULL, TEXT(""));
        job_wake(member);
    }
}

/* Records that the request is completed, regardless of the result of the run. */
static void request_done(const struct member_run *run, struct node_state *state)
{
    state->rerun = run->rerun == 0 ? state->rerun : run->rerun;
    state->job = run->job[0] == '\0' ? state->job : text_from(run->job);
}

/* Records the archive whose playbook was completed. If another archive follows, its hook `upgrade`
 * runs. */
static void archive_note(const struct member_run *run, struct node_state *state)
{
    const struct fleet_group *group = member_group(run->member);
    struct nodes_stage last;

    if (group != NULL && text_is(group->chain, run->chain)) {
        state->archive_done = fleet_hook_find(group, TEXT(""), &last) ? last.digest : TEXT("");
    }
}

static void done_reported(struct member_run *run)
{
    struct member *member = run->member;
    struct node_state state;

    member->failures = 0;
    member->is_unreachable = false;
    member_unblock(member);
    state = member->state;
    if (run != &member->main || (run->with & RUN_WITH_STAGES) == 0) {
        if (run == &member->main) {
            member_adoption_end(member);
        }
        return;
    }
    job_wake(member); /* a job that waited for the node continues */
    state.chain_done = text_from(run->chain);
    state.chain_failed = TEXT("");
    state.start_failure = TEXT("");
    archive_note(run, &state);
    request_done(run, &state);
    state.step = TEXT(NODE_STATE_BOOTSTRAPPED);
    state.why = TEXT("");
    member_change(member, &state, "node.bootstrapped", TEXT(""));
}

/* Handles a failed stage. If the failure is allowed (onFailure: continue), all other stages have
 * run and the node is a member, but its job still waits for an operator. */
static void failed_reported(struct member_run *run, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct member *member = run->member;
    bool goes_on = reported->end == NODES_END_CONTINUED;
    struct node_state state;

    member->failures = 0;
    member->is_unreachable = false;
    member->failed_ms = goes_on ? 0 : reconciler_now(member->members->reconciler);
    job_wake(member);
    member_unblock(member);
    state = member->state;
    state.chain_failed = text_from(run->chain);
    state.chain_done = goes_on ? state.chain_failed : state.chain_done;
    request_done(run, &state);
    state.retry = member_retry_look(member);
    state.end = reported->end;
    state.is_uncorrected = state.is_uncorrected || run->is_correction;
    if (goes_on) {
        archive_note(run, &state);
    }
    state.step = goes_on ? TEXT(NODE_STATE_BOOTSTRAPPED) : TEXT(NODE_STATE_FAILED);
    state.number = (uint32_t)reported->stage;
    state.stage = stage_name(member, reported->stage);
    state.attempt = reported->attempt;
    state.code = reported->code;
    state.why = reported->why;
    if (member->is_starting && !goes_on) {
        state.start_failure =
            arena_printf(arena, "%.*s: %.*s", TEXT_ARG(state.stage),
                         TEXT_ARG(record_sentence(arena, failure_words(arena, reported))));
    }
    member_change(member, &state, goes_on ? "node.bootstrapped" : "node.failed",
                  arena_printf(arena, "%.*s: %.*s", TEXT_ARG(stage_words(arena, member, reported)),
                               TEXT_ARG(failure_words(arena, reported))));
}

/* Make the text with the cause, the remedy, and the time of the next try. */
static struct text blocked_fact(struct arena *arena, const struct member *member,
                                const struct node_state *state)
{
    struct text hint =
        nodes_cause_hint(arena, state->blocked, member->members->reconciler->cluster->name,
                         member->name, member->way.user);
    char at[TIME_TEXT_BYTES];

    time_format(state->retry_wall_ms, at);
    return arena_printf(arena, "%.*s; next try %s%s%s%.*s", TEXT_ARG(state->blocked_why),
                        state->retry_wall_ms > 0 ? "at " : "within seconds",
                        state->retry_wall_ms > 0 ? at : "", hint.length > 0 ? "; " : "",
                        TEXT_ARG(hint));
}

/* Handles a blocked step. The run continues and retries the step every few seconds. */
static void blocked_reported(struct member *member, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct control *control = member->members->reconciler->control;
    struct node_state state = member->state;

    /* A run that communicates with the node has a host key. */
    if (state.blocked != NODES_CAUSE_NONE && state.blocked != NODES_CAUSE_KEY_UNKNOWN &&
        state.blocked != NODES_CAUSE_KEY_AWAITED) {
        return;
    }
    state.blocked = reported->cause;
    state.blocked_why = record_sentence(arena, reported->why);
    state.blocked_wall_ms = control->ports.wall_ms(control->ports.arg);
    state.retry_wall_ms = 0;
    member_change(member, &state, "node.refused", blocked_fact(arena, member, &state));
    job_wake(member);
    member_adoption_fail(member, reported);
}

/* Handles a run that will be retried. An event is written for the first block and for each new
 * cause. The time of the next try is always written. */
static void unfinished_reported(struct member *member, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct control *control = member->members->reconciler->control;
    int64_t now_ms = control->ports.wall_ms(control->ports.arg);
    struct node_state state = member->state;
    struct text why = record_sentence(arena, reported->why);
    enum nodes_cause cause = reported->cause != NODES_CAUSE_NONE      ? reported->cause
                             : reported->end == NODES_END_UNREACHABLE ? NODES_CAUSE_UNREACHABLE
                                                                      : NODES_CAUSE_OTHER;
    bool is_known = state.blocked == cause && text_is_equal(state.blocked_why, why);

    member->is_unreachable = reported->end == NODES_END_UNREACHABLE;
    member->failures = cause == NODES_CAUSE_KEY_AWAITED ? 0 : member->failures;
    again_set(member);
    if (state.blocked == NODES_CAUSE_NONE) {
        state.blocked_wall_ms = now_ms;
        job_wake(member);
    }
    state.blocked = cause;
    state.blocked_why = why;
    state.retry_wall_ms = now_ms + (int64_t)(member->again_ms - members_now(member->members));
    member_change(member, &state,
                  is_known                 ? NULL
                  : member->is_unreachable ? "node.unreachable"
                                           : "node.refused",
                  blocked_fact(arena, member, &state));
    member_adoption_fail(member, reported);
}

static void end_reported(struct member_run *run, const struct nodes_event *reported)
{
    struct member *member = run->member;

    if (run == &member->verify) {
        member_verify_ended(run, reported);
        return;
    }
    run->run = NULL;
    if (run == &member->main) {
        member->phase = BOOTSTRAP_IDLE;
    }
    switch (reported->end) {
    case NODES_END_DONE:
        done_reported(run);
        break;
    case NODES_END_CONTINUED:
    case NODES_END_FAILED:
    case NODES_END_TIMEOUT:
    case NODES_END_INTERRUPTED:
        failed_reported(run, reported);
        break;
    case NODES_END_UNREACHABLE:
    case NODES_END_REFUSED:
        unfinished_reported(member, reported);
        break;
    case NODES_END_CANCELLED:
    case NODES_END_COUNT:
        break;
    }
}

/* True if the event proves that a login has succeeded. */
static bool is_members_events_in(const struct nodes_event *reported)
{
    return reported->kind != NODES_EVENT_ALARM && reported->kind != NODES_EVENT_HOST_KEY &&
           reported->kind != NODES_EVENT_BLOCKED &&
           (reported->kind != NODES_EVENT_END || reported->end == NODES_END_DONE);
}

void members_event(void *arg, const struct nodes_event *reported)
{
    struct member_run *run = arg;
    struct members *members = run->member->members;

    if (members->reconciler->control->is_stopped) {
        return;
    }
    if (is_members_events_in(reported)) {
        probes_cleared(members->reconciler, run->member->token);
    }
    if (reported->kind == NODES_EVENT_STAGE ||
        (is_members_events_in(reported) && nodes_cause_is_login(run->member->state.blocked))) {
        member_unblock(run->member);
    }
    switch (reported->kind) {
    case NODES_EVENT_KEYS:
        keys_reported(run, reported);
        break;
    case NODES_EVENT_TRUSTED:
        trusted_reported(run, reported);
        break;
    case NODES_EVENT_FACTS:
        facts_reported(run, reported);
        break;
    case NODES_EVENT_GIVEN:
        given_reported(run);
        break;
    case NODES_EVENT_STAGE:
        stage_reported(run->member, reported);
        break;
    case NODES_EVENT_STAGED:
        staged_reported(run->member, reported);
        break;
    case NODES_EVENT_BASELINE:
        member_baseline_reported(run, reported);
        break;
    case NODES_EVENT_CLEANED: /* only a release or a drain reports this */
        break;
    case NODES_EVENT_MARKED:
        marked_reported(run->member, reported);
        break;
    case NODES_EVENT_HOST_KEY:
        run->member->first_key = node_state_host_key(reported->host_key);
        probes_host_key(members->reconciler, run->member->token, reported->host_key);
        break;
    case NODES_EVENT_ALARM:
        probes_alarm(members->reconciler, run->member->token, reported->host_key, reported->why);
        break;
    case NODES_EVENT_BLOCKED:
        blocked_reported(run->member, reported);
        break;
    case NODES_EVENT_END:
        end_reported(run, reported);
        break;
    }
    members_wake(members);
}
