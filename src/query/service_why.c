#include "base/limits.h"
#include "base/macros.h"
#include "base/time.h"
#include "codec/json.h"
#include "plan/fields.h"
#include "query/problem.h"
#include "query/query_parts.h"
#include "records/displayed.h"
#include "records/record.h"
#include "roles/roles_change.h"
#include "service/select.h"

#include <assert.h>
#include <string.h>

/* public names start with: service_ */

/* Explains a state in these steps: find the latest event of the cluster; read the latest events,
 * and keep those about the subject as its steps; read the pass that decided the last of them;
 * report the inputs of its rule. A hold contains the number of its pass. Inputs that are no longer
 * archived are omitted; rule and fact are in the events themselves. */

struct step {
    struct doc event;
    uint64_t number;
};

struct asking {
    struct service *service;
    struct arena *arena;
    struct text tenant;
    struct text cluster_id;
    struct service_why why;
    bool has_previous; /* the node's slot had another machine before */
    /* record in the slot of the requested node; its token is empty if the subject is not a node */
    struct record machine;
    service_done *done;
    void *arg;
    /* number of the newest event */
    uint64_t newest;
    uint64_t stride;
    bool is_narrowing;
    /* A ring buffer of the newest steps: step N is at index N % LIMIT_WHY_STEPS. */
    struct step steps[LIMIT_WHY_STEPS];
    size_t step_count;
    /* the event or hold that has the decision (rule, fact, pass); NONE: no decision was found */
    struct doc deciding;
    uint64_t pass;
};

static struct text why_text_of(const struct doc *doc, const char *name)
{
    const struct doc *value = doc_child(doc, name);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

static uint64_t why_number_of(const struct doc *doc, const char *name)
{
    int64_t number = 0;

    return text_parse_int64(why_text_of(doc, name), &number) && number > 0 ? (uint64_t)number : 0;
}

static void why_unknown_report(struct asking *asking)
{
    const struct service_why *why = &asking->why;
    struct text what = why->hold.length > 0   ? why->hold
                       : why->name.length > 0 ? why->name
                                              : why->cluster;
    struct err err;

    if (why->event > 0) {
        err_set(&err, CODE_R0434, "'%.*s' has no event %llu", TEXT_ARG(why->cluster),
                (unsigned long long)why->event);
    } else if (why->is_previous) {
        err_set(&err, CODE_R0434, "no machine of '%.*s/%.*s' was destroyed recently",
                TEXT_ARG(why->cluster), TEXT_ARG(why->name));
    } else {
        err_set(&err, CODE_R0434, "no decision is recorded for '%.*s'", TEXT_ARG(what));
    }
    (void)!err_hint(&err, "reeve events cluster/%.*s shows what is known", TEXT_ARG(why->cluster));
    service_refuse(asking->service, asking->arena, &err, asking->done, asking->arg);
}

/* ---- inputs of the rule ---- */

struct inputs {
    struct arena *arena;
    const struct ledger_pass *pass;
    struct doc_builder builder;
};

static void input_put(struct inputs *inputs, const char *name, enum plan_sort sort,
                      const void *item)
{
    doc_builder_put(&inputs->builder, name,
                    plan_show(inputs->arena, sort, item, inputs->pass->world.now_ms));
}

static const struct plan_group *why_group_find(const struct plan_world *world, struct text path)
{
    for (size_t i = 0; i < world->group_count; i++) {
        if (text_is_equal(world->groups[i].path, path)) {
            return &world->groups[i];
        }
    }
    return NULL;
}

static bool is_why_in(struct text group, struct text path)
{
    return path.length == 0 || text_is_equal(group, path);
}

/* Reports the numbers of machines of a group or of the cluster, in the records and in the
 * listing. */
static void members_put(struct inputs *inputs, struct text group)
{
    const struct plan_world *world = &inputs->pass->world;
    static const char *const names[] = { "creating", "active", "leaving" };
    uint64_t by_state[3] = { 0 };
    uint64_t listed = 0;
    uint64_t running = 0;
    struct doc_builder builder;

    for (size_t i = 0; i < world->record_count; i++) {
        by_state[world->records[i].state] += is_why_in(world->records[i].group, group);
    }
    for (size_t i = 0; i < world->row_count; i++) {
        bool is_of = is_why_in(world->rows[i].group, group);

        listed += is_of;
        running += is_of && world->rows[i].state == PLAN_ROW_RUNNING;
    }
    doc_builder_init(&builder, inputs->arena);
    for (size_t i = 0; i < 3; i++) {
        doc_builder_put(&builder, names[i], doc_int(inputs->arena, (int64_t)by_state[i], NULL));
    }
    doc_builder_put(&builder, "listed", doc_int(inputs->arena, (int64_t)listed, NULL));
    doc_builder_put(&builder, "running", doc_int(inputs->arena, (int64_t)running, NULL));
    doc_builder_put(&inputs->builder, "members", doc_builder_map(&builder, NULL));
}

static void limits_put(struct inputs *inputs, enum plan_rule rule)
{
    struct text names = text_from(plan_rule_limits(rule));
    struct doc all = plan_show(inputs->arena, PLAN_SORT_LIMITS, &inputs->pass->limits, 0);
    struct doc_builder builder;

    doc_builder_init(&builder, inputs->arena);
    while (names.length > 0) {
        struct text name = text_slice(names, 0, text_find_byte(names, ' '));
        const struct doc_entry *entry = doc_entry_find(&all, name);

        if (entry != NULL) {
            doc_builder_add(&builder, entry);
        }
        names = text_slice(names, name.length + 1, names.length);
    }
    if (builder.count > 0) {
        doc_builder_put(&inputs->builder, "limits", doc_builder_map(&builder, NULL));
    }
}

static void why_place_put(struct inputs *inputs, struct text path)
{
    const struct plan_world *world = &inputs->pass->world;
    const struct plan_group *group = why_group_find(world, path);

    if (group != NULL) {
        input_put(inputs, "group", PLAN_SORT_GROUP, group);
        input_put(inputs, "source", PLAN_SORT_SOURCE, &world->sources[group->source]);
    }
    members_put(inputs, path);
}

/* Reports the machine as the provider's listing shows it. Also reports what is known about a
 * machine without a record. */
static void seen_put(struct inputs *inputs, const struct plan_action *action)
{
    const struct plan_world *world = &inputs->pass->world;
    struct text token =
        action->record == PLAN_NONE ? TEXT("") : world->records[action->record].token;
    struct text id = action->row == PLAN_NONE ? TEXT("") : world->rows[action->row].id;

    for (size_t i = 0; i < world->row_count; i++) {
        if (i == action->row || (token.length > 0 && text_is_equal(world->rows[i].token, token))) {
            input_put(inputs, "listed", PLAN_SORT_ROW, &world->rows[i]);
            break;
        }
    }
    for (size_t i = 0; i < world->quarantine_count; i++) {
        if (id.length > 0 && text_is_equal(world->quarantines[i].id, id)) {
            input_put(inputs, "sighted", PLAN_SORT_QUARANTINE, &world->quarantines[i]);
        }
    }
}

static void inputs_begin(struct inputs *inputs, struct arena *arena, const struct ledger_pass *pass)
{
    *inputs = (struct inputs){ .arena = arena, .pass = pass };
    doc_builder_init(&inputs->builder, arena);
    input_put(inputs, "cluster", PLAN_SORT_WORLD, &pass->world);
}

static struct doc action_inputs(struct arena *arena, const struct ledger_pass *pass,
                                const struct plan_action *action)
{
    struct inputs inputs;

    inputs_begin(&inputs, arena, pass);
    if (action->record != PLAN_NONE) {
        input_put(&inputs, "record", PLAN_SORT_RECORD, &pass->world.records[action->record]);
    }
    seen_put(&inputs, action);
    why_place_put(&inputs, action->group);
    limits_put(&inputs, action->rule);
    return doc_builder_map(&inputs.builder, NULL);
}

static struct doc hold_inputs(struct arena *arena, const struct ledger_pass *pass,
                              const struct plan_hold *hold)
{
    struct inputs inputs;

    inputs_begin(&inputs, arena, pass);
    why_place_put(&inputs, hold->group);
    limits_put(&inputs, hold->rule);
    return doc_builder_map(&inputs.builder, NULL);
}

/* ---- the answer ---- */

static struct doc steps_show(struct asking *asking)
{
    size_t kept = asking->step_count < LIMIT_WHY_STEPS ? asking->step_count : LIMIT_WHY_STEPS;
    struct doc *items = arena_array(asking->arena, struct doc, kept);

    for (size_t i = 0; i < kept; i++) {
        items[i] = asking->steps[(asking->step_count - kept + i) % LIMIT_WHY_STEPS].event;
    }
    return doc_list(items, kept, NULL);
}

static struct text subject_format(const struct asking *asking)
{
    const struct service_why *why = &asking->why;

    if (why->event > 0) {
        return arena_printf(asking->arena, "event/%.*s/%llu", TEXT_ARG(why->cluster),
                            (unsigned long long)why->event);
    }
    if (why->hold.length > 0) {
        return arena_printf(asking->arena, "hold/%.*s%s%.*s", TEXT_ARG(why->cluster),
                            text_find_byte(why->hold, ':') == SIZE_MAX ? ":" : "/",
                            TEXT_ARG(why->hold));
    }
    return why->name.length == 0
               ? arena_printf(asking->arena, "cluster/%.*s", TEXT_ARG(why->cluster))
               : arena_printf(asking->arena, "%.*s/%.*s", TEXT_ARG(why->cluster),
                              TEXT_ARG(why->name));
}

static void rule_put(struct doc_builder *builder, struct text rule, bool is_hold)
{
    enum plan_rule found = plan_rule_find(rule);

    if (rule.length == 0) {
        return;
    }
    doc_builder_put(builder, "rule", doc_text(rule, NULL));
    if (found < PLAN_RULE_COUNT) {
        doc_builder_put(builder, "description", doc_text(text_from(plan_rule_text(found)), NULL));
    }
    if (found < PLAN_RULE_COUNT && is_hold) {
        doc_builder_put(builder, "advice", doc_text(text_from(plan_rule_advice(found)), NULL));
    }
}

static void members_copy(struct doc_builder *builder, const struct doc *from)
{
    static const char *const names[] = { "actor", "fact", "group", "id",   "node", "number",
                                         "pass",  "time", "token", "type", "why" };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        const struct doc *value = doc_child(from, names[i]);

        if (doc_is_scalar(value)) {
            doc_builder_put(builder, names[i], *value);
        }
    }
}

/* For a hold about refusals of a provider, add the provider's messages. */
static void put_statement(struct asking *asking, struct doc_builder *builder)
{
    struct doc said;

    if (asking->why.hold.length == 0 ||
        !text_is(why_text_of(&asking->deciding, "rule"), plan_rule_name(PLAN_RULE_refused))) {
        return;
    }
    said = service_refusals(asking->service, asking->arena, asking->tenant, asking->cluster_id,
                            why_text_of(&asking->deciding, "group"));
    if (said.item_count > 0) {
        doc_builder_put(builder, "refusals", said);
    }
}

/* For a node that waits for its rollout slot, add the reason. */
static void slot_put(const struct asking *asking, struct doc_builder *builder)
{
    struct doc slot = service_slot_show(asking->service, asking->arena, asking->tenant,
                                        asking->cluster_id, asking->why.cluster, asking->why.name);

    if (doc_is_map(&slot)) {
        doc_builder_put(builder, "slot", slot);
    }
}

/* Return the role that the requested machine waits for; empty: none. `roles` are its own roles. */
static struct text why_role_wait(const struct asking *asking, const struct service_actor *actor,
                                 const struct roles_list *roles)
{
    struct arena *arena = asking->arena;
    const struct cache *cache = asking->service->cache;
    const struct cache_object *object =
        cache_find(cache, asking->tenant, TEXT("Cluster"), asking->cluster_id);
    struct select_request request = { .cluster = asking->why.cluster };
    struct fleet_cluster cluster = { 0 };
    struct roles_node held = { .is_live = true };
    struct stored_object stored;
    struct select_nodes nodes;
    struct err err;

    if (displayed_of(&asking->machine.plan) != DISPLAYED_STARTING || object == NULL ||
        !objects_read(arena, cache, objects_kind("Cluster"), object, &stored, &err) ||
        !fleet_groups_read(arena, &stored, &cluster) ||
        !select_nodes(cache, arena, actor, &request, &nodes, &err)) {
        return TEXT("");
    }
    for (size_t i = 0; i < nodes.count; i++) {
        for (size_t j = 0;
             displayed_is_serving(nodes.items[i].displayed) &&
             nodes.items[i].record_state == PLAN_RECORD_ACTIVE && j < nodes.items[i].roles.count;
             j++) {
            roles_list_add(arena, &held.after, nodes.items[i].roles.items[j]);
        }
    }
    return roles_wait_find(&cluster.rules, roles, &held, 1);
}

/* Report the status and the roles of the requested machine, and the role that it waits for. */
static void why_roles_put(const struct asking *asking, struct doc_builder *builder)
{
    struct service_actor actor = { .tenant = asking->tenant };
    struct select_request request = { .cluster = asking->why.cluster,
                                      .names = asking->machine.plan.token };
    struct select_nodes nodes;
    struct text wait;
    struct doc *roles;
    struct err err;

    if (!select_nodes(asking->service->cache, asking->arena, &actor, &request, &nodes, &err) ||
        nodes.count == 0) {
        return;
    }
    doc_builder_put(builder, "prevStatus",
                    doc_text(text_from(lifecycle_status_name(nodes.items[0].prev_status)), NULL));
    doc_builder_put(builder, "status",
                    doc_text(text_from(lifecycle_status_name(nodes.items[0].status)), NULL));
    if (nodes.items[0].roles.count == 0) {
        return;
    }
    roles = arena_array(asking->arena, struct doc, nodes.items[0].roles.count);
    for (size_t i = 0; i < nodes.items[0].roles.count; i++) {
        roles[i] = doc_text(nodes.items[0].roles.items[i], NULL);
    }
    doc_builder_put(builder, "roles", doc_list(roles, nodes.items[0].roles.count, NULL));
    wait = why_role_wait(asking, &actor, &nodes.items[0].roles);
    if (wait.length > 0) {
        doc_builder_put(builder, "waitsForRole", doc_text(wait, NULL));
    }
}

/* Report the present state of the requested machine. */
static void why_machine_put(const struct asking *asking, struct doc_builder *builder)
{
    const struct record *record = &asking->machine;
    struct arena *arena = asking->arena;
    struct service_policies policies = { .service = asking->service,
                                         .arena = arena,
                                         .tenant = asking->tenant,
                                         .id = asking->cluster_id };
    struct doc_builder node;
    struct doc problem;
    struct doc step;

    if (record->plan.token.length == 0 || asking->why.is_previous) {
        return;
    }
    doc_builder_init(&node, arena);
    if (record->cause.length > 0) {
        doc_builder_put(&node, "cause", doc_text(record->cause, NULL));
    }
    doc_builder_put(&node, "displayed",
                    doc_text(text_from(displayed_name(displayed_of(&record->plan))), NULL));
    step = service_node_show(asking->service, arena, asking->tenant,
                             arena_printf(arena, "%.*s/%.*s", TEXT_ARG(asking->cluster_id),
                                          TEXT_ARG(record->plan.token)));
    if (doc_is_map(&step)) {
        doc_builder_put(&node, "node", step);
        if (text_is(why_text_of(&step, "step"), "facts")) {
            doc_builder_put(
                &node, "waitsForNode",
                doc_text(select_facts_wait(asking->service->cache, arena, asking->tenant,
                                           asking->why.cluster, record->plan.token),
                         NULL));
        }
    }
    if (record->is_outdated) {
        doc_builder_put(&node, "outdated", doc_bool(true, NULL));
    }
    problem = service_problem_show(&policies, arena, record);
    if (doc_is_map(&problem)) {
        doc_builder_put(&node, "problem", problem);
    }
    why_roles_put(asking, &node);
    doc_builder_put(builder, "machine", doc_builder_map(&node, NULL));
    if (asking->has_previous) {
        doc_builder_put(builder, "hasPrevious", doc_bool(true, NULL));
    }
}

/* Send the answer. `act` may be NULL, and `inputs` may be empty. */
static void why_answer_report(struct asking *asking, const struct ledger_pass *pass,
                              const char *act, const struct doc *inputs)
{
    struct arena *arena = asking->arena;
    struct doc_builder builder;
    struct doc body;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "actor", doc_text(TEXT("reeve"), NULL));
    members_copy(&builder, &asking->deciding);
    rule_put(&builder, why_text_of(&asking->deciding, "rule"), asking->why.hold.length > 0);
    put_statement(asking, &builder);
    slot_put(asking, &builder);
    why_machine_put(asking, &builder);
    doc_builder_put(&builder, "cluster", doc_text(asking->why.cluster, NULL));
    doc_builder_put(&builder, "subject", doc_text(subject_format(asking), NULL));
    doc_builder_put(&builder, "steps", steps_show(asking));
    doc_builder_put(&builder, "kept", doc_bool(pass != NULL && !pass->head.is_bare, NULL));
    if (act != NULL) {
        doc_builder_put(&builder, "act", doc_text(text_from(act), NULL));
    }
    if (doc_is_present(inputs)) {
        doc_builder_put(&builder, "inputs", *inputs);
    }
    if (pass != NULL) {
        char *time = arena_alloc(arena, TIME_TEXT_BYTES);

        time_format((int64_t)pass->head.wall_ms, time);
        doc_builder_put(&builder, "time", doc_text(text_from(time), NULL));
        doc_builder_put(&builder, "revision", doc_int(arena, (int64_t)pass->head.revision, NULL));
        doc_builder_put(&builder, "planner", doc_int(arena, pass->head.version, NULL));
    }
    body = doc_builder_map(&builder, NULL);
    service_report(asking->service, arena, &body, asking->done, asking->arg);
}

/* True if the event reports this action. When a machine is created, there is no earlier record to
 * compare. */
static bool is_reported_to(const struct asking *asking, const struct ledger_pass *pass,
                           const struct plan_action *action)
{
    struct text token = why_text_of(&asking->deciding, "token");
    struct text id = why_text_of(&asking->deciding, "id");
    int64_t slot = -1;
    bool has_slot = text_parse_int64(why_text_of(&asking->deciding, "slot"), &slot);

    if (!text_is(why_text_of(&asking->deciding, "rule"), plan_rule_name(action->rule))) {
        return false;
    }
    if (action->record != PLAN_NONE && action->act != PLAN_ACT_CREATE) {
        return text_is_equal(pass->world.records[action->record].token, token);
    }
    if (action->row != PLAN_NONE) {
        return text_is_equal(pass->world.rows[action->row].id, id);
    }
    return has_slot && action->slot == (uint64_t)slot &&
           text_is_equal(action->group, why_text_of(&asking->deciding, "group"));
}

static void why_on_pass(void *arg, const struct ledger_pass *pass, const struct err *fault)
{
    struct asking *asking = arg;
    struct text rule = why_text_of(&asking->deciding, "rule");
    struct text group = why_text_of(&asking->deciding, "group");
    struct doc inputs = { 0 };
    struct plan plan;
    struct err err;

    if (fault != NULL || pass->head.is_bare ||
        !ledger_plan_read(asking->arena, pass, pass->decision, &plan, &err)) {
        why_answer_report(asking, fault == NULL ? pass : NULL, NULL, NULL);
        return;
    }
    for (size_t i = 0; i < plan.action_count; i++) {
        if (is_reported_to(asking, pass, &plan.actions[i])) {
            inputs = action_inputs(asking->arena, pass, &plan.actions[i]);
            why_answer_report(asking, pass, plan_act_name(plan.actions[i].act), &inputs);
            return;
        }
    }
    for (size_t i = 0; i < plan.hold_count; i++) {
        if (text_is(rule, plan_rule_name(plan.holds[i].rule)) &&
            text_is_equal(group, plan.holds[i].group)) {
            inputs = hold_inputs(asking->arena, pass, &plan.holds[i]);
            why_answer_report(asking, pass, "hold", &inputs);
            return;
        }
    }
    /* the hold has ended, because the pass does not have it */
    why_answer_report(asking, pass, NULL, NULL);
}

static void why_pass_ask(struct asking *asking)
{
    asking->pass = why_number_of(&asking->deciding, "pass");
    if (asking->pass == 0) {
        why_answer_report(asking, NULL, NULL, NULL);
        return;
    }
    service_pass_load(asking->service, asking->arena, asking->tenant, asking->cluster_id,
                      asking->pass, why_on_pass, asking);
}

/* ---- events ---- */

static void why_events_read(struct asking *asking, uint64_t after, size_t limit, store_done *done)
{
    store_events(asking->service->store,
                 arena_printf(asking->arena, "%.*s/%.*s", TEXT_ARG(asking->tenant),
                              TEXT_ARG(asking->cluster_id)),
                 after, limit, done, asking);
}

/* Formats an event: first the entries of its body, then those that every event has. */
static struct doc why_event_doc(struct arena *arena, const struct store_event *event)
{
    struct text body = arena_text(arena, event->body);
    char *time = arena_alloc(arena, TIME_TEXT_BYTES);
    struct doc_builder builder;
    struct doc doc;
    struct err err;

    doc_builder_init(&builder, arena);
    if (json_parse(arena, body, NULL, &doc, &err) && doc_is_map(&doc)) {
        for (size_t i = 0; i < doc.entry_count; i++) {
            doc_builder_add(&builder, &doc.entries[i]);
        }
    }
    time_format((int64_t)event->time_ms, time);
    doc_builder_put(&builder, "number", doc_int(arena, (int64_t)event->number, NULL));
    doc_builder_put(&builder, "revision", doc_int(arena, (int64_t)event->revision, NULL));
    doc_builder_put(&builder, "time", doc_text(text_from(time), NULL));
    return doc_builder_map(&builder, NULL);
}

static bool has_name(struct text bytes, struct text name)
{
    return memmem(bytes.data, bytes.length, name.data, name.length) != NULL;
}

/* True if the event is about the machine that is in the node's slot now or, with --previous, about
 * a machine that was in the slot before. */
static bool is_why_of_machine(struct asking *asking, const struct doc *event)
{
    struct text current = asking->machine.plan.token;
    struct text token = why_text_of(event, "token");
    bool is_other = token.length > 0 && !text_is_equal(token, current);

    if (current.length == 0) {
        return true;
    }
    asking->has_previous |= is_other && text_is(why_text_of(event, "type"), "machine.condemned");
    return asking->why.is_previous == is_other;
}

/* True if the event is about the subject. */
static bool is_about(struct asking *asking, const struct doc *event)
{
    struct text name = asking->why.name;
    struct text group = why_text_of(event, "group");

    if (name.length == 0) {
        return text_is(why_text_of(event, "kind"), "Cluster") && why_number_of(event, "pass") > 0;
    }
    return ((text_is_equal(why_text_of(event, "node"), name) ||
             text_is_equal(why_text_of(event, "token"), name) ||
             text_is_equal(why_text_of(event, "id"), name)) &&
            is_why_of_machine(asking, event)) ||
           (text_is_equal(group, name) && why_number_of(event, "pass") > 0);
}

/* True if the event is a decision of reeve. Decisions take precedence, because events about
 * machines that appeared or disappeared are only their effects. */
static bool is_intent(const struct doc *event)
{
    static const char *const types[] = { "machine.wanted",  "machine.condemned",
                                         "machine.adopted", "machine.rebooting",
                                         "machine.moved",   "hold.began" };

    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        if (text_is(why_text_of(event, "type"), types[i])) {
            return true;
        }
    }
    return false;
}

/* If the previous machine is requested, keep only the steps of the machine that was destroyed last
 * in the slot. */
static void previous_keep(struct asking *asking)
{
    size_t kept = asking->step_count < LIMIT_WHY_STEPS ? asking->step_count : LIMIT_WHY_STEPS;
    struct step *items = arena_array(asking->arena, struct step, LIMIT_WHY_STEPS);
    struct text token = TEXT("");
    size_t count = 0;

    for (size_t i = 0; i < kept; i++) {
        const struct step *step = &asking->steps[(asking->step_count - kept + i) % LIMIT_WHY_STEPS];

        if (text_is(why_text_of(&step->event, "type"), "machine.condemned")) {
            token = why_text_of(&step->event, "token");
        }
    }
    for (size_t i = 0; i < kept && token.length > 0; i++) {
        const struct step *step = &asking->steps[(asking->step_count - kept + i) % LIMIT_WHY_STEPS];

        if (text_is_equal(why_text_of(&step->event, "token"), token)) {
            items[count++] = *step;
        }
    }
    memcpy(asking->steps, items, sizeof(asking->steps));
    asking->step_count = count;
}

/* Returns the newest decision about an old machine from its record, which has the rule and the
 * pass. Events of old machines are not searched. */
static struct doc record_deciding(const struct asking *asking)
{
    const struct record *record = &asking->machine;
    struct arena *arena = asking->arena;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "group", doc_text(record->plan.group, NULL));
    doc_builder_put(&builder, "id", doc_text(record->plan.id, NULL));
    doc_builder_put(&builder, "node", doc_text(record->name, NULL));
    doc_builder_put(&builder, "pass", doc_int(arena, (int64_t)record->pass, NULL));
    doc_builder_put(&builder, "rule", doc_text(record->reason, NULL));
    doc_builder_put(&builder, "token", doc_text(record->plan.token, NULL));
    return doc_builder_map(&builder, NULL);
}

static void steps_end(struct asking *asking)
{
    const struct doc *any = NULL;
    const struct doc *intent = NULL;
    size_t kept;

    if (asking->why.is_previous) {
        previous_keep(asking);
    }
    kept = asking->step_count < LIMIT_WHY_STEPS ? asking->step_count : LIMIT_WHY_STEPS;
    for (size_t i = 0; i < kept; i++) {
        const struct doc *event =
            &asking->steps[(asking->step_count - kept + i) % LIMIT_WHY_STEPS].event;

        any = event;
        intent = is_intent(event) ? event : intent;
    }
    if (any == NULL && (asking->machine.plan.token.length == 0 || asking->why.is_previous)) {
        why_unknown_report(asking);
        return;
    }
    asking->deciding = intent != NULL ? *intent : any != NULL ? *any : record_deciding(asking);
    why_pass_ask(asking);
}

static void steps_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct asking *asking = arg;
    uint64_t last = 0;

    if (outcome != OUTCOME_OK) {
        service_refuse(asking->service, asking->arena, &answer->err, asking->done, asking->arg);
        return;
    }
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_event *event = &answer->events[i];

        last = event->number;
        if (asking->why.name.length == 0 || has_name(event->body, asking->why.name)) {
            struct doc doc = why_event_doc(asking->arena, event);

            if (is_about(asking, &doc)) {
                asking->steps[asking->step_count++ % LIMIT_WHY_STEPS] =
                    (struct step){ doc, event->number };
            }
        }
    }
    if (!answer->has_more || last == 0) {
        steps_end(asking);
        return;
    }
    why_events_read(asking, last, LIMIT_EVENTS_PAGE, steps_reported);
}

/* Finds the newest event number: doubles the step while there are events after the position, then
 * uses binary search. */
static void why_newest_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct asking *asking = arg;

    if (outcome != OUTCOME_OK) {
        service_refuse(asking->service, asking->arena, &answer->err, asking->done, asking->arg);
        return;
    }
    if (answer->count > 0) {
        asking->newest = answer->events[0].number;
        asking->stride = asking->is_narrowing ? asking->stride / 2 : asking->stride * 2;
    } else {
        asking->is_narrowing = true;
        asking->stride /= 2;
    }
    if (asking->stride == 0) {
        why_events_read(asking,
                        asking->newest > LIMIT_WHY_EVENTS ? asking->newest - LIMIT_WHY_EVENTS : 0,
                        LIMIT_EVENTS_PAGE, steps_reported);
        return;
    }
    why_events_read(asking, asking->newest + asking->stride - 1, 1, why_newest_reported);
}

static void event_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct asking *asking = arg;

    if (outcome != OUTCOME_OK) {
        service_refuse(asking->service, asking->arena, &answer->err, asking->done, asking->arg);
        return;
    }
    if (answer->count == 0 || answer->events[0].number != asking->why.event) {
        why_unknown_report(asking);
        return;
    }
    asking->deciding = why_event_doc(asking->arena, &answer->events[0]);
    asking->steps[0] = (struct step){ asking->deciding, asking->why.event };
    asking->step_count = 1;
    why_pass_ask(asking);
}

/* ---- subjects ---- */

/* Answers a request about a hold. The request names it [GROUP:]RULE; its id in the store is
 * RULE[/GROUP]. */
static void hold_ask(struct asking *asking)
{
    struct text name = asking->why.hold;
    size_t colon = text_find_byte(name, ':');
    struct text group = colon == SIZE_MAX ? TEXT("") : text_slice(name, 0, colon);
    struct text rule = colon == SIZE_MAX ? name : text_slice(name, colon + 1, name.length);
    struct text id = arena_printf(asking->arena, "%.*s/%.*s%s%.*s", TEXT_ARG(asking->cluster_id),
                                  TEXT_ARG(rule), group.length > 0 ? "/" : "", TEXT_ARG(group));
    const struct cache_object *object =
        cache_find(asking->service->cache, asking->tenant, TEXT("Hold"), id);
    struct err err;

    if (object == NULL || object->parts[CACHE_STATUS].bytes == NULL) {
        err_set(&err, CODE_R0403, "'%.*s' has no hold '%.*s'", TEXT_ARG(asking->why.cluster),
                TEXT_ARG(name));
        (void)!err_hint(&err, "reeve get holds lists the holds");
        service_refuse(asking->service, asking->arena, &err, asking->done, asking->arg);
        return;
    }
    if (!json_parse(asking->arena,
                    arena_text(asking->arena, blob_text(object->parts[CACHE_STATUS].bytes)), NULL,
                    &asking->deciding, &err)) {
        why_unknown_report(asking);
        return;
    }
    why_pass_ask(asking);
}

void service_why(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_why *why, service_done *done, void *arg)
{
    struct asking *asking = arena_one(arena, struct asking);
    struct err err;

    *asking = (struct asking){ .service = service,
                               .arena = arena,
                               .tenant = actor->tenant,
                               .why = *why,
                               .stride = 1,
                               .done = done,
                               .arg = arg };
    asking->cluster_id = service_kept_cluster(service, arena, actor->tenant, why->cluster, &err);
    if (asking->cluster_id.length == 0) {
        service_refuse(service, arena, &err, done, arg);
    } else if (why->hold.length > 0) {
        hold_ask(asking);
    } else if (why->event > 0) {
        why_events_read(asking, why->event - 1, 1, event_reported);
    } else {
        if (why->name.length > 0 &&
            !service_machine_find(service, arena, actor->tenant, asking->cluster_id, why->name,
                                  &asking->machine)) {
            /* the name belongs to a group, or to a machine that no longer exists */
            asking->machine = (struct record){ 0 };
        }
        why_events_read(asking, 0, 1, why_newest_reported);
    }
}
