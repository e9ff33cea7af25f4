#include "link.h"
#include "sim.h"

#include <stdio.h>
#include <string.h>

/* public names start with: mishap_ */

enum { OWNED_MS = 48 * 3600 * 1000 };

/* Faults with an hourly rate, each kind with its own random stream. */

static struct manager *manager_pick(struct sim *sim, struct luck *luck)
{
    return &sim->managers[luck_draw(luck, SIM_MANAGERS)];
}

static void crash(struct sim *sim, struct luck *luck)
{
    struct manager *manager = manager_pick(sim, luck);
    uint64_t away_ms = 1000 + luck_draw(luck, 600000);

    if (manager->is_up) {
        manager_crash(manager);
        manager->up_at = sim->now_ms + away_ms;
    }
}

static void stand_still(struct sim *sim, struct luck *luck)
{
    struct manager *manager = manager_pick(sim, luck);
    uint64_t until = sim->now_ms + 1000 + luck_draw(luck, 600000);

    if (manager->is_up) {
        manager_pause(manager, until);
    }
}

/* Writes the lease again unchanged, as if its holder had lost it and acquired it again. */
static void lease_move(struct sim *sim)
{
    struct text id = text_slice(text_from(sim->cluster), strlen("default/"), SIZE_MAX);
    const struct cache_object *lease = cache_find(sim->view, TEXT("default"), TEXT("Lease"), id);
    char key[100];

    if (lease != NULL && sim->now_ms >= sim->outage_until) {
        snprintf(key, sizeof(key), "/default/Lease/%.*s/status", TEXT_ARG(cache_id(lease)));
        sim_say(sim, "the lease is lost and won again");
        people_write(sim, text_from(key), blob_text(lease->parts[CACHE_STATUS].bytes));
    }
}

static void hurt(struct sim *sim, struct sim_machine *machine, bool stops)
{
    sim_say(sim, "%.*s (%.*s/%llu) %s by itself", TEXT_ARG(machine->id),
            TEXT_ARG(sim_tags(machine).group), (unsigned long long)sim_tags(machine).slot,
            stops ? "stops" : "ends");
    if (!machine->is_planted) {
        sim->wanted[sim_tags(machine).group.data[0] - 'a'].died_ms = sim->now_ms;
    }
    if (stops) {
        sim_stop(sim->cloud, machine);
    } else {
        sim_end(sim->cloud, machine);
    }
}

/* Return a random existing machine; NULL: there is none. */
static struct sim_machine *machine_pick(struct sim *sim, struct luck *luck, bool may_be_foreign)
{
    struct text cluster = text_from(sim->cluster);
    struct sim_machine *picked = NULL;
    uint64_t count = 0;

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (sim_is_there(one) && (may_be_foreign || !one->is_planted) &&
            luck_draw(luck, ++count) == 0) {
            picked = one;
        }
    }
    return picked;
}

static void death(struct sim *sim, struct luck *luck)
{
    bool stops = luck_hits(luck, 0.3);
    struct sim_machine *machine = machine_pick(sim, luck, true);

    if (machine != NULL) {
        hurt(sim, machine, stops);
    }
}

static void mass_death(struct sim *sim, struct luck *luck)
{
    struct text cluster = text_from(sim->cluster);
    double share = 0.5 + luck_share(luck) / 2;
    bool stops = luck_hits(luck, 0.3);

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (sim_is_there(one) && luck_hits(luck, share)) {
            hurt(sim, one, stops);
        }
    }
}

static void hiding(struct sim *sim, struct luck *luck)
{
    struct text cluster = text_from(sim->cluster);
    double share = luck_share(luck) / 2;
    uint64_t until = sim->now_ms + luck_draw(luck, 600000);

    sim->hidden_until = until;
    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (sim_is_there(one) && luck_hits(luck, share)) {
            sim_hide(one, until);
            sim_say(sim, "%.*s is in no listing", TEXT_ARG(one->id));
        }
    }
}

/* ---- machines without a request ---- */

/* Creates a foreign machine: its tags have no valid stamp, and name this incarnation of the store
 * or none. */
static void foreign(struct sim *sim, struct luck *luck)
{
    char token[33];
    char life[33];
    char group[2] = { (char)('a' + luck_draw(luck, SIM_GROUPS)), 0 };
    struct provider_tags tags = {
        .cluster = text_from(sim->cluster),
        .life = TEXT("ff000000000000000000000000000000"),
        .group = text_from(group),
        .slot = luck_draw(luck, SIM_GROUP_MAX),
        .mac = text_from(MISHAP_BAD_STAMP),
    };
    struct sim_machine *machine;

    oracle_life(sim, life);
    if (luck_hits(luck, 0.7)) {
        tags.life = text_from(life);
    }
    snprintf(token, sizeof(token), "foreign-%llu", (unsigned long long)luck_draw(luck, 1000000));
    tags.token = text_from(token);
    machine = sim_plant(sim->cloud, &tags);
    sim_say(sim, "%.*s is foreign", TEXT_ARG(machine->id));
}

/* Creates a clone with all tags of an existing machine, as if a user had copied the machine. */
static void copied(struct sim *sim, struct luck *luck)
{
    struct sim_machine *machine = machine_pick(sim, luck, false);

    if (machine != NULL) {
        struct provider_tags tags = sim_tags(machine);
        struct sim_machine *copy = sim_plant(sim->cloud, &tags);

        copy->user = machine;
        sim_say(sim, "%.*s is a copy of %.*s", TEXT_ARG(copy->id), TEXT_ARG(machine->id));
    }
}

/* Computes a stamp in the same way as a manager. */
static void stamp(struct provider_tags *tags, char mac[static 33])
{
    char data[300];

    snprintf(data, sizeof(data), "%.*s\n%.*s\n%.*s\n%llu\n%.*s", TEXT_ARG(tags->cluster),
             TEXT_ARG(tags->life), TEXT_ARG(tags->group), (unsigned long long)tags->slot,
             TEXT_ARG(tags->token));
    manager_mac(NULL, text_from(data), mac);
}

/* Makes a token from a series that the store has recorded in the cluster's counters
 * (records/series.h). If there is no series, makes a token that the store has never recorded. */
static void token_make(struct sim *sim, char token[static 33])
{
    struct text cluster = text_from(sim->cluster);
    const struct cache_object *row = cache_find(sim->view, TEXT("default"), TEXT("Control"),
                                                text_slice(cluster, strlen("default/"), SIZE_MAX));
    struct text counts = row == NULL || row->parts[CACHE_STATUS].bytes == NULL
                             ? TEXT("")
                             : blob_text(row->parts[CACHE_STATUS].bytes);
    static const char mark[] = "\"series\":{\"";
    const char *found =
        counts.length == 0 ? NULL : memmem(counts.data, counts.length, mark, sizeof(mark) - 1);
    unsigned long long luck = luck_draw(&sim->lucks[FAULT_stray], 0);

    if (found == NULL) {
        snprintf(token, 33, "5%031llx", luck);
    } else {
        snprintf(token, 33, "%.12s00000001%012llx", found + sizeof(mark) - 1,
                 luck & 0xffffffffffffULL);
    }
}

struct sim_machine *mishap_stray(struct sim *sim, unsigned group)
{
    char token[40];
    char life[33];
    char name[2] = { (char)('a' + group), 0 };
    char mac[33];
    struct provider_tags tags = {
        .cluster = text_from(sim->cluster),
        .group = text_from(name),
        .slot = luck_draw(&sim->lucks[FAULT_stray], SIM_GROUP_MAX),
    };
    struct sim_machine *machine;

    oracle_life(sim, life);
    tags.life = text_from(life);
    token_make(sim, token);
    tags.token = text_from(token);
    stamp(&tags, mac);
    tags.mac = text_from(mac);
    machine = sim_plant(sim->cloud, &tags);
    sim_say(sim, "%.*s has our stamp, and no manager knows it", TEXT_ARG(machine->id));
    return machine;
}

void mishap_reclaim(struct sim *sim)
{
    struct text cluster = text_from(sim->cluster);

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (one->is_planted && sim_is_there(one) && sim->now_ms - one->made_ms > OWNED_MS) {
            sim_end(sim->cloud, one);
        }
    }
}

/* ---- dispatch ---- */

static void mishap_to_store(struct sim *sim, enum fault_kind kind, struct luck *luck)
{
    switch ((int)kind) {
    case FAULT_outage:
        sim->outage_until = sim->now_ms + luck_draw(luck, 40 * 60000);
        sim_say(sim, "the store does not answer");
        break;
    case FAULT_lease:
        lease_move(sim);
        break;
    case FAULT_backup:
        backup_make(sim);
        break;
    case FAULT_rollback:
        backup_restore(sim);
        break;
    case FAULT_putback:
        backup_put_back(sim);
        break;
    case FAULT_watch_lost: {
        struct manager *manager = manager_pick(sim, luck);

        if (manager->is_up) {
            link_lose_watches(manager->link);
        }
        break;
    }
    default:
        break;
    }
}

static void mishap_to_machines(struct sim *sim, enum fault_kind kind, struct luck *luck)
{
    switch ((int)kind) {
    case FAULT_death:
        death(sim, luck);
        break;
    case FAULT_mass_death:
        mass_death(sim, luck);
        break;
    case FAULT_hiding:
        hiding(sim, luck);
        break;
    case FAULT_blackout:
        sim->blackout_until = sim->now_ms + luck_draw(luck, 600000);
        sim->hidden_until = sim->blackout_until;
        sim_say(sim, "listings are empty");
        break;
    case FAULT_foreign:
        foreign(sim, luck);
        break;
    case FAULT_copied:
        copied(sim, luck);
        break;
    case FAULT_cut:
        nodes_cut(sim, luck);
        break;
    case FAULT_restage:
        people_restage(sim, (unsigned)luck_draw(luck, SIM_GROUPS + 1), luck_hits(luck, 0.3));
        break;
    case FAULT_unhealthy:
        nodes_sicken(sim, luck);
        break;
    case FAULT_stray:
        if (sim->is_removed) {
            break; /* the machine would belong to a removed cluster that no manager knows */
        }
        (void)mishap_stray(sim, (unsigned)luck_draw(luck, SIM_GROUPS));
        break;
    default:
        break;
    }
}

void mishap_happen(struct sim *sim, enum fault_kind kind)
{
    struct luck *luck = &sim->lucks[kind];

    sim_note(sim, fault_name(kind), 0);
    mishap_to_store(sim, kind, luck);
    mishap_to_machines(sim, kind, luck);
    switch ((int)kind) {
    case FAULT_crash:
        crash(sim, luck);
        break;
    case FAULT_pause:
        stand_still(sim, luck);
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
    case FAULT_hold:
        people_pause(sim);
        break;
    case FAULT_approve:
        people_approve(sim);
        break;
    case FAULT_reboot:
        people_reboot(sim, luck);
        break;
    case FAULT_remove:
        people_remove(sim);
        break;
    case FAULT_spare:
        people_spare(sim);
        break;
    default:
        break;
    }
}
