#include "plan/compute_parts.h"

#include <assert.h>

/* ---- what each record is ---- */

/* Do as many answers by id as are needed, far enough apart, agree that it is so? (G5) */
static bool is_witnessed(const struct plan_work *work, const struct plan_record *record,
                         enum plan_witness witness)
{
    return record->witness == witness && record->witnessed.count >= work->limits->witnesses &&
           record->witnessed.last_ms - record->witnessed.first_ms >= work->limits->witness_ms;
}

/* Its provider has said so, often enough; only the listings that lack it are not enough yet. */
static bool is_known_gone(const struct plan_work *work, const struct plan_case *one)
{
    return one->row == NULL && is_witnessed(work, one->record, PLAN_WITNESS_GONE);
}

/* Has it been absent for as long as a machine that is there never is? The listing at hand counts. */
static bool is_absent_long(const struct plan_work *work, const struct plan_record *record)
{
    const struct plan_limits *limits = work->limits;
    uint64_t now = work->world->now_ms;
    uint64_t begun_ms =
        record->state == PLAN_RECORD_CREATE ? record->created_ms : record->active_ms;

    return record->absence.count + 1 >= limits->absences &&
           now - record->absence.first_ms >= limits->absence_ms &&
           now - begun_ms > plan_source_of(work, record)->lag_ms;
}

static enum plan_class active_classify(const struct plan_work *work,
                                       const struct plan_standing *standing,
                                       const struct plan_case *one)
{
    const struct plan_record *record = one->record;
    uint64_t now = work->world->now_ms;

    if (is_witnessed(work, record, PLAN_WITNESS_STOPPED)) {
        return PLAN_CLASS_STOPPED;
    }
    if (!GUARD(work->limits, G5) && one->row == NULL && record->state == PLAN_RECORD_ACTIVE) {
        return PLAN_CLASS_LOST;
    }
    if (one->row == NULL) {
        return is_witnessed(work, record, PLAN_WITNESS_GONE) && is_absent_long(work, record)
                   ? PLAN_CLASS_LOST
                   : PLAN_CLASS_MISSING;
    }
    if (one->row->state == PLAN_ROW_STOPPED || one->row->state == PLAN_ROW_STOPPING) {
        return PLAN_CLASS_MISSING;
    }
    if (record->sick_since_ms > 0 && standing->group != NULL &&
        now - record->sick_since_ms >= standing->group->replace_after_ms) {
        return PLAN_CLASS_SICK;
    }
    return PLAN_CLASS_SERVING;
}

/* Its machine has an id: what goes wrong with it now is seen as with any other. */
static enum plan_class waiting_classify(const struct plan_work *work,
                                        const struct plan_standing *standing,
                                        const struct plan_case *one)
{
    enum plan_class class = PLAN_CLASS_WAITING;

    if (one->record->id.length > 0) {
        class = active_classify(work, standing, one);
    }
    return class == PLAN_CLASS_SERVING || class == PLAN_CLASS_SICK ? PLAN_CLASS_WAITING : class;
}

static bool is_dead(const struct plan_case *one)
{
    return one->class == PLAN_CLASS_STOPPED || one->class == PLAN_CLASS_LOST;
}

static void case_classify(const struct plan_work *work, struct plan_standing *standing,
                          struct plan_case *one)
{
    switch (one->record->state) {
    case PLAN_RECORD_CREATE:
        one->class = waiting_classify(work, standing, one);
        standing->alive += !is_dead(one);
        standing->dead += is_dead(one);
        standing->running += one->row != NULL && one->class == PLAN_CLASS_WAITING;
        break;
    case PLAN_RECORD_DELETE:
        one->class = PLAN_CLASS_LEAVING;
        standing->leaving++;
        break;
    case PLAN_RECORD_ACTIVE:
        one->class = active_classify(work, standing, one);
        standing->active++;
        standing->missing += one->class == PLAN_CLASS_MISSING && !is_known_gone(work, one);
        standing->stopped += one->class == PLAN_CLASS_STOPPED;
        standing->sick += one->class == PLAN_CLASS_SICK;
        standing->running += one->class == PLAN_CLASS_SERVING || one->class == PLAN_CLASS_SICK;
        standing->alive += !is_dead(one);
        standing->dead += is_dead(one);
        break;
    }
}

static bool is_alive(const struct plan_case *one)
{
    return one->class != PLAN_CLASS_LEAVING && one->class != PLAN_CLASS_LOST &&
           one->class != PLAN_CLASS_STOPPED;
}

/* Cases come in order of slot. */
static void doubles_count(struct plan_standing *standing)
{
    for (size_t i = 0, end; i < standing->count; i = end) {
        size_t alive = 0;

        for (end = i; end < standing->count &&
                      standing->cases[end].record->slot == standing->cases[i].record->slot;
             end++) {
            alive += is_alive(&standing->cases[end]);
        }
        standing->doubled += alive > 1 ? alive - 1 : 0;
    }
}

static bool is_whole(const struct plan_source *source)
{
    return source->trouble.length == 0 && source->is_complete;
}

/* A group may have machines at more than one provider, while it moves from one to another. */
static void blindness_find(const struct plan_work *work, struct plan_standing *standing)
{
    const struct plan_group *group = standing->group;

    standing->is_blind = group != NULL && !is_whole(&work->world->sources[group->source]);
    for (size_t i = 0; i < standing->count; i++) {
        standing->is_blind |= !is_whole(plan_source_of(work, standing->cases[i].record));
    }
}

void plan_classify(struct plan_work *work)
{
    for (size_t i = 0; i < work->standing_count; i++) {
        struct plan_standing *standing = &work->standings[i];

        for (size_t j = 0; j < standing->count; j++) {
            case_classify(work, standing, &standing->cases[j]);
        }
        doubles_count(standing);
        blindness_find(work, standing);
        assert(standing->missing <= standing->active);
    }
}

/* ---- is the listing believed? (G7) ---- */

static bool is_too_much(const struct plan_work *work, size_t missing, size_t active)
{
    return GUARD(work->limits, G7) && missing > 1 &&
           missing * 1000 > active * work->limits->brake_permille;
}

void plan_brake(struct plan_work *work)
{
    const struct plan_world *world = work->world;
    size_t missing = 0;
    size_t active = 0;

    for (size_t i = 0; i < work->standing_count; i++) {
        struct plan_standing *standing = &work->standings[i];
        bool is_open = standing->group != NULL && standing->group->is_brake_open;

        if (standing->is_blind) {
            continue; /* its listing says nothing of what it lacks, and no more than that */
        }
        missing += standing->missing;
        active += standing->active;
        if (!is_open && !world->is_brake_open &&
            is_too_much(work, standing->missing, standing->active)) {
            standing->is_void = true;
            plan_hold(work, (struct plan_hold){
                                .rule = PLAN_RULE_listing_brake,
                                .group = standing->path,
                                .fact = arena_printf(work->arena, "%zu of %zu machines are missing",
                                                     standing->missing, standing->active),
                                .would_destroy = (uint32_t)standing->missing,
                                .would_create = (uint32_t)standing->missing,
                            });
        }
    }
    if (!world->is_brake_open && is_too_much(work, missing, active) && work->standing_count > 1) {
        for (size_t i = 0; i < work->standing_count; i++) {
            work->standings[i].is_void = true;
        }
        plan_hold(work, (struct plan_hold){
                            .rule = PLAN_RULE_listing_brake,
                            .fact = arena_printf(work->arena, "%zu of %zu machines are missing",
                                                 missing, active),
                            .would_destroy = (uint32_t)missing,
                            .would_create = (uint32_t)missing,
                        });
    }
}

/* ---- what is written down and asked ---- */

/* Two answers agree only if they are so far apart: asking in between says nothing new. */
static bool was_asked_lately(const struct plan_work *work, const struct plan_record *record)
{
    return record->witnessed.count > 0 &&
           work->world->now_ms - record->witnessed.last_ms < work->limits->witness_ms;
}

static void absence_observe(struct plan_work *work, const struct plan_standing *standing,
                            const struct plan_case *one, bool *may_confirm)
{
    const struct plan_record *record = one->record;
    bool is_counted = one->row == NULL && !standing->is_blind && !standing->is_void;

    if (is_counted) {
        plan_act_case(
            work, standing, one, PLAN_ACT_NOTE, PLAN_RULE_absent,
            arena_printf(work->arena, "%.*s in a row",
                         TEXT_ARG(plan_count(work, record->absence.count + 1, "absence"))));
    }
    if (!*may_confirm || record->id.length == 0 || record->is_calling ||
        plan_source_of(work, record)->trouble.length > 0 || was_asked_lately(work, record) ||
        (standing->is_void && is_known_gone(work, one)) ||
        (is_counted && record->absence.count + 1 < work->limits->absences)) {
        return;
    }
    if (standing->is_void) {
        *may_confirm = false; /* a brake opens by one confirmed machine a pass */
    }
    plan_act_case(work, standing, one, PLAN_ACT_CONFIRM, PLAN_RULE_confirm,
                  one->row == NULL ? TEXT("it is not listed")
                                   : TEXT("it is listed as not running"));
}

static void waiting_observe(struct plan_work *work, const struct plan_standing *standing,
                            const struct plan_case *one)
{
    const struct plan_record *record = one->record;

    if (one->row == NULL) {
        return; /* whether it is asked for again is known when it is known who goes */
    }
    if (record->id.length == 0) {
        plan_act_case(work, standing, one, PLAN_ACT_SET_ID, PLAN_RULE_adopt,
                      arena_printf(work->arena, "%.*s is listed", TEXT_ARG(one->row->id)));
    }
    if (one->row->state == PLAN_ROW_RUNNING && !plan_is_old_life(work, record)) {
        plan_act_case(work, standing, one, PLAN_ACT_ACTIVATE, PLAN_RULE_activate,
                      arena_printf(work->arena, "%.*s runs", TEXT_ARG(one->row->id)));
    }
}

/* Not while a call is under way, nor before the provider wants to be asked again. */
static bool plan_may_ask(const struct plan_work *work, const struct plan_record *record)
{
    return !record->is_calling && work->world->now_ms >= record->call_after_ms;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void leaving_observe(struct plan_work *work, const struct plan_standing *standing,
                            const struct plan_case *one)
{
    const struct plan_record *record = one->record;
    bool is_there = one->row != NULL && one->row->state != PLAN_ROW_STOPPED;
    uint64_t late_ms = max_u64(work->limits->late_ms, plan_source_of(work, record)->late_ms);
    bool is_late =
        work->world->now_ms - record->condemned_ms >= late_ms || !GUARD(work->limits, G12);

    if (!GUARD(work->limits, G14) && one->row != NULL && one->row->state == PLAN_ROW_RUNNING &&
        record->id.length > 0 && standing->group != NULL &&
        standing->alive < standing->group->size) {
        plan_act_case(work, standing, one, PLAN_ACT_ACTIVATE, PLAN_RULE_activate,
                      TEXT("it runs, and is wanted again"));
        return;
    }
    if (one->row != NULL && record->id.length == 0) {
        plan_act_case(work, standing, one, PLAN_ACT_SET_ID, PLAN_RULE_late,
                      arena_printf(work->arena, "%.*s has come after all", TEXT_ARG(one->row->id)));
        return; /* no call before the id is in the record (G12) */
    }
    if (record->id.length == 0) {
        if (is_late && !standing->is_blind) {
            plan_act_case(work, standing, one, PLAN_ACT_FORGET, PLAN_RULE_forget,
                          TEXT("no machine has come in all that time"));
        }
        return;
    }
    if (record->is_answered && !is_there) {
        plan_act_case(work, standing, one, PLAN_ACT_FORGET, PLAN_RULE_forget,
                      TEXT("the provider has said that it is done"));
    } else if (plan_may_call(work, standing) && plan_may_ask(work, record)) {
        plan_act_case(work, standing, one, PLAN_ACT_TERMINATE, PLAN_RULE_terminate,
                      record->is_answered ? TEXT("it is still listed")
                                          : TEXT("no definite answer yet"));
    }
}

void plan_observe(struct plan_work *work)
{
    bool may_confirm = true;

    for (size_t i = 0; i < work->standing_count; i++) {
        const struct plan_standing *standing = &work->standings[i];

        for (size_t j = 0; j < standing->count; j++) {
            const struct plan_case *one = &standing->cases[j];

            if (one->class == PLAN_CLASS_MISSING) {
                absence_observe(work, standing, one, &may_confirm);
            } else if (one->class == PLAN_CLASS_WAITING) {
                waiting_observe(work, standing, one);
            } else if (one->class == PLAN_CLASS_LEAVING) {
                leaving_observe(work, standing, one);
            }
        }
    }
}

void plan_ask(struct plan_work *work)
{
    for (size_t i = 0; i < work->standing_count; i++) {
        const struct plan_standing *standing = &work->standings[i];

        for (size_t j = 0; j < standing->count; j++) {
            const struct plan_case *one = &standing->cases[j];

            if (one->class == PLAN_CLASS_WAITING && one->row == NULL && !one->is_chosen &&
                one->record->id.length == 0 && !plan_is_old_life(work, one->record) &&
                plan_may_call(work, standing) && plan_may_ask(work, one->record)) {
                plan_act_case(work, standing, one, PLAN_ACT_ASK, PLAN_RULE_ask_again,
                              TEXT("no machine has its token yet"));
            }
        }
    }
}
