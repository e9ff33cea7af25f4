#include "sim.h"

#include "base/macros.h"

#include <string.h>

/* public names start with: nodes_ */

/* Simulates the health of nodes. Machines become unhealthy and healthy again, an image may be bad,
 * and a manager may lose contact with some machines (G16, G17). The simulated cloud has the true
 * state of a machine (unhealthy_ms). */

enum {
    MINUTE_MS = 60 * 1000,
    SETTLED_MS = 10 * MINUTE_MS,
    KNOWN_MS = 20 * MINUTE_MS,
    CONTACT_LEAST = 3
};

void nodes_begin(struct sim *sim)
{
    static const unsigned mosts[] = { 34, 34, 50, 100 };
    const struct scenario *scenario = sim->setup.scenario;
    struct nodes *nodes = &sim->nodes;
    struct luck luck = luck_make(sim->setup.seed, 52);

    if (scenario != NULL && scenario->most_percent > 0) {
        *nodes = (struct nodes){ .are_probed = true,
                                 .most_percent = scenario->most_percent,
                                 .surge = 2,
                                 .batch = scenario->batch > 0 ? scenario->batch : 1,
                                 .canary = scenario->canary,
                                 .fail_max = scenario->fail_max,
                                 .bake_ms = scenario->canary > 0 ? 20 * MINUTE_MS : 0 };
    } else if (scenario == NULL &&
               (sim->rates[FAULT_cut] > 0.0 || sim->rates[FAULT_unhealthy] > 0.0)) {
        *nodes = (struct nodes){ .are_probed = true,
                                 .most_percent = mosts[luck_draw(&luck, ARRAY_COUNT(mosts))],
                                 .surge = (unsigned)luck_draw(&luck, 2) + 1,
                                 .batch = (unsigned)luck_draw(&luck, 2) + 1,
                                 .canary = (unsigned)luck_draw(&luck, 3),
                                 .fail_max = (unsigned)luck_draw(&luck, 3),
                                 .bake_ms = (uint64_t)(luck_draw(&luck, 6) * 5 * MINUTE_MS) };
    }
    nodes->have_stages = scenario != NULL ? scenario->has_stages : sim->rates[FAULT_restage] > 0.0;
    nodes->budget = scenario != NULL ? scenario->budget : sim->setup.budget;
}

/* ---- contact ---- */

static bool is_in(const struct cut *cut, const struct sim_machine *machine)
{
    return cut->until_ms > 0 && text_hash(machine->id, cut->salt) % 1000 < cut->permille;
}

bool nodes_are_cut(const struct sim *sim, unsigned manager, const struct sim_machine *machine)
{
    const struct cut *cut = &sim->nodes.cuts[manager];

    return (sim->scene.is_cut && sim_tags(machine).slot != 0) ||
           (sim->now_ms < cut->until_ms && is_in(cut, machine));
}

/* True if managers probe the machine as long as it answers. They know only machines that have
 * records. */
static bool is_probed(struct sim *sim, const struct sim_machine *machine)
{
    const struct entry *entry = ledger_of(sim, machine);

    return oracle_runs(machine) && !machine->is_planted && entry != NULL &&
           entry->life == sim->life && !entry->is_gone && entry->state == PLAN_RECORD_ACTIVE;
}

/* True if the network cut hides most of the machines that were created before that time. Only clear
 * cases count, such as three of five machines, because with a share near one half a single new
 * machine could change the result. */
static bool is_most_before(struct sim *sim, const struct cut *cut, uint64_t before_ms)
{
    struct text cluster = text_from(sim->cluster);
    unsigned lost = 0;
    unsigned of = 0;

    for (const struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (is_probed(sim, one) && one->made_ms < before_ms) {
            lost += is_in(cut, one);
            of++;
        }
    }
    return lost * 5 > of * 3 && lost >= CONTACT_LEAST;
}

/* True if the cut hides most of the machines that the manager has ever reached. Machines created
 * after the cut count if the manager reaches them, because it was in contact with them a minute
 * ago. Machines that it has never reached do not count. */
static bool is_most_now(struct sim *sim, const struct cut *cut, uint64_t from_ms)
{
    struct text cluster = text_from(sim->cluster);
    unsigned lost = 0;
    unsigned reached = 0;

    for (const struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (is_probed(sim, one)) {
            lost += is_in(cut, one) && one->made_ms < from_ms;
            reached += !is_in(cut, one);
        }
    }
    return lost * 5 > (lost + reached) * 3 && lost >= CONTACT_LEAST;
}

/* True if the cut hides most of the machines that the manager reached before the cut, and most of
 * the machines that it could have reached since then. The manager must then suspect its own
 * network. */
static bool is_most(struct sim *sim, const struct cut *cut)
{
    uint64_t from_ms = cut->from_ms > SETTLED_MS ? cut->from_ms - SETTLED_MS : 0;

    return cut->is_most && is_most_before(sim, cut, from_ms) && is_most_now(sim, cut, from_ms);
}

/* True if a manager cannot reach this machine, or could not within the last half hour. This
 * includes machines that were created during the network cut. */
bool nodes_may_be_unreachable(struct sim *sim, const struct sim_machine *machine)
{
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        const struct cut *cuts[] = { &sim->nodes.cuts[i], &sim->nodes.formers[i] };

        for (size_t j = 0; j < ARRAY_COUNT(cuts); j++) {
            if (is_in(cuts[j], machine) && sim->now_ms < cuts[j]->until_ms + SETTLED_MS) {
                return true;
            }
        }
    }
    return false;
}

/* True if a manager may have lost contact with the machine and not probed it since. It then only
 * knows that the machine is unreachable, and not whether the machine is healthy. */
bool nodes_are_hidden(struct sim *sim, const struct sim_machine *machine)
{
    uint64_t known_ms = sim->setup.scenario != NULL ? MINUTE_MS : KNOWN_MS;

    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        const struct cut *cuts[] = { &sim->nodes.cuts[i], &sim->nodes.formers[i] };

        for (size_t j = 0; j < ARRAY_COUNT(cuts); j++) {
            if (is_in(cuts[j], machine) && sim->now_ms < cuts[j]->until_ms + known_ms) {
                return true;
            }
        }
    }
    return sim->scene.is_cut && sim_tags(machine).slot != 0;
}

/* True if a manager that has lost contact with a minority of its machines cannot reach this
 * machine. The machine may then be replaced. */
bool nodes_may_be_missed(struct sim *sim, const struct sim_machine *machine)
{
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        const struct cut *cuts[] = { &sim->nodes.cuts[i], &sim->nodes.formers[i] };

        for (size_t j = 0; j < ARRAY_COUNT(cuts); j++) {
            if (is_in(cuts[j], machine) && sim->now_ms < cuts[j]->until_ms + SETTLED_MS &&
                !is_most(sim, cuts[j])) {
                return true;
            }
        }
    }
    return false;
}

/* Cuts the network of one manager, or of all managers. */
void nodes_cut(struct sim *sim, struct luck *luck)
{
    struct cut cut = { .from_ms = sim->now_ms,
                       .until_ms = sim->now_ms + 1000 + luck_draw(luck, 40 * MINUTE_MS),
                       .salt = luck_draw(luck, 0),
                       .permille = 100 + (uint32_t)luck_draw(luck, 901) };
    unsigned manager = (unsigned)luck_draw(luck, SIM_MANAGERS);
    bool are_all = luck_hits(luck, 0.5);
    bool is_most = is_most_before(sim, &cut, sim->now_ms - SETTLED_MS);
    struct text cluster = text_from(sim->cluster);

    for (const struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (is_in(&cut, one)) {
            stages_cut(sim, one);
        }
    }
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        const struct cut *former = &sim->nodes.cuts[i];

        if (are_all || i == manager) {
            /* a network cut soon after another cut never counts as a cut of most machines, because
             * some machines answer between the cuts and only the remaining machines are counted */
            cut.is_most = is_most && sim->now_ms >= former->until_ms + SETTLED_MS;
            sim->nodes.formers[i] = *former;
            sim->nodes.formers[i].until_ms =
                former->until_ms < sim->now_ms ? former->until_ms : sim->now_ms;
            sim->nodes.cuts[i] = cut;
            sim_say(sim, "manager %u is cut off from %u of 1000 machines", i, cut.permille);
        }
    }
}

/* ---- health ---- */

static bool is_of_bad_image(const struct sim *sim, const struct sim_machine *machine)
{
    const struct entry *entry = ledger_find(sim, sim_tags(machine).token);

    return entry != NULL && sim->wanted[entry->group].bad_image > 0 &&
           entry->image == sim->wanted[entry->group].bad_image;
}

static void sicken(struct sim *sim, struct sim_machine *machine)
{
    if (machine->unhealthy_ms == 0) {
        machine->unhealthy_ms = sim->now_ms;
        sim_say(sim, "%.*s (%.*s/%llu) is unhealthy", TEXT_ARG(machine->id),
                TEXT_ARG(sim_tags(machine).group), (unsigned long long)sim_tags(machine).slot);
    }
}

static void heal_all(struct sim *sim)
{
    struct text cluster = text_from(sim->cluster);

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (sim_is_there(one) && one->unhealthy_ms > 0 && !is_of_bad_image(sim, one)) {
            one->unhealthy_ms = 0;
            one->healed_ms = sim->now_ms;
            sim_say(sim, "%.*s is healthy again", TEXT_ARG(one->id));
        }
    }
}

/* Makes one machine or a share of a group unhealthy, or makes all machines healthy. */
void nodes_sicken(struct sim *sim, struct luck *luck)
{
    struct text cluster = text_from(sim->cluster);
    char group = (char)('a' + luck_draw(luck, SIM_GROUPS));
    uint64_t kind = luck_draw(luck, 10);
    double share = luck_share(luck);
    struct sim_machine *picked = NULL;
    uint64_t count = 0;

    if (kind < 3) {
        heal_all(sim);
        return;
    }
    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (!oracle_runs(one) || one->is_planted) {
            continue;
        }
        if (kind == 3 && sim_tags(one).group.data[0] == group && luck_hits(luck, share)) {
            sicken(sim, one);
        } else if (kind > 3 && luck_draw(luck, ++count) == 0) {
            picked = one;
        }
    }
    if (picked != NULL) {
        sicken(sim, picked);
    }
}

void nodes_image(struct sim *sim, unsigned group)
{
    if (sim->rates[FAULT_unhealthy] > 0.0 && luck_hits(&sim->lucks[FAULT_unhealthy], 0.2)) {
        sim->wanted[group].bad_image = sim->wanted[group].image;
        sim_say(sim, "image %u of %c is bad", sim->wanted[group].image, 'a' + group);
    }
}

void nodes_made(struct sim *sim, struct sim_machine *machine)
{
    if (is_of_bad_image(sim, machine)) {
        sicken(sim, machine);
    }
}

void nodes_cleared(struct sim *sim)
{
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        struct cut *cut = &sim->nodes.cuts[i];

        cut->until_ms = cut->until_ms < sim->now_ms ? cut->until_ms : sim->now_ms;
    }
    for (unsigned i = 0; i < SIM_GROUPS; i++) {
        sim->wanted[i].bad_image = 0;
        if (sim->wanted[i].bad_argument > 0) {
            people_restage(sim, i, false);
        }
    }
    if (sim->nodes.are_probed) {
        heal_all(sim);
    }
}

/* True if the machine is unhealthy, or was unhealthy a moment ago. */
bool nodes_is_bad(const struct sim *sim, const struct sim_machine *machine)
{
    return machine->unhealthy_ms > 0 ||
           (machine->healed_ms > 0 && sim->now_ms - machine->healed_ms < SETTLED_MS);
}

/* True if the machine has been unhealthy for so long that its manager must know it, even a manager
 * that has just taken over. Managers cannot know it before the machine is recorded as active. */
bool nodes_is_known_bad(const struct sim *sim, const struct sim_machine *machine)
{
    const struct entry *entry = ledger_of(sim, machine);
    uint64_t known_ms = sim->setup.scenario != NULL ? MINUTE_MS : KNOWN_MS;

    /* during an outage of the store, passes evaluate no probes */
    return machine->unhealthy_ms > 0 && sim->now_ms - machine->unhealthy_ms > known_ms &&
           sim->outage_until + known_ms < sim->now_ms && entry != NULL &&
           entry->life == sim->life && entry->state == PLAN_RECORD_ACTIVE && !entry->is_gone &&
           sim->now_ms - entry->active_ms > known_ms;
}
