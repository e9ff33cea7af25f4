#include "base/limits.h"
#include "base/sort.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/nest.h"
#include "reconcile/control_parts.h"
#include "records/displayed.h"
#include "records/node_state.h"
#include "state/batches.h"

#include <assert.h>

/* public names start with: pass_ job_ */

/* Jobs. A job tracks a cluster until it has reached the specification of a revision. That revision
 * is the number of the job:
 *
 * /TENANT/Job/CLUSTER/REVISION/status
 *
 * The first pass that finds work for a newer revision begins a job. Every pass writes the progress
 * of the job, in the transactions of the work. A newer job of the cluster replaces an unfinished
 * one. So a client knows the number of its job as soon as its change is written, and a crash of the
 * manager loses no job. Repairs that no change requested have no job. */

enum {
    JOBS_KEPT = 10,
    JOB_GROUPS_MAX = 200,
    JOB_WAITS_MAX = 5,
};

struct job_group {
    const struct fleet_group *group; /* NULL: the group is no longer in the specification */
    struct text path;
    size_t wanted;
    /* Machines by displayed state (displayed.h), of any generation. */
    size_t ready;
    size_t unhealthy;
    size_t unreachable;
    size_t outdated; /* outdated machines, in any state */
    size_t updated;  /* machines that are ready and not outdated */
    size_t current;  /* active machines of the desired generation */
    size_t old;      /* existing machines of another generation */
    size_t creating;
    size_t leaving;
    size_t batch;  /* number of machines that a rollout replaces at the same time; 0: none */
    size_t canary; /* number of canaries */
    /* Requested reboots: not begun, in progress, overdue. */
    size_t reboots;
    size_t rebooting;
    size_t reboot_late;
    /* machines with a failed stage; those that are ready (onFailure: continue) also count as
     * ready */
    size_t failed;
    size_t staging; /* ready machines whose stages run again, because they changed or on request */
};

/* The problem of a machine: its create is refused, it is unreachable after its reboot, it has a
 * failed stage, or it is blocked. */
struct job_problem {
    const struct plan_record *record;
    const struct fleet_group *group;
    const struct node_state *node; /* state of its node; NULL: the machine is refused */
    /* true: `node` has the cause of the block; false: a stage has failed */
    bool is_blocked;
    unsigned tries; /* number of tries if it is blocked */
    bool is_reboot_late;
};

struct job {
    struct pass *pass;
    struct arena *arena;
    struct map index; /* index of the groups, by path */
    struct job_group *groups;
    size_t group_count;
    struct job_group sum;
    struct job_problem problems[LIMIT_JOB_PROBLEMS];
    size_t problem_count;
    struct text *failed; /* names of all machines with problems */
    size_t failed_count;
    size_t failed_more; /* number of further machines, beyond LIMIT_JOB_NAMES */
    /* number of actions, plus number of machines that make progress without an action */
    size_t moving;
    bool is_paused;
    /* Machines of the inventory whose commission in this job failed and that are returned, as items
     * of `problems`. The change that reduced the size of the group again wrote them
     * (service/mutation_return.c). Absent: none. */
    const struct doc *returned;
    uint64_t follows; /* revision of that change; 0: none */
};

/* ---- counting ---- */

static struct job_group *pass_jobs_group_of(struct job *job, struct text path)
{
    struct job_group *group = map_find(&job->index, path);

    if (group == NULL) {
        group = &job->groups[job->group_count++];
        group->path = path;
        group->group = fleet_group_find(job->pass->reconciler->cluster, path);
        map_put(&job->index, path, group);
    }
    return group;
}

static bool is_pass_jobs_current(const struct job_group *group, const struct plan_record *record)
{
    for (size_t i = 0; group->group != NULL && i < group->group->choice_count; i++) {
        if (text_is_equal(group->group->choices[i].generation, record->generation)) {
            return true;
        }
    }
    return false;
}

static struct text pass_jobs_name_of(const struct job *job, const struct fleet_group *group,
                                     const struct plan_record *record)
{
    return group == NULL ? record->token : naming_format(job->arena, &group->affix, record->slot);
}

static void failed_add(struct job *job, const struct job_group *group,
                       const struct plan_record *record)
{
    if (job->failed == NULL) {
        job->failed = arena_array(job->arena, struct text, LIMIT_JOB_NAMES);
    }
    if (job->failed_count < LIMIT_JOB_NAMES) {
        job->failed[job->failed_count++] = pass_jobs_name_of(job, group->group, record);
    } else {
        job->failed_more++;
    }
}

/* Adds the names of the machines that are returned and are no longer members. */
static void returned_add(struct job *job)
{
    size_t count = doc_is_list(job->returned) ? job->returned->item_count : 0;

    job->failed = count > 0 && job->failed == NULL
                      ? arena_array(job->arena, struct text, LIMIT_JOB_NAMES)
                      : job->failed;
    for (size_t i = 0; i < count && job->failed_count < LIMIT_JOB_NAMES; i++) {
        job->failed[job->failed_count++] = doc_child_text(&job->returned->items[i], "name");
    }
}

static void pass_jobs_problem_add(struct job *job, const struct job_group *group,
                                  const struct job_problem *problem)
{
    const struct plan_record *record = problem->record;
    size_t at = job->problem_count;

    failed_add(job, group, record);
    while (at > 0 && (record->slot < job->problems[at - 1].record->slot ||
                      (record->slot == job->problems[at - 1].record->slot &&
                       text_compare(record->group, job->problems[at - 1].record->group) < 0))) {
        at--;
    }
    if (at == LIMIT_JOB_PROBLEMS) {
        return;
    }
    if (job->problem_count < LIMIT_JOB_PROBLEMS) {
        job->problem_count++;
    }
    for (size_t i = job->problem_count - 1; i > at; i--) {
        job->problems[i] = job->problems[i - 1];
    }
    job->problems[at] = *problem;
    job->problems[at].group = group->group;
}

/* True if this manager has no provider for the machine, which then makes no progress. */
static bool is_pass_jobs_missing(const struct plan_world *world, const struct plan_record *record)
{
    return world->sources[record->source].is_missing;
}

/* True if a hold stops the rollout slots of the group. Members that wait for a slot then wait for
 * an operator. */
static bool are_slots_stopped(const struct job *job, struct text group)
{
    const struct plan *plan = &job->pass->plan;

    for (size_t i = 0; i < plan->hold_count; i++) {
        const struct plan_hold *hold = &plan->holds[i];

        if ((hold->rule == PLAN_RULE_rollout || hold->rule == PLAN_RULE_roll_stopped) &&
            text_is_equal(hold->group, group)) {
            return true;
        }
    }
    return false;
}

/* True if a hold stops the reboots of the group. Reboots that have not begun then wait for an
 * operator. */
static bool are_reboots_stopped(const struct job *job, struct text group)
{
    const struct plan *plan = &job->pass->plan;

    for (size_t i = 0; i < plan->hold_count; i++) {
        const struct plan_hold *hold = &plan->holds[i];

        if ((hold->rule == PLAN_RULE_reboot_stopped || hold->rule == PLAN_RULE_roll_stopped) &&
            text_is_equal(hold->group, group)) {
            return true;
        }
    }
    return false;
}

/* True if a hold keeps the unhealthy machine from being replaced until an operator decides. */
static bool is_healing_held(const struct job *job, const struct plan_record *record)
{
    const struct plan *plan = &job->pass->plan;

    for (size_t i = 0; i < plan->hold_count; i++) {
        const struct plan_hold *hold = &plan->holds[i];

        if ((hold->rule == PLAN_RULE_unhealthy_brake &&
             (hold->group.length == 0 || text_is_equal(hold->group, record->group))) ||
            (hold->rule == PLAN_RULE_common_cause && record->has_cause)) {
            return true;
        }
    }
    return false;
}

/* Counts the requested reboot of a machine. Returns true if the machine is starting and its reboot
 * is overdue. The machine is then counted only as overdue, because it makes no progress without an
 * operator. */
static bool reboot_count(struct job *job, struct job_group *group, const struct plan_record *record)
{
    if (record->is_reboot_requested) {
        group->reboots++;
        job->moving += !job->is_paused && !are_reboots_stopped(job, record->group);
    } else if (plan_is_rebooting(record)) {
        group->rebooting++;
        job->moving += !job->is_paused;
    } else if (record->reboot_begun_ms > 0) {
        group->reboot_late++;
        group->creating += record->is_starting;
        pass_jobs_problem_add(job, group,
                              &(struct job_problem){ .record = record, .is_reboot_late = true });
        return record->is_starting;
    }
    return false;
}

/* Count a machine that is active and no longer starting. */
static void member_count(struct job *job, struct job_group *group, size_t index, bool is_failed)
{
    struct plan_record record = job->pass->world.records[index];
    enum displayed displayed;
    bool is_outdated;
    bool is_ready;

    /* if the pass activates the machine, use its state after the pass */
    record.state = PLAN_RECORD_ACTIVE;
    displayed = displayed_of(&record);
    is_ready = displayed_is_serving(displayed) && !is_failed;
    is_outdated = pass_is_outdated(job->pass, index);
    group->ready += is_ready;
    group->updated += is_ready && !is_outdated;
    group->unhealthy += displayed == DISPLAYED_UNHEALTHY && !is_failed;
    group->unreachable += displayed == DISPLAYED_UNREACHABLE && !is_failed;
    group->failed += displayed == DISPLAYED_FAILED || is_failed;
    group->outdated += is_outdated;
    *(is_pass_jobs_current(group, &record) ? &group->current : &group->old) += 1;
}

/* Counts a machine with a failed stage. Returns true if the machine is starting. The machine is
 * then counted only as failed, because it makes no progress without an operator. */
static bool failure_count(struct job *job, struct job_group *group,
                          const struct plan_record *record, const struct node_state *failed)
{
    pass_jobs_problem_add(job, group, &(struct job_problem){ .record = record, .node = failed });
    job->moving += members_is_returning(job->pass->reconciler, record->token);
    group->failed += record->is_starting || text_is(failed->step, NODE_STATE_BOOTSTRAPPED);
    return record->is_starting;
}

/* Counts a machine whose node is blocked until an operator acts, if the job waits for the node's
 * work. A run that is retried every few seconds still makes progress: a node that has just started
 * may accept the login soon. */
static bool blocked_count(struct job *job, struct job_group *group,
                          const struct plan_record *record, enum members_stages stages)
{
    struct job_problem problem = { .record = record, .is_blocked = true };

    if ((!record->is_starting && stages == MEMBERS_STAGES_DONE) ||
        !members_blocked(job->pass->reconciler, record->token, &problem.node, &problem.tries) ||
        problem.node->retry_wall_ms == 0 || problem.node->blocked == NODES_CAUSE_KEY_AWAITED) {
        return false;
    }
    pass_jobs_problem_add(job, group, &problem);
    return true;
}

/* Counts a machine that has not been ready yet, by its displayed state. A machine that does not
 * answer after its grace period counts as unhealthy, not as being created. A machine does not count
 * as current before it has been ready. Returns true if healing waits for an operator, so that the
 * machine makes no progress. */
static bool starting_count(const struct job *job, struct job_group *group,
                           const struct plan_record *record)
{
    enum displayed displayed = displayed_of(record);
    bool is_starting = displayed == DISPLAYED_STARTING;

    group->unhealthy += displayed == DISPLAYED_UNHEALTHY;
    group->unreachable += displayed == DISPLAYED_UNREACHABLE;
    group->failed += displayed == DISPLAYED_FAILED;
    group->creating += is_starting;
    return !is_starting && is_healing_held(job, record);
}

static void record_count(struct job *job, size_t index, enum plan_record_state state)
{
    const struct plan_record *record = &job->pass->world.records[index];
    struct job_group *group = pass_jobs_group_of(job, record->group);
    bool is_refused = state == PLAN_RECORD_CREATE && record->refusals > 0;
    const struct node_state *failed = NULL;
    enum members_stages stages =
        state == PLAN_RECORD_ACTIVE
            ? members_stages_of(job->pass->reconciler, record->token, &failed)
            : MEMBERS_STAGES_DONE;
    bool is_blocked = state == PLAN_RECORD_ACTIVE && stages != MEMBERS_STAGES_FAILED &&
                      blocked_count(job, group, record, stages);

    if (state == PLAN_RECORD_ACTIVE && reboot_count(job, group, record)) {
        return;
    }
    if (stages == MEMBERS_STAGES_FAILED && failure_count(job, group, record, failed)) {
        return;
    }
    if ((stages == MEMBERS_STAGES_RUNNING || stages == MEMBERS_STAGES_WAITING) &&
        !record->is_starting) {
        group->staging++;
        job->moving += !job->is_paused && !is_blocked &&
                       !(stages == MEMBERS_STAGES_WAITING && are_slots_stopped(job, record->group));
    }
    if (state == PLAN_RECORD_ACTIVE && record->is_starting) {
        job->moving += !starting_count(job, group, record) && !is_blocked &&
                       !is_pass_jobs_missing(&job->pass->world, record);
        return;
    }
    group->creating += state == PLAN_RECORD_CREATE;
    group->leaving += state == PLAN_RECORD_DELETE;
    if (state == PLAN_RECORD_ACTIVE) {
        member_count(job, group, index, failed != NULL && text_is(failed->step, NODE_STATE_FAILED));
    }
    if (is_refused) {
        pass_jobs_problem_add(job, group, &(struct job_problem){ .record = record });
    } else if (!is_blocked && !is_pass_jobs_missing(&job->pass->world, record)) {
        job->moving += state != PLAN_RECORD_ACTIVE;
    }
}

/* Sets *out to the state of a record after an action is committed. Returns false if the action
 * removes the record. */
static bool state_after(const struct pass *pass, const struct plan_action *action,
                        enum plan_record_state *state)
{
    switch (action->act) {
    case PLAN_ACT_ACTIVATE: /* a machine with a probe becomes ready only when its probe succeeds */
        *state = pass_is_probed(pass, pass->world.records[action->record].group)
                     ? PLAN_RECORD_CREATE
                     : PLAN_RECORD_ACTIVE;
        return true;
    case PLAN_ACT_DESTROY:
        *state = PLAN_RECORD_DELETE;
        return true;
    case PLAN_ACT_FORGET:
        return false;
    case PLAN_ACT_MOVE:
    case PLAN_ACT_NOTE:
    case PLAN_ACT_SET_ID:
    case PLAN_ACT_ADOPT:
    case PLAN_ACT_CONFIRM:
    case PLAN_ACT_LABEL:
    case PLAN_ACT_REBOOT:
    case PLAN_ACT_TERMINATE:
    case PLAN_ACT_ASK:
    case PLAN_ACT_CREATE:
        break;
    }
    return true;
}

/* True if the effects of the action continue after its commit. */
static bool is_moving(const struct plan_world *world, const struct plan_action *action)
{
    enum plan_act act = action->act;

    if (action->record != PLAN_NONE &&
        is_pass_jobs_missing(world, &world->records[action->record])) {
        return false;
    }
    return act == PLAN_ACT_CONFIRM || act == PLAN_ACT_LABEL || act == PLAN_ACT_REBOOT ||
           act == PLAN_ACT_TERMINATE || act == PLAN_ACT_ASK || act == PLAN_ACT_CREATE ||
           act == PLAN_ACT_DESTROY;
}

static void job_count(struct job *job)
{
    const struct pass *pass = job->pass;
    const struct plan_world *world = &pass->world;
    const struct plan_action **acts =
        arena_array(job->arena, const struct plan_action *, world->record_count);

    map_init(&job->index, job->arena);
    job->groups = arena_array(job->arena, struct job_group,
                              world->group_count + world->record_count + pass->plan.action_count);
    job->moving = pass->reconciler->calls != NULL;
    job->is_paused = world->is_paused;
    for (size_t i = 0; i < world->group_count; i++) {
        struct job_group *group = pass_jobs_group_of(job, world->groups[i].path);

        group->wanted = world->groups[i].size;
        group->batch = world->groups[i].batch;
        group->canary = world->groups[i].canary;
        job->is_paused = job->is_paused || world->groups[i].is_paused;
    }
    for (size_t i = 0; i < pass->plan.action_count; i++) {
        const struct plan_action *action = &pass->plan.actions[i];

        job->moving += is_moving(world, action);
        if (action->act == PLAN_ACT_CREATE) {
            pass_jobs_group_of(job, action->group)->creating++;
        } else if (action->act == PLAN_ACT_ADOPT) {
            pass_jobs_group_of(job, action->group)->ready++;
            pass_jobs_group_of(job, action->group)->updated++;
            pass_jobs_group_of(job, action->group)->current++;
        }
        if (action->record != PLAN_NONE &&
            (acts[action->record] == NULL || action->act == PLAN_ACT_DESTROY ||
             action->act == PLAN_ACT_FORGET)) {
            acts[action->record] = action;
        }
    }
    for (size_t i = 0; i < world->record_count; i++) {
        enum plan_record_state state = world->records[i].state;

        if (acts[i] == NULL ||
            (acts[i]->act != PLAN_ACT_CREATE && state_after(job->pass, acts[i], &state))) {
            record_count(job, i, state);
        }
    }
    for (size_t i = 0; i < job->group_count; i++) {
        job->sum.wanted += job->groups[i].wanted;
        job->sum.ready += job->groups[i].ready;
        job->sum.unhealthy += job->groups[i].unhealthy;
        job->sum.unreachable += job->groups[i].unreachable;
        job->sum.outdated += job->groups[i].outdated;
        job->sum.updated += job->groups[i].updated;
        job->sum.current += job->groups[i].current;
        job->sum.old += job->groups[i].old;
        job->sum.creating += job->groups[i].creating;
        job->sum.leaving += job->groups[i].leaving;
        job->sum.failed += job->groups[i].failed;
        job->sum.staging += job->groups[i].staging;
        job->sum.reboots += job->groups[i].reboots;
        job->sum.rebooting += job->groups[i].rebooting;
        job->sum.reboot_late += job->groups[i].reboot_late;
    }
}

/* True if the desired state is reached. */
static bool is_pass_jobs_done(const struct job *job)
{
    for (size_t i = 0; i < job->group_count; i++) {
        if (job->groups[i].current != job->groups[i].wanted) {
            return false;
        }
    }
    return job->moving == 0 &&
           job->sum.old + job->sum.creating + job->sum.leaving + job->sum.failed +
                   job->sum.staging + job->sum.outdated + job->sum.reboots + job->sum.rebooting +
                   job->sum.reboot_late ==
               0 &&
           job->pass->plan.hold_count == 0 && (!job->pass->world.is_gone || job->sum.current == 0);
}

static const char *pass_jobs_state_of(const struct job *job)
{
    if (is_pass_jobs_done(job)) {
        return doc_is_list(job->returned) ? "failed" : "done";
    }
    if (job->moving > 0) {
        return "running";
    }
    if (job->is_paused) {
        return "paused";
    }
    return job->pass->plan.hold_count + job->problem_count > 0 ? "waiting" : "running";
}

/* ---- writing ---- */

static struct doc number(const struct job *job, uint64_t value)
{
    return doc_int(job->arena, (int64_t)value, NULL);
}

/* Formats the desired generations. Machines of any other generation must still be replaced. */
static struct doc generations_format(const struct job *job, const struct job_group *group)
{
    size_t count = group->group == NULL ? 0 : group->group->choice_count;
    struct doc *items = arena_array(job->arena, struct doc, count);

    for (size_t i = 0; i < count; i++) {
        items[i] = doc_text(group->group->choices[i].generation, NULL);
    }
    return doc_list(items, count, NULL);
}

/* Puts a count unless it is 0; most counts are 0. */
static void count_put(const struct job *job, struct doc_builder *builder, const char *key,
                      size_t count)
{
    if (count > 0) {
        doc_builder_put(builder, key, number(job, count));
    }
}

static struct doc pass_jobs_counts_format(const struct job *job, const struct job_group *group,
                                          bool is_named)
{
    struct doc_builder builder;

    doc_builder_init(&builder, job->arena);
    if (is_named && group->old > 0) { /* the limits of the batches of a rollout */
        doc_builder_put(&builder, "batch", number(job, group->batch));
        doc_builder_put(&builder, "canary", number(job, group->canary));
    }
    if (is_named && group->group != NULL && group->group->chain.length > 0) {
        struct doc chains = fleet_chains_format(job->arena, group->group);

        doc_builder_put(&builder, "chain", doc_text(group->group->chain, NULL));
        if (doc_is_present(&chains)) {
            doc_builder_put(&builder, "chains", chains);
        }
    }
    doc_builder_put(&builder, "creating", number(job, group->creating));
    count_put(job, &builder, "failed", group->failed);
    if (is_named) {
        doc_builder_put(&builder, "generations", generations_format(job, group));
        doc_builder_put(&builder, "group", doc_text(group->path, NULL));
    }
    doc_builder_put(&builder, "leaving", number(job, group->leaving));
    doc_builder_put(&builder, "old", number(job, group->old));
    count_put(job, &builder, "outdated", group->outdated);
    doc_builder_put(&builder, "ready", number(job, group->ready));
    count_put(job, &builder, "rebootLate", group->reboot_late);
    count_put(job, &builder, "rebooting", group->rebooting);
    count_put(job, &builder, "reboots", group->reboots);
    count_put(job, &builder, "staging", group->staging);
    count_put(job, &builder, "unhealthy", group->unhealthy);
    count_put(job, &builder, "unreachable", group->unreachable);
    doc_builder_put(&builder, "updated", number(job, group->updated));
    doc_builder_put(&builder, "wanted", number(job, group->wanted));
    return doc_builder_map(&builder, NULL);
}

/* Format the groups in order of path. If there are many groups, only their sum is given. */
static struct doc groups_format(const struct job *job)
{
    struct doc *items = arena_array(job->arena, struct doc, job->group_count);
    size_t count = 0;

    if (job->group_count > JOB_GROUPS_MAX) {
        return doc_list(items, 0, NULL);
    }
    for (const struct map_node *node = map_first(&job->index, TEXT("")); node != NULL;
         node = map_after(&job->index, node->key)) {
        items[count++] = pass_jobs_counts_format(job, node->value, true);
    }
    return doc_list(items, count, NULL);
}

/* Returns the text with which the provider refused the machine. */
static struct text pass_jobs_cause_of(const struct job *job, const struct plan_record *plan)
{
    const struct fleet_machine *machine =
        fleet_machine_find(job->pass->reconciler->cluster, plan->token);
    struct record record;
    struct err err;

    return machine != NULL &&
                   record_parse(job->arena, plan->token, blob_text(machine->bytes), &record, &err)
               ? arena_text(job->arena, record.cause)
               : TEXT("");
}

static struct text problem_words(const struct job *job, const struct plan_record *record)
{
    static const char *const words[] = {
        [PLAN_FAULT_NONE] = "not answered",
        [PLAN_FAULT_WRONG] = "refused: the request is invalid, or not permitted",
        [PLAN_FAULT_SHORT] = "refused: no capacity, or no quota",
        [PLAN_FAULT_PASSING] = "refused: a temporary error",
        [PLAN_FAULT_GONE] = "the machine has ended",
    };
    struct text cause = pass_jobs_cause_of(job, record);

    return cause.length == 0
               ? text_from(words[record->fault])
               : arena_printf(job->arena, "%s (%.*s)", words[record->fault], TEXT_ARG(cause));
}

/* Put {hint?, nextAt, text, tries} of a blocked machine. */
static void blocked_put(const struct job *job, struct doc_builder *builder,
                        const struct job_problem *problem, struct text name)
{
    const struct node_state *state = problem->node;
    const struct fleet_machine *machine =
        fleet_machine_find(job->pass->reconciler->cluster, problem->record->token);
    struct record record = { 0 };
    struct text hint;
    struct err err;

    if (machine == NULL || !record_parse(job->arena, problem->record->token,
                                         blob_text(machine->bytes), &record, &err)) {
        record.user = TEXT("");
    }
    hint = nodes_cause_hint(job->arena, state->blocked, job->pass->reconciler->cluster->name, name,
                            record.user);
    if (hint.length > 0) {
        doc_builder_put(builder, "hint", doc_text(hint, NULL));
    }
    doc_builder_put(builder, "nextAt", doc_int(job->arena, state->retry_wall_ms, NULL));
    doc_builder_put(builder, "text", doc_text(arena_text(job->arena, state->blocked_why), NULL));
    doc_builder_put(builder, "tries", number(job, problem->tries));
}

static struct doc problems_format(const struct job *job)
{
    size_t returned = doc_is_list(job->returned) ? job->returned->item_count : 0;
    struct doc *items = arena_array(job->arena, struct doc, job->problem_count + returned);

    for (size_t i = 0; i < returned; i++) {
        items[job->problem_count + i] = job->returned->items[i];
    }
    for (size_t i = 0; i < job->problem_count; i++) {
        const struct job_problem *problem = &job->problems[i];
        struct text name = pass_jobs_name_of(job, problem->group, problem->record);
        struct doc_builder builder;

        doc_builder_init(&builder, job->arena);
        doc_builder_put(&builder, "name", doc_text(name, NULL));
        if (problem->is_blocked) {
            blocked_put(job, &builder, problem, name);
        } else if (problem->is_reboot_late) {
            doc_builder_put(&builder, "text",
                            doc_text(pass_jobs_cause_of(job, problem->record), NULL));
        } else if (problem->node != NULL) {
            node_state_failure_put(&builder, problem->node);
        } else {
            doc_builder_put(&builder, "text", doc_text(problem_words(job, problem->record), NULL));
            doc_builder_put(&builder, "tries", number(job, problem->record->refusals));
        }
        items[i] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, job->problem_count + returned, NULL);
}

static struct doc waits_format(const struct job *job)
{
    const struct plan *plan = &job->pass->plan;
    struct doc *items = arena_array(job->arena, struct doc, JOB_WAITS_MAX);
    size_t count = 0;

    for (size_t i = 0; i < plan->hold_count && count < JOB_WAITS_MAX; i++) {
        struct text group = plan->holds[i].group;

        items[count++] =
            doc_text(arena_printf(job->arena, "%.*s%s%s", TEXT_ARG(group),
                                  group.length > 0 ? ":" : "", plan_rule_name(plan->holds[i].rule)),
                     NULL);
    }
    return doc_list(items, count, NULL);
}

/* A job in the store. */
struct job_row {
    uint64_t number;
    struct text bytes;
    struct doc doc;
    uint64_t revision;
    /* Revision of the last change that continued the job; the job's own number if there is none. */
    uint64_t follows;
    bool is_open;
};

static struct doc job_format(const struct job *job, const struct doc *kept, uint64_t revision,
                             const char *state)
{
    static const char *const keep[] = { "begun", "by", "cluster", "returned", "why" };
    const struct control *control = job->pass->reconciler->control;
    struct job_group sum = job->sum;
    struct doc_builder builder;

    doc_builder_init(&builder, job->arena);
    for (size_t i = 0; i < ARRAY_COUNT(keep); i++) {
        const struct doc *value = doc_child(kept, keep[i]);

        if (doc_is_present(value)) {
            doc_builder_put(&builder, keep[i], *value);
        }
    }
    if (state[0] == 'd' || state[0] == 'f') {
        doc_builder_put(&builder, "ended",
                        doc_int(job->arena, control->ports.wall_ms(control->ports.arg), NULL));
    }
    count_put(job, &builder, "follows", (size_t)job->follows);
    batches_names_put(&builder, "failed", job->failed, job->failed_count, job->failed_more);
    doc_builder_put(&builder, "groups", groups_format(job));
    sum.failed += doc_is_list(job->returned) ? job->returned->item_count : 0;
    doc_builder_put(&builder, "machines", pass_jobs_counts_format(job, &sum, false));
    doc_builder_put(&builder, "revision", number(job, revision));
    doc_builder_put(&builder, "state", doc_text(text_from(state), NULL));
    doc_builder_put(&builder, "problems", problems_format(job));
    doc_builder_put(&builder, "waits", waits_format(job));
    return doc_builder_map(&builder, NULL);
}

static struct text pass_jobs_bytes_of(struct arena *arena, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, doc);
    return buf_text(&buf);
}

static struct text job_key(struct pass *pass, uint64_t number)
{
    return control_key(pass->arena, pass->reconciler->cluster, "Job",
                       arena_printf(pass->arena, "%020llu", (unsigned long long)number),
                       CACHE_STATUS);
}

/* ---- the newest job ---- */

static struct text jobs_prefix(const struct pass *pass)
{
    const struct fleet_cluster *cluster = pass->reconciler->cluster;

    return arena_printf(pass->arena, "/%.*s/Job/%.*s/", TEXT_ARG(cluster->tenant),
                        TEXT_ARG(cluster->id));
}

/* Finds the newest job. Its number is 0 if there is none. Removes the oldest jobs beyond the
 * limit. */
static struct job_row pass_jobs_newest_find(struct pass *pass, bool is_making_room)
{
    const struct cache *cache = pass->reconciler->control->cache;
    struct text prefix = jobs_prefix(pass);
    struct job_row newest = { 0 };
    const struct cache_object *last = NULL;
    size_t count = 0;
    int64_t number;
    struct err err;

    for (const struct cache_object *row = cache_first(cache, prefix); row != NULL;
         row = cache_next(cache, prefix, row)) {
        if (objects_is_change(row)) {
            last = row;
            count++;
        }
    }
    if (last == NULL || last->parts[CACHE_STATUS].bytes == NULL ||
        text_parse_int64(
            text_slice(cache_id(last), text_find_byte(cache_id(last), '/') + 1, SIZE_MAX),
            &number) == false) {
        return newest;
    }
    newest.number = (uint64_t)number;
    newest.revision = last->parts[CACHE_STATUS].revision;
    newest.bytes = arena_text(pass->arena, blob_text(last->parts[CACHE_STATUS].bytes));
    if (json_parse(pass->arena, newest.bytes, NULL, &newest.doc, &err)) {
        newest.is_open = doc_is_present(doc_child(&newest.doc, "state")) &&
                         !doc_is_present(doc_child(&newest.doc, "ended"));
    }
    newest.follows = doc_is_scalar(doc_child(&newest.doc, "follows"))
                         ? (uint64_t)doc_child_number(&newest.doc, "follows")
                         : newest.number;
    for (const struct cache_object *row = cache_first(cache, prefix);
         is_making_room && count >= JOBS_KEPT && row != NULL;
         row = cache_next(cache, prefix, row)) {
        if (!objects_is_change(row)) {
            continue;
        }
        count--;
        unit_add(pass->arena, &pass->units,
                 objects_key(pass->arena, pass->reconciler->cluster->tenant, TEXT("Job"),
                             arena_text(pass->arena, cache_id(row)), CACHE_STATUS),
                 row->parts[CACHE_STATUS].revision, TEXT(""));
    }
    return newest;
}

/* ---- begin and end ---- */

/* Make the first members of a job's row: the start time, and the author of the change. */
static struct doc author_format(struct pass *pass, uint64_t revision)
{
    const struct control *control = pass->reconciler->control;
    const struct fleet_cluster *cluster = pass->reconciler->cluster;
    struct doc_builder builder;
    struct stored_meta meta;

    doc_builder_init(&builder, pass->arena);
    doc_builder_put(&builder, "begun",
                    doc_int(pass->arena, control->ports.wall_ms(control->ports.arg), NULL));
    doc_builder_put(&builder, "cluster", doc_text(cluster->name, NULL));
    if (!objects_author_find(pass->arena, control->cache, cluster->tenant, cluster->id, revision,
                             &meta)) {
        return doc_builder_map(&builder, NULL);
    }
    if (meta.by.length > 0) {
        doc_builder_put(&builder, "by", doc_text(meta.by, NULL));
    }
    if (meta.why.length > 0) {
        doc_builder_put(&builder, "why", doc_text(meta.why, NULL));
    }
    return doc_builder_map(&builder, NULL);
}

static void job_event(struct pass *pass, struct unit *unit, const char *type, uint64_t number)
{
    unit->event =
        control_event(pass->arena, pass->reconciler,
                      &(struct event){ .type = type,
                                       .fact = arena_printf(pass->arena, "job/%llu",
                                                            (unsigned long long)number) });
}

static void job_begin(struct job *job, const struct job_row *former, uint64_t number)
{
    struct pass *pass = job->pass;
    struct doc kept = author_format(pass, number);
    struct doc doc = job_format(job, &kept, number, pass_jobs_state_of(job));
    struct unit *unit;

    if (former->is_open) {
        struct doc ended =
            doc_text(arena_printf(pass->arena, "job/%llu", (unsigned long long)number), NULL);

        ended = nest_put(pass->arena, &former->doc, "supersededBy", ended);
        ended = nest_put(pass->arena, &ended, "state", doc_text(TEXT("superseded"), NULL));
        ended = nest_put(pass->arena, &ended, "ended", *doc_child(&kept, "begun"));
        unit_add(pass->arena, &pass->units, job_key(pass, former->number), former->revision,
                 pass_jobs_bytes_of(pass->arena, &ended));
    }
    unit = unit_add(pass->arena, &pass->units, job_key(pass, number), 0,
                    pass_jobs_bytes_of(pass->arena, &doc));
    job_event(pass, unit, "job.began", number);
}

static void job_go_on(struct job *job, const struct job_row *row)
{
    struct pass *pass = job->pass;
    const char *state;
    struct doc doc;
    struct text bytes;
    struct unit *unit;

    job->returned = doc_child(&row->doc, "returned");
    job->follows = row->follows == row->number ? 0 : row->follows;
    returned_add(job);
    state = pass_jobs_state_of(job);
    doc = job_format(job, &row->doc, row->number, state);
    bytes = pass_jobs_bytes_of(pass->arena, &doc);
    if (text_is_equal(bytes, row->bytes)) {
        return;
    }
    unit = unit_add(pass->arena, &pass->units, job_key(pass, row->number), row->revision, bytes);
    if (is_pass_jobs_done(job)) {
        job_event(pass, unit, doc_is_list(job->returned) ? "job.failed" : "job.done", row->number);
    }
}

/* Return the revision of the cluster's specification; for a deleted cluster the revision of its
 * deletion command. */
static uint64_t wanted_revision(const struct pass *pass)
{
    if (pass->world.is_gone && !pass->world.is_deleting) {
        return 0; /* a missing specification alone is not a request to delete the cluster */
    }
    return control_wanted_revision(pass->reconciler->control, pass->reconciler->cluster,
                                   pass->world.is_gone);
}

void pass_jobs_make(struct pass *pass)
{
    struct reconciler *reconciler = pass->reconciler;
    uint64_t wanted = wanted_revision(pass);
    struct job_row newest;
    struct job job = { .pass = pass, .arena = pass->arena };

    if (wanted == 0 || (!reconciler->has_job && wanted <= reconciler->settled_revision) ||
        pass_hides_a_guard(pass) || members_is_unknown(reconciler)) {
        return;
    }
    newest = pass_jobs_newest_find(pass, false);
    reconciler->has_job = newest.is_open;
    /* A change that wrote the job's row in its own transaction continues that job. */
    if (newest.is_open && newest.revision == wanted) {
        newest.follows = wanted;
    }
    if (!newest.is_open && wanted <= newest.follows) {
        reconciler->settled_revision = wanted;
        return;
    }
    job_count(&job);
    if (wanted > newest.follows) {
        if (is_pass_jobs_done(&job) && !newest.is_open) {
            reconciler->settled_revision = wanted;
            return;
        }
        if (is_pass_jobs_done(&job)) {
            job_go_on(&job, &newest);
            return;
        }
        newest = pass_jobs_newest_find(pass, true);
        job_begin(&job, &newest, wanted);
        reconciler->has_job = true;
    } else {
        job_go_on(&job, &newest);
    }
}
