/* Applies faults: some hit machines at one moment, others affect calls during a time span. */
#include "base/limits.h"
#include "service/service_command.h"
#include "simulation/simulation_parts.h"

#include <assert.h>
#include <stdio.h>

static bool is_for(const struct simulation_fault *fault, const struct simulation_cloud *cloud)
{
    return fault->name.length == 0 ||
           simulation_fault_page(fault->kind)->argument != SIMULATION_ARGUMENT_PLUGIN ||
           text_is_equal(fault->name, cloud->plugin);
}

/* ---- calls ---- */

static void fate_lay(struct simulation *simulation, const struct simulation_fault *fault,
                     enum sim_call call, struct sim_fate *fate)
{
    bool is_list = call == SIM_LIST;

    if (fault->kind == SIMULATION_FAULT_OUTAGE) {
        fate->is_unknown = true;
        fate->has_no_effect = true;
    } else if (fault->kind == SIMULATION_FAULT_CAPACITY && call == SIM_CREATE) {
        fate->fault = PROVIDER_FAULT_CAPACITY;
    } else if (fault->kind == SIMULATION_FAULT_THROTTLED && simulation->throttle++ % 2 == 0) {
        fate->fault = PROVIDER_FAULT_THROTTLED;
    } else if (fault->kind == SIMULATION_FAULT_UNANSWERED && !is_list && call != SIM_FIND) {
        fate->is_unknown = true;
    } else if (is_list && (fault->kind == SIMULATION_FAULT_LIST_LIES ||
                           fault->kind == SIMULATION_FAULT_LIST_PARTIAL)) {
        fate->is_lying = fault->kind == SIMULATION_FAULT_LIST_LIES;
        fate->is_partial = fault->kind == SIMULATION_FAULT_LIST_PARTIAL;
        fate->lacking_permille = (uint32_t)fault->number * 10;
    }
}

struct sim_fate simulation_fate(void *arg, enum sim_call call, struct text cluster)
{
    struct simulation_cloud *cloud = arg;
    struct simulation *simulation = cloud->simulation;
    struct sim_fate fate = { .answer_ms = SIMULATION_ANSWER_MS };

    (void)cluster;
    /* after a reboot a stopped machine may run again */
    simulation->is_changed |= call == SIM_REBOOT;
    for (size_t i = 0; i < simulation->options.fault_count; i++) {
        const struct simulation_fault *fault = &simulation->options.faults[i];

        if (simulation_fault_is_on(fault, simulation_time(simulation)) && is_for(fault, cloud)) {
            fate_lay(simulation, fault, call, &fate);
        }
    }
    simulation->result->refused += fate.fault != PROVIDER_FAULT_NONE;
    simulation->result->unanswered += fate.fault == PROVIDER_FAULT_NONE && fate.is_unknown;
    return fate;
}

uint32_t simulation_cloud_luck(void *arg)
{
    return (uint32_t)simulation_draw(((struct simulation_cloud *)arg)->simulation, UINT32_MAX);
}

/* ---- machines ---- */

/* A running machine and its location. */
struct target {
    struct simulation_cloud *cloud;
    struct sim_machine *machine;
};

struct targets {
    struct arena *arena;
    struct target *items;
    size_t count;
    size_t room;
};

static void targets_add(struct targets *targets, struct target target)
{
    if (targets->count == targets->room) {
        size_t room = targets->room == 0 ? 256 : targets->room * 2;

        targets->items = arena_grow(targets->arena, targets->items, targets->room * sizeof(target),
                                    room * sizeof(target));
        targets->room = room;
    }
    targets->items[targets->count++] = target;
}

/* Finds all existing machines; with a zone, those in it. */
static struct targets targets_find(struct simulation *simulation, struct arena *arena,
                                   struct text zone)
{
    struct targets targets = { .arena = arena };

    for (struct simulation_cloud *cloud = simulation->clouds; cloud != NULL; cloud = cloud->next) {
        for (size_t i = 0; i < simulation->cluster_count; i++) {
            struct text key = simulation->clusters[i].key;

            for (struct sim_machine *one = sim_first(cloud->cloud, key); one != NULL;
                 one = sim_next(cloud->cloud, key, one)) {
                if (sim_is_there(one) && one->stopped_ms == 0 && !one->is_planted &&
                    (zone.length == 0 || text_is_equal(zone, one->kind->zone))) {
                    targets_add(&targets, (struct target){ cloud, one });
                }
            }
        }
    }
    return targets;
}

static void machine_hit(struct simulation *simulation, const struct target *target, bool is_stopped)
{
    struct simulation_group *group = simulation_group_find(
        simulation, sim_tags(target->machine).cluster, sim_tags(target->machine).group);

    if (group != NULL) {
        group->lost++;
    }
    if (is_stopped) {
        sim_stop(target->cloud->cloud, target->machine);
    } else {
        sim_end(target->cloud->cloud, target->machine);
    }
    simulation->is_changed = true;
}

/* Hits some of the machines at random; returns how many existed. */
static uint64_t machines_hit(struct simulation *simulation, const struct simulation_fault *fault)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct targets targets = targets_find(
        simulation, arena, fault->kind == SIMULATION_FAULT_ZONE_LOST ? fault->name : TEXT(""));
    uint64_t count = fault->number;

    if (fault->kind == SIMULATION_FAULT_MASS_DEATH) {
        count = (targets.count * fault->number + 99) / 100;
    }
    count =
        fault->kind == SIMULATION_FAULT_ZONE_LOST || count > targets.count ? targets.count : count;
    for (size_t i = 0; i < count; i++) {
        size_t other = i + (size_t)simulation_draw(simulation, targets.count - i);
        struct target target = targets.items[other];

        targets.items[other] = targets.items[i];
        machine_hit(simulation, &target, fault->kind == SIMULATION_FAULT_STOP);
    }
    return count;
}

/* Creates machines with the tags of a group but an invalid MAC: they do not belong to reeve. */
static uint64_t machines_plant(struct simulation *simulation, uint64_t count)
{
    const struct simulation_cluster *cluster = &simulation->clusters[0];

    if (simulation->clouds == NULL || cluster->group_count == 0) {
        return 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        char token[40];
        struct provider_tags tags = { .cluster = cluster->key,
                                      .group = cluster->groups[0].path,
                                      .mac = TEXT("00000000000000000000000000000000") };

        snprintf(token, sizeof(token), "foreign-%llu", (unsigned long long)++simulation->ids);
        tags.token = text_from(token);
        (void)sim_plant(simulation->clouds->cloud, &tags);
    }
    return count;
}

/* ---- operators ---- */

static void said(void *arg, const struct service_answer *answer)
{
    *(uint64_t *)arg += answer->errors->errors == 0;
}

/* Approves all holds that can be approved, as an operator. */
static uint64_t holds_approve(struct simulation *simulation)
{
    struct service_actor actor = { TEXT(SIMULATION_TENANT), TEXT("trial") };
    uint64_t count = 0;

    if (simulation->control == NULL) {
        return 0; /* no manager runs that could receive the approval */
    }
    simulation_look(simulation);
    for (const struct map_node *node = map_first(&simulation->holds, TEXT("")); node != NULL;
         node = map_after(&simulation->holds, node->key)) {
        const struct simulation_hold *hold = &((const struct simulation_held *)node->value)->hold;
        bool has_group = hold->group.length > 0;
        struct service_say say = {
            .kind = schema_kind_find(has_group ? TEXT("NodeGroup") : TEXT("Cluster")),
            .name = has_group ? arena_printf(simulation->memory, "%.*s/%.*s",
                                             TEXT_ARG(hold->cluster), TEXT_ARG(hold->group))
                              : hold->cluster,
            .word = SERVICE_COMMAND_APPROVE,
            .rule = hold->rule,
        };

        if (plan_rule_is_answered(plan_rule_find(hold->rule))) {
            service_say(simulation->service, simulation->memory, &actor, &say, said, &count);
            simulation_turn(simulation);
        }
    }
    return count;
}

/* ---- order of faults ---- */

static void fault_begin(struct simulation *simulation, size_t index)
{
    const struct simulation_fault *fault = &simulation->options.faults[index];
    struct simulation_struck *struck = &simulation->result->struck[index];
    enum simulation_argument argument = simulation_fault_page(fault->kind)->argument;

    struck->has_begun = true;
    if (fault->kind == SIMULATION_FAULT_FOREIGN) {
        struck->struck = machines_plant(simulation, fault->number);
    } else if (fault->kind == SIMULATION_FAULT_APPROVE) {
        struck->struck = holds_approve(simulation);
    } else if (fault->kind == SIMULATION_FAULT_ZONE_LOST ||
               (fault->span_ms == 0 && (argument == SIMULATION_ARGUMENT_COUNT ||
                                        argument == SIMULATION_ARGUMENT_PERCENT))) {
        struck->struck = machines_hit(simulation, fault);
    } else if (fault->kind == SIMULATION_FAULT_MANAGER_KILLED && simulation->control != NULL) {
        simulation_life_end(simulation);
    }
    simulation_event_add(simulation, &(struct simulation_event){ .kind = SIMULATION_FAULT_BEGINS,
                                                                 .fault = index,
                                                                 .fact = fault->word,
                                                                 .count = struck->struck });
}

/* Returns whether another fault keeps the manager down. */
static bool is_killed(const struct simulation *simulation)
{
    for (size_t i = 0; i < simulation->options.fault_count; i++) {
        if (simulation->options.faults[i].kind == SIMULATION_FAULT_MANAGER_KILLED &&
            simulation_fault_is_on(&simulation->options.faults[i], simulation_time(simulation))) {
            return true;
        }
    }
    return false;
}

static void fault_end(struct simulation *simulation, size_t index)
{
    const struct simulation_fault *fault = &simulation->options.faults[index];

    simulation->result->struck[index].has_ended = true;
    simulation->is_changed = true;
    if (fault->kind == SIMULATION_FAULT_MANAGER_KILLED && simulation->control == NULL &&
        !is_killed(simulation)) {
        simulation_life_begin(simulation);
    }
    if (fault->span_ms > 0) {
        simulation_event_add(simulation, &(struct simulation_event){ .kind = SIMULATION_FAULT_ENDS,
                                                                     .fault = index,
                                                                     .fact = fault->word });
    }
}

void simulation_strike(struct simulation *simulation)
{
    uint64_t now = simulation_time(simulation);

    for (size_t i = 0; i < simulation->options.fault_count; i++) {
        const struct simulation_fault *fault = &simulation->options.faults[i];
        struct simulation_struck *struck = &simulation->result->struck[i];

        if (!struck->has_begun && now >= fault->at_ms) {
            fault_begin(simulation, i);
        } else if (fault->kind == SIMULATION_FAULT_ZONE_LOST && simulation->is_changed &&
                   simulation_fault_is_on(fault, now)) {
            /* also hits machines that were created in the zone since the fault began */
            struck->struck += machines_hit(simulation, fault);
        }
        if (struck->has_begun && !struck->has_ended && now >= fault->at_ms + fault->span_ms) {
            fault_end(simulation, i);
        }
    }
}

uint64_t simulation_strike_due(const struct simulation *simulation)
{
    uint64_t due = UINT64_MAX;

    for (size_t i = 0; i < simulation->options.fault_count; i++) {
        const struct simulation_fault *fault = &simulation->options.faults[i];
        const struct simulation_struck *struck = &simulation->result->struck[i];
        uint64_t next = !struck->has_begun   ? fault->at_ms
                        : !struck->has_ended ? fault->at_ms + fault->span_ms
                                             : UINT64_MAX;

        due = next < due ? next : due;
    }
    return due == UINT64_MAX ? due : simulation->begun_ms + due;
}
