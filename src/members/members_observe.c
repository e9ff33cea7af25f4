#include "base/limits.h"
#include "codec/json.h"
#include "members/members.h"

#include <assert.h>
#include <stdio.h>

/* public names start with: members_ member_ */

/* Observes the machines of a cluster, and the recorded states of their nodes. */

/* ---- a single machine ---- */

static struct member *member_new(struct members *members, struct text token)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct member *member = arena_one(memory, struct member);

    *member = (struct member){
        .members = members,
        .memory = memory,
        .machine = arena_new_small(SIZE_MAX),
        .state_memory = arena_new_small(SIZE_MAX),
        .token = arena_text(memory, token),
    };
    member->main.member = member;
    member->beside.member = member;
    member->verify.member = member;
    return member;
}

static void member_free(struct member *member)
{
    member_drop_runs(member);
    member_drop_release(member);
    arena_free(member->machine);
    arena_free(member->state_memory);
    arena_free(member->memory);
}

static struct text state_id(struct arena *arena, const struct members *members, struct text token)
{
    return arena_printf(arena, "%.*s/%.*s", TEXT_ARG(members->reconciler->cluster->id),
                        TEXT_ARG(token));
}

/* Load the state that another manager or process has recorded. If it cannot be parsed, new
 * observations replace it. */
static void state_load(struct member *member)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct members *members = member->members;
    const struct cache_object *object =
        cache_find(members->reconciler->control->cache, members->reconciler->cluster->tenant,
                   TEXT("Node"), state_id(arena, members, member->token));
    const struct cache_bytes *status = object == NULL ? NULL : &object->parts[CACHE_STATUS];
    struct node_state state;
    struct err err;

    if (status == NULL || status->bytes == NULL) {
        return;
    }
    member->state_revision = status->revision;
    member->written = text_hash(blob_text(status->bytes), 0);
    if (node_state_parse(arena, blob_text(status->bytes), &state, &err)) {
        member_state_set(member, &state);
    }
}

/* Completes a state without a host key. It was written by an older version, or when no key was
 * known. It then counts as the state of the machine with the recorded key. */
static void host_key_look(struct member *member)
{
    uint64_t host_key = node_state_host_key(member->way.host_key);

    if (member->state.host_key == 0 && member->state.trust_given.length > 0) {
        member->state.host_key = host_key;
    } else if (member->state.host_key != 0 && host_key != 0 && member->state.host_key != host_key) {
        member_forget(member);
    }
}

/* Read the texts of the record again if the record has changed. */
static void machine_read(struct member *member, const struct fleet_machine *machine)
{
    struct arena *arena;
    struct record record;
    struct err err;

    if (member->revision == machine->revision) {
        return;
    }
    arena = arena_new_small(SIZE_MAX);
    if (!record_parse(arena, member->token, arena_text(arena, blob_text(machine->bytes)), &record,
                      &err)) {
        arena_free(arena);
        return; /* the pass reports the error */
    }
    arena_free(member->machine);
    member->machine = arena;
    member->revision = machine->revision;
    member->name = record.name;
    member->group = record.plan.group;
    member->id = record.plan.id;
    member->way = fleet_way(member->members->reconciler->cluster, &record);
    /* These texts are valid as long as the specification that was read, and are read again with the
     * next one. */
    member->way.cluster = TEXT("");
    member->way.key_secret = TEXT("");
    member->slot = record.plan.slot;
    member->is_there = record.plan.state == PLAN_RECORD_ACTIVE && record.address.length > 0;
    member->is_going = record.plan.state == PLAN_RECORD_DELETE;
    member->is_unreachable_by_probe = record.plan.unreachable_since_ms > 0;
    member->is_failing = record.plan.failing_since_ms > 0;
    member->is_protected = record.plan.is_protected;
    member->generation = record.plan.generation;
    member->is_starting = record.plan.is_starting && !record.plan.is_reboot_served;
    member->is_unanswered = record.plan.is_starting && record.plan.is_reboot_served;
    member->is_rebooting = plan_is_rebooting(&record.plan);
    member->is_answered = member->is_answered && !member->is_rebooting;
    member->failed_since_ms = record.plan.failed_since_ms;
    member->drifted_since_ms = record.plan.drifted_since_ms;
    member->maintenance_since_ms = record.plan.maintenance_since_ms;
    host_key_look(member);
    member_adoption_look(member);
    member_away_look(member);
    members_release_cleanup_look(member);
}

/* Records that a machine has been ready. If machines of its group count as ready before their
 * stages are complete, this machine also counts as ready while its group has no stages. A rollout
 * then runs stages that are added later. */
static void service_look(struct member *member)
{
    const struct fleet_group *group = member_group(member);
    struct node_state state = member->state;

    if (group != NULL && group->stage_count == 0 && group->ready != FLEET_READY_BOOTSTRAPPED &&
        member->is_there && !member->is_starting && !state.has_served) {
        state.has_served = true;
        member_state_set(member, &state);
        member_note(member, NULL, TEXT(""));
    }
}

/* Check the other members again, because revocations and requests about them may have changed. */
static void others_look(struct members *members)
{
    for (struct member *one = members->first; one != NULL; one = one->next) {
        one->is_taken = member_is_taken(one);
        member_rerun_look(one);
        service_look(one);
    }
}

/* ---- owners ---- */

struct text member_owner(struct arena *arena, const struct fleet_group *group)
{
    struct doc more;
    struct err err;
    const struct doc *owner;

    if (!json_parse(arena, arena_text(arena, group->more), NULL, &more, &err)) {
        return TEXT("");
    }
    owner = doc_child(&more, "owner");
    return doc_is_scalar(owner) ? owner->text : TEXT("");
}

void member_owner_look(struct member *member)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_group *group = member_group(member);
    const struct doc *owner = NULL;
    struct doc facts;
    struct err err;

    member->is_owned = true;
    if (group == NULL || member->state.facts.length == 0 ||
        !json_parse(arena, arena_text(arena, member->state.facts), NULL, &facts, &err)) {
        return;
    }
    owner = doc_child(&facts, "owner");
    member->is_owned =
        text_is_equal(doc_is_scalar(owner) ? owner->text : TEXT(""), member_owner(arena, group));
}

/* Compares the owners. Owners change only with the specification. */
static void owners_look(struct members *members)
{
    uint64_t wanted = members->reconciler->cluster->wanted_revision;

    for (struct member *one = members->first; one != NULL && members->wanted != wanted;
         one = one->next) {
        member_owner_look(one);
        members_release_cleanup_look(one);
    }
    members->wanted = wanted;
}

/* ---- all machines ---- */

/* Decides which of two machines in one slot has the name: the ready one, or else the older one
 * (E6). */
static void name_settle(struct map *names, struct member *member)
{
    struct member *other = map_find(names, member->name);
    bool is_better =
        other == NULL || (other->is_starting && !member->is_starting) ||
        (other->is_starting == member->is_starting && other->revision > member->revision);

    member->is_shadow = !is_better;
    if (is_better) {
        if (other != NULL) {
            other->is_shadow = true;
        }
        map_put(names, member->name, member);
    }
}

static void names_settle(struct members *members)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct map names;

    map_init(&names, arena);
    for (struct member *one = members->first; one != NULL; one = one->next) {
        one->is_shadow = false;
        if (!one->is_going && one->name.length > 0) {
            name_settle(&names, one);
        }
    }
}

static void members_observe_machines_look(struct members *members)
{
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    const struct nodes_port *port = members->reconciler->control->ports.nodes;

    for (size_t i = 0; i < cluster->count; i++) {
        struct text token = fleet_machine_token(cluster->machines[i]);
        struct member *member = map_find(&members->by_token, token);

        if (member == NULL &&
            !port->logs_in(port->arg, fleet_machine_plugin(cluster->machines[i]))) {
            continue;
        }

        if (member == NULL) {
            member = member_new(members, token);
            member->is_owned = true;
            state_load(member);
            member->next = members->first;
            members->first = member;
            members->count++;
            map_put(&members->by_token, member->token, member);
        }
        machine_read(member, cluster->machines[i]);
        member->is_seen = true;
    }
}

/* Forget machines without a record. The next compare deletes their states. */
static void members_observe_gone_forget(struct members *members)
{
    struct member **at = &members->first;

    while (*at != NULL) {
        struct member *member = *at;

        if (member->is_seen) {
            member->is_seen = false;
            at = &member->next;
            continue;
        }
        *at = member->next;
        members->count--;
        map_remove(&members->by_token, member->token);
        member_free(member);
    }
}

void members_observe(struct members *members)
{
    const struct fleet_cluster *cluster = members->reconciler->cluster;

    if (members->version == cluster->version) {
        return;
    }
    members->version = cluster->version;
    members_observe_machines_look(members);
    members_observe_gone_forget(members);
    others_look(members);
    owners_look(members);
    names_settle(members);
}

/* ---- creation and end ---- */

static struct members *members_new(struct reconciler *reconciler)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct members *members = arena_one(memory, struct members);

    *members = (struct members){ .reconciler = reconciler,
                                 .memory = memory,
                                 .rotating_hash = text_hash(TEXT(""), 0) };
    map_init(&members->by_token, memory);
    return members;
}

void members_drop(struct reconciler *reconciler)
{
    struct members *members = reconciler->members;

    if (members == NULL) {
        return;
    }
    heap_remove(&reconciler->control->members, &reconciler->members_due);
    for (struct member *one = members->first, *next; one != NULL; one = next) {
        next = one->next;
        member_free(one);
    }
    members_batches_drop(members);
    members_formers_drop(members);
    arena_free(members->rollouts_memory);
    arena_free(members->asks_memory);
    arena_free(members->commands_arena);
    arena_free(members->waits_memory);
    arena_free(members->roles_memory);
    arena_free(members->gone_memory);
    arena_free(members->memory);
    reconciler->members = NULL;
}

/* End the back-off of blocked runs when an operator has given a retry command. */
static void retries_look(struct members *members, const struct members *former)
{
    for (struct member *one = members->first; one != NULL; one = one->next) {
        const struct group_commands *commands = member_commands(one);

        for (size_t i = 0; commands != NULL && i < former->argument_count; i++) {
            if (text_is_equal(former->commands[i].group, commands->group) &&
                !text_is_equal(former->commands[i].retry, commands->retry) &&
                one->state.blocked != NODES_CAUSE_NONE) {
                one->again_ms = 0;
                one->failures = 0;
            }
        }
    }
}

/* Reads the operator commands from the keys that a pass reads. They are kept until the next pass
 * reads them. */
static void commands_look(struct members *members)
{
    struct reconciler *reconciler = members->reconciler;
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct pass *pass = reconciler->pass;
    struct members former;
    struct pass_commands all;

    if (pass == NULL || !pass->is_decided) {
        return;
    }
    former = *members;
    members->commands_arena = arena_new_small(SIZE_MAX);
    members->commands =
        arena_array(members->commands_arena, struct group_commands, cluster->group_count + 1);
    members->argument_count = cluster->group_count;
    all = pass_words_read(pass, TEXT(""));
    members->rotate = arena_text(members->commands_arena, all.rotate);
    for (size_t i = 0; i < cluster->group_count; i++) {
        struct text path = cluster->groups[i].plan.path;
        struct pass_commands commands = pass_words_read(pass, path);

        members->commands[i] = (struct group_commands){
            .group = arena_text(members->commands_arena, path),
            .is_paused = all.is_paused || commands.is_paused || all.is_deleting,
            .roll = commands.roll > all.roll ? commands.roll : all.roll,
            .retry_revision = commands.retry_revision > all.retry_revision ? commands.retry_revision
                                                                           : all.retry_revision,
            .retry = members_retry_name(members->commands_arena, members, path),
        };
    }
    retries_look(members, &former);
    arena_free(former.commands_arena);
}

static bool has_any(const struct reconciler *reconciler, const char *kind)
{
    const struct fleet_cluster *cluster = reconciler->cluster;
    char prefix[LIMIT_STORE_KEY_BYTES];
    int length = snprintf(prefix, sizeof(prefix), "/%.*s/%s/%.*s/", TEXT_ARG(cluster->tenant), kind,
                          TEXT_ARG(cluster->id));

    assert(length > 0 && (size_t)length < sizeof(prefix));
    return cache_first(reconciler->control->cache, (struct text){ prefix, (size_t)length }) != NULL;
}

/* True if the store has node states of the cluster, which must be deleted with the machines. */
static bool has_states(const struct reconciler *reconciler)
{
    return has_any(reconciler, "Node") || has_any(reconciler, BATCHES_KIND);
}

void members_note(struct reconciler *reconciler)
{
    const struct control *control = reconciler->control;

    if (control->ports.nodes == NULL || control->options.is_dry || control->options.is_single) {
        return;
    }
    if (reconciler->epoch > 0 && reconciler->cluster->problem.code != CODE_NONE) {
        return; /* the specification cannot be read: running work continues */
    }
    if (reconciler->epoch == 0 ||
        (!reconciler->cluster->is_bootstrapped && !has_states(reconciler) &&
         !reconciler_keeps_roles(reconciler))) {
        members_drop(reconciler);
        return;
    }
    if (reconciler->members == NULL) {
        reconciler->members = members_new(reconciler);
        /* Requests the health of all machines again, because this manager has no earlier
         * answers. */
        health_report_again(reconciler->health);
        /* Jobs count node states that were not known until now. */
        reconciler->is_woken = reconciler->cluster->is_bootstrapped;
        reconciler->due_ms = control->ports.now_ms(control->ports.arg);
    }
    commands_look(reconciler->members);
    members_observe(reconciler->members);
    members_compare(reconciler->members);
    members_wake(reconciler->members);
}
