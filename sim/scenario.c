#include "sim.h"

#include <string.h>

/* names: scenario_ */

/* What luck alone hardly ever brings about, written down: each shows what one guard prevents. Three groups of
 * three machines; every step is made when its time has come. */

enum { MINUTE_MS = 60 * 1000, HOUR_MS = 60 * MINUTE_MS };

static void next(struct sim *sim, uint64_t ms)
{
    sim->scene.due = sim->now_ms + ms;
}

/* G2: a change that was made and not answered, and a watch that is a minute behind. Who decides from what he
 * happens to have does not see his own record, and asks for the same slot once more. */
static void stale_view(struct sim *sim)
{
    switch (sim->scene.step) {
    case 0:
        next(sim, HOUR_MS);
        break;
    case 1:
        people_size(sim, 0, 4);
        sim->scene.is_unheard = true;
        next(sim, 50);
        break;
    case 2:
        sim->scene.watch_delay_ms = 5 * MINUTE_MS;
        next(sim, MINUTE_MS);
        break;
    default:
        sim->scene.watch_delay_ms = 0;
        break;
    }
}

/* G7: every listing is empty for some minutes, and for one of them so is the cloud by id. */
static void dark_region(struct sim *sim)
{
    switch (sim->scene.step) {
    case 0:
        next(sim, HOUR_MS);
        break;
    case 1:
        sim->scene.lists_are_empty = true;
        next(sim, 4 * MINUTE_MS);
        break;
    case 2:
        sim->scene.finds_lie = true;
        next(sim, MINUTE_MS);
        break;
    default:
        sim->scene.finds_lie = false;
        sim->scene.lists_are_empty = false;
        break;
    }
}

/* G12: a create is given up, and comes three minutes later: its group has shrunk meanwhile. */
static void late_create(struct sim *sim)
{
    switch (sim->scene.step) {
    case 0:
        next(sim, HOUR_MS);
        break;
    case 1:
        sim->scene.effect_ms = 4 * MINUTE_MS;
        people_size(sim, 0, 4);
        next(sim, 30 * 1000);
        break;
    case 2:
        people_size(sim, 0, 3);
        break;
    default:
        break;
    }
}

/* G13: a machine with our stamp and without a record. */
static void stray(struct sim *sim)
{
    if (sim->scene.step == 0) {
        next(sim, HOUR_MS);
    } else {
        (void)mishap_stray(sim, 0);
    }
}

static const struct scenario scenarios[] = {
    { "stale-view", "G2: an own change unheard, a watch behind", stale_view },
    { "dark-region", "G7: listings empty, and for a minute the cloud by id", dark_region },
    { "late-create", "G12: a cancelled create comes after all", late_create },
    { "stray", "G13: a machine with our stamp that nobody asked for", stray },
};

enum { SCENARIO_COUNT = sizeof(scenarios) / sizeof(scenarios[0]) };

const struct scenario *scenario_find(const char *name)
{
    for (size_t i = 0; i < SCENARIO_COUNT; i++) {
        if (strcmp(scenarios[i].name, name) == 0) {
            return &scenarios[i];
        }
    }
    return NULL;
}

const struct scenario *scenario_at(size_t index)
{
    return index < SCENARIO_COUNT ? &scenarios[index] : NULL;
}
