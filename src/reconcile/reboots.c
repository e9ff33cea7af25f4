#include "reconcile/reboots.h"

#include "base/limits.h"
#include "bootstrap/bootstrap.h"

#include <assert.h>
#include <stdio.h>

/* Performs requested reboots on machines. Normal case: the record states that a reboot has begun.
 * The boot id of the machine is read over SSH and recorded, so that a different boot id is
 * recognised later. Then the planner requests the reboot from the provider, or over SSH if the
 * provider cannot reboot machines. Over SSH the machine compares the boot id first, so a request
 * that is sent twice causes one reboot. From then on the boot id is read repeatedly; a different
 * boot id ends the reboot.
 *
 * Failures: an unreachable machine is retried until its time limit, and less often after that,
 * because it may become reachable late. If a provider can reboot the machine, its boot id counts as
 * unknown after a while, and the age of its first process shows whether it has booted. */

enum {
    REBOOT_POLL_MS = 1000,
    REBOOT_POLL_LATE_MS = 15 * 1000,
    REBOOT_RETRY_MS = 2 * 1000,
    /* fraction of a reboot's time limit after which the boot id of the machine counts as unknown */
    REBOOT_READ_PART = 40,
};

struct reboot {
    struct reboot *next;
    struct reconciler *reconciler;
    struct arena *memory;
    struct text token;
    uint64_t revision; /* revision of its record at the last check */
    struct nodes_run *run;
    uint64_t again_ms; /* time of the next run by the port's clock; 0: now */
    uint64_t asked_ms; /* start of the run that reads the boot, by the cluster's clock */
    /* Start of the latest run after the call that still read the old boot id. 0: there was none. */
    uint64_t same_ms;
    unsigned failures; /* number of consecutive failures */
    bool is_seen;
    char why[LIMIT_RECORD_CAUSE_BYTES + 1]; /* reason of the last failure; empty: none */
};

bool reboots_logs_in(const struct control *control, struct text plugin)
{
    const struct nodes_port *port = control->ports.nodes;

    return port != NULL && !control->options.is_single && port->logs_in(port->arg, plugin);
}

/* ---- runs ---- */

static uint64_t reboots_port_now(const struct reconciler *reconciler)
{
    return reconciler->control->ports.now_ms(reconciler->control->ports.arg);
}

static void reboot_wait(struct reboot *reboot, uint64_t ms)
{
    struct reconciler *reconciler = reboot->reconciler;

    reboot->again_ms = reboots_port_now(reconciler) + ms;
    heap_put(&reconciler->control->rebooting, &reconciler->rebooting, reboots_port_now(reconciler));
}

/* Read the record of the machine. Returns false if the record no longer exists, or if its reboot is
 * no longer in progress. */
static bool reboot_record(const struct reboot *reboot, struct arena *arena, struct record *out)
{
    const struct fleet_machine *machine =
        fleet_machine_find(reboot->reconciler->cluster, reboot->token);
    struct err err;

    return machine != NULL &&
           record_parse(arena, reboot->token, arena_text(arena, blob_text(machine->bytes)), out,
                        &err) &&
           out->plan.state == PLAN_RECORD_ACTIVE && out->plan.reboot_begun_ms > 0;
}

/* True if the boot id that was read proves that the call has had no effect. If the old boot id is
 * unknown, the age of the current boot is compared with the time since the call. If another manager
 * continued the cluster's clock after the call, that clock may have lost time, so that a new boot
 * looks older than the call. */
static bool is_boot_former(const struct reboot *reboot, const struct record *record)
{
    return !text_is(record->boot, RECORD_BOOT_UNKNOWN) ||
           record->plan.rebooted_ms >= reboot->reconciler->clock_since_ms;
}

/* Handles a call that has had no effect so far. If its answer is unknown, the call is repeated as
 * soon as it can have no late effect. */
static void reboot_same(struct reboot *reboot, const struct record *record)
{
    struct reconciler *reconciler = reboot->reconciler;
    uint64_t now_ms = reconciler_now(reconciler);

    reboot->same_ms = reboot->asked_ms;
    if (!record->plan.is_reboot_answered &&
        now_ms - record->plan.rebooted_ms >= reconciler->control->options.limits.late_ms) {
        reconciler->is_woken = true;
        if (reconciler->step == RECONCILER_IDLE) {
            control_schedule(reconciler, 0);
        }
    }
}

static void reboot_read(struct reboot *reboot, const struct record *record, struct text read)
{
    struct reconciler *reconciler = reboot->reconciler;

    reboot->failures = 0;
    reboot->why[0] = '\0';
    if (record->boot.length == 0 || reboots_is_over(record, read, reconciler_now(reconciler))) {
        probes_boot(reconciler, reboot->token, read);
    } else if (plan_reboot_is_called(&record->plan) && is_boot_former(reboot, record)) {
        reboot_same(reboot, record);
    }
    reboot_wait(reboot, record->plan.is_reboot_late ? REBOOT_POLL_LATE_MS : REBOOT_POLL_MS);
}

/* Called when the machine does not accept logins. Its provider may still be able to reboot it. */
static void reboot_failed(struct reboot *reboot, const struct record *record,
                          const struct nodes_event *reported)
{
    const struct reconciler *reconciler = reboot->reconciler;
    uint64_t patience_ms = reconciler->control->options.limits.reboot_ms / REBOOT_READ_PART;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);

    reboot->failures++;
    snprintf(reboot->why, sizeof(reboot->why), "%s: %.*s", nodes_end_name(reported->end),
             TEXT_ARG(record_sentence(arena, reported->why)));
    if (record->boot.length == 0 &&
        reconciler_now(reconciler) - record->plan.reboot_begun_ms >= patience_ms) {
        probes_boot(reboot->reconciler, reboot->token, TEXT(RECORD_BOOT_UNKNOWN));
    }
    reboot_wait(reboot, record->plan.is_reboot_late ? REBOOT_POLL_LATE_MS : REBOOT_RETRY_MS);
}

static void reboot_reported(void *arg, const struct nodes_event *reported)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct reboot *reboot = arg;
    struct reconciler *reconciler = reboot->reconciler;
    struct record record;

    if (reconciler->control->is_stopped) {
        return;
    }
    if (reported->kind == NODES_EVENT_ALARM) {
        probes_alarm(reconciler, reboot->token, reported->host_key, reported->why);
    }
    if (reported->kind != NODES_EVENT_END) {
        return;
    }
    reboot->run = NULL;
    if (!reboot_record(reboot, arena, &record)) {
        return;
    }
    if (reported->end == NODES_END_DONE) {
        reboot_read(reboot, &record, reported->why);
    } else {
        reboot_failed(reboot, &record, reported);
    }
}

static bool can_reboot(const struct reconciler *reconciler, struct text plugin)
{
    const struct control_ports *ports = &reconciler->control->ports;
    const char *problem;
    const struct provider *provider =
        ports->provider_find(ports->arg, reconciler->cluster->tenant, plugin, &problem);

    return provider == NULL || provider->traits.can_reboot;
}

static void reboots_reboot_begin(struct reboot *reboot)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct reconciler *reconciler = reboot->reconciler;
    const struct nodes_port *port = reconciler->control->ports.nodes;
    struct nodes_order order = { .cluster_name = reconciler->cluster->name,
                                 .with = RUN_WITH_REBOOT };
    struct record record;

    if (!reboot_record(reboot, arena, &record) ||
        (record.boot.length > 0 && !plan_reboot_is_called(&record.plan))) {
        reboot->again_ms = UINT64_MAX; /* the next pass continues */
        return;
    }
    order.way = fleet_way(reconciler->cluster, &record);
    order.way.is_first_key_accepted = false;
    order.group = record.plan.group;
    if (record.boot.length > 0 && !can_reboot(reconciler, record.plugin)) {
        order.boot = record.boot;
    }
    reboot->asked_ms = reconciler_now(reconciler);
    reboot->run = port->begin(port->arg, &order, reboot_reported, reboot);
    if (reboot->run == NULL) {
        reboot_wait(reboot, REBOOT_RETRY_MS);
    }
}

/* ---- selection of machines ---- */

static struct reboot *reboot_find(const struct reconciler *reconciler, struct text token)
{
    struct reboot *reboot = reconciler->reboots;

    while (reboot != NULL && !text_is_equal(reboot->token, token)) {
        reboot = reboot->next;
    }
    return reboot;
}

static void reboot_free(struct reboot *reboot)
{
    struct reconciler *reconciler = reboot->reconciler;
    const struct nodes_port *port = reconciler->control->ports.nodes;

    if (reboot->run != NULL && !reconciler->control->is_stopped) {
        port->drop(port->arg, reboot->run);
    }
    arena_free(reboot->memory);
}

static void reboot_note(struct reconciler *reconciler, const struct fleet_machine *machine)
{
    struct text token = fleet_machine_token(machine);
    struct reboot *reboot = reboot_find(reconciler, token);

    if (reboot == NULL) {
        struct arena *memory = arena_new_small(SIZE_MAX);

        reboot = arena_one(memory, struct reboot);
        *reboot = (struct reboot){ .next = reconciler->reboots,
                                   .reconciler = reconciler,
                                   .memory = memory,
                                   .token = arena_text(memory, token) };
        reconciler->reboots = reboot;
    }
    reboot->is_seen = true;
    if (reboot->revision != machine->revision) {
        reboot->revision = machine->revision;
        reboot->again_ms = 0;
    }
}

static void unseen_drop(struct reconciler *reconciler)
{
    struct reboot **at = &reconciler->reboots;

    while (*at != NULL) {
        struct reboot *reboot = *at;

        if (reboot->is_seen) {
            reboot->is_seen = false;
            at = &reboot->next;
        } else {
            *at = reboot->next;
            reboot_free(reboot);
        }
    }
}

void reboots_note(struct reconciler *reconciler)
{
    struct control *control = reconciler->control;
    const struct fleet_cluster *cluster = reconciler->cluster;

    if (control->ports.nodes == NULL || control->options.is_dry || control->options.is_single) {
        return;
    }
    for (size_t i = 0; reconciler->epoch > 0 && i < cluster->count; i++) {
        const struct fleet_machine *machine = cluster->machines[i];

        if (machine->reboot_begun_ms > 0 && machine->state == PLAN_RECORD_ACTIVE &&
            reboots_logs_in(control, fleet_machine_plugin(machine))) {
            reboot_note(reconciler, machine);
        }
    }
    unseen_drop(reconciler);
    if (reconciler->reboots != NULL) {
        heap_put(&control->rebooting, &reconciler->rebooting, reboots_port_now(reconciler));
    }
}

void reboots_lay(const struct reconciler *reconciler, struct plan_record *records)
{
    for (const struct reboot *one = reconciler->reboots; one != NULL; one = one->next) {
        const struct fleet_machine *machine = fleet_machine_find(reconciler->cluster, one->token);

        if (machine != NULL) {
            records[machine->index].boot_same_ms = one->same_ms;
        }
    }
}

struct text reboots_why(struct reconciler *reconciler, struct arena *arena, struct text token)
{
    const struct reboot *reboot = reboot_find(reconciler, token);

    return reboot == NULL ? TEXT("") : arena_text(arena, text_from(reboot->why));
}

void reboots_drop(struct reconciler *reconciler)
{
    heap_remove(&reconciler->control->rebooting, &reconciler->rebooting);
    unseen_drop(reconciler);
    assert(reconciler->reboots == NULL);
}

/* ---- schedule ---- */

static void reconciler_reboots_run(struct reconciler *reconciler, uint64_t now_ms)
{
    uint64_t next_ms = UINT64_MAX;

    for (struct reboot *one = reconciler->reboots; one != NULL; one = one->next) {
        if (one->run == NULL && one->again_ms <= now_ms && reconciler->epoch > 0) {
            reboots_reboot_begin(one);
        }
        if (one->run == NULL && one->again_ms < next_ms) {
            next_ms = one->again_ms;
        }
    }
    if (next_ms != UINT64_MAX) {
        heap_put(&reconciler->control->rebooting, &reconciler->rebooting,
                 next_ms > now_ms ? next_ms : now_ms + 1);
    }
}

uint64_t reboots_run(struct control *control, uint64_t now_ms)
{
    struct heap_node *first;

    while ((first = heap_first(&control->rebooting)) != NULL && first->due <= now_ms) {
        struct reconciler *reconciler = heap_owner(first, struct reconciler, rebooting);

        heap_remove(&control->rebooting, first);
        reconciler_reboots_run(reconciler, now_ms);
    }
    return first == NULL ? UINT64_MAX : first->due;
}
