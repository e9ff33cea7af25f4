#include "sim.h"

#include "base/macros.h"
#include "codec/json.h"
#include "engine/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* names: oracle_ */

enum { MINUTE_MS = 60 * 1000, HOUR_MS = 60 * MINUTE_MS };

void oracle_found(struct sim *sim, enum sim_violation violation, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (sim->result.first[0] == '\0') {
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
    return (unsigned)(machine->tags.group.data[0] - 'a');
}

/* What the store truly has of a machine. */
static bool record_of(struct sim *sim, const struct sim_machine *machine, struct arena *arena,
                      struct record *out)
{
    struct text id = arena_printf(arena, "%s/%.*s", sim->cluster + strlen("default/"),
                                  TEXT_ARG(machine->tags.token));
    const struct cache_object *object =
        cache_find(sim->view, TEXT("default"), TEXT("Resource"), id);
    struct err err;

    return object != NULL && object->parts[CACHE_STATUS].bytes != NULL &&
           record_parse(arena, machine->tags.token, blob_text(object->parts[CACHE_STATUS].bytes),
                        out, &err);
}

/* Made in this life of the store, or known in it: others are reported, never counted (I6). */
static bool is_ours(struct sim *sim, const struct sim_machine *machine, struct arena *arena)
{
    struct record record;

    return !machine->is_planted &&
           (sim->rolled_back_ms == 0 || machine->made_ms > sim->rolled_back_ms + 5 * MINUTE_MS ||
            record_of(sim, machine, arena, &record));
}

static bool does_run(const struct sim_machine *machine)
{
    return sim_is_there(machine) && machine->stopped_ms == 0;
}

static uint32_t running_count(struct sim *sim, unsigned group, struct arena *arena)
{
    struct text cluster = text_from(sim->cluster);
    uint32_t count = 0;

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        count += group_of(one) == group && does_run(one) && is_ours(sim, one, arena);
    }
    return count;
}

static void begin_look(struct sim *sim, struct sim_machine *machine, struct arena *arena)
{
    unsigned group = group_of(machine);
    uint32_t most = people_size_max(sim, group, 30 * MINUTE_MS) + 1; /* surge */
    uint32_t running = running_count(sim, group, arena);

    sim->result.made++;
    sim_say(sim, "%.*s is made for %.*s/%llu, %u run, token %.*s", TEXT_ARG(machine->id),
            TEXT_ARG(machine->tags.group), (unsigned long long)machine->tags.slot, running,
            TEXT_ARG(machine->tags.token));
    if (running > most) {
        oracle_found(sim, SIM_FOUND_OVERSHOOT, "%u of %.*s run, at most %u should", running,
                     TEXT_ARG(machine->tags.group), most);
    }
}

static void end_look(struct sim *sim, struct sim_machine *machine, struct arena *arena)
{
    unsigned group = group_of(machine);
    const struct wanted *wanted = &sim->wanted[group];
    uint32_t running = running_count(sim, group, arena);
    bool is_stable = sim->now_ms - wanted->changed_ms >= 30 * MINUTE_MS;
    bool died = wanted->died_ms > 0 && sim->now_ms - wanted->died_ms < 15 * MINUTE_MS;
    bool was_rolled_back =
        sim->rolled_back_ms > 0 && sim->now_ms - sim->rolled_back_ms < 15 * MINUTE_MS;
    struct record record;

    sim->result.ended++;
    sim_say(sim, "%.*s (%.*s/%llu) is ended: %.*s, %u run", TEXT_ARG(machine->id),
            TEXT_ARG(machine->tags.group), (unsigned long long)machine->tags.slot,
            TEXT_ARG(machine->reason), running);
    if (machine->is_planted) {
        oracle_found(sim, SIM_FOUND_FOREIGN, "%.*s was planted", TEXT_ARG(machine->id));
        return;
    }
    if (!was_rolled_back &&
        (!record_of(sim, machine, arena, &record) || record.plan.state != PLAN_RECORD_DELETE)) {
        oracle_found(sim, SIM_FOUND_UNINTENDED, "%.*s has no intent", TEXT_ARG(machine->id));
    }
    if (does_run(machine) && running <= wanted->size && is_stable && !died && !was_rolled_back &&
        sim->life == 1) {
        oracle_found(sim, SIM_FOUND_HARMFUL, "%.*s of %.*s ran, %u of %u did",
                     TEXT_ARG(machine->id), TEXT_ARG(machine->tags.group), running, wanted->size);
    }
}

void oracle_told(void *arg, struct sim_machine *machine, bool is_end)
{
    struct sim *sim = arg;
    struct arena *arena = arena_new(SIZE_MAX);

    sim_note(sim, is_end ? "end" : "made", text_hash(machine->id, 0));
    if (is_end) {
        end_look(sim, machine, arena);
    } else {
        begin_look(sim, machine, arena);
    }
    arena_free(arena);
}

/* Once an hour: a machine of this life that runs and that nobody knows. */
void oracle_look(struct sim *sim)
{
    struct text cluster = text_from(sim->cluster);
    struct arena *arena = arena_new(SIZE_MAX);
    struct record record;

    for (struct sim_machine *one = sim_first(sim->cloud, cluster); one != NULL;
         one = sim_next(sim->cloud, cluster, one)) {
        bool is_leaked = does_run(one) && is_ours(sim, one, arena) &&
                         sim->now_ms - one->made_ms > HOUR_MS &&
                         !record_of(sim, one, arena, &record);

        if (is_leaked && one->user == NULL) {
            one->user = one; /* for the first time: it must be gone the next time */
        } else if (is_leaked && sim->now_ms >= sim->outage_until) {
            oracle_found(sim, SIM_FOUND_LEAK, "%.*s of %.*s runs, and nobody knows it",
                         TEXT_ARG(one->id), TEXT_ARG(one->tags.group));
        }
    }
    arena_free(arena);
}

static bool is_held(struct sim *sim, char group)
{
    struct text prefix = TEXT("/default/Hold/");

    (void)group;
    return cache_first(sim->view, prefix) != NULL;
}

void oracle_end(struct sim *sim)
{
    struct arena *arena = arena_new(SIZE_MAX);

    for (unsigned i = 0; i < SIM_GROUPS; i++) {
        uint32_t running = running_count(sim, i, arena);

        sim_note(sim, "end", running);
        if (running != sim->wanted[i].size && !is_held(sim, (char)('a' + i))) {
            oracle_found(sim, SIM_FOUND_UNCONVERGED, "%u of %c run, %u should", running, 'a' + i,
                         sim->wanted[i].size);
        }
    }
    arena_free(arena);
}
