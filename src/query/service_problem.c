#include "base/time.h"
#include "cause/cause.h"
#include "codec/json.h"
#include "query/problem.h"
#include "query/query_parts.h"
#include "records/displayed.h"
#include "records/node_state.h"
#include "service/select.h"

/* public names start with: service_ */

/* The problem of a node that is refused, failed, unhealthy, unreachable or blocked: its reason and
 * start, and the time and kind of reeve's next action. If reeve takes no action, the text has the
 * command for the operator. */

/* Convert a time of the cluster's clock to wall clock time, by the record's creation time, which is
 * known by both clocks. */
static int64_t problem_wall_of(const struct record *record, uint64_t moment_ms)
{
    return moment_ms == 0 || record->made_wall_ms == 0
               ? 0
               : record->made_wall_ms + (int64_t)moment_ms - (int64_t)record->plan.created_ms;
}

const struct fleet_group *service_policy_find(struct service_policies *policies,
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
    int64_t at_ms; /* time by the wall clock; 0: unknown */
    bool is_act;   /* the next step is an action of reeve, so a hold can stop it */
};

static struct next healing_of(const struct record *record, const struct fleet_group *group,
                              uint64_t since_ms)
{
    int64_t at_ms = problem_wall_of(record, since_ms + group->plan.replace_after_ms);

    switch (group->plan.heal) {
    case PLAN_HEAL_OFF:
        break;
    case PLAN_HEAL_REBOOT:
        return (struct next){ "reeve reboots the machine", at_ms, true };
    case PLAN_HEAL_REPLACE:
        return record->plan.is_protected || group->plan.is_protected
                   ? (struct next){ "reeve does nothing: the machine is protected", 0, false }
                   : (struct next){ "reeve replaces the machine", at_ms, true };
    }
    return (struct next){ "reeve does nothing: heal is off; repair the machine, or destroy it", 0,
                          false };
}

static struct next failed_next(const struct record *record, const struct fleet_group *group)
{
    if (!record->plan.is_starting) {
        return (struct next){
            "reeve does nothing: the machine has been ready before; repair the bundle and apply it, or retry the job",
            0, false
        };
    }
    if (group->plan.heal != PLAN_HEAL_REPLACE) {
        return (struct next){ "reeve does nothing: heal is not replace; retry the job", 0, false };
    }
    return (struct next){
        "reeve keeps the machine for inspection, and then replaces it",
        problem_wall_of(record, record->plan.failed_since_ms + group->plan.kept_ms), true
    };
}

/* True if a provider call about the machine is in progress in this manager. */
static bool is_requested_now(const struct service_policies *policies, struct arena *arena,
                             const struct record *record)
{
    const struct service_controller *reconciler = &policies->service->reconciler;

    return reconciler->is_calling != NULL &&
           reconciler->is_calling(
               reconciler->arg,
               arena_printf(arena, "%.*s/%.*s", TEXT_ARG(policies->tenant), TEXT_ARG(policies->id)),
               record->plan.token);
}

static struct next problem_next_of(enum displayed displayed, const struct record *record,
                                   const struct fleet_group *group)
{
    if (displayed == DISPLAYED_REFUSED && record->plan.fault == PLAN_FAULT_WRONG) {
        return (struct next){
            "reeve requests the machine again only after a change of its group, or a retry", 0,
            false
        };
    }
    if (displayed == DISPLAYED_REFUSED || displayed == DISPLAYED_CREATING) {
        return (struct next){ "reeve requests the machine again",
                              problem_wall_of(record, record->plan.call_after_ms), true };
    }
    if (group == NULL) {
        return (struct next){ "reeve does nothing: the group of the machine is not known", 0,
                              false };
    }
    if (displayed == DISPLAYED_FAILED) {
        return failed_next(record, group);
    }
    if (displayed == DISPLAYED_UNREACHABLE && group->plan.unreachable != PLAN_UNREACHABLE_REPLACE) {
        return (struct next){
            "reeve does nothing until the machine answers: onUnreachable is not replace", 0, false
        };
    }
    return healing_of(record, group,
                      displayed == DISPLAYED_UNREACHABLE ? record->plan.unreachable_since_ms
                                                         : record->plan.failing_since_ms);
}

/* Return the status of a hold without an answer; empty if there is none. An empty group means a
 * hold of the cluster. */
static struct text problem_hold(const struct service_policies *policies, struct arena *arena,
                                const char *rule, struct text group)
{
    const struct cache_object *hold =
        cache_find(policies->service->cache, policies->tenant, TEXT("Hold"),
                   arena_printf(arena, "%.*s/%s%s%.*s", TEXT_ARG(policies->id), rule,
                                group.length > 0 ? "/" : "", TEXT_ARG(group)));

    return hold == NULL || hold->parts[CACHE_STATUS].bytes == NULL ||
                   hold->parts[CACHE_SPEC].bytes != NULL
               ? TEXT("")
               : blob_text(hold->parts[CACHE_STATUS].bytes);
}

/* Returns the next action under the current holds. A pause stops every action; other rules stop
 * only actions that destroy or reboot a machine. */
static struct next held_next(const struct service_policies *policies, struct arena *arena,
                             const struct record *record, struct next next)
{
    static const struct {
        const char *rule;
        const char *text;
        bool is_of_all;
    } holds[] = {
        { "paused", "reeve does nothing while the cluster or group is paused", true },
        { "store_went_back", "reeve does nothing until the hold store_went_back is approved",
          true },
        { "self_suspicion", "reeve does nothing until the hold self_suspicion ends", false },
        { "unhealthy_brake", "reeve does nothing until the hold unhealthy_brake ends", false },
        { "budget", "reeve waits for the next window of the hold budget", false },
        { "unhealed", "reeve does nothing more: repair the machine by hand, or replace it", false },
    };
    bool is_request = record->plan.state == PLAN_RECORD_CREATE;
    struct text cause = cause_hold_attribute(
        arena, problem_hold(policies, arena, "common_cause", TEXT("")), record->name);
    bool is_caused = cause.length > 0 && next.is_act;

    for (size_t i = 0; i < ARRAY_COUNT(holds); i++) {
        if ((holds[i].is_of_all || !is_request) && next.is_act &&
            (problem_hold(policies, arena, holds[i].rule, TEXT("")).length > 0 ||
             problem_hold(policies, arena, holds[i].rule, record->plan.group).length > 0)) {
            return (struct next){ holds[i].text, 0, false };
        }
    }
    cause = arena_printf(arena, "reeve does nothing until the hold common_cause ends: %.*s",
                         TEXT_ARG(cause));
    return is_caused && !is_request ? (struct next){ cause.data, 0, false } : next;
}

static int64_t problem_since_of(enum displayed displayed, const struct record *record)
{
    uint64_t since_ms = displayed == DISPLAYED_FAILED      ? record->plan.failed_since_ms
                        : displayed == DISPLAYED_UNHEALTHY ? record->plan.failing_since_ms
                                                           : record->plan.unreachable_since_ms;

    if (displayed == DISPLAYED_REFUSED || displayed == DISPLAYED_CREATING) {
        return record->made_wall_ms;
    }
    return displayed == DISPLAYED_UNREACHABLE && record->silent_wall_ms > 0
               ? record->silent_wall_ms
               : problem_wall_of(record, since_ms);
}

/* Read the state of the machine's node. False: it is not known. */
static bool problem_state_read(const struct service_policies *policies, struct arena *arena,
                               const struct record *record, struct node_state *out)
{
    return service_node_read(
        policies->service, arena, policies->tenant,
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(policies->id), TEXT_ARG(record->plan.token)),
        out);
}

/* Return the cause of a failed stage: the line of output that shows it, and how the stage ended. */
static struct text problem_cause_of(const struct service_policies *policies, struct arena *arena,
                                    const struct record *record)
{
    struct node_state state;

    if (record->plan.failed_since_ms == 0 || !problem_state_read(policies, arena, record, &state)) {
        return record->cause;
    }
    return arena_printf(arena, "stage-%u %.*s: %.*s (%s)", state.number, TEXT_ARG(state.stage),
                        TEXT_ARG(state.why.length > 0 ? state.why : TEXT("there was no output")),
                        state.code > 0 ? arena_printf(arena, "exit %d", state.code).data
                                       : nodes_end_name(state.end));
}

/* Returns the command that shows more about the problem or, if a provider refuses, that helps. */
static struct text fault_hint(const struct service_policies *policies, struct arena *arena,
                              const struct record *record)
{
    struct text cluster =
        objects_cluster_name(policies->service->cache, arena, policies->tenant, policies->id);

    if (record->plan.state == PLAN_RECORD_ACTIVE) {
        return arena_printf(arena, "reeve %s %.*s/%.*s",
                            record->plan.failed_since_ms > 0 ? "logs" : "describe node",
                            TEXT_ARG(cluster), TEXT_ARG(record->name));
    }
    switch (record->fault) {
    case PROVIDER_FAULT_INVALID:
        return arena_printf(arena, "correct the specification: reeve edit cluster/%.*s",
                            TEXT_ARG(cluster));
    case PROVIDER_FAULT_AUTH:
        return arena_printf(arena,
                            "renew the credentials of the account that '%.*s' uses (reeve get "
                            "accounts), then: reeve job retry JOB",
                            TEXT_ARG(record->plugin));
    case PROVIDER_FAULT_QUOTA:
    case PROVIDER_FAULT_CAPACITY:
        return arena_printf(
            arena,
            "make room, or reduce the size: reeve scale %.*s/%.*s; then, to try immediately, reeve job retry JOB",
            TEXT_ARG(cluster), TEXT_ARG(record->plan.group));
    case PROVIDER_FAULT_NONE:
        return arena_printf(arena,
                            "see whether the provider behind plugin '%.*s' answers (reeve get "
                            "plugins); each try is in: reeve events cluster/%.*s",
                            TEXT_ARG(record->plugin), TEXT_ARG(cluster));
    case PROVIDER_FAULT_THROTTLED:
    case PROVIDER_FAULT_TRANSIENT:
    case PROVIDER_FAULT_GONE:
    case PROVIDER_FAULT_COUNT:
        break;
    }
    return TEXT("");
}

/* Describe a run that could not do its work. Such a run is the cause of every problem except a
 * failed stage. */
static struct service_problem blocked_of(const struct service_policies *policies,
                                         struct arena *arena, const struct record *record,
                                         const struct node_state *state)
{
    struct text cluster =
        objects_cluster_name(policies->service->cache, arena, policies->tenant, policies->id);

    return (struct service_problem){
        .cause = state->blocked_why,
        .hint = nodes_cause_hint(arena, state->blocked, cluster, record->name, record->user),
        .kind = text_from(nodes_cause_name(state->blocked)),
        .next = state->retry_wall_ms > 0 ? TEXT("reeve tries again")
                                         : TEXT("reeve tries again every few seconds"),
        .next_at_ms = state->retry_wall_ms,
        .since_ms = state->blocked_wall_ms,
    };
}

/* Describes a requested reboot that is in progress or overdue. After an overdue reboot, no probe
 * has determined the machine's state yet. */
static struct service_problem reboot_of(const struct service_policies *policies,
                                        struct arena *arena, const struct record *record)
{
    bool is_late = record->plan.is_reboot_late;

    return (struct service_problem){
        .cause = is_late ? record->cause : record_reboot_cause(arena, record),
        .hint = is_late ? fault_hint(policies, arena, record) : TEXT(""),
        .next =
            is_late
                ? TEXT(
                      "reeve does nothing until the machine answers; look at the machine, reboot it again or replace it")
                : TEXT("the machine is ready when it has booted again and its probe succeeds"),
        .since_ms = problem_wall_of(record, record->plan.reboot_begun_ms),
    };
}

bool service_problem_find(struct service_policies *policies, struct arena *arena,
                          const struct record *record, struct service_problem *out)
{
    enum displayed displayed = displayed_of(&record->plan);
    struct node_state state;
    struct next next;

    if (record->is_blocked && displayed != DISPLAYED_FAILED && displayed != DISPLAYED_LEAVING &&
        problem_state_read(policies, arena, record, &state) && state.blocked != NODES_CAUSE_NONE) {
        *out = blocked_of(policies, arena, record, &state);
        return true;
    }
    if (record->plan.reboot_begun_ms > 0 && record->plan.state == PLAN_RECORD_ACTIVE &&
        (displayed == DISPLAYED_STARTING || displayed == DISPLAYED_READY)) {
        *out = reboot_of(policies, arena, record);
        return true;
    }
    if (displayed > DISPLAYED_UNREACHABLE &&
        !(displayed == DISPLAYED_CREATING && record->is_blocked)) {
        return false;
    }
    next =
        record->plan.state == PLAN_RECORD_CREATE && is_requested_now(policies, arena, record)
            ? (struct next){ "the request of reeve is in progress", 0, false }
            : held_next(policies, arena, record,
                        problem_next_of(displayed, record, service_policy_find(policies, record)));
    *out = (struct service_problem){
        .cause = problem_cause_of(policies, arena, record),
        .hint = fault_hint(policies, arena, record),
        .next = text_from(next.text),
        .next_at_ms = next.at_ms,
        .since_ms = problem_since_of(displayed, record),
    };
    return true;
}

static void problem_text_put(struct doc_builder *builder, const char *name, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, name, doc_text(value, NULL));
    }
}

static void moment_put(struct doc_builder *builder, const char *name, int64_t wall_ms)
{
    char *time = arena_alloc(builder->arena, TIME_TEXT_BYTES);

    if (wall_ms > 0) {
        time_format(wall_ms, time);
        doc_builder_put(builder, name, doc_text(text_from(time), NULL));
    }
}

struct doc service_problem_show(struct service_policies *policies, struct arena *arena,
                                const struct record *record)
{
    struct doc_builder builder;
    struct service_problem problem;

    if (!service_problem_find(policies, arena, record, &problem)) {
        return (struct doc){ 0 };
    }
    doc_builder_init(&builder, arena);
    problem_text_put(&builder, "cause", problem.cause);
    problem_text_put(&builder, "hint", problem.hint);
    problem_text_put(&builder, "kind", problem.kind);
    problem_text_put(&builder, "next", problem.next);
    moment_put(&builder, "nextAt", problem.next_at_ms);
    moment_put(&builder, "since", problem.since_ms);
    return doc_builder_map(&builder, NULL);
}

/* ---- problems of selected machines ---- */

struct service_problems {
    struct service_policies policies; /* policies of the cluster of the previous machine */
};

struct service_problems *service_problems_new(const struct service *service, struct arena *arena)
{
    struct service_problems *problems = arena_one(arena, struct service_problems);

    *problems = (struct service_problems){ .policies = { .service = service, .arena = arena } };
    return problems;
}

struct text service_problem_text(struct service_problems *problems, const struct select_node *node)
{
    struct service_policies *policies = &problems->policies;
    struct arena *arena = policies->arena;
    size_t slash = text_find_byte(node->key, '/');
    struct text tenant = text_slice(node->key, 0, slash);
    struct text id = text_slice(node->key, slash + 1, SIZE_MAX);
    const struct cache_object *object =
        cache_find(policies->service->cache, tenant, TEXT("Resource"),
                   arena_printf(arena, "%.*s/%.*s", TEXT_ARG(id), TEXT_ARG(node->token)));
    struct record record;
    struct doc problem;
    struct buf buf;
    struct err err;

    if (!text_is_equal(policies->id, id) || !text_is_equal(policies->tenant, tenant)) {
        *policies = (struct service_policies){
            .service = policies->service, .arena = arena, .tenant = tenant, .id = id
        };
    }
    if (object == NULL || object->parts[CACHE_STATUS].bytes == NULL ||
        !record_parse(arena, node->token, blob_text(object->parts[CACHE_STATUS].bytes), &record,
                      &err)) {
        return TEXT("");
    }
    problem = service_problem_show(policies, arena, &record);
    buf_init(&buf, arena);
    if (doc_is_map(&problem)) {
        json_format(&buf, &problem);
    }
    return buf_text(&buf);
}
