#include "link.h"
#include "sim.h"

#include "base/macros.h"

/* public names start with: fault_ */

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

/* Returns 10 to the power of a random number between -2 and 1. Functions of the C library are not
 * used, because their results differ between machines. */
static double swarm_scale(struct luck *luck)
{
    static const double steps[] = { 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0 };

    return steps[luck_draw(luck, ARRAY_COUNT(steps))];
}

bool fault_is_over(const struct sim *sim)
{
    return sim->now_ms >= sim->cleared_ms;
}

void fault_begin(struct sim *sim)
{
    struct luck luck = luck_make(sim->setup.seed, 50);
    struct luck later = luck_make(sim->setup.seed, 51);
    struct luck latest = luck_make(sim->setup.seed, 53);
    struct luck newest = luck_make(sim->setup.seed, 54);
    struct luck reboots = luck_make(sim->setup.seed, 55);

    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        struct luck *own = i < FAULT_remove    ? &luck
                           : i < FAULT_cut     ? &later
                           : i < FAULT_restage ? &latest
                           : i < FAULT_reboot  ? &newest
                                               : &reboots;
        bool is_on = luck_hits(own, i < FAULT_restage ? 0.5 : 0.3);
        double scale = swarm_scale(own);
        double rate = faults[i].rate * (sim->setup.is_uniform ? 1.0 : is_on ? scale : 0.0);

        if (faults[i].unit == LAG) {
            rate = is_on || sim->setup.is_uniform ? faults[i].rate * luck_share(own) : 0.0;
        } else if (faults[i].unit == SHARE && rate > 0.3) {
            rate = 0.3;
        }
        if ((sim->setup.faults_off & UINT64_C(1) << i) != 0 || sim->setup.scenario != NULL) {
            rate = 0.0;
        }
        if (i >= FAULT_restage && !sim->setup.is_staged) {
            rate = 0.0;
        }
        sim->lucks[i] = luck_make(sim->setup.seed, 1000 + (uint64_t)i);
        sim->rates[i] = rate;
        sim->due[i] = UINT64_MAX;
        if (faults[i].unit == HOUR && rate > 0.0) {
            sim->due[i] = sim->now_ms + luck_wait(&sim->lucks[i], rate);
        }
        sim_say(sim, "%-14s %g", faults[i].name, rate);
    }
    sim->options = control_options_default();
    sim->options.volumes.every_ms = 0; /* the simulated cloud has machines, but no volumes */
    sim->options.resync_ms = 30000 + luck_draw(&luck, 570000);
    sim->options.session_ttl_ms = 30000 + luck_draw(&luck, 270000);
    if (sim->setup.scenario != NULL) { /* scenarios have fixed intervals */
        sim->options.resync_ms = 30000;
        sim->options.session_ttl_ms = 30000;
    }
    sim->options.is_archiving_passes = sim->setup.is_archiving_passes;
    sim->options.limits.guards_off = sim->setup.guards_off;
    sim->options.limits.bug = sim->setup.bug;
    sim->scene.due = 1;
}

/* ---- calls ---- */

static bool hits(struct sim *sim, enum fault_kind kind)
{
    return sim->rates[kind] > 0.0 && !fault_is_over(sim) &&
           luck_hits(&sim->lucks[kind], sim->rates[kind]);
}

/* True if the transaction changes the record of a machine. */
static bool is_of_machine(const struct store_txn *txn)
{
    for (size_t i = 0; txn != NULL && i < txn->op_count; i++) {
        if (text_has_prefix(txn->ops[i].key, TEXT("/default/Resource/"))) {
            return true;
        }
    }
    return false;
}

/* Applies the fault that the scenario requests to the next change of a machine's record. */
static void scene_fate(struct sim *sim, struct manager *manager, struct link_fate *fate)
{
    struct scene *scene = &sim->scene;

    fate->is_unheard |= scene->is_unheard;
    fate->is_lost |= scene->is_lost;
    fate->is_refused |= scene->is_refused;
    if (scene->is_stalled) {
        fate->there_ms = scene->until - sim->now_ms;
        manager_pause(manager, scene->until + 1000);
    }
    scene->is_unheard = scene->is_lost = scene->is_refused = scene->is_stalled = false;
}

struct link_fate fault_link_fate(void *arg, const struct store_txn *txn)
{
    struct manager *manager = arg;
    struct sim *sim = manager->sim;
    struct luck *luck = &sim->luck_store;
    struct link_fate fate = { .there_ms = 1 + luck_draw(luck, 3),
                              .back_ms = 1 + luck_draw(luck, 3) };

    if (hits(sim, FAULT_store_slow)) {
        fate.there_ms = luck_draw(&sim->lucks[FAULT_store_slow], 5000);
        fate.back_ms = luck_draw(&sim->lucks[FAULT_store_slow], 5000);
    }
    fate.is_lost = sim->now_ms < sim->outage_until || hits(sim, FAULT_store_lost);
    fate.is_unheard = txn != NULL && hits(sim, FAULT_store_unknown);
    fate.is_refused = hits(sim, FAULT_store_refused);
    if (is_of_machine(txn)) {
        scene_fate(sim, manager, &fate);
    }
    if (fate.is_lost || fate.is_unheard) {
        fate.back_ms = 5000;
    }
    if (is_of_machine(txn) && hits(sim, FAULT_stall)) {
        manager_pause(manager, sim->now_ms + luck_draw(&sim->lucks[FAULT_stall], 1800000));
    }
    return fate;
}

uint64_t fault_watch_delay(void *arg)
{
    struct sim *sim = ((struct manager *)arg)->sim;

    if (sim->scene.watch_delay_ms > 0) {
        return sim->scene.watch_delay_ms;
    }
    return hits(sim, FAULT_store_slow) ? luck_draw(&sim->lucks[FAULT_store_slow], 10000)
                                       : 1 + luck_draw(&sim->luck_store, 3);
}

uint32_t fault_cloud_luck(void *arg)
{
    return (uint32_t)luck_draw(&((struct sim *)arg)->luck_cloud, UINT32_MAX);
}

static struct sim_fate change_fate(struct sim *sim, enum sim_call call)
{
    static const enum provider_fault kinds[] = { PROVIDER_FAULT_TRANSIENT, PROVIDER_FAULT_THROTTLED,
                                                 PROVIDER_FAULT_CAPACITY, PROVIDER_FAULT_QUOTA };
    struct luck *luck = &sim->luck_cloud;
    struct sim_fate fate = { .effect_ms = luck_draw(luck, 2000) };

    if (call == SIM_CREATE && sim->scene.effect_ms > 0) {
        fate = (struct sim_fate){ .effect_ms = sim->scene.effect_ms, .answer_ms = 60000 };
        sim->scene.effect_ms = 0;
        return fate;
    }
    if (call == SIM_DESTROY && sim->scene.ends_are_lost) {
        return (struct sim_fate){ .has_no_effect = true, .answer_ms = 60000 };
    }
    fate.answer_ms = fate.effect_ms + luck_draw(luck, 2000);
    if (hits(sim, FAULT_cloud_error)) {
        fate.fault = kinds[luck_draw(luck, ARRAY_COUNT(kinds))];
    } else if (hits(sim, FAULT_cloud_lost)) {
        fate.has_no_effect = true;
        fate.answer_ms = 60000;
    } else if (hits(sim, FAULT_cloud_late)) {
        fate.answer_ms = 60000;
        fate.effect_ms = 60000 + luck_draw(luck, 180000);
    } else if (hits(sim, FAULT_cloud_unheard)) {
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
    if (call == SIM_CREATE || call == SIM_DESTROY || call == SIM_REBOOT) {
        return change_fate(sim, call);
    }
    if (hits(sim, FAULT_cloud_error)) {
        fate.fault = PROVIDER_FAULT_TRANSIENT;
    } else if (hits(sim, FAULT_cloud_lost)) {
        fate.is_unknown = true;
        fate.answer_ms = 60000;
    } else if (call == SIM_FIND) {
        fate.is_unknown = sim->scene.finds_are_lost;
        fate.is_lying_again = sim->scene.finds_lie;
        fate.is_lying =
            sim->scene.finds_lie || sim->scene.finds_waver || hits(sim, FAULT_find_lies);
    } else {
        if (sim->scene.tears || hits(sim, FAULT_torn)) {
            people_tear(sim);
            fate.answer_ms += 5000; /* the answer arrives after the watch has reported the change */
        }
        fate.is_partial = hits(sim, FAULT_list_partial);
        fate.is_lying = hits(sim, FAULT_list_lies);
        fate.is_doubled = hits(sim, FAULT_list_double);
        if (sim->scene.lists_are_partial) {
            return (struct sim_fate){ .is_partial = true, .lacking_permille = 1000 };
        }
        if (sim->now_ms < sim->blackout_until || sim->scene.lists_are_empty) {
            return (struct sim_fate){ .is_lying = true, .lacking_permille = 1000 };
        }
        fate.lacking_permille = luck_hits(luck, 0.3) ? 1000 : (uint32_t)luck_draw(luck, 1001);
    }
    return fate;
}

/* ---- faults with an hourly rate ---- */

static void scene_run(struct sim *sim)
{
    if (sim->setup.scenario != NULL && sim->scene.due <= sim->now_ms) {
        scenario_run(sim);
    }
}

void fault_run(struct sim *sim)
{
    scene_run(sim);
    if (sim->next_due > sim->now_ms) {
        return;
    }
    sim->next_due = UINT64_MAX;
    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        if (sim->due[i] <= sim->now_ms) {
            sim->due[i] = sim->now_ms + luck_wait(&sim->lucks[i], sim->rates[i]);
            if (fault_is_over(sim)) {
                sim->due[i] = UINT64_MAX;
            } else {
                mishap_happen(sim, (enum fault_kind)i);
            }
        }
        sim->next_due = sim->due[i] < sim->next_due ? sim->due[i] : sim->next_due;
    }
}

uint64_t fault_due(const struct sim *sim)
{
    uint64_t scene = sim->setup.scenario != NULL ? sim->scene.due : UINT64_MAX;

    return scene < sim->next_due ? scene : sim->next_due;
}
