#include "base/time.h"
#include "codec/json.h"
#include "members/members.h"
#include "model/nest.h"
#include "records/displayed.h"
#include "roles/roles_change.h"
#include "roles/roles_decide.h"
#include "state/holders.h"

/* public names start with: members_ member_ reconciler_ */

/* Roles of the members of one cluster (C11, C12). This file decides which members have which roles,
 * which members delay their first stages until a needed role exists, and which members get a role
 * by a rule with `keep`.
 *
 * Normal case: the cluster has no roles, which members_roles_observe finds immediately.
 *
 * A role is given in the same transaction as its event. If the stages of the node's configuration
 * may run again, the transaction includes a request to run them. The node then runs them with its
 * new role, and no other node gets the role until they have ended. */

enum { MEMBERS_ROLES_AGAIN_MS = 1000 };

/* ---- observation ---- */

static struct text members_roles_name(struct arena *arena, const struct fleet_group *group,
                                      uint64_t slot)
{
    return group == NULL ? TEXT("") : naming_format(arena, &group->affix, slot);
}

/* Return the roles of a machine: those that its group or member lists, and those that rules have
 * given to it. */
static struct roles_list members_roles_of(struct arena *arena, const struct members *members,
                                          const struct holders *holders,
                                          const struct fleet_machine *machine)
{
    const struct fleet_group *group =
        fleet_group_find(members->reconciler->cluster, fleet_machine_group(machine));
    struct text name = members_roles_name(arena, group, machine->slot);
    struct roles_list listed =
        group == NULL ? (struct roles_list){ 0 } : roles_group_of(&group->roles, name);

    /* The lists must not borrow from the specification, which may be read again before the roles
     * are. */
    listed = roles_list_copy(arena, &listed);
    return holders_roles_of(arena, holders, &listed, fleet_machine_token(machine));
}

static bool has_members_roles(const struct fleet_cluster *cluster, const struct holders *holders)
{
    bool has_any = holders->count > 0;

    for (size_t i = 0; !has_any && i < cluster->group_count; i++) {
        has_any = roles_group_has_any(&cluster->groups[i].roles);
    }
    for (size_t i = 0; !has_any && i < cluster->rules.count; i++) {
        has_any = cluster->rules.items[i].keep > 0;
    }
    return has_any;
}

static struct holders members_roles_holders(struct arena *arena, const struct members *members)
{
    const struct fleet_cluster *cluster = members->reconciler->cluster;

    return holders_read(arena, members->reconciler->control->cache, cluster->tenant, cluster->id);
}

static bool is_members_roles_serving(const struct fleet_machine *machine)
{
    struct plan_record record;

    fleet_machine_unpack(machine, &record);
    return record.state == PLAN_RECORD_ACTIVE && displayed_is_serving(displayed_of(&record));
}

void members_roles_observe(struct members *members)
{
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct holders holders = members_roles_holders(arena, members);
    bool has_roles = has_members_roles(cluster, &holders);

    arena_free(members->roles_memory);
    members->roles_memory = arena;
    members->roles_held = (struct roles_list){ 0 };
    for (struct member *one = members->first; one != NULL; one = one->next) {
        const struct fleet_machine *machine =
            has_roles ? fleet_machine_find(cluster, one->token) : NULL;

        one->roles = machine == NULL ? (struct roles_list){ 0 }
                                     : members_roles_of(arena, members, &holders, machine);
    }
    for (size_t i = 0; has_roles && i < cluster->count; i++) {
        struct roles_list roles = members_roles_of(arena, members, &holders, cluster->machines[i]);

        for (size_t j = 0; j < roles.count; j++) {
            if (!roles_list_has(&members->roles_held, roles.items[j]) &&
                is_members_roles_serving(cluster->machines[i])) {
                roles_list_add(arena, &members->roles_held, roles.items[j]);
            }
        }
    }
}

bool member_waits_for_role(const struct member *member)
{
    const struct members *members = member->members;
    const struct roles_node held = { .after = members->roles_held, .is_live = true };

    return member->roles.count > 0 && member->state.chain_done.length == 0 &&
           roles_wait_find(&members->reconciler->cluster->rules, &member->roles, &held, 1).length >
               0;
}

uint64_t members_roles_next(const struct members *members)
{
    for (const struct member *one = members->first; one != NULL; one = one->next) {
        if (one->is_there && !one->is_going && member_waits_for_role(one)) {
            return members_now(members) + MEMBERS_ROLES_AGAIN_MS;
        }
    }
    return 0;
}

/* ---- facts ---- */

uint64_t member_roles_hash(const struct member *member, uint64_t seed)
{
    for (size_t i = 0; i < member->roles.count; i++) {
        seed = text_hash(member->roles.items[i], seed);
    }
    return seed;
}

struct text member_facts(struct arena *arena, const struct member *member)
{
    struct doc *items;
    struct doc facts;
    struct buf buf;
    struct err err;

    if (member->roles.count == 0 || !json_parse(arena, member->state.facts, NULL, &facts, &err) ||
        !doc_is_map(&facts)) {
        return member->state.facts;
    }
    items = arena_array(arena, struct doc, member->roles.count);
    for (size_t i = 0; i < member->roles.count; i++) {
        items[i] = doc_text(member->roles.items[i], NULL);
    }
    facts = nest_put(arena, &facts, "roles", doc_list(items, member->roles.count, NULL));
    buf_init(&buf, arena);
    json_format(&buf, &facts);
    return buf_text(&buf);
}

/* ---- roles that rules assign ---- */

/* The next move of a role. */
struct members_roles_step {
    struct roles_rule rule;
    struct roles_move move;
    struct roles_place *places;
    /* the machine with the same index in the places; NULL: there is no machine */
    const struct fleet_machine **machines;
    size_t count;
};

/* True if the node that received the role has not run its stages since then. */
static bool is_members_roles_busy(const struct members *members, const struct holders *holders)
{
    for (size_t i = 0; i < holders->count; i++) {
        const struct member *member = map_find(&members->by_token, holders->items[i].token);

        if (member != NULL && member->is_there && !member->is_going &&
            (member_is_rerun(member) || member_is_staging(member)) &&
            member->state.chain_failed.length == 0) {
            return true;
        }
    }
    return false;
}

static struct roles_place members_roles_place(struct arena *arena, const struct members *members,
                                              const struct fleet_machine *machine,
                                              const struct holders *holders, struct text role)
{
    const struct fleet_group *group =
        fleet_group_find(members->reconciler->cluster, fleet_machine_group(machine));
    struct text token = fleet_machine_token(machine);
    struct roles_list listed = { 0 };
    struct plan_record record;
    bool is_drained;

    fleet_machine_unpack(machine, &record);
    is_drained = record.maintenance_since_ms > 0;
    if (group != NULL) {
        listed = roles_group_of(&group->roles, members_roles_name(arena, group, machine->slot));
    }
    return (struct roles_place){
        .token = token,
        .group = record.group,
        .zone = record.zone,
        .slot = record.slot,
        .is_ready = is_members_roles_serving(machine),
        .is_leaving = record.state == PLAN_RECORD_DELETE || group == NULL,
        /* A node in maintenance is intentionally out of service, so another node gets the role
         * immediately. */
        .lost_ms = is_drained ? record.maintenance_since_ms
                              : time_earlier(record.unreachable_since_ms, record.failing_since_ms),
        .replace_after_ms = group == NULL || is_drained ? 0 : group->plan.replace_after_ms,
        .is_static = roles_list_has(&listed, role),
        .is_holder = holders_find(holders, role, token) != 0,
    };
}

/* Lists the possible holders of a role: all machines, and current holders that no longer exist. */
static void members_roles_places_make(struct arena *arena, const struct members *members,
                                      const struct holders *holders,
                                      struct members_roles_step *step)
{
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    size_t room = cluster->count + holders->count + 1;

    step->places = arena_array(arena, struct roles_place, room);
    step->machines = arena_array(arena, const struct fleet_machine *, room);
    step->count = 0;
    for (size_t i = 0; i < cluster->count; i++) {
        step->machines[step->count] = cluster->machines[i];
        step->places[step->count++] =
            members_roles_place(arena, members, cluster->machines[i], holders, step->rule.name);
    }
    for (size_t i = 0; i < holders->count; i++) {
        if (text_is_equal(holders->items[i].role, step->rule.name) &&
            fleet_machine_find(cluster, holders->items[i].token) == NULL) {
            step->machines[step->count] = NULL;
            step->places[step->count++] = (struct roles_place){ .token = holders->items[i].token,
                                                                .is_leaving = true,
                                                                .is_holder = true };
        }
    }
}

/* Return the rules to evaluate: those with `keep`, and an empty rule for each role that a rule
 * assigned and that no rule contains any longer. */
static struct roles_rule *members_roles_rules(struct arena *arena,
                                              const struct fleet_cluster *cluster,
                                              const struct holders *holders, size_t *out_count)
{
    struct roles_rule *rules =
        arena_array(arena, struct roles_rule, cluster->rules.count + holders->count + 1);
    struct roles_list seen = { 0 };

    *out_count = 0;
    for (size_t i = 0; i < cluster->rules.count; i++) {
        if (cluster->rules.items[i].keep > 0) {
            roles_list_add(arena, &seen, cluster->rules.items[i].name);
            rules[(*out_count)++] = cluster->rules.items[i];
        }
    }
    for (size_t i = 0; i < holders->count; i++) {
        if (!roles_list_has(&seen, holders->items[i].role)) {
            roles_list_add(arena, &seen, holders->items[i].role);
            rules[(*out_count)++] = (struct roles_rule){ .name = holders->items[i].role };
        }
    }
    return rules;
}

/* Find the next move. Returns the time of the next decision if there is no move yet; 0: the next
 * change triggers it. */
static uint64_t members_roles_find(struct arena *arena, const struct members *members,
                                   const struct holders *holders, struct members_roles_step *step)
{
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    bool is_busy = is_members_roles_busy(members, holders);
    uint64_t next_ms = 0;
    size_t count;
    struct roles_rule *rules;

    *step = (struct members_roles_step){ 0 };
    if (!cluster->is_there || !has_members_roles(cluster, holders)) {
        return 0;
    }
    rules = members_roles_rules(arena, cluster, holders, &count);
    for (size_t i = 0; i < count; i++) {
        step->rule = rules[i];
        members_roles_places_make(arena, members, holders, step);
        roles_decide(&step->rule, step->places, step->count, members_now(members), is_busy,
                     &step->move);
        if (step->move.step != ROLES_REST) {
            return 0;
        }
        next_ms = time_earlier(next_ms, step->move.next_ms);
        if (is_busy && step->move.missing > 0) {
            next_ms = time_earlier(next_ms, members_now(members) + MEMBERS_ROLES_AGAIN_MS);
        }
    }
    return next_ms;
}

bool reconciler_keeps_roles(const struct reconciler *reconciler)
{
    const struct fleet_cluster *cluster = reconciler->cluster;

    for (size_t i = 0; i < cluster->rules.count; i++) {
        if (cluster->rules.items[i].keep > 0) {
            return true;
        }
    }
    return cache_find(reconciler->control->cache, cluster->tenant, TEXT(HOLDERS_KIND),
                      cluster->id) != NULL;
}

uint64_t members_roles(struct members *members)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct holders holders = members_roles_holders(arena, members);
    struct members_roles_step step;
    uint64_t next_ms = members_roles_find(arena, members, &holders, &step);

    members->has_role_move = step.move.step != ROLES_REST;
    return next_ms;
}

/* ---- writing a move ---- */

static struct holders members_roles_moved(struct arena *arena, const struct holders *holders,
                                          const struct members_roles_step *step, int64_t now_ms)
{
    struct holders out = { .items = arena_array(arena, struct holder, holders->count + 1) };

    for (size_t i = 0; i < holders->count; i++) {
        if (step->move.taken == ROLES_NOBODY ||
            !text_is_equal(holders->items[i].role, step->rule.name) ||
            !text_is_equal(holders->items[i].token, step->places[step->move.taken].token)) {
            out.items[out.count++] = holders->items[i];
        }
    }
    if (step->move.given != ROLES_NOBODY) {
        out.items[out.count++] =
            (struct holder){ step->rule.name, step->places[step->move.given].token,
                             now_ms > 0 ? now_ms : 1 };
    }
    return out;
}

static struct text members_roles_node_name(struct arena *arena, const struct members *members,
                                           const struct members_roles_step *step, long at)
{
    const struct fleet_machine *machine = step->machines[at];
    struct text name = machine == NULL
                           ? TEXT("")
                           : members_roles_name(arena,
                                                fleet_group_find(members->reconciler->cluster,
                                                                 fleet_machine_group(machine)),
                                                machine->slot);

    return name.length > 0 ? name : step->places[at].token;
}

static struct text members_roles_fact(struct arena *arena, const struct members *members,
                                      const struct members_roles_step *step)
{
    struct text role = step->rule.name;
    struct text taken = TEXT("");

    if (step->move.taken != ROLES_NOBODY) {
        taken = members_roles_node_name(arena, members, step, step->move.taken);
    }
    if (step->move.given == ROLES_NOBODY) {
        return arena_printf(arena, "the node no longer has the role '%.*s'", TEXT_ARG(role));
    }
    return taken.length == 0
               ? arena_printf(arena, "the node has the role '%.*s'", TEXT_ARG(role))
               : arena_printf(arena, "the node has the role '%.*s' in place of %.*s, which is away",
                              TEXT_ARG(role), TEXT_ARG(taken));
}

static struct text members_roles_event(struct arena *arena, const struct members *members,
                                       const struct members_roles_step *step)
{
    long at = step->move.given != ROLES_NOBODY ? step->move.given : step->move.taken;
    const struct roles_place *place = &step->places[at];

    return control_event(arena, members->reconciler,
                         &(struct event){
                             .type = "role.moved",
                             .group = place->group,
                             .slot = place->slot,
                             .has_slot = step->machines[at] != NULL,
                             .rule = TEXT("keep"),
                             .fact = members_roles_fact(arena, members, step),
                             .token = place->token,
                             .node = members_roles_node_name(arena, members, step, at),
                         });
}

/* Requests that the node runs the stages of its configuration again, if all of them may run
 * again. */
static void members_roles_rerun_write(struct members *members, const struct roles_place *place)
{
    struct reconciler *reconciler = members->reconciler;
    struct arena *arena = reconciler->settle_arena;
    const struct fleet_group *group = fleet_group_find(reconciler->cluster, place->group);
    const struct control *control = reconciler->control;
    struct rerun rerun = { .at_ms = control->ports.wall_ms(control->ports.arg),
                           .by = TEXT("reeve") };
    struct unit *unit;

    if (group == NULL || group->configured_from >= group->stage_count ||
        !members_has_stages(control, group)) {
        return;
    }
    for (size_t i = group->configured_from; i < group->stage_count; i++) {
        if (!group->stages[i].is_idempotent) {
            return;
        }
    }
    rerun.from = group->configured_from;
    unit = unit_add(arena, &reconciler->units,
                    control_key(arena, reconciler->cluster, RERUN_KIND, place->token, CACHE_BASE),
                    0, rerun_format(arena, &rerun));
    unit->is_loose = true;
}

void members_roles_write(struct members *members)
{
    struct reconciler *reconciler = members->reconciler;
    struct arena *arena = reconciler->settle_arena;
    const struct control *control = reconciler->control;
    struct holders holders = members_roles_holders(arena, members);
    struct members_roles_step step;
    struct holders moved;
    struct unit *unit;

    members->has_role_move = false;
    (void)members_roles_find(arena, members, &holders, &step);
    if (step.move.step == ROLES_REST) {
        return;
    }
    moved = members_roles_moved(arena, &holders, &step, control->ports.wall_ms(control->ports.arg));
    unit = unit_add(arena, &reconciler->units,
                    holders_key(arena, reconciler->cluster->tenant, reconciler->cluster->id),
                    holders.revision, moved.count == 0 ? TEXT("") : holders_format(arena, &moved));
    unit->event = members_roles_event(arena, members, &step);
    if (step.move.given != ROLES_NOBODY) {
        members_roles_rerun_write(members, &step.places[step.move.given]);
    }
}

void members_roles_sweep(struct members *members)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_cluster *cluster = members->reconciler->cluster;

    if (!cluster->is_there && members_roles_holders(arena, members).revision != 0) {
        members_gone_add(members, holders_key(members->gone_memory, cluster->tenant, cluster->id),
                         TEXT(""), TEXT(""));
    }
}
