#include "sim.h"

#include "cause/cause.h"
#include "records/record.h"

#include <assert.h>
#include <string.h>

/* public names start with: ledger_ */

/* The ledger records the commits about machines in the real store, for the oracles. Provider calls
 * are compared with it (I1, I2), and the consistency of the commits is checked: states of records
 * only move forward, tokens and ids are unique (I7), a record exists as long as its machine, and
 * unrequested machines are destroyed slowly (G8, G13). */

enum { MINUTE_MS = 60 * 1000, SLACK_MS = 30 * 1000, HIDDEN_MS = 15 * MINUTE_MS };

struct entry *ledger_find(const struct sim *sim, struct text token)
{
    return map_find(&sim->entries, token);
}

struct entry *ledger_of(const struct sim *sim, const struct sim_machine *machine)
{
    struct entry *entry = map_find(&sim->by_id, machine->id);

    return entry != NULL && text_is_equal(entry->id, machine->id)
               ? entry
               : ledger_find(sim, sim_tags(machine).token);
}

static struct sim_machine *machine_find(struct sim *sim, struct text token, struct text id)
{
    struct text cluster = text_from(sim->cluster);

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (id.length > 0 ? text_is_equal(one->id, id)
                          : text_is_equal(sim_tags(one).token, token) && !one->is_planted) {
            return one;
        }
    }
    return NULL;
}

static struct entry *entry_make(struct sim *sim, struct text token)
{
    struct entry *entry = ledger_find(sim, token);

    if (entry == NULL) {
        entry = arena_one(sim->arena, struct entry);
        entry->token = arena_text(sim->arena, token);
        entry->before = sim->newest;
        sim->newest = entry;
        map_put(&sim->entries, entry->token, entry);
    }
    return entry;
}

/* Returns a pointer to the time at which an unrequested machine was last marked for deletion in
 * that cluster. The cluster may no longer exist. A time of 0 means never. */
static uint64_t *orphan_time(struct sim *sim, struct text cluster)
{
    uint64_t *last_ms = map_find(&sim->orphan_ms, cluster);

    if (last_ms == NULL) {
        last_ms = arena_one(sim->arena, uint64_t);
        *last_ms = 0;
        map_put(&sim->orphan_ms, arena_text(sim->arena, cluster), last_ms);
    }
    return last_ms;
}

/* Check that no unrequested machine is destroyed while more than max(2, 20 %) of the provider's
 * machines are unknown (G8). One machine may have appeared after the manager's listing, so one
 * unknown machine is subtracted from both counts. */
static void ceiling_look(struct sim *sim, const struct sim_machine *machine)
{
    struct text cluster = text_from(sim->cluster);
    unsigned unknown = 0;
    unsigned rows = 0;

    for (const struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        rows += sim_is_there(one);
        unknown += oracle_runs(one) && one->is_planted && one->spared_ms == 0 &&
                   ledger_of(sim, one) == NULL;
    }
    if (sim->setup.scenario != NULL && unknown > 3 && (unknown - 1) * 5 > rows - 1) {
        oracle_found(sim, SIM_FOUND_RATE, "%.*s is destroyed while %u of %u machines are unknown",
                     TEXT_ARG(machine->id), unknown, rows);
    }
}

/* Checks a new record with the state DELETE, by which a manager destroys an unrequested machine. */
static void orphan_look(struct sim *sim, struct text cluster, const struct record *record)
{
    const struct plan_limits *limits = &sim->options.limits;
    const struct sim_machine *machine = machine_find(sim, TEXT(""), record->plan.id);
    uint64_t *last_ms = orphan_time(sim, cluster);
    char life[33];

    if (*last_ms > 0 && sim->now_ms - *last_ms < limits->budget_ms - SLACK_MS) {
        oracle_found(sim, SIM_FOUND_RATE,
                     "%.*s is the second unrequested machine destroyed "
                     "within %llu s",
                     TEXT_ARG(record->plan.id),
                     (unsigned long long)(sim->now_ms - *last_ms) / 1000);
    }
    *last_ms = sim->now_ms;
    if (machine == NULL) {
        return;
    }
    ceiling_look(sim, machine);
    oracle_life(sim, life);
    if (sim->now_ms - machine->made_ms < limits->sighting_ms + limits->undo_ms - SLACK_MS) {
        oracle_found(sim, SIM_FOUND_FOREIGN, "%.*s is condemned %llu s after it appeared",
                     TEXT_ARG(machine->id),
                     (unsigned long long)(sim->now_ms - machine->made_ms) / 1000);
    }
    if (machine->spared_ms > 0 && sim->now_ms - machine->spared_ms > MINUTE_MS) {
        oracle_found(sim, SIM_FOUND_FOREIGN, "%.*s was spared", TEXT_ARG(machine->id));
    }
    if (oracle_is_unrecorded(sim, machine) && !sim->is_removed) {
        oracle_found(sim, SIM_FOUND_FOREIGN, "%.*s was never recorded by this store",
                     TEXT_ARG(machine->id));
    }
    if (!text_is(sim_tags(machine).life, life)) {
        oracle_found(sim, SIM_FOUND_FOREIGN, "%.*s belongs to another incarnation of the store",
                     TEXT_ARG(machine->id));
    }
}

static void id_note(struct sim *sim, struct entry *entry, struct text id)
{
    struct entry *other = map_find(&sim->by_id, id);

    if (text_is_equal(entry->id, id)) {
        return;
    }
    if (other != NULL && other != entry && !other->is_gone && text_is_equal(other->id, id)) {
        oracle_found(sim, SIM_FOUND_BACKWARD, "%.*s is in two records", TEXT_ARG(id));
    }
    entry->id = arena_text(sim->arena, id);
    map_put(&sim->by_id, entry->id, entry);
}

/* Counts the recorded machines of a group that are not marked for deletion, plus the machine that
 * is being marked now. */
static unsigned entries_count(const struct sim *sim, unsigned group)
{
    unsigned count = 1;

    for (const struct entry *one = sim->newest; one != NULL; one = one->before) {
        count += one->group == group && one->life == sim->life && !one->is_gone &&
                 one->state != PLAN_RECORD_DELETE;
    }
    return count;
}

static unsigned group_of(const struct sim_machine *machine)
{
    return (unsigned)(sim_tags(machine).group.data[0] - 'a');
}

/* True if the hold common_cause applies to the machine. Such a machine must not be replaced, and
 * does not count for maxUnhealthy (G27). */
static bool is_ledger_caused(struct sim *sim, const struct sim_machine *machine)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text id = arena_printf(arena, "%s/common_cause", sim->cluster + strlen("default/"));
    const struct cache_object *hold = cache_find(sim->view, TEXT("default"), TEXT("Hold"), id);
    struct text name = arena_printf(arena, "%.*s-%llu", TEXT_ARG(sim_tags(machine).group),
                                    (unsigned long long)sim_tags(machine).slot);

    return hold != NULL && hold->parts[CACHE_STATUS].bytes != NULL &&
           cause_hold_attribute(arena, blob_text(hold->parts[CACHE_STATUS].bytes), name).length > 0;
}

/* Count the running machines of this machine's group, and the other machines of the group that are
 * unhealthy and not marked for deletion. Machines to which the hold common_cause applies are not
 * counted. */
static unsigned unhealthy_count(struct sim *sim, const struct sim_machine *machine,
                                unsigned *out_running)
{
    struct text cluster = text_from(sim->cluster);
    unsigned count = 0;

    *out_running = 0;
    for (const struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        if (oracle_runs(one) && text_is_equal(sim_tags(one).group, sim_tags(machine).group) &&
            (one == machine || !is_ledger_caused(sim, one))) {
            ++*out_running;
            count += one != machine && nodes_is_known_bad(sim, one);
        }
    }
    return count;
}

/* Compares decisions about health with the true state of nodes. Only decisions from probes are
 * checked, because listings and lookups return random false results. */
static void health_look(struct sim *sim, const struct sim_machine *machine, struct text reason)
{
    unsigned most = sim->nodes.most_percent;
    bool is_lost = sim->setup.scenario != NULL && text_is(reason, "lost");
    unsigned running = 0;
    unsigned unhealthy;
    unsigned of;

    if ((sim->setup.scenario == NULL && !sim->nodes.are_probed) || machine == NULL ||
        !oracle_runs(machine)) {
        return;
    }
    unhealthy = unhealthy_count(sim, machine, &running) + 1;
    if (is_lost || (text_is(reason, "unhealthy") && !nodes_is_bad(sim, machine) &&
                    !nodes_may_be_missed(sim, machine))) {
        oracle_found(sim, SIM_FOUND_EVIDENCE, "%.*s runs, and is recorded as %.*s",
                     TEXT_ARG(machine->id), TEXT_ARG(reason));
    }
    /* machines that ended recently are not yet confirmed as gone, so they count as members */
    of = running > sim->wanted[group_of(machine)].size ? running
                                                       : sim->wanted[group_of(machine)].size;
    if (text_is(reason, "unhealthy") && unhealthy > 1 && most > 0 && unhealthy * 100 > of * most) {
        oracle_found(sim, SIM_FOUND_CROWD, "%.*s is replaced while %u of %u are unhealthy",
                     TEXT_ARG(machine->id), unhealthy, of);
    }
    if (text_is(reason, "scale_in") && !nodes_is_bad(sim, machine) &&
        !stages_has_failed(sim, machine)) {
        sim->victim = machine;
    }
}

/* True if another machine runs in the machine's slot. A rollout then destroys one of the two, and
 * the machine is not a candidate for scale-in. */
static bool has_partner(struct sim *sim, const struct sim_machine *machine)
{
    struct text cluster = text_from(sim->cluster);
    const struct sim_machine *one = sim_first(sim->cloud, cluster);

    while (one != NULL &&
           (one == machine || !oracle_runs(one) || group_of(one) != group_of(machine) ||
            sim_tags(one).slot != sim_tags(machine).slot)) {
        one = sim_next(sim->cloud, cluster, one);
    }
    return one != NULL;
}

/* Counts the unhealthy members of the machine's group that are kept. If managers have lost contact
 * with this machine and with another machine, both are known as unreachable, and either may be
 * removed first. */
static unsigned staying_count(struct sim *sim, const struct sim_machine *machine)
{
    struct text cluster = text_from(sim->cluster);
    unsigned count = 0;

    for (const struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        count += one != machine && oracle_runs(one) && group_of(one) == group_of(machine) &&
                 nodes_is_known_bad(sim, one) && !has_partner(sim, one) &&
                 !(nodes_are_hidden(sim, one) && nodes_are_hidden(sim, machine));
    }
    return count;
}

/* Check a committed transaction that marked a healthy machine for deletion: no unhealthy machine
 * may be kept instead. */
static void victim_look(struct sim *sim)
{
    const struct sim_machine *machine = sim->victim;
    unsigned unhealthy;

    sim->victim = NULL;
    if (machine == NULL || sim->wanted[group_of(machine)].size == 0) {
        return; /* this transaction marks all of these machines for deletion */
    }
    if (sim->now_ms < sim->hidden_until + HIDDEN_MS) {
        /* a machine that listings lack is first looked up by id, so managers may consider it
         * gone */
        return;
    }
    unhealthy = staying_count(sim, machine);
    if (unhealthy > 0) {
        oracle_found(sim, SIM_FOUND_VICTIM, "%.*s is healthy, and %u unhealthy ones stay",
                     TEXT_ARG(machine->id), unhealthy);
    }
}

/* True if the group of this machine has a record with another generation. The machine is then being
 * replaced, which may take any time. */
static bool is_any_other(const struct sim *sim, const struct entry *entry)
{
    const struct entry *one = sim->newest;

    while (one != NULL && (one->group != entry->group || one->life != sim->life || one->is_gone ||
                           one->generation == entry->generation)) {
        one = one->before;
    }
    return one != NULL;
}

static bool is_one_of(struct text reason, const char *const *words)
{
    while (*words != NULL && !text_is(reason, *words)) {
        words++;
    }
    return *words != NULL;
}

/* The oracle of consent: every destroyed machine needs a reason in a request of users, or in their
 * policy (healing, and destruction of unrequested machines). A decision takes effect some time
 * after its reason. */
static void consent_look(struct sim *sim, const struct entry *entry, struct text reason)
{
    static const char *const by_policy[] = { "lost",   "ended",      "stopped", "unhealthy",
                                             "failed", "unfinished", "orphan",  "old_incarnation",
                                             "cancel", NULL };
    static const char *const by_change[] = { "roll", "rolled", "overtaken", "rollout_aborted",
                                             NULL };
    enum { EFFECT_MS = 180 * MINUTE_MS };
    const struct wanted *wanted = &sim->wanted[entry->group];
    bool is_changed = entry->image != wanted->image || is_any_other(sim, entry) ||
                      (wanted->imaged_ms > 0 && sim->now_ms - wanted->imaged_ms < EFFECT_MS);
    bool is_reduced =
        wanted->size < people_size_max(sim, entry->group, EFFECT_MS) || sim->is_removed ||
        /* the commit may follow shortly after a change of the size, so the smallest size of the
         * last minute counts */
        entries_count(sim, entry->group) > people_size_min(sim, entry->group, MINUTE_MS);

    if (is_one_of(reason, by_policy) || (is_one_of(reason, by_change) && is_changed) ||
        (text_is(reason, "scale_in") && (is_reduced || is_changed))) {
        return;
    }
    oracle_found(sim, SIM_FOUND_UNASKED, "a machine of %c, %.*s, is %s: %.*s", 'a' + entry->group,
                 TEXT_ARG(entry->token),
                 entry->state == PLAN_RECORD_DELETE ? "destroyed" : "replaced", TEXT_ARG(reason));
}

/* Checks a commit that marked a machine for deletion, because such a machine will certainly be
 * destroyed. If the manager does not know the machine's id yet, it may mark the machine because
 * users already want another image. In that case it is not an error if the machine appears later or
 * has just appeared, regardless of the other running machines. */
static void condemned_look(struct sim *sim, struct entry *entry, struct text id)
{
    const struct sim_machine *machine = machine_find(sim, entry->token, id);
    bool is_overtaken = id.length == 0 && entry->image != sim->wanted[entry->group].image;

    entry->is_judged = machine != NULL || is_overtaken;
    entry->is_harm = machine != NULL && !is_overtaken && oracle_is_harm(sim, machine);
}

/* Counts of machines of an entry's generation: machines that have run for as long as the canaries
 * must; machines that were requested and not marked for deletion; machines that were marked for
 * deletion or must be known as unhealthy; and machines that the manager may know as unhealthy. */
struct generation {
    unsigned baked;
    unsigned asked;
    unsigned failed;
    unsigned doubtful;
};

static void generation_add(struct sim *sim, const struct entry *one, struct generation *sum)
{
    const struct sim_machine *machine = machine_find(sim, one->token, TEXT(""));
    bool runs = machine != NULL && oracle_runs(machine);
    uint64_t end_ms = machine == NULL           ? 0
                      : machine->ended_ms > 0   ? machine->ended_ms
                      : machine->stopped_ms > 0 ? machine->stopped_ms
                                                : sim->now_ms;

    sum->asked += !one->is_gone && one->state != PLAN_RECORD_DELETE;
    sum->failed += one->has_failed || (runs && nodes_is_known_bad(sim, machine));
    sum->doubtful += one->has_failed || (runs && machine->unhealthy_ms > 0);
    /* the manager may not know that the machine has ended in the meantime */
    sum->baked += machine != NULL && one->state == PLAN_RECORD_ACTIVE &&
                  sim->now_ms - end_ms < 60 * MINUTE_MS &&
                  sim->now_ms - machine->made_ms + SLACK_MS >= sim->nodes.bake_ms;
}

/* Checks a rollout of images: only canaries begin until the canaries have run long enough, and no
 * machine begins after maxFail failures (I31). */
static void canary_look(struct sim *sim, const struct entry *entry)
{
    const struct nodes *nodes = &sim->nodes;
    struct generation sum = { 0 };
    unsigned settled;

    for (const struct entry *one = sim->newest; one != NULL; one = one->before) {
        if (one->group == entry->group && one->generation == entry->generation &&
            one->life == sim->life) {
            generation_add(sim, one, &sum);
        }
    }
    /* after an operator has approved that a rollout continues despite its failures, failed canaries
     * no longer count */
    settled = sum.baked + (sim->rolls_approved_ms > 0 ? sum.doubtful : 0);
    if (nodes->canary > 0 && settled < nodes->canary && sum.asked > nodes->canary) {
        oracle_found(sim, SIM_FOUND_CANARY, "%u of %c have begun, and %u of %u canaries have baked",
                     sum.asked, 'a' + entry->group, sum.baked, nodes->canary);
    }
    if (nodes->fail_max > 0 && sum.failed >= nodes->fail_max && sim->rolls_approved_ms == 0) {
        oracle_found(sim, SIM_FOUND_CANARY, "the rollout of %c continues, and %u have failed",
                     'a' + entry->group, sum.failed);
    }
}

/* Count the concurrent replacements of a rollout. */
static void rolling_count(struct sim *sim, struct entry *entry, const struct record *record,
                          bool is_known)
{
    struct wanted *wanted = &sim->wanted[entry->group];
    bool is_rolling = record->plan.state == PLAN_RECORD_CREATE && text_is(record->reason, "roll");

    if (!sim->nodes.are_probed || sim->is_restoring) {
        return;
    }
    if (is_rolling && !is_known) {
        wanted->rolling++;
        if (sim->setup.scenario != NULL && wanted->rolling > sim->nodes.batch) {
            oracle_found(sim, SIM_FOUND_BATCH, "%u of %c are in progress, and its batch is %u",
                         wanted->rolling, 'a' + entry->group, sim->nodes.batch);
        }
        canary_look(sim, entry);
    } else if (!is_rolling && entry->is_rolling) {
        wanted->rolling--;
    }
    entry->is_rolling = is_rolling;
}

bool ledger_is_reboot_late(const struct sim *sim, unsigned group)
{
    const struct entry *one = sim->newest;

    while (one != NULL && (one->group != group || one->life != sim->life || one->is_gone ||
                           one->state != PLAN_RECORD_ACTIVE || !one->is_late)) {
        one = one->before;
    }
    return one != NULL;
}

/* Check the start of a reboot: the number of machines of the group that reboot at the same time
 * must not exceed its batch. */
static void reboot_look(struct sim *sim, struct entry *entry, const struct record *record)
{
    unsigned batch = sim->nodes.are_probed && sim->nodes.batch > 0 ? sim->nodes.batch : 1;
    bool was_rebooting = entry->is_rebooting;
    unsigned count = 0;

    entry->is_rebooting =
        record->plan.state == PLAN_RECORD_ACTIVE && plan_is_rebooting(&record->plan);
    entry->is_late = record->plan.state == PLAN_RECORD_ACTIVE && record->plan.is_reboot_late;
    if (!entry->is_rebooting || was_rebooting || sim->is_restoring) {
        return;
    }
    for (const struct entry *one = sim->newest; one != NULL; one = one->before) {
        count += one->group == entry->group && one->life == sim->life && !one->is_gone &&
                 one->state == PLAN_RECORD_ACTIVE && one->is_rebooting;
    }
    if (count > batch) {
        oracle_found(sim, SIM_FOUND_BATCH, "%u of %c are rebooted at once, and its batch is %u",
                     count, 'a' + entry->group, batch);
    }
}

static void put_look(struct sim *sim, struct text cluster, struct text token, struct text bytes)
{
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct entry *entry = entry_make(sim, token);
    bool is_known = entry->life == sim->life;
    bool was_condemned = is_known && entry->state == PLAN_RECORD_DELETE;
    struct record record;
    struct err err;
    bool is_read = record_parse(arena, entry->token, bytes, &record, &err);

    assert(is_read);
    (void)is_read;
    if (is_known && (entry->is_gone || record.plan.state < entry->state)) {
        oracle_found(sim, SIM_FOUND_BACKWARD, "%.*s was %s", TEXT_ARG(token),
                     entry->is_gone ? "gone" : record_state_name(entry->state));
    }
    if (!is_known && record.plan.state == PLAN_RECORD_DELETE) {
        orphan_look(sim, cluster, &record);
    }
    entry->group = (unsigned)(record.plan.group.data[0] - 'a');
    entry->generation = text_hash(record.plan.generation, 1);
    entry->image = is_known ? entry->image : sim->wanted[entry->group].image;
    entry->life = sim->life;
    entry->is_gone = false;
    entry->state = record.plan.state;
    /* a manager that adopted the machine after a restore had no earlier record of it */
    if (entry->state == PLAN_RECORD_ACTIVE && (!is_known || entry->active_ms == 0)) {
        entry->active_ms = sim->now_ms;
    }
    entry->has_served = (is_known && entry->has_served) ||
                        (record.plan.state == PLAN_RECORD_ACTIVE && !record.plan.is_starting);
    rolling_count(sim, entry, &record, is_known);
    reboot_look(sim, entry, &record);
    entry->is_doubted |= record.plan.doubt_ms > 0;
    if (entry->state == PLAN_RECORD_DELETE) {
        entry->deleted_life = sim->life;
    }
    if (!is_known && !sim->is_restoring && record.plan.state == PLAN_RECORD_CREATE &&
        text_is(record.reason, "roll")) {
        consent_look(sim, entry, record.reason);
    }
    if (record.plan.id.length > 0) {
        id_note(sim, entry, record.plan.id);
    }
    if (entry->state == PLAN_RECORD_DELETE && !was_condemned && !sim->is_restoring) {
        condemned_look(sim, entry, record.plan.id);
        health_look(sim, machine_find(sim, entry->token, record.plan.id), record.reason);
        entry->has_failed = text_is(record.reason, "unhealthy");
        consent_look(sim, entry, record.reason);
    }
    arena_free(arena);
}

static void gone_look(struct sim *sim, struct text token)
{
    struct entry *entry = ledger_find(sim, token);
    const struct sim_machine *machine = machine_find(sim, token, entry->id);

    entry->is_gone = true;
    entry->gone_ms = sim->now_ms;
    if (machine != NULL && oracle_runs(machine)) {
        oracle_found(sim, SIM_FOUND_FORGOTTEN, "%.*s runs", TEXT_ARG(machine->id));
    }
}

/* Returns one part of a key /default/Resource/CLUSTER/TOKEN/status: the last part of the key after
 * the removal of `behind` parts from its end. */
static struct text part_of(struct text key, unsigned behind)
{
    size_t end = key.length;
    size_t start;

    for (unsigned i = 0; i < behind; i++) {
        do {
            end--;
        } while (key.data[end] != '/');
    }
    for (start = end; key.data[start - 1] != '/'; start--) {
    }
    return text_slice(key, start, end - start);
}

static void changes_seen(void *arg, enum store_watch_state state, uint64_t revision,
                         const struct store_change *changes, size_t count)
{
    struct sim *sim = arg;

    (void)revision;
    assert(state == STORE_WATCH_CHANGES);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct text token = part_of(changes[i].item.key, 1);

        if (changes[i].is_delete) {
            gone_look(sim, token);
        } else {
            put_look(sim, part_of(changes[i].item.key, 2), token, changes[i].item.value);
        }
    }
    victim_look(sim);
}

/* Loads the records of a restored store. Machines without a record in this store are unknown to
 * it. */
void ledger_open(struct sim *sim)
{
    struct text prefix = TEXT("/default/Resource/");
    struct store_status status;

    map_init(&sim->by_id, sim->arena);
    map_init(&sim->orphan_ms, sim->arena);
    sim->is_restoring = true;
    for (const struct cache_object *object = cache_first(sim->view, prefix); object != NULL;
         object = cache_next(sim->view, prefix, object)) {
        size_t end = text_find_byte(cache_id(object), '/');
        struct text cluster = text_slice(cache_id(object), 0, end);
        struct text token = text_slice(cache_id(object), end + 1, SIZE_MAX);
        struct entry *entry = entry_make(sim, token);

        entry->life = sim->life;
        entry->state = PLAN_RECORD_CREATE;
        entry->is_gone = false;
        entry->id = TEXT("");
        put_look(sim, cluster, token, blob_text(object->parts[CACHE_STATUS].bytes));
    }
    sim->is_restoring = false;
    store_status(sim->truth, &status);
    sim->ledger_watch = store_watch(sim->truth, prefix, status.revision + 1, changes_seen, sim);
}

void ledger_close(struct sim *sim)
{
    store_watch_close(sim->truth, sim->ledger_watch);
    sim->ledger_watch = NULL;
}

/* Checks the call of a manager against the ledger. */
void ledger_asked(void *arg, enum sim_call call, const struct intent *intent)
{
    struct sim *sim = arg;
    const struct entry *entry = ledger_find(sim, intent_token(intent));
    const struct wanted *wanted = entry == NULL ? NULL : &sim->wanted[entry->group];

    if (entry == NULL || (call == SIM_DESTROY && (entry->deleted_life == 0 ||
                                                  !text_is_equal(entry->id, intent_id(intent))))) {
        oracle_found(sim, SIM_FOUND_UNINTENDED, "%s for %.*s %.*s was never committed",
                     call == SIM_DESTROY  ? "destroy"
                     : call == SIM_CREATE ? "create"
                                          : "reboot",
                     TEXT_ARG(intent_token(intent)), TEXT_ARG(intent_id(intent)));
    }
    /* machines of a deleted cluster are still removed, regardless of commands about a new cluster
     * with the same name */
    if (wanted != NULL && wanted->paused_ms > 0 &&
        text_is_equal(intent_cluster(intent), text_from(sim->cluster)) &&
        sim->now_ms - wanted->paused_ms > 15 * MINUTE_MS) {
        oracle_found(sim, SIM_FOUND_PAUSED, "%c is paused", 'a' + entry->group);
    }
}
