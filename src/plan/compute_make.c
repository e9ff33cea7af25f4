#include "plan/compute_parts.h"

#include <assert.h>

/* Tracks creates and destroys from the call to the confirmed result.
 *
 * A refused create leaves no machine. It is requested again after a back-off or with another
 * choice, or its record is removed immediately (X15). A machine that fails before it has served
 * counts as a failed try. After `tries` failed tries the back-off of the slot is exhausted: the
 * last record stays in the slot and has the reason (K25). */

/* ---- choices ---- */

struct plan_choice plan_choice_at(const struct plan_group *group, size_t index)
{
    assert(index <= group->alternative_count);
    return index == 0 ? (struct plan_choice){ group->source, group->generation, group->zones,
                                              group->zone_count }
                      : group->alternatives[index - 1];
}

size_t plan_choice_of(const struct plan_group *group, struct text generation)
{
    for (size_t i = 0; group != NULL && i <= group->alternative_count; i++) {
        if (text_is_equal(plan_choice_at(group, i).generation, generation)) {
            return i;
        }
    }
    return PLAN_NONE;
}

bool plan_is_current(const struct plan_group_state *current, const struct plan_record *record)
{
    return !record->is_replace_requested &&
           plan_choice_of(current->group, record->generation) != PLAN_NONE;
}

bool plan_is_makeable(const struct plan_work *work, const struct plan_group_state *current)
{
    const struct plan_source *sources = work->world->sources;
    const struct plan_group *group = current->group;
    bool is_makeable = !sources[group->source].is_missing;

    for (size_t i = 0; i < group->alternative_count; i++) {
        is_makeable = is_makeable || !sources[group->alternatives[i].source].is_missing;
    }
    return is_makeable;
}

/* ---- requested, and not running yet ---- */

static uint64_t late_of(const struct plan_work *work, const struct plan_record *record)
{
    uint64_t own = plan_source_of(work, record)->late_ms;

    return own > work->limits->late_ms ? own : work->limits->late_ms;
}

/* Returns for how long, in ms, the outcome of a create call without an answer is unknown. After
 * this time, if the machine exists, it must appear even in a listing of the maximum age. */
static uint64_t doubt_of(const struct plan_work *work, const struct plan_record *record)
{
    const struct plan_source *source = plan_source_of(work, record);

    return source->late_ms + source->lag_ms;
}

/* True if another call with the same token could make a second machine. That is the case if the
 * provider does not compare tokens, and an earlier call may still take effect or its machine may
 * not be listed yet (G26). An incomplete listing proves nothing. */
static bool is_create_in_doubt(const struct plan_work *work, const struct plan_record *record)
{
    const struct plan_source *source = plan_source_of(work, record);

    return GUARD(work->limits, G26) && record->state == PLAN_RECORD_CREATE &&
           record->id.length == 0 && record->doubt_ms > 0 && !source->has_tokens &&
           (work->world->now_ms - record->doubt_ms < doubt_of(work, record) ||
            (!record->is_answered && !plan_is_whole(source)));
}

/* True if a create call may be repeated: no call is in progress, the outcome of the last one is
 * known, and the back-off is over or a retry was requested. */
static bool plan_may_ask(const struct plan_work *work, const struct plan_record *record)
{
    return !record->is_calling && !is_create_in_doubt(work, record) &&
           (work->world->now_ms >= record->call_after_ms ||
            (record->is_retried && record->is_answered));
}

bool plan_is_refused(const struct plan_record *record)
{
    return record->state == PLAN_RECORD_CREATE && record->is_answered && record->id.length == 0;
}

/* True if the provider refused the create because the machine of its token has ended. */
static bool has_ended(const struct plan_record *record)
{
    return plan_is_refused(record) && record->fault == PLAN_FAULT_GONE;
}

bool plan_is_doubtful(const struct plan_work *work, const struct plan_record *record)
{
    return GUARD(work->limits, G12) && record->doubt_ms > 0 &&
           work->world->now_ms - record->doubt_ms < late_of(work, record);
}

/* True if a late create call may have made another machine after `at_ms`. The time of a late call
 * counts twice, because the machine must also have been listed. */
bool plan_may_come_again(const struct plan_work *work, const struct plan_record *record,
                         uint64_t at_ms)
{
    return GUARD(work->limits, G12) && record->doubt_ms > 0 &&
           (at_ms < record->doubt_ms || at_ms - record->doubt_ms < 2 * late_of(work, record));
}

bool plan_is_nothing(const struct plan_work *work, const struct plan_case *one)
{
    return plan_is_refused(one->record) && one->row == NULL && !one->record->is_calling &&
           !plan_is_doubtful(work, one->record);
}

void plan_forget(struct plan_work *work, struct plan_group_state *current, struct plan_case *one,
                 enum plan_rule rule, struct text fact)
{
    assert(!one->is_forgotten);
    if (one->class == PLAN_CLASS_LEAVING) {
        current->leaving--;
    } else {
        current->alive--;
    }
    one->is_chosen = true;
    one->is_forgotten = true;
    plan_act_case(work, current, one, PLAN_ACT_FORGET, rule, fact);
}

static struct text fault_words(enum plan_fault fault)
{
    switch (fault) {
    case PLAN_FAULT_WRONG:
        return TEXT("the request is invalid, or the account does not permit it");
    case PLAN_FAULT_SHORT:
        return TEXT("there is no capacity, or no quota");
    case PLAN_FAULT_NONE:
    case PLAN_FAULT_PASSING:
    case PLAN_FAULT_GONE:
        break;
    }
    return TEXT("not now");
}

size_t plan_choice_next(const struct plan_group *group, const struct plan_record *before)
{
    size_t choice = plan_choice_of(group, before->generation);

    bool was_short =
        before->is_evicted || (before->fault == PLAN_FAULT_SHORT && before->id.length == 0);

    if (choice == PLAN_NONE || !was_short) {
        return choice == PLAN_NONE ? 0 : choice;
    }
    return choice < group->alternative_count ? choice + 1 : 0;
}

/* True if the create failed for lack of capacity or quota and another choice exists. The next
 * choice is tried immediately. After the last choice failed, the first one is tried again when the
 * back-off ends (M3). */
static bool is_tried_elsewhere(const struct plan_work *work, const struct plan_group_state *current,
                               const struct plan_record *record)
{
    return record->fault == PLAN_FAULT_SHORT && current->group->alternative_count > 0 &&
           plan_volume_zone(current->group, record->slot).length == 0 &&
           (plan_choice_next(current->group, record) > 0 || plan_may_ask(work, record));
}

/* Handles a machine that has ended according to the provider. Its record is removed like that of a
 * lost machine, and this counts as a failed try (K25). */
static void ended_resolve(struct plan_work *work, struct plan_group_state *current,
                          struct plan_case *one)
{
    if (!one->record->is_calling && plan_may_call(work, current) &&
        !plan_is_new_incarnation(work) && !plan_is_unexplained(work)) {
        one->is_chosen = true;
        current->alive--;
        current->leaving++;
        plan_act_case(work, current, one, PLAN_ACT_DESTROY, PLAN_RULE_ended,
                      TEXT("a machine with the token of the record existed and has ended"));
    }
}

static void waiting_resolve(struct plan_work *work, struct plan_group_state *current,
                            struct plan_case *one)
{
    const struct plan_record *record = one->record;
    bool is_current = plan_is_current(current, record);

    if (has_ended(record)) {
        ended_resolve(work, current, one);
        return;
    }
    if (current->group == NULL || record->id.length > 0 || one->row != NULL || record->is_calling ||
        plan_is_old_incarnation(work, record) || !plan_may_call(work, current) ||
        (is_current && !is_tried_elsewhere(work, current, record))) {
        return;
    }
    if (plan_is_nothing(work, one)) {
        plan_forget(
            work, current, one, PLAN_RULE_refused,
            is_current ? fault_words(record->fault)
                       : TEXT("the create was refused, and the desired specification has changed"));
    } else if (!plan_is_new_incarnation(work) && (!is_current || plan_is_refused(record))) {
        one->is_chosen = true;
        current->alive--;
        current->leaving++;
        plan_act_case(
            work, current, one, PLAN_ACT_DESTROY,
            is_current ? PLAN_RULE_refused : PLAN_RULE_overtaken,
            is_current
                ? fault_words(record->fault)
                : TEXT("no machine has the token yet, and the desired specification has changed"));
    }
}

static void waiting_observe(struct plan_work *work, struct plan_group_state *current,
                            struct plan_case *one)
{
    const struct plan_record *record = one->record;

    if (one->row == NULL) {
        waiting_resolve(work, current, one);
        return;
    }
    if (record->id.length == 0) {
        plan_act_case(work, current, one, PLAN_ACT_SET_ID, PLAN_RULE_adopt,
                      arena_printf(work->arena, "%.*s is listed", TEXT_ARG(one->row->id)));
    }
    /* The machine counts as running, no matter which incarnation of the store requested it
     * (I14). */
    if (one->row->state == PLAN_ROW_RUNNING) {
        plan_act_case(work, current, one, PLAN_ACT_ACTIVATE, PLAN_RULE_activate,
                      arena_printf(work->arena, "%.*s runs", TEXT_ARG(one->row->id)));
    }
}

/* ---- destroys ---- */

/* Return the back-off after this many failed tries, in milliseconds. */
static uint64_t retry_of(const struct plan_work *work, uint32_t failures)
{
    uint64_t ms = work->limits->retry_ms;

    for (uint32_t i = work->limits->tries; i < failures && ms < work->limits->retry_max_ms; i++) {
        ms *= 2;
    }
    return ms < work->limits->retry_max_ms ? ms : work->limits->retry_max_ms;
}

/* True for the last record of a slot whose back-off is exhausted. The record blocks the slot until
 * the choices of the group change. */
static bool is_backoff_exhausted(const struct plan_work *work,
                                 const struct plan_group_state *current,
                                 const struct plan_record *record)
{
    size_t all = plan_members(current) + current->leaving + current->dead;

    return record->failures >= work->limits->tries && current->group != NULL &&
           plan_is_current(current, record) && !record->is_retried &&
           all <= plan_size_of(current) &&
           work->world->now_ms - record->condemned_ms < retry_of(work, record->failures);
}

/* True if a deleted cluster must keep this record. The providers of a deleted cluster are listed
 * only while it has a record. So it keeps its records while an unrecorded machine must still be
 * destroyed, or may exist because a listing may be outdated. */
static bool is_kept_to_look(const struct plan_work *work, const struct plan_group_state *current,
                            const struct plan_record *record)
{
    uint64_t lag_ms = plan_source_of(work, record)->lag_ms;
    struct text orphan;

    return work->world->is_gone && (current->is_blind || plan_has_orphans(work, &orphan) ||
                                    work->world->now_ms - record->condemned_ms < lag_ms);
}

static void gone_observe(struct plan_work *work, struct plan_group_state *current,
                         struct plan_case *one)
{
    if (is_backoff_exhausted(work, current, one->record)) {
        current->backoff_exhausted++;
    } else if (!one->has_rival && !plan_is_doubtful(work, one->record) &&
               !is_kept_to_look(work, current, one->record) &&
               !(current->is_blind &&
                 plan_may_come_again(work, one->record, work->world->now_ms))) {
        plan_forget(work, current, one, PLAN_RULE_forget,
                    TEXT("the provider has confirmed the destruction"));
    }
}

/* True if a row shows that the record's machine exists and may be running. */
static bool is_there(const struct plan_case *one)
{
    return one->row != NULL && one->row->state != PLAN_ROW_STOPPED &&
           one->row->state != PLAN_ROW_ENDED;
}

/* True if another create call took effect after the record's machine was gone. */
static bool has_come_again(const struct plan_case *one)
{
    return one->row != NULL && one->row->state != PLAN_ROW_ENDED &&
           !text_is_equal(one->row->id, one->record->id);
}

static void nameless_observe(struct plan_work *work, struct plan_group_state *current,
                             struct plan_case *one)
{
    const struct plan_record *record = one->record;
    bool is_late = work->world->now_ms - record->condemned_ms >= late_of(work, record) ||
                   !GUARD(work->limits, G12);

    if (is_late && !current->is_blind && !is_kept_to_look(work, current, record)) {
        plan_forget(work, current, one, PLAN_RULE_forget,
                    TEXT("no machine has appeared in that time"));
    }
}

static void leaving_observe(struct plan_work *work, struct plan_group_state *current,
                            struct plan_case *one)
{
    const struct plan_record *record = one->record;

    /* The destroy call waits until the id is in the record (G12). */
    if (has_come_again(one)) {
        plan_act_case(work, current, one, PLAN_ACT_SET_ID, PLAN_RULE_late,
                      arena_printf(work->arena, "%.*s has appeared late", TEXT_ARG(one->row->id)));
    } else if (record->id.length == 0 && !record->is_answered) {
        nameless_observe(work, current, one);
    } else if (!GUARD(work->limits, G14) && is_there(one) && one->row->state == PLAN_ROW_RUNNING &&
               current->alive < plan_size_of(current)) {
        plan_act_case(work, current, one, PLAN_ACT_ACTIVATE, PLAN_RULE_activate,
                      TEXT("the machine runs, and is desired again"));
    } else if (record->is_answered && !is_there(one)) {
        gone_observe(work, current, one);
    } else if (plan_may_call(work, current) && plan_may_ask(work, record)) {
        plan_act_case(work, current, one, PLAN_ACT_TERMINATE, PLAN_RULE_terminate,
                      record->is_answered ? TEXT("the machine is still listed")
                                          : TEXT("no definite answer yet"));
    }
}

/* ---- holds ---- */

static const char *blocker_of(const struct plan_work *work, const struct plan_group_state *current,
                              const struct plan_record *record)
{
    if (work->is_store_held) {
        return "the store was restored from an older copy, and no operator has approved the hold";
    }
    if (!plan_may_call(work, current)) {
        return "paused";
    }
    if (plan_source_of(work, record)->problem.length > 0) {
        return "the provider gives no listing";
    }
    return record->is_answered ? "the machine is still listed" : "no definite answer";
}

/* Reports the machine that has waited longest for its destruction. */
static void stuck_hold(struct plan_work *work, const struct plan_group_state *current)
{
    uint64_t now = work->world->now_ms;
    const struct plan_record *first = NULL;
    size_t count = 0;

    for (size_t i = 0; i < current->count; i++) {
        const struct plan_case *one = &current->cases[i];

        if (one->class == PLAN_CLASS_LEAVING && !one->is_forgotten && one->record->id.length > 0 &&
            !(one->record->is_answered && !is_there(one)) &&
            now - one->record->condemned_ms >= work->limits->going_ms) {
            count++;
            if (first == NULL || one->record->condemned_ms < first->condemned_ms) {
                first = one->record;
            }
        }
    }
    if (first != NULL) {
        plan_hold(work, (struct plan_hold){
                            .rule = PLAN_RULE_stuck,
                            .group = current->path,
                            .fact = arena_printf(
                                work->arena, "%.*s, %.*s for %llu min: %s",
                                TEXT_ARG(plan_count(work, count, "machine")), TEXT_ARG(first->id),
                                (unsigned long long)((now - first->condemned_ms) / 60000),
                                blocker_of(work, current, first)) });
    }
}

/* Returns the first record, by token, that is kept only because the machine of its cancelled create
 * may still appear; NULL if there is none. */
static const struct plan_record *cancelled_find(const struct plan_work *work)
{
    const struct plan_record *first = NULL;

    for (size_t i = 0; i < work->world->record_count; i++) {
        const struct plan_record *record = &work->world->records[i];

        if (record->state == PLAN_RECORD_DELETE && record->id.length == 0 && !record->is_answered &&
            (first == NULL || text_compare(record->token, first->token) < 0)) {
            first = record;
        }
    }
    return first;
}

/* Creates a hold for each step of a deletion that waits. Its text has the reason and the maximum
 * wait (G21). A machine that is not destroyed in time, an unavailable provider and a pause have
 * their own holds. */
static void lingering_hold(struct plan_work *work)
{
    const struct plan_record *cancelled = cancelled_find(work);
    struct text orphan = TEXT("");
    struct text fact = TEXT("");

    if (!work->world->is_deleting || !work->world->is_gone) {
        return;
    }
    if (plan_has_orphans(work, &orphan)) {
        fact = arena_printf(
            work->arena,
            "%.*s, which nobody requested, was seen: until listings have lacked it for %llu min",
            TEXT_ARG(orphan), (unsigned long long)(work->limits->going_ms / 60000));
    } else if (cancelled != NULL) {
        fact = arena_printf(work->arena,
                            "%.*s/%llu was cancelled, and may still appear: at most %llu min",
                            TEXT_ARG(cancelled->group), (unsigned long long)cancelled->slot,
                            (unsigned long long)(late_of(work, cancelled) / 60000));
    }
    if (fact.length > 0) {
        plan_hold(work, (struct plan_hold){ .rule = PLAN_RULE_lingering, .fact = fact });
    }
}

static void backoff_exhausted_hold(struct plan_work *work, const struct plan_group_state *current)
{
    if (current->backoff_exhausted == 0) {
        return;
    }
    plan_hold(work, (struct plan_hold){
                        .rule = PLAN_RULE_backoff_exhausted,
                        .group = current->path,
                        .fact = arena_printf(
                            work->arena, "%.*s: in each, %u machines or more have failed",
                            TEXT_ARG(plan_count(work, current->backoff_exhausted, "slot")),
                            work->limits->tries),
                        .would_create = (uint32_t)current->backoff_exhausted });
}

void plan_make(struct plan_work *work)
{
    for (size_t i = 0; i < work->current_count; i++) {
        struct plan_group_state *current = &work->standings[i];

        for (size_t j = 0; j < current->count; j++) {
            if (current->cases[j].class == PLAN_CLASS_WAITING) {
                waiting_observe(work, current, &current->cases[j]);
            } else if (current->cases[j].class == PLAN_CLASS_LEAVING) {
                leaving_observe(work, current, &current->cases[j]);
            }
        }
        plan_doubles_count(current);
        stuck_hold(work, current);
        backoff_exhausted_hold(work, current);
    }
    lingering_hold(work);
}

/* ---- repeated creates ---- */

/* True for a create that was refused as invalid. It waits for a change or a retry request. */
static bool waits_for_change(const struct plan_record *record)
{
    return plan_is_refused(record) && record->fault == PLAN_FAULT_WRONG && !record->is_retried;
}

static bool is_compute_make_asked(const struct plan_work *work, const struct plan_case *one)
{
    return one->class == PLAN_CLASS_WAITING && one->row == NULL && !one->is_chosen &&
           one->record->id.length == 0 && !has_ended(one->record) &&
           !plan_is_old_incarnation(work, one->record);
}

static void refused_hold(struct plan_work *work, const struct plan_group_state *current,
                         size_t count, enum plan_fault fault, struct text zone)
{
    struct text volume =
        zone.length == 0 ? zone
                         : arena_printf(work->arena, "; a volume keeps its machine in zone %.*s",
                                        TEXT_ARG(zone));

    plan_hold(work, (struct plan_hold){
                        .rule = PLAN_RULE_refused,
                        .group = current->path,
                        .fact = arena_printf(work->arena, "%.*s: %.*s%.*s",
                                             TEXT_ARG(plan_count(work, count, "machine")),
                                             TEXT_ARG(fault_words(fault)), TEXT_ARG(volume)),
                        .would_create = (uint32_t)count });
}

/* Creates a hold for the create calls with an unknown outcome. Its text names the oldest one. */
static void in_doubt_hold(struct plan_work *work, const struct plan_group_state *current)
{
    const struct plan_record *first = NULL;
    size_t count = 0;

    for (size_t i = 0; i < current->count; i++) {
        const struct plan_case *one = &current->cases[i];

        if (is_compute_make_asked(work, one) && !one->record->is_calling &&
            is_create_in_doubt(work, one->record)) {
            count++;
            first = first == NULL || one->record->doubt_ms < first->doubt_ms ? one->record : first;
        }
    }
    if (first != NULL) {
        plan_hold(
            work,
            (struct plan_hold){
                .rule = PLAN_RULE_in_doubt,
                .group = current->path,
                .fact = arena_printf(
                    work->arena,
                    "%.*s, %.*s/%llu for %llu min: the create call has no answer; it is repeated when %llu s have passed and a complete listing does not contain the machine",
                    TEXT_ARG(plan_count(work, count, "machine")), TEXT_ARG(first->group),
                    (unsigned long long)first->slot,
                    (unsigned long long)((work->world->now_ms - first->doubt_ms) / 60000),
                    (unsigned long long)(doubt_of(work, first) / 1000)),
                .would_create = (uint32_t)count });
    }
}

static void current_ask(struct plan_work *work, const struct plan_group_state *current)
{
    size_t wrong = 0;
    size_t scarce = 0;
    struct text zone = TEXT("");

    for (size_t i = 0; i < current->count; i++) {
        const struct plan_case *one = &current->cases[i];
        bool is_refused = plan_is_refused(one->record);

        if (!is_compute_make_asked(work, one)) {
            continue;
        }
        wrong += waits_for_change(one->record);
        scarce += is_refused && one->record->fault == PLAN_FAULT_SHORT &&
                  one->record->refusals >= work->limits->tries;
        if (is_refused && one->record->fault == PLAN_FAULT_SHORT && current->group != NULL) {
            zone = plan_volume_zone(current->group, one->record->slot);
        }
        if (!waits_for_change(one->record) && plan_may_call(work, current) &&
            plan_may_ask(work, one->record)) {
            plan_act_case(work, current, one, PLAN_ACT_ASK, PLAN_RULE_ask_again,
                          is_refused ? TEXT("the create was refused, and may succeed now")
                                     : TEXT("no machine has the token yet"));
        }
    }
    in_doubt_hold(work, current);
    if (wrong + scarce > 0) {
        refused_hold(work, current, wrong + scarce, wrong > 0 ? PLAN_FAULT_WRONG : PLAN_FAULT_SHORT,
                     zone);
    }
}

void plan_ask(struct plan_work *work)
{
    for (size_t i = 0; i < work->current_count; i++) {
        current_ask(work, &work->standings[i]);
    }
}
