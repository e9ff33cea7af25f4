#include "base/limits.h"
#include "base/sort.h"
#include "base/time.h"
#include "members/members.h"
#include "members/rollouts.h"

#include <assert.h>
#include <stdio.h>

/* public names start with: verify_ members_ member_ verified_ correction_ corrections_ */

/* Verifies nodes: compares their files with the baseline that was taken after their stages
 * (decision 0131).
 *
 * Normal case: a node is verified for a batch job, when it becomes reachable again, or when its
 * verification interval has passed. A separate run reads the verdict, which the node's state
 * records. A job that corrects runs the stages of a drifted node again; then the node is verified
 * once more.
 *
 * Failures: an unreachable node is retried with increasing delays. For a job its verdict becomes
 * unknown after a few tries, and unknown is never treated as same. A run of stages ends a
 * verification that is in progress; it begins again after the stages. */

enum {
    VERIFY_TRIES = 3,
    VERIFY_RETRY_MS = 2 * 1000,
    VERIFY_DOUBLES = 7,
    /* Maximum number of concurrent verifications without a job, because many nodes may return at
     * the same time. */
    VERIFY_RUNS_MAX = 64,
};

/* ---- verifications that are due ---- */

/* True if the node can be verified now. */
static bool verify_is_possible(const struct member *member)
{
    return member->is_there && !member->is_going && !member->is_taken && !member->is_shadow &&
           !member->is_rebooting && member->main.run == NULL && member->beside.run == NULL &&
           member->verify.run == NULL && member->drain.run == NULL;
}

static bool verify_is_of(const struct member *member, const struct member_batches *batches)
{
    return text_is_equal(member->state.verify_job, batches->name);
}

/* Return the job that waits for a verification of this member; NULL: there is none. */
static const struct member_batches *verify_job(const struct member *member)
{
    const struct member_batches *batches = member->verify_batches;

    if (batches != NULL && !verify_is_of(member, batches)) {
        return batches;
    }
    batches = member->batches;
    return batches != NULL && batches->request.verb == BATCHES_VERB_CORRECT &&
                   member_is_done_of(member, batches) && member->state.chain_failed.length == 0 &&
                   !verify_is_of(member, batches)
               ? batches
               : NULL;
}

/* Returns the next time at which the member's interval ends. Each member has a different offset, so
 * that the verifications of a group are spread evenly over the interval. */
static uint64_t verify_next_ms(struct member *member, uint64_t every_ms)
{
    uint64_t now_ms = members_now(member->members);
    uint64_t place_ms = text_hash(member->token, 3) % every_ms;
    uint64_t since_ms = member->state.verified.at_ms;

    if (member->verify_since_ms == 0) {
        member->verify_since_ms = now_ms;
    }
    since_ms = since_ms == 0 || since_ms > now_ms ? member->verify_since_ms : since_ms;
    return since_ms < place_ms ? place_ms
                               : place_ms + ((since_ms - place_ms) / every_ms + 1) * every_ms;
}

/* True if the member has returned. This is known because its facts have been distributed again. */
static bool verify_is_back(const struct member *member)
{
    return member->state.is_away && !member->is_unreachable_by_probe && !member->is_unanswered &&
           !member->is_rebooting &&
           text_is_equal(member->state.facts_given, text_from(member->members->facts));
}

/* ---- begin of a verification ---- */

static void verify_begin(struct member *member, enum node_verify_cause cause,
                         const struct member_batches *batches)
{
    const struct reconciler *reconciler = member->members->reconciler;
    const struct nodes_port *port = reconciler->control->ports.nodes;
    const struct fleet_group *group = member_group(member);
    bool is_read_only = cause == NODE_VERIFY_RETURN &&
                        (!group->verify.is_on_return || member->state.baseline.length == 0);
    struct nodes_order order = {
        .way = member_way(member, group),
        .cluster_name = reconciler->cluster->name,
        .group = member->group,
        /* Without a verification, the run only reads the boot id. */
        .with = is_read_only ? RUN_WITH_REBOOT : RUN_WITH_VERIFY,
        .stages = group->stages,
        .stage_count = group->stage_count,
        .files = group->files,
        .baseline = member->state.baseline,
        .is_hook_run = batches != NULL ? batches->request.is_hook : group->verify.is_hook,
        .is_hook_check = batches != NULL && batches->request.is_deep,
    };
    struct nodes_stage hook;
    bool has_playbook = (order.is_hook_check && fleet_hook_find(group, TEXT(""), &hook)) ||
                        (order.is_hook_run && group->hooks[FLEET_HOOK_VERIFY].length > 0 &&
                         fleet_hook_find(group, group->hooks[FLEET_HOOK_VERIFY], &hook));

    if (has_playbook && !is_read_only) {
        order.hook = &hook;
    }

    member->verify.member = member;
    member->verify.with = order.with;
    member->verify.cause = cause;
    member->verify.is_hook_run = order.is_hook_run;
    member->verify.is_deep = order.is_hook_check;
    snprintf(member->verify.job, sizeof(member->verify.job), "%.*s",
             TEXT_ARG(batches == NULL ? TEXT("") : batches->name));
    member->verify.run = port->begin(port->arg, &order, members_event, &member->verify);
    if (member->verify.run == NULL) {
        member->verify_again_ms = members_now(member->members) + VERIFY_RETRY_MS;
    }
}

/* ---- end of a verification ---- */

/* Return the first of these lines that fit into a node's state. */
static struct text verified_files_cut(struct text files)
{
    size_t length = 0;

    while (length < files.length) {
        size_t end = text_find_byte(text_slice(files, length + 1, SIZE_MAX), '\n');
        size_t next = end == SIZE_MAX ? files.length : length + 1 + end;

        if (next > LIMIT_VERIFIED_BYTES) {
            break;
        }
        length = next;
    }
    return text_slice(files, 0, length > 0 ? length : LIMIT_VERIFIED_BYTES);
}

static struct text verified_fact(struct arena *arena, const struct node_verified *verified)
{
    size_t end = text_find_byte(verified->files, '\n');
    struct text first =
        text_slice(verified->files, 0, end == SIZE_MAX ? verified->files.length : end);

    switch (verified->verdict) {
    case NODE_VERDICT_DRIFTED:
        return verified->file_count == 1
                   ? arena_printf(arena, "drifted: %.*s", TEXT_ARG(first))
                   : arena_printf(arena, "drifted: %.*s and %llu more", TEXT_ARG(first),
                                  (unsigned long long)(verified->file_count - 1));
    case NODE_VERDICT_UNKNOWN:
        return arena_printf(arena, "unknown: %.*s", TEXT_ARG(verified->why));
    case NODE_VERDICT_SAME:
        if (verified->is_deep) {
            return arena_printf(arena, "same, %llu of %llu tasks judged",
                                (unsigned long long)verified->judged,
                                (unsigned long long)verified->tasks);
        }
        break;
    case NODE_VERDICT_NONE:
    case NODE_VERDICT_COUNT:
        break;
    }
    return text_from(node_verdict_name(verified->verdict));
}

/* Records the boot id that was read. The event shows whether the node has rebooted or was only
 * disconnected. This also covers a reboot that no probe noticed. */
static void verify_boot_note(struct member *member, struct text boot, bool was_away)
{
    struct node_state state = member->state;
    bool is_other = state.boot.length > 0 && !text_is_equal(state.boot, boot);

    if (boot.length == 0 || !(was_away || is_other || state.boot.length == 0)) {
        return;
    }
    state.is_away = false;
    state.boot = boot;
    member_change(member, &state, was_away || is_other ? "node.returned" : NULL,
                  is_other ? TEXT("boot: other") : TEXT("boot: same"));
}

/* Sets the verdict in the node's state and adds its events. */
static void verified_set(const struct member_run *run, const struct node_verified *found)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct member *member = run->member;
    const struct control *control = member->members->reconciler->control;
    struct node_state state = member->state;
    struct node_verified verified = *found;
    bool is_known = state.verified.verdict == verified.verdict;
    bool is_corrected = run->cause == NODE_VERIFY_CORRECTION;

    verified.cause = run->cause;
    verified.is_hook = run->is_hook_run;
    verified.is_deep = run->is_deep;
    verified.wall_ms = control->ports.wall_ms(control->ports.arg);
    verified.at_ms = members_now(member->members);
    verified.since_ms = is_known ? state.verified.since_ms : verified.wall_ms;
    is_known = is_known && text_is_equal(state.verified.files, verified.files) &&
               text_is_equal(state.verified.why, verified.why);
    state.verified = verified;
    state.verify_job = run->job[0] == '\0' ? state.verify_job : text_from(run->job);
    if (verified.verdict == NODE_VERDICT_SAME) {
        state.is_uncorrected = false;
    } else if (is_corrected) {
        state.is_uncorrected = true;
    }
    member->verify_failures = 0;
    member->verify_again_ms = 0;
    member_change(member, &state,
                  is_known && run->cause == NODE_VERIFY_SCHEDULE ? NULL : "node.verified",
                  verified_fact(arena, &verified));
    if (is_corrected && verified.verdict == NODE_VERDICT_SAME) {
        member_note(member, "node.corrected", TEXT(""));
    }
    member->members->reconciler->is_woken = true;
    member->members->reconciler->is_node_due = true;
}

/* Return the first stage that must not run again without an operator, because it may have run once
 * already; NULL: there is none. */
static const struct nodes_stage *correction_once(const struct fleet_group *group)
{
    for (size_t i = group->configured_from; i < group->stage_count; i++) {
        if (!group->stages[i].is_idempotent) {
            return &group->stages[i];
        }
    }
    return NULL;
}

/* Returns the command for an operator if drift is not corrected automatically; empty: none. */
static struct text drift_next(struct arena *arena, const struct member_run *run)
{
    const struct member *member = run->member;
    const struct fleet_group *group = member_group(member);
    const struct nodes_stage *once = group == NULL ? NULL : correction_once(group);

    if (once != NULL) {
        return arena_printf(arena,
                            "the stage %.*s is not idempotent: reeve verify --fix asks for consent",
                            TEXT_ARG(once->name));
    }
    return run->cause == NODE_VERIFY_CORRECTION || (group != NULL && group->verify.is_correcting &&
                                                    run->cause != NODE_VERIFY_OPERATOR)
               ? TEXT("")
               : TEXT("reeve verify --fix corrects the node");
}

static void verify_done(struct member_run *run, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct member *member = run->member;
    const struct nodes_verdict *verdict = &reported->verdict;
    struct node_verified verified = {
        .verdict = verdict->file_count > 0 ? NODE_VERDICT_DRIFTED
                   : verdict->unknown.length > 0 || verdict->baseline.length == 0
                       ? NODE_VERDICT_UNKNOWN
                       : NODE_VERDICT_SAME,
        .file_count = verdict->file_count,
        .tasks = verdict->tasks,
        .judged = verdict->judged,
        .files = verified_files_cut(verdict->files),
        .why = verdict->file_count > 0 ? drift_next(arena, run)
                                       : record_sentence(arena, verdict->unknown),
    };
    struct node_state state = member->state;

    state.baseline = verdict->baseline;
    member_change(member, &state, NULL, TEXT(""));
    verify_boot_note(member, verdict->boot, run->cause == NODE_VERIFY_RETURN);
    verified_set(run, &verified);
}

/* Handles a run that could not verify the node. After a few tries, the verdict for the job is
 * unknown. */
static void verify_failed(struct member_run *run, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct member *member = run->member;
    unsigned doubles =
        member->verify_failures < VERIFY_DOUBLES ? member->verify_failures : VERIFY_DOUBLES;

    member->verify_failures++;
    member->verify_again_ms = members_now(member->members) + ((uint64_t)VERIFY_RETRY_MS << doubles);
    if (run->with == RUN_WITH_VERIFY && member->verify_failures >= VERIFY_TRIES &&
        (run->job[0] != '\0' || run->cause == NODE_VERIFY_SCHEDULE)) {
        verified_set(run,
                     &(struct node_verified){
                         .verdict = NODE_VERDICT_UNKNOWN,
                         .why = arena_printf(arena, "%s: %.*s", nodes_end_name(reported->end),
                                             TEXT_ARG(record_sentence(arena, reported->why))) });
    }
}

void member_verify_ended(struct member_run *run, const struct nodes_event *reported)
{
    struct member *member = run->member;
    struct text boot = reported->why;

    run->run = NULL;
    if (reported->end == NODES_END_CANCELLED) {
        return;
    }
    if (reported->end != NODES_END_DONE) {
        verify_failed(run, reported);
    } else if (run->with == RUN_WITH_VERIFY) {
        verify_done(run, reported);
    } else {
        /* splits "BOOT SECONDS" */
        member->verify_failures = 0;
        verify_boot_note(member, text_slice(boot, 0, text_find_byte(boot, ' ')), true);
    }
}

void member_baseline_reported(struct member_run *run, const struct nodes_event *reported)
{
    struct member *member = run->member;
    struct node_state state = member->state;
    struct text digest = reported->verdict.baseline;
    bool is_missing = digest.length == 0 && reported->why.length > 0;

    if (!text_is_equal(state.baseline, digest)) {
        /* Changes of files that were made before this baseline are unknown. */
        state.verified = (struct node_verified){ .verdict = NODE_VERDICT_NONE };
        state.is_uncorrected = false;
        state.baseline = digest;
    }
    state.boot = reported->verdict.boot.length > 0 ? reported->verdict.boot : state.boot;
    member_change(member, &state, is_missing ? "node.baseline_missing" : NULL, reported->why);
}

/* ---- nodes that are away ---- */

void member_away_look(struct member *member)
{
    struct node_state state = member->state;
    bool is_away = member->is_there && !member->is_going &&
                   (member->is_unreachable_by_probe || member->is_unanswered);

    if (!is_away || state.chain_done.length == 0 || state.is_away) {
        return;
    }
    state.is_away = true;
    /* The node may have missed facts, or may have lost the files with the facts. */
    state.facts_given = TEXT("");
    member_change(member, &state, NULL, TEXT(""));
}

/* ---- all members ---- */

/* Begin the verification of a member if one is due and possible. Returns the time of the next
 * decision; 0: the next change triggers it. */
static uint64_t verify_decide(struct member *member, size_t *inout_room)
{
    const struct fleet_group *group = member_group(member);
    const struct member_batches *batches = verify_job(member);
    const struct group_commands *commands = member_commands(member);
    uint64_t now_ms = members_now(member->members);
    uint64_t next_ms;

    if (group == NULL || group->stage_count == 0 || !verify_is_possible(member)) {
        return 0;
    }
    if ((batches != NULL || member->state.is_away) && now_ms < member->verify_again_ms) {
        return member->verify_again_ms;
    }
    if (batches != NULL) {
        verify_begin(member,
                     batches->request.verb == BATCHES_VERB_CORRECT ? NODE_VERIFY_CORRECTION
                                                                   : NODE_VERIFY_OPERATOR,
                     batches);
        return member->verify.run == NULL ? member->verify_again_ms : 0;
    }
    if (*inout_room == 0 || commands == NULL || commands->is_paused ||
        !text_is_equal(member->state.chain_done, group->chain)) {
        return 0;
    }
    if (verify_is_back(member)) {
        --*inout_room;
        verify_begin(member, NODE_VERIFY_RETURN, NULL);
        return member->verify.run == NULL ? member->verify_again_ms : 0;
    }
    if (group->verify.every_ms == 0 || member->is_unreachable_by_probe) {
        return 0;
    }
    next_ms = verify_next_ms(member, group->verify.every_ms);
    if (now_ms < next_ms || now_ms < member->verify_again_ms) {
        return next_ms > member->verify_again_ms ? next_ms : member->verify_again_ms;
    }
    --*inout_room;
    verify_begin(member, NODE_VERIFY_SCHEDULE, NULL);
    return member->verify.run == NULL ? member->verify_again_ms : 0;
}

uint64_t members_verify(struct members *members)
{
    size_t room = VERIFY_RUNS_MAX;
    uint64_t next_ms = 0;

    for (const struct member *one = members->first; one != NULL; one = one->next) {
        room -= one->verify.run != NULL && one->verify.job[0] == '\0' && room > 0;
    }
    for (struct member *one = members->first; one != NULL; one = one->next) {
        next_ms = time_earlier(next_ms, verify_decide(one, &room));
    }
    return next_ms;
}

/* ---- jobs ---- */

enum bootstrap_mark verify_mark_of(const struct member_batches *batches,
                                   const struct member *member, enum bootstrap_mark mark)
{
    if (mark != BOOTSTRAP_MARK_BEGUN) {
        return mark;
    }
    if (verify_is_of(member, batches)) {
        return member->state.verified.verdict == NODE_VERDICT_UNKNOWN ? BOOTSTRAP_MARK_FAILED
                                                                      : BOOTSTRAP_MARK_DONE;
    }
    return batches->written.cut != BOOTSTRAP_CUT_NONE && member->verify.run == NULL
               ? BOOTSTRAP_MARK_SKIPPED
               : mark;
}

enum bootstrap_mark correction_mark_of(const struct member_batches *batches,
                                       const struct member *member, enum bootstrap_mark stages)
{
    if (stages != BOOTSTRAP_MARK_DONE) {
        return stages;
    }
    if (!verify_is_of(member, batches)) {
        return BOOTSTRAP_MARK_BEGUN;
    }
    return member->state.verified.verdict == NODE_VERDICT_SAME ? BOOTSTRAP_MARK_DONE
                                                               : BOOTSTRAP_MARK_FAILED;
}

void correction_begin(struct member *member)
{
    struct node_state state = member->state;

    /* The correction also writes the files of reeve itself again. */
    state.trust_given = TEXT("");
    state.facts_given = TEXT("");
    member_change(member, &state, NULL, TEXT(""));
}

/* ---- automatic correction ---- */

/* True if the member is in an unfinished job. */
static bool correction_is_in_job(const struct member *member)
{
    for (const struct member_batches *one = member->members->batches; one != NULL;
         one = one->next) {
        for (size_t i = 0; i < one->request.count && !one->written.is_over; i++) {
            if (text_is_equal(one->request.tokens[i], member->token)) {
                return true;
            }
        }
    }
    return false;
}

static bool correction_is_due(const struct member *member, const struct fleet_group *group)
{
    const struct node_verified *verified = &member->state.verified;

    return verified->verdict == NODE_VERDICT_DRIFTED &&
           (verified->cause == NODE_VERIFY_RETURN || verified->cause == NODE_VERIFY_SCHEDULE) &&
           group->verify.is_correcting && !member->state.is_uncorrected &&
           verify_is_possible(member) && !member->is_starting && !member->is_unanswered &&
           group->stage_count > 0 && text_is_equal(member->state.chain_done, group->chain) &&
           member->state.chain_failed.length == 0 && correction_once(group) == NULL &&
           !correction_is_in_job(member);
}

static void correction_create(struct members *members, const struct fleet_group *group,
                              const struct member *const *drifted, size_t count)
{
    struct arena *arena = members->rollouts_memory;
    const struct control *control = members->reconciler->control;
    struct doc_builder from;
    struct batches request = { .verb = BATCHES_VERB_CORRECT,
                               .is_hook = group->verify.is_hook,
                               .at_ms = control->ports.wall_ms(control->ports.arg),
                               .why = TEXT("the files of these nodes differ from their baseline"),
                               .group = group->plan.path };
    uint64_t hash = text_hash(group->plan.path, 5);

    for (size_t i = 0; i < count; i++) {
        hash = text_hash(drifted[i]->token, hash ^ drifted[i]->state.verified.at_ms);
    }
    doc_builder_init(&from, arena);
    doc_builder_add(&from, &(struct doc_entry){
                               .key = group->plan.path,
                               .value = doc_int(arena, (int64_t)group->configured_from, NULL) });
    request.from = doc_builder_map(&from, NULL);
    rollout_new_add(members, group, drifted, count,
                    arena_printf(arena, "%016llx", (unsigned long long)hash), &request);
}

void corrections_find(struct members *members)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    const struct member **drifted;

    for (size_t i = 0; cluster->is_there && i < cluster->group_count; i++) {
        const struct fleet_group *group = &cluster->groups[i];
        size_t count = 0;

        if (rollout_is_replacing(members, group)) {
            continue;
        }
        drifted = NULL;
        for (const struct member *one = members->first; one != NULL && count < LIMIT_BATCHES_NODES;
             one = one->next) {
            if (one->state.verified.verdict == NODE_VERDICT_DRIFTED &&
                text_is_equal(one->group, group->plan.path) &&
                correction_is_due(one, fleet_group_for(group, one->slot))) {
                drifted = drifted != NULL
                              ? drifted
                              : arena_array(arena, const struct member *, LIMIT_BATCHES_NODES);
                drifted[count++] = one;
            }
        }
        if (count > 0) {
            correction_create(members, group, drifted, count);
        }
    }
}
