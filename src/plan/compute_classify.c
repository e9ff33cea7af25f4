#include "plan/compute_parts.h"
#include "plan/victims.h"

#include <assert.h>

/* ---- class of each record ---- */

/* True if enough lookups by id, far enough apart, agree on this result (G5). */
static bool is_looked_up(const struct plan_work *work, const struct plan_record *record,
                         enum plan_lookup lookup)
{
    return record->lookup == lookup && record->looked_up.count >= work->limits->lookups &&
           record->looked_up.last_ms - record->looked_up.first_ms >= work->limits->lookup_ms;
}

/* True if no row shows the machine of the record. */
static bool is_unseen(const struct plan_case *one)
{
    return one->row == NULL || one->row->state == PLAN_ROW_ENDED;
}

/* True if enough lookups by id found that the machine has ended. This is positive evidence, so no
 * listings without the machine are needed to confirm it (G5). */
static bool is_said_ended(const struct plan_work *work, const struct plan_case *one)
{
    return is_unseen(one) && is_looked_up(work, one->record, PLAN_LOOKUP_ENDED);
}

bool plan_is_known_gone(const struct plan_work *work, const struct plan_case *one)
{
    return (one->row == NULL && is_looked_up(work, one->record, PLAN_LOOKUP_GONE)) ||
           is_said_ended(work, one);
}

/* True if the machine has been missing from enough listings over enough time that a listing error
 * is ruled out. The current listing counts too. */
static bool is_absent_long(const struct plan_work *work, const struct plan_record *record)
{
    const struct plan_limits *limits = work->limits;
    uint64_t now = work->world->now_ms;
    uint64_t begun_ms = record->state == PLAN_RECORD_CREATE || BUG(limits, BUG_AGE_OF_RECORD)
                            ? record->created_ms
                            : record->active_ms;

    return record->absence.count + 1 >= limits->absences &&
           now - record->absence.first_ms >= limits->absence_ms &&
           now - begun_ms > plan_source_of(work, record)->lag_ms;
}

bool plan_has_failed(const struct plan_record *record)
{
    return record->state == PLAN_RECORD_ACTIVE && record->is_starting &&
           !record->is_reboot_served && record->failed_since_ms > 0 && !record->is_retried;
}

/* True if the last lookup is older than the newest reboot. Such a lookup proves nothing about the
 * time since the reboot. Neither does a listing that lacks the machine. */
static bool is_evidence_outdated(const struct plan_record *record)
{
    return record->rebooted_ms > 0 && record->looked_up.last_ms <= record->rebooted_ms;
}

static uint64_t compute_classify_later(uint64_t since_ms, uint64_t bound_ms)
{
    return since_ms > 0 && since_ms < bound_ms ? bound_ms : since_ms;
}

/* True if the machine has been unhealthy for long enough to be replaced. Probes of a manager that
 * suspects its own network are no evidence, and the time of the suspicion does not count. A result
 * of another manager must first be confirmed by a probe of this manager (G17). */
static bool is_failing(const struct plan_work *work, const struct plan_group *group,
                       const struct plan_record *record)
{
    struct plan_record judged = *record;

    if (!GUARD(work->limits, G17)) {
        return plan_victim_is_failing(group, record, work->world->now_ms);
    }
    if (plan_is_suspect(work)) {
        return false;
    }
    judged.failing_since_ms =
        record->is_unproven
            ? 0
            : compute_classify_later(record->failing_since_ms, work->world->contact_since_ms);
    judged.unreachable_since_ms =
        record->is_unproven
            ? 0
            : compute_classify_later(record->unreachable_since_ms, work->world->contact_since_ms);
    return plan_victim_is_failing(group, &judged, work->world->now_ms);
}

static enum plan_class active_classify(const struct plan_work *work,
                                       const struct plan_group_state *current,
                                       const struct plan_case *one)
{
    const struct plan_record *record = one->record;

    if (is_said_ended(work, one)) {
        return PLAN_CLASS_LOST;
    }
    if (plan_is_rebooting(record) && !is_unseen(one)) {
        /* An operator requested the reboot, so the machine may be down for a while. */
        return PLAN_CLASS_SERVING;
    }
    if (is_looked_up(work, record, PLAN_LOOKUP_STOPPED) && !is_evidence_outdated(record)) {
        return PLAN_CLASS_STOPPED;
    }
    if (!GUARD(work->limits, G5) && one->row == NULL && record->state == PLAN_RECORD_ACTIVE) {
        return PLAN_CLASS_LOST;
    }
    if (one->row == NULL) {
        return is_looked_up(work, record, PLAN_LOOKUP_GONE) && is_absent_long(work, record)
                   ? PLAN_CLASS_LOST
                   : PLAN_CLASS_MISSING;
    }
    if (one->row->state == PLAN_ROW_STOPPED || one->row->state == PLAN_ROW_STOPPING ||
        one->row->state == PLAN_ROW_ENDED) {
        return PLAN_CLASS_MISSING;
    }
    return current->group != NULL && is_failing(work, current->group, record) ? PLAN_CLASS_FAILING
                                                                              : PLAN_CLASS_SERVING;
}

/* Classify the record of a create call. If the call returned an id, the record is classified like
 * that of any other machine. */
static enum plan_class waiting_classify(const struct plan_work *work,
                                        const struct plan_group_state *current,
                                        const struct plan_case *one)
{
    enum plan_class class = PLAN_CLASS_WAITING;

    if (one->record->id.length > 0) {
        class = active_classify(work, current, one);
    }
    return class == PLAN_CLASS_SERVING || class == PLAN_CLASS_FAILING ? PLAN_CLASS_WAITING : class;
}

static bool is_dead(const struct plan_case *one)
{
    return one->class == PLAN_CLASS_STOPPED || one->class == PLAN_CLASS_LOST;
}

/* True while the machine reboots, and after the reboot until its probe succeeds. Before that, the
 * reboot may not have solved the problem. */
static bool is_reboot_open(const struct plan_record *record)
{
    return record->reboot_begun_ms > 0 || (record->is_starting && record->rebooted_ms > 0 &&
                                           record->rebooted_ms >= record->active_ms);
}

/* True if the provider lists the machine as not running, and no reboot explains that. */
static bool is_listed_stopped(const struct plan_case *one)
{
    return one->class == PLAN_CLASS_MISSING && one->row != NULL &&
           (one->row->state == PLAN_ROW_STOPPED || one->row->state == PLAN_ROW_STOPPING);
}

/* True if the machine is unhealthy now, regardless of the duration. A machine that is known to no
 * longer exist does not count. An unhealthy machine that is missing in a listing, or listed as
 * stopped, counts as unhealthy (G16). */
static bool is_compute_classify_unhealthy(const struct plan_work *work, const struct plan_case *one)
{
    const struct plan_record *record = one->record;
    bool may_run = one->class == PLAN_CLASS_SERVING || one->class == PLAN_CLASS_FAILING ||
                   (one->class == PLAN_CLASS_MISSING && !plan_is_known_gone(work, one));

    return one->class == PLAN_CLASS_STOPPED || is_listed_stopped(one) ||
           (may_run && (record->failing_since_ms > 0 || record->unreachable_since_ms > 0 ||
                        plan_has_failed(record) || is_reboot_open(record)));
}

bool plan_is_seen_running(const struct plan_case *one)
{
    return !is_unseen(one) &&
           (one->class == PLAN_CLASS_WAITING ||
            ((one->class == PLAN_CLASS_SERVING || one->class == PLAN_CLASS_FAILING) &&
             one->row->state != PLAN_ROW_STOPPED && one->row->state != PLAN_ROW_STOPPING));
}

static void case_classify(const struct plan_work *work, struct plan_group_state *current,
                          struct plan_case *one)
{
    switch (one->record->state) {
    case PLAN_RECORD_CREATE:
        one->class = waiting_classify(work, current, one);
        current->alive += !is_dead(one);
        current->dead += is_dead(one);
        current->running += plan_is_seen_running(one);
        break;
    case PLAN_RECORD_DELETE:
        one->class = PLAN_CLASS_LEAVING;
        current->leaving++;
        break;
    case PLAN_RECORD_ACTIVE:
        one->class = active_classify(work, current, one);
        current->active++;
        current->believed += one->class == PLAN_CLASS_MISSING && one->record->is_believed;
        current->missing += one->class == PLAN_CLASS_MISSING && !one->record->is_believed &&
                            !plan_is_known_gone(work, one);
        current->lost += one->class == PLAN_CLASS_LOST;
        current->stopped += one->class == PLAN_CLASS_STOPPED;
        current->failing += one->class == PLAN_CLASS_FAILING;
        current->unhealthy += is_compute_classify_unhealthy(work, one);
        if (plan_is_excused(work, one->record) && one->class != PLAN_CLASS_LOST) {
            current->caused++;
            current->caused_unhealthy += is_compute_classify_unhealthy(work, one);
        }
        current->running += plan_is_seen_running(one);
        current->alive += !is_dead(one);
        current->dead += is_dead(one);
        break;
    }
}

static bool is_alive(const struct plan_case *one)
{
    return !one->is_chosen && one->class != PLAN_CLASS_LEAVING && one->class != PLAN_CLASS_LOST &&
           one->class != PLAN_CLASS_STOPPED;
}

/* Counts the members that are on unreachable hosts and share their slot with another member. */
static void away_doubles_count(struct plan_group_state *current)
{
    for (size_t i = 0; i < current->away_count; i++) {
        uint64_t slot = current->away[i].record->slot;
        bool is_shared = i > 0 && current->away[i - 1].record->slot == slot &&
                         current->away[i - 1].record->state != PLAN_RECORD_DELETE;

        for (size_t j = plan_slot_first(current, slot);
             j < current->count && current->cases[j].record->slot == slot; j++) {
            is_shared |= is_alive(&current->cases[j]);
        }
        current->doubled += is_shared && current->away[i].record->state != PLAN_RECORD_DELETE;
    }
}

/* Count the slots that two generations share. The cases must be in order of slot. */
void plan_doubles_count(struct plan_group_state *current)
{
    current->doubled = 0;
    for (size_t i = 0, end; i < current->count; i = end) {
        size_t alive = 0;

        for (end = i; end < current->count &&
                      current->cases[end].record->slot == current->cases[i].record->slot;
             end++) {
            alive += is_alive(&current->cases[end]);
        }
        current->doubled += alive > 1 ? alive - 1 : 0;
    }
    away_doubles_count(current);
}

bool plan_is_whole(const struct plan_source *source)
{
    return source->problem.length == 0 && source->is_complete;
}

/* Find out whether a listing that the group needs is missing or incomplete. All providers of the
 * group are checked, because a group that moves to another provider has machines at both. */
static void blindness_find(const struct plan_work *work, struct plan_group_state *current)
{
    const struct plan_group *group = current->group;

    current->is_blind = group != NULL && !plan_is_whole(&work->world->sources[group->source]);
    for (size_t i = 0; i < current->count; i++) {
        current->is_blind |= !plan_is_whole(plan_source_of(work, current->cases[i].record));
    }
}

void plan_classify(struct plan_work *work)
{
    for (size_t i = 0; i < work->current_count; i++) {
        struct plan_group_state *current = &work->standings[i];

        for (size_t j = 0; j < current->count; j++) {
            case_classify(work, current, &current->cases[j]);
        }
        for (size_t j = 0; j < current->away_count; j++) {
            bool is_leaving = current->away[j].record->state == PLAN_RECORD_DELETE;

            current->away[j].class = is_leaving ? PLAN_CLASS_LEAVING : PLAN_CLASS_MISSING;
            current->alive += !is_leaving;
            current->leaving += is_leaving;
        }
        plan_doubles_count(current);
        blindness_find(work, current);
        assert(current->missing <= current->active);
    }
}
