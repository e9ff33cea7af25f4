#include "sim.h"

#include "base/limits.h"
#include "link.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HOUR_MS = 3600 * 1000, CLEARED_MS = 12 * HOUR_MS };

const char *sim_violation_name(enum sim_violation violation)
{
    static const char *const names[SIM_FOUND_COUNT] = {
        [SIM_FOUND_HARMFUL] = "harmful deletion",
        [SIM_FOUND_OVERSHOOT] = "overshoot",
        [SIM_FOUND_LEAK] = "leak",
        [SIM_FOUND_UNCONVERGED] = "no convergence",
        [SIM_FOUND_UNINTENDED] = "no intent",
        [SIM_FOUND_FOREIGN] = "foreign touched",
        [SIM_FOUND_FORGOTTEN] = "forgotten",
        [SIM_FOUND_BACKWARD] = "record backward",
        [SIM_FOUND_PAUSED] = "pause broken",
        [SIM_FOUND_RATE] = "over budget",
        [SIM_FOUND_EVIDENCE] = "false evidence",
        [SIM_FOUND_CROWD] = "too many unhealthy",
        [SIM_FOUND_VICTIM] = "wrong victim",
        [SIM_FOUND_BATCH] = "batch exceeded",
        [SIM_FOUND_CANARY] = "canary ignored",
        [SIM_FOUND_UNHELD] = "no hold",
        [SIM_FOUND_SLOT] = "no rollout slot",
        [SIM_FOUND_BUDGET] = "too many of a budget",
        [SIM_FOUND_UNASKED] = "no consent",
        [SIM_FOUND_NEIGHBOUR] = "kept by a neighbour",
        [SIM_FOUND_DOUBLE] = "two of one token",
    };

    return names[violation];
}

void sim_note(struct sim *sim, const char *what, uint64_t number)
{
    uint64_t words[2] = { sim->now_ms, number };

    sim->result.fingerprint = text_hash(text_from(what), sim->result.fingerprint);
    sim->result.fingerprint =
        text_hash((struct text){ (const char *)words, sizeof(words) }, sim->result.fingerprint);
    sim->result.events++;
}

void sim_say(const struct sim *sim, const char *format, ...)
{
    va_list args;

    if (!sim->setup.is_loud) {
        return;
    }
    printf("%4llud %02llu:%02llu:%02llu.%03llu  ", (unsigned long long)(sim->now_ms / 86400000),
           (unsigned long long)(sim->now_ms / HOUR_MS % 24),
           (unsigned long long)(sim->now_ms / 60000 % 60),
           (unsigned long long)(sim->now_ms / 1000 % 60), (unsigned long long)(sim->now_ms % 1000));
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

static uint64_t cloud_now(void *arg)
{
    return ((struct sim *)arg)->now_ms;
}

/* A call of a manager that crashes may take effect up to its maximum time plus three minutes later.
 * Only a provider that ignores tokens must declare that time. */
enum { LATE_MS = 3 * 60 * 1000, CALL_MS = 60 * 1000 };

static void cloud_begin(struct sim *sim)
{
    uint64_t lag = (uint64_t)sim->rates[FAULT_list_lag];
    bool is_tokenless = sim->setup.is_tokenless ||
                        (sim->setup.scenario != NULL && sim->setup.scenario->is_tokenless);

    sim->cloud = sim_cloud_new((struct sim_options){
        .now_ms = cloud_now,
        .fate = fault_cloud_fate,
        .luck = fault_cloud_luck,
        .asked = ledger_asked,
        .arg = sim,
        .boot_ms = 1000 + luck_draw(&sim->luck_cloud, 60000),
        .visible_ms = lag,
        .has_addresses = sim->nodes.are_probed || sim->nodes.have_stages,
        .is_forgetting_tokens = (sim->setup.guards_off & 1u << G3) != 0,
        .is_tokenless = is_tokenless,
        .ended_ms = sim->setup.is_tokenless && sim->setup.seed % 2 == 1 ? HOUR_MS : 0,
        .traits = { .lag_ms = lag, .late_ms = is_tokenless ? LATE_MS + CALL_MS : LATE_MS },
    });
    sim_watch(sim->cloud, oracle_reported, sim);
}

/* Run the store and its global observers until they are idle. */
static void truth_run(struct sim *sim)
{
    while (store_run(sim->truth) > 0) {
    }
    cache_run(sim->view);
    service_run(sim->service);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_time(const struct sim *sim)
{
    uint64_t next = earlier(fault_due(sim), sim_cloud_due(sim->cloud));

    next = earlier(earlier(next, sim->housekeeping_due), sim->look_due);
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        const struct manager *manager = &sim->managers[i];

        if (!manager->is_up) {
            next = earlier(next, manager->up_at);
            continue;
        }
        if (manager->severed_until > 0) {
            next = earlier(next, manager->severed_until);
        }
        if (manager->paused_until > sim->now_ms) {
            next = earlier(next, manager->paused_until);
        } else {
            next = earlier(next, earlier(manager->due, link_due(manager->link)));
        }
    }
    return next;
}

/* Runs all work that is due at this time. */
static void moment(struct sim *sim)
{
    size_t done;

    do {
        done = 0;
        for (unsigned i = 0; i < SIM_MANAGERS; i++) {
            if (sim->managers[i].is_up) {
                link_carry(sim->managers[i].link);
            }
        }
        truth_run(sim);
        done += sim_cloud_run(sim->cloud);
        for (unsigned i = 0; i < SIM_MANAGERS; i++) {
            struct manager *manager = &sim->managers[i];

            if (manager->is_up && manager->paused_until <= sim->now_ms &&
                (done > 0 || manager->due <= sim->now_ms ||
                 link_due(manager->link) <= sim->now_ms)) {
                manager_run(manager);
                done += link_due(manager->link) <= sim->now_ms;
            }
        }
    } while (done > 0);
}

static void ignored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)outcome;
    (void)answer;
}

/* Removes old data, so that long runs do not exhaust the memory. */
static void housekeeping(struct sim *sim)
{
    struct store_status status;

    sim->housekeeping_due = sim->now_ms + HOUR_MS;
    store_status(sim->truth, &status);
    if (status.revision - status.compacted_revision > 4000) {
        store_compact(sim->truth, status.revision - 2000, ignored, NULL);
    }
    store_events_drop(sim->truth, 0, 20000, ignored, NULL);
    sim_forget(sim->cloud, sim->now_ms > 2 * HOUR_MS ? sim->now_ms - 2 * HOUR_MS : 0);
    mishap_reclaim(sim);
    if (!fault_is_over(sim)) {
        people_anew(sim);
    }
}

/* Lets the oracles check machines. This happens more than twice per hour, because two listings in a
 * row may be wrong. */
static void look(struct sim *sim)
{
    sim->look_due = sim->now_ms + HOUR_MS / 6;
    people_repair(sim);
    oracle_look(sim);
}

static void sim_begin(struct sim *sim)
{
    sim->luck_store = luck_make(sim->setup.seed, 1);
    sim->luck_cloud = luck_make(sim->setup.seed, 2);
    sim->luck_people = luck_make(sim->setup.seed, 4);
    sim->now_ms = 1000;
    sim->cleared_ms = sim->now_ms + sim->setup.days * 24 * HOUR_MS;
    sim->end_ms = sim->cleared_ms + CLEARED_MS;
    sim->housekeeping_due = HOUR_MS;
    sim->look_due = HOUR_MS / 6;
    map_init(&sim->entries, sim->arena);
    map_init(&sim->stages, sim->arena);
    sim->luck_stages = luck_make(sim->setup.seed, 5);
    fault_begin(sim);
    nodes_begin(sim);
    cloud_begin(sim);
    sim->truth = backup_first(sim);
    people_open(sim);
    people_begin(sim);
    ledger_open(sim);
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        manager_start(sim, i);
    }
}

static void sim_finish(struct sim *sim)
{
    for (unsigned i = 0; i < SIM_MANAGERS; i++) {
        if (sim->managers[i].is_up) {
            manager_crash(&sim->managers[i]);
        }
    }
    ledger_close(sim);
    people_close(sim);
    store_close(sim->truth);
    backup_drop(sim);
    sim_cloud_free(sim->cloud);
}

struct sim_result sim_run(const struct sim_setup *setup)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct sim *sim = arena_one(arena, struct sim);
    struct sim_result result;

    sim->arena = arena;
    sim->setup = *setup;
    sim->result.fingerprint = setup->seed;
    sim_begin(sim);
    while (sim->now_ms < sim->end_ms && !(setup->is_brief && sim->result.first[0] != '\0')) {
        uint64_t next = next_time(sim);

        sim->now_ms = next > sim->now_ms ? earlier(next, sim->end_ms) : sim->now_ms + 1;
        fault_run(sim);
        if (fault_is_over(sim) && !sim->is_cleared) {
            sim->is_cleared = true;
            people_resume(sim);
            nodes_cleared(sim);
        }
        for (unsigned i = 0; i < SIM_MANAGERS; i++) {
            manager_find_out(&sim->managers[i]);
            if (!sim->managers[i].is_up && sim->managers[i].up_at <= sim->now_ms) {
                manager_start(sim, i);
            }
        }
        moment(sim);
        if (sim->now_ms >= sim->housekeeping_due) {
            housekeeping(sim);
        }
        if (sim->now_ms >= sim->look_due) {
            look(sim);
        }
    }
    if (sim->now_ms >= sim->end_ms) {
        oracle_end(sim);
    }
    sim_finish(sim);
    result = sim->result;
    arena_free(arena);
    return result;
}
