#include "base/sort.h"
#include "plan/compute_parts.h"

#include <assert.h>

/* Reboots that operators requested (docs/decisions/0120).
 *
 * Normal case: a request waits until its group has room. A group has room if fewer machines than
 * one batch are rebooting, and the reboot does not take more members out of service than
 * `unavailable` allows (one is always allowed). Then the reboot begins. If the manager can log in,
 * it reads and records the boot id of the machine before the call. When a later read returns
 * another boot id, the reboot is complete.
 *
 * Failures: a call without a known answer is repeated once if a later read returned the same boot
 * id. That read must be from a time when the first call could no longer take effect. Without a
 * login, or while the machine is unreachable, the call is not repeated. A machine that does not
 * become reachable again still counts for the batch. */

struct rebooting {
    struct plan_work *work;
    struct plan_group_state *current;
    struct plan_case **requested;
    size_t requested_count;
    size_t under_way; /* machines that are created, destroyed or rebooted */
    size_t late;      /* members whose reboot has taken too long */
    size_t down;      /* further members that are not in service */
};

bool plan_is_rebooting(const struct plan_record *record)
{
    return record->reboot_begun_ms > 0 && !record->is_reboot_late;
}

bool plan_reboot_is_called(const struct plan_record *record)
{
    return record->reboot_begun_ms > 0 && record->rebooted_ms >= record->reboot_begun_ms;
}

/* Return how long a call without an answer may still take effect, in ms; the same as for a create
 * (G12). */
static uint64_t reboot_late_ms(const struct plan_limits *limits, const struct plan_source *source)
{
    return source->late_ms > limits->late_ms ? source->late_ms : limits->late_ms;
}

uint64_t plan_reboot_deadline(const struct plan_limits *limits, const struct plan_source *source,
                              const struct plan_record *record)
{
    bool is_doubtful = plan_reboot_is_called(record) && source->can_reboot &&
                       !record->is_reboot_answered && record->is_boot_known;

    return record->reboot_begun_ms + limits->reboot_ms +
           (is_doubtful ? reboot_late_ms(limits, source) + limits->reboot_ms : 0);
}

/* True if the member serves. It does not while it runs changed stages, and after these stages
 * failed. */
static bool is_reboot_serving(const struct plan_case *one)
{
    return one->class == PLAN_CLASS_SERVING && !one->record->is_in_rollout &&
           !one->record->is_starting && one->record->failing_since_ms == 0 &&
           one->record->maintenance_since_ms == 0 && one->record->unreachable_since_ms == 0;
}

/* ---- reboots in progress ---- */

/* True if the reboot call of this record is due now. */
static bool is_call_due(const struct plan_work *work, const struct plan_case *one)
{
    const struct plan_record *record = one->record;
    const struct plan_source *source = plan_source_of(work, record);
    uint64_t now = work->world->now_ms;

    if (!plan_is_rebooting(record) || record->is_calling || now < record->call_after_ms) {
        return false;
    }
    if (!plan_reboot_is_called(record)) {
        return record->is_boot_known || !source->is_login;
    }
    return source->can_reboot && !record->is_reboot_answered &&
           (record->is_reboot_unsent ||
            (record->is_boot_known &&
             record->boot_same_ms >= record->rebooted_ms + reboot_late_ms(work->limits, source)));
}

static void reboot_go_on(struct rebooting *rebooting, struct plan_case *one)
{
    if (is_call_due(rebooting->work, one)) {
        plan_act_case(rebooting->work, rebooting->current, one, PLAN_ACT_REBOOT,
                      PLAN_RULE_reboot_asked,
                      plan_reboot_is_called(one->record)
                          ? TEXT("the call had no answer, and the machine was not rebooted")
                          : TEXT("the reboot has started"));
    }
}

static void reboot_case_note(struct rebooting *rebooting, struct plan_case *one)
{
    const struct plan_record *record = one->record;

    if (one->is_forgotten) {
        return;
    }
    if (one->is_chosen || record->state != PLAN_RECORD_ACTIVE) {
        rebooting->under_way++;
    } else if (plan_is_rebooting(record)) {
        rebooting->under_way++;
        reboot_go_on(rebooting, one);
    } else if (record->is_reboot_requested) {
        rebooting->requested[rebooting->requested_count++] = one;
        rebooting->down += !is_reboot_serving(one);
    } else if (record->is_reboot_late) {
        rebooting->under_way++;
        rebooting->late++;
    } else {
        rebooting->down += !is_reboot_serving(one);
    }
}

/* ---- new reboots ---- */

/* Orders members that do not serve first, then by slot. */
static int requested_compare(const void *a, const void *b, void *arg)
{
    const struct plan_case *first = *(struct plan_case *const *)a;
    const struct plan_case *second = *(struct plan_case *const *)b;
    int order = (int)is_reboot_serving(first) - (int)is_reboot_serving(second);

    (void)arg;
    if (order == 0) {
        order = (first->record->slot > second->record->slot) -
                (first->record->slot < second->record->slot);
    }
    return order != 0 ? order : text_compare(first->record->token, second->record->token);
}

static void compute_reboot_begin(struct rebooting *rebooting, struct plan_case *one)
{
    rebooting->under_way++;
    rebooting->down -= !is_reboot_serving(one);
    plan_act_case(rebooting->work, rebooting->current, one, PLAN_ACT_REBOOT, PLAN_RULE_reboot_asked,
                  TEXT("its turn"));
}

static size_t out_of_service_max(const struct plan_group *group)
{
    return group->unavailable > 0 ? group->unavailable : 1;
}

/* True if the reboot of this member may begin now. It waits until changed stages that run on the
 * member have finished. */
static bool may_reboot(const struct rebooting *rebooting, const struct plan_case *one)
{
    const struct plan_group *group = rebooting->current->group;

    return rebooting->under_way < (group->batch > 0 ? group->batch : 1) &&
           !one->record->is_in_rollout && !one->record->is_calling &&
           (group->fail_max == 0 || rebooting->late < group->fail_max) &&
           (!is_reboot_serving(one) ||
            rebooting->under_way + rebooting->down < out_of_service_max(group));
}

/* Creates a hold if requests wait for room and no reboot in progress will make room. */
static void reboots_hold(const struct rebooting *rebooting)
{
    struct plan_work *work = rebooting->work;
    struct text fact = rebooting->late > 0
                           ? arena_printf(work->arena, "%.*s did not come back after %s reboot",
                                          TEXT_ARG(plan_count(work, rebooting->late, "machine")),
                                          rebooting->late == 1 ? "its" : "their")
                           : arena_printf(work->arena, "%.*s out of service, at most %zu may be",
                                          TEXT_ARG(plan_count(work, rebooting->down, "member")),
                                          out_of_service_max(rebooting->current->group));

    if (rebooting->under_way == rebooting->late && rebooting->late + rebooting->down > 0) {
        plan_hold(work, (struct plan_hold){ .rule = PLAN_RULE_reboot_stopped,
                                            .group = rebooting->current->path,
                                            .fact = fact });
    }
}

static void reboots_begin(struct rebooting *rebooting)
{
    struct plan_work *work = rebooting->work;
    struct text path = rebooting->current->path;
    size_t begun = 0;

    if (rebooting->current->group->roll != PLAN_ROLL_GOES) {
        if (!plan_has_hold(work, PLAN_RULE_roll_stopped, path)) {
            plan_hold(work,
                      (struct plan_hold){
                          .rule = PLAN_RULE_roll_stopped,
                          .group = path,
                          .fact = arena_printf(
                              work->arena, "%.*s to be rebooted",
                              TEXT_ARG(plan_count(work, rebooting->requested_count, "machine"))) });
        }
        return;
    }
    for (size_t i = 0; i < rebooting->requested_count; i++) {
        if (may_reboot(rebooting, rebooting->requested[i])) {
            compute_reboot_begin(rebooting, rebooting->requested[i]);
            begun++;
        }
    }
    if (begun == 0) {
        reboots_hold(rebooting);
    }
}

static void current_reboot(struct plan_work *work, struct plan_group_state *current)
{
    struct rebooting rebooting = { .work = work, .current = current };
    size_t size = plan_size_of(current);
    size_t members = plan_members(current);

    rebooting.requested = arena_array(work->arena, struct plan_case *, current->count);
    rebooting.down = size > members ? size - members : 0;
    for (size_t i = 0; i < current->count; i++) {
        reboot_case_note(&rebooting, &current->cases[i]);
    }
    sort_stable(work->arena, rebooting.requested, rebooting.requested_count,
                sizeof(struct plan_case *), requested_compare, NULL);
    if (rebooting.requested_count > 0) {
        reboots_begin(&rebooting);
    }
}

void plan_reboot(struct plan_work *work)
{
    for (size_t i = 0; i < work->current_count; i++) {
        struct plan_group_state *current = &work->standings[i];

        if (current->group != NULL && !plan_is_new_incarnation(work) && !current->is_blind &&
            !current->is_void && !plan_is_suspect(work) && plan_may_call(work, current)) {
            current_reboot(work, current);
        }
    }
}
