#include "base/limits.h"
#include "base/time.h"
#include "codec/json.h"
#include "codec/json_member.h"
#include "members/members.h"
#include "members/rollouts.h"
#include "selector/ranges.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* public names start with: members_ member_ batches_ */

/* Batch jobs (batches.h, decision 0107). bootstrap/batches.h decides; this file reads the current
 * state from the store and writes the next state. The progress marker of a machine is written
 * before any work begins on the machine, and the result is read from the machine's own state. So a
 * manager that continues after a crash starts no machine twice and omits none. */

/* number of consecutive unfinished runs after which a machine counts as lost */
enum {
    LOST_TRIES = 3,
    /* Delay until a job is checked again if the hold common_cause stops some of its members. */
    MEMBER_BATCHES_HELD_MS = 2 * 1000,
};

/* ---- records in the store ---- */

static struct text cluster_prefix(struct arena *arena, const struct members *members,
                                  const char *kind)
{
    const struct fleet_cluster *cluster = members->reconciler->cluster;

    return arena_printf(arena, "/%.*s/%s/%.*s/", TEXT_ARG(cluster->tenant), kind,
                        TEXT_ARG(cluster->id));
}

static struct text row_id(struct arena *arena, uint64_t number)
{
    return arena_printf(arena, "%020llu", (unsigned long long)number);
}

/* Returns the number of the job. It may differ from the number of the job's row, because a restored
 * store assigns other revisions. */
static uint64_t number_find(const struct members *members, struct text name, bool is_rollout,
                            uint64_t number)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text prefix = cluster_prefix(arena, members, "Job");
    const struct cache *cache = members->reconciler->control->cache;
    struct text own =
        arena_printf(arena, "%.*s%.*s", TEXT_ARG(prefix), TEXT_ARG(row_id(arena, number)));
    const struct cache_object *row = cache_first(cache, own);
    int64_t found;

    if (is_rollout && row != NULL && row->parts[CACHE_STATUS].bytes != NULL) {
        return number;
    }
    row = objects_job_of(cache, arena, prefix, name);
    /* A later rollout of a group to an earlier chain has the same name as the earlier rollout to
     * that chain. */
    if (is_rollout && row != NULL && objects_job_ended(row) > 0) {
        row = NULL;
    }
    return row != NULL && text_parse_int64(text_slice(blob_text(row->key), prefix.length, SIZE_MAX),
                                           &found)
               ? (uint64_t)found
               : number;
}

/* Adds a job in order of its number. If a machine is in two concurrent jobs, it starts in the older
 * job first. */
static void batches_add(struct members *members, struct member_batches *batches)
{
    struct member_batches **at = &members->batches;

    while (*at != NULL && (*at)->number < batches->number) {
        at = &(*at)->next;
    }
    batches->next = *at;
    *at = batches;
}

/* Report a request that cannot be parsed. It is kept in the store until an operator cancels the
 * job, because a newer manager may be able to parse it. */
static void member_batches_damage_report(struct member_batches *batches, const struct err *err)
{
    const struct reconciler *reconciler = batches->members->reconciler;
    const struct control_ports *ports = &reconciler->control->ports;

    batches->is_damaged = true;
    batches->request = (struct batches){ 0 };
    if (ports->damaged != NULL) {
        ports->damaged(
            ports->arg, reconciler->cluster->key,
            arena_printf(batches->memory, "job/%llu", (unsigned long long)batches->number), err);
    }
}

MUST_CHECK static bool member_batches_request_read(struct member_batches *batches,
                                                   const struct cache_bytes *base, struct err *err)
{
    if (batches->name.length >= sizeof(((struct member *)0)->job)) {
        return err_set(err, CODE_R0755, "a request to run stages in batches has an invalid name");
    }
    return batches_parse(batches->memory, arena_text(batches->memory, blob_text(base->bytes)),
                         &batches->request, err);
}

static struct member_batches *batches_new(struct members *members, struct text name,
                                          const struct cache_bytes *base)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct member_batches *batches = arena_one(memory, struct member_batches);
    bool is_read;
    struct err err;

    *batches = (struct member_batches){ .members = members, .memory = memory };
    batches->name = arena_text(memory, name);
    is_read = member_batches_request_read(batches, base, &err);
    batches->number = number_find(members, name, is_read && batches_is_rollout(&batches->request),
                                  base->revision);
    if (!is_read) {
        member_batches_damage_report(batches, &err);
    }
    batches->marks = arena_array(memory, char, batches->request.count + 1);
    memset(batches->marks, BOOTSTRAP_MARK_WAITING, batches->request.count);
    batches->approved = arena_array(memory, char, batches->request.count + 1);
    memset(batches->approved, BATCHES_UNAPPROVED, batches->request.count);
    rollout_request_make(batches);
    batches_add(members, batches);
    return batches;
}

static void batches_free(struct member_batches *batches)
{
    arena_free(batches->row_memory);
    arena_free(batches->command_arena);
    arena_free(batches->memory);
}

static void row_read(struct member_batches *batches)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct reconciler *reconciler = batches->members->reconciler;
    const struct cache_object *object =
        cache_find(reconciler->control->cache, reconciler->cluster->tenant, TEXT("Job"),
                   arena_printf(arena, "%.*s/%.*s", TEXT_ARG(reconciler->cluster->id),
                                TEXT_ARG(row_id(arena, batches->number))));
    const struct cache_bytes *status = object == NULL ? NULL : &object->parts[CACHE_STATUS];
    struct err err;

    if (status == NULL || status->bytes == NULL || status->revision == batches->row_revision) {
        return;
    }
    arena_free(batches->row_memory);
    batches->row_memory = arena_new_small(SIZE_MAX);
    batches->row_revision = status->revision;
    batches->row_bytes = arena_text(batches->row_memory, blob_text(status->bytes));
    if (!json_parse(batches->row_memory, batches->row_bytes, NULL, &batches->row, &err) ||
        !batches_progress_read(&batches->row, &batches->written) ||
        !text_is_equal(batches->written.request, batches->name) ||
        (batches->written.marks.length != batches->request.count && !batches->is_damaged)) {
        /* the row is damaged: it is rebuilt from the states of nodes */
        batches->row = (struct doc){ 0 };
        batches->written = (struct batches_progress){ 0 };
    }
    rollout_request_make(batches);
}

static void commands_read_new(struct member_batches *batches, const struct cache_bytes *spec)
{
    /* Operator commands that were deleted no longer have an effect. */
    uint64_t revision = spec->bytes == NULL ? 0 : spec->revision;
    struct err err;

    if (revision == batches->commands_revision) {
        return;
    }
    arena_free(batches->command_arena);
    batches->command_arena = arena_new_small(SIZE_MAX);
    batches->commands_revision = revision;
    batches->commands = (struct doc){ 0 };
    if (revision > 0 && !json_parse(batches->command_arena,
                                    arena_text(batches->command_arena, blob_text(spec->bytes)),
                                    NULL, &batches->commands, &err)) {
        batches->commands = (struct doc){ 0 };
    }
}

static struct member_batches *batches_find(const struct members *members, struct text name)
{
    struct member_batches *batches = members->batches;

    while (batches != NULL && !text_is_equal(batches->name, name)) {
        batches = batches->next;
    }
    return batches;
}

static void member_batches_gone_forget(struct members *members)
{
    struct member_batches **at = &members->batches;

    while (*at != NULL) {
        struct member_batches *batches = *at;

        if (batches->is_seen) {
            batches->is_seen = false;
            at = &batches->next;
        } else {
            *at = batches->next;
            batches_free(batches);
        }
    }
}

/* Sets the request with which a machine begins. Its tries start again from zero, regardless of
 * earlier results. */
static void node_request(struct member *member, const struct member_batches *batches)
{
    bool is_verify = batches->request.verb == BATCHES_VERB_VERIFY;
    bool is_drain = batches_is_drain(&batches->request);

    if (is_drain) {
        member->drain_batches = batches;
    } else if (is_verify) {
        member->verify_batches = batches;
    } else {
        member->batches = batches;
    }
    if (strcmp(member->job, batches->rollout_request) != 0) {
        memcpy(member->job, batches->rollout_request, sizeof(member->job));
        member->verify_failures = 0;
        member->verify_again_ms = 0;
        member->drain_failures = 0;
        member->drain_again_ms = 0;
        if (is_verify || is_drain) {
            return;
        }
        member->failures = 0;
        member->again_ms = 0;
        onfail_end(member);
        if (batches->request.verb == BATCHES_VERB_CORRECT && !member_is_done_of(member, batches)) {
            correction_begin(member);
        }
    }
}

/* True if the member has unfinished work in the job. Also true for a lost member while the job
 * begins other members. False for a member that will not start any more, even if this is not
 * written yet. */
static bool is_member_batches_requested(const struct member_batches *batches, size_t at)
{
    const struct batches_progress *written = &batches->written;
    char mark = written->marks.data[at];

    return mark == BOOTSTRAP_MARK_BEGUN
               ? batches->marks[at] != BOOTSTRAP_MARK_SKIPPED
               : mark == BOOTSTRAP_MARK_LOST && written->cut == BOOTSTRAP_CUT_NONE;
}

static void nodes_request(const struct member_batches *batches)
{
    const struct batches_progress *written = &batches->written;

    if (batches->request.verb == BATCHES_VERB_DECOMMISSION) {
        return; /* the service makes its changes for this job (discovery/service_leaves.c) */
    }
    if (batches_is_rollout(&batches->request) && !rollout_is_current(batches)) {
        /* the desired chain has changed, so the slots of this rollout are no longer valid */
        return;
    }
    for (size_t i = 0; i < batches->request.count && i < written->marks.length && !written->is_over;
         i++) {
        struct member *member =
            is_member_batches_requested(batches, i)
                ? map_find(&batches->members->by_token, batches->request.tokens[i])
                : NULL;

        if (member != NULL && member->batches == NULL && member->verify_batches == NULL &&
            member->drain_batches == NULL) {
            node_request(member, batches);
        }
    }
}

static void batches_look(struct members *members)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct cache *cache = members->reconciler->control->cache;
    struct text prefix = cluster_prefix(arena, members, BATCHES_KIND);

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct text name = text_slice(blob_text(object->key), prefix.length, SIZE_MAX);
        const struct cache_bytes *base = &object->parts[CACHE_BASE];
        struct member_batches *batches = batches_find(members, name);

        if (batches == NULL && base->bytes != NULL) {
            batches = batches_new(members, name, base);
        }
        if (batches != NULL && base->bytes != NULL) {
            batches->is_seen = true;
            row_read(batches);
            commands_read_new(batches, &object->parts[CACHE_SPEC]);
        }
    }
    for (struct member *one = members->first; members->batches != NULL && one != NULL;
         one = one->next) {
        one->batches = NULL;
        one->verify_batches = NULL;
        one->drain_batches = NULL;
    }
    for (struct member *one = members->first; one != NULL; one = one->next) {
        one->slot_mark = 0;
    }
    member_batches_gone_forget(members);
    for (const struct member_batches *batches = members->batches; batches != NULL;
         batches = batches->next) {
        nodes_request(batches);
        onfail_apply(batches);
    }
}

/* ---- decision ---- */

static bool is_member_batches_said(const struct member_batches *batches, const char *command)
{
    return doc_is_present(doc_child(&batches->commands, command));
}

bool members_batches_is_cancelled(const struct members *members, const char *job)
{
    const struct member_batches *batches = members->batches;

    while (batches != NULL && strcmp(batches->rollout_request, job) != 0) {
        batches = batches->next;
    }
    return batches != NULL && is_member_batches_said(batches, "cancelled");
}

size_t members_batches_first(const struct member_batches *batches, size_t *out_end)
{
    const struct batches *request = &batches->request;
    const char *waiting = memchr(batches->marks, BOOTSTRAP_MARK_WAITING, request->count);
    size_t at = waiting == NULL ? request->count - 1 : (size_t)(waiting - batches->marks);
    size_t batch = 0;

    while (request->ends[batch] <= at) {
        batch++;
    }
    *out_end = request->ends[batch];
    return at;
}

struct text members_batches_held(const struct member_batches *batches)
{
    for (size_t i = 0; i < batches->request.count; i++) {
        const struct member *member =
            batches->marks[i] == BOOTSTRAP_MARK_BEGUN
                ? map_find(&batches->members->by_token, batches->request.tokens[i])
                : NULL;
        const struct group_commands *commands = member == NULL ? NULL : member_commands(member);

        if (commands != NULL && commands->is_paused && !member_is_staging(member)) {
            return member->group;
        }
    }
    return TEXT("");
}

struct text members_batches_pause(struct arena *arena, const struct member_batches *batches)
{
    const struct doc *by = doc_child(doc_child(&batches->commands, "paused"), "by");
    size_t end;
    size_t at = members_batches_first(batches, &end);

    if (batches_is_rollout(&batches->request) && !is_member_batches_said(batches, "paused")) {
        return rollout_pause(arena, batches);
    }
    if (is_member_batches_said(batches, "paused")) {
        return doc_is_scalar(by) ? arena_printf(arena, "paused by %.*s", TEXT_ARG(by->text))
                                 : TEXT("paused");
    }
    for (; at < end; at++) {
        const struct member *member =
            map_find(&batches->members->by_token, batches->request.tokens[at]);
        const struct group_commands *commands = member == NULL ? NULL : member_commands(member);

        if (commands != NULL && commands->is_paused &&
            batches->marks[at] == BOOTSTRAP_MARK_WAITING) {
            return arena_printf(arena, "%.*s is paused", TEXT_ARG(member->group));
        }
    }
    return TEXT("");
}

/* True if the member has stages to run in this job. A renamed group counts as the same group. */
static bool has_part(const struct member_batches *batches, const struct member *member)
{
    const struct fleet_cluster *cluster = batches->members->reconciler->cluster;
    const struct fleet_group *group = member_group(member);
    uint64_t from;

    for (size_t i = 0; group == NULL && i < cluster->group_count; i++) {
        group = text_is_equal(cluster->groups[i].plan.renamed_from, member->group)
                    ? &cluster->groups[i]
                    : NULL;
    }
    return group != NULL && group->stage_count > 0 && member_from(member, batches, &from);
}

/* Return the mark of a machine on which the job has begun. */
static enum bootstrap_mark member_batches_mark_of(const struct member_batches *batches,
                                                  const struct member *member,
                                                  enum bootstrap_mark mark)
{
    bool is_amid = member_is_staging(member) || text_has_prefix(member->state.step, TEXT("stage-"));

    if (!has_part(batches, member)) {
        return BOOTSTRAP_MARK_GONE; /* none of the member's stages needs to run any more */
    }
    if (member_is_done_of(member, batches)) {
        return member->state.chain_failed.length > 0 ? BOOTSTRAP_MARK_FAILED : BOOTSTRAP_MARK_DONE;
    }
    if (batches->written.cut != BOOTSTRAP_CUT_NONE && mark == BOOTSTRAP_MARK_BEGUN && !is_amid) {
        /* the job has not started the member, and will not start it */
        return BOOTSTRAP_MARK_SKIPPED;
    }
    return member->failures >= LOST_TRIES ? BOOTSTRAP_MARK_LOST : mark;
}

static enum bootstrap_mark batches_mark_of(const struct member_batches *batches,
                                           const struct member *member, enum bootstrap_mark mark)
{
    switch (batches->request.verb) {
    case BATCHES_VERB_VERIFY:
        return verify_mark_of(batches, member, mark);
    case BATCHES_VERB_CORRECT:
        return correction_mark_of(batches, member, member_batches_mark_of(batches, member, mark));
    case BATCHES_VERB_DRAIN:
    case BATCHES_VERB_UNDRAIN:
        return drain_mark_of(batches, member, mark);
    case BATCHES_VERB_COMMISSION:
        return commission_mark_of(member, has_part(batches, member)
                                              ? member_batches_mark_of(batches, member, mark)
                                              : BOOTSTRAP_MARK_DONE);
    case BATCHES_VERB_BOOTSTRAP:
    case BATCHES_VERB_DECOMMISSION:
    case BATCHES_VERB_COUNT:
        break;
    }
    return batches_is_rollout(&batches->request) ? rollout_mark_of(batches, member, mark)
                                                 : member_batches_mark_of(batches, member, mark);
}

static void marks_make(struct member_batches *batches)
{
    bool is_rollout = batches_is_rollout(&batches->request);

    for (size_t i = 0; i < batches->request.count; i++) {
        enum bootstrap_mark mark = (enum bootstrap_mark)batches->marks[i];
        const struct member *member;

        if (mark == BOOTSTRAP_MARK_GONE ||
            (!is_rollout && mark != BOOTSTRAP_MARK_WAITING && mark != BOOTSTRAP_MARK_BEGUN &&
             mark != BOOTSTRAP_MARK_LOST)) {
            continue;
        }
        member = map_find(&batches->members->by_token, batches->request.tokens[i]);
        if (batches->request.verb == BATCHES_VERB_DECOMMISSION) {
            batches->marks[i] = (char)leave_mark_of(batches, member, i);
        } else if (member == NULL || member->is_going || member->is_taken) {
            /* A lost machine counts as failed if it was not healthy after the changed stages. So
             * does a machine that leaves because its commission has failed. */
            batches->marks[i] =
                mark == BOOTSTRAP_MARK_UNHEALTHY ||
                        (batches->request.verb == BATCHES_VERB_COMMISSION && member != NULL &&
                         mark == BOOTSTRAP_MARK_BEGUN && member->state.start_failure.length > 0)
                    ? BOOTSTRAP_MARK_FAILED
                    : BOOTSTRAP_MARK_GONE;
        } else if (is_rollout || mark != BOOTSTRAP_MARK_WAITING) {
            batches->marks[i] = (char)batches_mark_of(batches, member, mark);
        }
    }
}

/* Read the marks from the store. */
static void marks_read(struct member_batches *batches)
{
    const struct batches_progress *written = &batches->written;
    size_t count = batches->request.count;

    if (written->marks.length == count) {
        memcpy(batches->marks, written->marks.data, count);
    } else {
        memset(batches->marks, BOOTSTRAP_MARK_WAITING, count);
    }
}

/* Takes the next step. The job is written before its first batch begins, so that the number of the
 * job is known. Members that a rollout does not start wait for an operator's decision. */
static void member_batches_step_make(struct member_batches *batches,
                                     const struct bootstrap_batches *world)
{
    const struct bootstrap_batches_step *step = &batches->step;
    bool is_drain = batches_is_drain(&batches->request);
    bool is_there = doc_is_present(&batches->row);
    bool is_skipping = step->cut != BOOTSTRAP_CUT_NONE && !batches_is_rollout(&batches->request);
    size_t room = step->room;
    bool has_begun = false;

    for (size_t i = 0; is_there && i < batches->request.count; i++) {
        const struct member *member =
            map_find(&batches->members->by_token, batches->request.tokens[i]);

        /* A machine that reboots starts its stages after the reboot. */
        if (bootstrap_batches_begins(world, step, i, &room) &&
            (member == NULL || !member->is_rebooting) &&
            (!is_drain || drain_may_begin(batches, i)) &&
            (member == NULL || member_budget_may(batches, member))) {
            batches->marks[i] = BOOTSTRAP_MARK_BEGUN;
            has_begun = true;
        } else if (batches->marks[i] == BOOTSTRAP_MARK_WAITING && is_skipping) {
            batches->marks[i] = BOOTSTRAP_MARK_SKIPPED;
        }
    }
    if (!has_begun && step->end > step->first) {
        /* The batch waits for a budget. The pause before it is over and must not be repeated. */
        batches->step.rest_ms = batches->written.rest_ms;
    }
}

/* Skips members of the job that the hold common_cause stops. The job does not end without them.
 * They are checked again at intervals, because the end of a hold triggers no event. */
static void member_batches_hold(struct member_batches *batches)
{
    struct members *members = batches->members;
    uint64_t again_ms = members_now(members) + MEMBER_BATCHES_HELD_MS;

    if (batches->step.state == BOOTSTRAP_BATCHES_OVER && batches->step.cut == BOOTSTRAP_CUT_NONE) {
        batches->step.state = BOOTSTRAP_BATCHES_RUNNING;
    }
    members->budget_again_ms = time_earlier(members->budget_again_ms, again_ms);
}

static void step_find(struct member_batches *batches, enum bootstrap_cut cut)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    uint64_t now_ms = members_now(batches->members);
    const struct batches *request = &batches->request;
    struct bootstrap_batches world = {
        .marks = batches->marks,
        .count = request->count,
        .ends = request->ends,
        .batch_count = request->batch_count,
        .canaries = request->canaries,
        .max_fail = request->max_fail,
        .pause_ms = request->pause_ms,
        .bake_ms = request->bake_ms,
        .deadline_ms = batches->deadline_ms,
        .now_ms = now_ms,
        .rest_ms = batches->written.rest_ms,
        .is_paused = members_batches_pause(arena, batches).length > 0,
        .is_cancelled = is_member_batches_said(batches, "cancelled"),
        .cut = cut,
        .service =
            batches_keeps_service(&batches->request) ? rollout_service(arena, batches) : NULL,
    };

    if (world.service != NULL && batches_is_rollout(&batches->request)) {
        rollout_unused_slots_return(batches, world.service);
    }
    world.marks = member_causes_marks(arena, batches);
    bootstrap_batches_decide(&world, &batches->step);
    if (world.marks != batches->marks) {
        member_batches_hold(batches);
    }
    if (batches->step.state == BOOTSTRAP_BATCHES_HELD &&
        batches->request.verb == BATCHES_VERB_CORRECT) {
        /* Only a rollout waits for an operator. In any other job, the remaining nodes are not
         * changed. */
        batches->step.state = BOOTSTRAP_BATCHES_OVER;
    }
    member_batches_step_make(batches, &world);
}

/* Finds the deadline, by the cluster's clock. The clock of a new lease holder must not be earlier
 * than the time at which the deadline was written. */
static void deadline_find(struct member_batches *batches)
{
    struct reconciler *reconciler = batches->members->reconciler;

    if (doc_is_present(&batches->row)) {
        reconciler_clock_raise(reconciler, batches->written.seen_ms);
        batches->deadline_ms = batches->written.deadline_ms;
    } else if (batches->request.deadline_ms > 0 && batches->deadline_ms == 0) {
        batches->deadline_ms = reconciler_now(reconciler) + batches->request.deadline_ms;
    }
}

/* Returns the number of the job that deletes the cluster. It is the revision of the deletion
 * command, as for jobs of changes (pass_jobs.c). */
static uint64_t successor_find(const struct member_batches *batches)
{
    const struct reconciler *reconciler = batches->members->reconciler;
    const struct fleet_cluster *cluster = reconciler->cluster;
    const struct cache_object *commands =
        cluster->is_there
            ? NULL
            : cache_find(reconciler->control->cache, cluster->tenant, TEXT("Control"), cluster->id);
    const struct cache_bytes *spec = commands == NULL ? NULL : &commands->parts[CACHE_SPEC];
    struct text deleting;

    return spec != NULL && spec->bytes != NULL &&
                   json_member_find(blob_text(spec->bytes), TEXT("deleting"), &deleting)
               ? spec->revision
               : 0;
}

/* Decides about a job whose request cannot be parsed, so that only its row is known. The job ends
 * when an operator cancels it or its cluster is deleted. */
static void damaged_decide(struct member_batches *batches)
{
    bool is_cancelled = is_member_batches_said(batches, "cancelled");

    batches->step = (struct bootstrap_batches_step){
        .state = is_cancelled || batches->successor > 0 ? BOOTSTRAP_BATCHES_OVER
                                                        : BOOTSTRAP_BATCHES_RUNNING,
        .cut = is_cancelled ? BOOTSTRAP_CUT_CANCELLED : BOOTSTRAP_CUT_NONE,
    };
}

/* Decides about a rollout after the desired stages of its group changed or were removed. Another
 * rollout replaces it. Running stages are completed. */
static void superseded_decide(struct member_batches *batches)
{
    batches->step = (struct bootstrap_batches_step){
        .state = BOOTSTRAP_BATCHES_OVER,
        .cut = batches->written.cut,
    };
}

static void batches_decide(struct member_batches *batches)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    bool is_pending = commission_is_pending(batches);

    if (batches->written.is_over) {
        batches->is_dirty = !is_pending; /* this write deletes the request */
        return;
    }
    batches->successor = successor_find(batches);
    if (batches->is_damaged) {
        damaged_decide(batches);
    } else {
        enum bootstrap_cut cut = batches->written.cut;

        deadline_find(batches);
        marks_read(batches);
        if (batches_is_rollout(&batches->request)) {
            cut = rollout_commands_apply(batches);
            batches->is_superseded = !rollout_is_current(batches);
        }
        marks_make(batches);
        if (batches->is_superseded) {
            superseded_decide(batches);
        } else {
            step_find(batches, cut);
        }
        if (batches_is_rollout(&batches->request) && !batches->is_superseded) {
            rollout_marks_note(batches);
        }
    }
    batches->is_dirty = !text_is_equal(
        members_batches_row(arena, batches, batches->written.seen_ms), batches->row_bytes);
}

uint64_t members_batches_run(struct members *members)
{
    uint64_t next_ms = 0;

    members->rollouts = NULL;

    members_budgets_reset(members);
    members_causes_read(members);
    batches_look(members);
    if (members->commands == NULL) {
        return 0; /* pauses are unknown; the next pass that reads them calls this function again */
    }
    for (struct member_batches *batches = members->batches; batches != NULL;
         batches = batches->next) {
        batches_decide(batches);
        next_ms = time_earlier(next_ms, batches->step.until_ms);
    }
    rollouts_find_missing(members);
    corrections_find(members);
    members->has_decided = true;
    return time_earlier(next_ms, members->budget_again_ms);
}

/* ---- writing ---- */

bool members_batches_are_dirty(const struct members *members)
{
    const struct member_batches *batches = members->batches;

    while (batches != NULL && !batches->is_dirty) {
        batches = batches->next;
    }
    return batches != NULL || members->rollouts != NULL || members->asks.count > 0;
}

/* Return the names of the first `count` machines. */
static struct text member_batches_names_of(struct arena *arena,
                                           const struct member_batches *batches, size_t first,
                                           size_t end)
{
    struct text *names = arena_array(arena, struct text, end - first + 1);
    size_t count = 0;
    struct buf buf;

    for (size_t i = first; i < end; i++) {
        const struct member *member =
            map_find(&batches->members->by_token, batches->request.tokens[i]);

        if (member != NULL && batches->marks[i] == BOOTSTRAP_MARK_BEGUN) {
            names[count++] = member->name;
        }
    }
    buf_init(&buf, arena);
    ranges_format(&buf, names, count);
    return buf_text(&buf);
}

static struct text cut_fact(struct arena *arena, const struct member_batches *batches)
{
    const struct doc *by = doc_child(doc_child(&batches->commands, "cancelled"), "by");
    bool is_by = batches->step.cut == BOOTSTRAP_CUT_CANCELLED && doc_is_scalar(by);

    return arena_printf(arena, "no more machines are started: %s%s%.*s",
                        batches_cut_sentence(batches->step.cut), is_by ? " by " : "",
                        TEXT_ARG(is_by ? by->text : TEXT("")));
}

/* Makes the event for this write. If several events apply, the most important one is used. */
static struct text member_batches_event_make(struct arena *arena,
                                             const struct member_batches *batches)
{
    const struct bootstrap_batches_step *step = &batches->step;
    size_t count = batches->request.count;
    size_t well = bootstrap_batches_count(batches->marks, count, BOOTSTRAP_MARK_DONE);
    struct event event = { .type = NULL };

    if (batches->is_damaged && step->state != BOOTSTRAP_BATCHES_OVER) {
        event = (struct event){ .type = "job.damaged",
                                .fact = TEXT(": the stored request cannot be read (R0755)") };
    } else if (!doc_is_present(&batches->row)) {
        event = (struct event){ .type = "job.began" };
    } else if (step->state == BOOTSTRAP_BATCHES_OVER) {
        event = (struct event){ .type = "job.done",
                                .fact = arena_printf(arena, ": %s %zu of %zu",
                                                     batches_done_sentence(&batches->request), well,
                                                     count) };
    } else if (step->cut != batches->written.cut) {
        event = (struct event){ .type = "job.stopped",
                                .fact = arena_printf(arena, ": %.*s",
                                                     TEXT_ARG(cut_fact(arena, batches))) };
    } else if (step->end > step->first &&
               memchr(batches->marks, BOOTSTRAP_MARK_BEGUN, count) != NULL) {
        event = (struct event){
            .type = "job.batch",
            .fact = arena_printf(
                arena, ": batch %zu of %zu, %.*s", step->batch + 1, batches->request.batch_count,
                TEXT_ARG(member_batches_names_of(arena, batches, step->first, step->end)))
        };
    }
    if (event.type == NULL) {
        return TEXT("");
    }
    event.fact = record_sentence(arena, arena_printf(arena, "job/%llu%.*s",
                                                     (unsigned long long)batches->number,
                                                     TEXT_ARG(event.fact)));
    return control_event(arena, batches->members->reconciler, &event);
}

static bool is_new(const struct member_batches *batches)
{
    return batches->is_dirty && !batches->written.is_over && !doc_is_present(&batches->row);
}

/* True if the request of this job still exists. If the row of the job were removed, the job would
 * begin again. */
static bool member_batches_has_request(const struct members *members, struct text id)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct member_batches *batches = members->batches;

    while (batches != NULL && !text_is_equal(row_id(arena, batches->number), id)) {
        batches = batches->next;
    }
    return batches != NULL;
}

/* Removes as many old jobs as this transaction adds. A transaction may change each key only
 * once. */
static void member_batches_room_make(struct members *members)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct reconciler *reconciler = members->reconciler;
    size_t kept = 0;
    struct text *over;
    size_t count;

    for (const struct member_batches *batches = members->batches; batches != NULL;
         batches = batches->next) {
        kept += is_new(batches);
    }
    if (kept == 0) {
        return;
    }
    over = batches_over_find(arena, reconciler->control->cache,
                             cluster_prefix(arena, members, "Job"), &count);
    while (count > 0) {
        if (!member_batches_has_request(members, over[--count]) && ++kept > LIMIT_BATCHES_KEPT) {
            unit_add(reconciler->settle_arena, &reconciler->units,
                     control_key(reconciler->settle_arena, reconciler->cluster, "Job",
                                 arena_text(reconciler->settle_arena, over[count]), CACHE_STATUS),
                     0, TEXT(""))
                ->is_loose = true;
        }
    }
}

bool batches_has_approval(const struct member_batches *batches)
{
    size_t i = 0;

    while (i < batches->request.count && batches->approved[i] == BATCHES_UNAPPROVED) {
        i++;
    }
    return i < batches->request.count;
}

static bool has_new_approval(const struct member_batches *batches)
{
    size_t count = batches->request.count;
    struct text written = batches->written.approved;

    return written.length == count && count > 0
               ? memcmp(batches->approved, written.data, count) != 0
               : batches_has_approval(batches);
}

static void member_batches_row_write(struct member_batches *batches)
{
    struct reconciler *reconciler = batches->members->reconciler;
    struct arena *arena = reconciler->settle_arena;
    struct text key = control_key(arena, reconciler->cluster, "Job", row_id(arena, batches->number),
                                  CACHE_STATUS);
    struct unit *unit;

    unit = unit_add(arena, &reconciler->units, key, 0,
                    members_batches_row(arena, batches, reconciler_now(reconciler)));
    unit->is_loose = true;
    unit->event = member_batches_event_make(arena, batches);
    if (batches->step.cut != batches->written.cut || has_new_approval(batches)) {
        reconciler->is_woken = true; /* a pass writes or ends the hold of a rollout */
    }
}

static void request_delete(const struct member_batches *batches)
{
    static const enum cache_part parts[] = { CACHE_BASE, CACHE_SPEC };
    struct reconciler *reconciler = batches->members->reconciler;
    struct arena *arena = reconciler->settle_arena;

    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        struct text key =
            control_key(arena, reconciler->cluster, BATCHES_KIND, batches->name, parts[i]);

        if (parts[i] == CACHE_BASE || batches->commands_revision > 0) {
            unit_add(arena, &reconciler->units, key, 0, TEXT(""))->is_loose = true;
        }
    }
}

void members_batches_write(struct members *members)
{
    /* Process the written changes, so that this process does not write or report them again. */
    (void)members_batches_run(members);
    member_batches_room_make(members);
    rollouts_write(members);
    members_budgets_write(members);
    for (struct member_batches *batches = members->batches; batches != NULL;
         batches = batches->next) {
        if (batches->is_dirty && batches->written.is_over) {
            request_delete(batches);
        } else if (batches->is_dirty) {
            member_batches_row_write(batches);
        }
        batches->is_dirty = false;
    }
}

void members_written(struct reconciler *reconciler)
{
    if (reconciler->members != NULL) {
        members_wake(reconciler->members);
    }
}

void members_batches_drop(struct members *members)
{
    while (members->batches != NULL) {
        struct member_batches *batches = members->batches;

        members->batches = batches->next;
        batches_free(batches);
    }
}
