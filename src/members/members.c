#include "members/members.h"

#include "base/limits.h"
#include "base/sort.h"
#include "base/time.h"
#include "members/rollouts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* public names start with: members_ member_ run_ control_ */

enum {
    /* delay before a run is retried that found no capacity in the session pool */
    BUSY_MS = 1000,
    /* how long a new machine counts as starting while the provider has not reported its host key */
    KEY_AWAITED_MS = 10 * 60 * 1000,
};

uint64_t members_now(const struct members *members)
{
    return reconciler_now(members->reconciler);
}

static uint64_t members_port_now(const struct reconciler *reconciler)
{
    return reconciler->control->ports.now_ms(reconciler->control->ports.arg);
}

void members_wake(struct members *members)
{
    struct reconciler *reconciler = members->reconciler;

    heap_put(&reconciler->control->members, &reconciler->members_due, members_port_now(reconciler));
}

/* ---- runs ---- */

static const struct nodes_port *members_port_of(const struct members *members)
{
    return members->reconciler->control->ports.nodes;
}

/* Drop a run. After control_stop the nodes port itself ends the runs. */
static void run_drop(struct member_run *run)
{
    const struct members *members = run->member->members;
    const struct nodes_port *port = members_port_of(members);

    if (run->run != NULL && !members->reconciler->control->is_stopped) {
        port->drop(port->arg, run->run);
    }
    run->run = NULL;
}

void member_drop_runs(struct member *member)
{
    run_drop(&member->main);
    run_drop(&member->beside);
    run_drop(&member->verify);
    if (member->drain.run != NULL) {
        run_drop(&member->drain);
    }
    member->phase = BOOTSTRAP_IDLE;
}

void member_drop_release(struct member *member)
{
    if (member->release.run != NULL) {
        run_drop(&member->release);
    }
}

/* Collects the stages with a reported end, so that their output is not requested again. */
static const uint32_t *reported_collect(struct arena *arena, const struct member *member,
                                        size_t count)
{
    uint32_t *reported = arena_array(arena, uint32_t, count + 1);
    struct text rest = member->state.took;
    struct node_took took;

    while (node_state_took_next(&rest, &took)) {
        if (took.number >= 0 && (size_t)took.number < count && took.attempt > 0 &&
            took.attempt <= UINT32_MAX) {
            reported[took.number] = (uint32_t)took.attempt;
        }
    }
    return reported;
}

const struct fleet_group *member_group(const struct member *member)
{
    const struct fleet_group *group = fleet_group_for(
        fleet_group_find(member->members->reconciler->cluster, member->group), member->slot);
    const struct fleet_group *former =
        member->state.reverted.length == 0 ? NULL : member_former(member, group);

    return former != NULL ? former : group;
}

struct control_way member_way(const struct member *member, const struct fleet_group *group)
{
    struct control_way way = member->way;

    way.cluster = member->members->reconciler->cluster->key;
    way.key_secret = group->key_secret;
    /* use the current setting of the group, not the recorded one */
    way.is_first_key_accepted = group->is_first_key_accepted;
    way.is_operators = group->is_operators;
    way.is_key_awaited = reconciler_awaits_key(member->members->reconciler, &way, KEY_AWAITED_MS);
    return way;
}

/* Returns the attempt of the playbook that began according to the recorded state and whose end is
 * unknown, because the manager that ran it has ended. A run that was refused, or that did not reach
 * the node, is blocked. */
static uint32_t playbook_begun(struct arena *arena, const struct member *member,
                               const struct fleet_group *group)
{
    size_t last = group->stage_count - 1;
    struct text step = arena_printf(arena, "stage-%zu", last);

    return group->stage_count > 0 && group->stages[last].playbook.length > 0 &&
                   member->state.blocked == NODES_CAUSE_NONE &&
                   text_is_equal(member->state.step, step)
               ? member->state.attempt
               : 0;
}

static void members_run_begin(struct member_run *run, unsigned with, bool is_beside)
{
    struct member *member = run->member;
    struct members *members = member->members;
    const struct nodes_port *port = members_port_of(members);
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    const struct fleet_group *group = member_group(member);
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct nodes_order order = {
        .cluster_name = cluster->name,
        .group = member->group,
        .with = with,
        .is_beside = is_beside,
    };

    const struct member_batches *batches;
    bool is_again = false;
    struct rerun rerun;

    assert(run->run == NULL && group != NULL);
    order.owner = member_owner(arena, group);
    order.way = member_way(member, group);
    if ((with & RUN_WITH_STAGES) != 0) {
        order.stages = group->stages;
        order.stage_count = group->stage_count;
        order.reported = reported_collect(arena, member, group->stage_count);
        order.begun = playbook_begun(arena, member, group);
        order.upgrade = member_upgrade_find(member, group);
        member_request(member, &order);
        is_again = member_rerun_next(member, &rerun, &batches);
        run->rerun = is_again && batches == NULL ? rerun.revision : 0;
        snprintf(run->job, sizeof(run->job), "%s",
                 is_again && batches != NULL ? batches->rollout_request : "");
        snprintf(run->chain, sizeof(run->chain), "%.*s", TEXT_ARG(group->chain));
        run->is_correction =
            is_again && batches != NULL && batches->request.verb == BATCHES_VERB_CORRECT;
        order.keeps_baseline = run->is_correction;
        order.files = group->files;
        /* a verification would read files that the stages are changing */
        run_drop(&member->verify);
    }
    if (member->state.name.length == 0 || member->state.is_operators != group->is_operators) {
        /* from now on reeve may have written files on the node */
        struct node_state state = member->state;

        state.name = member->name;
        state.is_operators = group->is_operators;
        if (member_is_adopting(member)) {
            state.adoption = NODE_ADOPTION_BEGUN;
        }
        member_change(member, &state, NULL, TEXT(""));
    }
    if ((with & RUN_WITH_STAGES) != 0 && member->state.adoption != NODE_ADOPTION_NONE) {
        struct node_state state = member->state;

        state.adoption = NODE_ADOPTION_NONE; /* from now on reeve runs stages on this node */
        member_change(member, &state, NULL, TEXT(""));
    }
    run->with = with;
    run->run = port->begin(port->arg, &order, members_event, run);
    if (run->run == NULL) {
        member->again_ms = members_now(members) + BUSY_MS;
    } else if (!is_beside) {
        member->phase = BOOTSTRAP_UNDER_WAY;
        if ((with & RUN_WITH_STAGES) != 0) {
            member_chain_leave(member, group->chain);
            member_hook_note(member, group);
        }
        if (is_again && (batches == NULL || (!batches_is_rollout(&batches->request) &&
                                             batches->request.verb != BATCHES_VERB_COMMISSION))) {
            member_rerun_report(member, group, &rerun);
        }
        if ((with & RUN_WITH_STAGES) != 0 && member->state.chain_failed.length > 0) {
            members->reconciler->is_woken = true; /* the node's job no longer needs to wait */
        }
    }
}

/* ---- trust ---- */

static bool is_member(const struct member *member)
{
    return !member->is_going && !member->is_shadow && !member->is_taken;
}

static bool has_trusted_keys(const struct member *member)
{
    return !member->is_going && !member->is_taken && member->state.keys.host.length > 0;
}

/* Return a hash of all known keys with their names. */
static uint64_t members_keys_hash(const struct members *members)
{
    uint64_t hash = 0;

    for (const struct member *one = members->first; one != NULL; one = one->next) {
        if (has_trusted_keys(one)) {
            hash += text_hash(one->state.keys.host, text_hash(one->name, 1)) +
                    text_hash(one->state.keys.root, 2) + text_hash(one->state.keys.user, 3);
        }
    }
    return hash;
}

/* True if the member's certificates have reached half of their lifetime. */
static bool is_renewed(const struct member *member)
{
    return member->state.renew_ms > 0 && members_now(member->members) >= member->state.renew_ms &&
           !member->members->reconciler->cluster->is_classic;
}

/* Version of the trust files on nodes. A node with an older version gets the new files, but keeps
 * its certificates. Since version 2 the host CA is valid for members only (decision 0050). */
#define TRUST_FORM "2"

/* Return a digest of the trusted keys that all members should have. Empty: not known yet. */
static struct text trust_of_all(struct arena *arena, const struct members *members)
{
    const struct nodes_port *port = members_port_of(members);
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    const char *apart = cluster->is_apart ? "-apart" : "";
    struct nodes_mark mark;

    if (cluster->is_classic) {
        return arena_printf(arena, "k%016llx%s", (unsigned long long)members_keys_hash(members),
                            apart);
    }
    if (!port->authority(port->arg, cluster->key, &mark)) {
        return TEXT("");
    }
    return arena_printf(arena, "c%016llx%s.%016llx.%llx." TRUST_FORM,
                        (unsigned long long)mark.signs, apart, (unsigned long long)mark.trusts,
                        (unsigned long long)mark.list);
}

/* True if the member keeps its certificates: its recorded trust shows that they are recent and come
 * from the current signing authority. After a failed run all trust files are written again. */
static bool keeps_certificates(const struct member *member, struct text mark)
{
    size_t length = text_find_byte(mark, '.');

    return length != SIZE_MAX && member->failures == 0 && !is_renewed(member) &&
           text_is_equal(text_slice(member->state.trust_given, 0, length + 1),
                         text_slice(mark, 0, length + 1));
}

/* Return the digest of this member's trusted keys and certificates. The digest changes after half
 * of the certificates' lifetime. */
static struct text trust_mark(const struct member *member, struct text all)
{
    return member->state.keys.host.length == 0 ? TEXT("")
           : is_renewed(member)                ? TEXT("renew")
                                               : all;
}

static void classic_collect(struct arena *arena, const struct members *members,
                            struct nodes_trust *out)
{
    struct nodes_keys *keys = arena_array(arena, struct nodes_keys, members->count + 1);

    for (const struct member *one = members->first; one != NULL; one = one->next) {
        if (has_trusted_keys(one)) {
            keys[out->count] = one->state.keys;
            keys[out->count++].name = one->name;
        }
    }
    out->keys = keys;
}

void run_trust(struct member_run *run)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct member *member = run->member;
    struct members *members = member->members;
    const struct nodes_port *port = members_port_of(members);
    struct nodes_keys own = member->state.keys;
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    struct nodes_trust trust = { .is_classic = cluster->is_classic,
                                 .is_apart = cluster->is_apart,
                                 .cert_ms = cluster->cert_ms };
    struct text mark = trust_of_all(arena, members); /* the trusted keys that all members receive */

    own.name = member->name;
    if (trust.is_classic) {
        classic_collect(arena, members, &trust);
    } else {
        trust.keys = &own;
        trust.count = 1;
    }
    run->keeps = !trust.is_classic && keeps_certificates(member, mark);
    trust.keeps = run->keeps;
    snprintf(run->trust, sizeof(run->trust), "%.*s", TEXT_ARG(mark));
    port->trust(port->arg, run->run, &trust);
    if (run == &member->main) {
        member->phase = BOOTSTRAP_UNDER_WAY;
    }
}

/* ---- facts of all members ---- */

static bool has_facts(const struct member *member)
{
    return is_member(member) && member->state.facts.length > 0;
}

static void facts_digest(struct members *members)
{
    char digest[sizeof(members->facts)];
    uint64_t sums[2] = { 0, 0 };

    for (const struct member *one = members->first; one != NULL; one = one->next) {
        if (has_facts(one)) {
            uint64_t name = member_roles_hash(one, text_hash(one->name, 7));

            sums[0] += text_hash(one->state.facts, name);
            sums[1] += text_hash(one->state.facts, ~name);
        }
    }
    snprintf(digest, sizeof(digest), "%016llx%016llx", (unsigned long long)sums[0],
             (unsigned long long)sums[1]);
    if (strcmp(digest, members->facts) != 0) {
        memcpy(members->facts, digest, sizeof(digest));
        members->facts_changed_ms = members_now(members);
    }
}

static int engine_members_name_compare(const void *a, const void *b, void *arg)
{
    const struct member *const *first = a;
    const struct member *const *second = b;

    (void)arg;
    return text_compare((*first)->name, (*second)->name);
}

/* Return the members with known facts, sorted by name. */
static const struct member **facts_sort(struct arena *arena, const struct members *members,
                                        size_t *out_count)
{
    const struct member **all = arena_array(arena, const struct member *, members->count + 1);

    *out_count = 0;
    for (const struct member *one = members->first; one != NULL; one = one->next) {
        if (has_facts(one)) {
            all[(*out_count)++] = one;
        }
    }
    sort_stable(arena, all, *out_count, sizeof(*all), engine_members_name_compare, NULL);
    return all;
}

static struct text facts_text(struct arena *arena, const struct members *members)
{
    size_t count;
    const struct member **all = facts_sort(arena, members, &count);
    struct node_state_facts *items = arena_array(arena, struct node_state_facts, count + 1);

    for (size_t i = 0; i < count; i++) {
        items[i] = (struct node_state_facts){ all[i]->name, member_facts(arena, all[i]) };
    }
    return node_state_facts_format(arena, items, count);
}

/* Makes the lines for /etc/hosts, each with an address and a name. If an address is itself a name,
 * no entry is needed; its line is a comment that identifies the member on the node (members.sh). */
static struct text hosts_text(struct arena *arena, const struct members *members)
{
    size_t count;
    const struct member **all = facts_sort(arena, members, &count);
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < count; i++) {
        struct text address = all[i]->way.address;
        bool is_number = text_find_byte(address, ':') != SIZE_MAX ||
                         (address.length > 0 && address.data[0] >= '0' && address.data[0] <= '9');

        buf_printf(&buf, "%s%.*s %.*s\n", is_number ? "" : "# ", TEXT_ARG(address),
                   TEXT_ARG(all[i]->name));
    }
    return buf_text(&buf);
}

void run_distribute(struct member_run *run)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct member *member = run->member;
    struct members *members = member->members;
    const struct nodes_port *port = members_port_of(members);

    facts_digest(members);
    memcpy(run->facts, members->facts, sizeof(run->facts));
    port->distribute(port->arg, run->run, facts_text(arena, members), hosts_text(arena, members));
    if (run == &member->main) {
        member->phase = BOOTSTRAP_IN_STAGES;
    }
}

/* ---- decisions ---- */

struct group_commands *member_commands(const struct member *member)
{
    const struct members *members = member->members;

    for (size_t i = 0; i < members->argument_count; i++) {
        if (text_is_equal(members->commands[i].group, member->group)) {
            return &members->commands[i];
        }
    }
    return NULL;
}

/* True if a retry command was given after the failure. The names of retry commands are compared.
 * Revisions cannot decide this: the recorded revision is older until the state is written, and
 * every command about the group or cluster changes the revision. Revisions are used only for states
 * from managers that did not store names of retries. */
static bool is_retried(const struct member *member)
{
    const struct group_commands *commands = member_commands(member);

    if (commands == NULL || commands->retry_revision == 0) {
        return false;
    }
    return member->state.retry.length > 0 ? !text_is_equal(commands->retry, member->state.retry)
                                          : commands->retry_revision > member->state_revision;
}

void member_request(const struct member *member, struct nodes_order *order)
{
    const struct group_commands *commands = member_commands(member);
    const struct member_batches *batches;
    struct rerun rerun;

    if (member_rerun_next(member, &rerun, &batches)) {
        /* The name includes the time. A restored store assigns the same revisions again, and nodes
         * store names. */
        order->request =
            batches != NULL
                ? arena_printf(member->machine, "job-%s", batches->rollout_request)
                : arena_printf(member->machine, "rerun-%llu-%lld",
                               (unsigned long long)rerun.revision, (long long)rerun.at_ms);
        order->is_request_of_all = !rerun.is_failed;
        order->request_from = rerun.from;
    } else if (member->state.chain_failed.length > 0 && is_retried(member)) {
        order->request = arena_printf(member->machine, "retry-%.*s", TEXT_ARG(commands->retry));
    }
}

bool member_is_stuck(const struct member *member, struct text chain)
{
    return chain.length > 0 && text_is_equal(member->state.chain_failed, chain) &&
           !is_retried(member) && !member_is_rerun(member);
}

bool member_is_staging(const struct member *member)
{
    return member->main.run != NULL && (member->main.with & RUN_WITH_STAGES) != 0;
}

/* Return the chain that a node has completed. If stages ended with allowed failures, a retry
 * command applies to all of them. */
static struct text done_chain(const struct member *member)
{
    const struct node_state *state = &member->state;
    bool is_requested =
        member_is_rerun(member) || (state->chain_failed.length > 0 && is_retried(member));

    return is_requested ? TEXT("") : state->chain_done;
}

bool member_wants_stages(const struct member *member, struct text chain)
{
    return !text_is_equal(done_chain(member), chain);
}

static struct bootstrap_member member_make(const struct member *member, struct text all)
{
    const struct members *members = member->members;
    const struct fleet_group *group = member_group(member);
    const struct group_commands *commands = member_commands(member);
    const struct node_state *state = &member->state;
    struct text chain = group == NULL ? TEXT("") : group->chain;

    return (struct bootstrap_member){
        .name = member->name,
        .is_made = true,
        .is_there = member->is_there,
        .is_going = member->is_going || member->is_taken || group == NULL,
        /* With the barrier bestEffort, a blocked node does not delay other nodes. */
        .is_unreachable =
            member->is_unreachable || member->is_unreachable_by_probe ||
            (members->reconciler->cluster->is_best_effort && state->blocked != NODES_CAUSE_NONE),
        .is_paused = commands == NULL || commands->is_paused || member->is_rebooting ||
                     member->drain.run != NULL,
        .has_keys = state->keys.host.length > 0,
        .has_facts = state->facts.length > 0 && member->is_owned,
        .is_stuck = member_is_stuck(member, chain),
        .is_slot_needed = (group != NULL && member_needs_slot(member, group)) ||
                          member_waits_for_role(member) || member_waits_for_batch(member) ||
                          member_is_adopting(member),
        .chain = chain,
        .chain_done = done_chain(member),
        .trust = trust_mark(member, all),
        .trust_given = state->trust_given,
        .facts_given = state->facts_given,
        .again_ms = member->again_ms,
        .phase = member->phase,
        .is_reported = member->beside.run != NULL,
    };
}

/* True if this machine is the one for which other members wait in its slot of the group. */
static bool stands_in(const struct member *member, const struct fleet_group *group)
{
    return !member->is_going && !member->is_shadow &&
           text_is_equal(member->group, group->plan.path);
}

/* Adds the desired slots that have no machine yet, because members wait for these machines. They
 * are the lowest free slots (E6). */
static size_t missing_add(struct arena *arena, const struct members *members,
                          const struct fleet_group *group, struct bootstrap_member *out)
{
    size_t room = group->plan.size + members->count;
    bool *is_used = arena_array(arena, bool, room + 1);
    size_t missing = 0;
    size_t current = 0;

    memset(is_used, 0, room + 1);
    for (const struct member *one = members->first; one != NULL; one = one->next) {
        if (stands_in(one, group)) {
            current++;
            if (one->slot - group->plan.first_slot < room) {
                is_used[one->slot - group->plan.first_slot] = true;
            }
        }
    }
    for (size_t at = 0; current + missing < group->plan.size; at++) {
        if (at >= room || !is_used[at]) {
            out[missing++] =
                (struct bootstrap_member){ .name = naming_format(arena, &group->affix,
                                                                 group->plan.first_slot + at) };
        }
    }
    return missing;
}

static size_t members_room(const struct members *members)
{
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    size_t room = members->count;

    for (size_t i = 0; i < cluster->group_count; i++) {
        room += cluster->groups[i].plan.size;
    }
    return room;
}

static void members_step_make(struct member **member, const struct bootstrap_step *step)
{
    struct member *one = member[step->member];

    assert(one != NULL && "work needs a member");
    switch (step->what) {
    case BOOTSTRAP_BEGIN:
        members_run_begin(&one->main, step->with, false);
        break;
    case BOOTSTRAP_REPORT:
        members_run_begin(&one->beside, step->with, true);
        break;
    case BOOTSTRAP_TRUST:
        run_trust(&one->main);
        break;
    case BOOTSTRAP_DISTRIBUTE:
        run_distribute(&one->main);
        break;
    case BOOTSTRAP_CANCEL:
        member_drop_runs(one);
        break;
    }
}

static void waits_note(struct members *members, const struct bootstrap_world *world,
                       const struct bootstrap_steps *steps)
{
    bool is_of_keys = steps->keys_wait != BOOTSTRAP_WAIT_NONE;

    arena_free(members->waits_memory);
    members->waits_memory = arena_new_small(SIZE_MAX);
    members->waits = bootstrap_wait_words(
        members->waits_memory, world, is_of_keys ? steps->keys_wait : steps->facts_wait,
        is_of_keys ? steps->keys_for : steps->facts_for, is_of_keys ? 0 : steps->facts_others);
}

/* Returns the next time at which certificates must be renewed; 0: no member has such a time. */
static uint64_t renew_next(const struct members *members, uint64_t next_ms)
{
    uint64_t now = members_now(members);

    for (const struct member *one = members->first; one != NULL; one = one->next) {
        uint64_t at_ms = one->state.renew_ms;

        next_ms = at_ms > now ? time_earlier(next_ms, at_ms) : next_ms;
    }
    return next_ms;
}

/* End the playbooks that run for a cancelled job, or for a rollout that was aborted. */
static void playbooks_stop(const struct members *members)
{
    const struct nodes_port *port = members_port_of(members);

    for (const struct member *one = members->first; port->stop != NULL && one != NULL;
         one = one->next) {
        const struct group_commands *commands = member_commands(one);

        if (one->main.run != NULL && one->phase == BOOTSTRAP_IN_STAGES &&
            ((commands != NULL && commands->roll == PLAN_ROLL_ABORTED) ||
             (one->main.job[0] != '\0' && members_batches_is_cancelled(members, one->main.job)))) {
            port->stop(port->arg, one->main.run);
        }
    }
}

uint64_t members_decide(struct members *members)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    const struct nodes_port *port = members_port_of(members);
    size_t room = members_room(members);
    struct bootstrap_member *entries = arena_array(arena, struct bootstrap_member, room + 1);
    struct member **member = arena_array(arena, struct member *, room + 1);
    struct bootstrap_limits limits = bootstrap_limits_default();
    struct text all = trust_of_all(arena, members);
    struct bootstrap_steps steps;
    struct bootstrap_world world;
    size_t count = 0;

    members_roles_observe(members);
    facts_digest(members);
    for (struct member *one = members->first; one != NULL; one = one->next) {
        member[count] = one;
        entries[count++] = member_make(one, all);
    }
    for (size_t i = 0; i < cluster->group_count; i++) {
        const struct fleet_group *group = &cluster->groups[i];

        if (port->logs_in(port->arg, group->choices[0].plugin)) {
            count += missing_add(arena, members, group, &entries[count]);
        }
    }
    world = (struct bootstrap_world){
        .now_ms = members_now(members),
        .members = entries,
        .count = count,
        .facts = text_from(members->facts),
        .facts_changed_ms = members->facts_changed_ms,
        .is_classic = cluster->is_classic,
        .is_best_effort = cluster->is_best_effort,
    };
    bootstrap_decide(arena, &world, &limits, &steps);
    waits_note(members, &world, &steps);
    steps.next_ms = time_earlier(steps.next_ms, members_rotate(members, &world));
    steps.next_ms = time_earlier(steps.next_ms, members_roles_next(members));
    for (size_t i = 0; i < steps.count; i++) {
        members_step_make(member, &steps.steps[i]);
    }
    playbooks_stop(members);
    return renew_next(members, steps.next_ms);
}

/* ---- scheduling ---- */

void control_bootstrap(struct control *control, struct text cluster)
{
    struct fleet_cluster *found = fleet_find(control->fleet, cluster);
    struct reconciler *reconciler = found == NULL ? NULL : found->reconciler;

    if (reconciler != NULL && reconciler->members != NULL) {
        members_wake(reconciler->members);
    }
}

static void reconciler_bootstrap(struct reconciler *reconciler, uint64_t now_ms)
{
    struct members *members = reconciler->members;
    uint64_t next_ms = 0;

    if (reconciler->cluster->is_stale || reconciler->epoch == 0 ||
        reconciler->cluster->problem.code != CODE_NONE) {
        return; /* the next pass that can read the specification calls this function again */
    }
    members_observe(members);
    for (struct member *one = members->first; one != NULL; one = one->next) {
        member_install_look(one);
    }
    next_ms = time_earlier(members_batches_run(members), members_release(members));
    next_ms = time_earlier(next_ms, members_roles(members));
    if (reconciler->cluster->is_bootstrapped) {
        next_ms = time_earlier(next_ms, members_decide(members));
        next_ms = time_earlier(next_ms, members_verify(members));
    } else {
        for (struct member *one = members->first; one != NULL; one = one->next) {
            member_drop_runs(one);
        }
    }
    next_ms = time_earlier(next_ms, members_drain(members));
    if ((reconciler->is_woken || members_is_dirty(reconciler)) &&
        reconciler->step == RECONCILER_IDLE) {
        control_schedule(reconciler, 0);
    }
    if (next_ms != 0) {
        uint64_t now = members_now(members);

        heap_put(&reconciler->control->members, &reconciler->members_due,
                 now_ms + (next_ms > now ? next_ms - now : 0));
    }
}

uint64_t members_run(struct control *control, uint64_t now_ms)
{
    struct heap_node *first;

    while ((first = heap_first(&control->members)) != NULL && first->due <= now_ms) {
        struct reconciler *reconciler = heap_owner(first, struct reconciler, members_due);

        heap_remove(&control->members, first);
        reconciler_bootstrap(reconciler, now_ms);
    }
    return first == NULL ? UINT64_MAX : first->due;
}
