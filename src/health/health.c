#include "health/health.h"

#include "base/limits.h"
#include "base/sort.h"

#include <assert.h>
#include <string.h>

/* The port to probe if a record has none. */
enum { PORT_SSH = 22 };

/* A probed machine. */
struct row {
    char token[LIMIT_ID_BYTES + 1];
    struct fleet_probe probe; /* the probe of the machine's group */
    uint64_t due_ms;
    /* start of its grace period; 0: a probe has succeeded, so it has no grace period */
    uint64_t made_ms;
    uint64_t bad_ms; /* time of the first of the consecutive failures */
    uint64_t ticket; /* ticket of the running probe; 0: none */
    uint32_t bad;    /* number of consecutive failures */
    uint32_t good;
    /* the recorded state, or a reported state that is about to be recorded */
    enum health_state state;
    /* Hashes of the reason why the machine is unhealthy: the reported reason, and the reason of the
     * last probe. */
    uint32_t cause_reported;
    uint32_t cause_seen;
    uint32_t cause_times; /* number of consecutive probes with the reason of the last probe */
    uint64_t lost_ms;     /* when contact was lost; 0: it was not lost */
    /* this manager reached the machine, or its record states that it was ready */
    bool was_reached;
    bool is_observed; /* the machine belongs to the observation of health_contact_observe */
};

struct health {
    struct row *rows; /* the machines, in order of token */
    size_t count;
    size_t next; /* index at which the search for due probes continues */
    uint64_t due_ms;
    uint64_t version; /* version of the cluster */
    uint64_t tickets;
};

void health_free(struct health *health)
{
    if (health != NULL) {
        rows_free(health->rows);
        rows_free(health);
    }
}

static int health_row_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return strcmp(((const struct row *)a)->token, ((const struct row *)b)->token);
}

static struct row *health_row_find(const struct health *health, struct text token)
{
    size_t low = 0;
    size_t high = health->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = text_compare(text_from(health->rows[middle].token), token);

        if (order == 0) {
            return &health->rows[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/* ---- selection of machines ---- */

/* True while the machine is not probed because of a requested reboot. It is probed again when the
 * reboot is overdue. */
static bool is_rebooting(const struct fleet_machine *machine)
{
    return machine->reboot_begun_ms > 0 && !machine->is_reboot_late;
}

/* Return the probe of a ready machine; NULL: it is not probed. */
static const struct fleet_probe *probe_of(const struct fleet_cluster *cluster,
                                          const struct fleet_machine *machine)
{
    const struct fleet_group *group;

    if (machine->state != PLAN_RECORD_ACTIVE || is_rebooting(machine)) {
        return NULL;
    }
    group = fleet_group_find(cluster, fleet_machine_group(machine));
    return group == NULL || !group->probe.is_there ? NULL : &group->probe;
}

enum health_state health_state_of(uint64_t failing_since_ms, uint64_t unreachable_since_ms,
                                  bool is_starting)
{
    return failing_since_ms > 0       ? HEALTH_FAILING
           : unreachable_since_ms > 0 ? HEALTH_UNREACHABLE
           : is_starting              ? HEALTH_STARTING
                                      : HEALTH_WELL;
}

static enum health_state engine_health_state_of(const struct fleet_machine *machine)
{
    return health_state_of(machine->failing_since_ms, machine->unreachable_since_ms,
                           machine->is_starting);
}

/* Return the time of the first probe. Each machine has a fixed offset within the interval, so that
 * probes are spread over the interval. */
static uint64_t health_first_due(const struct row *row, uint64_t now_ms)
{
    return now_ms + text_hash(text_from(row->token), 0) % (row->probe.every_ms / 2 + 1);
}

/* Return the start of the grace period: the machine's creation or reboot, by the cluster's
 * clock. */
static uint64_t grace_begin(const struct fleet_machine *machine, const struct health_clock *clock)
{
    uint64_t since_ms =
        machine->rebooted_ms > machine->active_ms ? machine->rebooted_ms : machine->active_ms;
    uint64_t age_ms = clock->cluster_ms > since_ms ? clock->cluster_ms - since_ms : 0;

    return age_ms < clock->now_ms ? clock->now_ms - age_ms : 1;
}

/* True if the machine has a grace period. A ready machine has answered a probe of some manager, so
 * it has none. If machines of the group count as ready as soon as they run, it is unknown whether
 * it has answered. */
static bool has_grace(const struct fleet_machine *machine, const struct fleet_group *group)
{
    return machine->is_starting || group->ready == FLEET_READY_RUNNING;
}

/* The arguments of health_sync. */
struct sync {
    const struct fleet_cluster *cluster;
    const struct health_clock *clock;
    health_is_probed *is_probed;
    void *arg;
};

static bool health_row_make(const struct sync *sync, const struct fleet_machine *machine,
                            const struct health *old, struct row *out)
{
    const struct fleet_cluster *cluster = sync->cluster;
    const struct health_clock *clock = sync->clock;
    struct text token = fleet_machine_token(machine);
    const struct fleet_probe *probe = probe_of(cluster, machine);
    const struct fleet_group *group = fleet_group_find(cluster, fleet_machine_group(machine));
    const struct row *before;

    if (probe == NULL || token.length > LIMIT_ID_BYTES || !sync->is_probed(sync->arg, group)) {
        return false;
    }
    before = old == NULL ? NULL : health_row_find(old, token);
    *out = before != NULL
               ? *before
               : (struct row){ .state = engine_health_state_of(machine),
                               .made_ms =
                                   has_grace(machine, group) ? grace_begin(machine, clock) : 0 };
    out->probe = *probe;
    if (before == NULL) {
        memcpy(out->token, token.data, token.length);
        out->due_ms = health_first_due(out, clock->now_ms);
        out->was_reached = !machine->is_starting;
    }
    return true;
}

/* Compare the records with the reported states, and report differences again. A machine that is not
 * probed does not count as unhealthy. */
static void states_compare(struct health *health, const struct fleet_cluster *cluster,
                           health_change_fn *reported, void *arg)
{
    for (size_t i = 0; i < cluster->count; i++) {
        const struct fleet_machine *machine = cluster->machines[i];
        enum health_state stands = engine_health_state_of(machine);
        struct text token = fleet_machine_token(machine);
        struct row *row = health == NULL ? NULL : health_row_find(health, token);

        if (machine->state != PLAN_RECORD_ACTIVE || (row == NULL && machine->reboot_begun_ms > 0)) {
            continue;
        }
        if (row != NULL && row->state == HEALTH_STARTING && stands == HEALTH_WELL) {
            /* the machine is ready without a probe, so there is nothing to write */
            row->state = HEALTH_WELL;
        }
        if (row == NULL && stands != HEALTH_WELL) {
            reported(arg, &(struct health_change){ .token = token,
                                                   .state = HEALTH_WELL,
                                                   .why = TEXT("the node is no longer probed") });
        } else if (row != NULL && row->state != stands) {
            reported(arg, &(struct health_change){
                              .token = token, .state = row->state, .since_ms = row->bad_ms });
        }
    }
}

static bool has_probes(const struct sync *sync)
{
    for (size_t i = 0; i < sync->cluster->group_count; i++) {
        if (sync->is_probed(sync->arg, &sync->cluster->groups[i])) {
            return true;
        }
    }
    return false;
}

void health_sync(struct health **health, const struct fleet_cluster *cluster,
                 const struct health_clock *clock, health_is_probed *is_probed,
                 health_change_fn *reported, void *arg)
{
    const struct sync sync = { cluster, clock, is_probed, arg };
    AUTO(arena) scratch = arena_new_small(SIZE_MAX);
    struct health *old = *health;
    struct health *made;

    if (!has_probes(&sync)) {
        if (old != NULL) {
            states_compare(NULL, cluster, reported, arg);
        }
        health_free(old);
        *health = NULL;
        return;
    }
    if (old != NULL && old->version == cluster->version) {
        return;
    }
    made = rows_resize(NULL, sizeof(*made));
    *made =
        (struct health){ .version = cluster->version, .tickets = old == NULL ? 0 : old->tickets };
    made->rows = rows_resize(NULL, (cluster->count + 1) * sizeof(*made->rows));
    for (size_t i = 0; i < cluster->count; i++) {
        made->count += health_row_make(&sync, cluster->machines[i], old, &made->rows[made->count]);
    }
    sort_stable(scratch, made->rows, made->count, sizeof(*made->rows), health_row_compare, NULL);
    health_free(old);
    *health = made;
    states_compare(made, cluster, reported, arg);
}

void health_report_again(struct health *health)
{
    if (health != NULL) {
        health->version = 0;
    }
}

/* ---- probing ---- */

/* Fill in a probe. Returns false if the record of the machine has no address yet; the machine is
 * probed when it has an address. */
static bool ask_fill(struct arena *arena, const struct fleet_cluster *cluster,
                     const struct row *row, struct health_ask *out)
{
    const struct fleet_machine *machine = fleet_machine_find(cluster, text_from(row->token));
    const struct fleet_probe *probe = machine == NULL ? NULL : probe_of(cluster, machine);
    const struct fleet_group *group;
    struct record record;
    struct err err;

    if (probe == NULL || !record_parse(arena, arena_text(arena, text_from(row->token)),
                                       blob_text(machine->bytes), &record, &err)) {
        return false;
    }
    group = fleet_group_find(cluster, fleet_machine_group(machine));
    *out = (struct health_ask){
        .plugin = record.plugin,
        .way = fleet_way(cluster, &record),
        .port = !probe->is_ssh     ? probe->port
                : record.port != 0 ? record.port
                                   : PORT_SSH,
        .is_ssh = probe->is_ssh,
        .words = group->probe_argv,
        .argument_count = group->probe_argc,
        .timeout_ms = probe->timeout_ms,
        .ticket = row->ticket,
    };
    return record.address.length > 0;
}

bool health_next(struct health *health, struct arena *arena, const struct fleet_cluster *cluster,
                 uint64_t now_ms, struct health_ask *out)
{
    assert(health->version == cluster->version);
    for (; health->next < health->count; health->next++) {
        struct row *row = &health->rows[health->next];

        if (row->due_ms > now_ms || row->ticket != 0) {
            continue;
        }
        row->due_ms = now_ms + row->probe.every_ms;
        row->ticket = ++health->tickets;
        if (ask_fill(arena, cluster, row, out)) {
            health->next++;
            return true;
        }
        row->ticket = 0;
    }
    health->next = 0;
    return false;
}

uint64_t health_due(const struct health *health)
{
    uint64_t due_ms = UINT64_MAX;

    for (size_t i = 0; i < health->count; i++) {
        const struct row *row = &health->rows[i];

        if (row->ticket == 0 && row->due_ms < due_ms) {
            due_ms = row->due_ms;
        }
    }
    return due_ms == UINT64_MAX ? due_ms : due_ms + LIMIT_PROBE_GATHER_MS;
}

/* ---- answers ---- */

static bool is_starting(const struct row *row, uint64_t now_ms)
{
    return row->made_ms > 0 && now_ms - row->made_ms < row->probe.grace_ms;
}

static void row_bad(struct row *row, enum health_state found, uint64_t now_ms)
{
    row->good = 0;
    if (is_starting(row, now_ms)) {
        return;
    }
    if (row->bad == 0) {
        row->bad_ms = now_ms;
    }
    row->bad++;
    if (row->bad >= row->probe.fail) {
        row->state = found;
    }
}

static void row_good(struct row *row)
{
    row->bad = 0;
    row->good++;
    row->made_ms = 0;
    if (row->good >= LIMIT_PROBE_GOOD || row->state == HEALTH_STARTING) {
        row->state = HEALTH_WELL;
    }
}

/* True if an unhealthy machine has had a new reason in enough consecutive probes to report the
 * reason. */
static bool cause_turns(struct row *row, enum health_state found, uint32_t cause)
{
    row->cause_times = row->cause_seen == cause ? row->cause_times + 1 : 1;
    row->cause_seen = cause;
    return row->state == found && row->cause_reported != cause &&
           row->cause_times >= row->probe.fail;
}

void health_skip(struct health *health, struct text token, uint64_t ticket)
{
    struct row *row = health_row_find(health, token);

    if (row != NULL && row->ticket == ticket) {
        row->ticket = 0;
    }
}

/* ---- contact ---- */

static void contact_note(struct row *row, enum health_state found, uint64_t now_ms)
{
    if (found != HEALTH_UNREACHABLE) {
        row->was_reached = true;
        row->lost_ms = 0;
    } else if (row->lost_ms == 0) {
        row->lost_ms = now_ms;
    }
}

bool health_is_proven(const struct health *health, struct text token, uint64_t now_ms)
{
    const struct row *row = health_row_find(health, token);

    return row != NULL && row->bad >= row->probe.fail &&
           now_ms <= row->due_ms + row->probe.every_ms + row->probe.timeout_ms;
}

static bool is_in_contact(const struct row *row, uint64_t now_ms, uint64_t window_ms)
{
    uint64_t notice_ms = row->probe.every_ms * (row->probe.fail + 1) + row->probe.timeout_ms;

    return row->was_reached &&
           (row->lost_ms == 0 ||
            now_ms - row->lost_ms <= (notice_ms > window_ms ? notice_ms : window_ms));
}

void health_contact_add(const struct health *health, uint64_t now_ms, uint64_t window_ms,
                        struct health_contact *sum)
{
    for (size_t i = 0; i < health->count; i++) {
        const struct row *row = &health->rows[i];
        bool is_counted = is_in_contact(row, now_ms, window_ms);

        sum->of += is_counted;
        sum->lost += is_counted && row->lost_ms > 0;
    }
}

void health_contact_observe(struct health *health, uint64_t now_ms, uint64_t window_ms)
{
    for (size_t i = 0; i < health->count; i++) {
        health->rows[i].is_observed = is_in_contact(&health->rows[i], now_ms, window_ms);
    }
}

void health_contact_observed(const struct health *health, struct health_contact *sum)
{
    for (size_t i = 0; i < health->count; i++) {
        sum->of += health->rows[i].is_observed;
        sum->lost += health->rows[i].is_observed && health->rows[i].lost_ms > 0;
    }
}

void health_answer(struct health *health, struct text token, uint64_t ticket,
                   enum health_state found, struct text why, uint64_t now_ms,
                   health_change_fn *reported, void *arg)
{
    struct row *row = health_row_find(health, token);
    uint32_t cause = (uint32_t)text_hash(why, 0);
    enum health_state before;
    bool is_cause;

    if (row == NULL || row->ticket != ticket) {
        return; /* the machine no longer exists, or another one has replaced it */
    }
    row->ticket = 0;
    contact_note(row, found, now_ms);
    before = row->state;
    if (found == HEALTH_WELL) {
        row_good(row);
    } else {
        row_bad(row, found, now_ms);
    }
    is_cause = found != HEALTH_WELL && cause_turns(row, found, cause) && row->state == before;
    if (row->state != before || is_cause) {
        row->cause_reported = cause;
        reported(arg, &(struct health_change){
                          .token = token,
                          .state = row->state,
                          .is_cause = is_cause,
                          .since_ms = row->state == HEALTH_WELL ? 0 : row->bad_ms,
                          .why = why,
                      });
    }
}
