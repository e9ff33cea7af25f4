#include "plan/compute_parts.h"

#include <assert.h>

/* What a listing says, and whether it is believed: one that does not come is told, one that lacks most of what
 * runs is void (G7), and what a believed one lacks is written down and asked for by its id (G5). */

/* ---- is there one? ---- */

/* One that fails now and then is nobody's worry: the next pass asks again. */
static bool is_told(const struct plan_work *work, const struct plan_source *source)
{
    return !plan_is_whole(source) && source->unpinned.length == 0 &&
           (source->is_missing ||
            (source->unheard_since_ms > 0 &&
             work->world->now_ms - source->unheard_since_ms >= work->limits->unheard_ms));
}

static struct text source_tell(struct plan_work *work, const struct plan_source *source)
{
    struct text what =
        source->trouble.length > 0 ? source->trouble : TEXT("its listing is not whole");

    if (source->unheard_since_ms == 0) {
        return arena_printf(work->arena, "%.*s: %.*s", TEXT_ARG(source->name), TEXT_ARG(what));
    }
    return arena_printf(
        work->arena, "%.*s, for %llu min: %.*s", TEXT_ARG(source->name),
        (unsigned long long)((work->world->now_ms - source->unheard_since_ms) / 60000),
        TEXT_ARG(what));
}

/* One hold for all of them: it says what is not looked after, and why. */
void plan_unlisted(struct plan_work *work)
{
    struct text fact = TEXT("");
    size_t blind = 0;

    for (size_t i = 0; i < work->world->source_count; i++) {
        const struct plan_source *source = &work->world->sources[i];

        if (is_told(work, source)) {
            struct text told = source_tell(work, source);

            fact = fact.length == 0
                       ? told
                       : arena_printf(work->arena, "%.*s; %.*s", TEXT_ARG(fact), TEXT_ARG(told));
        }
    }
    if (fact.length == 0) {
        return;
    }
    for (size_t i = 0; i < work->standing_count; i++) {
        blind += work->standings[i].is_blind ? work->standings[i].count : 0;
    }
    if (blind > 0) {
        fact = arena_printf(work->arena, "%.*s; %.*s not looked after", TEXT_ARG(fact),
                            TEXT_ARG(plan_count(work, blind, "machine")));
    }
    plan_hold(work, (struct plan_hold){ .rule = PLAN_RULE_unlisted, .fact = fact });
}

/* ---- may its plugin be run? ---- */

/* The first group, by its path, whose machines it makes, or would; empty: none any more. */
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

/* A hold on one group for each plugin: it is approved by the digest that it shows. Of two plugins of a group the second
 * waits for the first. */
void plan_unpinned(struct plan_work *work)
{
    const struct plan_world *world = work->world;

    for (size_t i = 0; i < world->source_count; i++) {
        struct plan_hold hold = { .rule = PLAN_RULE_unpinned, .fact = world->sources[i].unpinned };
        bool is_told = false;

        if (hold.fact.length == 0) {
            continue;
        }
        hold.group = first_user(world, i);
        for (size_t j = 0; j < i; j++) {
            is_told |= world->sources[j].unpinned.length > 0 &&
                       text_is_equal(first_user(world, j), hold.group);
        }
        if (!is_told) {
            plan_hold(work, hold);
        }
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
        (standing->is_void && plan_is_known_gone(work, one)) ||
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

void plan_observe(struct plan_work *work)
{
    bool may_confirm = true;

    for (size_t i = 0; i < work->standing_count; i++) {
        const struct plan_standing *standing = &work->standings[i];

        for (size_t j = 0; j < standing->count; j++) {
            if (standing->cases[j].class == PLAN_CLASS_MISSING) {
                absence_observe(work, standing, &standing->cases[j], &may_confirm);
            }
        }
    }
}
