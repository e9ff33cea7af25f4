#include "sim.h"

#include "base/macros.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* public names start with: stages_ run_ node_ */

/* Implements the nodes port of the simulated managers, and the true state of the nodes. Each group
 * has one stage with one argument, a number. A stage takes time, continues when its manager
 * crashes, and leaves a marker: a node that has completed an argument does not run it again. The
 * result of a run depends on its manager's contact with the node (nodes.c). The oracle of I31
 * checks each start. */

enum {
    SECOND_MS = 1000,
    MINUTE_MS = 60 * SECOND_MS,
    HOUR_MS = 60 * MINUTE_MS,
    SETTLED_MS = 30 * MINUTE_MS,
    SLACK_MS = 30 * SECOND_MS,
};

static struct sim_machine *machine_find(struct sim *sim, struct text id)
{
    struct text cluster = text_from(sim->cluster);
    struct sim_machine *one = sim_first(sim->cloud, cluster);

    while (one != NULL && !text_is_equal(one->id, id)) {
        one = sim_next(sim->cloud, cluster, one);
    }
    return one;
}

static unsigned group_of(const struct sim_machine *machine)
{
    return (unsigned)(sim_tags(machine).group.data[0] - 'a');
}

/* ---- state of a node ---- */

struct sim_node {
    struct text id;
    unsigned done;    /* argument of the last completed run; 0: none */
    unsigned failed;  /* argument of the last failed run; 0: none */
    unsigned running; /* argument of the running stage; 0: no stage is running */
    bool fails;       /* the stage that runs will fail */
    /* A manager has lost contact with the node after the last start of its stage. */
    bool was_cut;
    bool is_in_place; /* The member had been ready when the stage began. */
    bool had_ticket;  /* It could begin only with a ticket of the cluster's budget. */
    uint64_t begun_ms;
    uint64_t until_ms;
    uint64_t failed_ms; /* when the stage last failed on a member that had been ready */
    char request[48];   /* request of its last run */
};

static void node_settle(struct sim *sim, struct sim_node *node)
{
    if (node->running == 0 || node->until_ms > sim->now_ms) {
        return;
    }
    if (node->fails) {
        node->failed = node->running;
        node->failed_ms = node->is_in_place ? node->until_ms : 0;
    } else {
        node->done = node->running;
        node->failed = 0;
        node->failed_ms = 0;
    }
    node->running = 0;
}

static struct sim_node *node_of(struct sim *sim, struct text id)
{
    struct sim_node *node = map_find(&sim->stages, id);

    if (node == NULL) {
        node = arena_one(sim->arena, struct sim_node);
        *node = (struct sim_node){ .id = arena_text(sim->arena, id) };
        map_put(&sim->stages, node->id, node);
    }
    node_settle(sim, node);
    return node;
}

/* ---- violations of I31 ---- */

/* True if a manager may consider this member out of service, or may have done so when it granted
 * the rollout slot. The stage may then start at any time. */
static bool may_be_out(struct sim *sim, const struct sim_machine *machine)
{
    const struct sim_node *node = node_of(sim, machine->id);
    uint64_t argued_ms = sim->wanted[group_of(machine)].argued_ms;

    return machine->unhealthy_ms > 0 || node->failed_ms > 0 || node->was_cut ||
           nodes_may_be_unreachable(sim, machine) ||
           (node->begun_ms < argued_ms && node->until_ms >= argued_ms) ||
           /* a manager with outdated data began another argument in the meantime, and the slot was
            * granted before that stage ended */
           (node->begun_ms > 0 && sim->now_ms - node->until_ms < SLACK_MS) ||
           /* a restored older store may still have the failure of the member */
           node->begun_ms < sim->returned_ms ||
           (machine->healed_ms > 0 && sim->now_ms - machine->healed_ms < SETTLED_MS) ||
           /* the member is rebooting or has rebooted recently, and is out of service for that
            * reason */
           (machine->rebooted_ms > 0 && sim->now_ms - machine->rebooted_ms < SETTLED_MS) ||
           (sim->outage_until > 0 && sim->now_ms < sim->outage_until + SETTLED_MS);
}

/* True if this member is out of service because of reeve: its stage runs, or has failed without an
 * operator's approval. */
static bool is_out_by_reeve(struct sim *sim, const struct sim_machine *machine)
{
    const struct wanted *wanted = &sim->wanted[group_of(machine)];
    const struct sim_node *node = node_of(sim, machine->id);

    if (node->running != 0) {
        return node->is_in_place && node->begun_ms > sim->returned_ms;
    }
    return node->failed_ms > sim->returned_ms && node->failed_ms > wanted->slots_approved_ms;
}

/* True if other members may follow, because the canaries have completed the argument and run long
 * enough. Removed canaries cannot be counted here, so one complete canary is sufficient. */
static bool is_canary_due(struct sim *sim, const struct sim_machine *machine)
{
    struct text cluster = text_from(sim->cluster);
    const struct wanted *wanted = &sim->wanted[group_of(machine)];
    unsigned canaries = sim->nodes.are_probed ? sim->nodes.canary : 1;
    uint64_t bake_ms = sim->nodes.are_probed ? sim->nodes.bake_ms : 0;
    unsigned baked = 0;

    if (canaries == 0 || !wanted->is_roll_known || wanted->roll_begun < canaries) {
        return true;
    }
    for (const struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        const struct sim_node *node = node_of(sim, one->id);

        if (group_of(one) == group_of(machine) && node->is_in_place && node->begun_ms > 0 &&
            node->begun_ms >= wanted->argued_ms) {
            const struct entry *entry = ledger_of(sim, one);
            bool is_going = entry != NULL && entry->state == PLAN_RECORD_DELETE;

            baked += is_going || !oracle_runs(one) ||
                     (node->done == wanted->argument &&
                      sim->now_ms + SLACK_MS >= node->until_ms + bake_ms);
        }
    }
    return baked > 0 || wanted->slots_approved_ms > wanted->argued_ms;
}

/* Check the start against the budget: count the members of all groups that are out of service for
 * changed stages, and needed a ticket to start. */
static void budget_look(struct sim *sim, const struct sim_machine *machine)
{
    struct text cluster = text_from(sim->cluster);
    const struct sim_machine *other = NULL;
    unsigned out = 0;

    for (const struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        const struct entry *entry = ledger_of(sim, one);
        bool is_going = entry != NULL && entry->state == PLAN_RECORD_DELETE;

        if (one != machine && oracle_runs(one) && !is_going && oracle_is_ours(sim, one) &&
            node_of(sim, one->id)->had_ticket && is_out_by_reeve(sim, one)) {
            other = one;
            out++;
        }
    }
    if (out >= sim->nodes.budget) {
        oracle_found(sim, SIM_FOUND_BUDGET,
                     "%.*s of %.*s starts, %u others are out of service (%.*s of %.*s), and the "
                     "budget has %u",
                     TEXT_ARG(machine->id), TEXT_ARG(sim_tags(machine).group), out,
                     TEXT_ARG(other->id), TEXT_ARG(sim_tags(other).group), sim->nodes.budget);
    }
}

/* Check the start of changed stages on a member that has been ready. */
static void start_look(struct sim *sim, const struct sim_machine *machine, unsigned argument)
{
    struct text cluster = text_from(sim->cluster);
    struct wanted *wanted = &sim->wanted[group_of(machine)];
    const struct sim_machine *other = NULL;
    unsigned out = 0;

    for (const struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        const struct entry *entry = ledger_of(sim, one);
        bool is_going = entry != NULL && entry->state == PLAN_RECORD_DELETE;

        if (one != machine && group_of(one) == group_of(machine) && oracle_runs(one) && !is_going &&
            oracle_is_ours(sim, one) && is_out_by_reeve(sim, one)) {
            other = one;
            out++;
        }
    }
    if (!may_be_out(sim, machine)) {
        if (out > 0) {
            oracle_found(
                sim, SIM_FOUND_SLOT,
                "%.*s of %.*s starts, %u others are out of service for changed stages (%.*s)",
                TEXT_ARG(machine->id), TEXT_ARG(sim_tags(machine).group), out, TEXT_ARG(other->id));
        }
        if (!is_canary_due(sim, machine)) {
            oracle_found(sim, SIM_FOUND_SLOT, "%.*s of %.*s starts before its canary has baked",
                         TEXT_ARG(machine->id), TEXT_ARG(sim_tags(machine).group));
        }
    }
    /* only starts with the newest argument are counted, because a manager may start an older
     * argument */
    wanted->roll_begun += argument == wanted->argument;
}

static void stage_start(struct sim *sim, const struct sim_machine *machine, struct sim_node *node,
                        unsigned argument)
{
    const struct wanted *wanted = &sim->wanted[group_of(machine)];
    const struct entry *entry = ledger_of(sim, machine);
    bool has_served =
        entry != NULL && entry->life == sim->life && entry->has_served && node->done != 0;

    bool is_changed = has_served && node->done != argument;

    /* A member that is out of service already needs no ticket. */
    node->had_ticket = is_changed && sim->nodes.budget > 0 && !may_be_out(sim, machine);
    if (node->had_ticket) {
        budget_look(sim, machine);
    }
    if (is_changed) {
        start_look(sim, machine, argument);
    }
    node->is_in_place = has_served;
    node->was_cut = false;
    node->fails = has_served && argument == wanted->bad_argument;
    node->running = argument;
    node->begun_ms = sim->now_ms;
    node->until_ms = sim->now_ms + SECOND_MS + luck_draw(&sim->luck_stages, 3 * MINUTE_MS);
    sim_say(sim, "%.*s (%.*s/%llu) runs its stage with %u%s", TEXT_ARG(machine->id),
            TEXT_ARG(sim_tags(machine).group), (unsigned long long)sim_tags(machine).slot, argument,
            has_served ? ", in place" : "");
}

/* ---- runs ---- */

static struct nodes_run *run_begin(void *arg, const struct nodes_order *order,
                                   nodes_event_fn *reported, void *event_arg)
{
    struct manager *manager = arg;
    struct nodes_run *run = manager->runs;
    struct nodes_run *end = manager->runs + SIM_RUNS;
    int64_t argument = 0;

    while (run != end && run->is_used) {
        run++;
    }
    if (run == end) {
        return NULL;
    }
    if (order->stage_count > 0) {
        bool is_read = text_parse_int64(order->stages[0].arguments[0], &argument);

        assert(is_read);
        (void)is_read;
    }
    *run = (struct nodes_run){ .is_used = true,
                               .reported = reported,
                               .arg = event_arg,
                               .with = order->with,
                               .argument = (unsigned)argument };
    snprintf(run->id, sizeof(run->id), "%.*s", TEXT_ARG(order->way.machine));
    snprintf(run->name, sizeof(run->name), "%.*s", TEXT_ARG(order->way.name));
    snprintf(run->request, sizeof(run->request), "%.*s", TEXT_ARG(order->request));
    manager->run_count++;
    return run;
}

static void run_release(struct manager *manager, struct nodes_run *run)
{
    run->is_used = false;
    manager->run_count--;
}

static void run_drop(void *arg, struct nodes_run *run)
{
    assert(run->is_used);
    run_release(arg, run);
}

static void run_trust(void *arg, struct nodes_run *run, const struct nodes_trust *trust)
{
    (void)arg;
    (void)trust;
    run->is_waiting = false;
    run->with &= ~(unsigned)RUN_WITH_KEYS;
    run->reported(run->arg, &(struct nodes_event){ .kind = NODES_EVENT_TRUSTED });
}

static void run_distribute(void *arg, struct nodes_run *run, struct text facts, struct text hosts)
{
    (void)arg;
    (void)facts;
    (void)hosts;
    run->is_waiting = false;
    run->with &= ~(unsigned)RUN_WITH_FACTS;
    run->reported(run->arg, &(struct nodes_event){ .kind = NODES_EVENT_GIVEN });
}

static bool logs_in(void *arg, struct text plugin)
{
    (void)arg;
    return text_is(plugin, "sim");
}

static bool authority(void *arg, struct text cluster, struct nodes_mark *out)
{
    (void)arg;
    (void)cluster;
    *out = (struct nodes_mark){ .signs = 1, .trusts = 1 };
    return true;
}

static bool rotation(void *arg, struct text cluster, struct nodes_rotation *out)
{
    (void)arg;
    (void)cluster;
    *out = (struct nodes_rotation){ .request = TEXT("") };
    return true;
}

static void rotate(void *arg, struct text cluster, struct text request, struct text event)
{
    (void)arg;
    (void)cluster;
    (void)request;
    (void)event;
    assert(false && "nobody rotates authorities here");
}

void stages_port(struct manager *manager)
{
    manager->nodes = (struct nodes_port){
        .begin = run_begin,
        .trust = run_trust,
        .distribute = run_distribute,
        .drop = run_drop,
        .logs_in = logs_in,
        .authority = authority,
        .rotation = rotation,
        .rotate = rotate,
        .arg = manager,
    };
}

static void run_end(struct manager *manager, struct nodes_run *run, enum nodes_end end,
                    const char *why)
{
    struct nodes_event reported = { .kind = NODES_EVENT_END,
                                    .end = end,
                                    .attempt = 1,
                                    .code = end == NODES_END_FAILED ? 5 : 0,
                                    .why = text_from(why) };

    run_release(manager, run);
    run->reported(run->arg, &reported);
}

/* Advances a run: it follows the running stage, starts the stage, or finds the marker of a
 * completed stage. */
static void run_stage(struct manager *manager, struct nodes_run *run,
                      const struct sim_machine *machine)
{
    struct sim *sim = manager->sim;
    struct sim_node *node = node_of(sim, machine->id);
    bool is_again = run->request[0] != '\0' && strcmp(run->request, node->request) != 0;

    if (node->running == 0 && node->done != run->argument &&
        (node->failed != run->argument || is_again) && !run->has_begun) {
        stage_start(sim, machine, node, run->argument);
        snprintf(node->request, sizeof(node->request), "%s", run->request);
    }
    if (node->running != 0) {
        run->due_ms = node->until_ms;
        if (node->running == run->argument && !run->has_begun) {
            run->has_begun = true;
            run->reported(run->arg,
                          &(struct nodes_event){ .kind = NODES_EVENT_STAGE, .attempt = 1 });
        }
        return;
    }
    if (node->done == run->argument) {
        if (run->has_begun) {
            run->reported(run->arg,
                          &(struct nodes_event){ .kind = NODES_EVENT_STAGED, .attempt = 1 });
        }
        run_end(manager, run, NODES_END_DONE, "");
    } else if (node->failed == run->argument) {
        run_end(manager, run, NODES_END_FAILED, "E: no such package");
    } else {
        run_end(manager, run, NODES_END_INTERRUPTED, "another stage ran");
    }
}

static void run_go(struct manager *manager, struct nodes_run *run)
{
    struct sim *sim = manager->sim;
    struct sim_machine *machine = machine_find(sim, text_from(run->id));
    char facts[64];

    if (machine == NULL || !oracle_runs(machine) || nodes_are_cut(sim, manager->index, machine)) {
        run_end(manager, run, NODES_END_UNREACHABLE, "no route to host");
    } else if ((run->with & RUN_WITH_REBOOT) != 0) {
        char boot[64];
        uint64_t since_ms =
            machine->rebooted_ms > machine->made_ms ? machine->rebooted_ms : machine->made_ms;

        snprintf(boot, sizeof(boot), "boot-%u %llu", machine->reboots,
                 (unsigned long long)((sim->now_ms - since_ms) / SECOND_MS));
        run_end(manager, run, NODES_END_DONE, boot);
    } else if ((run->with & RUN_WITH_KEYS) != 0) {
        run->is_waiting = true;
        run->reported(run->arg, &(struct nodes_event){
                                    .kind = NODES_EVENT_KEYS,
                                    .keys = { .host = machine->id, .root = machine->id } });
    } else if ((run->with & RUN_WITH_FACTS) != 0) {
        run->is_waiting = true;
        snprintf(facts, sizeof(facts), "{\"name\":\"%s\"}", run->name);
        run->reported(run->arg, &(struct nodes_event){ .kind = NODES_EVENT_FACTS,
                                                       .facts = text_from(facts) });
    } else if ((run->with & RUN_WITH_STAGES) != 0) {
        run_stage(manager, run, machine);
    } else {
        run_end(manager, run, NODES_END_DONE, "");
    }
}

bool stages_run(struct manager *manager)
{
    bool is_any = false;

    for (size_t i = 0; i < SIM_RUNS && manager->run_count > 0; i++) {
        struct nodes_run *run = &manager->runs[i];

        if (run->is_used && !run->is_waiting && run->due_ms <= manager->sim->now_ms) {
            run_go(manager, run);
            is_any = true;
        }
    }
    return is_any;
}

uint64_t stages_due(const struct manager *manager)
{
    uint64_t due = UINT64_MAX;

    for (size_t i = 0; i < SIM_RUNS && manager->run_count > 0; i++) {
        const struct nodes_run *run = &manager->runs[i];

        if (run->is_used && !run->is_waiting && run->due_ms < due) {
            due = run->due_ms;
        }
    }
    return due;
}

void stages_cut(struct sim *sim, const struct sim_machine *machine)
{
    node_of(sim, machine->id)->was_cut = true;
}

/* ---- people ---- */

/* True if the last stage that ran on this machine failed. */
bool stages_has_failed(struct sim *sim, const struct sim_machine *machine)
{
    const struct sim_node *node = node_of(sim, machine->id);

    return node->running == 0 && node->failed > 0;
}

void stages_change(struct sim *sim, unsigned group, bool is_bad)
{
    struct wanted *wanted = &sim->wanted[group];

    wanted->argument = ++sim->arguments;
    wanted->argued_ms = sim->now_ms;
    wanted->bad_argument = is_bad ? wanted->argument : 0;
    wanted->is_roll_known = true;
    wanted->roll_begun = 0;
    sim_say(sim, "people: the stage of %c has the argument %u%s", 'a' + group, wanted->argument,
            is_bad ? ", which is bad" : "");
}

/* True if this incarnation of the store knows the machine as a member. */
static bool is_member(struct sim *sim, const struct sim_machine *machine, unsigned group)
{
    const struct entry *entry = ledger_of(sim, machine);

    return oracle_runs(machine) && oracle_is_ours(sim, machine) && !machine->is_planted &&
           group_of(machine) == group && entry != NULL && entry->life == sim->life;
}

/* True if a rollout of the group is stopped, or the replacement of its machines, which takes
 * precedence. A stopped rollout waits for an operator, who may never answer. */
static bool is_stopped(struct sim *sim, unsigned group)
{
    static const char *const rules[] = { "rollout", "roll_failed", "reboot_stopped",
                                         "store_went_back", NULL };

    return oracle_is_held(sim, group, rules) || ledger_is_reboot_late(sim, group);
}

/* Checks that all members of the group have completed the desired argument. This is not checked
 * while members are missing because of a hold, because they count as out of service, so that no
 * other member may start. */
void stages_end(struct sim *sim, unsigned group)
{
    struct text cluster = text_from(sim->cluster);
    uint32_t members = 0;

    /* A group that waits for an operator keeps its tickets. */
    for (unsigned i = 0; sim->nodes.budget > 0 && i < SIM_GROUPS; i++) {
        if (is_stopped(sim, i)) {
            return;
        }
    }

    for (const struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        members += is_member(sim, one, group);
    }

    for (const struct sim_machine *one = sim_first(sim->cloud, cluster);
         one != NULL && members >= sim->wanted[group].size && sim->nodes.have_stages &&
         !sim->is_removed && !is_stopped(sim, group);
         one = sim_next(sim->cloud, cluster, one)) {
        const struct sim_node *node = node_of(sim, one->id);

        /* a higher completed argument is correct: arguments only increase, and a restored older
         * store does not contain the latest argument */
        if (is_member(sim, one, group) && node->done < sim->wanted[group_of(one)].argument) {
            oracle_found(sim, SIM_FOUND_UNCONVERGED,
                         "%.*s of %.*s has completed argument %u, "
                         "and %u is desired",
                         TEXT_ARG(one->id), TEXT_ARG(sim_tags(one).group), node->done,
                         sim->wanted[group_of(one)].argument);
        }
    }
}
