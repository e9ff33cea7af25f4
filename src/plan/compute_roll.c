#include "base/sort.h"
#include "plan/compute_parts.h"
#include "plan/victims.h"

#include <assert.h>

/* The machines of a group with a changed effective specification are replaced by a new generation,
 * a few machines at a time. With surge, the new machine is created in the slot first, and the old
 * one is destroyed when the new one serves. Without surge, the old one is destroyed first. Only the
 * size determines how many machines remain in the end. */

struct rolling {
    struct plan_work *work;
    struct plan_group_state *current;
    /* Serving members of another generation that share their slot with no other machine. In
     * addition, members that do not serve, if an operator requested another machine. */
    struct plan_case **outdated;
    size_t outdated_count;
    /* for each machine of the new generation, the time at which it began to serve */
    uint64_t *fresh;
    size_t fresh_count;
    /* machines of the new generation that do not serve yet, and old machines that are being
     * destroyed but still have records */
    size_t under_way;
    size_t serving; /* serving machines of either generation */
    size_t kept;    /* outdated members that are protected */
    size_t failed;  /* machines of the new generation that have failed so far */
};

/* True if the slot may temporarily have a second machine. Otherwise there is no surge: each machine
 * is destroyed before its replacement is created, one machine at a time. */
static bool is_disposable(const struct rolling *rolling)
{
    const struct plan_world *world = rolling->work->world;

    return world->sources[rolling->current->group->source].is_disposable;
}

static size_t surge_of(const struct rolling *rolling)
{
    return is_disposable(rolling) ? rolling->current->group->surge : 0;
}

static size_t unavailable_of(const struct rolling *rolling)
{
    size_t unavailable = rolling->current->group->unavailable;

    return is_disposable(rolling) || unavailable > 0 ? unavailable : 1;
}

static bool is_fresh(const struct rolling *rolling, const struct plan_case *one)
{
    return !BUG(rolling->work->limits, BUG_ROLL_UNASKED) &&
           plan_is_current(rolling->current, one->record);
}

static bool serves(const struct plan_case *one)
{
    return !one->is_chosen && !one->record->is_starting && one->record->maintenance_since_ms == 0 &&
           (one->class == PLAN_CLASS_SERVING || one->class == PLAN_CLASS_FAILING);
}

/* True if an operator requested another machine and this one does not serve. It is destroyed first,
 * because that does not reduce service. A machine that is missing from a listing may still serve
 * until the opposite is proven. */
static bool is_compute_roll_broken(const struct plan_case *one)
{
    return one->record->is_replace_requested && !one->is_chosen && !serves(one) &&
           one->record->state == PLAN_RECORD_ACTIVE && one->class != PLAN_CLASS_MISSING;
}

/* True if the replacement of this machine may have the same common cause of failures. The machine
 * is then replaced only on request (G27). A change that removes the cause is still rolled out. */
static bool is_compute_roll_caused(const struct rolling *rolling, const struct plan_case *one)
{
    const struct plan_work *work = rolling->work;

    return work->world->cause_name.length > 0 && GUARD(work->limits, G27) &&
           !work->world->is_cause_approved && !one->record->is_replace_requested &&
           (rolling->current->group->has_cause ||
            (one->record->has_cause && work->world->is_cause_zone));
}

/* Return the other record in the slot of this case, unless its machine is being destroyed; NULL if
 * there is none. */
static struct plan_case *partner_find(const struct rolling *rolling, const struct plan_case *one)
{
    const struct plan_group_state *current = rolling->current;
    size_t at = (size_t)(one - current->cases);
    size_t first = at;

    while (first > 0 && current->cases[first - 1].record->slot == one->record->slot) {
        first--;
    }
    for (size_t i = first;
         i < current->count && current->cases[i].record->slot == one->record->slot; i++) {
        if (i != at && !current->cases[i].is_chosen &&
            current->cases[i].class != PLAN_CLASS_LEAVING) {
            return &current->cases[i];
        }
    }
    return NULL;
}

/* ---- counting ---- */

/* Count all failures in the slot of this case. If a machine failed and its replacement failed too,
 * both count. */
static size_t failed_count(const struct rolling *rolling, const struct plan_case *one)
{
    /* A failure that this manager's probes have not confirmed yet also stops the rollout of other
     * machines. */
    bool is_unproven =
        one->class == PLAN_CLASS_SERVING && one->record->is_unproven &&
        plan_victim_is_failing(rolling->current->group, one->record, rolling->work->world->now_ms);
    bool fails =
        one->class == PLAN_CLASS_FAILING || one->class == PLAN_CLASS_STOPPED || is_unproven;

    return is_fresh(rolling, one) ? one->record->losses + fails : 0;
}

static void case_note(struct rolling *rolling, struct plan_case *one)
{
    rolling->failed += failed_count(rolling, one);
    if (one->is_forgotten) {
        return;
    }
    if (one->class == PLAN_CLASS_LEAVING || one->is_chosen) {
        /* A machine that will be replaced does not count as new, even if it has the new
         * generation. */
        rolling->under_way++;
        return;
    }
    /* A new machine that does not serve yet is not complete, so the next machine waits for it. A
     * machine in maintenance is complete but counts as unavailable. A machine whose failure an
     * operator has accepted is complete too. */
    rolling->under_way +=
        is_fresh(rolling, one) && !serves(one) && one->record->maintenance_since_ms == 0 &&
        !(one->class == PLAN_CLASS_FAILING && rolling->current->group->fails_approved > 0);
    if (is_compute_roll_broken(one) && plan_is_protected(rolling->current, one)) {
        rolling->kept++;
    } else if (is_compute_roll_broken(one)) {
        rolling->outdated[rolling->outdated_count++] = one;
    }
    if (!serves(one)) {
        return;
    }
    rolling->serving++;
    if (is_fresh(rolling, one)) {
        rolling->fresh[rolling->fresh_count++] = one->record->active_ms;
    } else if (plan_is_protected(rolling->current, one)) {
        rolling->kept++;
    } else if (partner_find(rolling, one) == NULL && !is_compute_roll_caused(rolling, one) &&
               !plan_has_away(rolling->current, one->record->slot)) {
        rolling->outdated[rolling->outdated_count++] = one;
    }
}

static int compute_roll_time_compare(const void *a, const void *b, void *arg)
{
    uint64_t first = *(const uint64_t *)a;
    uint64_t second = *(const uint64_t *)b;

    (void)arg;
    return (first > second) - (first < second);
}

/* 0: the machine does not serve; 1: it is failing, or its changed stages have failed; 2: it
 * serves. */
static int outdated_rank(const struct plan_case *one)
{
    return is_compute_roll_broken(one)                                            ? 0
           : one->class == PLAN_CLASS_FAILING || one->record->failed_since_ms > 0 ? 1
                                                                                  : 2;
}

/* Orders machines that do not serve first, then failing ones, then by slot. */
static int outdated_compare(const void *a, const void *b, void *arg)
{
    const struct plan_case *first = *(struct plan_case *const *)a;
    const struct plan_case *second = *(struct plan_case *const *)b;
    int order = outdated_rank(first) - outdated_rank(second);

    (void)arg;
    if (order == 0) {
        order = (first->record->slot > second->record->slot) -
                (first->record->slot < second->record->slot);
    }
    return order != 0 ? order : text_compare(first->record->token, second->record->token);
}

/* ---- batch size ---- */

/* True while the rollout waits for its canaries; sets how long they have served. False if not all
 * canaries have begun to serve, or if they have served long enough. */
static bool is_baking(const struct rolling *rolling, uint64_t *out_ms)
{
    const struct plan_group *group = rolling->current->group;

    if (group->canary == 0 || rolling->fresh_count < group->canary) {
        return false;
    }
    *out_ms = rolling->work->world->now_ms - rolling->fresh[group->canary - 1];
    return *out_ms < group->bake_ms && !BUG(rolling->work->limits, BUG_BAKE_UNREAD);
}

static void bake_hold(const struct rolling *rolling, uint64_t baked_ms)
{
    plan_hold(
        rolling->work,
        (struct plan_hold){
            .rule = PLAN_RULE_bake,
            .group = rolling->current->path,
            .fact = arena_printf(rolling->work->arena, "%llu s of %llu s",
                                 (unsigned long long)(baked_ms / 1000),
                                 (unsigned long long)(rolling->current->group->bake_ms / 1000)) });
}

/* Return how many machines of the new generation may be started now. */
static size_t more(struct rolling *rolling)
{
    const struct plan_group *group = rolling->current->group;
    size_t allowed = group->batch;
    uint64_t baked_ms;

    if (is_baking(rolling, &baked_ms)) {
        bake_hold(rolling, baked_ms);
        return 0;
    }
    if (group->canary > 0 && rolling->fresh_count < group->canary) {
        allowed = group->canary - rolling->fresh_count;
    }
    if (BUG(rolling->work->limits, BUG_ROLL_UNCOUNTED)) {
        return allowed;
    }
    return allowed > rolling->under_way ? allowed - rolling->under_way : 0;
}

/* ---- actions ---- */

/* Return the rule by which another machine is created in the slot of this machine. */
static enum plan_rule begin_rule(const struct plan_case *old)
{
    return old->record->is_replace_requested ? PLAN_RULE_replace : PLAN_RULE_roll;
}

static struct text begin_fact(const struct rolling *rolling, const struct plan_case *old)
{
    return old->record->is_replace_requested
               ? arena_printf(rolling->work->arena, "in place of %.*s", TEXT_ARG(old->record->id))
               : arena_printf(rolling->work->arena, "%.*s -> %.*s",
                              TEXT_ARG(old->record->generation),
                              TEXT_ARG(rolling->current->group->generation));
}

static void surge_begin(struct rolling *rolling, const struct plan_case *old)
{
    plan_create(rolling->work, rolling->current, old->record->slot, begin_rule(old),
                begin_fact(rolling, old));
}

static void old_end(struct rolling *rolling, struct plan_case *old, enum plan_rule rule,
                    struct text fact)
{
    rolling->serving -= serves(old);
    old->is_chosen = true;
    plan_act_case(rolling->work, rolling->current, old, PLAN_ACT_DESTROY, rule, fact);
}

/* True if the old machine may be destroyed. If it serves, or is running and will serve soon, enough
 * other members must serve: a member may have failed since the successor of the old machine was
 * created (I5). A machine that is not listed may still serve until the opposite is proven. */
static bool may_end(const struct rolling *rolling, const struct plan_case *old)
{
    const struct plan_group *group = rolling->current->group;
    bool begins =
        old->class == PLAN_CLASS_WAITING && old->row != NULL && old->row->state == PLAN_ROW_RUNNING;

    return old->class != PLAN_CLASS_MISSING &&
           ((!serves(old) && !begins) ||
            rolling->serving + begins + unavailable_of(rolling) > group->size);
}

/* True if both machines of a slot are unhealthy, and an operator has accepted failures. Otherwise
 * both machines would be kept, and the rollout would wait for them forever. The old machine has
 * been unhealthy for longer than healing permits, so it does not count as serving. */
static bool is_accepted(const struct rolling *rolling, const struct plan_case *old,
                        const struct plan_case *fresh)
{
    return rolling->current->group->fails_approved > 0 && old->class == PLAN_CLASS_FAILING &&
           fresh->class == PLAN_CLASS_FAILING;
}

/* Destroys old machines in whose slot a machine of the new generation serves. */
static void rolled_end(struct rolling *rolling)
{
    struct plan_group_state *current = rolling->current;

    for (size_t i = 0; i < current->count; i++) {
        struct plan_case *old = &current->cases[i];
        struct plan_case *fresh = partner_find(rolling, old);

        if (!old->is_chosen && old->class != PLAN_CLASS_LEAVING && !is_fresh(rolling, old) &&
            !plan_is_protected(current, old) && fresh != NULL && is_fresh(rolling, fresh) &&
            ((fresh->class == PLAN_CLASS_SERVING && may_end(rolling, old)) ||
             is_accepted(rolling, old, fresh))) {
            old_end(rolling, old, PLAN_RULE_rolled,
                    arena_printf(rolling->work->arena, "%.*s %s", TEXT_ARG(fresh->record->id),
                                 fresh->class == PLAN_CLASS_SERVING
                                     ? "is in service"
                                     : "is unhealthy as well, which an operator has accepted"));
        }
    }
}

/* True if `a` is kept until its successor serves, and not `b`; both are outdated machines of one
 * slot. The one that serves is kept. If both or neither serve, the older one is kept. */
static bool is_better(const struct plan_case *a, const struct plan_case *b)
{
    bool a_serves = a->class == PLAN_CLASS_SERVING;
    bool b_serves = b->class == PLAN_CLASS_SERVING;

    if (a_serves != b_serves) {
        return a_serves;
    }
    if (a->record->created_ms != b->record->created_ms) {
        return a->record->created_ms < b->record->created_ms;
    }
    return text_compare(a->record->token, b->record->token) < 0;
}

/* Handles a slot with two machines that are both outdated, because the specification changed again
 * while one was about to replace the other. One of the two is destroyed. */
static void overtaken_end(struct rolling *rolling)
{
    struct plan_group_state *current = rolling->current;

    for (size_t i = 0; i < current->count; i++) {
        struct plan_case *one = &current->cases[i];
        struct plan_case *other = partner_find(rolling, one);

        if (!one->is_chosen && one->class != PLAN_CLASS_LEAVING && other != NULL &&
            !is_fresh(rolling, one) && !is_fresh(rolling, other) &&
            !plan_is_protected(rolling->current, one) && is_better(other, one) &&
            may_end(rolling, one)) {
            old_end(rolling, one, PLAN_RULE_overtaken,
                    arena_printf(rolling->work->arena,
                                 "%.*s stays until the new machine is in service",
                                 TEXT_ARG(other->record->id)));
        }
    }
}

/* After an aborted rollout: destroys a new machine if the old machine in its slot serves. */
static void begun_end(struct rolling *rolling)
{
    struct plan_group_state *current = rolling->current;

    for (size_t i = 0; i < current->count; i++) {
        struct plan_case *one = &current->cases[i];
        struct plan_case *old = partner_find(rolling, one);

        if (!one->is_chosen && one->class != PLAN_CLASS_LEAVING && is_fresh(rolling, one) &&
            !plan_is_protected(rolling->current, one) && old != NULL && !is_fresh(rolling, old) &&
            serves(old)) {
            old_end(rolling, one, PLAN_RULE_rollout_aborted,
                    arena_printf(rolling->work->arena, "%.*s stays", TEXT_ARG(old->record->id)));
        }
    }
}

static void compute_roll_batch_begin(struct rolling *rolling)
{
    size_t count = more(rolling);
    size_t doubled = rolling->current->doubled;
    size_t size = plan_size_of(rolling->current);
    size_t missing = size > rolling->serving ? size - rolling->serving : 0;
    size_t next = 0;

    for (; next < rolling->outdated_count && count > 0 &&
           is_compute_roll_broken(rolling->outdated[next]);
         next++) {
        old_end(rolling, rolling->outdated[next], PLAN_RULE_replace,
                TEXT("the machine is not in service"));
        count--;
    }
    for (; next < rolling->outdated_count && count > 0 && doubled < surge_of(rolling); next++) {
        surge_begin(rolling, rolling->outdated[next]);
        count--;
        doubled++;
    }
    for (; next < rolling->outdated_count && count > 0 && missing < unavailable_of(rolling);
         next++) {
        const struct plan_record *old = rolling->outdated[next]->record;

        old_end(rolling, rolling->outdated[next], begin_rule(rolling->outdated[next]),
                old->is_replace_requested
                    ? TEXT("the machine is destroyed first, because there is no surge")
                    : begin_fact(rolling, rolling->outdated[next]));
        count--;
        missing++;
    }
}

static void generation_hold(struct rolling *rolling, enum plan_rule rule, size_t count)
{
    struct plan_work *work = rolling->work;

    plan_hold(work, (struct plan_hold){
                        .rule = rule,
                        .group = rolling->current->path,
                        .fact = arena_printf(work->arena, "%.*s with an outdated specification",
                                             TEXT_ARG(plan_count(work, count, "machine"))),
                        .would_destroy = (uint32_t)count,
                        .would_create = (uint32_t)count,
                    });
}

static void failed_hold(struct rolling *rolling)
{
    struct plan_work *work = rolling->work;

    plan_hold(work, (struct plan_hold){
                        .rule = PLAN_RULE_roll_failed,
                        .group = rolling->current->path,
                        .fact = arena_printf(work->arena, "%.*s failed, maxFail is %u",
                                             TEXT_ARG(plan_count(work, rolling->failed, "machine")),
                                             rolling->current->group->fail_max),
                        .observation = arena_printf(work->arena, "%.*s/%zu",
                                                    TEXT_ARG(rolling->current->group->generation),
                                                    rolling->failed),
                        .would_destroy = (uint32_t)rolling->outdated_count,
                        .would_create = (uint32_t)rolling->outdated_count,
                    });
}

static void outdated_roll(struct rolling *rolling)
{
    const struct plan_group *group = rolling->current->group;
    uint64_t baked_ms;

    if (group->is_protected) {
        rolling->current->withheld += rolling->outdated_count;
    } else if (group->roll != PLAN_ROLL_GOES) {
        generation_hold(rolling, PLAN_RULE_roll_stopped, rolling->outdated_count);
        /* A pause does not interrupt the wait for the canaries, so the hold keeps its start
         * time. */
        if (group->roll == PLAN_ROLL_PAUSED && is_baking(rolling, &baked_ms)) {
            bake_hold(rolling, baked_ms);
        }
    } else if (group->fail_max > 0 && !BUG(rolling->work->limits, BUG_FAILURES_UNCOUNTED) &&
               rolling->failed >= (size_t)group->fail_max + group->fails_approved) {
        failed_hold(rolling);
    } else {
        compute_roll_batch_begin(rolling);
    }
}

static void current_roll(struct plan_work *work, struct plan_group_state *current)
{
    struct rolling rolling = { .work = work,
                               .current = current,
                               .failed = current->group->fails_forgotten };

    rolling.outdated = arena_array(work->arena, struct plan_case *, current->count);
    rolling.fresh = arena_array(work->arena, uint64_t, current->count);
    for (size_t i = 0; i < current->count; i++) {
        case_note(&rolling, &current->cases[i]);
    }
    sort_stable(work->arena, rolling.fresh, rolling.fresh_count, sizeof(uint64_t),
                compute_roll_time_compare, NULL);
    sort_stable(work->arena, rolling.outdated, rolling.outdated_count, sizeof(struct plan_case *),
                outdated_compare, NULL);
    if (current->group->roll == PLAN_ROLL_ABORTED) {
        begun_end(&rolling);
    } else {
        rolled_end(&rolling);
        overtaken_end(&rolling);
    }
    current->withheld += rolling.kept;
    if (rolling.outdated_count > 0) {
        outdated_roll(&rolling);
    }
}

/* Creates a hold that an operator must answer if the in-place rollout of changed stages has
 * stopped. Its text has the reason. src/bootstrap grants the rollout slots. */
static void slots_hold(struct plan_work *work, const struct plan_group_state *current)
{
    const struct plan_group *group = current->group;

    if (group->slots_stopped.length > 0) {
        plan_hold(work, (struct plan_hold){ .rule = PLAN_RULE_rollout,
                                            .group = current->path,
                                            .fact = group->slots_stopped,
                                            .observation = group->slots_observation });
        return;
    }
    if (group->slots_waiting > 0 && group->roll != PLAN_ROLL_GOES &&
        !plan_has_hold(work, PLAN_RULE_roll_stopped, current->path)) {
        plan_hold(work, (struct plan_hold){
                            .rule = PLAN_RULE_roll_stopped,
                            .group = current->path,
                            .fact = arena_printf(
                                work->arena, "%.*s %s",
                                TEXT_ARG(plan_count(work, group->slots_waiting, "member")),
                                group->slots_waiting == 1 ? "waits for its rollout slot"
                                                          : "wait for their rollout slots") });
    }
}

/* True if the group has its desired size. A group is scaled before a rollout begins. */
static bool is_settled(const struct plan_group_state *current)
{
    return plan_members(current) + current->leaving + current->dead == plan_size_of(current);
}

void plan_roll(struct plan_work *work)
{
    for (size_t i = 0; i < work->current_count; i++) {
        struct plan_group_state *current = &work->standings[i];

        if (current->group != NULL && !plan_is_new_incarnation(work) && !current->is_blind &&
            !current->is_void && !plan_is_suspect(work) && plan_may_call(work, current) &&
            is_settled(current) && plan_is_makeable(work, current)) {
            current_roll(work, current);
        }
        if (current->group != NULL) {
            slots_hold(work, current);
        }
    }
}

/* ---- labels in place ---- */

static void current_label(struct plan_work *work, const struct plan_group_state *current)
{
    for (size_t i = 0; i < current->count; i++) {
        const struct plan_case *one = &current->cases[i];
        const struct plan_record *record = one->record;

        if (one->class == PLAN_CLASS_SERVING && !one->is_chosen && !record->is_calling &&
            plan_source_of(work, record)->can_label && record->labels.length > 0 &&
            work->world->now_ms >= record->call_after_ms && current->group->labels.length > 0 &&
            !text_is_equal(record->labels, current->group->labels)) {
            plan_act_case(work, current, one, PLAN_ACT_LABEL, PLAN_RULE_labels,
                          arena_printf(work->arena, "%.*s -> %.*s", TEXT_ARG(record->labels),
                                       TEXT_ARG(current->group->labels)));
        }
    }
}

void plan_label(struct plan_work *work)
{
    for (size_t i = 0; i < work->current_count; i++) {
        const struct plan_group_state *current = &work->standings[i];

        if (current->group != NULL && plan_may_call(work, current)) {
            current_label(work, current);
        }
    }
}
