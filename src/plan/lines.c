#include "base/buf.h"
#include "plan/compute.h"

/* public names start with: plan_ */

struct text plan_lines(struct arena *arena, const struct plan_world *world, const struct plan *plan)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < plan->action_count; i++) {
        const struct plan_action *action = &plan->actions[i];
        struct text who = action->record != PLAN_NONE ? world->records[action->record].token
                          : action->row != PLAN_NONE  ? world->rows[action->row].id
                                                      : TEXT("");

        buf_printf(&buf, "%s %.*s/%llu", plan_act_name(action->act), TEXT_ARG(action->group),
                   (unsigned long long)action->slot);
        if (who.length > 0) {
            buf_printf(&buf, " %.*s", TEXT_ARG(who));
        }
        if (action->zone.length > 0) {
            buf_printf(&buf, " in %.*s", TEXT_ARG(action->zone));
        }
        buf_printf(&buf, " [%s] %.*s\n", plan_rule_name(action->rule), TEXT_ARG(action->fact));
    }
    for (size_t i = 0; i < plan->hold_count; i++) {
        const struct plan_hold *hold = &plan->holds[i];

        buf_printf(&buf, "hold %.*s [%s] %.*s",
                   TEXT_ARG(hold->group.length == 0 ? TEXT("*") : hold->group),
                   plan_rule_name(hold->rule), TEXT_ARG(hold->fact));
        if (hold->would_destroy > 0 || hold->would_create > 0) {
            buf_printf(&buf, "; would destroy %u, create %u", hold->would_destroy,
                       hold->would_create);
        }
        buf_add_string(&buf, "\n");
    }
    return buf_text(&buf);
}
