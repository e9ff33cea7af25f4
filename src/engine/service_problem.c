#include "engine/displayed.h"
#include "engine/node_state.h"
#include "engine/service_parts.h"

/* names: service_ */

/* Of a node that is refused, failed, unhealthy or unreachable: why, since when, what reeve does about it next, and when. A node for
 * which reeve does nothing says so, with what an operator can do. */

/* A time of the cluster's clock, by everybody's: the record was created at both. */
static int64_t wall_of(const struct record *record, uint64_t moment_ms)
{
    return moment_ms == 0 || record->made_wall_ms == 0
               ? 0
               : record->made_wall_ms + (int64_t)moment_ms - (int64_t)record->plan.created_ms;
}

/* What its group says; NULL: it is not wanted any more, or cannot be read. One cluster is read once. */
static const struct fleet_group *policy_find(struct service_policies *policies,
                                             const struct record *record)
{
    const struct cache_object *object =
        cache_find(policies->service->cache, policies->tenant, TEXT("Cluster"), policies->id);
    struct stored_object stored;
    struct err err;

    if (!policies->is_read) {
        policies->is_read = true;
        policies->is_known = object != NULL &&
                             objects_read(policies->arena, policies->service->cache,
                                          objects_kind("Cluster"), object, &stored, &err) &&
                             fleet_groups_read(policies->arena, &stored, &policies->cluster);
    }
    return policies->is_known ? fleet_group_find(&policies->cluster, record->plan.group) : NULL;
}

struct next {
    const char *text;
    int64_t at_ms; /* by everybody's clock; 0: no time is known */
};

static struct next healing_of(const struct record *record, const struct fleet_group *group,
                              uint64_t since_ms)
{
    int64_t at_ms = wall_of(record, since_ms + group->plan.replace_after_ms);

    switch (group->plan.heal) {
    case PLAN_HEAL_OFF:
        break;
    case PLAN_HEAL_REBOOT:
        return (struct next){ "it is rebooted", at_ms };
    case PLAN_HEAL_REPLACE:
        return (struct next){ "it is replaced", at_ms };
    }
    return (struct next){ "reeve does nothing: heal is off; mend it, or destroy it", 0 };
}

static struct next failed_next(const struct record *record, const struct fleet_group *group)
{
    if (!record->plan.is_starting) {
        return (struct next){
            "reeve does nothing: it has served; mend the bundle and apply it, or retry the job", 0
        };
    }
    if (group->plan.heal != PLAN_HEAL_REPLACE) {
        return (struct next){ "reeve does nothing: heal is not replace; retry the job", 0 };
    }
    return (struct next){ "it is kept, and then replaced",
                          wall_of(record, record->plan.failed_since_ms + group->plan.kept_ms) };
}

static struct next next_of(enum displayed displayed, const struct record *record,
                           const struct fleet_group *group)
{
    if (displayed == DISPLAYED_REFUSED) {
        return (struct next){ "it is requested again",
                              wall_of(record, record->plan.call_after_ms) };
    }
    if (group == NULL) {
        return (struct next){ "reeve does nothing: its group is not known", 0 };
    }
    if (displayed == DISPLAYED_FAILED) {
        return failed_next(record, group);
    }
    if (displayed == DISPLAYED_UNREACHABLE && group->plan.unreachable != PLAN_UNREACHABLE_REPLACE) {
        return (struct next){ "reeve does nothing until it answers: onUnreachable is not replace",
                              0 };
    }
    return healing_of(record, group,
                      displayed == DISPLAYED_UNREACHABLE ? record->plan.unreachable_since_ms
                                                         : record->plan.sick_since_ms);
}

static int64_t since_of(enum displayed displayed, const struct record *record)
{
    uint64_t since_ms = displayed == DISPLAYED_FAILED      ? record->plan.failed_since_ms
                        : displayed == DISPLAYED_UNHEALTHY ? record->plan.sick_since_ms
                                                           : record->plan.unreachable_since_ms;

    if (displayed == DISPLAYED_REFUSED) {
        return record->made_wall_ms;
    }
    return displayed == DISPLAYED_UNREACHABLE && record->silent_wall_ms > 0
               ? record->silent_wall_ms
               : wall_of(record, since_ms);
}

/* Of a failed stage its line of output, and how it ended. */
static struct text cause_of(struct service_policies *policies, const struct record *record)
{
    struct arena *arena = policies->arena;
    struct node_state state;

    if (record->plan.failed_since_ms == 0 ||
        !service_node_read(
            policies->service, arena, policies->tenant,
            arena_printf(arena, "%.*s/%.*s", TEXT_ARG(policies->id), TEXT_ARG(record->plan.token)),
            &state)) {
        return record->cause;
    }
    return arena_printf(arena, "stage-%u %.*s: %.*s (%s)", state.number, TEXT_ARG(state.stage),
                        TEXT_ARG(state.why.length > 0 ? state.why : TEXT("it wrote nothing")),
                        state.code > 0 ? arena_printf(arena, "exit %d", state.code).data
                                       : nodes_end_name(state.end));
}

struct doc service_problem_show(struct service_policies *policies, const struct record *record)
{
    enum displayed displayed = displayed_of(&record->plan);
    struct arena *arena = policies->arena;
    struct doc_builder builder;
    struct text cause;
    struct next next;

    if (displayed > DISPLAYED_UNREACHABLE) {
        return (struct doc){ 0 };
    }
    cause = cause_of(policies, record);
    next = next_of(displayed, record, policy_find(policies, record));
    doc_builder_init(&builder, arena);
    if (cause.length > 0) {
        doc_builder_put(&builder, "cause", doc_text(cause, NULL));
    }
    doc_builder_put(&builder, "next", doc_text(text_from(next.text), NULL));
    if (next.at_ms > 0) {
        doc_builder_put(&builder, "nextAt", doc_int(arena, next.at_ms, NULL));
    }
    if (since_of(displayed, record) > 0) {
        doc_builder_put(&builder, "since", doc_int(arena, since_of(displayed, record), NULL));
    }
    return doc_builder_map(&builder, NULL);
}
