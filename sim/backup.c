#include "link.h"
#include "sim.h"

#include "store/memory.h"

#include <string.h>

/* public names start with: backup_ */

/* Backups of the store and their restore. After a restore, the store begins a new incarnation with
 * its earlier content. Managers are restarted, except a suspended one, which notices the restore
 * when it continues. */

static void nobody_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)outcome;
    (void)answer;
}

static void copy_keys(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct store *out = arg;

    (void)outcome;
    for (size_t i = 0; i < answer->count; i++) {
        struct store_op op = { .key = answer->items[i].key, .value = answer->items[i].value };
        struct store_txn txn = { .ops = &op, .op_count = 1 };

        store_txn(out, &txn, nobody_reported, NULL);
    }
}

/* Create a store with the same keys, for the caller. */
static struct store *store_copy(struct store *from, const unsigned char incarnation[16])
{
    struct store *out = memory_open(incarnation);
    struct store_range all = { .prefix = TEXT("/") };

    store_list(from, &all, copy_keys, out);
    while (store_run(from) > 0 || store_run(out) > 0) {
    }
    return out;
}

/* Begins a new incarnation in the oracles' ledger. This also applies when the store's files were
 * replaced by older copies, although the store then keeps its incarnation. */
static void life_begin(struct sim *sim, bool keeps_incarnation)
{
    ++sim->life;
    if (keeps_incarnation) {
        return;
    }
    sim->incarnation[0] = (unsigned char)sim->life;
    sim->incarnation[1] = (unsigned char)(sim->life >> 8);
}

struct store *backup_first(struct sim *sim)
{
    life_begin(sim, false);
    return memory_open(sim->incarnation);
}

/* Makes a backup. It replaces a random older backup, so that some backups become old. */
void backup_make(struct sim *sim)
{
    struct backup *backup = &sim->backups[luck_draw(&sim->lucks[FAULT_backup], SIM_BACKUPS)];

    if (sim->is_removed) {
        return;
    }
    people_repair(sim);
    store_close(backup->store);
    backup->store = store_copy(sim->truth, sim->incarnation);
    memcpy(backup->incarnation, sim->incarnation, sizeof(backup->incarnation));
    memcpy(backup->wanted, sim->wanted, sizeof(backup->wanted));
    sim_say(sim, "a backup is made");
}

static void managers_restart(struct sim *sim)
{
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        struct manager *manager = &sim->managers[i];

        if (manager->is_up && manager->paused_until > sim->now_ms) {
            link_sever(manager->link, sim->truth);
            manager->severed_until = manager->paused_until + 5000;
            continue;
        }
        if (manager->is_up) {
            manager_crash(manager);
        }
        manager->up_at = sim->now_ms + 1000 + luck_draw(&sim->lucks[FAULT_rollback], 60000);
    }
}

/* Restores the state that users had desired at the time of the backup, because their later changes
 * are lost. */
static void wanted_restore(struct sim *sim, const struct backup *backup)
{
    for (unsigned i = 0; i < SIM_GROUPS; i++) {
        struct wanted *wanted = &sim->wanted[i];

        if (wanted->size != backup->wanted[i].size) {
            people_note_size(sim, i, backup->wanted[i].size);
        }
        wanted->image = backup->wanted[i].image;
        wanted->imaged_ms = sim->now_ms;
        wanted->argument = backup->wanted[i].argument;
        wanted->bad_argument = backup->wanted[i].bad_argument;
        wanted->is_roll_known = false;
        wanted->paused_ms = backup->wanted[i].paused_ms > 0 ? sim->now_ms : 0;
    }
}

/* Drops the operator commands that were given after the backup, because they are lost. */
static void words_forget(struct sim *sim)
{
    struct text cluster = text_from(sim->cluster);

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        one->spared_ms = 0;
    }
}

/* Replace the store by the state of a backup. */
static void store_return(struct sim *sim, const struct backup *backup, bool keeps_incarnation)
{
    struct store *former = sim->truth;

    people_repair(sim);
    ledger_close(sim);
    people_close(sim);
    life_begin(sim, keeps_incarnation);
    sim->returned_ms = sim->now_ms;
    sim->truth = store_copy(backup->store, sim->incarnation);
    managers_restart(sim);
    store_close(former);
    wanted_restore(sim, backup);
    words_forget(sim);
    people_open(sim);
    ledger_open(sim);
}

void backup_restore(struct sim *sim)
{
    struct backup *backup = &sim->backups[luck_draw(&sim->lucks[FAULT_rollback], SIM_BACKUPS)];

    if (backup->store == NULL) {
        backup_make(sim);
        return;
    }
    sim_say(sim, "a backup is restored");
    store_return(sim, backup, false);
}

/* Copies the files of a backup that was made in the current incarnation over the files of the
 * store. Files of another incarnation would be a restore. All managers must be stopped for this, so
 * nothing happens if a manager is suspended. */
void backup_put_back(struct sim *sim)
{
    const struct backup *newest = NULL;

    for (unsigned i = 0; i < SIM_BACKUPS; i++) {
        const struct backup *backup = &sim->backups[i];
        bool is_ours = backup->store != NULL && memcmp(backup->incarnation, sim->incarnation,
                                                       sizeof(backup->incarnation)) == 0;

        newest = is_ours ? backup : newest;
    }
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        if (sim->managers[i].is_up && sim->managers[i].paused_until > sim->now_ms) {
            return;
        }
    }
    if (newest == NULL || sim->is_removed) {
        return;
    }
    sim_say(sim, "files of the store are put back");
    store_return(sim, newest, true);
}

void backup_drop(struct sim *sim)
{
    for (unsigned i = 0; i < SIM_BACKUPS; i++) {
        store_close(sim->backups[i].store);
        sim->backups[i].store = NULL;
    }
}
