/* Applies faults: to machines at one moment, and to calls during their span. */
#include "base/limits.h"
#include "trial/trial_parts.h"

#include <assert.h>
#include <stdio.h>

static bool is_for(const struct trial_fault *fault, const struct trial_cloud *cloud)
{
    return fault->name.length == 0 ||
           trial_fault_page(fault->kind)->argument != TRIAL_ARGUMENT_PLUGIN ||
           text_is_equal(fault->name, cloud->plugin);
}

/* ---- calls ---- */

static void fate_lay(struct trial *trial, const struct trial_fault *fault, enum sim_call call,
                     struct sim_fate *fate)
{
    bool is_list = call == SIM_LIST;

    if (fault->kind == TRIAL_FAULT_OUTAGE) {
        fate->is_unknown = true;
        fate->has_no_effect = true;
    } else if (fault->kind == TRIAL_FAULT_CAPACITY && call == SIM_CREATE) {
        fate->fault = PROVIDER_FAULT_CAPACITY;
    } else if (fault->kind == TRIAL_FAULT_THROTTLED && trial->throttle++ % 2 == 0) {
        fate->fault = PROVIDER_FAULT_THROTTLED;
    } else if (fault->kind == TRIAL_FAULT_UNANSWERED && !is_list && call != SIM_FIND) {
        fate->is_unknown = true;
    } else if (is_list &&
               (fault->kind == TRIAL_FAULT_LIST_LIES || fault->kind == TRIAL_FAULT_LIST_PARTIAL)) {
        fate->is_lying = fault->kind == TRIAL_FAULT_LIST_LIES;
        fate->is_partial = fault->kind == TRIAL_FAULT_LIST_PARTIAL;
        fate->lacking_permille = (uint32_t)fault->number * 10;
    }
}

struct sim_fate trial_fate(void *arg, enum sim_call call, struct text cluster)
{
    struct trial_cloud *cloud = arg;
    struct trial *trial = cloud->trial;
    struct sim_fate fate = { .answer_ms = TRIAL_ANSWER_MS };

    (void)cluster;
    trial->is_changed |= call == SIM_REBOOT; /* a stopped machine may run again */
    for (size_t i = 0; i < trial->options.fault_count; i++) {
        const struct trial_fault *fault = &trial->options.faults[i];

        if (trial_fault_is_on(fault, trial_time(trial)) && is_for(fault, cloud)) {
            fate_lay(trial, fault, call, &fate);
        }
    }
    trial->result->refused += fate.fault != PROVIDER_FAULT_NONE;
    trial->result->unanswered += fate.fault == PROVIDER_FAULT_NONE && fate.is_unknown;
    return fate;
}

uint32_t trial_cloud_luck(void *arg)
{
    return (uint32_t)trial_draw(((struct trial_cloud *)arg)->trial, UINT32_MAX);
}

/* ---- machines ---- */

/* A running machine and its location. */
struct target {
    struct trial_cloud *cloud;
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
static struct targets targets_find(struct trial *trial, struct arena *arena, struct text zone)
{
    struct targets targets = { .arena = arena };

    for (struct trial_cloud *cloud = trial->clouds; cloud != NULL; cloud = cloud->next) {
        for (size_t i = 0; i < trial->cluster_count; i++) {
            struct text key = trial->clusters[i].key;

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

static void machine_hit(struct trial *trial, const struct target *target, bool is_stopped)
{
    struct trial_group *group =
        trial_group_find(trial, sim_tags(target->machine).cluster, sim_tags(target->machine).group);

    if (group != NULL) {
        group->lost++;
    }
    if (is_stopped) {
        sim_stop(target->cloud->cloud, target->machine);
    } else {
        sim_end(target->cloud->cloud, target->machine);
    }
    trial->is_changed = true;
}

/* Hits some of them at random; returns how many existed. */
static uint64_t machines_hit(struct trial *trial, const struct trial_fault *fault)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct targets targets =
        targets_find(trial, arena, fault->kind == TRIAL_FAULT_ZONE_LOST ? fault->name : TEXT(""));
    uint64_t count = fault->number;

    if (fault->kind == TRIAL_FAULT_MASS_DEATH) {
        count = (targets.count * fault->number + 99) / 100;
    }
    count = fault->kind == TRIAL_FAULT_ZONE_LOST || count > targets.count ? targets.count : count;
    for (size_t i = 0; i < count; i++) {
        size_t other = i + (size_t)trial_draw(trial, targets.count - i);
        struct target target = targets.items[other];

        targets.items[other] = targets.items[i];
        machine_hit(trial, &target, fault->kind == TRIAL_FAULT_STOP);
    }
    return count;
}

/* Creates machines with the tags of a group but an invalid MAC: they do not belong to reeve. */
static uint64_t machines_plant(struct trial *trial, uint64_t count)
{
    const struct trial_cluster *cluster = &trial->clusters[0];

    if (trial->clouds == NULL || cluster->group_count == 0) {
        return 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        char token[40];
        struct provider_tags tags = { .cluster = cluster->key,
                                      .group = cluster->groups[0].path,
                                      .mac = TEXT("00000000000000000000000000000000") };

        snprintf(token, sizeof(token), "foreign-%llu", (unsigned long long)++trial->ids);
        tags.token = text_from(token);
        (void)sim_plant(trial->clouds->cloud, &tags);
    }
    return count;
}

/* ---- operators ---- */

static void said(void *arg, const struct service_answer *answer)
{
    *(uint64_t *)arg += answer->errors->count == 0;
}

/* Approves all holds that can be approved, as an operator. */
static uint64_t holds_approve(struct trial *trial)
{
    struct service_actor actor = { TEXT(TRIAL_TENANT), TEXT("trial") };
    uint64_t count = 0;

    if (trial->control == NULL) {
        return 0; /* there is no manager to receive it */
    }
    trial_look(trial);
    for (const struct map_node *node = map_first(&trial->holds, TEXT("")); node != NULL;
         node = map_after(&trial->holds, node->key)) {
        const struct trial_hold *hold = &((const struct trial_held *)node->value)->hold;
        bool has_group = hold->group.length > 0;
        struct service_say say = {
            .kind = schema_kind_find(has_group ? TEXT("NodeGroup") : TEXT("Cluster")),
            .name = has_group ? arena_printf(trial->memory, "%.*s/%.*s", TEXT_ARG(hold->cluster),
                                             TEXT_ARG(hold->group))
                              : hold->cluster,
            .word = SERVICE_COMMAND_APPROVE,
            .rule = hold->rule,
        };

        if (plan_rule_is_answered(plan_rule_find(hold->rule))) {
            service_say(trial->service, trial->memory, &actor, &say, said, &count);
            trial_turn(trial);
        }
    }
    return count;
}

/* ---- order of faults ---- */

static void fault_begin(struct trial *trial, size_t index)
{
    const struct trial_fault *fault = &trial->options.faults[index];
    struct trial_struck *struck = &trial->result->struck[index];
    enum trial_argument argument = trial_fault_page(fault->kind)->argument;

    struck->has_begun = true;
    if (fault->kind == TRIAL_FAULT_FOREIGN) {
        struck->struck = machines_plant(trial, fault->number);
    } else if (fault->kind == TRIAL_FAULT_APPROVE) {
        struck->struck = holds_approve(trial);
    } else if (fault->kind == TRIAL_FAULT_ZONE_LOST ||
               (fault->span_ms == 0 &&
                (argument == TRIAL_ARGUMENT_COUNT || argument == TRIAL_ARGUMENT_PERCENT))) {
        struck->struck = machines_hit(trial, fault);
    } else if (fault->kind == TRIAL_FAULT_MANAGER_KILLED && trial->control != NULL) {
        trial_life_end(trial);
    }
    trial_event_add(trial, &(struct trial_event){ .kind = TRIAL_FAULT_BEGINS,
                                                  .fault = index,
                                                  .fact = fault->word,
                                                  .count = struck->struck });
}

/* Returns whether another fault keeps the manager down. */
static bool is_killed(const struct trial *trial)
{
    for (size_t i = 0; i < trial->options.fault_count; i++) {
        if (trial->options.faults[i].kind == TRIAL_FAULT_MANAGER_KILLED &&
            trial_fault_is_on(&trial->options.faults[i], trial_time(trial))) {
            return true;
        }
    }
    return false;
}

static void fault_end(struct trial *trial, size_t index)
{
    const struct trial_fault *fault = &trial->options.faults[index];

    trial->result->struck[index].has_ended = true;
    trial->is_changed = true;
    if (fault->kind == TRIAL_FAULT_MANAGER_KILLED && trial->control == NULL && !is_killed(trial)) {
        trial_life_begin(trial);
    }
    if (fault->span_ms > 0) {
        trial_event_add(trial, &(struct trial_event){
                                   .kind = TRIAL_FAULT_ENDS, .fault = index, .fact = fault->word });
    }
}

void trial_strike(struct trial *trial)
{
    uint64_t now = trial_time(trial);

    for (size_t i = 0; i < trial->options.fault_count; i++) {
        const struct trial_fault *fault = &trial->options.faults[i];
        struct trial_struck *struck = &trial->result->struck[i];

        if (!struck->has_begun && now >= fault->at_ms) {
            fault_begin(trial, i);
        } else if (fault->kind == TRIAL_FAULT_ZONE_LOST && trial->is_changed &&
                   trial_fault_is_on(fault, now)) {
            struck->struck += machines_hit(trial, fault); /* machines created there since */
        }
        if (struck->has_begun && !struck->has_ended && now >= fault->at_ms + fault->span_ms) {
            fault_end(trial, i);
        }
    }
}

uint64_t trial_strike_due(const struct trial *trial)
{
    uint64_t due = UINT64_MAX;

    for (size_t i = 0; i < trial->options.fault_count; i++) {
        const struct trial_fault *fault = &trial->options.faults[i];
        const struct trial_struck *struck = &trial->result->struck[i];
        uint64_t next = !struck->has_begun   ? fault->at_ms
                        : !struck->has_ended ? fault->at_ms + fault->span_ms
                                             : UINT64_MAX;

        due = next < due ? next : due;
    }
    return due == UINT64_MAX ? due : trial->begun_ms + due;
}
