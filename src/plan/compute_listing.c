#include "plan/compute_parts.h"

#include <assert.h>

/* Decides whether each listing arrived and whether it is trusted. A missing listing is reported. A
 * listing without most of the running machines is void (G7). If a trusted listing lacks a machine,
 * its absence is counted and the machine is looked up by id (G5). */

/* ---- absent listings ---- */

/* True if the failure of a listing must be reported. A single failed listing is not reported,
 * because the next pass requests it again. */
static bool is_compute_listing_reported(const struct plan_work *work,
                                        const struct plan_source *source)
{
    return !plan_is_whole(source) && !source->is_unreachable && source->unpinned.length == 0 &&
           (source->is_missing ||
            (source->unheard_since_ms > 0 &&
             work->world->now_ms - source->unheard_since_ms >= work->limits->unheard_ms));
}

static struct text source_report(struct plan_work *work, const struct plan_source *source)
{
    struct text what = source->problem.length > 0      ? source->problem
                       : source->unreadable.length > 0 ? source->unreadable
                                                       : TEXT("the listing is incomplete");

    if (source->unheard_since_ms == 0) {
        return arena_printf(work->arena, "%.*s: %.*s", TEXT_ARG(source->name), TEXT_ARG(what));
    }
    return arena_printf(
        work->arena, "%.*s, for %llu min: %.*s", TEXT_ARG(source->name),
        (unsigned long long)((work->world->now_ms - source->unheard_since_ms) / 60000),
        TEXT_ARG(what));
}

/* Creates one hold for all sources without a listing. Its text has the number of machines that are
 * not observed, and the reason. */
void plan_unlisted(struct plan_work *work)
{
    struct text fact = TEXT("");
    size_t blind = 0;

    for (size_t i = 0; i < work->world->source_count; i++) {
        const struct plan_source *source = &work->world->sources[i];

        if (is_compute_listing_reported(work, source)) {
            struct text reported = source_report(work, source);

            fact = fact.length == 0 ? reported
                                    : arena_printf(work->arena, "%.*s; %.*s", TEXT_ARG(fact),
                                                   TEXT_ARG(reported));
        }
    }
    if (fact.length == 0) {
        return;
    }
    for (size_t i = 0; i < work->current_count; i++) {
        blind += work->standings[i].is_blind ? work->standings[i].count : 0;
    }
    if (blind > 0) {
        fact = arena_printf(work->arena, "%.*s; unmanaged: %.*s", TEXT_ARG(fact),
                            TEXT_ARG(plan_count(work, blind, "machine")));
    }
    plan_hold(work, (struct plan_hold){ .rule = PLAN_RULE_unlisted, .fact = fact });
}

/* ---- plugins without approval ---- */

/* Returns the first group by path that uses the source, even as an alternative; empty if no group
 * does. */
static struct text first_user(const struct plan_world *world, size_t source)
{
    struct text first = TEXT("");

    for (size_t i = 0; i < world->group_count; i++) {
        const struct plan_group *group = &world->groups[i];
        bool is_used = group->source == source;

        for (size_t j = 0; j < group->alternative_count; j++) {
            is_used |= group->alternatives[j].source == source;
        }
        if (is_used && (first.length == 0 || text_compare(group->path, first) < 0)) {
            first = group->path;
        }
    }
    return first;
}

/* Creates one hold on one group for each plugin. An operator approves the plugin by the digest that
 * the hold shows. The second plugin of a group waits for the approval of the first. */
void plan_unpinned(struct plan_work *work)
{
    const struct plan_world *world = work->world;

    for (size_t i = 0; i < world->source_count; i++) {
        struct plan_hold hold = { .rule = PLAN_RULE_unpinned, .fact = world->sources[i].unpinned };
        bool is_compute_listing_reported = false;

        if (hold.fact.length == 0) {
            continue;
        }
        hold.group = first_user(world, i);
        for (size_t j = 0; j < i; j++) {
            is_compute_listing_reported |= world->sources[j].unpinned.length > 0 &&
                                           text_is_equal(first_user(world, j), hold.group);
        }
        if (!is_compute_listing_reported) {
            plan_hold(work, hold);
        }
    }
}

/* ---- trust in listings (G7) ---- */

/* True if so many machines are missing that the listing is void. Machines whose absence an operator
 * has approved are not counted. */
static bool is_compute_listing_too_much(const struct plan_work *work, size_t missing,
                                        size_t present)
{
    return GUARD(work->limits, G7) && missing > 1 &&
           missing * 1000 > present * work->limits->brake_permille;
}

/* True for a machine that a listing brake counts as missing. Machines that are confirmed as gone
 * count too, because after an outage lookups by id confirm the machines one after the other. */
static bool is_compute_listing_missing(const struct plan_case *one)
{
    return one->record->state == PLAN_RECORD_ACTIVE && one->class == PLAN_CLASS_MISSING &&
           !one->record->is_believed;
}

/* The observation of a listing brake: how many machines are missing, and which. Two observations
 * with the same missing machines get the same name, regardless of the order of the machines. */
struct sight {
    size_t missing; /* missing machines that are not confirmed as gone */
    size_t present;
    size_t lost;
    uint64_t which; /* hash of the tokens of the missing machines */
    uint64_t sources;
};

static void sight_add(const struct plan_group_state *current, struct sight *sight)
{
    sight->missing += current->missing;
    sight->present += current->active - current->believed;
    for (size_t i = 0; i < current->count; i++) {
        const struct plan_case *one = &current->cases[i];

        sight->lost += is_compute_listing_missing(one);
        sight->which += is_compute_listing_missing(one) ? text_hash(one->record->token, 1) : 0;
        sight->sources |= plan_hold_source(one->record->source);
    }
}

static struct text sight_name(const struct plan_work *work, const struct sight *sight)
{
    return arena_printf(work->arena, "%zu-%016llx", sight->lost, (unsigned long long)sight->which);
}

/* True if an operator has approved this observation. An approval covers the machines that were
 * missing at that time. Each of them counts as `believed` until it is listed again. Machines that
 * go missing later trigger another brake (G20). */
static bool is_compute_listing_approved(const struct plan_work *work, struct text approved,
                                        const struct sight *sight)
{
    return approved.length > 0 &&
           (!GUARD(work->limits, G20) || text_is_equal(approved, sight_name(work, sight)));
}

static void current_believe(struct plan_work *work, struct plan_group_state *current)
{
    for (size_t i = 0; i < current->count; i++) {
        if (is_compute_listing_missing(&current->cases[i])) {
            current->believed++;
            plan_act_case(work, current, &current->cases[i], PLAN_ACT_NOTE, PLAN_RULE_believed,
                          TEXT("an operator approved the listing without the machine"));
        }
    }
    current->missing = 0;
}

static void brake_hold(struct plan_work *work, struct text group, const struct sight *sight)
{
    plan_hold(work, (struct plan_hold){
                        .rule = PLAN_RULE_listing_brake,
                        .group = group,
                        .fact = arena_printf(work->arena, "%zu of %zu machines are missing",
                                             sight->missing, sight->present),
                        .observation = sight_name(work, sight),
                        .sources = group.length > 0 ? 0 : sight->sources,
                        .would_destroy = (uint32_t)sight->missing,
                        .would_create = (uint32_t)sight->missing,
                    });
}

static void current_brake(struct plan_work *work, struct plan_group_state *current)
{
    struct sight sight = { 0 };

    sight_add(current, &sight);
    if (!is_compute_listing_too_much(work, sight.missing, sight.present)) {
        return;
    }
    if (current->group != NULL &&
        is_compute_listing_approved(work, current->group->brake_approved, &sight)) {
        current_believe(work, current);
        return;
    }
    current->is_void = true;
    brake_hold(work, current->path, &sight);
}

/* Make the observation for the whole cluster. It counts only groups with complete listings, because
 * an incomplete listing proves nothing (G19). */
static struct sight cluster_sight(const struct plan_work *work)
{
    struct sight sight = { 0 };

    for (size_t i = 0; i < work->current_count; i++) {
        if (!work->standings[i].is_blind) {
            sight_add(&work->standings[i], &sight);
        }
    }
    return sight;
}

void plan_brake(struct plan_work *work)
{
    struct sight sight = cluster_sight(work);
    bool is_braked =
        is_compute_listing_too_much(work, sight.missing, sight.present) && work->current_count > 1;
    bool is_open =
        is_braked && is_compute_listing_approved(work, work->world->brake_approved, &sight);

    for (size_t i = 0; i < work->current_count; i++) {
        struct plan_group_state *current = &work->standings[i];

        if (!current->is_blind && is_open) {
            current_believe(work, current);
        } else if (!current->is_blind) {
            current_brake(work, current);
        }
    }
    if (is_open || !is_braked) {
        return;
    }
    /* This count excludes the machines whose absence was approved for a single group. */
    sight = cluster_sight(work);
    if (is_compute_listing_too_much(work, sight.missing, sight.present)) {
        for (size_t i = 0; i < work->current_count; i++) {
            work->standings[i].is_void = true;
        }
        brake_hold(work, TEXT(""), &sight);
    }
}

/* ---- absences and lookups by id ---- */

/* True if the last lookup was less than lookup_ms ago. Another lookup now would add no evidence. */
static bool was_asked_lately(const struct plan_work *work, const struct plan_record *record)
{
    return record->looked_up.count > 0 &&
           work->world->now_ms - record->looked_up.last_ms < work->limits->lookup_ms;
}

static void absence_observe(struct plan_work *work, const struct plan_group_state *current,
                            const struct plan_case *one, bool *may_confirm)
{
    const struct plan_record *record = one->record;
    bool is_counted = one->row == NULL && !current->is_blind && !current->is_void;

    if (is_counted) {
        plan_act_case(
            work, current, one, PLAN_ACT_NOTE, PLAN_RULE_absent,
            arena_printf(work->arena, "%.*s in a row",
                         TEXT_ARG(plan_count(work, record->absence.count + 1, "absence"))));
    }
    if (!*may_confirm || record->id.length == 0 || record->is_calling ||
        plan_source_of(work, record)->problem.length > 0 || was_asked_lately(work, record) ||
        (current->is_void && plan_is_known_gone(work, one)) ||
        (is_counted && record->absence.count + 1 < work->limits->absences)) {
        return;
    }
    if (current->is_void) {
        /* While the brake holds, each pass looks up one machine. */
        *may_confirm = false;
    }
    plan_act_case(work, current, one, PLAN_ACT_CONFIRM, PLAN_RULE_confirm,
                  one->row == NULL ? TEXT("the machine is not listed")
                  : one->row->state == PLAN_ROW_ENDED
                      ? TEXT("the machine is listed as ended")
                      : TEXT("the machine is listed as not running"));
}

void plan_observe(struct plan_work *work)
{
    bool may_confirm = true;

    for (size_t i = 0; i < work->current_count; i++) {
        const struct plan_group_state *current = &work->standings[i];

        for (size_t j = 0; j < current->count; j++) {
            if (current->cases[j].class == PLAN_CLASS_MISSING) {
                absence_observe(work, current, &current->cases[j], &may_confirm);
            }
        }
    }
}
