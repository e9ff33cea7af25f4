#include "sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* public names start with: oracle_ */

enum { MINUTE_MS = 60 * 1000, HOUR_MS = 60 * MINUTE_MS };

void oracle_found(struct sim *sim, enum sim_violation violation, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (sim->result.first[0] == '\0') {
        sim->result.first_kind = violation;
        snprintf(sim->result.first, sizeof(sim->result.first), "%s at day %llu, %02llu:%02llu: %s",
                 sim_violation_name(violation), (unsigned long long)(sim->now_ms / 86400000),
                 (unsigned long long)(sim->now_ms / HOUR_MS % 24),
                 (unsigned long long)(sim->now_ms / MINUTE_MS % 60), text);
    }
    sim->result.found[violation]++;
    sim_say(sim, "FOUND %s: %s", sim_violation_name(violation), text);
}

static unsigned group_of(const struct sim_machine *machine)
{
    return (unsigned)(sim_tags(machine).group.data[0] - 'a');
}

void oracle_life(const struct sim *sim, char out[static 33])
{
    for (size_t i = 0; i < sizeof(sim->incarnation); i++) {
        snprintf(out + i * 2, 3, "%02x", sim->incarnation[i]);
    }
}

/* True if the machine was created before the restore of an older store, which has no record of
 * it. */
bool oracle_is_unrecorded(struct sim *sim, const struct sim_machine *machine)
{
    const struct entry *entry = ledger_find(sim, sim_tags(machine).token);

    return sim->returned_ms > 0 && machine->made_ms <= sim->returned_ms && !machine->is_planted &&
           (entry == NULL || entry->life < sim->life);
}

/* True for a clone that was adopted after a restore and an operator's approval. The store that
 * recorded it as a clone was replaced, and its stamp is valid, so managers cannot distinguish it
 * from the original machine (docs/decisions/0112). */
static bool is_adopted_copy(struct sim *sim, const struct sim_machine *machine)
{
    const struct entry *entry = ledger_of(sim, machine);

    return machine->is_planted && sim->returned_ms > 0 && machine->made_ms <= sim->returned_ms &&
           entry != NULL && entry->life == sim->life && text_is_equal(entry->id, machine->id);
}

/* True if the machine has a stamp of this incarnation of the store, or a record in it. Other
 * machines are reported but never counted (I6). */
bool oracle_is_ours(struct sim *sim, const struct sim_machine *machine)
{
    const struct entry *entry = ledger_of(sim, machine);
    char life[33];

    oracle_life(sim, life);
    return (!machine->is_planted || is_adopted_copy(sim, machine)) &&
           ((text_is(sim_tags(machine).life, life) && !oracle_is_unrecorded(sim, machine)) ||
            (entry != NULL && entry->life == sim->life && !entry->is_gone));
}

bool oracle_runs(const struct sim_machine *machine)
{
    return sim_is_there(machine) && machine->stopped_ms == 0;
}

struct crowd {
    uint32_t running;
    bool is_mixed; /* The machines are of two generations: a rollout may exceed the size by one. */
};

static struct crowd crowd_of(struct sim *sim, unsigned group)
{
    struct text cluster = text_from(sim->cluster);
    const struct sim_machine *first = NULL;
    struct crowd crowd = { 0 };

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (group_of(one) == group && oracle_runs(one) && oracle_is_ours(sim, one)) {
            crowd.running++;
            first = first == NULL ? one : first;
            crowd.is_mixed |= !text_is_equal(first->kind->properties, one->kind->properties);
            /* a machine that was adopted after a restore counts as a machine of the generation that
             * was desired then (docs/decisions/0112) */
            crowd.is_mixed |= sim->returned_ms > 0 && one->made_ms <= sim->returned_ms;
        }
    }
    return crowd;
}

/* Checks that no other machine has the token of a new machine. Clones do not count, because
 * managers do not create them. */
static void token_look(struct sim *sim, const struct sim_machine *machine)
{
    struct text cluster = text_from(sim->cluster);

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (one != machine && sim_is_there(one) && !one->is_planted &&
            text_is_equal(one->token, machine->token)) {
            oracle_found(sim, SIM_FOUND_DOUBLE, "%.*s is made with the token of %.*s",
                         TEXT_ARG(machine->id), TEXT_ARG(one->id));
        }
    }
}

/* Checks a new machine. If its generation differs from that of the other machines, it may be the
 * surge of a rollout. */
static void begin_look(struct sim *sim, struct sim_machine *machine)
{
    unsigned group = group_of(machine);
    struct crowd crowd = crowd_of(sim, group);
    const struct entry *entry = ledger_find(sim, sim_tags(machine).token);
    /* people.c writes this value of surge */
    uint32_t surge = sim->nodes.are_probed ? sim->nodes.surge : 1;
    uint32_t most = people_size_max(sim, group, 30 * MINUTE_MS) + (crowd.is_mixed ? surge : 0);

    sim->result.made++;
    sim_say(sim, "%.*s is made for %.*s/%llu, %u run, token %.*s", TEXT_ARG(machine->id),
            TEXT_ARG(sim_tags(machine).group), (unsigned long long)sim_tags(machine).slot,
            crowd.running, TEXT_ARG(sim_tags(machine).token));
    if (entry == NULL || (entry->life == sim->life && entry->is_gone)) {
        oracle_found(sim, SIM_FOUND_FORGOTTEN, "%.*s appears, and its record is gone",
                     TEXT_ARG(machine->id));
    }
    nodes_made(sim, machine);
    token_look(sim, machine);
    if (crowd.running > most && oracle_is_ours(sim, machine)) {
        oracle_found(sim, SIM_FOUND_OVERSHOOT, "%u of %.*s run, and at most %u should run",
                     crowd.running, TEXT_ARG(sim_tags(machine).group), most);
    }
}

/* Count the running machines of the group that are not marked for deletion, and this machine. */
static uint32_t serving_count(struct sim *sim, const struct sim_machine *machine)
{
    struct text cluster = text_from(sim->cluster);
    uint32_t count = 0;

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        const struct entry *entry = ledger_of(sim, one);

        count += group_of(one) == group_of(machine) && oracle_runs(one) &&
                 oracle_is_ours(sim, one) &&
                 (one == machine || entry == NULL || entry->life != sim->life ||
                  entry->state != PLAN_RECORD_DELETE);
    }
    return count;
}

/* True if the machine has been in service. A machine with a stage is in service when the stage is
 * complete. */
static bool has_been_in_service(struct sim *sim, const struct sim_machine *machine)
{
    const struct entry *entry = ledger_of(sim, machine);

    return !sim->nodes.have_stages || entry == NULL || entry->has_served;
}

/* True if destroying the machine would do harm: it runs and is healthy; for some time, no more
 * machines have been running than desired; and no machine has failed recently. */
bool oracle_is_harm(struct sim *sim, const struct sim_machine *machine)
{
    const struct wanted *wanted = &sim->wanted[group_of(machine)];

    return oracle_runs(machine) && serving_count(sim, machine) <= wanted->size &&
           sim->now_ms - wanted->changed_ms >= 30 * MINUTE_MS &&
           (wanted->died_ms == 0 || sim->now_ms - wanted->died_ms >= 15 * MINUTE_MS) &&
           !nodes_is_bad(sim, machine) && !nodes_may_be_missed(sim, machine) &&
           oracle_is_ours(sim, machine) && has_been_in_service(sim, machine);
}

/* True if a commit that marked the machine for deletion did harm. A commit is final (G14) and may
 * take effect much later, so it is checked against the state at the time of the commit, or against
 * the current state if its machine appeared later. One loss is unavoidable (I2): if a machine was
 * marked for deletion before the store was restored, the restore has lost the intent. */
static bool was_harm(struct sim *sim, const struct sim_machine *machine, const struct entry *entry)
{
    bool is_of_former_life = entry != NULL && entry->deleted_life > 0 &&
                             entry->deleted_life < sim->life && entry->state != PLAN_RECORD_DELETE;

    if (is_of_former_life || !oracle_runs(machine)) {
        return false;
    }
    return entry != NULL && entry->is_judged ? entry->is_harm : oracle_is_harm(sim, machine);
}

/* True if a manager can know that the machine is a clone. If the record of the original was removed
 * before any manager could see both machines, the clone looks like an unrequested machine. If the
 * outcome of a create call was still unknown at that time, the clone looks like a late effect of
 * that call (docs/decisions/0030). */
static bool is_copy_known(struct sim *sim, const struct sim_machine *copy)
{
    const struct entry *entry = copy->user == NULL ? NULL : ledger_find(sim, sim_tags(copy).token);

    if (entry == NULL ||
        (entry->is_doubted && entry->ended_ms > 0 && entry->ended_ms < copy->made_ms + HOUR_MS)) {
        return false;
    }
    return !entry->is_gone || entry->gone_ms - copy->made_ms > HOUR_MS;
}

static void end_look(struct sim *sim, struct sim_machine *machine)
{
    uint32_t running = crowd_of(sim, group_of(machine)).running;
    struct entry *entry = ledger_of(sim, machine);

    sim->result.ended++;
    if (entry != NULL && !machine->is_planted) {
        entry->ended_ms = sim->now_ms;
    }
    sim_say(sim, "%.*s (%.*s/%llu) is ended: %.*s, %u run", TEXT_ARG(machine->id),
            TEXT_ARG(sim_tags(machine).group), (unsigned long long)sim_tags(machine).slot,
            TEXT_ARG(machine->reason), running);
    if (machine->is_planted && !is_adopted_copy(sim, machine) &&
        (is_copy_known(sim, machine) || entry == NULL ||
         text_is(sim_tags(machine).mac, MISHAP_BAD_STAMP))) {
        oracle_found(sim, SIM_FOUND_FOREIGN, "%.*s is not ours", TEXT_ARG(machine->id));
    } else if (entry == NULL || entry->deleted_life == 0) {
        oracle_found(sim, SIM_FOUND_UNINTENDED, "%.*s has no intent", TEXT_ARG(machine->id));
    }
    if (was_harm(sim, machine, entry)) {
        oracle_found(sim, SIM_FOUND_HARMFUL, "%.*s of %.*s was needed: %u of %u ran",
                     TEXT_ARG(machine->id), TEXT_ARG(sim_tags(machine).group), running,
                     sim->wanted[group_of(machine)].size);
    }
}

void oracle_reported(void *arg, struct sim_machine *machine, bool is_end)
{
    struct sim *sim = arg;

    sim_note(sim, is_end ? "end" : "made", text_hash(machine->id, 0));
    if (is_end) {
        end_look(sim, machine);
    } else {
        begin_look(sim, machine);
    }
}

/* ---- hourly, and at the end ---- */

/* True if the group has a hold for an operator, with an alarm. */
bool oracle_is_held(struct sim *sim, unsigned group, const char *const *rules)
{
    struct text prefix = TEXT("/default/Hold/");

    for (const struct cache_object *hold = cache_first(sim->view, prefix); hold != NULL;
         hold = cache_next(sim->view, prefix, hold)) {
        struct text rest =
            text_slice(cache_id(hold), text_find_byte(cache_id(hold), '/') + 1, SIZE_MAX);
        struct text rule = text_slice(rest, 0, text_find_byte(rest, '/'));
        bool is_of_group =
            rest.length == rule.length || rest.data[rest.length - 1] == (char)('a' + group);

        for (size_t i = 0; rules[i] != NULL && is_of_group; i++) {
            if (text_is(rule, rules[i]) && hold->parts[CACHE_STATUS].bytes != NULL) {
                return true;
            }
        }
    }
    return false;
}

/* True if managers know the machine, or need not know it. Foreign machines, and machines of an
 * earlier incarnation, are not reported after the cluster is deleted. */
static bool is_known(struct sim *sim, const struct sim_machine *machine)
{
    static const char *const reported[] = { "foreign", "many_unknown", "quarantine",
                                            "store_went_back", NULL };
    const struct entry *entry = ledger_of(sim, machine);
    char life[33];

    oracle_life(sim, life);
    if (sim->is_removed && (text_is(sim_tags(machine).mac, MISHAP_BAD_STAMP) ||
                            !text_is(sim_tags(machine).life, life) ||
                            /* the machine is kept, because no slot was free for it after the
                             * restore */
                            (entry != NULL && entry->life != sim->life))) {
        return true;
    }
    return machine->user != NULL || machine->spared_ms > 0 ||
           (entry != NULL && entry->life == sim->life && !entry->is_gone) ||
           oracle_is_held(sim, SIM_GROUPS, reported);
}

/* Checks a cluster that was deleted long ago: if no machine of it exists, it must have no records
 * (G21). */
static void removal_look(struct sim *sim)
{
    struct text cluster = text_from(sim->cluster);
    char prefix[100];

    if (sim->setup.scenario == NULL || !sim->is_removed ||
        sim->now_ms - sim->wanted[0].changed_ms < HOUR_MS + HOUR_MS / 2) {
        return;
    }
    for (const struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (sim_is_there(one)) {
            return;
        }
    }
    snprintf(prefix, sizeof(prefix), "/default/Resource/%s/", sim->cluster + strlen("default/"));
    if (cache_first(sim->view, text_from(prefix)) != NULL) {
        oracle_found(sim, SIM_FOUND_UNCONVERGED, "the cluster was deleted, and still has records");
    }
}

/* Check that there is an open hold for an operator, because most of the first group is missing
 * (G20). */
void oracle_braked(struct sim *sim)
{
    struct text prefix = TEXT("/default/Hold/");

    for (const struct cache_object *hold = cache_first(sim->view, prefix); hold != NULL;
         hold = cache_next(sim->view, prefix, hold)) {
        if (memmem(cache_id(hold).data, cache_id(hold).length, "/listing_brake",
                   strlen("/listing_brake")) != NULL &&
            hold->parts[CACHE_STATUS].bytes != NULL && hold->parts[CACHE_SPEC].bytes == NULL) {
            return;
        }
    }
    oracle_found(sim, SIM_FOUND_UNHELD, "most of a is missing, and there is no hold");
}

/* Checks that holds about foreign machines have ended, because these machines no longer exist.
 * Holds must end even if the provider of another group is missing (G19). */
void oracle_unbraked(struct sim *sim)
{
    static const char *const rules[] = { "foreign", "quarantine", "listing_brake", NULL };

    if (oracle_is_held(sim, 0, rules)) {
        oracle_found(sim, SIM_FOUND_NEIGHBOUR, "a hold is open although its reason is gone");
    }
}

/* Checks that a machine was rebooted no more often than users requested. After a restore this is
 * not checked, because an older store has lost the history of reboots. */
static void reboots_look(struct sim *sim, const struct sim_machine *machine)
{
    if (machine->reboots > machine->reboots_asked && sim->returned_ms == 0 && sim->life <= 1) {
        oracle_found(sim, SIM_FOUND_UNASKED,
                     "%.*s was rebooted %u times, and %u reboots were "
                     "requested",
                     TEXT_ARG(machine->id), machine->reboots, machine->reboots_asked);
    }
}

/* Finds running machines that no manager has known for an hour, although the store answered. */
void oracle_look(struct sim *sim)
{
    struct text cluster = text_from(sim->cluster);

    removal_look(sim);
    if (sim->now_ms < sim->outage_until + HOUR_MS && sim->outage_until > 0) {
        return;
    }
    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        reboots_look(sim, one);
        if (!oracle_runs(one) || is_known(sim, one)) {
            one->unknown_ms = 0;
        } else if (one->unknown_ms == 0) {
            one->unknown_ms = sim->now_ms;
        } else if (sim->now_ms - one->unknown_ms >= HOUR_MS &&
                   sim->now_ms >= sim->hidden_until + HOUR_MS) {
            oracle_found(sim, SIM_FOUND_LEAK, "%.*s of %.*s runs, and no manager knows it",
                         TEXT_ARG(one->id), TEXT_ARG(sim_tags(one).group));
        }
    }
}

void oracle_end(struct sim *sim)
{
    static const char *const brakes[] = { "listing_brake",   "unhealthy_brake",
                                          "common_cause",    "many_unknown",
                                          "store_went_back", "self_suspicion",
                                          "reboot_stopped",  NULL };

    for (unsigned i = 0; i < SIM_GROUPS; i++) {
        uint32_t running = crowd_of(sim, i).running;

        sim_note(sim, "end", running);
        if (running != sim->wanted[i].size && !oracle_is_held(sim, i, brakes) &&
            !ledger_is_reboot_late(sim, i)) {
            oracle_found(sim, SIM_FOUND_UNCONVERGED, "%u of %c run, and %u should run", running,
                         'a' + i, sim->wanted[i].size);
        }
        stages_end(sim, i);
    }
}
