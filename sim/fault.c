#include "link.h"
#include "sim.h"

#include "base/macros.h"
#include "store/memory.h"

#include <stdio.h>

/* names: fault_ */

enum unit { HOUR, SHARE, LAG };

static const struct {
    const char *name;
    enum unit unit;
    double rate;
} faults[FAULT_KIND_COUNT] = {
#define FAULT(name, unit, rate) [FAULT_##name] = { #name, unit, rate },
#include "faults.def"
#undef FAULT
};

const char *fault_name(enum fault_kind kind)
{
    return faults[kind].name;
}

/* 10 to the power of something between -2 and 1, without asking the C library for it. */
static double swarm_scale(struct luck *luck)
{
    static const double steps[] = { 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0 };

    return steps[luck_draw(luck, ARRAY_COUNT(steps))];
}

static bool is_calm(const struct sim *sim)
{
    return sim->now_ms >= sim->calm_ms;
}

void fault_begin(struct sim *sim)
{
    struct luck luck = luck_make(sim->setup.seed, 50);

    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        bool is_on = luck_hits(&luck, 0.5);
        double scale = swarm_scale(&luck);
        double rate = faults[i].rate * (sim->setup.is_uniform ? 1.0 : is_on ? scale : 0.0);

        if (faults[i].unit == LAG) {
            rate = is_on || sim->setup.is_uniform ? faults[i].rate * luck_share(&luck) : 0.0;
        } else if (faults[i].unit == SHARE && rate > 0.3) {
            rate = 0.3;
        }
        if ((sim->setup.faults_off & 1u << i) != 0) {
            rate = 0.0;
        }
        sim->rates[i] = rate;
        sim->due[i] = UINT64_MAX;
        if (faults[i].unit == HOUR && rate > 0.0) {
            sim->due[i] = sim->now_ms + luck_wait(&sim->luck_faults, rate);
        }
        sim_say(sim, "%-14s %g", faults[i].name, rate);
    }
    sim->options = control_options_default();
    sim->options.resync_ms = 30000 + luck_draw(&luck, 570000);
    sim->options.session_ttl_ms = 30000 + luck_draw(&luck, 270000);
#ifdef REEVE_GUARD_SWITCHES
    sim->options.limits.guards_off = sim->setup.guards_off;
#endif
}

/* ---- calls ---- */

static bool hits(struct sim *sim, struct luck *luck, enum fault_kind kind)
{
    return !is_calm(sim) && sim->rates[kind] > 0.0 && luck_hits(luck, sim->rates[kind]);
}

struct link_fate fault_link_fate(void *arg, bool changes)
{
    struct sim *sim = ((struct manager *)arg)->sim;
    struct luck *luck = &sim->luck_store;
    struct link_fate fate = { .there_ms = 1 + luck_draw(luck, 3),
                              .back_ms = 1 + luck_draw(luck, 3) };

    if (hits(sim, luck, FAULT_store_slow)) {
        fate.there_ms = luck_draw(luck, 5000);
        fate.back_ms = luck_draw(luck, 5000);
    }
    fate.is_lost = sim->now_ms < sim->outage_until || hits(sim, luck, FAULT_store_lost);
    fate.is_unheard = changes && hits(sim, luck, FAULT_store_unknown);
    fate.is_refused = hits(sim, luck, FAULT_store_refused);
    if (fate.is_lost || fate.is_unheard) {
        fate.back_ms = 5000;
    }
    return fate;
}

uint64_t fault_watch_delay(void *arg)
{
    struct sim *sim = ((struct manager *)arg)->sim;

    return hits(sim, &sim->luck_store, FAULT_store_slow) ? luck_draw(&sim->luck_store, 10000)
                                                         : 1 + luck_draw(&sim->luck_store, 3);
}

uint32_t fault_cloud_luck(void *arg)
{
    return (uint32_t)luck_draw(&((struct sim *)arg)->luck_cloud, UINT32_MAX);
}

static struct sim_fate change_fate(struct sim *sim)
{
    static const enum provider_fault kinds[] = { PROVIDER_FAULT_TRANSIENT, PROVIDER_FAULT_THROTTLED,
                                                 PROVIDER_FAULT_CAPACITY, PROVIDER_FAULT_QUOTA };
    struct luck *luck = &sim->luck_cloud;
    struct sim_fate fate = { .effect_ms = luck_draw(luck, 2000) };

    fate.answer_ms = fate.effect_ms + luck_draw(luck, 2000);
    if (hits(sim, luck, FAULT_cloud_error)) {
        fate.fault = kinds[luck_draw(luck, ARRAY_COUNT(kinds))];
    } else if (hits(sim, luck, FAULT_cloud_lost)) {
        fate.has_no_effect = true;
        fate.answer_ms = 60000;
    } else if (hits(sim, luck, FAULT_cloud_late)) {
        fate.answer_ms = 60000;
        fate.effect_ms = 60000 + luck_draw(luck, 180000);
    } else if (hits(sim, luck, FAULT_cloud_unheard)) {
        fate.is_unknown = true;
        fate.answer_ms = 60000;
    }
    return fate;
}

struct sim_fate fault_cloud_fate(void *arg, enum sim_call call, struct text cluster)
{
    struct sim *sim = arg;
    struct luck *luck = &sim->luck_cloud;
    struct sim_fate fate = { .answer_ms = luck_draw(luck, 1000) };

    (void)cluster;
    if (call == SIM_CREATE || call == SIM_DESTROY) {
        return change_fate(sim);
    }
    if (hits(sim, luck, FAULT_cloud_error)) {
        fate.fault = PROVIDER_FAULT_TRANSIENT;
    } else if (hits(sim, luck, FAULT_cloud_lost)) {
        fate.is_unknown = true;
        fate.answer_ms = 60000;
    } else if (call == SIM_FIND) {
        fate.is_lying = hits(sim, luck, FAULT_find_lies);
    } else {
        fate.is_partial = hits(sim, luck, FAULT_list_partial);
        fate.is_lying = hits(sim, luck, FAULT_list_lies);
        fate.is_doubled = hits(sim, luck, FAULT_list_double);
        fate.lacking_permille = luck_hits(luck, 0.3) ? 1000 : (uint32_t)luck_draw(luck, 1001);
    }
    return fate;
}

/* ---- what comes by the hour ---- */

static struct manager *manager_pick(struct sim *sim)
{
    return &sim->managers[luck_draw(&sim->luck_faults, SIM_MANAGERS)];
}

static void crash(struct sim *sim)
{
    struct manager *manager = manager_pick(sim);

    if (manager->is_up) {
        manager_crash(manager);
        manager->up_at = sim->now_ms + 1000 + luck_draw(&sim->luck_faults, 600000);
    }
}

static void pause(struct sim *sim)
{
    struct manager *manager = manager_pick(sim);

    if (manager->is_up) {
        manager->paused_until = sim->now_ms + 1000 + luck_draw(&sim->luck_faults, 600000);
        sim_provider_pause(manager->provider, manager->paused_until);
        sim_say(sim, "manager %u stands still", manager->index);
    }
}

static void nobody_told(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)outcome;
    (void)answer;
}

struct copying {
    struct store *out;
};

static void copy_keys(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct copying *copying = arg;

    (void)outcome;
    for (size_t i = 0; i < answer->count; i++) {
        struct store_op op = { .key = answer->items[i].key, .value = answer->items[i].value };
        struct store_txn txn = { .ops = &op, .op_count = 1 };

        store_txn(copying->out, &txn, nobody_told, NULL);
    }
}

/* A store with the same keys, in another life. */
static struct store *store_copy(struct sim *sim, struct store *from)
{
    struct copying copying;
    struct store_range all = { .prefix = TEXT("/") };

    sim->incarnation[0] = (unsigned char)++sim->life;
    sim->incarnation[1] = (unsigned char)(sim->life >> 8);
    copying.out = memory_open(sim->incarnation);
    store_list(from, &all, copy_keys, &copying);
    while (store_run(from) > 0 || store_run(copying.out) > 0) {
    }
    return copying.out;
}

static void rollback(struct sim *sim)
{
    if (sim->backup == NULL) {
        sim->backup = store_copy(sim, sim->truth);
        sim->backup_ms = sim->now_ms;
        sim_say(sim, "a backup is made");
        return;
    }
    sim_say(sim, "the backup is restored");
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        if (sim->managers[i].is_up) {
            manager_crash(&sim->managers[i]);
        }
        sim->managers[i].up_at = sim->now_ms + 1000 + luck_draw(&sim->luck_faults, 60000);
    }
    people_close(sim);
    store_close(sim->truth);
    sim->truth = sim->backup;
    sim->backup = NULL;
    sim->rolled_back_ms = sim->now_ms;
    people_open(sim);
}

static void hurt(struct sim *sim, struct sim_machine *machine, bool stops)
{
    struct wanted *wanted = &sim->wanted[machine->tags.group.data[0] - 'a'];

    sim_say(sim, "%.*s (%.*s/%llu) %s by itself", TEXT_ARG(machine->id),
            TEXT_ARG(machine->tags.group), (unsigned long long)machine->tags.slot,
            stops ? "stops" : "ends");
    wanted->died_ms = sim->now_ms;
    if (stops) {
        sim_stop(sim->cloud, machine);
    } else {
        sim_end(sim->cloud, machine);
    }
}

static void death(struct sim *sim, double share)
{
    struct text cluster = text_from(sim->cluster);
    bool stops = luck_hits(&sim->luck_faults, 0.3);
    uint64_t count = 0;
    uint64_t chosen;

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        count += sim_is_there(one);
    }
    chosen = luck_draw(&sim->luck_faults, count == 0 ? 1 : count);
    count = 0;
    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (!sim_is_there(one)) {
            continue;
        }
        if (share > 0.0 ? luck_hits(&sim->luck_faults, share) : count == chosen) {
            hurt(sim, one, stops);
        }
        count++;
    }
}

/* Somebody else's machines with our tags: without a stamp, with a stamp of another life, with a true one. */
static void foreign(struct sim *sim)
{
    char token[40];
    char group[2] = { (char)('a' + luck_draw(&sim->luck_faults, SIM_GROUPS)), 0 };
    struct provider_tags tags = {
        .cluster = text_from(sim->cluster),
        .life = luck_hits(&sim->luck_faults, 0.5) ? TEXT("ff000000000000000000000000000000")
                                                  : TEXT("01000000000000000000000000000000"),
        .group = text_from(group),
        .slot = luck_draw(&sim->luck_faults, SIM_GROUP_MAX),
        .mac = TEXT("00112233445566778899aabbccddeeff"),
    };
    struct sim_machine *machine;

    snprintf(token, sizeof(token), "foreign-%llu",
             (unsigned long long)luck_draw(&sim->luck_faults, 1000000));
    tags.token = text_from(token);
    machine = sim_plant(sim->cloud, &tags);
    sim_say(sim, "%.*s is foreign", TEXT_ARG(machine->id));
}

static void fault_happen(struct sim *sim, enum fault_kind kind)
{
    struct luck *luck = &sim->luck_faults;

    sim_note(sim, fault_name(kind), 0);
    switch ((int)kind) {
    case FAULT_crash:
        crash(sim);
        break;
    case FAULT_pause:
        pause(sim);
        break;
    case FAULT_outage:
        sim->outage_until = sim->now_ms + luck_draw(luck, 40 * 60000);
        sim_say(sim, "the store answers nobody");
        break;
    case FAULT_rollback:
        rollback(sim);
        break;
    case FAULT_watch_lost:
        if (sim->managers[0].is_up) {
            link_lose_watches(sim->managers[0].link);
        }
        break;
    case FAULT_death:
        death(sim, 0.0);
        break;
    case FAULT_mass_death:
        death(sim, 0.5 + luck_share(luck) / 2);
        break;
    case FAULT_foreign:
        foreign(sim);
        break;
    case FAULT_clock:
        sim->wall_ahead = luck_draw(luck, 10) * 365 * 86400000ULL;
        break;
    case FAULT_resize:
        people_resize(sim);
        break;
    case FAULT_change:
        people_change(sim);
        break;
    default:
        break;
    }
}

void fault_run(struct sim *sim)
{
    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        if (sim->due[i] <= sim->now_ms) {
            sim->due[i] = sim->now_ms + luck_wait(&sim->luck_faults, sim->rates[i]);
            if (is_calm(sim)) {
                sim->due[i] = UINT64_MAX;
            } else {
                fault_happen(sim, (enum fault_kind)i);
            }
        }
    }
}

uint64_t fault_due(const struct sim *sim)
{
    uint64_t due = UINT64_MAX;

    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        due = sim->due[i] < due ? sim->due[i] : due;
    }
    return due;
}
