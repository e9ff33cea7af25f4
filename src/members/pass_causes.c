#include "base/limits.h"
#include "base/map.h"
#include "base/sort.h"
#include "cause/cause.h"
#include "codec/json.h"
#include "members/members.h"
#include "records/commands.h"
#include "selector/ranges.h"

#include <assert.h>

/* public names start with: pass_ causes_ member_ members_causes_ */

/* The common cause of failures in a cluster (N9, G27, decision 0161).
 *
 * Normal case: fewer than CAUSE_LEAST machines fail. A pass counts them while it prepares the
 * records, and nothing else happens. With more failures the attributes of all nodes are compared.
 * Machines and groups with the common attribute are marked in the planner's world; members read the
 * attribute from the hold. */

/* The progress of nodes with the stages of their group. */
enum causes_stages {
    CAUSES_STAGES_NONE,  /* they run no stages, or are not created yet */
    CAUSES_STAGES_OTHER, /* they may have run the stages from before a change */
    CAUSES_STAGES_BEGUN, /* they have begun the desired stages */
};

/* The attributes that nodes of one group, generation and plugin have in common. */
struct causes_shared {
    struct causes_shared *next;
    /* as it applies to a member (fleet_group_for); NULL: unknown */
    const struct fleet_group *group;
    struct text generation;
    struct text plugin;
    enum causes_stages stages;
    struct cause_attributes attributes;
};

struct causes {
    struct arena *arena;
    const struct reconciler *reconciler;
    struct causes_shared *shared;
};

/* A list of attributes under construction. */
struct causes_list {
    struct cause_attribute *items;
    size_t count;
    size_t room;
};

static void causes_add(struct causes_list *list, enum cause_kind kind, struct text value)
{
    struct cause_attribute attribute = { kind, value };
    struct cause_attributes all = { list->items, list->count };

    if (value.length > 0 && !cause_attributes_have(&all, &attribute)) {
        assert(list->count < list->room);
        list->items[list->count++] = attribute;
    }
}

static struct causes_list causes_list_new(struct arena *arena, size_t room)
{
    return (struct causes_list){ arena_array(arena, struct cause_attribute, room), 0, room };
}

/* Format an attribute: "b of file". It includes the plugin, because names of zones, racks and
 * images mean different things at different providers. */
static struct text causes_at(struct arena *arena, struct text value, struct text plugin)
{
    return value.length == 0
               ? value
               : arena_printf(arena, "%.*s of %.*s", TEXT_ARG(value), TEXT_ARG(plugin));
}

/* ---- failures ---- */

static uint64_t causes_earlier(uint64_t first_ms, uint64_t second_ms)
{
    return second_ms > 0 && (first_ms == 0 || second_ms < first_ms) ? second_ms : first_ms;
}

uint64_t pass_failed_since(const struct plan_record *record)
{
    uint64_t since_ms;

    if (record->state == PLAN_RECORD_CREATE) {
        /* a machine that has ended or is faulty has the provider's reason */
        return record->refusals > 0 &&
                       (record->fault == PLAN_FAULT_SHORT || record->fault == PLAN_FAULT_PASSING)
                   ? record->created_ms
                   : 0;
    }
    if (record->state != PLAN_RECORD_ACTIVE || record->maintenance_since_ms > 0 ||
        plan_is_rebooting(record)) {
        return 0;
    }
    since_ms = causes_earlier(record->failing_since_ms, record->unreachable_since_ms);
    since_ms = causes_earlier(since_ms, record->is_retried ? 0 : record->failed_since_ms);
    return causes_earlier(since_ms, record->lookup == PLAN_LOOKUP_STOPPED &&
                                            record->looked_up.last_ms > record->rebooted_ms
                                        ? record->looked_up.first_ms
                                        : 0);
}

/* True if the node is evidence for or against a cause: it is in service, or it has failed. */
static bool causes_counts(const struct plan_record *record)
{
    return pass_failed_since(record) > 0 ||
           (record->state == PLAN_RECORD_ACTIVE && !record->is_starting &&
            record->maintenance_since_ms == 0 && record->lookup != PLAN_LOOKUP_GONE &&
            record->lookup != PLAN_LOOKUP_ENDED);
}

/* ---- attributes ---- */

static struct text causes_rack(struct arena *arena, const struct fleet_group *group)
{
    const struct doc *rack;
    struct doc labels;
    struct err err;

    if (group == NULL || group->labels.length == 0 ||
        !json_parse(arena, group->labels, NULL, &labels, &err)) {
        return TEXT("");
    }
    rack = doc_child(doc_child(&labels, "labels"), "rack");
    return doc_is_scalar(rack) ? rack->text : TEXT("");
}

/* Return the image of a generation. For an earlier generation, return the image in the machine's
 * record. */
static struct text causes_image(struct arena *arena, const struct fleet_group *group,
                                struct text generation, const struct fleet_machine *machine)
{
    struct record record;
    struct err err;

    for (size_t i = 0; group != NULL && i < group->choice_count; i++) {
        if (text_is_equal(group->choices[i].generation, generation) ||
            text_is_equal(group->choices[i].former, generation)) {
            return group->choices[i].image;
        }
    }
    return machine != NULL && record_parse(arena, fleet_machine_token(machine),
                                           blob_text(machine->bytes), &record, &err)
               ? record.image
               : TEXT("");
}

/* Adds the attributes for stages. A node that has not begun the desired stages also gets the
 * bundles and the configuration of its group, because it is unknown which of these have changed for
 * the node. Only a node that has begun the desired stages gets the attribute for exactly these
 * stages. */
static void causes_stages_add(const struct causes *causes, struct causes_list *list,
                              const struct fleet_group *group, bool has_begun)
{
    if (has_begun && group->stage_count > 0) {
        causes_add(list, CAUSE_STAGES,
                   arena_printf(causes->arena, "%.*s of %.*s",
                                TEXT_ARG(text_slice(group->chain, 0, 12)),
                                TEXT_ARG(group->plan.path)));
    }
    causes_add(list, CAUSE_CONFIGURATION, group->configuration);
    for (size_t i = 0; i < group->stage_count; i++) {
        const struct nodes_stage *stage = &group->stages[i];

        causes_add(list, CAUSE_BUNDLE,
                   arena_printf(causes->arena, "%.*s (%.*s)", TEXT_ARG(stage->name),
                                TEXT_ARG(text_slice(stage->digest, 0, 12))));
    }
}

/* Find or determine the attributes that the nodes of a group share. `machine` is one of the nodes;
 * NULL: a machine that the group would create now. */
static struct cause_attributes causes_shared_find(struct causes *causes,
                                                  const struct causes_shared *wanted,
                                                  const struct fleet_machine *machine)
{
    const struct fleet_group *group = wanted->group;
    struct causes_shared *shared = causes->shared;
    struct causes_list list;

    while (shared != NULL && !(shared->group == group && shared->stages == wanted->stages &&
                               text_is_equal(shared->generation, wanted->generation) &&
                               text_is_equal(shared->plugin, wanted->plugin))) {
        shared = shared->next;
    }
    if (shared != NULL) {
        return shared->attributes;
    }
    list = causes_list_new(causes->arena, 5 + (group == NULL ? 0 : group->stage_count));
    causes_add(&list, CAUSE_PLUGIN, wanted->plugin);
    causes_add(&list, CAUSE_RACK,
               causes_at(causes->arena, causes_rack(causes->arena, group), wanted->plugin));
    causes_add(&list, CAUSE_IMAGE,
               causes_at(causes->arena,
                         causes_image(causes->arena, group, wanted->generation, machine),
                         wanted->plugin));
    if (wanted->stages != CAUSES_STAGES_NONE && group != NULL) {
        causes_stages_add(causes, &list, group, wanted->stages == CAUSES_STAGES_BEGUN);
    }
    shared = arena_one(causes->arena, struct causes_shared);
    *shared = *wanted;
    shared->attributes = (struct cause_attributes){ list.items, list.count };
    shared->next = causes->shared;
    causes->shared = shared;
    return shared->attributes;
}

/* True if the member has begun these stages. */
static bool has_causes_begun(const struct member *member, struct text chain)
{
    return chain.length > 0 && (text_is_equal(member->state.chain_done, chain) ||
                                text_is_equal(member->state.chain_failed, chain) ||
                                (member_is_staging(member) && text_is(chain, member->main.chain)));
}

/* Return the stage or task that failed: "stage docker", or the first failing task of a playbook, up
 * to its place in the file. Empty: no stage of the node has failed. */
static struct text causes_task(struct arena *arena, const struct member *member)
{
    const struct node_state *state = &member->state;
    size_t end = 0;

    if (!text_is(state->step, NODE_STATE_FAILED)) {
        return TEXT("");
    }
    while (end + 1 < state->why.length &&
           !(state->why.data[end] == ')' && state->why.data[end + 1] == ':')) {
        end++;
    }
    return end + 1 < state->why.length
               ? arena_printf(arena, "%.*s: %.*s", TEXT_ARG(state->stage),
                              TEXT_ARG(text_slice(state->why, 0, end + 1)))
               : arena_printf(arena, "stage-%u %.*s", state->number, TEXT_ARG(state->stage));
}

static const struct member *causes_member(const struct reconciler *reconciler, struct text token)
{
    return reconciler->members == NULL ? NULL : map_find(&reconciler->members->by_token, token);
}

/* Return the roles of a node. If members are unknown, return the roles that its group lists. */
static struct roles_list causes_roles(const struct causes *causes, const struct fleet_group *group,
                                      uint64_t slot, const struct member *member)
{
    return member != NULL ? member->roles
           : group == NULL
               ? (struct roles_list){ 0 }
               : roles_group_of(&group->roles, naming_format(causes->arena, &group->affix, slot));
}

static struct cause_attributes causes_own(struct causes *causes, struct text zone,
                                          const struct roles_list *roles, struct text task)
{
    struct causes_list list = causes_list_new(causes->arena, 2 + roles->count);

    causes_add(&list, CAUSE_ZONE, zone);
    for (size_t i = 0; i < roles->count; i++) {
        causes_add(&list, CAUSE_ROLE, roles->items[i]);
    }
    causes_add(&list, CAUSE_TASK, task);
    return (struct cause_attributes){ list.items, list.count };
}

static struct cause_node causes_node_make(struct causes *causes, const struct plan_record *record,
                                          const struct fleet_machine *machine)
{
    const struct fleet_group *group =
        fleet_group_for(fleet_group_find(causes->reconciler->cluster, record->group), record->slot);
    const struct member *member = causes_member(causes->reconciler, record->token);
    struct text plugin = fleet_machine_plugin(machine);
    struct roles_list roles = causes_roles(causes, group, record->slot, member);
    struct causes_shared wanted = {
        .group = group,
        .generation = record->generation,
        .plugin = plugin,
        .stages = member == NULL || group == NULL || record->state != PLAN_RECORD_ACTIVE
                      ? CAUSES_STAGES_NONE
                  : has_causes_begun(member, group->chain) ? CAUSES_STAGES_BEGUN
                                                           : CAUSES_STAGES_OTHER,
    };

    return (struct cause_node){
        .own = causes_own(causes, causes_at(causes->arena, record->zone, plugin), &roles,
                          member == NULL ? TEXT("") : causes_task(causes->arena, member)),
        .shared = causes_shared_find(causes, &wanted, machine),
        .failed_ms = pass_failed_since(record),
    };
}

/* Make the common attributes of machines that the group would create now. */
static struct cause_node causes_wanted(struct causes *causes, const struct fleet_group *group)
{
    struct text plugin = group->choices[0].plugin;
    struct causes_shared wanted = {
        .group = group,
        .generation = group->choices[0].generation,
        .plugin = plugin,
        .stages = CAUSES_STAGES_BEGUN,
    };

    return (struct cause_node){
        .own = causes_own(causes,
                          group->plan.zone_count == 1
                              ? causes_at(causes->arena, group->plan.zones[0], plugin)
                              : TEXT(""),
                          &group->roles.roles, TEXT("")),
        .shared = causes_shared_find(causes, &wanted, NULL),
    };
}

/* ---- the hold ---- */

static const struct cache_object *causes_hold_find(const struct reconciler *reconciler,
                                                   struct arena *arena)
{
    return cache_find(reconciler->control->cache, reconciler->cluster->tenant, TEXT("Hold"),
                      arena_printf(arena, "%.*s/%s", TEXT_ARG(reconciler->cluster->id),
                                   plan_rule_name(PLAN_RULE_common_cause)));
}

/* The present hold. Texts are empty if there is none. */
struct causes_hold {
    struct doc status;
    struct text observation;
    struct text approved; /* the observation that an operator has approved */
};

static struct text causes_text_of(const struct doc *status, const char *name)
{
    const struct doc *value = doc_child(status, name);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

static struct causes_hold causes_hold_read(const struct reconciler *reconciler, struct arena *arena)
{
    const struct cache_object *hold = causes_hold_find(reconciler, arena);
    struct causes_hold out = { 0 };
    struct err err;

    if (hold != NULL && hold->parts[CACHE_STATUS].bytes != NULL &&
        json_parse(arena, arena_text(arena, blob_text(hold->parts[CACHE_STATUS].bytes)), NULL,
                   &out.status, &err)) {
        out.observation = causes_text_of(&out.status, "observation");
        if (hold->parts[CACHE_SPEC].bytes != NULL) {
            (void)commands_approved(arena, hold, &out.approved);
        }
    }
    return out;
}

/* ---- a pass ---- */

static int causes_name_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

/* Make the text with the failed nodes that have the attribute, such as "web-[4-7]", and the task
 * that failed first. */
static void causes_name(struct causes *causes, const struct pass *pass,
                        const struct cause_node *nodes, const struct cause *cause,
                        struct pass_cause *out)
{
    struct text *names = arena_array(causes->arena, struct text, cause->failed);
    uint64_t first_ms = UINT64_MAX;
    size_t count = 0;
    struct buf buf;

    for (size_t i = 0; i < pass->world.record_count; i++) {
        const struct fleet_machine *machine = causes->reconciler->cluster->machines[i];
        const struct member *member;
        struct record record;
        struct text task;
        struct err err;

        if (nodes[i].failed_ms == 0 || !cause_node_has(&nodes[i], &cause->attribute) ||
            !record_parse(causes->arena, fleet_machine_token(machine), blob_text(machine->bytes),
                          &record, &err)) {
            continue;
        }
        if (count < cause->failed) {
            names[count++] = record.name;
        }
        member = causes_member(causes->reconciler, fleet_machine_token(machine));
        task = member == NULL ? TEXT("") : causes_task(causes->arena, member);
        if (task.length > 0 && nodes[i].failed_ms < first_ms) {
            first_ms = nodes[i].failed_ms;
            out->task = task;
        }
    }
    sort_stable(causes->arena, names, count, sizeof(*names), causes_name_compare, NULL);
    buf_init(&buf, causes->arena);
    ranges_format(&buf, names, count);
    out->nodes = buf_text(&buf);
}

static struct text causes_fact(struct arena *arena, const struct cause *cause,
                               const struct pass_cause *found)
{
    return arena_printf(arena,
                        "%.*s: %zu of %zu nodes with it fail, and %zu of %zu others; %.*s%s%.*s",
                        TEXT_ARG(found->attribute), cause->failed, cause->nodes,
                        cause->others_failed, cause->others, TEXT_ARG(found->nodes),
                        found->task.length > 0 ? "; first failure: " : "", TEXT_ARG(found->task));
}

/* Mark the machines that have the attribute, and the groups that would create more of them. */
static void causes_mark(struct causes *causes, struct pass *pass, struct plan_record *records,
                        struct plan_group *groups, const struct cause_node *nodes,
                        const struct cause_attribute *attribute)
{
    const struct fleet_cluster *cluster = causes->reconciler->cluster;

    for (size_t i = 0; i < pass->world.record_count; i++) {
        records[i].has_cause =
            records[i].state == PLAN_RECORD_ACTIVE && cause_node_has(&nodes[i], attribute);
    }
    for (size_t i = 0; i < cluster->group_count; i++) {
        struct cause_node wanted = causes_wanted(causes, &cluster->groups[i]);

        groups[i].has_cause = cause_node_has(&wanted, attribute);
    }
}

/* Keep the hold while the states of nodes have not been read. It applies to all failing
 * machines. */
static void causes_keep(struct pass *pass, struct plan_record *records,
                        const struct causes_hold *hold)
{
    pass->cause = (struct pass_cause){
        .is_found = true,
        .attribute = causes_text_of(&hold->status, "attribute"),
        .nodes = causes_text_of(&hold->status, "nodes"),
    };
    pass->world.cause_name = hold->observation;
    pass->world.is_cause_held = true;
    /* this prevents rollouts from replacing failing machines until then */
    pass->world.is_cause_zone = true;
    pass->world.cause_fact = causes_text_of(&hold->status, "fact");
    for (size_t i = 0; i < pass->world.record_count; i++) {
        records[i].has_cause =
            records[i].state == PLAN_RECORD_ACTIVE && pass_failed_since(&records[i]) > 0;
    }
}

/* Find the cause. `nodes` are those of all records. */
static bool causes_search(struct pass *pass, const struct cause_node *nodes,
                          const struct causes_hold *hold, struct cause *out)
{
    const struct plan_world *world = &pass->world;
    struct cause_node *counted = arena_array(pass->arena, struct cause_node, world->record_count);
    struct cause_attribute standing;
    uint64_t newest_ms;
    bool is_standing = cause_observation_parse(hold->observation, &standing, &newest_ms);
    size_t count = 0;

    for (size_t i = 0; i < world->record_count; i++) {
        if (causes_counts(&world->records[i])) {
            counted[count++] = nodes[i];
        }
    }
    return cause_find(pass->arena, counted, count, is_standing ? &standing : NULL, world->now_ms,
                      pass->reconciler->control->options.limits.cause_ms, out);
}

static void causes_lay(struct pass *pass, struct plan_record *records, struct plan_group *groups)
{
    struct causes causes = { .arena = pass->arena, .reconciler = pass->reconciler };
    size_t count = pass->world.record_count;
    struct cause_node *nodes = arena_array(pass->arena, struct cause_node, count);
    struct causes_hold hold = causes_hold_read(pass->reconciler, pass->arena);
    struct cause cause;

    if (hold.observation.length > 0 && hold.approved.length == 0 &&
        members_is_unknown(pass->reconciler)) {
        causes_keep(pass, records, &hold);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        nodes[i] = causes_node_make(&causes, &records[i], pass->reconciler->cluster->machines[i]);
    }
    if (!causes_search(pass, nodes, &hold, &cause)) {
        return;
    }
    pass->cause.is_found = true;
    pass->cause.attribute = cause_attribute_text(pass->arena, &cause.attribute);
    causes_name(&causes, pass, nodes, &cause, &pass->cause);
    pass->world.cause_name = cause_observation_format(pass->arena, &cause);
    pass->world.cause_fact = causes_fact(pass->arena, &cause, &pass->cause);
    pass->world.is_cause_zone = cause.attribute.kind == CAUSE_ZONE;
    pass->world.is_cause_held =
        text_is_equal(causes_text_of(&hold.status, "attribute"), pass->cause.attribute);
    pass->world.is_cause_approved = cause_observation_covers(hold.approved, pass->world.cause_name);
    causes_mark(&causes, pass, records, groups, nodes, &cause.attribute);
}

void pass_causes_lay(struct pass *pass, struct plan_record *records, struct plan_group *groups)
{
    if (pass->failures >= CAUSE_LEAST && !pass->world.is_gone && !pass->world.is_deleting &&
        GUARD(&pass->reconciler->control->options.limits, G27)) {
        causes_lay(pass, records, groups);
    }
}

void pass_cause_put(const struct pass *pass, struct doc_builder *builder)
{
    doc_builder_put(builder, "attribute", doc_text(pass->cause.attribute, NULL));
    doc_builder_put(builder, "nodes", doc_text(pass->cause.nodes, NULL));
}

/* ---- rollouts in place ---- */

void members_causes_read(struct members *members)
{
    struct arena *arena = members->asks_memory;
    struct causes_hold hold = causes_hold_read(members->reconciler, arena);
    uint64_t newest_ms;

    members->causes = NULL;
    members->has_cause = cause_observation_parse(hold.observation, &members->cause, &newest_ms) &&
                         !cause_observation_covers(hold.approved, hold.observation);
    if (members->has_cause) {
        members->causes = arena_one(arena, struct causes);
        *members->causes = (struct causes){ .arena = arena, .reconciler = members->reconciler };
    }
}

/* True if the member has the attribute, or would have it with the stages that it waits for. */
static bool causes_holds(const struct member_batches *batches, size_t at)
{
    const struct members *members = batches->members;
    struct text token = batches->request.tokens[at];
    const struct member *member =
        batches->marks[at] == BOOTSTRAP_MARK_WAITING ? map_find(&members->by_token, token) : NULL;
    const struct fleet_group *group = member == NULL ? NULL : member_group(member);
    const struct fleet_machine *machine =
        group == NULL ? NULL : fleet_machine_find(members->reconciler->cluster, token);
    struct causes_shared wanted = { .group = group, .stages = CAUSES_STAGES_BEGUN };
    struct cause_node node;

    if (machine == NULL) {
        return false;
    }
    wanted.generation = member->generation;
    wanted.plugin = fleet_machine_plugin(machine);
    node = (struct cause_node){
        .own = causes_own(members->causes,
                          causes_at(members->causes->arena, member->way.zone, wanted.plugin),
                          &member->roles, TEXT("")),
        .shared = causes_shared_find(members->causes, &wanted, machine),
    };
    return cause_node_has(&node, &members->cause);
}

static bool causes_applies(const struct member_batches *batches)
{
    return batches->members->has_cause &&
           (batches_is_rollout(&batches->request) || batches->request.verb == BATCHES_VERB_CORRECT);
}

const char *member_causes_marks(struct arena *arena, const struct member_batches *batches)
{
    char *marks = NULL;

    for (size_t i = 0; causes_applies(batches) && i < batches->request.count; i++) {
        if (!causes_holds(batches, i)) {
            continue;
        }
        if (marks == NULL) {
            marks = arena_copy(arena, batches->marks, batches->request.count);
        }
        marks[i] = BOOTSTRAP_MARK_SKIPPED;
    }
    return marks == NULL ? batches->marks : marks;
}

struct text members_causes_waits(struct arena *arena, const struct member_batches *batches)
{
    for (size_t i = 0; causes_applies(batches) && i < batches->request.count; i++) {
        const struct member *member =
            causes_holds(batches, i)
                ? map_find(&batches->members->by_token, batches->request.tokens[i])
                : NULL;

        if (member != NULL) {
            size_t canaries = batches->request.canaries;
            bool is_canary = canaries > 0 && i < batches->request.ends[canaries - 1];

            return arena_printf(arena, "%.*s%s: hold common_cause: %.*s", TEXT_ARG(member->name),
                                is_canary ? ", the canary" : "",
                                TEXT_ARG(cause_attribute_text(arena, &batches->members->cause)));
        }
    }
    return TEXT("");
}
