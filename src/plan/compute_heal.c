#include "plan/compute_parts.h"

#include <assert.h>

/* What is known not to serve any more is terminated first; the slot is filled when that has had a definite
 * answer (G6). What is gone or stopped costs no budget: it does not run. */

static bool heals(const struct plan_standing *standing)
{
    return standing->group == NULL || standing->group->heal == PLAN_HEAL_REPLACE;
}

static void case_condemn(struct plan_work *work, struct plan_standing *standing,
                         struct plan_case *one, enum plan_rule rule, struct text fact)
{
    assert(!one->is_chosen);
    one->is_chosen = true;
    standing->dead -= one->class != PLAN_CLASS_SICK;
    standing->leaving++;
    plan_act_case(work, standing, one, PLAN_ACT_DESTROY, rule, fact);
}

/* More sick machines than that say that something else is wrong (X5). What is gone is not counted. */
static bool is_unhealthy(const struct plan_standing *standing)
{
    size_t bad = standing->stopped + standing->sick;

    return standing->group != NULL && bad > 1 &&
           bad * 1000 > standing->active * standing->group->unhealthy_permille;
}

static struct text duration_text(struct plan_work *work, uint64_t ms)
{
    return arena_printf(work->arena, "for %llu s", (unsigned long long)(ms / 1000));
}

static void standing_heal(struct plan_work *work, struct plan_standing *standing)
{
    bool is_braked = is_unhealthy(standing);
    size_t held = 0;
    size_t waiting = 0;

    for (size_t i = 0; i < standing->count; i++) {
        struct plan_case *one = &standing->cases[i];

        if (one->class == PLAN_CLASS_LOST) {
            case_condemn(
                work, standing, one, PLAN_RULE_lost,
                arena_printf(work->arena, "%.*s, not found by its id %u times",
                             TEXT_ARG(plan_count(work, one->record->absence.count + 1, "absence")),
                             one->record->witnessed.count));
        } else if (one->class == PLAN_CLASS_STOPPED || one->class == PLAN_CLASS_SICK) {
            bool is_sick = one->class == PLAN_CLASS_SICK;

            if (is_braked) {
                held++;
            } else if (is_sick && work->budget == 0) {
                waiting++;
            } else {
                work->budget -= is_sick;
                standing->alive -= is_sick;
                standing->running -= is_sick;
                case_condemn(
                    work, standing, one, is_sick ? PLAN_RULE_sick : PLAN_RULE_stopped,
                    is_sick ? duration_text(work, work->world->now_ms - one->record->sick_since_ms)
                            : arena_printf(work->arena, "%u answers agree",
                                           one->record->witnessed.count));
            }
        }
    }
    if (held > 0) {
        plan_hold(work,
                  (struct plan_hold){
                      .rule = PLAN_RULE_unhealthy_brake,
                      .group = standing->path,
                      .fact = arena_printf(work->arena, "%zu of %zu machines are sick",
                                           standing->stopped + standing->sick, standing->active),
                      .would_destroy = (uint32_t)held,
                      .would_create = (uint32_t)held,
                  });
    }
    if (waiting > 0) {
        plan_hold(work,
                  (struct plan_hold){
                      .rule = PLAN_RULE_budget,
                      .group = standing->path,
                      .fact = arena_printf(work->arena, "%zu wait for the next window", waiting),
                      .would_destroy = (uint32_t)waiting,
                      .would_create = (uint32_t)waiting,
                  });
    }
}

void plan_heal(struct plan_work *work)
{
    for (size_t i = 0; i < work->standing_count; i++) {
        struct plan_standing *standing = &work->standings[i];

        if (heals(standing) && !standing->is_void && !standing->is_blind &&
            plan_may_call(work, standing)) {
            standing_heal(work, standing);
        }
    }
}
