#include "base/map.h"
#include "bootstrap/rollout.h"
#include "former/former.h"
#include "model/nest.h"
#include "pacing/pacing.h"
#include "records/fleet.h"
#include "records/node_state.h"
#include "service/service_command.h"
#include "service/service_parts.h"
#include "state/batches.h"

/* public names start with: mutation_ */

/* Changed stages run in place on members that have been ready. For each group the plan of a change
 * reports the class, the members, the batches, the canaries, the effective limit and an estimate
 * (G15). Non-idempotent stages that would run again there need separate consent: the general
 * consent to a change (--yes) does not cover them. */

struct slots {
    struct mutation *mutation;
    struct arena *arena;
    struct text cluster_id;
    struct fleet_cluster was;
    struct fleet_cluster wanted;
    struct record *records;
    size_t record_count;
    size_t
        /* number of members that are replaced although the plan of the object does not show it */
        replaced;
};

/* The changed stages of one group. `was`, `wanted` and `first` are for the member that is being
 * examined, because a member may have its own variables. */
struct slots_group {
    const struct fleet_group *was;
    const struct fleet_group *wanted;
    size_t first;   /* the first changed stage */
    size_t members; /* number of members that run changed stages by rollout slots */
    size_t reruns;  /* number of members on which a non-idempotent stage would run again */
    struct text rerun_stages; /* the names of these stages on the first of these members */
    struct text rerun_name;
    uint64_t rerun_slot;
    uint64_t took_ms; /* the longest known duration of these stages on any member */
};

static const struct fleet_group *mutation_slots_group_of(const struct fleet_cluster *cluster,
                                                         struct text path)
{
    for (size_t i = 0; i < cluster->group_count; i++) {
        if (text_is_equal(cluster->groups[i].plan.path, path)) {
            return &cluster->groups[i];
        }
    }
    return NULL;
}

static bool is_same_stage(const struct nodes_stage *a, const struct nodes_stage *b)
{
    bool is_same = text_is_equal(a->digest, b->digest) && text_is_equal(a->vars, b->vars) &&
                   a->argument_count == b->argument_count;

    for (size_t i = 0; is_same && i < a->argument_count; i++) {
        is_same = text_is_equal(a->arguments[i], b->arguments[i]);
    }
    return is_same;
}

/* Set the first changed stage. */
static void mutation_slots_first_find(struct slots_group *group)
{
    group->first = 0;
    while (group->first < group->was->stage_count && group->first < group->wanted->stage_count &&
           is_same_stage(&group->was->stages[group->first], &group->wanted->stages[group->first])) {
        group->first++;
    }
}

/* True if the stages of all members of the group are unchanged. */
static bool is_mutation_slots_same(const struct fleet_group *was, const struct fleet_group *wanted)
{
    bool is_same =
        text_is_equal(was->chain, wanted->chain) && was->variant_count == wanted->variant_count;

    for (size_t i = 0; is_same && i < was->variant_count; i++) {
        is_same = was->variants[i].slot == wanted->variants[i].slot &&
                  text_is_equal(was->variants[i].group->chain, wanted->variants[i].group->chain);
    }
    return is_same;
}

/* True if the stage that was started on a member is a desired one, and would run again there. */
static bool is_run_again(const struct slots_group *group, struct text name)
{
    for (size_t i = group->first; i < group->wanted->stage_count; i++) {
        const struct nodes_stage *stage = &group->wanted->stages[i];

        if (!stage->is_idempotent && text_is_equal(stage->name, name)) {
            return true;
        }
    }
    return false;
}

/* True if the member has completed the stage with this number. */
static bool is_completed(const struct node_state *state, size_t number)
{
    struct text rest = state->took;
    struct node_took took;

    while (node_state_took_next(&rest, &took)) {
        if (took.number == (int64_t)number) {
            return true;
        }
    }
    return false;
}

/* Add the stages that the member has completed while they were declared idempotent, and that this
 * change declares non-idempotent. What counts is the declaration at the time when a stage would run
 * again. */
static void declared_add(const struct slots_group *group, const struct node_state *state,
                         struct buf *buf)
{
    for (size_t i = group->first; i < group->was->stage_count; i++) {
        const struct nodes_stage *stage = &group->was->stages[i];

        if (stage->is_idempotent && is_run_again(group, stage->name) && is_completed(state, i)) {
            buf_printf(buf, "%sstage-%zu %.*s", buf->length == 0 ? "" : ", ", i,
                       TEXT_ARG(stage->name));
        }
    }
}

/* Find the member's non-idempotent stages that were started and would run again: "stage-0 fragile,
 * stage-2 last". */
static struct text reruns_find(const struct slots *slots, const struct slots_group *group,
                               const struct node_state *state)
{
    struct text rest = state->once;
    struct buf buf;

    buf_init(&buf, slots->arena);
    while (rest.length > 0) {
        size_t comma = text_find_byte(rest, ',');
        struct text one = text_slice(rest, 0, comma);
        size_t blank = text_find_byte(one, ' ');
        int64_t number;

        if (text_parse_int64(text_slice(one, 0, blank), &number) &&
            number >= (int64_t)group->first && blank != SIZE_MAX &&
            is_run_again(group, text_slice(one, blank + 1, SIZE_MAX))) {
            buf_printf(&buf, "%sstage-%.*s", buf.length == 0 ? "" : ", ", TEXT_ARG(one));
        }
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 1, rest.length);
    }
    declared_add(group, state, &buf);
    return buf_text(&buf);
}

static uint64_t took_sum(const struct slots_group *group, const struct node_state *state)
{
    struct text rest = state->took;
    struct node_took took;
    uint64_t sum = 0;

    while (node_state_took_next(&rest, &took)) {
        sum += took.number >= (int64_t)group->first && took.ms > 0 ? (uint64_t)took.ms : 0;
    }
    return sum;
}

static void member_note(const struct slots *slots, struct slots_group *group,
                        const struct record *record)
{
    struct node_state state = { 0 };
    bool is_known =
        service_node_read(slots->mutation->service, slots->arena, slots->mutation->actor.tenant,
                          arena_printf(slots->arena, "%.*s/%.*s", TEXT_ARG(slots->cluster_id),
                                       TEXT_ARG(record->plan.token)),
                          &state);
    struct text reruns;
    uint64_t took_ms;

    /* A machine without logins has no node state and runs no stages. A machine that already has the
     * desired chain runs none again. */
    if (!is_known || text_is_equal(state.chain_done, group->wanted->chain)) {
        return;
    }
    group->members++;
    reruns = reruns_find(slots, group, &state);
    if (reruns.length > 0 && (group->reruns++ == 0 || record->plan.slot < group->rerun_slot)) {
        group->rerun_stages = reruns;
        group->rerun_name = record->name;
        group->rerun_slot = record->plan.slot;
    }
    took_ms = took_sum(group, &state);
    group->took_ms = took_ms > group->took_ms ? took_ms : group->took_ms;
}

static void members_note(const struct slots *slots, struct slots_group *group)
{
    const struct slots_group whole = *group;

    for (size_t i = 0; i < slots->record_count; i++) {
        const struct record *record = &slots->records[i];

        if (record->plan.state == PLAN_RECORD_ACTIVE && !record->plan.is_starting &&
            text_is_equal(record->plan.group, whole.was->plan.path)) {
            group->was = fleet_group_for(whole.was, record->plan.slot);
            group->wanted = fleet_group_for(whole.wanted, record->plan.slot);
            mutation_slots_first_find(group);
            member_note(slots, group, record);
        }
    }
    group->was = whole.was;
    group->wanted = whole.wanted;
}

/* ---- a superseded rollout ---- */

/* True if the stage digest chains of the running rollout differ from the desired ones, so that a
 * new rollout replaces it. */
static bool is_mutation_slots_other(const struct slots *slots, const struct slots_group *group,
                                    const struct batches *batches)
{
    struct map tokens;
    char is_listed = 1;

    if (!text_is_equal(batches->chain, group->wanted->chain)) {
        return true;
    }
    if (group->wanted->variant_count == 0 && batches->chains.entry_count == 0) {
        return false;
    }
    map_init(&tokens, slots->arena);
    for (size_t i = 0; i < batches->count; i++) {
        map_put(&tokens, batches->tokens[i], &is_listed);
    }
    for (size_t i = 0; i < slots->record_count; i++) {
        const struct plan_record *plan = &slots->records[i].plan;

        if (plan->state == PLAN_RECORD_ACTIVE && map_find(&tokens, plan->token) != NULL &&
            text_is_equal(plan->group, group->was->plan.path) &&
            !text_is_equal(batches_chain(batches, plan->token),
                           fleet_group_for(group->wanted, plan->slot)->chain)) {
            return true;
        }
    }
    return false;
}

/* Count the members that have not completed the group's current rollout of stages. 0: no such
 * rollout is running. */
static size_t open_count(const struct slots *slots, const struct slots_group *group)
{
    const struct service *service = slots->mutation->service;
    struct text tenant = slots->mutation->actor.tenant;
    struct text prefix = arena_printf(slots->arena, "/%.*s/" BATCHES_KIND "/%.*s/",
                                      TEXT_ARG(tenant), TEXT_ARG(slots->cluster_id));
    size_t count = 0;

    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        struct text name = text_slice(blob_text(object->key), prefix.length, SIZE_MAX);
        const struct cache_bytes *base = &object->parts[CACHE_BASE];
        struct service_batches_row row;
        struct batches batches;
        struct err err;

        if (base->bytes == NULL ||
            !batches_parse(slots->arena, arena_text(slots->arena, blob_text(base->bytes)), &batches,
                           &err) ||
            !batches_is_rollout(&batches) || !text_is_equal(batches.group, group->was->plan.path) ||
            !is_mutation_slots_other(slots, group, &batches)) {
            continue;
        }
        row = service_batches_find(service, slots->arena, tenant, slots->cluster_id,
                                   arena_text(slots->arena, name), base->revision);
        for (size_t i = 0; !row.is_over && i < row.marks.length; i++) {
            count += row.marks.data[i] != BOOTSTRAP_MARK_DONE &&
                     row.marks.data[i] != BOOTSTRAP_MARK_GONE;
        }
    }
    return count;
}

/* ---- previous stages ---- */

/* Write the stages to which members return if the changed stages fail. An unfinished rollout has
 * not proved that the current stages work, so its previous stages are kept. */
static void former_write(const struct slots *slots, const struct slots_group *group, bool is_open)
{
    struct mutation *mutation = slots->mutation;
    struct text id = arena_printf(slots->arena, "%.*s/%.*s", TEXT_ARG(slots->cluster_id),
                                  TEXT_ARG(group->wanted->plan.path));
    const struct cache_object *known =
        cache_find(mutation->service->cache, mutation->actor.tenant, TEXT(FORMER_KIND), id);
    bool is_known = known != NULL && known->parts[CACHE_BASE].bytes != NULL;

    if (group->wanted->on_fail != FLEET_ON_FAIL_REVERT || group->was->stage_count == 0 ||
        (is_known && is_open)) {
        return;
    }
    mutation_op_append(mutation,
                       (struct change_op){ .key = objects_key(slots->arena, mutation->actor.tenant,
                                                              TEXT(FORMER_KIND), id, CACHE_BASE),
                                           .value = former_format(slots->arena, group->was) },
                       is_known ? known->parts[CACHE_BASE].revision : 0);
}

/* ---- batch flags ---- */

/* Return the number of machines of a share, at least 1; 0 if the share is not given. */
static uint64_t mutation_slots_share(const struct slots_group *group,
                                     const struct service_share *share)
{
    uint64_t number =
        share->is_percent ? (group->members * (uint64_t)share->number + 99) / 100 : share->number;

    return !share->is_given ? 0 : number == 0 ? 1 : number;
}

/* Read the batches that the request gives for the changed stages of a group. Returns false if there
 * are none: batches of a commission apply to the commissioned machines. */
static bool slots_pacing_read(const struct slots *slots, const struct slots_group *group,
                              struct pacing *out)
{
    const struct service_change *request = &slots->mutation->request;
    const struct service_batching *batching = request->batching;

    if (batching == NULL || request->commissions.length > 0) {
        return false;
    }
    *out = (struct pacing){ .chain = group->wanted->chain,
                            .batch = mutation_slots_share(group, &batching->batch),
                            .canary = batching->canary,
                            .max_fail = mutation_slots_share(group, &batching->max_fail),
                            .bake_ms = batching->bake_ms,
                            .pause_ms = batching->pause_ms };
    return true;
}

static struct pacing slots_policy(const struct slots *slots, const struct slots_group *group)
{
    struct pacing requested;

    return pacing_policy(group->wanted,
                         slots_pacing_read(slots, group, &requested) ? &requested : NULL);
}

/* Write the batches of the request, or delete those of an earlier change. */
static void slots_pacing_write(const struct slots *slots, const struct slots_group *group)
{
    struct mutation *mutation = slots->mutation;
    struct text id = arena_printf(slots->arena, "%.*s/%.*s", TEXT_ARG(slots->cluster_id),
                                  TEXT_ARG(group->wanted->plan.path));
    const struct cache_object *known =
        cache_find(mutation->service->cache, mutation->actor.tenant, TEXT(PACING_KIND), id);
    bool is_known = known != NULL && known->parts[CACHE_BASE].bytes != NULL;
    struct pacing requested;
    bool is_requested = slots_pacing_read(slots, group, &requested);
    struct change_op op = { .key = objects_key(slots->arena, mutation->actor.tenant,
                                               TEXT(PACING_KIND), id, CACHE_BASE),
                            .is_delete = !is_requested };

    if (is_requested) {
        op.value = pacing_format(slots->arena, &requested);
    }
    if (is_requested || is_known) {
        mutation_op_append(mutation, op, is_known ? known->parts[CACHE_BASE].revision : 0);
    }
}

bool mutation_pacing_check(const struct mutation *mutation, struct err *err)
{
    const struct doc *plan = &mutation->change.plan;

    if (mutation->request.batching == NULL || mutation->request.commissions.length > 0) {
        return true;
    }
    for (size_t i = 0; doc_is_list(plan) && i < plan->item_count; i++) {
        const struct doc *groups = doc_child(&plan->items[i], "groups");

        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count; j++) {
            if (mutation_number_of(&groups->items[j], "replace") > 0) {
                struct text path = mutation_text_of(&groups->items[j], "path");

                err_set(err, CODE_R0426,
                        "batch flags are for changed stages, but machines of group %.*s are "
                        "replaced",
                        TEXT_ARG(path));
                return err_hint(err,
                                "leave them out, and set rollout of %.*s: reeve explain "
                                "cluster.groups.*.rollout",
                                TEXT_ARG(path));
            }
        }
    }
    return true;
}

/* ---- in the plan ---- */

static struct doc mutation_slots_number_of(const struct slots *slots, uint64_t value)
{
    return doc_int(slots->arena, (int64_t)value, NULL);
}

/* Estimate the duration: batches run one after the other, and each needs a number of rounds. */
static uint64_t estimate_ms(const struct slots_group *group,
                            const struct bootstrap_rollout_batches *arranged, size_t at_once,
                            const struct pacing *policy)
{
    size_t pauses = arranged->batch_count > arranged->canaries + 1
                        ? arranged->batch_count - arranged->canaries - 1
                        : 0;
    uint64_t turns = 0;
    uint32_t before = 0;

    for (size_t i = 0; i < arranged->batch_count; i++) {
        turns += (arranged->ends[i] - before + at_once - 1) / at_once;
        before = arranged->ends[i];
    }
    return turns * group->took_ms + pauses * policy->pause_ms +
           (arranged->canaries > 0 && arranged->batch_count > 1 ? policy->bake_ms : 0);
}

static struct doc in_place_doc(const struct slots *slots, const struct slots_group *group)
{
    const struct plan_group *plan = &group->wanted->plan;
    struct bootstrap_rollout_member *members =
        arena_array(slots->arena, struct bootstrap_rollout_member, group->members);
    struct pacing policy = slots_policy(slots, group);
    struct bootstrap_rollout_policy sizes = { policy.canary, policy.batch };
    size_t out_max = plan->unavailable > 1 ? plan->unavailable : 1;
    struct bootstrap_rollout_batches arranged;
    struct doc_builder builder;

    for (size_t i = 0; i < group->members; i++) {
        members[i] = (struct bootstrap_rollout_member){ .slot = i };
    }
    bootstrap_rollout_arrange(slots->arena, members, group->members, &sizes, &arranged);
    doc_builder_init(&builder, slots->arena);
    doc_builder_put(&builder, "atOnce", mutation_slots_number_of(slots, out_max));
    doc_builder_put(&builder, "bakeMs", mutation_slots_number_of(slots, policy.bake_ms));
    doc_builder_put(&builder, "batch", mutation_slots_number_of(slots, policy.batch));
    doc_builder_put(&builder, "batches", mutation_slots_number_of(slots, arranged.batch_count));
    doc_builder_put(&builder, "bound",
                    doc_text(out_max < policy.batch ? TEXT("unavailable") : TEXT("batch"), NULL));
    doc_builder_put(&builder, "canary",
                    mutation_slots_number_of(slots, arranged.canaries > 0 ? arranged.ends[0] : 0));
    doc_builder_put(&builder, "class", doc_text(TEXT("in place"), NULL));
    if (group->took_ms > 0) {
        size_t at_once = out_max < policy.batch ? out_max : policy.batch;

        doc_builder_put(
            &builder, "estimateMs",
            mutation_slots_number_of(slots, estimate_ms(group, &arranged, at_once, &policy)));
    }
    doc_builder_put(&builder, "maxFail", mutation_slots_number_of(slots, policy.max_fail));
    doc_builder_put(&builder, "members", mutation_slots_number_of(slots, group->members));
    if (policy.pause_ms > 0) {
        doc_builder_put(&builder, "pauseMs", mutation_slots_number_of(slots, policy.pause_ms));
    }
    if (group->reruns > 0) {
        doc_builder_put(&builder, "rerun", mutation_slots_number_of(slots, group->reruns));
        doc_builder_put(&builder, "rerunOn", doc_text(group->rerun_name, NULL));
        doc_builder_put(&builder, "rerunStages", doc_text(group->rerun_stages, NULL));
    }
    return doc_builder_map(&builder, NULL);
}

static bool is_mutation_slots_made_of(const struct fleet_group *group, const struct record *record)
{
    for (size_t i = 0; i < group->choice_count; i++) {
        if (text_is_equal(group->choices[i].generation, record->plan.generation) ||
            text_is_equal(group->choices[i].former, record->plan.generation)) {
            return true;
        }
    }
    return false;
}

/* Count the members that the controller would replace because of this change although no changed
 * field shows it: a machine of a removed alternative, or of another account. The execution must not
 * be more disruptive than the plan: "in place" in a plan means that no machine is replaced. */
static size_t mutation_slots_replaced_count(const struct slots *slots,
                                            const struct slots_group *group)
{
    size_t count = 0;

    for (size_t i = 0; i < slots->record_count; i++) {
        const struct record *record = &slots->records[i];

        count += record->plan.state == PLAN_RECORD_ACTIVE &&
                 text_is_equal(record->plan.group, group->was->plan.path) &&
                 is_mutation_slots_made_of(group->was, record) &&
                 !is_mutation_slots_made_of(group->wanted, record);
    }
    return count;
}

static struct doc slots_group_report(struct slots *slots, const struct doc *planned)
{
    struct text path = mutation_text_of(planned, "path");
    struct text was = mutation_text_of(planned, "was");
    struct slots_group group = { .was = mutation_slots_group_of(&slots->was,
                                                                was.length > 0 ? was : path),
                                 .wanted = mutation_slots_group_of(&slots->wanted, path) };
    struct doc reported;
    size_t open;

    if (group.was != NULL && group.wanted != NULL && doc_child(planned, "replace") == NULL) {
        size_t replaced = mutation_slots_replaced_count(slots, &group);

        slots->mutation->change.needs.replace += replaced;
        slots->replaced += replaced;
        if (replaced > 0) {
            return nest_put(slots->arena, planned, "replace",
                            mutation_slots_number_of(slots, replaced));
        }
    }
    if (group.was == NULL || group.wanted == NULL || group.wanted->stage_count == 0 ||
        is_mutation_slots_same(group.was, group.wanted) || doc_child(planned, "replace") != NULL) {
        return *planned;
    }
    members_note(slots, &group);
    if (group.members == 0) {
        return *planned;
    }
    slots->mutation->change.needs.rerun += group.reruns;
    reported = nest_put(slots->arena, planned, "inPlace", in_place_doc(slots, &group));
    open = open_count(slots, &group);
    former_write(slots, &group, open > 0);
    slots_pacing_write(slots, &group);
    return open == 0 ? reported
                     : nest_put(slots->arena, &reported, "supersedes",
                                mutation_slots_number_of(slots, open));
}

/* Return the sums with replaced machines counted as replaced, not as changed. */
static struct doc mutation_slots_sums_doc(const struct slots *slots, const struct doc *sums)
{
    int64_t change = mutation_number_of(sums, "change");
    int64_t replaced = (int64_t)slots->replaced;
    struct doc reported = sums == NULL ? doc_map(NULL, 0, NULL) : *sums;

    reported = nest_put(
        slots->arena, &reported, "change",
        mutation_slots_number_of(slots, change > replaced ? (uint64_t)(change - replaced) : 0));
    return nest_put(slots->arena, &reported, "replace",
                    mutation_slots_number_of(
                        slots, (uint64_t)(mutation_number_of(sums, "replace") + replaced)));
}

static bool slots_object_report(void *arg, const struct doc *planned, struct doc *out)
{
    struct slots *slots = arg;
    const struct doc *groups = doc_child(planned, "groups");
    const struct change_object *object = mutation_current_find(&slots->mutation->change, planned);
    int64_t superseded = mutation_number_of(planned, "supersedes");
    struct doc *reported;

    if (object == NULL || object->is_deleted || !doc_is_list(groups) ||
        !fleet_groups_read(slots->arena, &object->old_stored, &slots->was) ||
        !fleet_groups_read(slots->arena, &object->new_stored, &slots->wanted)) {
        return false;
    }
    mutation_groups_reduce(slots->mutation, &slots->was);
    mutation_groups_reduce(slots->mutation, &slots->wanted);
    slots->cluster_id = object->id;
    slots->replaced = 0;
    slots->records = mutation_records(slots->mutation, object->id, &slots->record_count);
    reported = arena_array(slots->arena, struct doc, groups->item_count);
    for (size_t i = 0; i < groups->item_count; i++) {
        reported[i] = slots_group_report(slots, &groups->items[i]);
        superseded += doc_child(&reported[i], "inPlace") == NULL
                          ? 0
                          : mutation_number_of(&reported[i], "supersedes");
    }
    *out = nest_put(slots->arena, planned, "groups", doc_list(reported, groups->item_count, NULL));
    if (slots->replaced > 0) {
        *out = nest_put(slots->arena, out, "sums",
                        mutation_slots_sums_doc(slots, doc_child(planned, "sums")));
    }
    if (superseded > 0 && slots->mutation->request.mode == CHANGE_APPLY) {
        *out = nest_put(slots->arena, out, "supersedes",
                        mutation_slots_number_of(slots, (uint64_t)superseded));
    }
    return true;
}

void mutation_slots_report(struct mutation *mutation)
{
    struct slots slots = { .mutation = mutation, .arena = mutation->work };

    mutation_plan_report(mutation, slots_object_report, &slots);
}

/* ---- consent ---- */

/* Return the first group of the plan that has stages which would run again. */
static const struct doc *reruns_of(const struct doc *plan)
{
    for (size_t i = 0; doc_is_list(plan) && i < plan->item_count; i++) {
        const struct doc *groups = doc_child(&plan->items[i], "groups");

        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count; j++) {
            const struct doc *in_place = doc_child(&groups->items[j], "inPlace");

            if (doc_child(in_place, "rerun") != NULL) {
                return in_place;
            }
        }
    }
    return NULL;
}

bool mutation_reruns_agreed(const struct mutation *mutation, struct err *err)
{
    uint64_t needed = mutation->change.needs.rerun;
    const struct doc *first;

    if (needed <= mutation->request.allow.rerun) {
        return true;
    }
    first = reruns_of(&mutation->change.plan);
    err_set(err, CODE_R0811, "stages that are not idempotent would run again on %.*s: %.*s",
            TEXT_ARG(mutation_text_of(first, "rerunOn")),
            TEXT_ARG(mutation_text_of(first, "rerunStages")));
    if (needed > 1) {
        err_note(err, "and on %llu more", (unsigned long long)needed - 1);
    }
    return err_hint(
        err,
        "look at the plan, then allow the change: --allow rerun=%llu; or mark the stage idempotent: true",
        (unsigned long long)needed);
}
